//! What goes wrong inside: code that panics, clocks that jump, stores that fail, ends that come while
//! requests are under way.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use ordain_meta::time::Time;
use ordain_registry::admission::{Attributes, Chain, Plugin, Verdict};
use ordain_registry::source::{Clock, SeededEntropy};
use ordain_registry::{Options, Registry, Warnings};
use ordain_server::App;
use ordain_storage::{MemoryStore, Outcome, Page, Range, Read, Revision, Store, StoreError, Watch};
use ordain_testkit::Client;
use ordain_testkit::client::{Answer, Request};
use ordain_value::{Value, json, value};

const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps";
const SLOW: Duration = Duration::from_secs(4);

/// Panics over objects of one name, waits over those of another, and keeps its thread over those of
/// a third, at once or after a pause.
#[derive(Debug, Default)]
struct Odd {
    /// How often a thread was kept.
    kept: Arc<AtomicUsize>,
}

impl Odd {
    fn keep_thread(&self) {
        self.kept.fetch_add(1, Ordering::SeqCst);
        std::thread::sleep(SLOW);
    }
}

impl Plugin for Odd {
    fn name(&self) -> &'static str {
        "Odd"
    }

    fn validate<'a>(
        &'a self,
        _attributes: &'a Attributes<'a>,
        object: Option<&'a Value>,
        _warnings: &'a mut Warnings,
    ) -> Verdict<'a> {
        let name = object.and_then(|it| it.get_path(&["metadata", "name"])).and_then(Value::as_str);
        assert_ne!(name, Some("panic"), "as the test wants it");
        if name == Some("busy") {
            self.keep_thread();
        }
        Box::pin(async move {
            if name == Some("slow") {
                tokio::time::sleep(SLOW).await;
            }
            if name == Some("busy-later") {
                tokio::time::sleep(Duration::from_millis(1)).await;
                self.keep_thread();
            }
            Ok(())
        })
    }
}

#[derive(Debug)]
struct Jumping(Arc<AtomicI64>);

impl Clock for Jumping {
    fn now(&self) -> Time {
        Time::from_unix(self.0.load(Ordering::Relaxed), 0)
    }
}

/// A store that takes no writes while it is told to fail.
#[derive(Debug, Default)]
struct Failing {
    store: MemoryStore,
    fails: Arc<AtomicBool>,
}

type Stored<'a, T> = BoxFuture<'a, Result<T, StoreError>>;

impl Failing {
    fn check(&self) -> Result<(), StoreError> {
        let fails = self.fails.load(Ordering::Relaxed);
        if fails { Err(StoreError::NoSpace("the disk is full".to_owned())) } else { Ok(()) }
    }
}

impl Store for Failing {
    fn get<'a>(&'a self, key: &'a str) -> Stored<'a, Read> {
        self.store.get(key)
    }

    fn range<'a>(&'a self, range: Range<'a>) -> Stored<'a, Page> {
        self.store.range(range)
    }

    fn commit_all(&self, writes: Vec<ordain_storage::Write>) -> Stored<'_, Outcome> {
        Box::pin(async move {
            self.check()?;
            self.store.commit_all(writes).await
        })
    }

    fn watch<'a>(&'a self, prefix: &'a str, after: Revision) -> Stored<'a, Watch> {
        self.store.watch(prefix, after)
    }

    fn request_progress(&self) -> Stored<'_, ()> {
        self.store.request_progress()
    }

    fn current_revision(&self) -> Stored<'_, Revision> {
        self.store.current_revision()
    }

    fn compact(&self, revision: Revision) -> Stored<'_, ()> {
        self.store.compact(revision)
    }

    fn ready(&self) -> Stored<'_, ()> {
        Box::pin(async move { self.check() })
    }
}

const NOW: i64 = 1_700_000_000;
const YEAR: i64 = 365 * 24 * 3600;

struct Started {
    client: Client,
    clock: Arc<AtomicI64>,
    kept: Arc<AtomicUsize>,
    store_fails: Arc<AtomicBool>,
    stop: tokio::sync::oneshot::Sender<()>,
    ended: tokio::task::JoinHandle<std::io::Result<()>>,
    runtime: tokio::runtime::Runtime,
}

