//! The commands for people with manifests, run as they run them.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/check")
}

/// The command in a folder of its own, without the user's settings.
fn ordain(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ordain"));
    command.current_dir(folder);
    for name in ["KUBECONFIG", "ORDAIN_CONFIG", "ORDAIN_SCHEMAS"] {
        command.env_remove(name);
    }
    command.env("HOME", folder).env("XDG_DATA_HOME", folder.join("data"));
    command
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    ordain(folder).args(arguments).output().unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

const DEPLOYMENT: &str = "apiVersion: apps.example.com/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: two\n  selector: {}\n  template: {}\n";

#[test]
fn built_in_kinds_are_checked_offline_after_one_import() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    std::fs::write(folder.join("web.yaml"), DEPLOYMENT).unwrap();
    let before = run(folder, &["validate", "web.yaml"]);
    assert_eq!(before.status.code(), Some(1));
    assert!(out(&before).contains("no schema"), "{}", out(&before));
    let document = fixtures().join("openapi/v3.json");
    let added = run(folder, &["schemas", "add", document.to_str().unwrap()]);
    assert_eq!(added.status.code(), Some(0), "{}", err(&added));
    assert!(out(&added).starts_with("3 kinds in "), "{}", out(&added));
    let listed = run(folder, &["schemas", "list"]);
    assert_eq!(
        out(&listed),
        "v1/Secret\napps.example.com/v1/Deployment\nshop.example.com/v1/Gadget\n"
    );
    let after = run(folder, &["validate", "web.yaml"]);
    assert_eq!(after.status.code(), Some(1));
    assert!(
        out(&after).contains("cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32"),
        "{}",
        out(&after)
    );
    let removed = run(folder, &["schemas", "remove", "apps.example.com/v1/Deployment"]);
    assert_eq!(removed.status.code(), Some(0));
    assert_eq!(run(folder, &["schemas", "remove", "Deployment"]).status.code(), Some(2));
    // A document named directly needs no store.
    let named = run(folder, &["validate", "--openapi", document.to_str().unwrap(), "web.yaml"]);
    assert!(out(&named).contains("spec.replicas"), "{}", out(&named));
}

#[test]
fn kinds_come_from_go_types() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    std::fs::create_dir_all(folder.join("api/v1")).unwrap();
    std::fs::write(folder.join("go.mod"), "module example.com/shop\n").unwrap();
    std::fs::write(
        folder.join("api/v1/types.go"),
        "// +groupName=shop.example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// Cup holds.\n// +kubebuilder:object:root=true\ntype Cup struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\tSpec CupSpec `json:\"spec\"`\n}\n\n// CupSpec is what is wanted.\ntype CupSpec struct {\n\t// +kubebuilder:validation:Maximum=5\n\tSize int32 `json:\"size\"`\n}\n",
    )
    .unwrap();
    let cup = "apiVersion: shop.example.com/v1\nkind: Cup\nmetadata: {name: c}\nspec: {size: 9}\n";
    std::fs::write(folder.join("cup.yaml"), cup).unwrap();
    let judged = run(folder, &["validate", "--types", "api/v1", "cup.yaml"]);
    assert_eq!(judged.status.code(), Some(1), "{}", err(&judged));
    assert!(out(&judged).contains("should be less than or equal to 5"), "{}", out(&judged));
    let table = "types: v1\ncases:\n- name: too large\n  object: {apiVersion: shop.example.com/v1, kind: Cup, metadata: {name: c}, spec: {size: 9}}\n  errors: [{field: spec.size}]\n";
    std::fs::write(folder.join("api/cup.cases.yaml"), table).unwrap();
    let tested = run(folder, &["test", "api"]);
    assert_eq!(tested.status.code(), Some(0), "{}{}", out(&tested), err(&tested));
    let bad = run(folder, &["validate", "--types", "nowhere", "cup.yaml"]);
    assert_eq!(bad.status.code(), Some(2));
}

