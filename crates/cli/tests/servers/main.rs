//! Several servers on one etcd, as processes that are killed, paused, cut off and slowed down, and
//! what their clients were answered, checked as one history.
//!
//! `ORDAIN_HISTORIES=100` makes more of them, `ORDAIN_HISTORY_SEED=17` that one. Skipped, with a
//! message, where there is no etcd.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "tests fail loudly")]

#[path = "../../../storage-etcd/tests/support/mod.rs"]
mod etcd;
mod history;
mod process;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use etcd::Etcd;
use history::{Call, Outcome, Recorder};
use ordain_value::{Value, json, value};
use process::{Answer, Process};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const CLIENTS: u64 = 4;
const OBJECTS: u64 = 2;
const LOAD: Duration = Duration::from_secs(4);

/// Chance by a seed.
struct Chance(AtomicU64);

impl Chance {
    fn below(&self, bound: u64) -> u64 {
        let mut mixed = self.0.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ mixed >> 31) % bound.max(1)
    }
}

struct World {
    servers: Vec<Process>,
    recorder: Recorder,
    chance: Chance,
    /// Gives each write a value of its own.
    values: AtomicU64,
    done: AtomicBool,
    run: u64,
}

fn text<'a>(object: &'a Value, path: &[&str]) -> &'a str {
    object.get_path(path).and_then(Value::as_str).unwrap_or_default()
}

fn content(object: &Value) -> u64 {
    text(object, &["data", "value"]).parse().unwrap()
}

fn map(name: &str, version: &str, content: u64) -> Value {
    let mut metadata = value!({"name": name, "namespace": "default"});
    if !version.is_empty() {
        metadata.set_path(&["resourceVersion"], version.into());
    }
    value!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata,
        "data": {"value": (content.to_string())}})
}

impl World {
    fn server(&self) -> &Process {
        &self.servers[self.chance.below(self.servers.len() as u64) as usize]
    }

    fn name(&self, object: u64) -> String {
        format!("run{}-{object}", self.run)
    }

    /// Reads an object as clients do who want the present state.
    async fn read(&self, object: u64) -> Option<(String, u64)> {
        let began = self.recorder.now();
        let path = format!("{MAPS}/{}", self.name(object));
        let answer = self.server().call("GET", &path, None).await?;
        if answer.code != 200 {
            // It could not read: nothing was answered.
            return None;
        }
        let value = content(&answer.body);
        self.recorder.note(object, began, Call::Read, Outcome::Saw(value));
        Some((text(&answer.body, &["metadata", "resourceVersion"]).to_owned(), value))
    }

    /// Writes an object if it is still as it was read.
    async fn replace(&self, object: u64, version: &str, from: u64) {
        let to = self.values.fetch_add(1, Ordering::Relaxed);
        let name = self.name(object);
        let began = self.recorder.now();
        let body = map(&name, version, to);
        let answer = self.server().call("PUT", &format!("{MAPS}/{name}"), Some(&body)).await;
        let outcome = match answer {
            Some(Answer { code: 200, .. }) => Outcome::Done,
            Some(Answer { code: 409, .. }) => Outcome::Refused,
            _ => Outcome::Unknown,
        };
        self.recorder.note(object, began, Call::Replace { from, to }, outcome);
    }

    async fn client(&self) {
        while !self.done.load(Ordering::Relaxed) {
            let object = self.chance.below(OBJECTS);
            if let Some((version, value)) = self.read(object).await
                && self.chance.below(3) > 0
            {
                self.replace(object, &version, value).await;
            }
            tokio::time::sleep(Duration::from_millis(self.chance.below(20))).await;
        }
    }

