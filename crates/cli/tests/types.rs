//! `ordain serve --types` and `ordain conventions`, as a user runs them.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use ordain_value::{Value, json, value};

#[path = "../../registry/tests/matrix/mod.rs"]
mod matrix;

const HEAD: &str = "// +groupName=shop.example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\ntype Widget struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty,omitzero\"`\n\n\tSpec Spec `json:\"spec\"`\n}\n\n";

/// A folder that goes away with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("ordain-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn types(&self, spec: &str) {
        let text = format!("{HEAD}type Spec struct {{\n{spec}}}\n");
        // A file that changes within one tick of the clock still changes its length.
        std::fs::write(self.0.join("types.go"), text).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

struct Server {
    child: Child,
    lines: Receiver<String>,
    /// Lines that nobody waited for yet: the two streams come in any order.
    seen: std::cell::RefCell<Vec<String>>,
    address: String,
}

impl Server {
    fn start(dir: &Path, more: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_ordain"))
            .args(["serve", "--store", "memory", "--insecure-http", "127.0.0.1:0", "--types"])
            .arg(dir)
            .args(more)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (send, lines) = channel();
        let streams: [Box<dyn Read + Send>; 2] =
            [Box::new(child.stdout.take().unwrap()), Box::new(child.stderr.take().unwrap())];
        for stream in streams {
            let send = send.clone();
            std::thread::spawn(move || {
                for line in BufReader::new(stream).lines().map_while(Result::ok) {
                    let _ = send.send(line);
                }
            });
        }
        let mut server = Server { child, lines, seen: Default::default(), address: String::new() };
        let line = server.wait_for("serves http://");
        let rest = line.split("http://").nth(1).unwrap();
        server.address = rest.split_whitespace().next().unwrap().to_owned();
        server
    }

    /// The next line that has these words.
    fn wait_for(&self, words: &str) -> String {
        let end = Instant::now() + Duration::from_secs(30);
        let mut seen = self.seen.borrow_mut();
        if let Some(at) = seen.iter().position(|line| line.contains(words)) {
            return seen.remove(at);
        }
        while let Ok(line) = self.lines.recv_timeout(end.saturating_duration_since(Instant::now()))
        {
            if line.contains(words) {
                return line;
            }
            seen.push(line);
        }
        panic!("{words:?} was not said: {seen:#?}");
    }

    fn request(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        self.send(method, path, "application/json", body)
    }

    fn send(&self, method: &str, path: &str, media: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: {media}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let code = answer.split_whitespace().nth(1).and_then(|it| it.parse().ok()).unwrap();
        (code, answer)
    }

