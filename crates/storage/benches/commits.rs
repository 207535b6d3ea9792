//! Durable commits per second of the embedded store, beside what one sync of the disk costs.
//!
//! `cargo bench -p ordain-storage --bench commits [-- SECONDS]`. The data lies in a directory
//! under `ORDAIN_BENCH_DIRECTORY` (or the current one): measure on the disk you mean.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark stops at the first problem and prints its figures"
)]

mod measure;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use measure::{VALUE_BYTES, puts_per_second, sync_latency};
use ordain_storage::{EmbeddedStore, Expect, MemoryStore, Range, Store, Write};

fn main() {
    let seconds =
        std::env::args().filter_map(|argument| argument.parse::<u64>().ok()).next().unwrap_or(3);
    let duration = Duration::from_secs(seconds);
    let base = std::env::var("ORDAIN_BENCH_DIRECTORY").unwrap_or_else(|_| ".".to_owned());
    let directory = tempfile::tempdir_in(base).unwrap();
    let sync = sync_latency(directory.path());
    println!("one write of 4 KiB and its sync: median {sync:?}");
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    for writers in [1, 8, 64, 256] {
        let path = directory.path().join(format!("{writers}"));
        let store: Arc<dyn Store> = Arc::new(EmbeddedStore::open(path).unwrap());
        let rate = runtime.block_on(puts_per_second(&[store], Expect::Absent, writers, duration));
        let per_sync = rate * sync.as_secs_f64();
        println!(
            "embedded, {writers:>3} writers: {rate:>8.0} commits/s ({per_sync:.1} per sync time)"
        );
    }
    starts(&runtime, directory.path());
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let stores = [store.clone()];
    let rate = runtime.block_on(puts_per_second(&stores, Expect::Absent, 64, duration));
    println!("memory,    64 writers: {rate:>8.0} commits/s");
    runtime.block_on(reads(&store));
}

/// How long it takes until a store can be used.
fn starts(runtime: &tokio::runtime::Runtime, directory: &Path) {
    let path = directory.join("starts");
    let start = Instant::now();
    let store = EmbeddedStore::open(&path).unwrap();
    println!("first start: {:?}", start.elapsed());
    drop(store);
    let start = Instant::now();
    let store = EmbeddedStore::open(&path).unwrap();
    println!("start of an empty store: {:?}", start.elapsed());
    runtime.block_on(async {
        for portion in 0..100 {
            let value = bytes::Bytes::from(vec![b'x'; 2 * VALUE_BYTES]);
            let write = |number| {
                let key = format!("/registry/widgets/default/{portion}-{number}");
                Write::put(key, Expect::Any, value.clone())
            };
            store.commit_all((0..1000).map(write).collect()).await.unwrap();
        }
    });
    drop(store);
    let start = Instant::now();
    let store = EmbeddedStore::open(&path).unwrap();
    println!("start with 100,000 objects of 2 KiB: {:?}", start.elapsed());
    drop(store);
}

async fn reads(store: &Arc<dyn Store>) {
    let page = store.range(Range::prefix("/registry/").limit(1000)).await.unwrap();
    let start = Instant::now();
    for entry in &page.entries {
        assert!(store.get(&entry.key).await.unwrap().entry.is_some());
    }
    println!("get: {:?}", start.elapsed() / page.entries.len() as u32);
    let start = Instant::now();
    for entry in &page.entries {
        let range = Range::prefix("/registry/").start(&entry.key).limit(500);
        assert!(store.range(range).await.unwrap().entries.len() <= 500);
    }
    println!("range of 500: {:?}", start.elapsed() / page.entries.len() as u32);
}
