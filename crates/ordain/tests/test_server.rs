//! The server for tests keeps what it promises to tests.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use ordain::testing::TestServer;

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

fn map(name: &str) -> String {
    format!(r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"{name}"}}}}"#)
}

#[test]
fn the_same_requests_get_the_same_answers() {
    let play = || {
        let server = TestServer::builder().seed(42).start().unwrap();
        let created = server.request("POST", MAPS, &map("a")).unwrap();
        let generated =
            server.request("POST", MAPS, r#"{"metadata":{"generateName":"g-"}}"#).unwrap();
        (created.clone(), generated, server.request("GET", MAPS, "").unwrap())
    };
    assert_eq!(play(), play());
    assert_eq!(play().0.0, 201);
}

#[test]
fn a_fork_goes_its_own_way_and_a_reset_goes_back() {
    let definition = "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.test.example}
spec:
  group: test.example
  scope: Namespaced
  names: {plural: things, kind: Thing}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {n: {type: integer}}}}
---
apiVersion: test.example/v1
kind: Thing
metadata: {name: first}
n: 1
";
    let mut server = TestServer::builder().manifests(definition).start().unwrap();
    let things = "/apis/test.example/v1/namespaces/default/things";
    let thing = r#"{"apiVersion":"test.example/v1","kind":"Thing","metadata":{"name":"second"}}"#;
    assert_eq!(server.request("POST", things, thing).unwrap().0, 201);
    let fork = server.fork().unwrap();
    assert_eq!(fork.request("DELETE", &format!("{things}/first"), "").unwrap().0, 200);
    assert_eq!(fork.request("GET", &format!("{things}/second"), "").unwrap().0, 200);
    assert_eq!(server.request("GET", &format!("{things}/first"), "").unwrap().0, 200);
    let url = server.url();
    server.reset().unwrap();
    assert_eq!(server.url(), url);
    assert_eq!(server.request("GET", &format!("{things}/second"), "").unwrap().0, 404);
    let refused = server.load("kind: Thing\napiVersion: test.example/v1\nn: x\n");
    assert!(refused.unwrap_err().to_string().contains("Thing"));
    assert!(server.kubeconfig().contains(&url));
}

#[tokio::test]
async fn a_server_may_start_and_end_inside_of_async_code() {
    let mut server = TestServer::start().unwrap();
    server.reset().unwrap();
    server.rewind().unwrap();
    let address = server.address();
    drop(server);
    assert!(TcpStream::connect(address).is_err(), "nobody listens any more");
}

#[test]
fn open_watches_do_not_hold_the_end_up() {
    let mut server = TestServer::start().unwrap();
    let mut stream = TcpStream::connect(server.address()).unwrap();
    write!(stream, "GET {MAPS}?watch=1 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n").unwrap();
    let mut lines = BufReader::new(stream);
    let mut line = String::new();
    lines.read_line(&mut line).unwrap();
    assert!(line.contains("200"), "{line}");
    let begin = Instant::now();
    server.rewind().unwrap();
    assert!(begin.elapsed() < Duration::from_secs(15), "{:?}", begin.elapsed());
    while lines.read_line(&mut line).is_ok_and(|len| len > 0) {}
}
