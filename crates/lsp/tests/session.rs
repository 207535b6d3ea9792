//! A scripted client: what an editor sends, and what it must hear.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod client;

use std::io::Cursor;

use client::{CRD, Client, DISK, NO_FILES, URI, WIDGET, catalog, told};
use ordain_check::Catalog;
use ordain_lsp::{Session, serve};
use ordain_value::{Value, json, value};
use proptest::prelude::*;

#[test]
fn diagnostics_come_as_one_types() {
    let mut client = Client::new();
    assert_eq!(client.open(WIDGET), [] as [String; 0]);
    let edit = |line: i64, from: i64, to: i64, text: &str| {
        value!({
            "range": {"start": {"line": line, "character": from}, "end": {"line": line, "character": to}},
            "text": text
        })
    };
    assert_eq!(
        client.change(edit(6, 8, 9, "30")),
        ["6:8 spec.size: Invalid value: 30: spec.size in body should be less than or equal to 10"]
    );
    assert_eq!(client.change(edit(6, 8, 10, "4")), [] as [String; 0]);
    assert_eq!(client.change(edit(7, 2, 6, "mood")), ["7:2 unknown field \"spec.mood\""]);
    // Half typed: told, and no end of the session.
    assert!(!client.change(edit(7, 2, 12, "mode: [")).is_empty());
    assert_eq!(client.change(value!({"text": WIDGET})), [] as [String; 0]);
    let closed = client.tell("textDocument/didClose", value!({"textDocument": {"uri": URI}}));
    assert_eq!(told(&closed), [] as [String; 0]);
}

