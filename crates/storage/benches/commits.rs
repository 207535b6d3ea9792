//! Durable commits per second of the embedded store, beside what one sync of the disk costs.
//!
//! `cargo bench -p ordain-storage --bench commits [-- SECONDS]`. The data lies in a directory
//! under `ORDAIN_BENCH_DIRECTORY` (or the current one): measure on the disk you mean.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark stops at the first problem and prints its figures"
)]

use std::io::{Seek, SeekFrom, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use ordain_storage::{EmbeddedStore, Expect, MemoryStore, Outcome, Range, Store, Write};

const VALUE_BYTES: usize = 1024;

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
        let rate = runtime.block_on(commits_per_second(&store, writers, duration));
        let per_sync = rate * sync.as_secs_f64();
        println!(
            "embedded, {writers:>3} writers: {rate:>8.0} commits/s ({per_sync:.1} per sync time)"
        );
    }
    starts(&runtime, directory.path());
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let rate = runtime.block_on(commits_per_second(&store, 64, duration));
    println!("memory,    64 writers: {rate:>8.0} commits/s");
    runtime.block_on(reads(&store));
}

fn sync_latency(directory: &Path) -> Duration {
    let mut file = std::fs::File::create(directory.join("sync")).unwrap();
    file.write_all(&vec![0; 1 << 20]).unwrap();
    file.sync_all().unwrap();
    // The first write to a block makes the file system note where it lies; what counts is the
    // disk, so those rounds are left out.
    let mut times: Vec<Duration> = (0..300)
        .map(|round: u64| {
            let start = Instant::now();
            file.seek(SeekFrom::Start(round % 64 * 4096)).unwrap();
            file.write_all(&[round as u8; 4096]).unwrap();
            file.sync_data().unwrap();
            start.elapsed()
        })
        .skip(100)
        .collect();
    times.sort_unstable();
    times[times.len() / 2]
}

async fn commits_per_second(store: &Arc<dyn Store>, writers: u64, duration: Duration) -> f64 {
    let done = Arc::new(AtomicU64::new(0));
    let start = Instant::now();
    let tasks: Vec<_> = (0..writers)
        .map(|writer| {
            let (store, done) = (store.clone(), done.clone());
            tokio::spawn(async move {
                let value = bytes::Bytes::from(vec![b'x'; VALUE_BYTES]);
                for number in 0_u64.. {
                    let key = format!("/registry/widgets/default/{writer}-{number}");
                    let write = Write::put(key, Expect::Absent, value.clone());
                    let outcome = store.commit(write).await.unwrap();
                    assert!(matches!(outcome, Outcome::Committed(_)));
                    done.fetch_add(1, Ordering::Relaxed);
                    if start.elapsed() >= duration {
                        break;
                    }
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    done.load(Ordering::Relaxed) as f64 / start.elapsed().as_secs_f64()
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