    fn create(&self, name: &str, spec: &str) -> (u16, String) {
        let body = format!(
            "{{\"apiVersion\":\"shop.example.com/v1\",\"kind\":\"Widget\",\"metadata\":{{\"name\":\"{name}\"}},\"spec\":{spec}}}"
        );
        self.request("POST", "/apis/shop.example.com/v1/namespaces/default/widgets", &body)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const SIZE: &str =
    "\t// +default=3\n\t// +maximum=10\n\t// +optional\n\tSize *int32 `json:\"size,omitempty\"`\n";

#[test]
fn types_are_served_and_the_api_follows_their_files() {
    let folder = Folder::new("follow");
    folder.types(SIZE);
    let server = Server::start(&folder.0, &[]);
    let (code, answer) = server.create("a", "{}");
    assert_eq!(code, 201, "{answer}");
    assert!(answer.contains("\"size\":3"), "{answer}");
    let (code, answer) = server.create("b", "{\"size\":11}");
    assert_eq!(code, 422, "{answer}");
    let (code, answer) = server.request("GET", "/openapi/v3/apis/shop.example.com/v1", "");
    assert_eq!(code, 200);
    assert!(answer.contains("\"maximum\":10"), "{answer}");
    // A wider limit and a new field are taken up.
    folder.types(&format!(
        "{}\t// +optional\n\tColor string `json:\"color,omitempty\"`\n",
        SIZE.replace("10", "20")
    ));
    server.wait_for("types reloaded");
    server.wait_for("spec.color: new field");
    let (code, answer) = server.create("b", "{\"size\":11,\"color\":\"red\"}");
    assert_eq!(code, 201, "{answer}");
    // A mistake is reported with its place, and changes nothing.
    folder.types(&format!("{SIZE}\t// +maxLength=many\n\tColor string `json:\"color\"`\n"));
    let line = server.wait_for("types.go:");
    assert!(line.contains("types.go:18:") && line.contains("maxLength"), "{line}");
    server.wait_for("stay in force");
    // A change that would break stored objects is refused.
    folder.types(&SIZE.replace("10", "5"));
    let line = server.wait_for("breaks widgets default/b");
    assert!(line.contains("spec"), "{line}");
    server.wait_for("--force-types");
    let (code, _) = server.create("c", "{\"size\":15}");
    assert_eq!(code, 201, "the types before stay in force");
}

#[test]
fn forced_types_are_taken_up_all_the_same() {
    let folder = Folder::new("force");
    folder.types(SIZE);
    let server = Server::start(&folder.0, &["--force-types"]);
    assert_eq!(server.create("a", "{\"size\":9}").0, 201);
    folder.types(&SIZE.replace("10", "5"));
    server.wait_for("types reloaded");
    assert_eq!(server.create("b", "{\"size\":9}").0, 422);
}

#[test]
fn kubebuilder_types_are_followed_and_refused_like_others() {
    let folder = Folder::new("custom");
    let spec = "\t// +kubebuilder:validation:Maximum=10\n\tSize int32 `json:\"size,omitempty\"`\n";
    folder.types(spec);
    let server = Server::start(&folder.0, &[]);
    assert_eq!(server.create("a", "{\"size\":9}").0, 201);
    assert_eq!(server.create("b", "{\"size\":11}").0, 422);
    folder.types(&spec.replace("10", "200"));
    server.wait_for("types reloaded, 1 change");
    let line = server.wait_for("spec.size");
    assert!(line.contains("maximum is 200, was 10"), "{line}");
    assert_eq!(server.create("b", "{\"size\":11}").0, 201, "the definition is updated");
    folder.types(&spec.replace("10", "5"));
    let line = server.wait_for("breaks widgets default/a");
    assert!(line.contains("spec.size"), "{line}");
    server.wait_for("--force-types");
    assert_eq!(server.create("c", "{\"size\":11}").0, 201, "the types before stay in force");
}

#[test]
fn files_of_imported_packages_are_followed_too() {
    let folder = Folder::new("imported");
    let write = |limit: &str| {
        std::fs::create_dir_all(folder.0.join("common")).unwrap();
        let text = format!("package common\n\n// +maxLength={limit}\ntype Name string\n");
        std::fs::write(folder.0.join("common/types.go"), text).unwrap();
    };
    write("3");
    std::fs::write(folder.0.join("go.mod"), "module example.com/shop\n").unwrap();
    let head = HEAD.replace("import metav1", "import \"example.com/shop/common\"\nimport metav1");
    std::fs::create_dir_all(folder.0.join("v1")).unwrap();
    let spec =
        "type Spec struct {\n\t// +optional\n\tName common.Name `json:\"name,omitempty\"`\n}\n";
    std::fs::write(folder.0.join("v1/types.go"), format!("{head}{spec}")).unwrap();
    let server = Server::start(&folder.0.join("v1"), &[]);
    assert_eq!(server.create("a", "{\"name\":\"long\"}").0, 422);
    write("30");
    server.wait_for("types reloaded");
    let line = server.wait_for("spec.name");
    assert!(line.contains("maxLength is 30, was 3"), "{line}");
    assert_eq!(server.create("a", "{\"name\":\"long\"}").0, 201);
}

#[test]
fn tables_judge_types_as_the_server_does() {
    let folder = Folder::new("tables");
    let spec = "\t// +k8s:optional\n\t// +k8s:maximum=9\n\t// +default=3\n\tSize *int32 `json:\"size,omitempty\"`\n\t// +k8s:optional\n\t// +k8s:immutable\n\tHome *string `json:\"home,omitempty\"`\n";
    folder.types(spec);
    let table = "types: .\nbase: {apiVersion: shop.example.com/v1, kind: Widget, metadata: {name: w, namespace: default}}\ncases:\n- name: a default\n  object: {spec: {}}\n  stored: {spec: {size: 3}}\n- name: too large\n  object: {spec: {size: 10}}\n  errors: [{field: spec.size, reason: FieldValueInvalid, message: must be less than or equal to 9}]\n- name: the home stays\n  old: {spec: {home: a}}\n  object: {spec: {home: b}}\n  errors: [{field: spec.home, message: field is immutable}]\n";
    let path = folder.0.join("widgets.cases.yaml");
    std::fs::write(&path, table).unwrap();
    let (code, text) = ordain(&["test", path.to_str().unwrap()]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("3 cases, 0 failed"), "{text}");
}

fn ordain(args: &[&str]) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_ordain")).args(args).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&text).into_owned())
}

#[test]
fn a_server_does_not_start_with_types_or_gates_it_cannot_use() {
    let folder = Folder::new("wrong");
    folder.types(SIZE);
    let dir = folder.0.to_str().unwrap();
    let serve = ["serve", "--store", "memory", "--insecure-http", "127.0.0.1:0", "--types", dir];
    let (code, text) = ordain(&[&serve[..], &["--feature-gates", "Wishes=true"]].concat());
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("Wishes") && text.contains("APIUnions"), "{text}");
    folder.types("\t// +validationRule=\"self > 1\"\n\t// +optional\n\tSize string `json:\"size,omitempty\"`\n");
    let (code, text) = ordain(&serve);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("Widget.shop.example.com/v1") && text.contains("types.go:14:"), "{text}");
}