#[test]
fn declared_kinds_have_their_unions_and_rules() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    std::fs::create_dir_all(folder.join("v1")).unwrap();
    std::fs::write(
        folder.join("v1/types.go"),
        "// +k8s:validation-gen=TypeMeta\n// +groupName=shop.example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// Cup holds.\ntype Cup struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\tSpec CupSpec `json:\"spec\"`\n}\n\n// CupSpec is what is wanted.\ntype CupSpec struct {\n\t// size is the size.\n\t// +required\n\t// +k8s:required\n\t// +k8s:minimum=2\n\tSize int32 `json:\"size\"`\n}\n",
    )
    .unwrap();
    let cup = "apiVersion: shop.example.com/v1\nkind: Cup\nmetadata: {name: c}\nspec: {size: 1}\n";
    std::fs::write(folder.join("cup.yaml"), cup).unwrap();
    let judged = run(folder, &["validate", "--types", "v1", "cup.yaml"]);
    assert_eq!(judged.status.code(), Some(1), "{}{}", out(&judged), err(&judged));
    assert!(out(&judged).contains("must be greater than or equal to 2"), "{}", out(&judged));
}

#[test]
fn types_are_reviewed_with_what_they_make() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    std::fs::create_dir_all(folder.join("v1")).unwrap();
    let types = "// +groupName=shop.example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// Cup holds.\n// +kubebuilder:object:root=true\ntype Cup struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\t// spec is what is wanted.\n\tSpec CupSpec `json:\"spec\"`\n}\n\n// CupSpec is what is wanted.\ntype CupSpec struct {\n\t// size is the size.\n\t// +optional\n\t// +kubebuilder:validation:XValidation:rule=\"self == oldSelf\"\n\tSize *int32 `json:\"size,omitempty\"`\n}\n";
    std::fs::write(folder.join("v1/types.go"), types).unwrap();
    let linted = run(folder, &["lint", "v1"]);
    let reported = out(&linted);
    assert!(reported.contains("v1/types.go:20:2"), "{reported}{}", err(&linted));
    assert!(
        reported.contains("warning[immutable-bypass]") && reported.contains("CupSpec.Size"),
        "{reported}"
    );
    // A default that is none of the type: the server would refuse the definition.
    let bad = types.replace("// +optional\n", "// +optional\n\t// +kubebuilder:default=none\n");
    std::fs::write(folder.join("v1/types.go"), bad).unwrap();
    let linted = run(folder, &["lint", "v1"]);
    assert_eq!(linted.status.code(), Some(1), "{}", out(&linted));
    assert!(out(&linted).contains("error[refused]"), "{}", out(&linted));
}

#[test]
fn exit_codes_tell_findings_from_bad_usage() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let crd = fixtures().join("validate/crd.yaml");
    let crd = crd.to_str().unwrap();
    assert_eq!(run(folder, &["validate", crd]).status.code(), Some(0));
    assert_eq!(run(folder, &["validate"]).status.code(), Some(2));
    assert_eq!(run(folder, &["validate", "nowhere.yaml"]).status.code(), Some(2));
    assert_eq!(run(folder, &["validate", "--nonsense"]).status.code(), Some(2));
    let widgets = fixtures().join("validate/widgets.yaml");
    let widgets = widgets.to_str().unwrap();
    assert_eq!(run(folder, &["validate", "--crds", crd, widgets]).status.code(), Some(1));
    assert_eq!(run(folder, &["lint", "--rules"]).status.code(), Some(0));
    assert_eq!(run(folder, &["lint", "--disable", "nonsense", crd]).status.code(), Some(2));
    assert_eq!(run(folder, &["diff", crd, crd]).status.code(), Some(0));
    assert_eq!(run(folder, &["diff", crd, "nowhere"]).status.code(), Some(2));
}

#[test]
fn the_flags_of_kubeconform_are_understood() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    std::fs::write(folder.join("web.yaml"), DEPLOYMENT).unwrap();
    let judged = run(
        folder,
        &[
            "validate",
            "-strict",
            "-summary",
            "-ignore-missing-schemas",
            "-n",
            "8",
            "-kubernetes-version",
            "1.36.0",
            "-output",
            "json",
            "web.yaml",
        ],
    );
    assert_eq!(judged.status.code(), Some(0), "{}", err(&judged));
    assert!(out(&judged).contains("\"missingSchemas\": 1"));
    assert_eq!(err(&judged).matches("note: ").count(), 2, "{}", err(&judged));
    let rejected =
        run(folder, &["validate", "-ignore-missing-schemas", "-reject", "Deployment", "web.yaml"]);
    assert!(out(&rejected).contains("[rejected]"), "{}", out(&rejected));
    let remote = run(
        folder,
        &["validate", "-schema-location", "https://example.com/{{.ResourceKind}}.json", "web.yaml"],
    );
    assert_eq!(remote.status.code(), Some(2));
    assert!(err(&remote).contains("nothing is fetched"), "{}", err(&remote));
}