#[test]
fn hover_tells_documentation_constraints_and_defaults() {
    let mut client = Client::new();
    client.open(WIDGET);
    let words = |answer: Value| {
        answer
            .get_path(&["contents", "value"])
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let size = words(client.at("textDocument/hover", 6, 4));
    assert!(size.starts_with("**spec.size**: integer, minimum 1, maximum 10, default 3"), "{size}");
    let owner = words(client.at("textDocument/hover", 5, 10));
    assert!(owner.contains("required"), "{owner}");
    let spec = words(client.at("textDocument/hover", 4, 1));
    assert!(spec.contains("rule: min must not be more than size"), "{spec}");
    let kind = words(client.at("textDocument/hover", 1, 8));
    assert!(kind.starts_with("**Widget** shop.example.com/v1"), "{kind}");
    // Flow style, and a text that does not parse.
    client.change(value!({"text": (WIDGET.replace("spec:\n  owner: ann\n  size: 3\n  mode: fast\n", "spec: {owner: ann, size: 3}\n"))}));
    assert!(words(client.at("textDocument/hover", 4, 20)).starts_with("**spec.size**"));
    client.change(value!({"text": (WIDGET.replace("mode: fast", "mode: [fast"))}));
    assert!(words(client.at("textDocument/hover", 6, 4)).starts_with("**spec.size**"));
}

#[test]
fn completion_offers_what_is_missing() {
    let mut client = Client::new();
    client.open(&format!("{WIDGET}  \n"));
    let fields = client.labels(8, 2);
    assert!(fields.contains(&"code".to_owned()), "{fields:?}");
    assert!(!fields.contains(&"owner".to_owned()), "{fields:?}");
    client.change(value!({"text": (WIDGET.replace("mode: fast", "mode: "))}));
    assert_eq!(client.labels(7, 8), ["fast", "careful"]);
    client.change(value!({"text": (WIDGET.replace("mode: fast", "mo"))}));
    let answer = client.at("textDocument/completion", 7, 4);
    let items = answer.get("items").and_then(Value::as_list).unwrap();
    let mode =
        items.iter().find(|it| it.get("label").and_then(Value::as_str) == Some("mode")).unwrap();
    let edit = mode.get("textEdit").unwrap();
    assert_eq!(edit.get("newText").and_then(Value::as_str), Some("mode: "));
    assert_eq!(edit.get_path(&["range", "start", "character"]), Some(&Value::Int(2)));
    client.change(value!({"text": "apiVersion: shop.example.com/v1\nkind: \n"}));
    assert_eq!(client.labels(1, 6), ["Widget"]);
    client.change(value!({"text": "kind: Widget\napiVersion: \n"}));
    assert_eq!(client.labels(1, 12), ["shop.example.com/v1"]);
    client.change(value!({"text": (WIDGET.replace("  name: w", "  "))}));
    assert!(client.labels(3, 2).contains(&"labels".to_owned()));
    // Items of a list.
    client.change(value!({"text": (format!("{WIDGET}  ports:\n  - name: a\n    \n"))}));
    assert_eq!(client.labels(10, 4), ["port"]);
}

#[test]
fn definitions_in_open_texts_count() {
    let mut session = Session::new(Catalog::default(), NO_FILES);
    session.handle(&value!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}));
    let mut open = |uri: &str, text: &str| {
        let params = value!({"textDocument": {"uri": uri, "text": text}});
        session
            .handle(&value!({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": params}))
    };
    let bad = WIDGET.replace("size: 3", "size: 30");
    assert!(told(&open(URI, &bad))[0].contains("no matches for kind"));
    let all = told(&open("file:///w/crd.yaml", CRD));
    assert_eq!(all.len(), 1, "{all:?}");
    assert!(all[0].contains("spec.size"), "{all:?}");
}

#[test]
fn definitions_in_the_editors_folders_count() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("my work");
    std::fs::create_dir_all(folder.join("crds/old")).unwrap();
    let file = folder.join("crds/widget.yaml");
    std::fs::write(&file, CRD).unwrap();
    // One that git ignores allows anything.
    std::fs::write(folder.join(".gitignore"), "old/\n").unwrap();
    std::fs::write(folder.join("crds/old/z.yaml"), CRD.replace("maximum: 10", "maximum: 99"))
        .unwrap();
    let uri =
        |path: &std::path::Path| format!("file://{}", path.to_str().unwrap().replace(' ', "%20"));
    let mut session = Session::new(Catalog::default(), DISK);
    let params = value!({"workspaceFolders": [{"uri": (uri(&folder)), "name": "w"}]});
    session.handle(&value!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}));
    let mut tell = |method: &str, uri: &str, text: &str| {
        let params = value!({"textDocument": {"uri": uri, "text": text}});
        session.handle(&value!({"jsonrpc": "2.0", "method": method, "params": params}))
    };
    let bad = WIDGET.replace("size: 3", "size: 30");
    let all = told(&tell("textDocument/didOpen", URI, &bad));
    assert!(all.len() == 1 && all[0].contains("spec.size"), "{all:?}");

    // A definition that is open counts as it is typed, a closed one as it was saved.
    let wider = CRD.replace("maximum: 10", "maximum: 40");
    let crd = uri(&file);
    assert_eq!(told(&tell("textDocument/didOpen", &crd, &wider)), [""; 0]);
    tell("textDocument/didClose", &crd, "");
    assert_eq!(told(&tell("textDocument/didSave", URI, "")).len(), 1);
    tell("textDocument/didOpen", &crd, &wider);
    std::fs::write(&file, &wider).unwrap();
    tell("textDocument/didSave", &crd, "");
    tell("textDocument/didClose", &crd, "");
    assert_eq!(told(&tell("textDocument/didSave", URI, "")), [""; 0]);
}

/// Opens a text with a bar where the cursor is; the text after the first completion was taken.
fn completed(client: &mut Client, text: &str, label: &str) -> Option<String> {
    let offset = text.find('|').unwrap();
    let content = text.replacen('|', "", 1);
    client.open(&content);
    let line_start = content[..offset].rfind('\n').map_or(0, |at| at + 1);
    let line = content[..offset].matches('\n').count();
    let column = content[line_start..offset].chars().map(char::len_utf16).sum::<usize>();
    let answer = client.at(
        "textDocument/completion",
        i64::try_from(line).unwrap(),
        i64::try_from(column).unwrap(),
    );
    let items = answer.get("items").and_then(Value::as_list).unwrap();
    let item = items.iter().find(|it| it.get("label").and_then(Value::as_str) == Some(label))?;
    let edit = item.get("textEdit").unwrap();
    let at = |end: &str| {
        let character =
            edit.get_path(&["range", end, "character"]).and_then(Value::as_int).unwrap();
        line_start + usize::try_from(character).unwrap()
    };
    let written = edit.get("newText").and_then(Value::as_str).unwrap();
    let line_end = content[offset..].find('\n').map_or(content.len(), |at| offset + at);
    let mut line = content[line_start..line_end].to_owned();
    line.replace_range(at("start") - line_start..at("end") - line_start, written);
    Some(line)
}