#[test]
fn conventions_tell_by_their_exit_code() {
    let folder = Folder::new("conventions");
    folder.types(SIZE);
    let dir = folder.0.to_str().unwrap();
    let (code, text) = ordain(&["conventions", "--types", dir]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("Widget.shop.example.com: ") && text.contains("0 broken"), "{text}");
    let (code, text) = ordain(&["conventions", "--types", dir, "-o", "json"]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("\"clean\": true"), "{text}");
    let old = Folder::new("conventions-old");
    old.types("\t// +optional\n\tOld string `json:\"old,omitempty\"`\n");
    let against = old.0.to_str().unwrap();
    let (code, text) = ordain(&["conventions", "--types", dir, "--against", against]);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("spec.size: new field, and no feature gate"), "{text}");
    let (code, text) = ordain(&["conventions", "--types", "/nothing/here"]);
    assert_eq!(code, 2, "{text}");
}

const WIDGETS: &str = "/apis/shop.example.com/v1/namespaces/default/widgets";

/// Plays a row of the union matrix over HTTP.
fn play(server: &Server, row: &matrix::Row, name: &str) -> String {
    let object = |spec: Value| {
        value!({"apiVersion": "shop.example.com/v1", "kind": "Widget",
            "metadata": {"name": (name), "namespace": "default"}, "spec": (spec)})
    };
    let of = |(code, answer): (u16, String)| {
        let body = answer.split_once("\r\n\r\n").map_or("", |it| it.1);
        (code, json::decode(body.as_bytes()).unwrap_or_else(|error| panic!("{answer}: {error}")))
    };
    let create = |spec| of(server.request("POST", WIDGETS, &json::encode_string(&object(spec))));
    let means = matrix::state(&row.means);
    let path = format!("{WIDGETS}/{name}");
    let (code, answer) = if row.verb == "create" {
        create(means)
    } else {
        let (code, before) = create(matrix::state(&row.stored));
        assert_eq!(code, 201, "{before:?}");
        let (method, media, body, query) = match row.verb.as_str() {
            "update" => ("PUT", "application/json", row.replacement(&before), ""),
            "patch" => ("PATCH", "application/merge-patch+json", value!({"spec": (means)}), ""),
            "json" => ("PATCH", "application/json-patch+json", row.json_patch(&before), ""),
            _ => {
                let query = "?fieldManager=applier&force=true";
                ("PATCH", "application/apply-patch+yaml", object(means), query)
            }
        };
        let path = format!("{path}{query}");
        of(server.send(method, &path, media, &json::encode_string(&body)))
    };
    if code >= 300 {
        let message = answer.get("message").and_then(Value::as_str).unwrap_or_default();
        return format!("!{message}");
    }
    let (code, read) = of(server.request("GET", &path, ""));
    assert_eq!(code, 200, "{read:?}");
    assert_eq!(read.get("spec"), answer.get("spec"));
    matrix::shown(&answer)
}

