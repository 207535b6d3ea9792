//! Definitions among the inputs count more than those that were known before, wherever they stand.

use ordain_check::{Catalog, Input, Options, Source, validate_inputs};
use ordain_value::{Value, json};

fn definition(limit: i64) -> Value {
    let text = format!(
        r#"{{
          "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
          "metadata": {{"name": "boxes.example.com"}},
          "spec": {{
            "group": "example.com", "scope": "Namespaced",
            "names": {{"plural": "boxes", "singular": "box", "kind": "Box", "listKind": "BoxList"}},
            "versions": [{{"name": "v1", "served": true, "storage": true, "schema": {{"openAPIV3Schema": {{
              "type": "object", "properties": {{"spec": {{"type": "object", "properties": {{
                "size": {{"type": "integer", "maximum": {limit}}}}}}}}}}}}}}}]}}}}"#
    );
    json::decode(text.as_bytes()).unwrap()
}

fn text(name: &str, text: String) -> Input {
    Input::text(Source::new(name, text))
}

#[test]
fn a_definition_among_the_inputs_replaces_a_known_one() {
    let manifest =
        "apiVersion: example.com/v1\nkind: Box\nmetadata:\n  name: a\nspec:\n  size: 5\n";
    let mut catalog = Catalog::default();
    catalog.add_definition(&definition(10)).unwrap();
    let alone = [text("box.yaml", manifest.to_owned())];
    let (outcome, _) = validate_inputs(&alone, catalog.clone(), &Options::default());
    assert_eq!((outcome.judged, outcome.findings.len()), (1, 0));

    let both = [
        text("box.yaml", manifest.to_owned()),
        text("crd.json", json::encode_string(&definition(3))),
    ];
    let (outcome, _) = validate_inputs(&both, catalog, &Options::default());
    let found: Vec<_> = outcome.findings.iter().map(|it| (&*it.field, it.location.line)).collect();
    assert_eq!(found, [("spec.size", 6)], "{:?}", outcome.findings);
    assert_eq!((outcome.judged, outcome.files), (2, 2));
}

#[test]
fn kinds_that_only_the_inputs_define_are_judged() {
    let manifest =
        "apiVersion: example.com/v1\nkind: Box\nmetadata:\n  name: a\nspec:\n  size: 5\n";
    let inputs = [
        text("box.yaml", manifest.to_owned()),
        text("crd.json", json::encode_string(&definition(3))),
    ];
    let (outcome, _) = validate_inputs(&inputs, Catalog::default(), &Options::default());
    assert_eq!(outcome.findings.len(), 1, "{:?}", outcome.findings);
}