#[test]
fn a_project_keeps_its_options_in_a_file() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    std::fs::create_dir_all(folder.join("deploy")).unwrap();
    std::fs::create_dir_all(folder.join("crds")).unwrap();
    std::fs::copy(fixtures().join("validate/crd.yaml"), folder.join("crds/crd.yaml")).unwrap();
    let widget = "apiVersion: shop.example.com/v1\nkind: Widget\nmetadata: {name: w}\nspec: {owner: ann, size: 30}\n";
    std::fs::write(folder.join("deploy/w.yaml"), widget).unwrap();
    let config = "apiVersion: ordain.dev/v1alpha1\nkind: Config\nvalidate:\n  paths: [deploy]\n  crds: [crds]\n  output: tap\n  ignoreMissingSchemas: true\n";
    std::fs::write(folder.join(".ordain.yaml"), config).unwrap();
    let judged = run(folder, &["validate"]);
    assert_eq!(judged.status.code(), Some(1), "{}", err(&judged));
    assert!(out(&judged).starts_with("TAP version 13\n1..1\nnot ok"), "{}", out(&judged));
    // From a folder below, and with a flag that wins.
    let below = run(&folder.join("deploy"), &["validate", "-o", "json"]);
    assert!(out(&below).starts_with('{'), "{}{}", out(&below), err(&below));
    assert!(out(&below).contains("spec.size"), "{}", out(&below));
    std::fs::write(folder.join(".ordain.yaml"), config.replace("crds:", "crdz:")).unwrap();
    let wrong = run(folder, &["validate"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(err(&wrong).contains("unknown key validate.crdz"), "{}", err(&wrong));
    assert_eq!(run(folder, &["--config", "none", "validate"]).status.code(), Some(2));
}

fn git(folder: &Path, arguments: &[&str]) {
    let done = Command::new("git")
        .current_dir(folder)
        .args(["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"])
        .args(arguments)
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn lint_and_diff_look_at_what_a_change_brings() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let crd = std::fs::read_to_string(fixtures().join("lint/sound.yaml")).unwrap();
    std::fs::write(folder.join("crd.yaml"), &crd).unwrap();
    git(folder, &["init", "-q", "-b", "main"]);
    git(folder, &["add", "."]);
    git(folder, &["commit", "-q", "-m", "first"]);
    assert_eq!(run(folder, &["lint", "crd.yaml"]).status.code(), Some(0));
    let changed = crd.replace("minimum: 1", "minimum: 3").replace("full:", "is_full:");
    std::fs::write(folder.join("crd.yaml"), changed).unwrap();
    let linted = run(folder, &["lint", "--new-from", "HEAD", "--max-warnings", "0", "crd.yaml"]);
    assert_eq!(linted.status.code(), Some(1), "{}", err(&linted));
    assert!(out(&linted).contains("warning[field-name-case]"), "{}", out(&linted));
    let compared = run(folder, &["diff", "HEAD:crd.yaml", "crd.yaml"]);
    assert_eq!(compared.status.code(), Some(1), "{}{}", out(&compared), err(&compared));
    let reported = out(&compared);
    assert!(
        reported.contains("ratcheted  cups.shop.example.com/v1 spec.size: minimum was 1 and is 3"),
        "{reported}"
    );
    assert!(
        reported.contains("breaking   cups.shop.example.com/v1 status.full: the field is gone"),
        "{reported}"
    );
    let machine = run(folder, &["diff", "-o", "json", "HEAD:crd.yaml", "crd.yaml"]);
    assert!(out(&machine).contains("\"verdict\": \"ratcheted\""));
    let baseline = run(folder, &["lint", "--write-baseline", "base.yaml", "crd.yaml"]);
    assert_eq!(baseline.status.code(), Some(0));
    let known =
        run(folder, &["lint", "--baseline", "base.yaml", "--max-warnings", "0", "crd.yaml"]);
    assert_eq!(known.status.code(), Some(0), "{}", out(&known));
}

#[test]
fn manual_pages_and_completions_are_written() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let done = run(folder, &["man", "--output-dir", "man1"]);
    assert_eq!(done.status.code(), Some(0), "{}", err(&done));
    let page = std::fs::read_to_string(folder.join("man1/ordain-validate.1")).unwrap();
    assert!(page.contains("ordain"), "{page}");
    assert!(page.contains("against"), "{page}");
    let shell = run(folder, &["completions", "bash"]);
    assert!(out(&shell).contains("_ordain"));
}

