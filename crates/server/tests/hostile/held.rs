//! What requests hold while their clients send or take it: little, and no place that others need.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use ordain_value::{Value, value};

use crate::server::{Server, THINGS};

fn begin(server: &Server, request: &str) -> TcpStream {
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(50))).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    stream
}

/// The code of an answer, of which no more is read.
fn code(stream: &mut TcpStream) -> String {
    let mut line = [0; 12];
    stream.read_exact(&mut line).unwrap();
    String::from_utf8_lossy(&line[9..]).into_owned()
}

#[test]
fn bodies_that_do_not_come_keep_nobody_from_working() {
    let mut server = Server::start();
    let request = format!(
        "POST {THINGS} HTTP/1.1\r\nhost: localhost\r\ncontent-type: \
         application/json\r\ncontent-length: 100000\r\n\r\n{{"
    );
    let slow: Vec<TcpStream> = (0..100).map(|_| begin(&server, &request)).collect();
    // Their requests are there, as far as they ever will be.
    std::thread::sleep(Duration::from_millis(300));
    let asked = Instant::now();
    assert_eq!(server.client.get(THINGS).unwrap().code, 200);
    assert!(asked.elapsed() < Duration::from_secs(5), "{:?}", asked.elapsed());
    // What was sent in part is finished when the rest comes.
    let mut last = slow.into_iter().next().unwrap();
    let object = r#""apiVersion":"attack.example.com/v1","kind":"Thing","metadata":{"name":"s"}}"#;
    let padding = " ".repeat(99_999 - object.len());
    last.write_all(format!("{object}{padding}").as_bytes()).unwrap();
    assert_eq!(code(&mut last), "201");
}

/// Makes an object of 7 MB; gives its collection.
fn fat(server: &mut Server) -> String {
    let long = "x".repeat(70_000);
    let spec = value!({"type": "object", "properties": {"items": {"type": "array", "items":
        {"type": "object", "properties": {"d": {"type": "string", "default": (long)}}}}}});
    assert_eq!(server.define("fats", "Fat", &spec).code, 201);
    let path = THINGS.replace("things", "fats");
    let items = vec!["{}"; 100].join(",");
    let body = format!(
        r#"{{"apiVersion":"attack.example.com/v1","kind":"Fat","metadata":{{"name":"f"}},"spec":{{"items":[{items}]}}}}"#
    );
    assert_eq!(server.send("POST", &path, "application/json", body.into_bytes()).code, 201);
    path
}

#[test]
fn answers_that_nobody_takes_are_bounded_together() {
    let mut server = Server::start();
    let path = fat(&mut server);
    let request = format!("GET {path}/f HTTP/1.1\r\nhost: localhost\r\n\r\n");
    let mut taken = 0;
    let mut stalled = Vec::new();
    for _ in 0..40 {
        let mut stream = begin(&server, &request);
        match code(&mut stream).as_str() {
            "200" => taken += 1,
            other => assert_eq!(other, "429"),
        }
        stalled.push(stream);
    }
    assert!((5..=20).contains(&taken), "{taken} answers of 7 MB are held");
    drop(stalled);
    let asked = Instant::now();
    while server.client.get(&format!("{path}/f")).unwrap().code != 200 {
        assert!(asked.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A watch and a list that are cut off break off: nobody takes them for whole.
#[test]
fn watches_and_lists_that_nobody_takes_are_bounded_together() {
    let mut server = Server::start();
    let path = fat(&mut server);
    let table = "application/json;as=Table;v=v1;g=meta.k8s.io";
    for (query, accept, least) in [
        ("?watch=true", "*/*", 10),
        ("?includeObject=Object", table, 10),
        // A list of objects as they are stored holds nothing of its own.
        ("", "*/*", 0),
    ] {
        let request =
            format!("GET {path}{query} HTTP/1.1\r\nhost: localhost\r\naccept: {accept}\r\n\r\n");
        let stalled: Vec<TcpStream> = (0..40).map(|_| begin(&server, &request)).collect();
        std::thread::sleep(Duration::from_secs(2));
        let mut broken = 0;
        for mut stream in stalled {
            stream.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
            let mut all = Vec::new();
            let ended = stream.read_to_end(&mut all);
            let waits = ended.is_err_and(|it| it.kind() == std::io::ErrorKind::WouldBlock);
            let whole = all.len() > 7_000_000 || all.starts_with(b"HTTP/1.1 429");
            let shown = String::from_utf8_lossy(&all[..all.len().min(700)]);
            assert!(whole || !all.ends_with(b"\r\n0\r\n\r\n"), "{query} {} {shown}", all.len());
            broken += usize::from(!waits && !whole);
        }
        assert!(broken >= least, "{broken} of {path}{query} broke off");
        assert!(least > 0 || broken == 0, "{broken} of {path}{query} broke off");
    }
}

/// Large objects begin pieces of their own, which share what is stored.
#[test]
fn lists_show_large_objects_among_small_ones() {
    let mut server = Server::start();
    let maps = "/api/v1/namespaces/default/configmaps";
    for (at, len) in [1, 200_000, 70_000, 1, 300_000].into_iter().enumerate() {
        let long = "x".repeat(len);
        assert_eq!(server.create(&format!("t{at}"), &format!(r#"{{"a":"{long}"}}"#)).code, 201);
        let map = format!(
            r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"m{at}"}},"data":{{"a":"{long}"}}}}"#
        );
        assert_eq!(server.send("POST", maps, "application/json", map.into_bytes()).code, 201);
    }
    for (path, typed) in [(THINGS, true), (maps, false)] {
        for query in ["", "?limit=4"] {
            let listed = server.client.get(&format!("{path}{query}")).unwrap().body;
            let items = listed.get("items").and_then(Value::as_list).unwrap();
            assert_eq!(items.len(), if query.is_empty() { 5 } else { 4 });
            for item in items {
                let name = item.get_path(&["metadata", "name"]).and_then(Value::as_str).unwrap();
                let mut read = server.client.get(&format!("{path}/{name}")).unwrap().body;
                if !typed {
                    let map = read.as_map_mut().unwrap();
                    map.remove("apiVersion");
                    map.remove("kind");
                }
                assert_eq!(*item, read, "{name}");
            }
        }
    }
}

#[test]
fn a_body_that_nobody_reads_does_not_end_its_connection() {
    let server = Server::start();
    let things = THINGS.replace("things", "nothings");
    for (path, expected) in [(things.as_str(), "404"), ("/nope", "404"), ("/livez", "200")] {
        for len in [30, 100_000] {
            let head = format!(
                "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: \
                 application/json\r\ncontent-length: {len}\r\n\r\n"
            );
            let mut stream = begin(&server, &head);
            for at in 0..5 {
                std::thread::sleep(Duration::from_millis(20));
                stream.write_all(&vec![b' '; len]).unwrap();
                let answer = whole(&mut stream);
                assert!(answer.starts_with(&format!("HTTP/1.1 {expected}")), "{answer}");
                assert!(!answer.contains("connection: close"), "{answer}");
                if at < 4 {
                    stream.write_all(head.as_bytes()).unwrap();
                }
            }
        }
    }
}

/// An answer of known length.
fn whole(stream: &mut TcpStream) -> String {
    let (mut answer, mut byte) = (Vec::new(), [0]);
    while !answer.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).unwrap();
        answer.push(byte[0]);
    }
    let head = String::from_utf8(answer).unwrap();
    let len = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; len.unwrap().parse().unwrap()];
    stream.read_exact(&mut body).unwrap();
    head
}
