//! Defaults of KEP-1929 in what is generated: the examples of its text, and the `{}` of structs,
//! names of constants and defaults of types in definitions.

use std::path::Path;

use ordain_gen::{crd, openapi};
use ordain_idl::{Loader, MemorySource, Universe};
use ordain_value::{Value, json};

fn load(text: &str) -> Universe {
    let source = MemorySource::new().with("v1/types.go", text);
    Loader::new(&source).package_as("v1", "example.com/v1").load()
}

fn reported(universe: &Universe, found: &[ordain_idl::Diagnostic]) -> Vec<String> {
    found.iter().map(|it| universe.locate(it).to_string()).collect()
}

/// The properties of a type in an OpenAPI document of an example of the text.
fn published(example: &str, name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/proposals/1929")
        .join(example)
        .join("types.go");
    let universe = load(&std::fs::read_to_string(path).expect("an example"));
    let options = openapi::Options { untagged: true, declared: true, ..Default::default() };
    let made = openapi::generate(&universe, options);
    assert!(!made.has_errors(), "{example}: {:?}", reported(&universe, &made.diagnostics));
    let found = made.definitions.iter().find(|(it, _)| it.ends_with(&format!(".{name}")));
    let schema = &found.expect("a definition").1.schema;
    json::encode_string(schema.get("properties").expect("properties"))
}

#[test]
fn lists_and_maps_of_types_with_a_default_are_published_as_the_text_says() {
    assert_eq!(
        published("lists", "Object"),
        r#"{"list":{"items":{"default":"apple","type":"string"},"type":"array"}}"#
    );
    assert_eq!(
        published("string-maps", "Object"),
        r#"{"mapping":{"additionalProperties":{"default":"banana","type":"string"},"type":"object"}}"#
    );
}

/// A kind of these declarations; `Root` is its spec.
fn kind(body: &str) -> Universe {
    load(&format!(
        "// +groupName=shop.example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n\
         type Widget struct {{\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\
         \tSpec Root `json:\"spec\"`\n}}\n\n{body}"
    ))
}

fn spec(body: &str) -> String {
    let universe = kind(body);
    let made = crd::generate(&universe, &crd::Options::default());
    assert!(!made.has_errors(), "{:?}", reported(&universe, &made.diagnostics));
    let crd = &made.files.first().expect("a definition").crd;
    let versions = crd.get_path(&["spec", "versions"]).and_then(Value::as_list).expect("versions");
    let path = ["schema", "openAPIV3Schema", "properties", "spec"];
    json::encode_string(versions[0].get_path(&path).expect("spec"))
}

#[test]
fn structs_that_are_no_pointers_are_there_for_the_defaults_below_them() {
    assert_eq!(
        spec(
            "type Root struct {\n\tEntry SubLevel `json:\"entry\"`\n\tOther Plain `json:\"other,omitempty\"`\n}\n\n\
             type SubLevel struct {\n\t// +default=\"default-name\"\n\tName string `json:\"name,omitempty\"`\n\
             \t// +default=0\n\tNumber int `json:\"number\"`\n}\n\n\
             type Plain struct {\n\tName string `json:\"name,omitempty\"`\n}\n"
        ),
        r#"{"default":{},"properties":{"entry":{"default":{},"properties":{"name":{"default":"default-name","type":"string"},"number":{"default":0,"type":"integer"}},"type":"object"},"other":{"properties":{"name":{"type":"string"}},"type":"object"}},"type":"object"}"#
    );
}

#[test]
fn a_struct_with_something_to_give_is_not_made_up() {
    assert_eq!(
        spec(
            "type Root struct {\n\t// +default=3\n\tSize int32 `json:\"size,omitempty\"`\n\tName string `json:\"name\"`\n}\n"
        ),
        r#"{"properties":{"name":{"type":"string"},"size":{"default":3,"format":"int32","type":"integer"}},"required":["name"],"type":"object"}"#
    );
}

#[test]
fn names_of_constants_and_defaults_of_types_reach_definitions() {
    assert_eq!(
        spec(
            "const Corner = \"corner\"\n\n// +default=\"apple\"\ntype Item string\n\n\
             type Root struct {\n\t// +default=ref(Corner)\n\tName string `json:\"name,omitempty\"`\n\
             \tItem Item `json:\"item,omitempty\"`\n\tItems []Item `json:\"items,omitempty\"`\n\
             \tMapping map[string]Item `json:\"mapping,omitempty\"`\n\
             \t// +default=\"pear\"\n\tOwn Item `json:\"own,omitempty\"`\n}\n"
        ),
        r#"{"default":{},"properties":{"item":{"default":"apple","type":"string"},"items":{"items":{"default":"apple","type":"string"},"type":"array"},"mapping":{"additionalProperties":{"default":"apple","type":"string"},"type":"object"},"name":{"default":"corner","type":"string"},"own":{"default":"pear","type":"string"}},"type":"object"}"#
    );
}

#[test]
fn a_default_beside_no_omitempty_is_refused_in_definitions_too() {
    let body =
        "type Root struct {\n\t// +default=\"x\"\n\tName string `json:\"name\"`\n}\n".to_owned();
    let found = |body: &str| {
        let universe = kind(body);
        let made = crd::generate(&universe, &crd::Options::default());
        reported(&universe, &made.diagnostics)
    };
    let words = "field `Name` has a non-zero default but no omitempty";
    let [error] = found(&body).try_into().expect("one finding");
    assert!(error.contains("error") && error.contains(words), "{error}");
    // A package of controller-gen's keeps what controller-gen makes of it.
    let marked = body.replace("type Root", "// +kubebuilder:validation:MaxProperties=3\ntype Root");
    let [warning] = found(&marked).try_into().expect("one finding");
    assert!(warning.contains("warning") && warning.contains(words), "{warning}");
}