#[cfg(unix)]
#[test]
fn under_the_name_of_a_plugin_it_is_one() {
    let place = tempfile::tempdir().unwrap();
    let plugin = place.path().join("kubectl-ordain");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_ordain"), &plugin).unwrap();
    let help = Command::new(&plugin).args(["validate", "--help"]).output().unwrap();
    assert!(out(&help).contains("Usage: kubectl ordain validate"), "{}", out(&help));
}

#[test]
fn an_editor_can_start_the_language_server() {
    let place = tempfile::tempdir().unwrap();
    let mut child = ordain(place.path())
        .args(["lsp", "--stdio"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for message in [
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"shutdown"}"#,
        r#"{"jsonrpc":"2.0","method":"exit"}"#,
    ] {
        write!(stdin, "Content-Length: {}\r\n\r\n{message}", message.len()).unwrap();
    }
    let done = child.wait_with_output().unwrap();
    assert_eq!(done.status.code(), Some(0));
    assert!(out(&done).contains("hoverProvider"));
}

/// A server with the example API, stopped when it goes out of scope.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_cluster_gives_kinds_and_old_objects() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let mut child = ordain(folder)
        .args(["serve", "--store", "memory", "--demo", "--insecure-http", "127.0.0.1:0"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let _server = Server(child);
    let address = lines
        .find_map(|line| {
            let line = line.unwrap();
            let at = line.find("http://")?;
            Some(line[at..].split([' ', ')']).next().unwrap().to_owned())
        })
        .unwrap();
    std::fs::write(
        folder.join("config"),
        format!(
            "apiVersion: v1\nkind: Config\ncurrent-context: here\ncontexts:\n- {{name: here, context: {{cluster: c}}}}\nclusters:\n- {{name: c, cluster: {{server: '{address}'}}}}\n"
        ),
    )
    .unwrap();
    let objects = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: 1}\n---\napiVersion: shop.example.com/v1\nkind: Widget\nmetadata: {name: w}\nspec: {replicas: -7}\n";
    std::fs::write(folder.join("objects.yaml"), objects).unwrap();
    let judged = run(folder, &["validate", "--cluster", "--kubeconfig", "config", "objects.yaml"]);
    assert_eq!(judged.status.code(), Some(1), "{}", err(&judged));
    let reported = out(&judged);
    assert!(
        reported
            .contains("cannot unmarshal number into Go struct field ConfigMap.data of type string"),
        "{reported}"
    );
    assert!(reported.contains("spec.replicas"), "{reported}");
    assert!(!reported.contains("no-schema"), "{reported}");
    let added = run(folder, &["schemas", "add", "--cluster", "--kubeconfig", "config"]);
    assert_eq!(added.status.code(), Some(0), "{}", err(&added));
    let listed = out(&run(folder, &["schemas", "list"]));
    assert!(
        listed.contains("shop.example.com/v1/Widget") && listed.contains("v1/ConfigMap"),
        "{listed}"
    );
    // The gizmo of the example is there already: this is a change of it.
    let gizmo =
        "apiVersion: shop.example.com/v1\nkind: Widget\nmetadata: {name: gizmo}\nspec: {}\n";
    std::fs::write(folder.join("gizmo.yaml"), gizmo).unwrap();
    let changed = run(
        folder,
        &[
            "validate",
            "--cluster",
            "--against-cluster",
            "--kubeconfig",
            "config",
            "-o",
            "json",
            "gizmo.yaml",
        ],
    );
    assert!(out(&changed).contains("\"updates\": 1"), "{}{}", out(&changed), err(&changed));
    let nowhere = run(folder, &["validate", "--cluster", "--kubeconfig", "nowhere", "gizmo.yaml"]);
    assert_eq!(nowhere.status.code(), Some(2));
}

#[test]
fn feature_gates_are_those_of_the_server() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/widgets");
    std::fs::create_dir(folder.join("v1")).unwrap();
    std::fs::copy(examples.join("types.go"), folder.join("v1/types.go")).unwrap();
    std::fs::copy(examples.join("crd.yaml"), folder.join("crd.yaml")).unwrap();
    let widget = |spec: &str| {
        let text = format!(
            "apiVersion: shop.example.com/v1\nkind: Widget\nmetadata: {{name: w}}\nspec: {spec}\n"
        );
        std::fs::write(folder.join("w.yaml"), text).unwrap();
    };
    widget("{finish: {type: Raw, plating: gold}}");
    let off = run(folder, &["validate", "crd.yaml", "w.yaml"]);
    let reported = out(&off);
    assert!(
        reported.contains("x-kubernetes-unions") && reported.contains("APIUnions=true"),
        "{reported}"
    );
    assert!(!reported.contains("spec.finish.plating"), "{reported}");
    let on = ["validate", "--feature-gates", "APIUnions=true", "crd.yaml", "w.yaml"];
    let reported = out(&run(folder, &on));
    assert!(
        !reported.contains("unknown-field") && reported.contains("spec.finish.plating"),
        "{reported}"
    );
    // The gates of types are known where the types are.
    widget("{priority: 7}");
    let declared = ["validate", "--types", "v1", "w.yaml"];
    let reported = out(&run(folder, &declared));
    assert!(reported.contains("warning[dropped-field]: spec.priority"), "{reported}");
    let gate = ["--feature-gates", "WidgetPriority=true"];
    let reported = out(&run(folder, &[&declared[..], &gate[..]].concat()));
    assert!(
        !reported.contains("dropped-field") && reported.contains("young and may go"),
        "{reported}"
    );
    let unknown = run(folder, &["validate", "--feature-gates", "Wishes=true", "w.yaml"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(err(&unknown).contains("unrecognized feature gate: Wishes"), "{}", err(&unknown));
    // One line in the project's file is for all commands.
    let config = "apiVersion: ordain.dev/v1alpha1\nkind: Config\nfeatureGates: [APIUnions=true]\nvalidate: {crds: [crd.yaml]}\n";
    std::fs::write(folder.join(".ordain.yaml"), config).unwrap();
    assert!(!out(&run(folder, &["lint", "crd.yaml"])).contains("error[refused]"));
    let diff = run(folder, &["diff", "crd.yaml", "crd.yaml"]);
    assert_eq!(diff.status.code(), Some(0), "{}", err(&diff));
    widget("{finish: {type: Raw, plating: gold}}");
    let reported = out(&run(folder, &["validate", "--", "w.yaml"]));
    assert!(reported.contains("spec.finish.plating"), "{reported}");
    let explained = run(folder, &["explain-defaults", "w.yaml"]);
    assert!(out(&explained).contains("+ spec.size: \"Medium\""), "{}", err(&explained));
    let cases = "definition: crd.yaml\nbase: {apiVersion: shop.example.com/v1, kind: Widget, metadata: {name: w}}\ncases:\n- name: raw\n  object: {spec: {finish: {type: Raw, plating: gold}}}\n  errors: [{field: spec.finish.plating}]\n";
    std::fs::write(folder.join("w.cases.yaml"), cases).unwrap();
    let tested = run(folder, &["test", "w.cases.yaml"]);
    assert_eq!(tested.status.code(), Some(0), "{}{}", out(&tested), err(&tested));
    let junit = run(folder, &["test", "-o", "junit", "w.cases.yaml"]);
    assert!(out(&junit).contains("<testsuites name=\"ordain test\""), "{}", out(&junit));
    // Tables, and what Kustomize and ordain keep, are no manifests.
    std::fs::write(folder.join("kustomization.yaml"), "resources: [w.yaml]\n").unwrap();
    widget("{}");
    let all = run(folder, &["validate", "--summary", "."]);
    assert_eq!(all.status.code(), Some(0), "{}", out(&all));
    assert!(err(&all).contains("1 kustomization"), "{}", err(&all));
}

#[test]
fn what_is_piped_in_needs_no_name_and_patterns_leave_files_out() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let piped = |text: &str, arguments: &[&str]| {
        let mut child = ordain(folder)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    };
    let object = "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: t}\n";
    let judged = piped(object, &["validate"]);
    assert_eq!(judged.status.code(), Some(1), "{}", err(&judged));
    assert!(out(&judged).contains("no-schema"), "{}", out(&judged));
    assert_eq!(piped("", &["validate"]).status.code(), Some(2));
    assert_eq!(run(folder, &["validate"]).status.code(), Some(2));
    std::fs::create_dir(folder.join("chart")).unwrap();
    std::fs::write(folder.join("chart/values.yaml"), "a: 1\n").unwrap();
    std::fs::write(folder.join("chart/t.yaml"), "{{ if x }}\na: 1\n{{ end }}\n").unwrap();
    let all = run(folder, &["validate", "chart"]);
    assert!(err(&all).contains("2 files are not manifests"), "{}", err(&all));
    let named = run(folder, &["validate", "chart/t.yaml"]);
    assert!(out(&named).contains("error[not-manifest]"), "{}", out(&named));
    let some = ["validate", "-ignore-filename-pattern", "chart/(values|t)\\.yaml", "chart"];
    assert_eq!(run(folder, &some).status.code(), Some(2));
    assert_eq!(run(folder, &[&some[..], &["--allow-empty"]].concat()).status.code(), Some(0));
    let bad = ["validate", "--ignore-filename-pattern", "(", "chart"];
    assert_eq!(run(folder, &bad).status.code(), Some(2));
}

#[test]
fn what_is_mended_is_not_what_is_excepted() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let list = |name: &str| {
        let pad = "              ";
        format!("{pad}{name}:\n{pad}  type: array\n{pad}  items: {{type: string}}\n")
    };
    let crd = std::fs::read_to_string(fixtures().join("validate/crd.yaml")).unwrap();
    let before = "              serial:\n";
    assert!(crd.contains(before));
    let crd = crd.replace(before, &format!("{}{}{before}", list("colours"), list("sizes")));
    std::fs::write(folder.join("crd.yaml"), crd).unwrap();
    let reported =
        out(&run(folder, &["lint", "--only", "list-type-missing", "-o", "json", "crd.yaml"]));
    let report = ordain_value::json::decode(reported.as_bytes()).unwrap();
    let findings = report.get("findings").and_then(ordain_value::Value::as_list).unwrap();
    assert!(findings.len() > 1, "{reported}");
    let field = findings[0].get("field").and_then(ordain_value::Value::as_str).unwrap();
    let exceptions = format!(
        "apiVersion: ordain.dev/v1alpha1\nkind: LintExceptions\nexceptions:\n- {{rule: list-type-missing, path: '{field}', owner: ann, reason: old}}\n"
    );
    std::fs::write(folder.join("exceptions.yaml"), exceptions).unwrap();
    let lint = ["lint", "--only", "list-type-missing", "--exceptions", "exceptions.yaml", "--fix"];
    let mended = run(folder, &[&lint[..], &["-o", "json", "crd.yaml"]].concat());
    assert!(err(&mended).contains("mended"), "{}", err(&mended));
    // What standard output has is the report of what is left, and nothing else.
    let report = ordain_value::json::decode(&mended.stdout).unwrap();
    let left = report.get("findings").and_then(ordain_value::Value::as_list).unwrap();
    let without_fix = left.iter().filter(|it| it.get("field").is_some()).count();
    assert!(without_fix < findings.len(), "{}", out(&mended));
    let again = out(&run(folder, &["lint", "--only", "list-type-missing", "crd.yaml"]));
    assert!(again.contains(field), "{again}");
}
