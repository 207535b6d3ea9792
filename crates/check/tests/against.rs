//! Changes judged against what git holds.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::process::Command;

use ordain_check::history::History;
use ordain_check::{Options, Outcome, Severity, source, validate};

const CRD: &str = include_str!("../../../fixtures/check/validate/crd.yaml");

fn git(folder: &Path, arguments: &[&str]) {
    let run = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args([
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@example.com",
            "-c",
            "init.defaultBranch=main",
        ])
        .args(arguments)
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
}

fn repository(old: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    std::fs::write(path.join("crd.yaml"), CRD).unwrap();
    std::fs::write(path.join("old.yaml"), old).unwrap();
    git(path, &["init", "-q"]);
    git(path, &["add", "-A"]);
    git(path, &["commit", "-qm", "base"]);
    folder
}

fn check(folder: &Path) -> Outcome {
    let (sources, failed) = source::read_all(&[folder.to_string_lossy().into_owned()]);
    assert!(failed.is_empty());
    let history = History::read(folder, "HEAD").unwrap();
    let options = Options { history: Some(history), base: "HEAD".into(), ..Options::default() };
    validate(&sources, &[], &options)
}

fn widget(spec: &str) -> String {
    format!("apiVersion: shop.example.com/v1\nkind: Widget\nmetadata: {{name: w}}\nspec: {spec}\n")
}

#[test]
fn a_transition_rule_sees_the_old_object_through_a_rename() {
    let folder = repository(&widget("{owner: ann, serial: a1}"));
    std::fs::remove_file(folder.path().join("old.yaml")).unwrap();
    std::fs::create_dir(folder.path().join("moved")).unwrap();
    let new = widget("{owner: ann, serial: b2}");
    std::fs::write(folder.path().join("moved/new.yaml"), new).unwrap();
    let outcome = check(folder.path());
    assert_eq!(outcome.findings.len(), 1, "{:?}", outcome.findings);
    let finding = &outcome.findings[0];
    assert_eq!(finding.field, "spec.serial");
    assert_eq!(finding.message, "Invalid value: \"b2\": serial is immutable");
    assert_eq!((finding.location.line, finding.location.column), (4, 28));
    assert_eq!(outcome.updates, 2);
}

#[test]
fn what_was_invalid_before_is_a_warning_and_what_is_new_an_error() {
    let folder = repository(&widget("{owner: ann, size: 50}"));
    let new = widget("{owner: ann, size: 50, mode: wrong}");
    std::fs::write(folder.path().join("old.yaml"), new).unwrap();
    let outcome = check(folder.path());
    let found: Vec<(Severity, &str, &str)> = outcome
        .findings
        .iter()
        .filter(|it| it.field != "<nil>")
        .map(|it| (it.severity, it.id, it.field.as_str()))
        .collect();
    let wanted =
        [(Severity::Warning, "ratcheted", "spec.size"), (Severity::Error, "invalid", "spec.mode")];
    assert_eq!(found, wanted);
}

#[test]
fn an_unknown_revision_is_an_error() {
    let folder = repository(&widget("{owner: ann}"));
    assert!(History::read(folder.path(), "nowhere").is_err());
    assert!(History::read(folder.path(), "--output=x").is_err());
}
