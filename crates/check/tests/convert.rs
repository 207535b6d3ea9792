//! Objects in other versions, by the declared conversion of a definition.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;

use ordain_check::{Catalog, Gates, Manifest, Source, convert, manifest};
use ordain_value::{Value, yaml};

fn fixture(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/check/convert");
    std::fs::read_to_string(folder.join(name)).unwrap()
}

fn first(text: &str) -> Value {
    yaml::decode_first(text.as_bytes(), yaml::Options::default()).unwrap().value.unwrap()
}

fn catalog(definition: &str) -> Catalog {
    let mut gates = Gates::default();
    gates.set_from("CRDDeclarativeConversion=true").unwrap();
    let mut catalog = Catalog::new(gates);
    catalog.add_definition(&first(definition)).unwrap();
    catalog
}

fn read(object: &Value) -> Manifest {
    let source = Source::new("object.json", ordain_value::json::encode(object));
    manifest::read(0, &source).manifests.remove(0)
}

/// Whether everything of the one value is in the other.
fn holds(value: &Value, wanted: &Value) -> bool {
    match (value, wanted) {
        (Value::Map(map), Value::Map(wanted)) => {
            wanted.iter().all(|(key, it)| map.get(key).is_some_and(|found| holds(found, it)))
        }
        _ => value == wanted,
    }
}

#[test]
fn cases_are_converted_as_declared() {
    let catalog = catalog(&fixture("widgets.yaml"));
    let cases = first(&fixture("cases.yaml"));
    for case in cases.as_list().unwrap().iter() {
        let text = |field: &str| case.get(field).and_then(Value::as_str).unwrap_or_default();
        let manifest = read(case.get("object").unwrap());
        let result = convert::convert(&catalog, &manifest, text("to"));
        match (result, case.get("converted"), case.get("holds")) {
            (Ok(found), Some(wanted), _) => assert_eq!(&found, wanted, "{}", text("name")),
            (Ok(found), None, Some(wanted)) => {
                assert!(holds(&found, wanted), "{}: {found:?}", text("name"));
            }
            (Err(why), None, None) => {
                assert!(why.contains(text("error")), "{}: {why}", text("name"));
                assert!(!text("error").is_empty(), "{}: {why}", text("name"));
            }
            (result, ..) => panic!("{}: {result:?}", text("name")),
        }
    }
}

#[test]
fn both_directions_are_proven() {
    let text = fixture("widgets.yaml");
    let proof = convert::prove(&catalog(&text), &first(&text)).unwrap();
    assert_eq!(proof.losses, [], "{:?}", proof.losses);
    assert_eq!(proof.pairs, 2);
    assert!(proof.objects > 50, "{proof:?}");
}

#[test]
fn what_does_not_come_back_is_found() {
    let lossy = |from: &str, to: &str| {
        let text = fixture("widgets.yaml").replace(from, to);
        assert_ne!(text, fixture("widgets.yaml"));
        let proof = convert::prove(&catalog(&text), &first(&text)).unwrap();
        proof.losses.iter().map(|it| it.why.clone()).collect::<Vec<String>>().join("; ")
    };
    let lost = lossy("      - {from: spec.size, to: spec.dimensions.size}\n", "");
    assert!(lost.contains("spec.size is lost"), "{lost}");
    let bent = lossy("back: 'self / 60'", "back: 'self / 61'");
    assert!(bent.contains("spec.minutes"), "{bent}");
}

#[test]
fn a_wrong_declaration_is_refused() {
    let complaint = |from: &str, to: &str| {
        let text = fixture("widgets.yaml").replace(from, to);
        let mut gates = Gates::default();
        gates.set_from("CRDDeclarativeConversion=true").unwrap();
        let source = Source::new("crd.yaml", text);
        let (outcome, _) = ordain_check::validate_inputs(
            &[ordain_check::Input::text(source)],
            Catalog::new(gates),
            &ordain_check::Options::default(),
        );
        outcome.findings.iter().map(|it| it.text()).collect::<Vec<String>>().join("\n")
    };
    assert_eq!(complaint("nothing", "nothing"), "");
    let unknown = complaint("to: spec.dimensions.size", "to: spec.dimensions.width");
    assert!(unknown.contains("the schema of the version has no such field"), "{unknown}");
    let broken = complaint("forward: 'self * 60'", "forward: 'self *'");
    assert!(broken.contains("compilation failed"), "{broken}");
    let lists = complaint("'spec.ports[*].number'", "spec.dimensions.size");
    assert!(lists.contains("both paths begin with the same lists"), "{lists}");
    let metadata = complaint("to: spec.paint.color", "to: metadata.uid");
    assert!(metadata.contains("only labels and annotations of metadata may change"), "{metadata}");
}