#[test]
fn completion_writes_what_fits_where_it_is_written() {
    let head = "apiVersion: shop.example.com/v1\nkind: Widget\nmetadata: {name: w}\n";
    let json = "{\"apiVersion\":\"shop.example.com/v1\",\"kind\":\"Widget\",\"spec\":";
    let list = "apiVersion: v1\nkind: List\nitems:\n- apiVersion: shop.example.com/v1\n  kind: Widget\n  metadata: {name: w}\n  spec:\n";
    let mut client = Client::new();
    let cases: &[(String, &str, Option<&str>)] = &[
        // Brackets.
        (format!("{head}spec: {{ow|}}"), "owner", Some("spec: {owner: }")),
        (format!("{head}spec: {{owner: a, |}}"), "owner", None),
        (
            format!("{head}spec: {{owner: a, mode: |}}"),
            "fast",
            Some("spec: {owner: a, mode: fast}"),
        ),
        (
            format!("{head}spec:\n  ports: [{{name: a, |"),
            "port",
            Some("  ports: [{name: a, port: "),
        ),
        (format!("{head}spec:\n  ports:\n  - {{|}}"), "port", Some("  - {port: }")),
        (
            "apiVersion: shop.example.com/v1\nkind: Widget\nmetadata: {|}".to_owned(),
            "labels",
            Some("metadata: {labels: }"),
        ),
        // JSON, between quotes and without them.
        (format!("{json}{{\"ow|\"}}}}"), "owner", None),
        (format!("{json}{{\"mode\":\"|\"}}}}"), "fast", None),
        // Objects in a list.
        (format!("{list}    |"), "ports", Some("    ports:\n    - ")),
        (
            format!("{list}    owner: a\n    mode: |\n- kind: Other\n"),
            "fast",
            Some("    mode: fast"),
        ),
        // A key that has its value already, a colon without a blank, comments.
        (format!("{head}spec:\n  own|r: a\n"), "owner", Some("  owner: a")),
        (format!("{head}spec:\n  \"own|r\": a\n"), "owner", Some("  \"owner\": a")),
        (format!("{head}spec:\n  mode:|\n"), "fast", Some("  mode: fast")),
        (format!("{head}spec:\n  mode: fa|st\n"), "careful", Some("  mode: careful")),
        (format!("{head}spec:\n  # so|me\n"), "owner", None),
        (format!("{head}spec:\n  owner: a # |\n"), "fast", None),
        ("api|".to_owned(), "apiVersion", Some("apiVersion: ")),
        ("apiVersion:|".to_owned(), "shop.example.com/v1", Some("apiVersion: shop.example.com/v1")),
    ];
    for (text, label, wanted) in cases {
        let found = completed(&mut client, text, label);
        if text.starts_with('{') {
            let line = found.unwrap_or_else(|| panic!("{text}: no {label}"));
            assert!(line.contains(&format!("\"{label}\"")), "{line}");
        } else {
            assert_eq!(found.as_deref(), *wanted, "{text}");
        }
    }
}

#[test]
fn objects_in_a_list_have_their_kinds() {
    let mut client = Client::new();
    let text = "apiVersion: v1\nkind: List\nitems:\n- apiVersion: shop.example.com/v1\n  kind: Widget\n  metadata: {name: w}\n  spec: {owner: ann, size: 99}\n";
    let told = client.open(text);
    assert_eq!(told.len(), 1, "{told:?}");
    let hover = client.at("textDocument/hover", 6, 22);
    let words = hover.get_path(&["contents", "value"]).and_then(Value::as_str).unwrap();
    assert!(words.starts_with("**spec.size**: integer"), "{words}");
    // An item that is not written yet is told of where it will stand.
    let told = client.open(&WIDGET.replace("  mode: fast\n", "  ports:\n  - \n"));
    assert!(told.iter().any(|it| it.starts_with("8:") && it.contains("spec.ports[0]")), "{told:?}");
}

