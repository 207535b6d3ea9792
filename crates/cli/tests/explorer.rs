//! The explorer in a real browser: `ui/test/browser` drives Chromium against servers started here.
//!
//! They need Node, the packages of `ui/` and Chromium (`ORDAIN_SKIP=browser` goes without); `.ci/run`
//! installs what is missing.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use ordain_testkit::Need;

fn ui() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui")
}

/// A server that ends with the test.
struct Running {
    child: Child,
    url: String,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs `ordain` with these arguments until it says where it listens.
fn start(arguments: &[&str]) -> Running {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ordain"))
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut running = Running { child, url: String::new() };
    for line in lines {
        let line = line.unwrap();
        if let Some(at) = line.find("http") {
            let end = line[at..].find([' ', ')']).map_or(line.len(), |end| at + end);
            line[at..end].trim_end_matches("/ui").clone_into(&mut running.url);
            return running;
        }
    }
    panic!("the server did not say where it listens");
}

fn demo() -> Running {
    start(&["serve", "--insecure-http", "127.0.0.1:0", "--store", "memory", "--demo"])
}

fn chromium() -> Option<PathBuf> {
    let given = std::env::var_os("ORDAIN_CHROMIUM").map(PathBuf::from);
    let known = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
    given.into_iter().chain(known.map(PathBuf::from)).find(|it| it.exists())
}

/// What drives the browser, or what is missing for it.
fn driver() -> Result<PathBuf, &'static str> {
    let node = Command::new("node").arg("--version").stdout(Stdio::null()).status();
    if !node.is_ok_and(|it| it.success()) {
        return Err("Node");
    }
    if !ui().join("node_modules/puppeteer-core").exists() {
        return Err("the packages of ui/ (npm ci)");
    }
    chromium().ok_or("Chromium")
}

/// Plays a case of `ui/test/browser` against a server; what went wrong if it failed.
fn attempt(case: &str, url: &str, token: &str) -> Result<(), String> {
    let chromium = match driver() {
        Ok(chromium) => chromium,
        Err(missing) => {
            Need::Browser.missing(&format!("{missing} is not here"));
            return Ok(());
        }
    };
    let output = Command::new("node")
        .arg(ui().join("test/browser/run.mjs"))
        .args([case, url, token])
        .env("ORDAIN_CHROMIUM", &chromium)
        .output()
        .unwrap();
    print!("{}", String::from_utf8_lossy(&output.stdout));
    let why = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() { Ok(()) } else { Err(why) }
}

/// Plays a case, on the server that `again` starts if it failed: a browser may fail to start or be
/// starved on a busy machine; a defect of the page stays.
fn play_twice(case: &str, url: &str, again: impl FnOnce() -> Running) {
    let Err(why) = attempt(case, url, "") else { return };
    println!("once more, after {why}");
    let server = again();
    play(case, &server.url, "");
}

fn play(case: &str, url: &str, token: &str) {
    let played = attempt(case, url, token);
    assert!(played.is_ok(), "{}", played.unwrap_err());
}

macro_rules! cases {
    ($($name:ident: $case:literal,)*) => {$(
        #[test]
        fn $name() {
            let server = demo();
            play_twice($case, &server.url, demo);
        }
    )*};
}

cases! {
    the_map_finds_kinds_and_fields: "map",
    rows_follow_the_watch: "live",
    a_lost_connection_is_told_and_taken_up_again: "reconnect",
    an_object_shows_owners_changes_and_relatives: "object",
    a_refused_edit_shows_its_error_at_the_line: "refused",
    the_editor_shows_defaults_and_dropped_fields_and_creates: "editor",
    a_form_creates: "form",
    rules_have_costs_and_the_console_answers: "rules",
    operations_show_plots_and_health: "operations",
    ten_thousand_rows_are_scrolled: "scroll",
    the_server_takes_the_minimal_sample_of_each_kind: "samples",
    nothing_moves_while_a_view_loads: "steady",
    no_view_has_a_serious_accessibility_violation: "accessible",
    a_hostile_object_is_text: "hostile",
    another_origin_neither_reads_nor_writes: "origin",
}

const READER: &str = r#"
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: readers
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: view
subjects:
- apiGroup: rbac.authorization.k8s.io
  kind: User
  name: reader
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: shown
"#;

#[test]
fn a_token_that_may_only_read_does_no_more_and_is_kept_nowhere() {
    const TOKEN: &str = "a-token-for-reading-only";
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(at("tokens"), format!("{TOKEN},reader,1\n")).unwrap();
    std::fs::write(at("objects.yaml"), READER).unwrap();
    let server = start(&[
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--data-dir",
        &at("data"),
        "--token-auth-file",
        &at("tokens"),
        "--audit-log",
        &at("audit"),
        "-f",
        &at("objects.yaml"),
    ]);
    play("readonly", &server.url, TOKEN);
    let audit = std::fs::read_to_string(at("audit")).unwrap();
    assert!(!audit.contains(TOKEN), "the token is in the audit log");
}

/// The same page on files: an object that is refused is left out, the others are there.
#[test]
fn files_are_explored() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/widgets");
    let dir = tempfile::tempdir().unwrap();
    let bad = "{apiVersion: shop.example.com/v1, kind: Widget, metadata: {name: bad}, spec: {replicas: -1}}";
    std::fs::write(dir.path().join("bad.yaml"), bad).unwrap();
    let spaced = "{apiVersion: v1, kind: ConfigMap, metadata: {name: far, namespace: away}}";
    std::fs::write(dir.path().join("spaced.yaml"), spaced).unwrap();
    let server = start(&[
        "explore",
        "--no-open",
        examples.join("crd.yaml").to_str().unwrap(),
        examples.join("widget.yaml").to_str().unwrap(),
        dir.path().to_str().unwrap(),
    ]);
    play("files", &server.url, "");
}

/// Go types: what they say beside the schema is shown.
#[test]
fn types_are_explored_with_their_places_and_gates() {
    let types = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/widgets");
    let server = start(&["explore", "--no-open", types.to_str().unwrap()]);
    play("types", &server.url, "");
}

/// The same page in front of a cluster, with the credentials of its kubeconfig.
#[test]
fn a_cluster_is_explored_through_its_kubeconfig() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().to_str().unwrap();
    let _cluster = start(&["serve", "--listen", "127.0.0.1:0", "--data-dir", data, "--demo"]);
    let kubeconfig = dir.path().join("kubeconfig");
    let explorer = start(&["explore", "--no-open", "--kubeconfig", kubeconfig.to_str().unwrap()]);
    play("cluster", &explorer.url, "");
    play("origin", &explorer.url, "");
}

/// The bundle that is checked in is the one that the sources make.
#[test]
fn the_bundle_is_fresh() {
    if driver().is_err() {
        return Need::Browser.missing("Node and the packages of ui/ are not here");
    }
    let output = Command::new("node").arg(ui().join("build.mjs")).arg("--check").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
