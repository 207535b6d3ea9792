//! What goes wrong inside: code that panics, and clocks that jump.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use ordain_meta::time::Time;
use ordain_registry::admission::{Attributes, Chain, Plugin, Verdict};
use ordain_registry::source::{Clock, SeededEntropy};
use ordain_registry::{Options, Registry, Warnings};
use ordain_server::App;
use ordain_storage::MemoryStore;
use ordain_testkit::Client;
use ordain_testkit::client::{Answer, Request};
use ordain_value::{Value, json, value};

const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps";

/// Panics over an object with a certain name.
#[derive(Debug)]
struct Panicking;

impl Plugin for Panicking {
    fn name(&self) -> &'static str {
        "Panicking"
    }

    fn validate<'a>(
        &'a self,
        _attributes: &'a Attributes<'a>,
        object: Option<&'a Value>,
        _warnings: &'a mut Warnings,
    ) -> Verdict<'a> {
        let name = object.and_then(|it| it.get_path(&["metadata", "name"])).and_then(Value::as_str);
        assert_ne!(name, Some("panic"), "as the test wants it");
        Box::pin(async { Ok(()) })
    }
}

#[derive(Debug)]
struct Jumping(Arc<AtomicI64>);

impl Clock for Jumping {
    fn now(&self) -> Time {
        Time::from_unix(self.0.load(Ordering::Relaxed), 0)
    }
}

const NOW: i64 = 1_700_000_000;
const YEAR: i64 = 365 * 24 * 3600;

fn start(clock: Arc<AtomicI64>) -> (Client, tokio::runtime::Runtime) {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let address = runtime.block_on(async {
        let registry = Registry::new(
            Arc::new(MemoryStore::default()),
            Arc::new(Jumping(clock)),
            Arc::new(SeededEntropy::new(1)),
            Chain::new(vec![Arc::new(Panicking)]),
            Arc::new(ordain_registry::crd::DefinitionHooks::default()),
            Options { controllers: false },
        );
        registry.start().await.unwrap();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let app = Arc::new(App::new(Arc::new(registry)));
        tokio::spawn(ordain_server::serve(app, listener, std::future::pending()));
        address
    });
    (Client::new(address), runtime)
}

fn create(client: &mut Client, name: &str) -> Answer {
    let map = value!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}});
    let body = Some(json::encode(&map));
    let (method, path, content_type) = ("POST", CONFIG_MAPS, "application/json");
    client.call(&Request { method, path, body, content_type, ..Request::default() }).unwrap()
}

#[test]
fn s46_a_panic_concerns_its_request_alone() {
    let (mut client, _runtime) = start(Arc::new(AtomicI64::new(NOW)));
    for at in 0..20 {
        assert_eq!(create(&mut client, "panic").code, 500);
        assert_eq!(create(&mut client, &format!("n{at}")).code, 201);
    }
    let metrics = client.get("/metrics").unwrap().body;
    let metrics = metrics.as_str().unwrap_or_default().to_owned();
    let counted =
        metrics.lines().find_map(|line| line.strip_prefix("ordain_handler_panics_total "));
    let counted: f64 = counted.unwrap_or_default().parse().unwrap();
    assert!(counted >= 20.0, "{counted}");
    assert_eq!(client.get(CONFIG_MAPS).unwrap().code, 200);
}

#[test]
fn s47_a_clock_that_jumps_changes_no_order() {
    let clock = Arc::new(AtomicI64::new(NOW));
    let (mut client, _runtime) = start(Arc::clone(&clock));
    let mut last = 0;
    for (at, jump) in [0, YEAR, -YEAR, 2 * YEAR, -2 * YEAR, 1].into_iter().enumerate() {
        clock.store(NOW + jump, Ordering::Relaxed);
        let answer = create(&mut client, &format!("n{at}"));
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
