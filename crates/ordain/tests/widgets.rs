//! The example API, declared three times: one set of answers.
//!
//! `fixtures/widgets/same.jsonl` holds requests with the answers of the definition, `crd.yaml`;
//! the Go types and the Rust types must give the same. Where KEP-1929, KEP-4153, KEP-5975 and the
//! strategies of custom resources make a difference, both answers are in the `differences` files;
//! `gates-*` have the answers with the gate of the example on. With `ORDAIN_BLESS=1` the answers are
//! recorded anew: those of `same.jsonl` by the definition alone, whose answers are measured against
//! those of kube-apiserver.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use ordain::Hooks;
use ordain::server::{Builder, Server};
use ordain_idl::lower::lower;
use ordain_idl::{Loader, MemorySource};
use ordain_schema::declared::Api;
use ordain_testkit::client::Request;
use ordain_testkit::{Client, Level, play_file, record_file};
use ordain_value::{Value, json, value};

#[path = "../../../examples/widgets/types.rs"]
mod types;
#[path = "../../../examples/widgets/v1beta1.rs"]
mod v1beta1;

/// A definition knows no gates of its own; unions are behind one for definitions only.
const DEFINITION_GATES: &str = "APIUnions=true";
const DECLARED_GATES: &str = "WidgetPriority=true";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap()
}

fn fixture(file: &str) -> PathBuf {
    root().join("fixtures/widgets").join(file)
}

fn go() -> Api {
    let source = MemorySource::new()
        .with("v1/types.go", read("examples/widgets/types.go"))
        .with("v1beta1/types.go", read("examples/widgets/v1beta1/types.go"));
    let universe = Loader::new(&source)
        .package_as("v1", "shop.example.com/v1")
        .package_as("v1beta1", "shop.example.com/v1beta1")
        .load();
    let lowered = lower(&universe);
    let reported: Vec<String> =
        lowered.diagnostics.iter().map(|it| universe.locate(it).to_string()).collect();
    assert!(!lowered.has_errors(), "{reported:#?}");
    lowered.api
}

fn rust(builder: Builder) -> Builder {
    builder.kind::<types::Widget>(Hooks::new()).kind::<v1beta1::Widget>(Hooks::new())
}

/// A server while a test runs.
struct Serving {
    runtime: tokio::runtime::Runtime,
    server: Option<Server>,
    client: Client,
}

impl Serving {
    fn start(builder: Builder) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        let address = SocketAddr::from(([127, 0, 0, 1], 0));
        let start = builder.insecure_http(address).start();
        let server = runtime.block_on(start).unwrap_or_else(|error| panic!("{error}"));
        let client = Client::new(server.address());
        Serving { runtime, server: Some(server), client }
    }

    /// The definition, as users would serve it.
    fn definition() -> Self {
        let builder = Server::builder().feature_gates(DEFINITION_GATES).in_memory();
        let mut serving = Self::start(builder);
        define(&mut serving.client);
        serving
    }

    fn call(&mut self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let content_type =
            if method == "PATCH" { "application/merge-patch+json" } else { "application/json" };
        let path = format!("/apis/shop.example.com/v1/namespaces/default/widgets{path}");
        let body = Some(json::encode(body));
        let request = Request { method, path: &path, body, content_type, headers: Vec::new() };
        let answer = self.client.call(&request).unwrap();
        (answer.code, answer.body)
    }

    /// Plays files and gives the number of steps; any difference fails. `recorded` is the file
    /// whose answers are this server's to give.
    fn play(mut self, files: &[&str], recorded: &[&str]) -> usize {
        let mut steps = 0;
        for file in files {
            let path = fixture(file);
            if std::env::var_os("ORDAIN_BLESS").is_some() && recorded.contains(file) {
                let cases = record_file(&mut self.client, &path).unwrap();
                let lines: Vec<String> = cases.iter().map(json::encode_string).collect();
                std::fs::write(&path, lines.join("\n") + "\n").unwrap();
                continue;
            }
            let outcomes = play_file(&mut self.client, &path, file).unwrap();
            steps += outcomes.len();
            let wrong: Vec<String> = outcomes
                .iter()
                .filter(|it| it.level != Level::Exact || !it.warnings_agree)
                .map(|it| format!("{} {:?}\n{}", it.place, it.level, it.shown))
                .collect();
            assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
        }
        self.stop();
        steps
    }

    fn stop(mut self) {
        let server = self.server.take().unwrap();
        self.runtime.block_on(server.stop()).unwrap();
    }
}