    /// Disturbs one server after the other.
    async fn disturb(&self, wires: &[etcd::Wire]) {
        while !self.done.load(Ordering::Relaxed) {
            let at = self.chance.below(self.servers.len() as u64) as usize;
            let time = Duration::from_millis(50 + self.chance.below(400));
            match self.chance.below(4) {
                0 => {
                    self.servers[at].pause();
                    tokio::time::sleep(time).await;
                    self.servers[at].resume();
                }
                1 => wires[at].cut(),
                2 => {
                    wires[at].delay(Duration::from_millis(20 + self.chance.below(80)));
                    tokio::time::sleep(time).await;
                    wires[at].delay(Duration::ZERO);
                }
                _ => self.servers[at].restart().await,
            }
            tokio::time::sleep(Duration::from_millis(self.chance.below(300))).await;
        }
    }
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

/// One history; gives how many calls are in it.
async fn history(servers: Vec<Process>, wires: &[etcd::Wire], seed: u64) -> (Vec<Process>, usize) {
    let world = Arc::new(World {
        servers,
        recorder: Recorder::default(),
        chance: Chance(AtomicU64::new(seed)),
        values: AtomicU64::new(1),
        done: AtomicBool::new(false),
        run: seed,
    });
    for object in 0..OBJECTS {
        let made = map(&world.name(object), "", 0);
        let answer = world.servers[0].insist("POST", MAPS, &made).await;
        assert!(matches!(answer.code, 201 | 409), "{:?}", answer.body);
    }
    let clients: Vec<_> = (0..CLIENTS)
        .map(|_| {
            let world = Arc::clone(&world);
            tokio::spawn(async move { world.client().await })
        })
        .collect();
    let until = async {
        tokio::time::sleep(LOAD).await;
        world.done.store(true, Ordering::Relaxed);
    };
    tokio::join!(until, world.disturb(wires));
    for client in clients {
        client.await.unwrap();
    }
    let world = Arc::into_inner(world).unwrap();
    // Everybody is well again, and all see the same end.
    for object in 0..OBJECTS {
        let path = format!("{MAPS}/{}", world.name(object));
        for server in &world.servers {
            let began = world.recorder.now();
            let answer = server.present(&path).await;
            let saw = Outcome::Saw(content(&answer));
            world.recorder.note(object, began, Call::Read, saw);
        }
    }
    let calls = world.recorder.len();
    if let Err(why) = world.recorder.check() {
        panic!(
            "seed {seed}: {why}\nagain: ORDAIN_HISTORY_SEED={seed} cargo test --test servers histories"
        );
    }
    (world.servers, calls)
}

async fn histories_of(count: usize) {
    let Some(etcd) = Etcd::start(&[]).await else { return };
    let mut wires = Vec::new();
    let mut servers = Vec::new();
    for _ in 0..count {
        let wire = etcd.wire().await;
        servers.push(Process::start(&[wire.url()]));
        wires.push(wire);
    }
    for server in &servers {
        server.ready().await;
    }
    let seeds = match number("ORDAIN_HISTORY_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("ORDAIN_HISTORIES").unwrap_or(2),
    };
    let mut calls = 0;
    for seed in seeds.clone() {
        let (kept, more) = history(servers, &wires, seed).await;
        servers = kept;
        calls += more;
    }
    println!("{count} servers: {} histories of {calls} calls hold", seeds.count());
    assert!(calls > 50, "the test must not be idle: {calls} calls");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn histories_of_two_servers_are_linearizable() {
    histories_of(2).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn histories_of_three_servers_are_linearizable() {
    histories_of(3).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_wait_for_their_etcd_and_come_up_together() {
    let Some(mut etcd) = Etcd::prepare(&[]) else { return };
    let servers: Vec<Process> = (0..2).map(|_| Process::start(&[etcd.url()])).collect();
    tokio::time::sleep(Duration::from_millis(500)).await;
    for server in &servers {
        assert!(server.runs(), "it does not wait for its etcd");
    }
    etcd.run().await;
    for server in &servers {
        server.ready().await;
    }
    let made = servers[0].insist("POST", MAPS, &map("a", "", 1)).await;
    assert_eq!(made.code, 201, "{:?}", made.body);
    assert_eq!(content(&servers[1].present(&format!("{MAPS}/a")).await), 1);
}

fn definition(fields: u64) -> Value {
    let text = |at: u64| (format!("f{at}"), value!({"type": "string"}));
    let fields: ordain_value::Map = (0..fields).map(text).collect();
    value!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.shared.example.com"},
        "spec": {"group": "shared.example.com", "scope": "Cluster",
            "names": {"plural": "things", "kind": "Thing"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema":
                {"openAPIV3Schema": {"type": "object", "properties":
                    {"spec": {"type": "object", "properties": (Value::Map(fields))}}}}}]}})
}

/// What one server defines counts for the next request to another one, also if that one hears late.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_field_is_never_lost_to_an_older_definition() {
    const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    const THINGS: &str = "/apis/shared.example.com/v1/things";
    let Some(etcd) = Etcd::start(&[]).await else { return };
    let wires = [etcd.wire().await, etcd.wire().await];
    let servers = [Process::start(&[wires[0].url()]), Process::start(&[wires[1].url()])];
    for server in &servers {
        server.ready().await;
    }
    let made = servers[0].insist("POST", DEFINITIONS, &definition(1)).await;
    assert_eq!(made.code, 201, "{:?}", made.body);
    let thing = value!({"apiVersion": "shared.example.com/v1", "kind": "Thing",
        "metadata": {"name": "t"}, "spec": {"f0": "0"}});
    let made = servers[1].insist("POST", THINGS, &thing).await;
    assert_eq!(made.code, 201, "{:?}", made.body);
    for fields in 2..12 {
        let (one, other) = if fields % 2 == 0 { (0, 1) } else { (1, 0) };
        wires[other].delay(Duration::from_millis(30));
        let path = format!("{DEFINITIONS}/things.shared.example.com");
        let patch = value!({"spec": (definition(fields).get("spec").unwrap().clone())});
        let changed = servers[one].insist("PATCH", &path, &patch).await;
        assert_eq!(changed.code, 200, "{:?}", changed.body);
        let field = format!("f{}", fields - 1);
        let spec: ordain_value::Map = [(field, value!("x"))].into_iter().collect();
        let patch = value!({"spec": (Value::Map(spec))});
        let changed = servers[other].insist("PATCH", &format!("{THINGS}/t"), &patch).await;
        assert_eq!(changed.code, 200, "{:?}", changed.body);
        let kept = changed.body.get("spec").and_then(Value::as_map).unwrap().len();
        assert_eq!(kept as u64, fields, "{}", json::encode_string(&changed.body));
        wires[other].delay(Duration::ZERO);
    }
}

