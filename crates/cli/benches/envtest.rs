//! What a test suite feels: exec to ready, stop, resident memory and reset, for one server and for
//! fifty at a time, beside those of a real kube-apiserver with etcd.
//!
//! `cargo bench --bench envtest [-- COUNT]`

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a bench fails loudly and prints")]

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use ordain_value::{Value, json};

/// Measured with kube-apiserver 1.36.4 and etcd 3.6 as envtest starts them.
const REAL_READY: &str = "3 s and more";
const REAL_RESIDENT: &str = "314 MB";
const RESETS: u32 = 50;
const SERVERS: usize = 50;

struct Server {
    process: Child,
    reported: Value,
    ready: Duration,
}

impl Server {
    fn start() -> Self {
        let began = Instant::now();
        let mut process = Command::new(env!("CARGO_BIN_EXE_ordain"))
            .args(["test-server", "--insecure-http"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let ready = began.elapsed();
        Self { process, reported: json::decode(line.as_bytes()).unwrap(), ready }
    }

    fn text(&self, name: &str) -> &str {
        self.reported.get(name).and_then(Value::as_str).unwrap()
    }

    fn call(&self, agent: &ureq::Agent, what: &str) {
        let url = format!("{}{what}", self.text("testApi"));
        let request = agent.post(url).header("x-ordain-test-token", self.text("token"));
        request.send_empty().unwrap().body_mut().read_to_string().unwrap();
    }

    fn create(&self, agent: &ureq::Agent, name: &str) {
        let url = format!("{}/api/v1/namespaces/default/configmaps", self.text("url"));
        let body = format!(r#"{{"metadata":{{"name":"{name}"}},"data":{{"a":"b"}}}}"#);
        let request = agent.post(url).header("content-type", "application/json");
        request.send(body).unwrap().body_mut().read_to_string().unwrap();
    }

    /// Memory of its own in kilobytes, shared pages left out: (resident, private).
    fn memory(&self) -> (u64, u64) {
        let path = format!("/proc/{}/smaps_rollup", self.process.id());
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let sum = |wanted: &[&str]| {
            let lines = text.lines().filter(|line| wanted.iter().any(|it| line.starts_with(it)));
            lines.filter_map(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok()).sum()
        };
        (sum(&["Rss:"]), sum(&["Private_Clean:", "Private_Dirty:"]))
    }

    fn stop(mut self) -> Duration {
        let began = Instant::now();
        drop(self.process.stdin.take());
        self.process.wait().unwrap();
        began.elapsed()
    }
}

fn megabytes(kilobytes: u64) -> String {
    format!("{:.1} MB", kilobytes as f64 / 1024.0)
}

fn main() {
    let count = std::env::args().filter_map(|it| it.parse().ok()).next().unwrap_or(SERVERS);
    let agent: ureq::Agent = ureq::Agent::config_builder().build().into();
    let server = Server::start();
    server.create(&agent, "warm");
    server.call(&agent, "reset");
    let mut taken = Duration::ZERO;
    for turn in 0..RESETS {
        for number in 0..10 {
            server.create(&agent, &format!("m-{turn}-{number}"));
        }
        let began = Instant::now();
        server.call(&agent, "reset");
        taken += began.elapsed();
    }
    let (resident, _) = server.memory();
    println!("exec to ready   {:>10.1?}   real: {REAL_READY}", server.ready);
    println!("reset           {:>10.1?}   real: a new start", taken / RESETS);
    println!("resident        {:>10}   real: {REAL_RESIDENT}", megabytes(resident));
    println!("stop            {:>10.1?}", server.stop());
    let began = Instant::now();
    let servers: Vec<Server> = (0..count).map(|_| Server::start()).collect();
    let all = began.elapsed();
    let own: Vec<u64> = servers.iter().map(|it| it.memory().1).collect();
    let mut ready: Vec<Duration> = servers.iter().map(|it| it.ready).collect();
    ready.sort();
    let middle = ready.get(ready.len() / 2).copied().unwrap_or_default();
    let slowest = ready.last().copied().unwrap_or_default();
    println!(
        "{count} servers    {all:>10.1?}   exec to ready {middle:.1?}, the slowest {slowest:.1?}"
    );
    let mean = own.iter().sum::<u64>() / u64::try_from(own.len().max(1)).unwrap_or(1);
    println!("memory of each  {:>10}   that it shares with no other", megabytes(mean));
    for server in servers {
        server.stop();
    }
}
