//! `ordain cel` as people call it.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

const SPEC: &str = "\
type: object
properties:
  size: {type: integer}
  serial: {type: string}
  since: {type: string, format: date-time}
  tags: {type: array, maxItems: 5, items: {type: string, maxLength: 10}}
  open: {type: array, items: {type: string}}
";

const OBJECT: &str = "\
apiVersion: shop.example.com/v1
kind: Widget
metadata: {name: w}
spec: {size: 3, serial: b, since: '2024-01-02T03:04:05Z', tags: [x, y]}
";

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().expect("a folder"));
        folder.write("crd.yaml", &ordain_testkit::definition("Widget", SPEC));
        folder.write("new.yaml", OBJECT);
        folder.write("old.yaml", &OBJECT.replace("serial: b", "serial: a"));
        folder
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, text).expect("a file");
        path
    }

    fn run(&self, args: &[&str], input: &str) -> (i32, String, String) {
        let mut child = Command::new(env!("CARGO_BIN_EXE_ordain"))
            .arg("cel")
            .args(args)
            .current_dir(self.0.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        // The command may end without reading.
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        let Output { status, stdout, stderr } = child.wait_with_output().expect("an end");
        let text = |bytes| String::from_utf8(bytes).expect("text");
        (status.code().expect("a code"), text(stdout), text(stderr))
    }
}

#[test]
fn an_expression_without_input_has_value_type_and_cost() {
    let folder = Folder::new();
    let (code, out, _) = folder.run(&["1 + 2"], "");
    assert_eq!((code, out.as_str()), (0, "value: 3\ntype:  int\ncost:  1, estimated 1\n"));
    let (code, out, _) = folder.run(&["-o", "json", "duration('90s')"], "");
    assert_eq!(code, 0);
    assert!(out.contains("\"value\": \"1m30s\"") && out.contains("\"actual\": 0"), "{out}");
}

#[test]
fn the_definition_gives_types() {
    let folder = Folder::new();
    let typed = ["--crd", "crd.yaml", "--self", "new.yaml", "--at", "spec"];
    let run = |expression: &str| folder.run(&[&typed[..], &[expression]].concat(), "");
    let (code, out, _) = run("self.size");
    assert_eq!(code, 0);
    assert!(out.starts_with("value: 3\ntype:  int\n"), "{out}");
    let (code, out, _) = run("self.since.getFullYear() == 2024");
    assert_eq!((code, out.contains("value: true")), (0, true), "{out}");
    let (code, _, err) = run("self.size == 'x'");
    assert_eq!(code, 2);
    assert!(err.contains("ERROR: <input>:1:11: found no matching overload for '_==_'"), "{err}");
    assert!(err.contains(" | self.size == 'x'\n | ..........^"), "{err}");
    let (code, _, err) = run("self.weight > 1");
    assert_eq!((code, err.contains("undefined field 'weight'")), (2, true), "{err}");
}

#[test]
fn without_an_object_the_cost_is_estimated() {
    let folder = Folder::new();
    let at = |place: &str| {
        let args = ["--crd", "crd.yaml", "--at", place, "self.all(t, t.startsWith('a'))"];
        folder.run(&args, "")
    };
    let (code, out, _) = at("spec.tags");
    assert_eq!(code, 0);
    assert!(!out.contains("value") && !out.contains("over the limit"), "{out}");
    let (_, out, _) = at("spec.open");
    assert!(out.contains("cost:  estimated "), "{out}");
    let (code, _, err) = at("spec.nothing");
    assert_eq!((code, err.contains("size, ")), (2, true), "{err}");
}

#[test]
fn transitions_see_both() {
    let folder = Folder::new();
    let both = ["--self", "new.yaml", "--old-self", "old.yaml", "--at", "spec"];
    let run = |more: &[&str]| folder.run(&[&both[..], more].concat(), "");
    let (code, out, _) = run(&["self.serial != oldSelf.serial"]);
    assert_eq!((code, out.contains("value: true")), (0, true), "{out}");
    let (code, ..) = run(&["--assert", "self.serial == oldSelf.serial"]);
    assert_eq!(code, 1);
    let alone = ["--self", "new.yaml", "--optional-old-self", "!oldSelf.hasValue()"];
    let (code, out, _) = folder.run(&alone, "");
    assert_eq!((code, out.contains("value: true")), (0, true), "{out}");
}

#[test]
fn failures_say_where_and_the_codes_tell_them_apart() {
    let folder = Folder::new();
    let (code, _, err) = folder.run(&["--self", "new.yaml", "self.spec.missing == 1"], "");
    assert_eq!(code, 1);
    assert!(err.contains("no such key: missing"), "{err}");
    assert!(err.contains(" | self.spec.missing == 1") && err.contains('^'), "{err}");
    assert_eq!(folder.run(&["1 +"], "").0, 2);
    assert_eq!(folder.run(&["--self", "nowhere.yaml", "self"], "").0, 2);
    assert_eq!(folder.run(&["--assert", "self.ready"], "").0, 2);
    assert_eq!(folder.run(&["--kube-version", "1.27", "quantity('1') == quantity('1')"], "").0, 2);
}

#[test]
fn the_expression_or_the_object_may_come_from_standard_input() {
    let folder = Folder::new();
    let (code, out, _) = folder.run(&["--self", "new.yaml"], "self.spec.size\n  > 2\n");
    assert_eq!((code, out.contains("value: true")), (0, true), "{out}");
    let (code, out, _) = folder.run(&["--self", "-", "self.ready"], "{\"ready\": true}");
    assert_eq!((code, out.contains("value: true")), (0, true), "{out}");
    assert_eq!(folder.run(&["--self", "-"], "{}").0, 2);
    assert_eq!(folder.run(&[], "  ").0, 2);
}

#[test]
fn the_whole_object_is_seen_and_its_kind_found() {
    let folder = Folder::new();
    let (code, out, err) = folder.run(
        &[
            "--crd",
            "crd.yaml",
            "--self",
            "new.yaml",
            "self.spec.size > 2 && has(self.metadata.name)",
        ],
        "",
    );
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(out.contains("value: true"), "{out}");
    let by_kind = ["--crds", "crd.yaml", "--object", "new.yaml", "self.spec.since.getFullYear()"];
    let (code, out, err) = folder.run(&by_kind, "");
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(out.contains("value: 2024"), "{out}");
    folder
        .write("map.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata: {a: b}\n");
    let (code, out, err) = folder.run(&["--object", "map.yaml", "self.data.size()"], "");
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(out.contains("value: 1"), "{out}");
    let (code, _, err) = folder.run(&["--object", "new.yaml", "true"], "");
    assert_eq!(code, 2);
    assert!(err.contains("no schema for"), "{err}");
}
