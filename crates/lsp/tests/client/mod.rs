//! A scripted editor.

#![allow(dead_code, reason = "each test takes what it needs")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use ordain_check::workspace::{self, Workspace};
use ordain_check::{Catalog, Role, go_type, manifest};
use ordain_lsp::{Files, Session};
use ordain_value::{Value, value};

pub(crate) const CRD: &str = include_str!("../../../../fixtures/check/validate/crd.yaml");
pub(crate) const URI: &str = "file:///w/widget.yaml";

pub(crate) fn catalog() -> Catalog {
    let mut catalog = Catalog::default();
    let contents = manifest::read(0, &ordain_check::Source::new("crd.yaml", CRD));
    catalog.add_definition(&contents.manifests[0].value).unwrap();
    catalog
}

/// An editor without folders.
pub(crate) const NO_FILES: Files = Files {
    look: |_| Workspace::default(),
    role: |_| Role::Found,
    definitions: |_| Vec::new(),
    go_types: |_, _| Vec::new(),
};

/// The files of this machine.
pub(crate) const DISK: Files = Files {
    look: workspace::look,
    role: workspace::role,
    definitions: workspace::definitions_of_file,
    go_types: go_type::of_kind,
};

pub(crate) struct Client {
    pub(crate) session: Session,
    next: i64,
}

impl Client {
    pub(crate) fn new() -> Client {
        let mut client = Client { session: Session::new(catalog(), NO_FILES), next: 0 };
        let answer = client.ask("initialize", value!({"capabilities": {}}));
        assert_eq!(answer.get_path(&["capabilities", "hoverProvider"]), Some(&Value::Bool(true)));
        client.tell("initialized", value!({}));
        client
    }

    /// One that has not said a word yet.
    pub(crate) fn of(session: Session) -> Client {
        Client { session, next: 0 }
    }

    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let message =
            value!({"jsonrpc": "2.0", "id": (self.next), "method": method, "params": params});
        let mut answers = self.session.handle(&message);
        assert_eq!(answers.len(), 1);
        let answer = answers.remove(0);
        assert_eq!(answer.get("id"), Some(&Value::Int(self.next)));
        answer.get("result").cloned().unwrap_or_else(|| panic!("{method}: {answer:?}"))
    }

    pub(crate) fn tell(&mut self, method: &str, params: Value) -> Vec<Value> {
        self.session.handle(&value!({"jsonrpc": "2.0", "method": method, "params": params}))
    }

    pub(crate) fn open(&mut self, text: &str) -> Vec<String> {
        let document = value!({"uri": URI, "languageId": "yaml", "version": 1, "text": text});
        told(&self.tell("textDocument/didOpen", value!({"textDocument": document})))
    }

    pub(crate) fn change(&mut self, change: Value) -> Vec<String> {
        let params =
            value!({"textDocument": {"uri": URI, "version": 2}, "contentChanges": [change]});
        told(&self.tell("textDocument/didChange", params))
    }

    pub(crate) fn at(&mut self, method: &str, line: i64, character: i64) -> Value {
        let params = value!({
            "textDocument": {"uri": URI}, "position": {"line": line, "character": character}
        });
        self.ask(method, params)
    }

    pub(crate) fn labels(&mut self, line: i64, character: i64) -> Vec<String> {
        let answer = self.at("textDocument/completion", line, character);
        let items = answer.get("items").and_then(Value::as_list).unwrap();
        items.iter().map(|it| it.get("label").and_then(Value::as_str).unwrap().to_owned()).collect()
    }
}

/// `line:column message` of published diagnostics.
pub(crate) fn told(messages: &[Value]) -> Vec<String> {
    let mut out = Vec::new();
    for message in messages {
        assert_eq!(
            message.get("method").and_then(Value::as_str),
            Some("textDocument/publishDiagnostics")
        );
        let list = message.get_path(&["params", "diagnostics"]).and_then(Value::as_list).unwrap();
        for it in list.iter() {
            let start = it.get_path(&["range", "start"]).unwrap();
            let text = it.get("message").and_then(Value::as_str).unwrap();
            out.push(format!(
                "{}:{} {}",
                start.get("line").and_then(Value::as_int).unwrap(),
                start.get("character").and_then(Value::as_int).unwrap(),
                text.lines().next().unwrap()
            ));
        }
    }
    out
}

pub(crate) const WIDGET: &str = "apiVersion: shop.example.com/v1\nkind: Widget\nmetadata:\n  name: w\nspec:\n  owner: ann\n  size: 3\n  mode: fast\n";
