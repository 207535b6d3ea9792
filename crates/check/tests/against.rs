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

#[test]
fn of_several_objects_with_one_name_the_one_in_the_same_file_is_meant() {
    let folder = repository(&widget("{owner: ann, serial: base}"));
    let path = folder.path();
    for overlay in ["dev", "prod"] {
        std::fs::create_dir(path.join(overlay)).unwrap();
        let text = widget(&format!("{{owner: ann, serial: {overlay}}}"));
        std::fs::write(path.join(overlay).join("w.yaml"), text).unwrap();
    }
    git(path, &["add", "-A"]);
    git(path, &["commit", "-qm", "overlays"]);
    assert_eq!(check(path).errors(), 0);
    // A file that moved is found as well: its old one is gone.
    std::fs::create_dir(path.join("live")).unwrap();
    std::fs::rename(path.join("prod/w.yaml"), path.join("live/w.yaml")).unwrap();
    assert_eq!(check(path).errors(), 0);
    std::fs::write(path.join("dev/w.yaml"), widget("{owner: ann, serial: prod}")).unwrap();
    let outcome = check(path);
    assert_eq!(outcome.errors(), 1, "{:?}", outcome.findings);
    assert!(outcome.findings[0].location.file.ends_with("dev/w.yaml"));
}

#[test]
fn objects_of_a_submodule_have_their_history() {
    let module = repository(&widget("{owner: ann, serial: a1}"));
    let place = tempfile::tempdir().unwrap();
    let path = place.path();
    git(path, &["init", "-q"]);
    let from = module.path().to_string_lossy().into_owned();
    git(path, &["-c", "protocol.file.allow=always", "submodule", "add", "-q", &from, "module"]);
    git(path, &["commit", "-qm", "module"]);
    std::fs::write(path.join("module/old.yaml"), widget("{owner: ann, serial: b2}")).unwrap();
    let outcome = check(path);
    assert_eq!((outcome.errors(), outcome.updates), (1, 2), "{:?}", outcome.findings);
    // Named as a path of its own, its repository is the one that is read.
    let inside = path.join("module");
    let history = History::read_all(&[&path.join("module/old.yaml"), &inside], "HEAD").unwrap();
    let source = ordain_check::Source::new("old.yaml", widget("{owner: ann}"));
    let manifest = ordain_check::manifest::read(0, &source).manifests.remove(0);
    assert!(history.old(&manifest, "old.yaml").is_some());
}

#[test]
fn a_shallow_clone_says_what_it_lacks() {
    let folder = repository(&widget("{owner: ann}"));
    let path = folder.path();
    std::fs::write(path.join("old.yaml"), widget("{owner: bob}")).unwrap();
    git(path, &["commit", "-qam", "second"]);
    let place = tempfile::tempdir().unwrap();
    let from = format!("file://{}", path.display());
    git(place.path(), &["clone", "-q", "--depth", "1", &from, "clone"]);
    let clone = place.path().join("clone");
    assert!(History::read(&clone, "HEAD").is_ok());
    let error = History::read(&clone, "HEAD~1").unwrap_err().to_string();
    assert!(error.contains("shallow") && error.contains("fetch-depth: 0"), "{error}");
}
