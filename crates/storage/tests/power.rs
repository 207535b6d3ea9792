//! Power loss: nothing that was acknowledged, or shown to a watcher, may be gone.
//!
//! `ORDAIN_POWER_CUTS=n` makes the run longer or shorter, `ORDAIN_SEED=n` makes it another one.
//! With `ORDAIN_TEST_NO_FSYNC=1` the main test runs on a disk whose sync does nothing, as if the
//! call had been taken out of the store; it then has to fail.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "tests fail by panicking and tell what they did"
)]

mod support;

use std::sync::{Arc, Mutex};

use ordain_storage::{
    EmbeddedOptions, EmbeddedStore, Expect, HistoryLimits, Outcome, Store, Watch, Write,
};
use support::disk::{Disk, Sync};
use support::ledger::{Ledger, Verdict, decode, encode};
use support::{Random, number_from_env};

const WRITERS: u64 = 8;
const KEYS_PER_WRITER: u64 = 4;

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

/// Lives one life after the other on the same disk, each ended by a power cut.
async fn live_through(cuts: u64, seed: u64, sync: Sync) -> Verdict {
    let mut random = Random::new(seed);
    let ledger = Arc::new(Mutex::new(Ledger::new()));
    let mut disk = Disk::new(sync);
    // A new file gets its name when it is complete, so this start is not cut.
    drop(open(&disk).map_err(|error| error.to_string())?);
    let mut lives = 0;
    for cut in 0..cuts {
        // Short fuses burn during the repair at the start, long ones under load.
        let fuse = if random.below(4) == 0 { random.below(60) } else { random.below(1500) };
        disk.cut_power_after(fuse);
        lives += u64::from(live(&disk, &ledger, &mut random).await.map_err(|what| {
            format!("cut {cut} of seed {seed}, power lost after {fuse} operations: {what}")
        })?);
        let image = disk.image_after_power_cut(&mut random);
        let after = Disk::with_image(image, sync);
        let verdict = verify(&after, &ledger).await;
        verdict.map_err(|what| format!("after cut {cut} of seed {seed}: {what}"))?;
        disk = after;
    }
    let acknowledged = ledger.lock().unwrap().acknowledged();
    println!("{cuts} cuts, {lives} of them under load, {acknowledged} acknowledged commits");
    assert!(acknowledged as u64 > cuts, "the test must not be idle");
    Ok(())
}

fn open(disk: &Disk) -> ordain_storage::Result<EmbeddedStore> {
    let disk = disk.clone();
    let history = HistoryLimits { history_len_max: 300, ..HistoryLimits::default() };
    let options = EmbeddedOptions { history, cache_bytes: 1 << 20, ..EmbeddedOptions::default() };
    EmbeddedStore::open_on(move || disk.clone(), options)
}

async fn verify(disk: &Disk, ledger: &Arc<Mutex<Ledger>>) -> Verdict {
    let store = open(disk).map_err(|error| format!("opening: {error}"))?;
    let mut kept = std::mem::take(&mut *ledger.lock().unwrap());
    let verdict = kept.verify(&store).await;
    *ledger.lock().unwrap() = kept;
    verdict
}

/// Writes and watches until the power is gone. Returns whether it got so far as to write.
async fn live(
    disk: &Disk,
    ledger: &Arc<Mutex<Ledger>>,
    random: &mut Random,
) -> Result<bool, String> {
    let Ok(store) = open(disk) else { return Ok(false) };
    let store = Arc::new(store);
    // Begun before anything is written: later the store may be closed already, or its history gone.
    let after = ledger.lock().unwrap().last_seen;
    let watched = store.watch("/", after).await.map_err(|error| error.to_string())?;
    let compact_one_in = 20 + random.below(60);
    let mut tasks = Vec::new();
    for writer in 0..WRITERS {
        let (store, ledger) = (store.clone(), ledger.clone());
        let random = Random::new(random.next());
        tasks.push(tokio::spawn(write(store, ledger, writer, random, compact_one_in)));
    }
    let watching = tokio::spawn(watch(watched, ledger.clone()));
    for task in tasks {
        task.await.unwrap()?;
    }
    store.close().await;
    watching.await.unwrap()?;
    Ok(true)
}

async fn write(
    store: Arc<EmbeddedStore>,
    ledger: Arc<Mutex<Ledger>>,
    writer: u64,
    mut random: Random,
    compact_one_in: u64,
) -> Verdict {
    loop {
        if random.below(compact_one_in) == 0 {
            let seen = ledger.lock().unwrap().last_seen;
            if store.compact(seen).await.is_err() {
                return Ok(());
            }
        }
        let key = format!("/{writer}/{}", random.below(KEYS_PER_WRITER));
        let value = {
            let mut ledger = ledger.lock().unwrap();
            let value = ledger.next_value(&key);
            ledger.attempt(&key, value);
            value
        };
        match store.commit(Write::put(&*key, Expect::Any, encode(value))).await {
            Ok(Outcome::Committed(revision)) => {
                ledger.lock().unwrap().acknowledge(&key, value, revision)?;
            }
            Ok(Outcome::Conflict(conflict)) => return Err(format!("a conflict: {conflict:?}")),
            Err(_) => return Ok(()),
        }
    }
}

async fn watch(mut watch: Watch, ledger: Arc<Mutex<Ledger>>) -> Verdict {
    while let Some(Ok(batch)) = watch.next().await {
        let mut ledger = ledger.lock().unwrap();
        for event in batch.events {
            let value = event.value.as_ref().map(|value| decode(value)).transpose()?;
            ledger.see(event.revision, &event.key, value)?;
        }
    }
    Ok(())
}

#[test]
fn no_power_cut_loses_what_was_acknowledged() {
    let cuts = number_from_env("ORDAIN_POWER_CUTS", 1000);
    let seed = number_from_env("ORDAIN_SEED", 1);
    let missing = number_from_env("ORDAIN_TEST_NO_FSYNC", 0) != 0;
    let sync = if missing { Sync::Missing } else { Sync::Works };
    if let Err(what) = runtime().block_on(live_through(cuts, seed, sync)) {
        panic!("{what}");
    }
}

/// The test above would notice a missing sync: without it, it does not survive ten cuts.
#[test]
fn a_missing_sync_does_not_go_unnoticed() {
    for seed in 1..=5 {
        let verdict = runtime().block_on(live_through(10, seed, Sync::Missing));
        let what = verdict.expect_err("a store without sync survived ten power cuts");
        println!("seed {seed}: {what}");
    }
}
