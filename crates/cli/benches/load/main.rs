//! The server under load, over HTTPS, in one run on one disk with a real etcd as the measure.
//!
//! `cargo bench -p ordain-cli --bench load [-- SECONDS] [--objects N] [--watchers N] [--beside]`.
//! With `--beside` only what is compared with hyper alone.
//! Data lies under `ORDAIN_BENCH_DIRECTORY` (or the current directory). `etcd` in the PATH is compared when it is there.
//! With `ORDAIN_SHARED` the objects are HTTPRoutes under the Gateway API's own definition, else routes of an example.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::panic,
    reason = "a benchmark stops at the first problem and prints its figures"
)]

mod bare;
mod client;
#[path = "../../../storage-etcd/benches/process/mod.rs"]
mod etcd;
#[path = "../../../storage/benches/measure/mod.rs"]
mod measure;
mod native;
mod peer;
mod process;
mod subject;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bare::Bare;
use client::{Access, Connection};
use process::{Driven, Server};
use subject::Subject;

const CLIENTS: usize = 64;

/// kube-apiserver 1.36 with etcd on 2 cores, requests per second on an HTTPRoute with rules.
const PEER_CREATES: f64 = 390.0;
const PEER_GETS: f64 = 1480.0;
const PEER_LISTS: f64 = 46.0;

struct Asked {
    duration: Duration,
    objects: usize,
    watchers: usize,
    /// Nothing but requests beside hyper alone.
    beside: bool,
}

fn asked() -> Asked {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let after = |flag: &str| {
        let at = words.iter().position(|word| word == flag)?;
        words.get(at + 1)?.parse::<usize>().ok()
    };
    let seconds = words.first().and_then(|word| word.parse().ok()).unwrap_or(5);
    Asked {
        duration: Duration::from_secs(seconds),
        objects: after("--objects").unwrap_or(100_000),
        watchers: after("--watchers").unwrap_or(1000),
        beside: words.iter().any(|word| word == "--beside"),
    }
}

fn main() {
    bare::serve_if_asked();
    let asked = asked();
    let base = std::env::var("ORDAIN_BENCH_DIRECTORY").unwrap_or_else(|_| ".".to_owned());
    let directory = tempfile::tempdir_in(base).unwrap();
    println!(
        "one write of 4 KiB and its sync: median {:?}",
        measure::sync_latency(directory.path())
    );
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let mut puts = None;
        if !asked.beside {
            start_up(directory.path()).await;
            puts = peer::etcd_puts_per_second(directory.path(), CLIENTS, asked.duration).await;
        }
        let subject = Subject::find();
        let server = Server::start(&directory.path().join("load")).await;
        let access = server.access();
        subject.define(&access).await;
        let rates = requests(&server, &subject, puts, asked.duration).await;
        let data = directory.path().join("load");
        limits(directory.path(), &data, &server, &subject, &rates, asked.duration).await;
        if asked.beside {
            return;
        }
        native_requests(&server, asked.duration).await;
        watch_fan_out(&server, &subject).await;
        drop(server);
        idle_watchers(directory.path(), &subject, asked.watchers).await;
        paged_list(directory.path(), &subject, asked.objects).await;
    });
}