fn framed(messages: &[Value]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for message in messages {
        let text = json::encode(message);
        bytes.extend(format!("Content-Length: {}\r\n\r\n", text.len()).bytes());
        bytes.extend(text);
    }
    bytes
}

#[test]
fn a_whole_session_goes_over_the_wire() {
    let script = [
        value!({"jsonrpc": "2.0", "id": 1, "method": "textDocument/hover", "params": {}}),
        value!({"jsonrpc": "2.0", "id": 2, "method": "initialize", "params": {}}),
        value!({"jsonrpc": "2.0", "method": "$/setTrace", "params": {"value": "off"}}),
        value!({"jsonrpc": "2.0", "id": 3, "method": "workspace/executeCommand", "params": {}}),
        value!({"jsonrpc": "2.0", "id": 4, "method": "shutdown"}),
        value!({"jsonrpc": "2.0", "method": "exit"}),
    ];
    let mut input = Cursor::new(framed(&script));
    let mut output = Vec::new();
    assert!(serve(&mut input, &mut output, Session::new(catalog(), NO_FILES)).unwrap());
    let text = String::from_utf8(output).unwrap();
    let codes: Vec<bool> = text
        .split("Content-Length: ")
        .skip(1)
        .map(|it| it.split_once("\r\n\r\n").unwrap().1.contains("\"error\""))
        .collect();
    assert_eq!(codes, [true, false, true, false]);
    let mut gone = Cursor::new(framed(&script[1..2]));
    assert!(!serve(&mut gone, &mut Vec::new(), Session::new(catalog(), NO_FILES)).unwrap());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn no_text_and_no_place_ends_the_session(text in "[a-z:{}\\[\\]\\-#|> \n\"'&*é😀]{0,120}", line in 0i64..8, character in 0i64..12) {
        let mut client = Client::new();
        client.open(&format!("apiVersion: shop.example.com/v1\nkind: Widget\nspec:\n{text}"));
        client.at("textDocument/hover", line, character);
        client.at("textDocument/completion", line, character);
        for method in ["definition", "prepareRename"] {
            client.at(&format!("textDocument/{method}"), line, character);
        }
        for method in ["documentSymbol", "foldingRange", "formatting", "inlayHint", "codeAction"] {
            let whole = value!({"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}});
            let params = value!({"textDocument": {"uri": URI}, "range": whole});
            client.ask(&format!("textDocument/{method}"), params);
        }
        let position = value!({"line": line, "character": character});
        client.ask("textDocument/rename", value!({"textDocument": {"uri": URI}, "position": position, "newName": "x"}));
        let range = value!({"start": {"line": line, "character": character}, "end": {"line": (line + 1), "character": 0}});
        client.change(value!({"range": range, "text": "x"}));
    }
}

/// The policy of a folder judges what is typed in it.
#[test]
fn policies_of_the_folder_judge_open_texts() {
    let folder = tempfile::tempdir().unwrap();
    let policy = include_str!("../../../fixtures/check/policies/replicas/policy.yaml");
    std::fs::write(folder.path().join("policy.yaml"), policy).unwrap();
    let session = Session::new(Catalog::default(), DISK);
    let mut client = Client::of(session);
    let root = format!("file://{}", folder.path().display());
    client.ask("initialize", value!({"capabilities": {}, "rootUri": root}));
    let deployment = include_str!("../../../fixtures/check/policies/replicas/web.yaml");
    let told = client.open(deployment);
    assert!(told.iter().any(|it| it.contains("at most 5 replicas")), "{told:?}");
    let fewer = deployment.replace("replicas: 9", "replicas: 2");
    assert_eq!(client.open(&fewer), Vec::<String>::new());
}
