//! Clients that send and read slowly, and texts that are far larger than what they show.

use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use super::{Attack, CONFIG_MAPS, JSON, config_map, define, list, one};
use crate::program::{KEEP, Server, THINGS, send};

const APPLY: &str = "application/apply-patch+yaml";
const CLIENTS: usize = 200;

fn begin(server: &Server, request: &str) -> TcpStream {
    let mut stream = TcpStream::connect(server.address).unwrap();
    let host = server.address;
    let head = format!("{request}\r\nhost: {host}\r\ncontent-type: {JSON}\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    stream
}

/// A config map of 6 MB, most of which says who owns what.
fn large(server: &Server) {
    let keys = list(150_000, |at| format!(r#""{at:06}":"""#));
    let data = format!(r#","data":{{{keys}}}"#);
    for manager in ["a", "b"] {
        let path = format!("{CONFIG_MAPS}/large?fieldManager={manager}&force=true");
        let code = one(server, "PATCH", &path, APPLY, config_map("large", &data));
        assert!(matches!(code.as_str(), "200" | "201"), "{code}");
    }
}

/// Clients that ask for something and do not read the answer.
fn unread(name: &'static str, request: &'static str) -> Attack {
    Attack {
        name,
        prepare: Box::new(large),
        run: Box::new(move |it| {
            let ask = |_| {
                let mut stream = begin(it, request);
                stream.write_all(b"\r\n").unwrap();
                stream
            };
            let streams: Vec<TcpStream> = (0..CLIENTS).map(ask).collect();
            std::thread::sleep(Duration::from_secs(5));
            streams.len().to_string()
        }),
    }
}

/// What others wait for while bodies do not come to their end.
fn uploads(server: &Server) -> String {
    let start = |_| {
        let mut stream = begin(server, &format!("POST {CONFIG_MAPS} HTTP/1.1"));
        let _ = stream.write_all(b"content-length: 3000000\r\n\r\n");
        let _ = stream.write_all(&vec![b' '; 300_000]);
        stream
    };
    let streams: Vec<TcpStream> = (0..CLIENTS).map(start).collect();
    let asked = Instant::now();
    let code = send(&mut server.client(), "GET", CONFIG_MAPS, JSON, Vec::new()).code;
    let shown = format!("{code} in {} ms", asked.elapsed().as_millis());
    drop(streams);
    shown
}

pub(super) fn clients() -> Vec<Attack> {
    let wide = format!(
        r#"{{"apiVersion":"bench.example.com/v1","kind":"Thing","metadata":{{"name":"deep"}},"spec":{}[{}1]{}}}"#,
        r#"{"a":"#.repeat(9_000),
        "1,".repeat(1_000_000),
        "}".repeat(9_000)
    );
    vec![
        unread(
            "200 reads of 6 MB unread",
            "GET /api/v1/namespaces/default/configmaps/large HTTP/1.1",
        ),
        unread(
            "200 lists of 6 MB unread",
            "GET /api/v1/namespaces/default/configmaps?limit=1 HTTP/1.1",
        ),
        unread(
            "200 watches of 6 MB unread",
            "GET /api/v1/namespaces/default/configmaps?watch=1 HTTP/1.1",
        ),
        super::attack("200 bodies that do not end", uploads),
        Attack {
            name: "YAML of what is deep and wide",
            prepare: Box::new(move |it| {
                define(it, "things", "Thing", KEEP);
                assert_eq!(one(it, "POST", THINGS, JSON, wide.clone().into()), "201");
            }),
            run: Box::new(|it| {
                let headers = vec![("accept".to_owned(), "application/yaml".to_owned())];
                let path = format!("{THINGS}/deep");
                let request = super::Request {
                    method: "GET",
                    path: &path,
                    headers,
                    ..super::Request::default()
                };
                it.client().call(&request).unwrap().code.to_string()
            }),
        },
    ]
}