fn start(change: impl FnOnce(&mut App)) -> Started {
    let runtime = ordain_server::runtime().unwrap();
    let clock = Arc::new(AtomicI64::new(NOW));
    let store = Failing::default();
    let store_fails = Arc::clone(&store.fails);
    let odd = Odd::default();
    let kept = Arc::clone(&odd.kept);
    let (stop, stopping) = tokio::sync::oneshot::channel::<()>();
    let (address, ended) = runtime.block_on(async {
        let registry = Registry::new(
            Arc::new(store),
            Arc::new(Jumping(Arc::clone(&clock))),
            Arc::new(SeededEntropy::new(1)),
            Chain::new(vec![Arc::new(odd)]),
            Arc::new(ordain_registry::crd::DefinitionHooks::default()),
            Options { controllers: false },
        );
        registry.start().await.unwrap();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut app = App::new(Arc::new(registry));
        change(&mut app);
        let stopping = async {
            let _ = stopping.await;
        };
        (address, tokio::spawn(ordain_server::serve(Arc::new(app), listener, stopping)))
    });
    Started { client: Client::new(address), clock, kept, store_fails, stop, ended, runtime }
}

fn post(client: &mut Client, path: &str, name: &str) -> std::io::Result<Answer> {
    let map = value!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}});
    let body = Some(json::encode(&map));
    let (method, content_type) = ("POST", "application/json");
    client.call(&Request { method, path, body, content_type, ..Request::default() })
}

fn create(client: &mut Client, name: &str) -> Answer {
    post(client, CONFIG_MAPS, name).unwrap()
}

fn figure(client: &mut Client, name: &str) -> f64 {
    let metrics = client.get("/metrics").unwrap().body;
    let mut lines = metrics.as_str().unwrap_or_default().lines();
    let found = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    found.and_then(|text| text.parse().ok()).unwrap_or_default()
}

#[test]
fn s46_a_panic_concerns_its_request_alone() {
    let mut server = start(|_| {});
    let client = &mut server.client;
    for at in 0..20 {
        assert_eq!(create(client, "panic").code, 500);
        assert_eq!(create(client, &format!("n{at}")).code, 201);
    }
    let counted = figure(client, "ordain_handler_panics_total");
    assert!(counted >= 20.0, "{counted}");
    assert_eq!(client.get(CONFIG_MAPS).unwrap().code, 200);
}

