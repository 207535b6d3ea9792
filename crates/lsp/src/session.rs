//! The conversation with an editor.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};

use ordain_check::go_type::GoType;
use ordain_check::workspace::{self, Workspace};
use ordain_check::{Catalog, Input, Role, Source, is_kustomization};
use ordain_meta::GroupVersionKind;
use ordain_value::{Map, Value, value};

use crate::frame::{self, Incoming};
use crate::text::Text;
use crate::{
    action, completion, definition, diagnostics, fold, format, hint, hover, modeline, rename,
    symbol, uri,
};

/// Error codes of JSON-RPC and of the protocol.
const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
const METHOD_NOT_FOUND: i64 = -32601;
const NOT_INITIALIZED: i64 = -32002;

/// How a session sees files: it opens none itself.
#[derive(Clone, Copy, Debug)]
pub struct Files {
    /// What is in the files of folders.
    pub look: fn(&[PathBuf]) -> Workspace,
    /// What a file is taken for by its place.
    pub role: fn(&Path) -> Role,
    /// The definitions in one file.
    pub definitions: fn(&Path) -> Vec<Value>,
    /// The Go types of a kind in the files of a folder.
    pub go_types: fn(&Path, &GroupVersionKind) -> Vec<GoType>,
}

/// Talks until the other side says exit or is gone; true when it said shutdown before.
///
/// # Errors
/// When the streams fail or the framing is lost.
pub fn serve(
    input: &mut impl BufRead,
    output: &mut impl Write,
    mut session: Session,
) -> io::Result<bool> {
    loop {
        let answers = match frame::read(input)? {
            Incoming::End => return Ok(session.stopped),
            Incoming::Garbled(why) => vec![error(&Value::Null, PARSE_ERROR, &why)],
            Incoming::Message(message) => {
                if message.get("method").and_then(Value::as_str) == Some("exit") {
                    return Ok(session.stopped);
                }
                session.handle(&message)
            }
        };
        for answer in answers {
            frame::write(output, &answer)?;
        }
    }
}

/// The state of a conversation.
#[derive(Debug)]
pub struct Session {
    /// Kinds from outside the editor.
    catalog: Catalog,
    /// The folders that the editor works in, and what is in them. Policies judge what is open, and
    /// kustomizations complete it.
    folders: Vec<PathBuf>,
    workspace: Workspace,
    files: Files,
    /// The kinds from outside, with those that the folders define.
    saved: Catalog,
    /// The same, with the definitions in open texts.
    known: Catalog,
    open: BTreeMap<String, Open>,
    started: bool,
    stopped: bool,
}

/// A text that is open.
#[derive(Debug)]
struct Open {
    text: Text,
    /// What its place says that it is.
    role: Role,
}

fn text<'a>(value: &'a Value, path: &[&str]) -> &'a str {
    value.get_path(path).and_then(Value::as_str).unwrap_or_default()
}

fn error(id: &Value, code: i64, message: &str) -> Value {
    value!({"jsonrpc": "2.0", "id": id.clone(), "error": {"code": code, "message": message}})
}

impl Session {
    /// A session with nothing open yet, over these kinds and files.
    #[must_use]
    pub fn new(catalog: Catalog, files: Files) -> Session {
        Session {
            folders: Vec::new(),
            workspace: Workspace::default(),
            files,
            saved: catalog.clone(),
            known: catalog.clone(),
            catalog,
            open: BTreeMap::new(),
            started: false,
            stopped: false,
        }
    }

    /// Takes in one message; returns what is to be sent.
    pub fn handle(&mut self, message: &Value) -> Vec<Value> {
        let Some(method) = message.get("method").and_then(Value::as_str) else {
            // Answers to us: we ask nothing.
            let is_answer = message.get("result").is_some() || message.get("error").is_some();
            let id = message.get("id").cloned().unwrap_or_default();
            return if is_answer {
                Vec::new()
            } else {
                vec![error(&id, INVALID_REQUEST, "no method")]
            };
        };
        let params = message.get("params").cloned().unwrap_or_default();
        match message.get("id") {
            Some(id) => vec![self.request(id, method, &params)],
            None => self.notification(method, &params),
        }
    }

