//! What a server knows of its kinds serves the commands: the document that it publishes of declared
//! kinds gives files the server's verdict (KEP-4153, story 3), and Rust kinds are read as Go types.
//! `fixtures/check/round-trip` has the types and the objects. `words: differ` marks rules of
//! `+k8s:` tags, which a document carries as keywords and CEL: they refuse the same objects in other
//! words.

use std::path::{Path, PathBuf};
use std::process::Command;

use ordain::testing::TestServer;
use ordain_idl::{Loader, MemorySource, lower};
use ordain_schema::declared::Api;
use ordain_value::{Value, json, value};

#[path = "../../../examples/library/main.rs"]
#[expect(dead_code, reason = "its main function serves until it is stopped")]
mod library;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/check/round-trip")
}

fn api() -> Api {
    let text = std::fs::read_to_string(fixtures().join("v1/types.go")).unwrap();
    let source = MemorySource::new().with("v1/types.go", text);
    let universe = Loader::new(&source).package_as("v1", "example.com/shop/v1").load();
    let lowered = lower::lower(&universe);
    assert!(!lowered.has_errors(), "{:?}", lowered.diagnostics);
    lowered.api
}

/// Fields and messages of what is wrong, in order.
type Findings = Vec<(String, String)>;

fn pairs(list: Option<&Value>) -> Findings {
    let text = |it: &Value, key: &str| it.get(key).and_then(Value::as_str).unwrap_or("").to_owned();
    let items = list.and_then(Value::as_list).map(|it| it.to_vec()).unwrap_or_default();
    let mut pairs: Findings =
        items.iter().map(|it| (text(it, "field"), text(it, "message"))).collect();
    pairs.sort();
    pairs
}

/// What the binary has against a file.
fn offline(places: &[&str], file: &Path) -> (bool, Findings) {
    let output = Command::new(env!("CARGO_BIN_EXE_ordain"))
        .arg("validate")
        .args(places)
        .args(["-o", "json"])
        .arg(file)
        .output()
        .unwrap();
    let report = json::decode(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    (output.status.code() == Some(0), pairs(report.get("findings")))
}

#[test]
fn a_published_document_gives_the_verdict_of_its_server() {
    let server = TestServer::builder().declared(api()).start().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let get = |path: &str, name: &str| {
        let (code, body) = server.request("GET", path, "").unwrap();
        assert_eq!(code, 200, "{body}");
        let file = folder.path().join(name);
        std::fs::write(&file, body).unwrap();
        file.to_string_lossy().into_owned()
    };
    let third = get("/openapi/v3/apis/shop.example.com/v1", "v3.json");
    let second = get("/openapi/v2", "v2.json");
    let kubeconfig = folder.path().join("kubeconfig");
    std::fs::write(&kubeconfig, server.kubeconfig()).unwrap();
    let kubeconfig = kubeconfig.to_string_lossy().into_owned();
    let text = std::fs::read(fixtures().join("cases.json")).unwrap();
    let cases = json::decode(&text).unwrap();
    for case in cases.as_list().unwrap().iter() {
        let name = case.get("name").and_then(Value::as_str).unwrap_or("w");
        let object = value!({
            "apiVersion": "shop.example.com/v1", "kind": "Widget",
            "metadata": {"name": (name), "namespace": "default"},
            "spec": (case.get("spec").cloned().unwrap())
        });
        let path = "/apis/shop.example.com/v1/namespaces/default/widgets?dryRun=All&fieldValidation=Strict";
        let (code, body) = server.request("POST", path, &json::encode_string(&object)).unwrap();
        let status = json::decode(body.as_bytes()).unwrap();
        let causes = pairs(status.get_path(&["details", "causes"]));
        let file = folder.path().join("object.json");
        std::fs::write(&file, json::encode_string(&object)).unwrap();
        let places: [&[&str]; 3] = [
            &["--openapi", &third],
            &["--openapi", &second],
            &["--cluster", "--kubeconfig", &kubeconfig],
        ];
        // Version 2 has no word for a union without a discriminator.
        let in_v3_only = case.get("in").and_then(Value::as_str) == Some("v3");
        for place in places.into_iter().filter(|it| !in_v3_only || it[1] != second) {
            let (clean, found) = offline(place, &file);
            let shown = json::encode_string(&object);
            assert_eq!(clean, code == 201, "{place:?} {shown}: {found:?}, the server: {body}");
            if case.get("words").is_none() {
                assert_eq!(found, causes, "{place:?} {shown}");
            }
        }
    }
}

#[test]
fn commands_that_read_go_types_read_kinds_in_rust_as_well() {
    let folder = tempfile::tempdir().unwrap();
    library::library().write_go_types(folder.path()).unwrap();
    let types = format!("{}/...", folder.path().display());
    let output =
        Command::new(env!("CARGO_BIN_EXE_ordain")).args(["cost", &types]).output().unwrap();
    let priced = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(priced.contains("books.library.example.com v1"), "{priced}");
    assert!(priced.contains("self < 10"), "{priced}");
}
