//! The etcd store against a real etcd. `ORDAIN_SKIP=etcd` goes without.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "tests fail by panicking and tell what they did"
)]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ordain_storage::contract::{self, model};
use ordain_storage::{
    Event, Expect, Outcome, Range, Revision, Store, StoreError, Watch, Write, snapshot,
};
use ordain_storage_etcd::{EtcdOptions, EtcdStore};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use support::Etcd;

const PATIENCE: Duration = Duration::from_secs(20);

async fn put(store: &dyn Store, key: &str, value: &str) -> Result<Revision, StoreError> {
    match store.commit(Write::put(key, Expect::Any, value.to_owned())).await? {
        Outcome::Committed(revision) => Ok(revision),
        Outcome::Conflict(conflict) => panic!("a conflict: {conflict:?}"),
    }
}

async fn read_until(watch: &mut Watch, last: Revision) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    while events.last().is_none_or(|event| event.revision < last) {
        let batch = tokio::time::timeout(PATIENCE, watch.next()).await.expect("a batch in time");
        events.extend(batch.unwrap().unwrap().events.iter().map(|event| Event::clone(event)));
    }
    events
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_etcd_store_keeps_the_contract() {
    let Some(etcd) = Etcd::start(&[]).await else { return };
    contract::run(&etcd.store(), "/registry/").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_etcd_store_does_as_the_model_does() {
    let Some(etcd) = Etcd::start(&[]).await else { return };
    let store = etcd.store();
    let mut runner = TestRunner::deterministic();
    let ops = proptest::collection::vec(proptest::array::uniform4(proptest::num::u8::ANY), 60);
    for round in 0..20 {
        let ops = ops.new_tree(&mut runner).unwrap().current();
        model::check(&store, &format!("/{round}/"), &ops).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_servers_on_one_etcd_see_the_same() {
    let Some(etcd) = Etcd::start(&[]).await else { return };
    let (left, right) = (Arc::new(etcd.store()), Arc::new(etcd.store()));
    let after = left.current_revision().await.unwrap();
    let mut watches =
        [left.watch("/", after).await.unwrap(), right.watch("/", after).await.unwrap()];
    let created = left.commit(Write::put("/a", Expect::Absent, "left")).await.unwrap();
    let refused = right.commit(Write::put("/a", Expect::Absent, "right")).await.unwrap();
    assert!(matches!(created, Outcome::Committed(_)) && matches!(refused, Outcome::Conflict(_)));
    let mut tasks = Vec::new();
    for number in 0..200 {
        let store = if number % 2 == 0 { left.clone() } else { right.clone() };
        tasks.push(tokio::spawn(async move {
            let revision = put(&*store, &format!("/{}", number % 9), &number.to_string()).await;
            revision.unwrap()
        }));
    }
    let mut made = Vec::new();
    for task in tasks {
        made.push(task.await.unwrap());
    }
    let last = made.iter().max().copied().unwrap();
    let [left_watch, right_watch] = &mut watches;
    let seen = read_until(left_watch, last).await;
    assert_eq!(seen, read_until(right_watch, last).await);
    assert_eq!(seen.len(), 201);
    let page =
        |store: Arc<EtcdStore>| async move { store.range(Range::prefix("/")).await.unwrap() };
    assert_eq!(page(left).await, page(right).await);
}

/// Writes until it is told to stop; what was acknowledged, what may have happened.
async fn write_on(
    store: Arc<EtcdStore>,
    key: String,
    stop: Arc<std::sync::atomic::AtomicBool>,
) -> (BTreeMap<Revision, u64>, u64) {
    let mut acknowledged = BTreeMap::new();
    let mut number = 0;
    while !stop.load(std::sync::atomic::Ordering::Relaxed) {
        number += 1;
        match put(&*store, &key, &number.to_string()).await {
            Ok(revision) => {
                acknowledged.insert(revision, number);
            }
            Err(StoreError::Unknown(_) | StoreError::Unavailable(_)) => {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            Err(error) => panic!("{error}"),
        }
    }
    (acknowledged, number)
}

/// Each acknowledged write was seen once, in order, no other twice, and nothing that was never written.
fn compare(events: &[Event], key: &str, acknowledged: &BTreeMap<Revision, u64>, attempted: u64) {
    let seen: BTreeMap<Revision, u64> = events
        .iter()
        .filter(|event| &*event.key == key)
        .map(|event| {
            let value = std::str::from_utf8(event.value.as_ref().unwrap()).unwrap();
            (event.revision, value.parse().unwrap())
        })
        .collect();
    for (revision, number) in acknowledged {
        assert_eq!(seen.get(revision), Some(number), "{key} at {revision}");
    }
    assert!(acknowledged.values().is_sorted(), "{key}: {acknowledged:?}");
    // A write whose answer was lost may come to etcd after the next one, but not twice.
    let numbers: Vec<u64> = seen.values().copied().collect();
    let distinct: BTreeSet<u64> = numbers.iter().copied().collect();
    assert_eq!(distinct.len(), numbers.len(), "{key}: {numbers:?}");
    assert!(numbers.iter().all(|number| *number <= attempted));
}

async fn watch_while(
    etcd: &mut Etcd,
    store: Arc<EtcdStore>,
    disturb: impl AsyncFn(&mut Etcd, u64),
    rounds: u64,
) {
    let stop = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let after = store.current_revision().await.unwrap();
    let mut watch = store.watch("/k", after).await.unwrap();
    let keys: Vec<String> = (0..4).map(|number| format!("/k{number}")).collect();
    let writers: Vec<_> = keys
        .iter()
        .map(|key| tokio::spawn(write_on(store.clone(), key.clone(), stop.clone())))
        .collect();
    for round in 0..rounds {
        disturb(etcd, round).await;
    }
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    let mut reported = Vec::new();
    for writer in writers {
        reported.push(writer.await.unwrap());
    }
    let direct = etcd.store();
    let last = put(&direct, "/k-last", "1").await.unwrap();
    let events = read_until(&mut watch, last).await;
    let revisions: Vec<Revision> = events.iter().map(|event| event.revision).collect();
    assert!(revisions.is_sorted_by(|left, right| left < right), "repeated or out of order");
    for pair in events.windows(2) {
        assert_eq!(pair[0].revision + 1, pair[1].revision, "nobody else writes to this etcd");
    }
    let mut total = 0;
    for (key, (acknowledged, attempted)) in keys.iter().zip(&reported) {
        compare(&events, key, acknowledged, *attempted);
        total += acknowledged.len();
    }
    println!("{rounds} disturbances, {total} acknowledged writes, {} events", events.len());
    assert!(total > 20, "the test must not be idle");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cut_wire_loses_and_repeats_no_event() {
    let Some(mut etcd) = Etcd::start(&[]).await else { return };
    let (store, wire) = etcd.store_over_wire().await;
    let cut = async |_: &mut Etcd, round: u64| {
        tokio::time::sleep(Duration::from_millis(20 + round * 7 % 60)).await;
        wire.cut();
    };
    watch_while(&mut etcd, Arc::new(store), cut, 60).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_etcd_loses_and_repeats_no_event() {
    let Some(mut etcd) = Etcd::start(&[]).await else { return };
    let store = Arc::new(etcd.store());
    let kill = async |etcd: &mut Etcd, _: u64| {
        tokio::time::sleep(Duration::from_millis(300)).await;
        etcd.kill();
        etcd.run().await;
    };
    watch_while(&mut etcd, store, kill, 4).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_watch_from_before_the_start_of_the_server_meets_the_present() {
    let Some(etcd) = Etcd::start(&[]).await else { return };
    let old = etcd.store();
    let after = old.current_revision().await.unwrap();
    for number in 0..1500 {
        put(&old, &format!("/{}", number % 7), &number.to_string()).await.unwrap();
    }
    let new = etcd.store();
    let mut watch = new.watch("/3", after).await.unwrap();
    let writing = async {
        let mut last = 0;
        for number in 0..200 {
            last = put(&old, "/3", &format!("later {number}")).await.unwrap();
        }
        last
    };
    let last = writing.await;
    let events = read_until(&mut watch, last).await;
    assert_eq!(events.len(), 1500 / 7 + 200);
    for pair in events.windows(2) {
        let previous = pair[1].previous.as_ref().unwrap();
        assert_eq!(previous.mod_revision, pair[0].revision, "a gap");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_compaction_by_another_server_is_told() {
    let Some(etcd) = Etcd::start(&[]).await else { return };
    let (ours, other) = (etcd.store(), etcd.store());
    let first = put(&ours, "/a", "1").await.unwrap();
    for number in 0..10 {
        put(&ours, "/a", &number.to_string()).await.unwrap();
    }
    let last = ours.current_revision().await.unwrap();
    other.compact(last).await.unwrap();
    other.compact(last).await.unwrap();
    let page = ours.range(Range::prefix("/").at(first)).await;
    assert!(matches!(page, Err(StoreError::Compacted { .. })), "{page:?}");
    let mut watch = ours.watch("/", first).await.unwrap();
    let item = tokio::time::timeout(PATIENCE, watch.next()).await.unwrap();
    let compacted = StoreError::Compacted { requested: first, compacted: last };
    assert_eq!(item, Some(Err(compacted)));
    // The deletion just after the compaction is not lost.
    ours.commit(Write::delete("/a", Expect::Any)).await.unwrap();
    let fresh = etcd.store();
    let mut watch = fresh.watch("/", last).await.unwrap();
    let events = read_until(&mut watch, last + 1).await;
    assert!(events.len() == 1 && events[0].is_delete(), "{events:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_there_is_told_and_a_commit_was_then_not_made() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let store = support::store(&format!("http://127.0.0.1:{port}"));
    let start = Instant::now();
    let read = store.get("/a").await;
    assert!(matches!(read, Err(StoreError::Unavailable(_))), "{read:?}");
    let commit = store.commit(Write::put("/a", Expect::Any, "1")).await;
    assert!(matches!(commit, Err(StoreError::Unavailable(_))), "{commit:?}");
    assert!(store.ready().await.is_err());
    assert!(store.watch("/", 1).await.is_err());
    assert!(start.elapsed() < Duration::from_secs(30));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_etcd_is_told() {
    let Some(etcd) = Etcd::start(&["--quota-backend-bytes", "4000000"]).await else { return };
    let store = etcd.store();
    assert_eq!(store.ready().await, Ok(()));
    let large = "x".repeat(500_000);
    let mut error = None;
    for number in 0..50 {
        if let Err(problem) = put(&store, &format!("/{number}"), &large).await {
            error = Some(problem);
            break;
        }
    }
    assert!(matches!(error, Some(StoreError::NoSpace(_))), "{error:?}");
    let start = Instant::now();
    while store.ready().await.is_ok() {
        assert!(start.elapsed() < PATIENCE, "the alarm is not told");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let ready = store.ready().await;
    assert!(matches!(ready, Err(StoreError::NoSpace(_))), "{ready:?}");
    assert!(store.get("/0").await.unwrap().entry.is_some(), "reads go on");
    let deleted = store.commit(Write::delete("/0", Expect::Any)).await.unwrap();
    assert!(matches!(deleted, Outcome::Committed(_)), "deletes go on");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_that_is_too_large_is_refused() {
    let Some(etcd) = Etcd::start(&[]).await else { return };
    let error = put(&etcd.store(), "/a", &"x".repeat(2_000_000)).await.unwrap_err();
    assert!(matches!(error, StoreError::TooLarge { .. }), "{error:?}");
    let error = put(&etcd.store(), "/a", &"x".repeat(20_000_000)).await.unwrap_err();
    assert!(matches!(error, StoreError::TooLarge { .. }), "{error:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_range_is_one_moment_and_a_snapshot_moves_it_to_a_file() {
    let Some(etcd) = Etcd::start(&[]).await else { return };
    let store = etcd.store();
    for portion in 0..25 {
        let writes = (0..100).map(|number| {
            Write::put(format!("/{portion:02}/{number:02}"), Expect::Absent, "value")
        });
        store.commit_all(writes.collect()).await.unwrap();
    }
    let page = store.range(Range::prefix("/").count()).await.unwrap();
    assert_eq!((page.entries.len(), page.more, page.count), (2500, false, Some(2500)));
    let page = store.range(Range::prefix("/").limit(1700).count()).await.unwrap();
    assert_eq!((page.entries.len(), page.more, page.count), (1700, true, Some(2500)));
    let mut bytes = Vec::new();
    let summary = snapshot::save(&store, &mut bytes).await.unwrap();
    assert_eq!(summary.entries, 2500);
    assert_eq!(snapshot::verify(&mut bytes.as_slice()), Ok(summary));
}

#[test]
fn senseless_endpoints_are_refused() {
    let open = |endpoints: &[&str]| {
        let endpoints = endpoints.iter().map(|url| (*url).to_owned()).collect();
        EtcdStore::new(EtcdOptions { endpoints, ..EtcdOptions::default() }).map(drop)
    };
    for endpoints in [&[][..], &["127.0.0.1:2379"], &["https://127.0.0.1:2379"], &["ftp://a"]] {
        let error = open(endpoints);
        assert!(matches!(error, Err(StoreError::Invalid(_))), "{endpoints:?}: {error:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn old_history_is_given_up_without_being_asked() {
    let Some(etcd) = Etcd::start(&[]).await else { return };
    let options = EtcdOptions {
        endpoints: vec![etcd.url()],
        compact_every: Some(Duration::from_millis(150)),
        ..EtcdOptions::default()
    };
    let store = EtcdStore::new(options).unwrap();
    let first = put(&store, "/a", "1").await.unwrap();
    let mut watch = store.watch("/", first).await.unwrap();
    let end = Instant::now() + PATIENCE;
    loop {
        let last = put(&store, "/a", "2").await.unwrap();
        read_until(&mut watch, last).await;
        match store.range(Range::prefix("/").at(first)).await {
            Err(StoreError::Compacted { .. }) => break,
            other => assert!(Instant::now() < end, "nothing was compacted: {other:?}"),
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let now = store.current_revision().await.unwrap();
    assert!(store.range(Range::prefix("/").at(now)).await.is_ok(), "the present is kept");
}