#[test]
fn s47_a_clock_that_jumps_changes_no_order() {
    let mut server = start(|_| {});
    let (client, clock) = (&mut server.client, &server.clock);
    let mut last = 0;
    for (at, jump) in [0, YEAR, -YEAR, 2 * YEAR, -2 * YEAR, 1].into_iter().enumerate() {
        clock.store(NOW + jump, Ordering::Relaxed);
        let answer = create(client, &format!("n{at}"));
        assert_eq!(answer.code, 201, "{:?}", answer.body);
        let text = |path: &[&str]| {
            answer.body.get_path(path).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let version: u64 = text(&["metadata", "resourceVersion"]).parse().unwrap();
        assert!(version > last, "{version} after {last}");
        last = version;
        let made = Time::from_unix(NOW + jump, 0).encode();
        assert_eq!(text(&["metadata", "creationTimestamp"]), made);
    }
    let listed = client.get(&format!("{CONFIG_MAPS}?resourceVersion={last}")).unwrap();
    assert_eq!(listed.body.get("items").and_then(Value::as_list).map_or(0, |it| it.len()), 6);
}

#[test]
fn a_deadline_holds_for_work_that_never_looks_at_the_time() {
    let mut server = start(|_| {});
    let client = &mut server.client;
    assert_eq!(create(client, "quick").code, 201);
    let began = Instant::now();
    let path = format!("{CONFIG_MAPS}?timeout=200ms");
    assert_eq!(post(client, &path, "busy").unwrap().code, 504);
    assert!(began.elapsed() < SLOW, "{:?}", began.elapsed());
    // And nothing is committed after it.
    std::thread::sleep(SLOW);
    assert_eq!(client.get(&format!("{CONFIG_MAPS}/busy")).unwrap().code, 404);
}

#[test]
fn a_write_that_keeps_its_thread_keeps_no_other_request_waiting() {
    let server = start(|_| {});
    let address = server.client.address();
    for name in ["busy", "busy-later"] {
        let before = server.kept.load(Ordering::SeqCst);
        let write = std::thread::spawn(move || create(&mut Client::new(address), name).code);
        while server.kept.load(Ordering::SeqCst) == before {
            std::thread::yield_now();
        }
        for _ in 0..20 {
            let mut other = Client::new(address);
            assert_eq!(other.get("/livez").unwrap().code, 200);
            // More than there are threads that move bytes: the pool does these.
            assert_eq!(
                post(&mut other, &format!("{CONFIG_MAPS}?dryRun=All"), "x").unwrap().code,
                201
            );
        }
        assert!(!write.is_finished(), "{name}: the others were answered after it");
        assert_eq!(write.join().unwrap(), 201, "{name}");
    }
}

#[test]
fn a_store_that_fails_is_told_and_counted_until_it_is_well() {
    let mut server = start(|_| {});
    let client = &mut server.client;
    assert_eq!(create(client, "before").code, 201);
    let before = figure(client, "ordain_store_failures_total");
    server.store_fails.store(true, Ordering::Relaxed);
    assert_eq!(create(client, "never").code, 500);
    for path in ["/livez", "/readyz", "/healthz"] {
        let answer = client.get(path).unwrap();
        assert_eq!(answer.code, 500, "{path}");
        let reported = answer.body.as_str().unwrap_or_default().to_owned();
        assert!(reported.contains("[-]etcd failed"), "{reported}");
    }
    let why = client.get("/readyz/etcd").unwrap().body;
    assert!(why.as_str().unwrap_or_default().contains("the disk is full"), "{why:?}");
    let patience = Instant::now() + Duration::from_secs(20);
    while figure(client, "ordain_store_failures_total") <= before {
        assert!(Instant::now() < patience, "nobody counts it");
        std::thread::sleep(Duration::from_millis(50));
    }
    // What is there can be read meanwhile.
    assert_eq!(client.get(&format!("{CONFIG_MAPS}/before")).unwrap().code, 200);
    server.store_fails.store(false, Ordering::Relaxed);
    assert_eq!(client.get("/readyz").unwrap().code, 200);
    assert_eq!(create(client, "after").code, 201);
}

#[test]
fn a_store_that_fails_ends_the_server_that_is_told_to() {
    let server = start(|app| app.exit_on_store_failure = true);
    server.store_fails.store(true, Ordering::Relaxed);
    let ended = server
        .runtime
        .block_on(async { tokio::time::timeout(Duration::from_secs(20), server.ended).await });
    let why = ended.expect("it goes on").unwrap().unwrap_err();
    assert_eq!(why.to_string(), "the store fails");
}

/// Stops a server while a write takes its time; gives what the write was answered, and how long the
/// end took.
fn stop_during_a_write(server: Started) -> (Option<u16>, Duration) {
    let Started { mut client, stop, ended, runtime, .. } = server;
    let address = client.address();
    assert_eq!(client.get("/version").unwrap().code, 200);
    let writing = std::thread::spawn(move || {
        post(&mut client, CONFIG_MAPS, "slow").ok().map(|answer| answer.code)
    });
    std::thread::sleep(SLOW / 3);
    let began = Instant::now();
    stop.send(()).unwrap();
    runtime.block_on(ended).unwrap().unwrap();
    let took = began.elapsed();
    assert!(std::net::TcpStream::connect(address).is_err(), "it still takes connections");
    drop(runtime);
    (writing.join().unwrap(), took)
}

#[test]
fn a_request_under_way_is_finished_before_the_end() {
    let (code, took) = stop_during_a_write(start(|_| {}));
    assert_eq!(code, Some(201));
    assert!(took < SLOW * 4, "{took:?}");
}

#[test]
fn the_end_waits_no_longer_than_it_is_told_to() {
    let hasty = |app: &mut App| app.limits.shutdown_timeout = Duration::from_millis(100);
    let (_, took) = stop_during_a_write(start(hasty));
    assert!(took < SLOW / 2, "{took:?}");
}