    fn request(&mut self, id: &Value, method: &str, params: &Value) -> Value {
        if self.stopped {
            return error(id, INVALID_REQUEST, "the session is shut down");
        }
        if !self.started && method != "initialize" {
            return error(id, NOT_INITIALIZED, "initialize comes first");
        }
        let result = match method {
            "initialize" => {
                self.started = true;
                self.folders = folders(params);
                self.search();
                capabilities()
            }
            "shutdown" => {
                self.stopped = true;
                Value::Null
            }
            other => match self.answer(other, params) {
                Some(result) => result,
                None => return error(id, METHOD_NOT_FOUND, &format!("{other} is not offered")),
            },
        };
        value!({"jsonrpc": "2.0", "id": id.clone(), "result": result})
    }

    /// The answer to a question about texts; none when it is not offered.
    fn answer(&self, method: &str, params: &Value) -> Option<Value> {
        let name = text(params, &["textDocument", "uri"]);
        let range = || params.get("range").cloned().unwrap_or_default();
        let found = match method {
            "textDocument/hover" => self.at(params, hover::at).flatten(),
            "textDocument/completion" => {
                let items = self.at(params, completion::at).unwrap_or_default();
                Some(value!({"isIncomplete": false, "items": Value::from(items)}))
            }
            "textDocument/definition" => {
                let go_types = |gvk: &GroupVersionKind| -> Vec<GoType> {
                    let folders = self.folders.iter();
                    folders.flat_map(|it| (self.files.go_types)(it, gvk)).collect()
                };
                self.at(params, |_, text, at| {
                    definition::at(&self.workspace.objects, &go_types, text, at)
                })
            }
            "textDocument/prepareRename" => {
                self.at(params, |_, text, offset| rename::prepare(text, offset)).flatten()
            }
            "textDocument/rename" => {
                let to = text(params, &["newName"]);
                let run = |_: &Catalog, text: &Text, at| rename::rename(name, text, at, to);
                self.at(params, run).flatten()
            }
            "textDocument/documentSymbol" => self.of(name).map(|it| symbol::of_text(&it.text)),
            "textDocument/foldingRange" => self.of(name).map(|it| fold::ranges(&it.text)),
            "textDocument/formatting" => self.of(name).map(|it| format::edits(&it.text)),
            "textDocument/inlayHint" => {
                self.of(name).map(|it| hint::within(&self.known, &it.text, &range()))
            }
            "textDocument/codeAction" => self
                .of(name)
                .map(|it| action::within(&self.known, name, &it.text, &it.role, &range())),
            "workspace/symbol" => {
                Some(symbol::of_workspace(&self.workspace.objects, text(params, &["query"])))
            }
            _ => return None,
        };
        Some(found.unwrap_or_default())
    }

    fn of(&self, uri: &str) -> Option<&Open> {
        self.open.get(uri)
    }

    /// Runs something at the position of a request; none when the text is not open.
    fn at<T>(&self, params: &Value, run: impl Fn(&Catalog, &Text, usize) -> T) -> Option<T> {
        let open = &self.open.get(text(params, &["textDocument", "uri"]))?.text;
        let offset = open.offset(params.get("position")?);
        Some(run(&self.known, open, offset))
    }

    fn notification(&mut self, method: &str, params: &Value) -> Vec<Value> {
        let uri = text(params, &["textDocument", "uri"]).to_owned();
        match method {
            "textDocument/didOpen" => {
                let content = text(params, &["textDocument", "text"]);
                let role = uri::path(&uri).map_or(Role::Found, |it| (self.files.role)(&it));
                self.open.insert(uri.clone(), Open { text: Text::new(content), role });
            }
            "textDocument/didChange" => {
                let Some(open) = self.open.get_mut(&uri) else { return Vec::new() };
                let changes = params.get("contentChanges").and_then(Value::as_list);
                for change in changes.into_iter().flat_map(|it| it.iter()) {
                    open.text.change(change);
                }
            }
            "textDocument/didClose" => {
                // What was not saved is gone.
                if self.open.remove(&uri).is_some_and(|it| defines(&it)) {
                    self.search();
                }
                return vec![publish(&uri, Value::from(Vec::new()))];
            }
            "textDocument/didSave" => {
                // A kustomization completes others as it was saved.
                let completes = uri::path(&uri).is_some_and(|it| is_kustomization(&it));
                if completes || self.open.get(&uri).is_some_and(defines) {
                    self.search();
                }
                if completes {
                    return self.diagnose_all();
                }
            }
            _ => return Vec::new(),
        }
        // A changed definition changes what is said of every open text.
        if self.open.get(&uri).is_some_and(defines) {
            self.define();
            return self.diagnose_all();
        }
        self.open.get(&uri).map(|it| self.diagnose(&uri, it)).into_iter().collect()
    }

