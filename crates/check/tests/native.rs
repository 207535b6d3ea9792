//! Wrong manifests of native kinds, one mistake each, with what a real kube-apiserver said of them
//! (`fixtures/native/wrong`): caught offline without any flag, with the same causes, and at a line
//! of their own.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use ordain_check::{Options, Severity, Source, validate};
use ordain_value::{Value, json};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/native/wrong")
}

fn text(value: &Value, at: usize) -> &str {
    value.as_list().and_then(|list| list.get(at)).and_then(Value::as_str).unwrap_or("")
}

#[test]
fn wrong_manifests_are_caught_with_the_causes_of_a_real_server() {
    let expected = json::decode(&fs::read(folder().join("expected.json")).unwrap()).unwrap();
    let expected = expected.as_map().unwrap();
    let mut problems = Vec::new();
    for (name, answer) in expected.iter() {
        let manifest = fs::read_to_string(folder().join(name.as_str())).unwrap();
        let outcome = validate(&[Source::new(name.as_str(), manifest)], &[], &Options::default());
        let errors: Vec<_> =
            outcome.findings.iter().filter(|it| it.severity == Severity::Error).collect();
        if errors.is_empty() {
            problems.push(format!("{name}: nothing is found"));
            continue;
        }
        let causes = answer.get("causes").and_then(Value::as_list).cloned().unwrap_or_default();
        let wanted: BTreeSet<String> =
            causes.iter().map(|it| format!("{}: {}", text(it, 1), text(it, 2))).collect();
        let got: BTreeSet<String> =
            errors.iter().map(|it| format!("{}: {}", it.field, it.message)).collect();
        if !wanted.is_empty() && wanted != got {
            problems.push(format!("{name}:\n  wanted {wanted:?}\n  got    {got:?}"));
        }
    }
    assert!(
        problems.is_empty(),
        "{} of {}:\n{}",
        problems.len(),
        expected.len(),
        problems.join("\n")
    );
}
