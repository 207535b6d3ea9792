//! A large collection that is still being read from the store: pages, single objects and writes do
//! not wait for it, and are what they are afterwards.

#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

mod support;

use std::sync::Arc;

use bytes::Bytes;
use ordain_registry::{ListOptions, Registry};
use ordain_storage::{
    BoxFuture, Expect, MemoryStore, Outcome, Page, Range, Read, Result, Revision, Store, Watch,
    Write,
};
use ordain_value::{Value, value};
use tokio::sync::Semaphore;

const MAPS: &str = "configmaps";
const LEN: usize = 5_000;
/// More is read at a time only to fill a collection.
const PAGE: usize = 10;

/// A store that does not give out large ranges until it is told to.
#[derive(Debug)]
struct Slow {
    store: MemoryStore,
    large: Semaphore,
}

impl Store for Slow {
    fn get<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Read>> {
        self.store.get(key)
    }

    fn range<'a>(&'a self, range: Range<'a>) -> BoxFuture<'a, Result<Page>> {
        Box::pin(async move {
            if range.prefix.contains("/configmaps/") && range.limit > PAGE {
                self.large.acquire().await.unwrap().forget();
            }
            self.store.range(range).await
        })
    }

    fn commit_all(&self, writes: Vec<Write>) -> BoxFuture<'_, Result<Outcome>> {
        self.store.commit_all(writes)
    }

    fn watch<'a>(&'a self, prefix: &'a str, after: Revision) -> BoxFuture<'a, Result<Watch>> {
        self.store.watch(prefix, after)
    }

    fn request_progress(&self) -> BoxFuture<'_, Result<()>> {
        self.store.request_progress()
    }

    fn current_revision(&self) -> BoxFuture<'_, Result<Revision>> {
        self.store.current_revision()
    }

    fn compact(&self, revision: Revision) -> BoxFuture<'_, Result<()>> {
        self.store.compact(revision)
    }
}

async fn filled() -> (Arc<Slow>, Arc<Registry>) {
    let store = MemoryStore::new();
    for at in 0..LEN {
        let namespace = if at % 2 == 0 { "default" } else { "other" };
        let object = format!(
            r#"{{"apiVersion":"v1","data":{{"k":"v"}},"kind":"ConfigMap","metadata":{{"creationTimestamp":"2026-01-01T00:00:00Z","name":"m{at:05}","namespace":"{namespace}","uid":"u{at}"}}}}"#
        );
        let key = format!("/registry/configmaps/{namespace}/m{at:05}");
        store.commit(Write::put(key, Expect::Absent, Bytes::from(object))).await.unwrap();
    }
    let store = Arc::new(Slow { store, large: Semaphore::new(0) });
    let registry = support::start(Arc::clone(&store) as Arc<dyn Store>, false).await;
    (store, registry)
}

async fn page(registry: &Registry, namespace: &str, token: &str) -> (Vec<Value>, String, u64) {
    let target = support::target(registry, MAPS, namespace, "");
    let options =
        ListOptions { limit: PAGE as i64, continue_token: token.into(), ..ListOptions::default() };
    let page = registry.list(&target, &options).await.unwrap();
    (page.items, page.continue_token, page.remaining.unwrap_or(0))
}

#[tokio::test]
async fn pages_do_not_wait_for_the_whole_collection() {
    let (store, registry) = filled().await;
    let (items, token, left) = page(&registry, "default", "").await;
    assert_eq!((items.len(), left as usize), (PAGE, LEN / 2 - PAGE));
    let (next, _, left_then) = page(&registry, "default", &token).await;
    assert_eq!((next.len() as u64, left_then), (PAGE as u64, left - PAGE as u64));
    let (_, _, everywhere) = page(&registry, "", "").await;
    assert_eq!(everywhere as usize, LEN - PAGE);
    // Objects are read, made and changed meanwhile.
    let target = support::target(&registry, MAPS, "default", "m00100");
    registry.get(&target, "").await.unwrap();
    let made = value!({"apiVersion": "v1", "kind": "ConfigMap", "metadata":
        {"name": "a", "namespace": "default"}});
    support::create(&registry, MAPS, &made).await.unwrap();
    support::patch(&registry, &target, &value!({"data": {"k": "w"}})).await.unwrap();
    let (items, _, _) = page(&registry, "default", "").await;
    assert_eq!(items[0].get_path(&["metadata", "name"]).and_then(Value::as_str), Some("a"));
    // Whoever wants all of it waits, and sees what was written meanwhile.
    let whole = tokio::spawn({
        let registry = Arc::clone(&registry);
        async move { support::names(&registry, MAPS, "default").await }
    });
    tokio::task::yield_now().await;
    assert!(!whole.is_finished());
    store.large.add_permits(LEN);
    let names = whole.await.unwrap();
    assert_eq!((names.len(), names[0].as_str()), (LEN / 2 + 1, "a"));
    let changed = registry.get(&target, "").await.unwrap();
    assert_eq!(changed.get_path(&["data", "k"]).and_then(Value::as_str), Some("w"));
    let (items_then, _, left_then) = page(&registry, "default", "").await;
    assert_eq!((items_then, left_then), (items, left + 1));
}

#[tokio::test]
async fn a_moment_that_is_compacted_meanwhile_is_read_anew() {
    let (store, registry) = filled().await;
    page(&registry, "", "").await;
    for at in 0..10 {
        store.large.add_permits(1);
        tokio::task::yield_now().await;
        let made = value!({"apiVersion": "v1", "kind": "ConfigMap", "metadata":
            {"name": (format!("b{at}")), "namespace": "default"}});
        support::create(&registry, MAPS, &made).await.unwrap();
        store.compact(store.current_revision().await.unwrap()).await.unwrap();
    }
    store.large.add_permits(10 * LEN);
    assert_eq!(support::names(&registry, MAPS, "default").await.len(), LEN / 2 + 10);
    assert_eq!(support::names(&registry, MAPS, "").await.len(), LEN + 10);
}
