//! What editors ask beside diagnostics: outlines, folds, fixes, defaults, definitions, names.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod client;

use client::{CRD, Client, DISK, URI, WIDGET, told};
use ordain_check::Catalog;
use ordain_lsp::Session;
use ordain_value::{Value, value};

fn document() -> Value {
    value!({"textDocument": {"uri": URI}})
}

fn texts(list: &Value, key: &str) -> Vec<String> {
    let list = list.as_list().unwrap();
    list.iter().map(|it| it.get(key).and_then(Value::as_str).unwrap().to_owned()).collect()
}

/// Applies the edits of an action to a text.
fn applied(text: &str, edits: &Value) -> String {
    let mut out = text.to_owned();
    for edit in edits.as_list().unwrap().iter().rev() {
        let at = |key: &str| {
            let place = edit.get_path(&["range", key]).unwrap();
            let part = |key: &str| {
                usize::try_from(place.get(key).and_then(Value::as_int).unwrap()).unwrap()
            };
            let before: usize = text.split_inclusive('\n').take(part("line")).map(str::len).sum();
            before + part("character")
        };
        let new = edit.get("newText").and_then(Value::as_str).unwrap();
        out.replace_range(at("start")..at("end"), new);
    }
    out
}

fn action(client: &mut Client, title: &str) -> Value {
    let everywhere =
        value!({"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}});
    let params = value!({"textDocument": {"uri": URI}, "range": everywhere, "context": {}});
    let actions = client.ask("textDocument/codeAction", params);
    let list = actions.as_list().unwrap();
    let found = list.iter().find(|it| it.get("title").and_then(Value::as_str) == Some(title));
    let found = found.unwrap_or_else(|| panic!("{title}: {:?}", texts(&actions, "title")));
    found.get_path(&["edit", "changes"]).unwrap().get(URI).unwrap().clone()
}

#[test]
fn objects_and_fields_are_outlined_and_folded() {
    let mut client = Client::new();
    client.open(&format!("# first\n{WIDGET}---\n{WIDGET}"));
    let symbols = client.ask("textDocument/documentSymbol", document());
    assert_eq!(texts(&symbols, "name"), ["Widget w", "Widget w"]);
    let fields = symbols.as_list().unwrap()[0].get("children").unwrap().clone();
    assert_eq!(texts(&fields, "name"), ["apiVersion", "kind", "metadata", "spec"]);
    let folds = client.ask("textDocument/foldingRange", document());
    let spec = value!({"startLine": 5, "endLine": 8});
    assert!(folds.as_list().unwrap().contains(&spec), "{folds:?}");
}

#[test]
fn formatting_keeps_every_value() {
    let mut client = Client::new();
    let text = WIDGET.replace("size: 3", "size: 3   ") + "\n\n\n";
    client.open(&text);
    let edits = client.ask("textDocument/formatting", document());
    assert_eq!(applied(&text, &edits), WIDGET);
    let wide = WIDGET.replace("\n  ", "\n      ").replace("size: 3", "size:   3");
    client.open(&wide);
    let edits = client.ask("textDocument/formatting", document());
    assert_eq!(applied(&wide, &edits), WIDGET);
    client.open("a: [\n  \n");
    assert_eq!(client.ask("textDocument/formatting", document()), Value::from(Vec::new()));
}

#[test]
fn findings_come_with_their_remedies() {
    let mut client = Client::new();
    let text = WIDGET.replace("owner: ann", "ownr: ann");
    assert!(client.open(&text).len() >= 2);
    let changed = applied(&text, &action(&mut client, "Change to \"owner\""));
    assert_eq!(changed, WIDGET);
    let removed = applied(&text, &action(&mut client, "Remove \"spec.ownr\""));
    assert_eq!(removed, WIDGET.replace("  owner: ann\n", ""));
    let added = applied(&text, &action(&mut client, "Add \"spec.owner\""));
    assert!(added.contains("\n  owner: \"\"\n"), "{added}");
}

#[test]
fn defaults_are_shown_behind_their_lines() {
    let mut client = Client::new();
    client.open(
        "apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec:\n  ports:\n  - port: 80\n",
    );
    let whole = value!({"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}});
    let params = value!({"textDocument": {"uri": URI}, "range": whole});
    let hints = client.ask("textDocument/inlayHint", params);
    let labels = texts(&hints, "label").join("\n");
    assert!(labels.contains("protocol: \"TCP\""), "{labels}");
    let port = hints
        .as_list()
        .unwrap()
        .iter()
        .find(|it| it.get("label").and_then(Value::as_str).unwrap().contains("protocol"));
    let line = port.unwrap().get_path(&["position", "line"]).cloned();
    assert_eq!(line, Some(Value::Int(5)));
}

#[test]
fn a_key_is_renamed_in_all_items() {
    let mut client = Client::new();
    let text = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - nam: a\n  - nam: b\n";
    client.open(text);
    let prepared = client.at("textDocument/prepareRename", 5, 5);
    assert_eq!(prepared.get("placeholder").and_then(Value::as_str), Some("nam"));
    let params = value!({
        "textDocument": {"uri": URI}, "position": {"line": 5, "character": 5}, "newName": "name"
    });
    let edits = client.ask("textDocument/rename", params);
    let edits = edits.get("changes").unwrap().get(URI).unwrap().clone();
    assert_eq!(applied(text, &edits), text.replace("nam:", "name:"));
}

#[test]
fn kinds_and_named_objects_are_found_in_the_folder() {
    let place = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(place.path().join(name), text).unwrap();
    write("crd.yaml", CRD);
    std::fs::create_dir(place.path().join("v1")).unwrap();
    write("v1/doc.go", "// +groupName=shop.example.com\npackage v1\n");
    write("v1/types.go", "package v1\n\n// Widget is one.\ntype Widget struct {\n}\n");
    write("other.go", "// +groupName=other.example.com\npackage v1\n\ntype Widget struct{}\n");
    write("map.yaml", "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n");
    let folder = format!("file://{}", place.path().display());
    let mut session = Session::new(Catalog::default(), DISK);
    let mut send = |message: Value| session.handle(&message);
    send(value!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"workspaceFolders": [{"uri": (folder.as_str()), "name": "w"}]}
    }));
    let uri = format!("{folder}/w.yaml");
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  volumes:\n  - name: v\n    configMap:\n      name: settings\n";
    let text = format!("{WIDGET}---\n{pod}");
    let opened = value!({"textDocument": {"uri": (uri.as_str()), "text": (text.as_str())}});
    send(value!({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": opened}));
    let mut at = |line: i64, character: i64| {
        let position = value!({"line": line, "character": character});
        let params = value!({"textDocument": {"uri": (uri.as_str())}, "position": position});
        let answers = send(value!({
            "jsonrpc": "2.0", "id": 2, "method": "textDocument/definition", "params": params
        }));
        texts(answers[0].get("result").unwrap(), "uri")
    };
    assert_eq!(at(1, 8), [format!("{folder}/crd.yaml"), format!("{folder}/v1/types.go")]);
    let line = i64::try_from(text.lines().count()).unwrap() - 1;
    assert_eq!(at(line, 14), [format!("{folder}/map.yaml")]);
    let answers = send(value!({
        "jsonrpc": "2.0", "id": 3, "method": "workspace/symbol", "params": {"query": "sett"}
    }));
    assert_eq!(texts(answers[0].get("result").unwrap(), "name"), ["ConfigMap settings"]);
}

#[test]
fn only_manifests_get_diagnostics() {
    let place = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(place.path().join(name), text).unwrap();
    write("Chart.yaml", "apiVersion: v2\nname: c\nversion: 1\n");
    let mut session = Session::new(Catalog::default(), DISK);
    session.handle(&value!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}));
    let mut open = |name: &str, text: &str| {
        let uri = format!("file://{}/{name}", place.path().display());
        let params = value!({"textDocument": {"uri": (uri.as_str()), "text": text}});
        let sent = value!({
            "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": params
        });
        told(&session.handle(&sent))
    };
    assert_eq!(open("values.yaml", "a: 1\n"), [] as [String; 0]);
    assert_eq!(open("templates/a.yaml", "{{ x }}\n"), [] as [String; 0]);
    assert_eq!(open("notes.yaml", "a: 1\n"), [] as [String; 0]);
    let bad = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndate: {}\n";
    assert_eq!(open("map.yaml", bad).len(), 1);
    assert_eq!(open("off.yaml", &format!("# ordain: off\n{bad}")), [] as [String; 0]);
    // The schema that a text names counts.
    write("widget.crd", CRD);
    let named = format!("# yaml-language-server: $schema=widget.crd\n{WIDGET}");
    assert_eq!(open("w.yaml", &named), [] as [String; 0]);
    assert!(open("w2.yaml", WIDGET)[0].contains("no matches for kind"));
}

#[test]
fn what_a_kustomization_completes_is_no_error() {
    let place = tempfile::tempdir().unwrap();
    let (base, overlay) = (place.path().join("base"), place.path().join("overlay"));
    std::fs::create_dir_all(&base).unwrap();
    std::fs::create_dir_all(&overlay).unwrap();
    let deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: shop\nspec:\n  \
                      selector: {matchLabels: {app: shop}}\n  template:\n    metadata: {labels: \
                      {app: shop}}\n    spec:\n      containers:\n      - name: shop\n";
    std::fs::write(base.join("kustomization.yaml"), "resources: [shop.yaml]\n").unwrap();
    std::fs::write(base.join("shop.yaml"), deployment).unwrap();
    let layer = overlay.join("kustomization.yaml");
    std::fs::write(&layer, "resources: [../base]\n").unwrap();
    let uri = |path: &std::path::Path| format!("file://{}", path.display());
    let mut client = Client::of(Session::new(Catalog::default(), DISK));
    let folder = value!({"uri": (uri(place.path())), "name": "w"});
    client.ask("initialize", value!({"workspaceFolders": [folder]}));
    client.tell("initialized", value!({}));
    let open = |file: &std::path::Path, text: &str| value!({"textDocument": {"uri": (uri(file)), "text": text}});
    let severity = |answers: &[Value]| -> Vec<Option<i64>> {
        let of_shop = |it: &&Value| {
            let about = it.get_path(&["params", "uri"]).and_then(Value::as_str).unwrap();
            about.ends_with("shop.yaml")
        };
        let found = answers.iter().find(of_shop).unwrap();
        let found = found.get_path(&["params", "diagnostics"]).and_then(Value::as_list).unwrap();
        found.iter().map(|it| it.get("severity").and_then(Value::as_int)).collect()
    };
    let answers = client.tell("textDocument/didOpen", open(&base.join("shop.yaml"), deployment));
    assert_eq!(severity(&answers), [Some(1)], "nobody adds an image");
    let images = "resources: [../base]\nimages: [{name: shop, newName: example.com/shop}]\n";
    client.tell("textDocument/didOpen", open(&layer, images));
    std::fs::write(&layer, images).unwrap();
    let saved = value!({"textDocument": {"uri": (uri(&layer))}});
    let answers = client.tell("textDocument/didSave", saved);
    assert_eq!(severity(&answers), [Some(2)], "the overlay may");
}
