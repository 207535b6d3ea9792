//! Tags of the enhancement proposals, with the examples of their texts.

use ordain_idl::proposals::{constraints, unions};
use ordain_idl::{Loader, MemorySource, Universe};

fn load(body: &str) -> Universe {
    let source = MemorySource::new().with("p/types.go", format!("package p\n\n{body}"));
    let universe = Loader::new(&source).package_as("p", "example.com/p").load();
    assert!(!universe.has_errors(), "{:?}", universe.diagnostics());
    universe
}

const ENUM: &str = "// +enum\ntype UnionType string\n\nconst (\n\tFieldA UnionType = \"FieldA\"\n\tFieldB UnionType = \"FieldB\"\n\tFieldNone UnionType = \"\"\n)\n\n";

fn union_errors(body: &str) -> Vec<String> {
    let universe = load(&format!("{ENUM}{body}"));
    let id = universe.lookup("example.com/p", "Union").expect("Union");
    let (_, diagnostics) = unions(&universe, universe.type_of(id));
    diagnostics.iter().map(|it| it.message.clone()).collect()
}

#[test]
fn a_union_has_values_and_members() {
    let universe = load(&format!(
        "{ENUM}type Union struct {{\n\t// +unionDiscriminator\n\t// +required\n\tUnionType UnionType `json:\"unionType\"`\n\n\t// +unionMember\n\t// +optional\n\tFieldA *int `json:\"fieldA\"`\n\t// +unionMember,optional\n\t// +optional\n\tFieldB *int `json:\"fieldB\"`\n}}\n"
    ));
    let id = universe.lookup("example.com/p", "Union").expect("Union");
    let (found, diagnostics) = unions(&universe, universe.type_of(id));
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].discriminator, "unionType");
    assert_eq!(found[0].values, ["FieldA", "FieldB", ""]);
    let members: Vec<_> = found[0]
        .members
        .iter()
        .map(|it| (it.name.as_str(), it.value.as_str(), it.optional))
        .collect();
    assert_eq!(members, [("fieldA", "FieldA", false), ("fieldB", "FieldB", true)]);
}

#[test]
fn what_the_union_text_demands_is_demanded() {
    let without = "type Union struct {\n\t// +unionMember\n\tFieldA *int `json:\"fieldA\"`\n}\n";
    assert_eq!(union_errors(without), ["union member in a struct without a discriminator"]);
    let text = "type Union struct {\n\t// +unionDiscriminator\n\t// +required\n\tUnionType string `json:\"unionType\"`\n}\n";
    assert_eq!(union_errors(text), ["discriminator `UnionType` is no enum of strings"]);
    let value = "type Union struct {\n\t// +unionDiscriminator\n\t// +required\n\tUnionType UnionType `json:\"unionType\"`\n\t// +unionMember=Other\n\tOther *int `json:\"other\"`\n}\n";
    assert_eq!(
        union_errors(value),
        ["union member `Other` stands for `Other`, which is no value of the discriminator"]
    );
    let name = "type Union struct {\n\t// +unionDiscriminator\n\t// +required\n\tUnionType UnionType `json:\"unionType\"`\n\t// +unionMember=FieldA\n\tX *int `json:\"x\"`\n}\n";
    assert_eq!(
        union_errors(name),
        ["union member `x` stands for `FieldA`, which is not its JSON name"]
    );
}

#[test]
fn a_discriminators_values_may_be_listed_by_kubebuilders_marker() {
    let text = "type Union struct {\n\t// +unionDiscriminator\n\t// +kubebuilder:validation:Enum=Mirror;Redirect\n\t// +required\n\tType FilterType `json:\"type\"`\n\t// +unionMember\n\tMirror *int `json:\"mirror\"`\n}\n\ntype FilterType string\n";
    assert_eq!(union_errors(text), [""; 0]);
    let other = text.replace("Mirror;", "");
    assert_eq!(
        union_errors(&other),
        ["union member `Mirror` stands for `Mirror`, which is no value of the discriminator"]
    );
}

#[test]
fn only_an_optional_discriminator_is_inferred() {
    let union = |tags: &str| {
        format!(
            "type Union struct {{\n\t// +unionDiscriminator\n{tags}\tUnionType UnionType `json:\"unionType,omitempty\"`\n}}\n"
        )
    };
    assert_eq!(union_errors(&union("\t// +unionInferred\n\t// +optional\n")), [""; 0]);
    assert_eq!(
        union_errors(&union("\t// +unionInferred\n\t// +required\n")),
        ["discriminator `UnionType` is required or defaulted, so nothing infers it"]
    );
    let member = "type Union struct {\n\t// +unionInferred\n\tFieldA *int `json:\"fieldA\"`\n}\n";
    assert_eq!(union_errors(member), ["`FieldA` is no discriminator that could be inferred"]);
}

#[test]
fn constraints_are_read_with_rules_over_several_lines() {
    let universe = load(
        "type T struct {\n\t// +minLength=1\n\t// +maxLength=63\n\t// +pattern=^[a-z]+$\n\t// +format=dns1123label\n\t// +validationRule=\"self != 'a' &&\n\t//   self != 'b'\",message=\"not a, not b\",reason=Forbidden,field=\"x\"\n\tA string `json:\"a\"`\n\t// +minimum=1.5\n\t// +exclusiveMinimum\n\t// +maxLength=3\n\tB int32 `json:\"b\"`\n}\n",
    );
    let id = universe.lookup("example.com/p", "T").expect("T");
    let fields = universe.fields(universe.type_of(id));
    let (a, diagnostics) = constraints(&universe, &fields[0].docs, fields[0].ty);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    assert_eq!((a.min_length, a.max_length), (Some(1), Some(63)));
    assert_eq!(a.pattern.as_deref(), Some("^[a-z]+$"));
    assert_eq!(a.rules.len(), 1);
    assert_eq!(a.rules[0].rule, "self != 'a' &&\n  self != 'b'");
    assert_eq!(a.rules[0].reason.as_deref(), Some("Forbidden"));
    let (b, diagnostics) = constraints(&universe, &fields[1].docs, fields[1].ty);
    assert_eq!((b.minimum, b.exclusive_minimum), (Some(1.5), true));
    assert_eq!(diagnostics.len(), 1);
    assert!(diagnostics[0].message.contains("`+maxLength` is about a string"));
}
