//! The server as a process of its own: `ORDAIN_BENCH_PROGRAM`, or `target/release/ordain`.
#![allow(dead_code, reason = "each bench uses a part")]

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use ordain_testkit::Client;
use ordain_testkit::client::{Answer, Request};

pub(crate) struct Server {
    process: Child,
    pub(crate) address: SocketAddr,
    /// From exec to the line that says where it is.
    pub(crate) ready_after: Duration,
}

/// Where the program is; none, with a message, if there is none.
pub(crate) fn program() -> Option<PathBuf> {
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/release/ordain");
    let program = std::env::var_os("ORDAIN_BENCH_PROGRAM").map_or(built, PathBuf::from);
    if !program.exists() {
        println!("SKIPPED: no {} (cargo build --release -p ordain-cli)", program.display());
        return None;
    }
    Some(program)
}

impl Server {
    pub(crate) fn start(program: &Path, arguments: &[&str]) -> Self {
        let began = Instant::now();
        let mut process = Command::new(program)
            .args(["serve", "--insecure-http", "127.0.0.1:0", "--controllers", "none"])
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let address = loop {
            let line = lines.next().expect("the server says where it is").unwrap();
            let found = line.split("http://").nth(1).and_then(|rest| rest.split(' ').next());
            if let Some(address) = found.and_then(|text| text.parse().ok()) {
                break address;
            }
        };
        let ready_after = began.elapsed();
        std::thread::spawn(move || lines.for_each(drop));
        Self { process, address, ready_after }
    }

    pub(crate) fn client(&self) -> Client {
        Client::new(self.address)
    }

    fn status(&self, field: &str) -> u64 {
        let path = format!("/proc/{}/status", self.process.id());
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let line = text.lines().find(|line| line.starts_with(field)).unwrap_or_default();
        line.split_whitespace().nth(1).and_then(|word| word.parse().ok()).unwrap_or(0)
    }

    /// What it holds now, in MB.
    pub(crate) fn resident(&self) -> f64 {
        self.status("VmRSS:") as f64 * 1024.0 / 1e6
    }

    /// The most that it ever held, in MB.
    pub(crate) fn peak(&self) -> f64 {
        self.status("VmHWM:") as f64 * 1024.0 / 1e6
    }

    /// Asks it to stop, and waits.
    pub(crate) fn stop(mut self) {
        let id = self.process.id().to_string();
        let _ = Command::new("kill").arg(id).status();
        let _ = self.process.wait();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

pub(crate) fn send(
    client: &mut Client,
    method: &str,
    path: &str,
    content_type: &str,
    body: Vec<u8>,
) -> Answer {
    let body = (!body.is_empty()).then_some(body);
    let request = Request { method, path, body, content_type, ..Request::default() };
    client.call(&request).unwrap_or_else(|error| panic!("{method} {path}: {error}"))
}

pub(crate) const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
pub(crate) const THINGS: &str = "/apis/bench.example.com/v1/namespaces/default/things";

/// A kind whose `spec` is declared by a schema in JSON.
pub(crate) fn definition(plural: &str, kind: &str, spec: &str) -> Vec<u8> {
    format!(
        r#"{{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{{"name":"{plural}.bench.example.com"}},"spec":{{"group":"bench.example.com","scope":"Namespaced","names":{{"plural":"{plural}","kind":"{kind}"}},"versions":[{{"name":"v1","served":true,"storage":true,"schema":{{"openAPIV3Schema":{{"type":"object","properties":{{"spec":{spec}}}}}}}}}]}}}}"#
    )
    .into_bytes()
}

pub(crate) const KEEP: &str = r#"{"type":"object","x-kubernetes-preserve-unknown-fields":true}"#;

/// An object of about so many bytes.
pub(crate) fn thing(name: &str, len: usize) -> Vec<u8> {
    format!(
        r#"{{"apiVersion":"bench.example.com/v1","kind":"Thing","metadata":{{"name":"{name}"}},"spec":{{"text":"{}"}}}}"#,
        "x".repeat(len)
    )
    .into_bytes()
}

/// Creates objects by several connections.
pub(crate) fn fill(server: &Server, range: std::ops::Range<usize>, len: usize) {
    const CONNECTIONS: usize = 16;
    let per = range.len().div_ceil(CONNECTIONS);
    std::thread::scope(|scope| {
        for at in 0..CONNECTIONS {
            let from = (range.start + at * per).min(range.end);
            let to = (from + per).min(range.end);
            scope.spawn(move || {
                let mut client = server.client();
                for number in from..to {
                    let body = thing(&format!("t{number:08}"), len);
                    let answer = send(&mut client, "POST", THINGS, "application/json", body);
                    assert_eq!(answer.code, 201, "{:?}", answer.body);
                }
            });
        }
    });
}
