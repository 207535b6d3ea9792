//! What grows with what is stored: memory, start, pages, creates, definitions, watchers, each at
//! three sizes, and the exponent of its growth (0: not at all, 1: as the size does).
//!
//! `cargo bench -p ordain-testkit --bench scale [-- OBJECTS [DEFINITIONS [WATCHERS]]]`; the largest
//! sizes, 1,000,000, 5,000 and 10,000 unless told otherwise. Data lies under
//! `ORDAIN_BENCH_DIRECTORY` (or the current folder). `ORDAIN_BENCH_ETCD=http://127.0.0.1:2379` keeps
//! objects there, which has to be empty.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a benchmark stops at the first problem and prints its figures"
)]

#[path = "../program/mod.rs"]
mod program;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, Instant};

use ordain_testkit::Client;
use ordain_value::Value;
use program::{DEFINITIONS, KEEP, Server, THINGS, definition, fill, send, thing};

const JSON: &str = "application/json";
/// Sizes below the largest.
const STEPS: [usize; 3] = [100, 10, 1];
/// A start is measured so many times.
const STARTS: usize = 3;

/// One row of figures, at each size.
struct Row {
    name: &'static str,
    figures: Vec<f64>,
    unit: &'static str,
}

#[derive(Default)]
struct Table(Vec<Row>);

impl Table {
    fn add(&mut self, name: &'static str, unit: &'static str, figure: f64) {
        match self.0.iter_mut().find(|row| row.name == name) {
            Some(row) => row.figures.push(figure),
            None => self.0.push(Row { name, figures: vec![figure], unit }),
        }
    }

    /// Sizes grow tenfold from column to column.
    fn print(&self, title: &str) {
        println!("\n{title:34} {:>12} {:>12} {:>12}   growth", "1x", "10x", "100x");
        for Row { name, figures, unit } in &self.0 {
            let shown: Vec<String> =
                figures.iter().map(|it| format!("{it:>9.2} {unit:>2}")).collect();
            let first = figures.first().copied().unwrap_or(1.0).max(1e-9);
            let last = figures.last().copied().unwrap_or(1.0).max(1e-9);
            let exponent = (last / first).log10() / (figures.len().max(2) - 1) as f64;
            println!("{name:34} {}   {exponent:+.2}", shown.join(" "));
        }
    }
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1e3
}

/// The median time of a call, in milliseconds.
fn timed(count: usize, mut call: impl FnMut(usize)) -> f64 {
    let one = |at: usize| {
        let began = Instant::now();
        call(at);
        began.elapsed()
    };
    median((0..count).map(one).collect())
}

fn get(client: &mut Client, path: &str) -> Value {
    let answer = send(client, "GET", path, JSON, Vec::new());
    assert_eq!(answer.code, 200, "{path}: {:?}", answer.body);
    answer.body
}

fn store_of(data: &Path) -> Vec<String> {
    let words = match std::env::var("ORDAIN_BENCH_ETCD") {
        Ok(url) => vec!["--store".to_owned(), "etcd".to_owned(), "--etcd-servers".to_owned(), url],
        Err(_) => Vec::new(),
    };
    words.into_iter().chain(["--data-dir".to_owned(), data.display().to_string()]).collect()
}

fn start(program: &Path, data: &Path) -> Server {
    let arguments = store_of(data);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    Server::start(program, &arguments)
}

/// The continue token behind half of the objects.
fn middle(client: &mut Client, len: usize) -> String {
    let page = (len / 2).min(5_000);
    let (mut token, mut seen) = (String::new(), 0);
    while seen < len / 2 {
        let body = get(client, &format!("{THINGS}?limit={page}&continue={token}"));
        token =
            body.get_path(&["metadata", "continue"]).and_then(Value::as_str).unwrap().to_owned();
        seen += page;
    }
    token
}

