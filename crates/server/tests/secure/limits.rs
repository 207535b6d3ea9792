//! What is too much: requests at a time, time, headers, connections, streams.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use http_body_util::BodyExt;
use ordain_server::Access;
use ordain_value::value;

use crate::roles::grant;
use crate::server::Server;

const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps";

/// A server of plain HTTP, to be attacked byte by byte.
fn open_server(change: impl FnOnce(&mut ordain_server::App)) -> PlainServer {
    PlainServer(Server::plain(|app| {
        app.access = Access::Open;
        change(app);
    }))
}

struct PlainServer(Server);

impl PlainServer {
    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.0.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream
    }

    /// Sends bytes and reads until the server closes, or answers and waits.
    fn talk(&self, bytes: &[u8]) -> String {
        let mut stream = self.connect();
        stream.write_all(bytes).unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn still_there(&self) {
        let answer =
            self.talk(b"GET /version HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }
}

#[test]
fn more_requests_than_there_is_room_for_get_429() {
    let server = Server::with(|app| {
        app.limits.writing_max = 1;
        app.limits.queue_max = 0;
    });
    let bob = server.user("root");
    assert_eq!(bob.get(CONFIG_MAPS).code, 200);
    // A body that does not end keeps the only place.
    let held = server.runtime.block_on(async {
        use tokio::io::AsyncWriteExt;
        let mut stream = server.anonymous().connect(&[b"http/1.1"]).await.unwrap();
        let head = "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews HTTP/1.1\r\n\
            host: localhost\r\nauthorization: Bearer bob-token\r\ncontent-length: 100\r\n\r\n{";
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.flush().await.unwrap();
        stream
    });
    let ask = ordain_value::value!({"apiVersion": "authentication.k8s.io/v1",
        "kind": "SelfSubjectReview"});
    let path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    let deadline = Instant::now() + Duration::from_secs(10);
    let refused = loop {
        let answer = server.user("ann").post(path, &ask);
        if answer.code != 201 || Instant::now() > deadline {
            break answer;
        }
    };
    assert_eq!(refused.code, 429);
    assert_eq!(refused.headers["retry-after"], "1");
    assert_eq!(refused.text(), "Too many requests, please try again later.\n");
    // Reading has places of its own, and masters are not refused.
    assert_eq!(server.user("ann").get("/apis").code, 200);
    assert_eq!(server.user("root").post(path, &ask).code, 201);
    drop(held);
}

#[test]
fn a_request_that_takes_too_long_gets_504() {
    let server = open_server(|app| app.limits.request_timeout = Duration::from_millis(200));
    let mut stream = server.connect();
    let head = "POST /api/v1/namespaces HTTP/1.1\r\nhost: localhost\r\n\
        content-type: application/json\r\ncontent-length: 9\r\n\r\n{";
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = vec![0; 4096];
    let len = stream.read(&mut answer).unwrap();
    let answer = String::from_utf8_lossy(&answer[..len]);
    assert!(answer.starts_with("HTTP/1.1 504"), "{answer}");
    assert!(answer.contains("request did not complete within the allotted timeout"), "{answer}");
    server.still_there();
}

#[test]
fn clients_may_ask_for_less_time() {
    let server = Server::start();
    let answer = server.admin().get("/api/v1/namespaces?timeout=zork");
    assert_eq!(answer.code, 400);
    assert_eq!(
        answer.message(),
        "invalid timeout specified in the request URL - time: invalid duration \"zork\""
    );
    assert_eq!(server.admin().get("/api/v1/namespaces?timeout=1h").code, 200);
}

#[test]
fn s13_headers_that_never_end_are_cut() {
    let server = open_server(|app| app.limits.header_read_timeout = Duration::from_millis(300));
    let mut streams: Vec<TcpStream> = (0..50).map(|_| server.connect()).collect();
    for stream in &mut streams {
        stream.write_all(b"GET /version HTTP/1.1\r\nhost: localhost\r\nx: ").unwrap();
    }
    server.still_there();
    for stream in &mut streams {
        let mut rest = Vec::new();
        // Closed, with an answer or without.
        let _ = stream.read_to_end(&mut rest);
    }
    server.still_there();
}

#[test]
fn headers_have_a_limit_in_bytes_and_number() {
    let server = open_server(|_| {});
    let huge =
        format!("GET /version HTTP/1.1\r\nhost: localhost\r\nx: {}\r\n\r\n", "a".repeat(2 << 20));
    let answer = server.talk(huge.as_bytes());
    assert!(!answer.starts_with("HTTP/1.1 200"), "{}", &answer[..answer.len().min(80)]);
    let many: String = (0..1000).map(|number| format!("x-{number}: 1\r\n")).collect();
    let answer =
        server.talk(format!("GET /version HTTP/1.1\r\nhost: localhost\r\n{many}\r\n").as_bytes());
    assert!(answer.starts_with("HTTP/1.1 431"), "{}", &answer[..answer.len().min(80)]);
    server.still_there();
}

#[test]
fn s21_ambiguous_requests_are_refused() {
    let server = open_server(|_| {});
    for head in [
        "content-length: 3\r\ncontent-length: 4\r\n",
        "transfer-encoding : chunked\r\n",
        "content-length: -1\r\n",
        "x: a\r\n b\r\n",
    ] {
        let request = format!(
            "POST /api/v1/namespaces HTTP/1.1\r\nhost: localhost\r\n{head}connection: close\r\n\r\n0\r\n\r\n"
        );
        let answer = server.talk(request.as_bytes());
        assert!(answer.starts_with("HTTP/1.1 400"), "{head:?}: {answer}");
    }
    let hosts = "host: localhost\r\n".repeat(2);
    let request = format!("GET /version HTTP/1.1\r\n{hosts}connection: close\r\n\r\n");
    let answer = server.talk(request.as_bytes());
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
    server.still_there();
}

#[test]
fn s20_nothing_is_upgraded() {
    let server = open_server(|_| {});
    let answer = server.talk(
        b"GET /version HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade, close\r\nupgrade: websocket\r\n\r\n",
    );
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let answer = server
        .talk(b"CONNECT localhost:1 HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
    assert!(answer.starts_with("HTTP/1.1 4"), "{answer}");
    server.still_there();
}

#[test]
fn s34_names_of_other_hosts_do_not_reach_an_open_server() {
    let server = open_server(|_| {});
    for (host, code) in [
        ("localhost", "200"),
        ("localhost:8080", "200"),
        ("127.0.0.1:8080", "200"),
        ("[::1]:8080", "200"),
        ("evil.example.com", "403"),
        ("localhost.evil.example.com:8080", "403"),
    ] {
        let request = format!("GET /version HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
        let answer = server.talk(request.as_bytes());
        assert!(answer.starts_with(&format!("HTTP/1.1 {code}")), "{host}: {answer}");
        assert!(!answer.to_ascii_lowercase().contains("access-control"), "{answer}");
    }
}

#[test]
fn connections_beyond_the_limit_wait() {
    let server = open_server(|app| app.limits.connections_max = 2);
    let (first, second) = (server.connect(), server.connect());
    let mut third = server.connect();
    third
        .write_all(b"GET /version HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
        .unwrap();
    third.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
    let mut byte = [0; 1];
    assert!(third.read(&mut byte).is_err(), "a third connection was answered");
    drop((first, second));
    third.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let mut answer = String::new();
    third.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

#[test]
fn s11_streams_that_are_reset_at_once_end_the_connection() {
    let server = Server::start();
    server.runtime.block_on(async {
        let admin = server.admin();
        let (mut sender, connection) = admin.open_http2().await;
        let mut sent = 0;
        while sent < 20_000 && !connection.is_finished() && !sender.is_closed() {
            if sender.ready().await.is_err() {
                break;
            }
            // Dropped before the answer is there, which resets the stream.
            let pending = sender.send_request(admin.request("GET", CONFIG_MAPS, &[], None));
            let _ = tokio::time::timeout(Duration::from_micros(1), pending).await;
            sent += 1;
        }
        drop(sender);
        connection.abort();
    });
    assert_eq!(server.admin().get("/version").code, 200);
}

/// A frame of HTTP/2.
fn frame(ty: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let len = u32::try_from(payload.len()).unwrap().to_be_bytes();
    let mut out = len[1..].to_vec();
    out.extend([ty, flags]);
    out.extend(stream.to_be_bytes());
    out.extend(payload);
    out
}

/// Sends a frame again and again until the connection is closed, at most so often; tells whether it
/// was closed.
async fn flood(server: &Server, first: &[Vec<u8>], again: &[u8], most: usize) -> bool {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let stream = server.admin().connect(&[b"h2"]).await.unwrap();
    let (mut from, mut to) = tokio::io::split(stream);
    let reading = tokio::spawn(async move {
        let mut piece = vec![0; 64 * 1024];
        while matches!(from.read(&mut piece).await, Ok(1..)) {}
    });
    let mut begun = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
    begun.extend(frame(4, 0, 0, &[]));
    first.iter().for_each(|frame| begun.extend(frame));
    to.write_all(&begun).await.unwrap();
    let many = again.repeat(100);
    for _ in 0..most / 100 {
        if reading.is_finished() || to.write_all(&many).await.is_err() {
            return true;
        }
    }
    reading.abort();
    false
}

#[test]
fn s12_floods_of_frames_are_borne_or_end_the_connection() {
    let server = Server::start();
    server.runtime.block_on(async {
        // A request whose headers never end.
        let opened = [frame(1, 0, 1, &[0x82, 0x87, 0x84])];
        let more = frame(9, 0, 1, &[0; 1_000]);
        assert!(flood(&server, &opened, &more, 100_000).await, "headers without end are taken");
        let empty = frame(9, 0, 1, &[]);
        assert!(flood(&server, &opened, &empty, 1_000_000).await, "empty headers are taken");
        // What has to be answered, and what has to be looked at.
        flood(&server, &[], &frame(6, 0, 0, &[7; 8]), 50_000).await;
        flood(&server, &[], &frame(4, 0, 0, &[]), 50_000).await;
        flood(&server, &[], &frame(2, 0, 1, &[0, 0, 0, 3, 9]), 50_000).await;
        let body = [frame(1, 4, 1, &[0x83, 0x87, 0x84])];
        flood(&server, &body, &frame(0, 0, 1, &[]), 50_000).await;
    });
    assert_eq!(server.admin().get("/version").code, 200);
}

#[test]
fn strangers_get_one_request_for_each_connection_of_http2() {
    let server = Server::start();
    server.runtime.block_on(async {
        let nobody = server.anonymous();
        let (mut sender, connection) = nobody.open_http2().await;
        let response = sender.send_request(nobody.request("GET", "/healthz", &[], None)).await;
        let response = response.unwrap();
        assert_eq!(response.status(), 200);
        response.into_body().collect().await.unwrap();
        tokio::time::timeout(Duration::from_secs(10), connection).await.unwrap().unwrap();
        assert!(sender.is_closed());
        // Who is known may go on.
        let admin = server.admin();
        let (mut sender, _connection) = admin.open_http2().await;
        for _ in 0..5 {
            let response = sender.send_request(admin.request("GET", CONFIG_MAPS, &[], None)).await;
            assert_eq!(response.unwrap().status(), 200);
        }
    });
}

#[test]
fn the_refusal_of_a_body_reaches_a_stranger_on_http2() {
    let server = Server::start();
    server.runtime.block_on(async {
        for len in [10, 2_000_000] {
            let nobody = server.anonymous();
            let (mut sender, _connection) = nobody.open_http2().await;
            let body =
                value!({"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": ("x".repeat(len))}});
            let request = nobody.request("POST", CONFIG_MAPS, &[], Some(&body));
            let response = sender.send_request(request).await.unwrap();
            assert_eq!(response.status(), 401);
            let body = response.into_body().collect().await.unwrap().to_bytes();
            assert!(String::from_utf8_lossy(&body).contains("Unauthorized"), "{body:?}");
        }
    });
}

#[test]
fn s34_pages_of_others_do_not_reach_an_open_server() {
    let server = open_server(|_| {});
    let ask = |headers: &str, body: &str| {
        let length = body.len();
        let request = format!(
            "POST /api/v1/namespaces HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
             content-length: {length}\r\n{headers}\r\n{body}"
        );
        server.talk(request.as_bytes()).split(' ').nth(1).unwrap().to_owned()
    };
    let json = "content-type: application/json\r\n";
    let body = |name: &str| {
        format!(r#"{{"apiVersion":"v1","kind":"Namespace","metadata":{{"name":"{name}"}}}}"#)
    };
    let evil = format!("{json}origin: http://evil.example.com\r\n");
    assert_eq!(ask(&evil, &body("a")), "403");
    assert_eq!(ask(&format!("{json}sec-fetch-site: cross-site\r\n"), &body("a")), "403");
    assert_eq!(ask("content-type: text/plain\r\n", &body("a")), "415");
    assert_eq!(ask("", &body("a")), "415");
    let own = format!("{json}origin: http://localhost\r\nsec-fetch-site: same-origin\r\n");
    assert_eq!(ask(&own, &body("b")), "201");
    assert_eq!(ask(json, &body("c")), "201");
}

#[test]
fn s37_a_watch_of_a_million_years_is_no_panic() {
    let server = Server::start();
    let path = format!("{CONFIG_MAPS}?watch=true&timeoutSeconds=9223372036854775807");
    let head = server.runtime.block_on(server.admin().send("GET", &path, &[], None));
    assert_eq!(head.unwrap().status(), 200);
}

/// More than the buffers of a connection take, in a few objects.
fn fill(server: &PlainServer) {
    let text = "x".repeat(900_000);
    for at in 0..12 {
        let body = format!(
            r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"m{at}"}},"data":{{"k":"{text}"}}}}"#
        );
        let head = format!(
            "POST {CONFIG_MAPS} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        let answer = server.talk(format!("{head}{body}").as_bytes());
        assert!(answer.starts_with("HTTP/1.1 201"), "{}", &answer[..200.min(answer.len())]);
    }
}

/// Asks for something large and reads nothing of it for five seconds.
fn stall(server: &PlainServer, path: &str) {
    let mut stalled = server.connect();
    stalled
        .write_all(format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n").as_bytes())
        .unwrap();
    std::thread::sleep(Duration::from_secs(5));
    // Whatever was on its way is there; the rest never comes, and the connection is closed.
    let mut rest = Vec::new();
    let read = stalled.read_to_end(&mut rest);
    let waits = |error: &std::io::Error| {
        matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut)
    };
    assert!(!read.as_ref().is_err_and(waits), "the connection is still open: {read:?}");
    assert!(!rest.ends_with(b"0\r\n\r\n"), "all of it came, {} bytes", rest.len());
    server.still_there();
}

#[test]
fn a_reader_that_does_not_read_is_cut() {
    let server = open_server(|app| app.limits.request_timeout = Duration::from_secs(2));
    fill(&server);
    stall(&server, CONFIG_MAPS);
}

#[test]
fn a_watcher_that_does_not_read_is_cut_after_its_end() {
    let server = open_server(|app| app.limits.request_timeout = Duration::from_secs(2));
    fill(&server);
    stall(&server, &format!("{CONFIG_MAPS}?watch=true&timeoutSeconds=1"));
}

#[test]
fn an_answer_keeps_its_place_until_it_is_taken() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let server = Server::with(|app| {
        app.limits.reading_max = 1;
        app.limits.queue_max = 0;
        app.limits.request_timeout = Duration::from_secs(5);
    });
    let rule = value!({"apiGroups": [""], "resources": ["configmaps"], "verbs": ["list"]});
    for user in ["bob", "ann"] {
        grant(&server, user, value!([rule.clone()]), user);
    }
    for at in 0..12 {
        let map = value!({"apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": (format!("m{at}"))}, "data": {"k": ("x".repeat(900_000))}});
        server.create(CONFIG_MAPS, &map);
    }
    let path = format!("{CONFIG_MAPS}?limit=500");
    let head = format!(
        "GET {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer bob-token\r\n\r\n"
    );
    let stalled = server.runtime.block_on(async {
        let mut stream = server.anonymous().connect(&[b"http/1.1"]).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut first = [0; 12];
        stream.read_exact(&mut first).await.unwrap();
        assert_eq!(&first[9..], b"200");
        stream
    });
    let few = format!("{CONFIG_MAPS}?limit=1");
    assert_eq!(server.user("ann").get(&few).code, 429);
    let patience = Instant::now() + Duration::from_secs(20);
    while server.user("ann").get(&few).code != 200 {
        assert!(Instant::now() < patience, "the place never comes back");
        std::thread::sleep(Duration::from_millis(100));
    }
    drop(stalled);
}