/// Time from exec until the first answer, and memory with twenty definitions.
async fn start_up(directory: &std::path::Path) {
    let place = directory.join("start");
    let server = Server::start(&place).await;
    println!("first start (certificates made): ready after {:?}", server.ready_after);
    let access = server.access();
    for number in 0..20 {
        subject::define_numbered(&access, number).await;
    }
    drop(server);
    let mut times = Vec::new();
    for _ in 0..5 {
        let server = Server::start(&place).await;
        times.push(server.ready_after);
        if times.len() == 5 {
            tokio::time::sleep(Duration::from_millis(500)).await;
            let kib = server.resident_kib();
            println!(
                "start with 20 definitions: ready after {:?} (median of 5), {:.1} MB resident  (bars: 50 ms, 25 MB)",
                median(&mut times),
                kib as f64 / 1024.0
            );
        }
    }
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

async fn requests(
    server: &Server,
    subject: &Subject,
    puts: Option<f64>,
    duration: Duration,
) -> [Rate; 3] {
    let creates =
        drive(server, duration, |client, number| subject.create(&format!("r-{client}-{number}")))
            .await;
    creates.print("create", Some(PEER_CREATES));
    if let Some(puts) = puts {
        println!(
            "  durable creates over HTTPS per raw etcd put: {:.2}  (bar 1.0)",
            creates.rate / puts
        );
    }
    let gets = drive(server, duration, |client, _| subject.get(&format!("r-{client}-0"))).await;
    gets.print("GET", Some(PEER_GETS));
    let lists = drive(server, duration, |_, _| subject.list(500)).await;
    lists.print("LIST of 500", Some(PEER_LISTS));
    [creates, gets, lists]
}

/// What the same answers cost a server that does nothing else.
async fn limits(
    folder: &std::path::Path,
    data: &std::path::Path,
    server: &Server,
    subject: &Subject,
    rates: &[Rate; 3],
    duration: Duration,
) {
    let bare = Bare::start(folder, data, &server.access(), subject).await;
    let creates =
        drive(&bare, duration, |client, number| subject.create(&format!("{client}-{number}")))
            .await;
    let gets = drive(&bare, duration, |client, _| subject.get(&format!("r-{client}-0"))).await;
    let lists = drive(&bare, duration, |_, _| subject.list(500)).await;
    println!("hyper and rustls alone, with the same answers:");
    let names = [("create", 2.0), ("GET", 1.5), ("LIST of 500", 1.5)];
    for (((name, aim), limit), rate) in names.iter().zip([creates, gets, lists]).zip(rates) {
        limit.print(name, None);
        println!("  the server takes {:.2} times that  (aim {aim:.1})", rate.micros / limit.micros);
    }
}

/// The same of kinds of Kubernetes itself, in both forms.
async fn native_requests(server: &Server, duration: Duration) {
    for kind in &native::Kind::all() {
        for form in native::Form::ALL {
            let (form_name, name) = (form.name(), kind.name);
            let named = |client: usize, number: usize| {
                format!("{}-{client}-{number}", form_name.to_lowercase())
            };
            println!("{name}, {form_name}:");
            drive(server, duration, |client, number| kind.create(form, &named(client, number)))
                .await
                .print("create", None);
            drive(server, duration, |client, _| kind.get(form, &named(client, 0)))
                .await
                .print("GET", None);
            drive(server, duration, |_, _| kind.list(form, 500)).await.print("LIST of 500", None);
        }
    }
}

struct Rate {
    rate: f64,
    micros: f64,
}

impl Rate {
    fn print(&self, what: &str, peer: Option<f64>) {
        let against = peer.map_or(String::new(), |peer| {
            format!("  {:.1} times kube-apiserver's {peer}", self.rate / peer)
        });
        println!(
            "{what:<14} {:>9.0}/s  {:>8.0} us of server CPU each{against}",
            self.rate, self.micros
        );
    }
}

/// Sends what `request` makes from 64 connections as fast as they are answered.
async fn drive(
    server: &impl Driven,
    duration: Duration,
    request: impl Fn(usize, usize) -> Vec<u8>,
) -> Rate {
    let request = &request;
    let access = server.access();
    let mut connections = Vec::new();
    for _ in 0..CLIENTS {
        connections.push(Connection::open(&access).await);
    }
    let done = AtomicU64::new(0);
    let (cpu, start) = (server.cpu(), Instant::now());
    let done_by = &done;
    futures_util::future::join_all(connections.into_iter().enumerate().map(
        |(client, mut connection)| async move {
            for number in 0.. {
                let code = connection.exchange(&request(client, number)).await;
                assert!(code < 300, "answered {code}");
                done_by.fetch_add(1, Ordering::Relaxed);
                if start.elapsed() >= duration {
                    break;
                }
            }
        },
    ))
    .await;
    let (elapsed, cpu) = (start.elapsed(), server.cpu() - cpu);
    let done = done.load(Ordering::Relaxed) as f64;
    Rate { rate: done / elapsed.as_secs_f64(), micros: cpu.as_micros() as f64 / done }
}

/// Server CPU for one event that a hundred watchers hear of.
async fn watch_fan_out(server: &Server, subject: &Subject) {
    const WATCHERS: usize = 100;
    const EVENTS: usize = 200;
    let access = server.access();
    let heard = Arc::new(AtomicU64::new(0));
    let mut tasks = Vec::new();
    for _ in 0..WATCHERS {
        let mut connection = Connection::open(&access).await;
        connection.send(&subject.watch(Some("watched=yes"))).await;
        connection.head().await;
        let heard = Arc::clone(&heard);
        tasks.push(tokio::spawn(async move {
            while connection.next_event().await {
                heard.fetch_add(1, Ordering::Relaxed);
            }
        }));
    }
    let mut writer = Connection::open(&access).await;
    let cpu = server.cpu();
    for number in 0..EVENTS {
        let code = writer
            .exchange(&subject.create_labelled(&format!("w-{number}"), "watched", "yes"))
            .await;
        assert!(code < 300, "answered {code}");
    }
    let expected = (WATCHERS * EVENTS) as u64;
    let deadline = Instant::now() + Duration::from_secs(20);
    while heard.load(Ordering::Relaxed) < expected && Instant::now() < deadline {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let heard = heard.load(Ordering::Relaxed);
    assert_eq!(heard, expected, "events heard");
    let micros = (server.cpu() - cpu).as_micros() as f64 / EVENTS as f64;
    println!(
        "one create heard by {WATCHERS} watchers: {micros:.0} us of server CPU, {:.1} us a watcher",
        micros / WATCHERS as f64
    );
    tasks.iter().for_each(tokio::task::JoinHandle::abort);
}

async fn idle_watchers(directory: &std::path::Path, subject: &Subject, count: usize) {
    let server = Server::start(&directory.join("idle")).await;
    let access = server.access();
    subject.define(&access).await;
    let mut held = Vec::new();
    for _ in 0..10 {
        held.push(watch(&access, subject).await);
    }
    let before = server.resident_kib();
    for _ in 0..count {
        held.push(watch(&access, subject).await);
    }
    let grown = server.resident_kib().saturating_sub(before);
    println!("{count} idle watchers: {:.1} KiB each  (bar 64)", grown as f64 / count as f64);
}

async fn watch(access: &Access, subject: &Subject) -> Connection {
    let mut connection = Connection::open(access).await;
    connection.send(&subject.watch(None)).await;
    connection.head().await;
    connection
}

/// Lists many objects in pages and looks at the server's memory on the way.
async fn paged_list(directory: &std::path::Path, subject: &Subject, objects: usize) {
    let server = Server::start(&directory.join("pages")).await;
    let access = server.access();
    subject.define(&access).await;
    let start = Instant::now();
    let each = objects.div_ceil(CLIENTS);
    let (access, subject) = (&access, subject);
    futures_util::future::join_all((0..CLIENTS).map(|client| async move {
        let mut connection = Connection::open(access).await;
        for number in 0..each.min(objects.saturating_sub(client * each)) {
            connection.exchange(&subject.create(&format!("p-{client:02}-{number:06}"))).await;
        }
    }))
    .await;
    println!("{objects} objects created in {:.1?}", start.elapsed());
    let before = server.resident_kib();
    let mut connection = Connection::open(access).await;
    let (mut seen, mut pages, mut most, mut token) = (0, 0, before, None);
    let start = Instant::now();
    loop {
        let page = connection.page(&subject.page(500, token.as_deref())).await;
        (seen, pages, most) = (seen + page.items, pages + 1, most.max(server.resident_kib()));
        token = page.token;
        if token.is_none() {
            break;
        }
    }
    assert_eq!(seen, objects, "objects listed");
    println!(
        "{seen} objects listed in {pages} pages of 500 in {:.1?}: memory {:.1} MB before, at most {:.1} MB",
        start.elapsed(),
        before as f64 / 1024.0,
        most as f64 / 1024.0
    );
}