/// As `a_dead_member_of_three_…` of the store's tests, seen by a client of the API.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dead_member_of_etcd_fails_no_requests_after_the_first_seconds() {
    let Some(mut members) = Etcd::start_cluster(3).await else { return };
    let urls: Vec<String> = members.iter().map(Etcd::url).collect();
    let server = Process::start(&urls);
    server.ready().await;
    let made = server.insist("POST", MAPS, &map("a", "", 0)).await;
    assert_eq!(made.code, 201, "{:?}", made.body);
    members[0].kill();
    let (began, mut row, mut failed) = (Instant::now(), 0, 0);
    let patch = |at: u64| value!({"data": {"value": (at.to_string())}});
    while row < 20 {
        assert!(began.elapsed() < Duration::from_secs(60), "requests fail for good");
        let answer = server.call("PATCH", &format!("{MAPS}/a"), Some(&patch(row))).await;
        match answer.map(|it| it.code) {
            Some(200) => row += 1,
            _ => (failed, row) = (failed + 1, 0),
        }
    }
    println!("{failed} requests failed, well again after {:?}", began.elapsed());
    for at in 0..100 {
        let answer = server.call("PATCH", &format!("{MAPS}/a"), Some(&patch(at))).await;
        assert_eq!(answer.map(|it| it.code), Some(200));
    }
}
