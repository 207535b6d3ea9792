//! An etcd of several members, of which some die. Skipped, with a message, where there is no etcd.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "tests fail by panicking and tell what they did"
)]

mod support;

use std::time::{Duration, Instant};

use ordain_storage::{Expect, Outcome, Store, StoreError, Write};
use ordain_storage_etcd::{EtcdOptions, EtcdStore};
use support::Etcd;

/// Once so many writes in a row were made, no further one may fail.
const WELL_AGAIN: usize = 20;
const WRITES: usize = 100;
const PATIENCE: Duration = Duration::from_secs(60);

fn store(members: &[Etcd]) -> EtcdStore {
    let endpoints = members.iter().map(Etcd::url).collect();
    EtcdStore::new(EtcdOptions { endpoints, ..EtcdOptions::default() }).unwrap()
}

async fn write(store: &EtcdStore, number: usize) -> Result<(), StoreError> {
    let write = Write::put(format!("/k{}", number % 10), Expect::Any, number.to_string());
    match store.commit(write).await? {
        Outcome::Committed(_) => Ok(()),
        Outcome::Conflict(conflict) => panic!("a conflict: {conflict:?}"),
    }
}

/// Writes until it works again, and then some more, all of which have to work.
async fn recovers(store: &EtcdStore) -> (usize, Duration) {
    let began = Instant::now();
    let (mut failed, mut row) = (0, 0);
    while row < WELL_AGAIN {
        assert!(began.elapsed() < PATIENCE, "writes fail for good");
        match write(store, row).await {
            Ok(()) => row += 1,
            Err(_) => (failed, row) = (failed + 1, 0),
        }
    }
    let took = began.elapsed();
    for number in 0..WRITES {
        write(store, number).await.unwrap();
    }
    (failed, took)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dead_member_of_three_fails_no_writes_after_the_first_seconds() {
    let Some(mut members) = Etcd::start_cluster(3).await else { return };
    let store = store(&members);
    let revision = store.current_revision().await.unwrap();
    let mut watch = store.watch("/k", revision).await.unwrap();
    for number in 0..WELL_AGAIN {
        write(&store, number).await.unwrap();
    }
    // One of them leads, whichever it is.
    for (at, member) in members.iter_mut().enumerate() {
        member.kill();
        let (failed, took) = recovers(&store).await;
        println!("member {at} dead: {failed} writes failed, well again after {took:?}");
        member.run().await;
    }
    // A paused one holds its connections, and answers nothing.
    members[0].pause();
    let (failed, took) = recovers(&store).await;
    println!("member 0 paused: {failed} writes failed, well again after {took:?}");
    members[0].resume();
    let last = store.current_revision().await.unwrap();
    let mut seen = revision;
    while seen < last {
        let batch = tokio::time::timeout(PATIENCE, watch.next()).await.unwrap().unwrap().unwrap();
        for event in &batch.events {
            assert_eq!(event.revision, seen + 1, "a change is missing or comes twice");
            seen = event.revision;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_etcd_that_is_not_there_yet_is_waited_for() {
    let Some(mut etcd) = Etcd::prepare(&[]) else { return };
    let store = etcd.store();
    let refused = store.wait(Duration::from_millis(300)).await;
    assert!(matches!(refused, Err(StoreError::Unavailable(_))), "{refused:?}");
    let (waited, ()) = tokio::join!(store.wait(PATIENCE), etcd.run());
    waited.unwrap();
    write(&store, 1).await.unwrap();
}
