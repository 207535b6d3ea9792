//! No declaration makes a generator panic, hang or overflow its stack.

use ordain_gen::{crd, docs, jsonschema, kinds, openapi, rust};
use ordain_idl::{Loader, MemorySource};
use proptest::prelude::*;

const SEEDS: [&str; 2] = [
    include_str!("../../../fixtures/gen/kubebuilder/v1/types.go"),
    include_str!("../../../fixtures/gen/declared/v1/types.go"),
];

/// Runs everything on a text; what comes out does not matter here.
fn run(text: &str) {
    let source = MemorySource::new().with("v1/types.go", text);
    let universe = Loader::new(&source).package_as("v1", "example.com/v1").load();
    let _ = crd::generate(&universe, &crd::Options::default());
    let options =
        openapi::Options { untagged: true, dependencies: true, ..openapi::Options::default() };
    let made = openapi::generate(&universe, options);
    let _ = (made.v3(), made.v2(), made.raw());
    let kinds = kinds::of_types(&universe).kinds;
    let _ = docs::generate(&kinds, docs::Format::Markdown);
    let _ = docs::generate(&kinds, docs::Format::Html);
    let _ = jsonschema::generate(&kinds, jsonschema::Options { strict: true });
    let _ = rust::generate(&kinds);
}

/// Lines that may be put anywhere.
const LINES: &[&str] = &[
    "\t// +default={\"a\": [1, null]}",
    "\t// +default=ref(PowerMains)",
    "\t// +k8s:validation:cel[0]:rule>self > 0",
    "\t// +k8s:validation:cel[99999999999]:rule=\"x\"",
    "\t// +k8s:validation:items:items:cel[7]:rule=\"x\"",
    "\t// +k8s:validation:properties:a:maxLength=-1",
    "\t// +k8s:validation:pattern=\"[\"",
    "\t// +kubebuilder:validation:Enum={a,b;c",
    "\t// +kubebuilder:validation:XValidation:rule=\"",
    "\t// +kubebuilder:default={a:{b:{c:{}}}}",
    "\t// +listType=map",
    "\t// +listMapKey=name",
    "\t// +union",
    "\t// +unionDiscriminator",
    "\t// +unionDeprecated",
    "\t// +k8s:openapi-gen=x-kubernetes-a:\\",
    "\tSelf *Tool `json:\",inline\"`",
    "\tEngine `json:\",inline\"`",
    "\tDeep map[string][]map[string]Tree `json:\"deep\"`",
    "type Tree map[string]Tree",
    "type Loop struct { Loop }",
    "type Gen[T any] struct { Next *Gen[[]T] `json:\"next\"` }",
    "type A B",
    "type B A",
    "}",
    "\"`",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn changed_declarations_never_panic(
        seed in 0..2_usize,
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..3_u8, any::<prop::sample::Index>()), 1..12),
    ) {
        let mut lines: Vec<&str> = SEEDS[seed].lines().collect();
        for (at, what, line) in edits {
            let at = at.index(lines.len().max(1));
            match what {
                0 if !lines.is_empty() => drop(lines.remove(at)),
                1 => lines.insert(at, LINES[line.index(LINES.len())]),
                _ => {
                    let copied = lines[line.index(lines.len())];
                    lines.insert(at, copied);
                }
            }
            if lines.is_empty() {
                lines.push("package v1");
            }
        }
        run(&lines.join("\n"));
    }
}

#[test]
fn types_that_lead_back_to_themselves_come_to_an_end() {
    for body in [
        "type T map[string]T\ntype Root struct {\n\tA T `json:\"a\"`\n}",
        "type T []T\ntype Root struct {\n\tA T `json:\"a\"`\n}",
        "type Root struct {\n\t*Root `json:\",inline\"`\n}",
        "type Root struct {\n\tRoot `json:\",inline\"`\n}",
        "type P *P\ntype Root struct {\n\tA P `json:\"a\"`\n}",
        "type G[T any] struct {\n\tA *G[[]T] `json:\"a\"`\n}\ntype Root struct {\n\tA G[string] `json:\"a\"`\n}",
    ] {
        let kind = "type Kind struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata\"`\n\tSpec Root `json:\"spec\"`\n}";
        run(&format!(
            "// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n{body}\n\n{kind}\n"
        ));
    }
}
