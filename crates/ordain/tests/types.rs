//! `ordain serve --types` and `ordain conventions`, as a user runs them.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

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
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
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
    // A mistake is told with its place, and changes nothing.
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
