//! Built-in kinds in protobuf: bodies, answers, lists, refusals and watches.

#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};

use ordain::testing::TestServer;
use ordain_registry::meta_v1;
use ordain_registry::typed::protobuf;
use ordain_schema::Schema;
use ordain_value::{Value, json, value};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const MEDIA: &str = "application/vnd.kubernetes.protobuf";

struct Answer {
    code: String,
    media: String,
    body: BufReader<TcpStream>,
    len: Option<usize>,
}

fn call(address: SocketAddr, method: &str, path: &str, accept: &str, body: &[u8]) -> Answer {
    let mut stream = TcpStream::connect(address).unwrap();
    let len = body.len();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: {accept}\r\nContent-Type: {MEDIA}\r\n\
         Content-Length: {len}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body).unwrap();
    let mut answer = Answer {
        code: String::new(),
        media: String::new(),
        body: BufReader::new(stream),
        len: None,
    };
    loop {
        let mut line = String::new();
        answer.body.read_line(&mut line).unwrap();
        let line = line.trim_end();
        if line.is_empty() {
            return answer;
        }
        if let Some((name, value)) = line.split_once(": ") {
            match name.to_lowercase().as_str() {
                "content-type" => answer.media = value.to_owned(),
                "content-length" => answer.len = value.parse().ok(),
                _ => {}
            }
        } else {
            answer.code = line.split(' ').nth(1).unwrap().to_owned();
        }
    }
}

impl Answer {
    fn bytes(mut self) -> Vec<u8> {
        let mut bytes = vec![0; self.len.unwrap()];
        self.body.read_exact(&mut bytes).unwrap();
        bytes
    }

    /// The next chunk of a stream.
    fn chunk(&mut self) -> Vec<u8> {
        let mut line = String::new();
        self.body.read_line(&mut line).unwrap();
        let len = usize::from_str_radix(line.trim(), 16).unwrap();
        let mut bytes = vec![0; len + 2];
        self.body.read_exact(&mut bytes).unwrap();
        bytes.truncate(len);
        bytes
    }
}

fn schema() -> Schema {
    let kinds = ordain_kubernetes::all();
    let maps = kinds.iter().find(|it| it.plural == "configmaps").unwrap();
    maps.strategy.schema("v1").unwrap().clone()
}

fn message(name: &str) -> Vec<u8> {
    let map = value!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name},
        "data": {"k": "v"}, "binaryData": {"b": "AAE="}});
    protobuf::encode(&schema(), &map)
}

fn decoded(bytes: &[u8]) -> Value {
    protobuf::decode(&schema(), &protobuf::open(bytes).unwrap()).unwrap()
}

#[test]
fn objects_are_written_and_read_as_messages() {
    let server = TestServer::start().unwrap();
    let created = call(server.address(), "POST", MAPS, MEDIA, &message("a"));
    assert_eq!((created.code.as_str(), created.media.as_str()), ("201", MEDIA));
    let created = decoded(&created.bytes());
    let (_, text) = server.request("GET", &format!("{MAPS}/a"), "").unwrap();
    let shown = json::decode(text.as_bytes()).unwrap();
    for field in ["data", "binaryData"] {
        assert_eq!(created.get(field), shown.get(field));
    }
    assert_eq!(created.get_path(&["metadata", "uid"]), shown.get_path(&["metadata", "uid"]));
    let list = call(server.address(), "GET", MAPS, &format!("{MEDIA},application/json"), b"");
    assert_eq!(list.media, MEDIA);
    let list = list.bytes();
    let envelope = protobuf::open(&list).unwrap();
    assert_eq!(envelope.kind, "ConfigMapList");
    let item = protobuf::encode_message(&schema(), &created);
    assert!(envelope.raw.windows(item.len()).any(|it| it == item), "the list holds the object");
}

#[test]
fn refusals_and_metadata_come_as_messages_and_tables_as_json() {
    let server = TestServer::start().unwrap();
    server.request("POST", MAPS, r#"{"metadata":{"name":"a"}}"#).unwrap();
    let missing = call(server.address(), "GET", &format!("{MAPS}/b"), MEDIA, b"");
    assert_eq!((missing.code.as_str(), missing.media.as_str()), ("404", MEDIA));
    let bytes = missing.bytes();
    let envelope = protobuf::open(&bytes).unwrap();
    let status = protobuf::decode(&meta_v1::status(), &envelope).unwrap();
    assert_eq!(status.get("reason").and_then(Value::as_str), Some("NotFound"));
    let accept = format!("{MEDIA};as=PartialObjectMetadata;g=meta.k8s.io;v=v1");
    let partial = call(server.address(), "GET", &format!("{MAPS}/a"), &accept, b"");
    assert_eq!(partial.media, MEDIA);
    let bytes = partial.bytes();
    let envelope = protobuf::open(&bytes).unwrap();
    assert_eq!(envelope.kind, "PartialObjectMetadata");
    let partial = protobuf::decode(&meta_v1::partial_metadata(), &envelope).unwrap();
    assert_eq!(partial.get_path(&["metadata", "name"]).and_then(Value::as_str), Some("a"));
    let accept = format!("{MEDIA};as=Table;g=meta.k8s.io;v=v1,application/json");
    let table = call(server.address(), "GET", MAPS, &accept, b"");
    assert_eq!(table.media, "application/json");
}

#[test]
fn watches_are_streams_of_messages() {
    let server = TestServer::start().unwrap();
    let mut stream = call(
        server.address(),
        "GET",
        &format!("{MAPS}?watch=1"),
        &format!("{MEDIA};stream=watch"),
        b"",
    );
    assert_eq!(stream.media, format!("{MEDIA};stream=watch"));
    let created = decoded(&call(server.address(), "POST", MAPS, MEDIA, &message("a")).bytes());
    let frame = stream.chunk();
    let (len, event) = frame.split_at(4);
    assert_eq!(u32::from_be_bytes(len.try_into().unwrap()) as usize, event.len());
    let object = protobuf::encode(&schema(), &created);
    assert_eq!(frame, protobuf::watch_frame("ADDED", &object));
}