fn objects(program: &Path, data: &Path, most: usize) {
    let mut table = Table::default();
    let mut filled = 0;
    for step in STEPS {
        let len = (most / step).max(1);
        let server = start(program, data);
        let mut client = server.client();
        if filled == 0 {
            let made =
                send(&mut client, "POST", DEFINITIONS, JSON, definition("things", "Thing", KEEP));
            assert_eq!(made.code, 201, "{:?}", made.body);
        }
        let began = Instant::now();
        fill(&server, filled..len, 800);
        let rate = (len - filled) as f64 / began.elapsed().as_secs_f64();
        filled = len;
        // Few beside those that are there, so that the sizes stay ten times each other.
        let created = timed((len / 10).clamp(1, 200), |at| {
            let body = thing(&format!("one{len}-{at}"), 800);
            assert_eq!(send(&mut client, "POST", THINGS, JSON, body).code, 201);
        });
        table.add("create, one after the other", "ms", created);
        println!("{len} objects: {rate:.0} creates/s by 16 connections");
        table.add(
            "GET",
            "ms",
            timed(200, |at| drop(get(&mut client, &format!("{THINGS}/t{:08}", at % len)))),
        );
        let token = middle(&mut client, len);
        for (name, path) in [
            ("first page of 1", format!("{THINGS}?limit=1")),
            ("first page of 500", format!("{THINGS}?limit=500")),
            ("page of 1 in the middle", format!("{THINGS}?limit=1&continue={token}")),
            ("page of 500 in the middle", format!("{THINGS}?limit=500&continue={token}")),
        ] {
            table.add(name, "ms", timed(30, |_| drop(get(&mut client, &path))));
        }
        table.add("memory", "MB", server.resident());
        server.stop();
        let (mut ready, mut first) = (Vec::new(), Vec::new());
        for _ in 0..STARTS {
            let server = start(program, data);
            ready.push(server.ready_after);
            let began = Instant::now();
            get(&mut server.client(), &format!("{THINGS}?limit=1"));
            first.push(began.elapsed());
            server.stop();
        }
        table.add("start", "ms", median(ready));
        table.add("first page after a start", "ms", median(first));
    }
    table.print(&format!("{most} objects of 1 KB at 100x"));
}

fn kinds(program: &Path, data: &Path, most: usize) {
    let mut table = Table::default();
    let mut defined = 0;
    for step in STEPS {
        let len = (most / step).max(1);
        let server = start(program, data);
        let mut client = server.client();
        let mut define = |at: usize| {
            let body = definition(&format!("kinds{at}"), &format!("Kind{at}"), KEEP);
            let answer = send(&mut client, "POST", DEFINITIONS, JSON, body);
            assert_eq!(answer.code, 201, "{:?}", answer.body);
        };
        let last = (len - defined).min(20);
        for at in defined..len - last {
            define(at);
        }
        table.add("create of a definition", "ms", timed(last, |at| define(len - last + at)));
        defined = len;
        table.add("memory", "MB", server.resident());
        server.stop();
        let starts = (0..STARTS).map(|_| {
            let server = start(program, data);
            let ready_after = server.ready_after;
            server.stop();
            ready_after
        });
        table.add("start", "ms", median(starts.collect()));
    }
    table.print(&format!("{most} definitions at 100x"));
}

fn watchers(program: &Path, most: usize) {
    let mut table = Table::default();
    for step in STEPS {
        let len = (most / step).max(1);
        let server = Server::start(program, &["--store", "memory"]);
        let mut client = server.client();
        let made =
            send(&mut client, "POST", DEFINITIONS, JSON, definition("things", "Thing", KEEP));
        assert_eq!(made.code, 201);
        let before = server.resident();
        let mut streams: Vec<TcpStream> = (0..len)
            .map(|_| {
                let mut stream = TcpStream::connect(server.address).unwrap();
                let head = format!("GET {THINGS}?watch=1 HTTP/1.1\r\nhost: localhost\r\n\r\n");
                stream.write_all(head.as_bytes()).unwrap();
                let mut first = [0; 12];
                stream.read_exact(&mut first).unwrap();
                assert_eq!(&first[9..], b"200");
                stream
            })
            .collect();
        table.add("memory of each watcher", "KB", (server.resident() - before) * 1e3 / len as f64);
        let began = Instant::now();
        assert_eq!(send(&mut client, "POST", THINGS, JSON, thing("seen", 800)).code, 201);
        for stream in &mut streams {
            let mut piece = [0; 4096];
            let mut seen = Vec::new();
            while !seen.windows(7).any(|it| it == b"\"seen\",") {
                let len = stream.read(&mut piece).unwrap();
                assert!(len > 0, "a watch ended");
                seen.extend_from_slice(&piece[..len]);
            }
        }
        table.add("a change seen by all", "ms", began.elapsed().as_secs_f64() * 1e3);
    }
    table.print(&format!("{most} watchers at 100x"));
}

fn main() {
    let Some(program) = program::program() else { return };
    let words: Vec<usize> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    let size = |at: usize, usual: usize| words.get(at).copied().unwrap_or(usual);
    let base = std::env::var("ORDAIN_BENCH_DIRECTORY").unwrap_or_else(|_| ".".to_owned());
    let folder = Path::new(&base).join(format!("ordain-scale-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    objects(&program, &folder.join("objects"), size(0, 1_000_000));
    kinds(&program, &folder.join("kinds"), size(1, 5_000));
    watchers(&program, size(2, 10_000));
    std::fs::remove_dir_all(&folder).unwrap();
}
