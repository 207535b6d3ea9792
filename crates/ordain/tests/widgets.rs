//! The example API, declared three times: one set of answers.
//!
//! `fixtures/widgets/same.jsonl` holds requests with the answers of the definition, `crd.yaml`;
//! the Go types and the Rust types must give the same. Where KEP-1929, KEP-4153, KEP-5975 and the
//! strategies of custom resources make a difference, both answers are in the other two files.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use ordain::Hooks;
use ordain::server::{Builder, Server};
use ordain_idl::lower::lower;
use ordain_idl::{Loader, MemorySource};
use ordain_schema::declared::Api;
use ordain_testkit::client::Request;
use ordain_testkit::{Client, Level, play_file};
use ordain_value::{Value, json};

#[path = "../../../examples/widgets/types.rs"]
mod types;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap()
}

fn go() -> Api {
    let source = MemorySource::new().with("v1/types.go", read("examples/widgets/types.go"));
    let universe = Loader::new(&source).package_as("v1", "shop.example.com/v1").load();
    let lowered = lower(&universe);
    assert!(!lowered.has_errors(), "{:?}", lowered.diagnostics);
    lowered.api
}

/// Plays files against a server and gives the number of steps; any difference fails.
fn play(builder: Builder, definition: bool, files: &[&str]) -> usize {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let address = SocketAddr::from(([127, 0, 0, 1], 0));
    let start = builder.insecure_http(address).in_memory().start();
    let server = runtime.block_on(start).unwrap_or_else(|error| panic!("{error}"));
    let mut client = Client::new(server.address());
    if definition {
        define(&mut client);
    }
    let mut steps = 0;
    for file in files {
        let path = root().join("fixtures/widgets").join(file);
        let outcomes = play_file(&mut client, &path, file).unwrap();
        steps += outcomes.len();
        let wrong: Vec<String> = outcomes
            .iter()
            .filter(|it| it.level != Level::Exact || !it.warnings_agree)
            .map(|it| format!("{} {:?}\n{}", it.place, it.level, it.shown))
            .collect();
        assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    }
    runtime.block_on(server.stop()).unwrap();
    steps
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
    let builder = Server::builder().feature_gates("APIUnions=true");
    let steps = play(builder, true, &["same.jsonl", "differences-definition.jsonl"]);
    assert!(steps > 200, "{steps} steps");
}

#[test]
fn the_go_types_give_the_answers() {
    let builder = Server::builder().declared(go());
    let steps = play(builder, false, &["same.jsonl", "differences-declared.jsonl"]);
    assert!(steps > 200, "{steps} steps");
}

#[test]
fn the_rust_types_give_the_answers() {
    let builder = Server::builder().kind::<types::Widget>(Hooks::new());
    let steps = play(builder, false, &["same.jsonl", "differences-declared.jsonl"]);
    assert!(steps > 200, "{steps} steps");
}

#[test]
fn the_go_types_and_the_rust_types_are_the_same_declaration() {
    let rust = Server::builder().kind::<types::Widget>(Hooks::new()).api().unwrap();
    let placeless = |mut api: Api| {
        for kind in &mut api.kinds {
            kind.place = "".into();
            let places = kind.versions.iter_mut().flat_map(|it| &mut it.rule_places);
            places.for_each(|it| it.place = "".into());
        }
        api
    };
    assert_eq!(placeless(go()), placeless(rust));
}

#[test]
fn every_listed_difference_is_one() {
    let load = |file: &str| -> Vec<Value> {
        let text = read(&format!("fixtures/widgets/{file}"));
        text.lines().map(|line| json::decode(line.as_bytes()).unwrap()).collect()
    };
    let (one, two) = (load("differences-definition.jsonl"), load("differences-declared.jsonl"));
    assert_eq!(one.len(), two.len());
    for (one, two) in one.iter().zip(&two) {
        assert_eq!(one.get("id"), two.get("id"));
        assert!(one.get("why").is_some_and(|it| it.as_str() != Some("")), "{one:?}");
        assert_ne!(one.get("steps"), two.get("steps"), "{:?} makes no difference", one.get("id"));
    }
}