    /// Takes in the definitions of saved files, and then those of open texts.
    fn search(&mut self) {
        self.saved = self.catalog.clone();
        self.workspace = (self.files.look)(&self.folders);
        let objects = self.workspace.objects.iter();
        for definition in objects.filter_map(|it| it.definition.as_ref()) {
            // What `ordain validate` says of a broken one is said of its text.
            let _ = self.saved.add_definition(definition);
        }
        self.define();
    }

    /// Takes in the definitions of open texts.
    fn define(&mut self) {
        self.known = self.saved.clone();
        for (uri, open) in &self.open {
            let source = Source::new(uri.as_str(), open.text.content.as_bytes());
            for definition in workspace::definitions_of_text(&source) {
                // One that is half typed leaves its kind as it was.
                let _ = self.known.add_definition(&definition);
            }
        }
    }

    fn diagnose_all(&self) -> Vec<Value> {
        self.open.iter().map(|(uri, text)| self.diagnose(uri, text)).collect()
    }

    fn diagnose(&self, uri: &str, open: &Open) -> Value {
        let role = modeline::role(&open.text.content, &open.role);
        let own = uri::path(uri);
        // What is open counts as it is, not as it was saved.
        let is_other = |it: &&Source| own.as_deref() != Some(Path::new(&it.name));
        let policies = self.workspace.policies.iter().filter(is_other).cloned().collect();
        let mut catalog = self.known.clone();
        let named = own.as_ref().and_then(|it| modeline::schema(&open.text.content, it));
        for definition in named.iter().flat_map(|it| (self.files.definitions)(it)) {
            // One that cannot be read leaves its kind as it was.
            let _ = catalog.add_definition(&definition);
        }
        let source = Source::new(uri, open.text.content.as_bytes());
        let mut input = Input::text(source).taken_for(role);
        if let Some(own) = &own {
            input = input.completed(&self.workspace.surroundings, own);
        }
        publish(uri, diagnostics::of(&catalog, policies, input, &open.text))
    }
}

/// Whether a text may say how others are judged: it defines a kind, or has a policy.
fn defines(open: &Open) -> bool {
    let says = ["CustomResourceDefinition", "AdmissionPolicy"];
    says.iter().any(|it| open.text.content.contains(it))
}

/// The folders on this machine that an editor works in.
fn folders(params: &Value) -> Vec<PathBuf> {
    let several = params.get("workspaceFolders").and_then(Value::as_list);
    let mut folders: Vec<PathBuf> =
        several.into_iter().flatten().filter_map(|it| uri::path(text(it, &["uri"]))).collect();
    if folders.is_empty() {
        folders.extend(uri::path(text(params, &["rootUri"])));
    }
    folders
}

fn publish(uri: &str, diagnostics: Value) -> Value {
    value!({
        "jsonrpc": "2.0",
        "method": "textDocument/publishDiagnostics",
        "params": {"uri": uri, "diagnostics": diagnostics}
    })
}

fn capabilities() -> Value {
    let mut server = Map::new();
    server.insert("name", "ordain".into());
    server.insert("version", env!("CARGO_PKG_VERSION").into());
    value!({
        "capabilities": {
            "positionEncoding": "utf-16",
            "textDocumentSync": {"openClose": true, "change": 2, "save": true},
            "hoverProvider": true,
            "definitionProvider": true,
            "documentSymbolProvider": true,
            "workspaceSymbolProvider": true,
            "foldingRangeProvider": true,
            "documentFormattingProvider": true,
            "inlayHintProvider": true,
            "codeActionProvider": {"codeActionKinds": ["quickfix"]},
            "renameProvider": {"prepareProvider": true},
            "completionProvider": {"triggerCharacters": [" ", ":", "-"]}
        },
        "serverInfo": Value::Map(server)
    })
}
