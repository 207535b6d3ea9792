//! What an author is told at declaration: limits, defaults, formats, enums, keys, rules.

use ordain_idl::lower::lower;
use ordain_idl::{Loader, MemorySource};

/// The findings about a kind whose spec has these fields.
fn reported(spec: &str, more: &str) -> Vec<String> {
    let text = format!(
        "// +groupName=shop.example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\ntype Widget struct {{\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\tSpec Spec `json:\"spec\"`\n}}\n\n{more}\ntype Spec struct {{\n{spec}}}\n"
    );
    let source = MemorySource::new().with("v1/types.go", text);
    let universe = Loader::new(&source).package_as("v1", "example.com/v1").load();
    let lowered = lower(&universe);
    lowered.diagnostics.iter().map(|it| universe.locate(it).to_string()).collect()
}

#[track_caller]
fn one(spec: &str, more: &str, words: &str) {
    let found = reported(spec, more);
    assert!(found.len() == 1 && found[0].contains(words), "{found:#?}");
    assert!(found[0].contains("v1/types.go:") && found[0].contains("help:"), "{found:?}");
}

#[test]
fn limits_that_no_value_satisfies_are_refused_across_a_type_and_its_use() {
    one(
        "\t// +minLength=9\n\tA Short `json:\"a\"`\n",
        "// +maxLength=3\ntype Short string\n",
        "error: no value satisfies the limits: length of at least 9 and at most 3",
    );
    one(
        "\t// +minimum=4\n\t// +maximum=4\n\t// +exclusiveMaximum\n\tA int32 `json:\"a\"`\n",
        "",
        "error: no value satisfies the limits 4 and 4",
    );
}

#[test]
fn defaults_outside_of_their_own_limits_are_refused() {
    let field =
        |tags: &str, ty: &str| format!("{tags}\t// +optional\n\tA {ty} `json:\"a,omitempty\"`\n");
    one(
        &field("\t// +default=7\n\t// +maximum=5\n", "int32"),
        "",
        "error: the default 7 is outside of its limits",
    );
    one(
        &field("\t// +default=\"abcd\"\n\t// +maxLength=3\n", "string"),
        "",
        "error: the default \"abcd\" has a size of 4",
    );
    one(
        &field("\t// +default=\"Blue\"\n", "Colour"),
        "// +enum\ntype Colour string\n\nconst Red Colour = \"Red\"\n",
        "error: the default \"Blue\" is none of \"Red\"",
    );
    assert_eq!(
        reported(&field("\t// +default=5\n\t// +maximum=5\n", "int32"), ""),
        Vec::<String>::new()
    );
}

#[test]
fn formats_enums_and_keys_that_nothing_stands_behind_are_refused() {
    one(
        "\t// +format=colour\n\tA string `json:\"a\"`\n",
        "",
        "error: format `colour` is not known",
    );
    one(
        "\tA Colour `json:\"a\"`\n",
        "// +enum\ntype Colour string\n",
        "error: tag `+enum` on a type without values",
    );
    one(
        "\t// +listType=map\n\tA []Item `json:\"a\"`\n",
        "type Item struct {\n\tName string `json:\"name\"`\n}\n",
        "error: a list of type map has no keys",
    );
    one(
        "\t// +k8s:featureGate=Young\n\t// +required\n\tA string `json:\"a\"`\n",
        "",
        "warning: a gated field is required",
    );
}

#[test]
fn fields_of_rules_are_looked_up() {
    let rule = |field: &str| {
        format!(
            "\t// +validationRule=\"self.name != ''\",field=\"{field}\"\n\tA Item `json:\"a\"`\n"
        )
    };
    let item = "type Item struct {\n\tName string `json:\"name\"`\n}\n";
    one(&rule("nmae"), item, "error: field `.nmae` of a rule is none below");
    assert_eq!(reported(&rule("name"), item), Vec::<String>::new());
}
