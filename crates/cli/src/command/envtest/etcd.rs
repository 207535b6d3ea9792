//! etcd, as far as envtest looks: a process that says it is healthy until it is told to stop. The
//! server beside it keeps objects in memory.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use super::super::{Failure, say};

const HELP: &str = "etcd for tests, served by ordain: it keeps nothing.

Usage:
  etcd [flags]

Flags:
  --advertise-client-urls URLS
  --data-dir DIR
  --listen-client-urls URLS
  --listen-peer-urls URLS
  --unsafe-no-fsync
";

/// Flags that envtest and its users pass; all but one have no effect.
const FLAGS: [&str; 12] = [
    "advertise-client-urls",
    "data-dir",
    "listen-client-urls",
    "listen-peer-urls",
    "unsafe-no-fsync",
    "name",
    "log-level",
    "logger",
    "initial-cluster",
    "initial-advertise-peer-urls",
    "quota-backend-bytes",
    "max-request-bytes",
];

/// Runs until the process is told to stop.
pub(crate) fn run(given: &[String]) -> Result<(), Failure> {
    let mut listen = "http://127.0.0.1:2379".to_owned();
    for argument in given {
        let flag = argument.trim_start_matches('-');
        let (name, value) = flag.split_once('=').unwrap_or((flag, "true"));
        if matches!(name, "help" | "h") {
            say(HELP.trim_end());
            return Ok(());
        }
        if name == "version" {
            say("etcd Version: 3.6.0 (ordain)");
            return Ok(());
        }
        if !FLAGS.contains(&name) {
            return Err(format!("unknown flag --{name}; `etcd --help` lists those that are taken"));
        }
        if name == "listen-client-urls" {
            listen = value.split(',').next().unwrap_or(value).to_owned();
        }
    }
    let address = listen.strip_prefix("http://").ok_or("only http:// addresses are served")?;
    let listener = TcpListener::bind(address.trim_end_matches('/'))
        .map_err(|error| format!("cannot listen on {listen}: {error}"))?;
    for stream in listener.incoming().flatten() {
        // A caller that does not speak must not keep the next one waiting.
        std::thread::spawn(move || drop(answer(stream)));
    }
    Ok(())
}

/// Answers one request: health and version, and nothing else.
fn answer(mut stream: TcpStream) -> std::io::Result<()> {
    let limit = Some(Duration::from_secs(5));
    stream.set_read_timeout(limit)?;
    stream.set_write_timeout(limit)?;
    let mut head = [0_u8; 1024];
    let read = stream.read(&mut head)?;
    let line = String::from_utf8_lossy(head.get(..read).unwrap_or_default());
    let path = line.split_whitespace().nth(1).unwrap_or("");
    let (code, body) = match path {
        "/health" => ("200 OK", r#"{"health":"true","reason":""}"#),
        "/version" => ("200 OK", r#"{"etcdserver":"3.6.0-ordain","etcdcluster":"3.6.0"}"#),
        _ => ("404 Not Found", "404 page not found"),
    };
    let len = body.len();
    write!(
        stream,
        "HTTP/1.1 {code}\r\nContent-Type: application/json\r\nContent-Length: {len}\r\n\
         Connection: close\r\n\r\n{body}"
    )
}