fn define(client: &mut Client) {
    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    let request = Request {
        method: "POST",
        path,
        body: Some(read("examples/widgets/crd.yaml").into_bytes()),
        content_type: "application/yaml",
        headers: Vec::new(),
    };
    let answer = client.call(&request).unwrap();
    assert_eq!(answer.code, 201, "{:?}", answer.body);
    for _ in 0..200 {
        let found = client.get("/apis/shop.example.com/v1").unwrap();
        if found.code == 200 {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    panic!("the definition is not served");
}

#[test]
fn the_definition_gives_the_answers() {
    let files = ["same.jsonl", "differences-definition.jsonl"];
    let steps = Serving::definition().play(&files, &files);
    assert!(steps >= 200 || std::env::var_os("ORDAIN_BLESS").is_some(), "{steps} steps");
}

#[test]
fn the_go_types_give_the_answers() {
    let serving = Serving::start(Server::builder().declared(go()).in_memory());
    let steps = serving.play(&["same.jsonl", "differences-declared.jsonl"], &[]);
    assert!(steps >= 200, "{steps} steps");
}

#[test]
fn the_rust_types_give_the_answers() {
    let files = ["same.jsonl", "differences-declared.jsonl"];
    let serving = Serving::start(rust(Server::builder()).in_memory());
    let steps = serving.play(&files, &files[1..]);
    assert!(steps >= 200 || std::env::var_os("ORDAIN_BLESS").is_some(), "{steps} steps");
}

#[test]
fn with_the_gates_on_all_three_give_the_answers_too() {
    let steps = Serving::definition()
        .play(&["same.jsonl", "gates-definition.jsonl"], &["gates-definition.jsonl"]);
    let rust = rust(Server::builder().feature_gates(DECLARED_GATES)).in_memory();
    let files = ["same.jsonl", "gates-declared.jsonl"];
    let rust = Serving::start(rust).play(&files, &files[1..]);
    let go = Server::builder().declared(go()).feature_gates(DECLARED_GATES).in_memory();
    let go = Serving::start(go).play(&files, &[]);
    if std::env::var_os("ORDAIN_BLESS").is_none() {
        assert!(steps >= 200 && rust == steps && go == steps, "{steps} {rust} {go}");
    }
}

#[test]
fn the_go_types_and_the_rust_types_are_the_same_declaration() {
    let rust = rust(Server::builder()).api().unwrap();
    let placeless = |mut api: Api| {
        for kind in &mut api.kinds {
            kind.place = "".into();
            let places = kind.versions.iter_mut().flat_map(|it| &mut it.rule_places);
            places.for_each(|it| it.place = "".into());
        }
        api
    };
    let (go, rust) = (placeless(go()), placeless(rust));
    if go != rust {
        // The whole would fill the screen: the first lines that differ say enough.
        let (go, rust) = (format!("{go:#?}"), format!("{rust:#?}"));
        let at = go.lines().zip(rust.lines()).position(|(one, two)| one != two).unwrap_or(0);
        let shown = |text: &str| -> Vec<String> {
            text.lines().skip(at.saturating_sub(8)).take(20).map(str::to_owned).collect()
        };
        panic!("Go {:#?}\nRust {:#?}", shown(&go), shown(&rust));
    }
}

#[test]
fn every_listed_difference_is_one() {
    let load = |file: &str| -> Vec<Value> {
        let text = std::fs::read_to_string(fixture(file)).unwrap();
        text.lines().map(|line| json::decode(line.as_bytes()).unwrap()).collect()
    };
    for files in ["differences", "gates"] {
        let one = load(&format!("{files}-definition.jsonl"));
        let two = load(&format!("{files}-declared.jsonl"));
        assert_eq!(one.len(), two.len());
        for (one, two) in one.iter().zip(&two) {
            assert_eq!(one.get("id"), two.get("id"));
            assert!(one.get("why").is_some_and(|it| it.as_str() != Some("")), "{one:?}");
            let id = one.get("id");
            assert_ne!(one.get("steps"), two.get("steps"), "{id:?} makes no difference");
        }
    }
}

#[test]
fn a_gate_that_is_switched_off_again_leaves_what_is_in_use() {
    let folder = tempfile::tempdir().unwrap();
    let builder = || rust(Server::builder()).data_dir(folder.path());
    let widget = |name: &str, spec: Value| {
        value!({
            "apiVersion": "shop.example.com/v1", "kind": "Widget",
            "metadata": {"name": (name)}, "spec": (spec)
        })
    };
    let priority = |answer: &Value| answer.get_path(&["spec", "priority"]).cloned();
    let mut on = Serving::start(builder().feature_gates("WidgetPriority=true"));
    let (code, answer) = on.call("POST", "", &widget("old", value!({"priority": 3})));
    assert_eq!((code, priority(&answer)), (201, Some(Value::Int(3))), "{answer:?}");
    on.stop();
    let mut off = Serving::start(builder());
    let (_, answer) = off.call("PATCH", "/old", &value!({"spec": {"priority": 4}}));
    assert_eq!(priority(&answer), Some(Value::Int(4)), "in use: {answer:?}");
    let (_, answer) = off.call("PATCH", "/old", &value!({"spec": {"priority": null}}));
    assert_eq!(priority(&answer), None);
    let (_, answer) = off.call("PATCH", "/old", &value!({"spec": {"priority": 5}}));
    assert_eq!(priority(&answer), None, "not in use any more: {answer:?}");
    let (_, answer) = off.call("POST", "", &widget("new", value!({"priority": 3})));
    assert_eq!(priority(&answer), None, "{answer:?}");
    off.stop();
}