#[test]
fn the_matrix_of_unions_comes_out_over_http_as_the_proposal_says() {
    let rows = matrix::table();
    let mut servers: Vec<((&str, &str, &str), Folder, Server)> = Vec::new();
    let mut wrong = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        let key = (row.union.as_str(), row.need.as_str(), row.server.as_str());
        if !servers.iter().any(|it| it.0 == key) {
            let folder = Folder::new(&format!("unions-{}-{}-{}", key.0, key.1, key.2));
            let head = HEAD.split("type Widget").next().unwrap();
            let text = format!("{head}{}", matrix::declaration(row));
            std::fs::write(folder.0.join("types.go"), text).unwrap();
            let server = Server::start(&folder.0, &[]);
            servers.push((key, folder, server));
        }
        let server = servers.iter().find(|it| it.0 == key).unwrap();
        wrong.extend(row.differs(&play(&server.2, row, &format!("w{number}"))));
    }
    assert_eq!(servers.len(), 9, "every union is declared");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_help_lists_the_gates() {
    let (code, text) = ordain(&["serve", "--help"]);
    assert_eq!(code, 0);
    for line in ["APIUnions=true|false (ALPHA - default=false)", "CRDStripZero=true|false (ALPHA"] {
        assert!(text.contains(line), "{line} in {text}");
    }
}

#[test]
fn versions_that_would_lose_data_stop_the_server() {
    let folder = Folder::new("versions");
    for (version, field) in [("v1", "Size"), ("v2", "Capacity")] {
        let dir = folder.0.join(version);
        std::fs::create_dir_all(&dir).unwrap();
        let storage = if version == "v2" { "// +kubebuilder:storageversion\n" } else { "" };
        let head = HEAD.replace("package v1", &format!("package {version}"));
        let head = head.replace("type Widget", &format!("{storage}type Widget"));
        let json = field.to_lowercase();
        let text = format!(
            "{head}type Spec struct {{\n\t// +optional\n\t{field} *int32 `json:\"{json},omitempty\"`\n}}\n"
        );
        std::fs::write(dir.join("types.go"), text).unwrap();
    }
    let dirs = format!("{}/...", folder.0.display());
    let serve = ["serve", "--store", "memory", "--insecure-http", "127.0.0.1:0", "--types", &dirs];
    let (code, text) = ordain(&serve);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("Widget.shop.example.com/v1 cannot be served"), "{text}");
    assert!(text.contains("from v1 to v2: spec.size has no field"), "{text}");
}

#[test]
fn conventions_take_examples_and_definitions() {
    let folder = Folder::new("conventions-examples");
    let rule = "\t// +validationRule=\"self == 'exact'\"\n\tName string `json:\"name\"`\n";
    folder.types(rule);
    let dir = folder.0.to_str().unwrap();
    let (code, text) = ordain(&["conventions", "--types", dir]);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("stub-validates"), "{text}");
    let example = folder.0.join("example.yaml");
    let text =
        "apiVersion: shop.example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {name: exact}\n";
    std::fs::write(&example, text).unwrap();
    let example = example.to_str().unwrap();
    let (code, text) = ordain(&["conventions", "--types", dir, "--examples", example]);
    assert_eq!(code, 0, "{text}");
    let wrong = folder.0.join("wrong.yaml");
    std::fs::write(&wrong, "apiVersion: v9\nkind: Nothing\nmetadata: {name: a}\n").unwrap();
    let wrong = wrong.to_str().unwrap();
    let (code, text) = ordain(&["conventions", "--types", dir, "--examples", wrong]);
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("v9 Nothing is not served"), "{text}");
    let row = &matrix::table()[0];
    let crd = folder.0.join("crd.json");
    std::fs::write(&crd, json::encode_string(&matrix::definition_of(row))).unwrap();
    let (code, text) = ordain(&["conventions", "--crds", crd.to_str().unwrap()]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("Widget.shop.example.com: "), "{text}");
}
