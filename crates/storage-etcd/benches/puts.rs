//! Durable commits per second with 64 writers: the embedded store, and raw puts into a real etcd,
//! in one run on one disk.
//!
//! `cargo bench -p ordain-storage-etcd --bench puts [-- SECONDS]`. The data lies under
//! `ORDAIN_BENCH_DIRECTORY` (or the current directory). Needs `etcd` in the PATH.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark stops at the first problem and prints its figures"
)]

#[path = "../../storage/benches/measure/mod.rs"]
mod measure;
mod process;

use std::sync::Arc;
use std::time::Duration;

use measure::{puts_per_second, sync_latency};
use ordain_storage::{EmbeddedStore, Expect, Store};
use process::Etcd;

const WRITERS: usize = 64;
const CONNECTIONS: usize = 4;

fn main() {
    let seconds =
        std::env::args().filter_map(|argument| argument.parse::<u64>().ok()).next().unwrap_or(5);
    let duration = Duration::from_secs(seconds);
    let base = std::env::var("ORDAIN_BENCH_DIRECTORY").unwrap_or_else(|_| ".".to_owned());
    let directory = tempfile::tempdir_in(base).unwrap();
    println!("one write of 4 KiB and its sync: median {:?}", sync_latency(directory.path()));
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let Some(etcd) = Etcd::start(directory.path()).await else { return };
        let stores = etcd.connections(CONNECTIONS);
        let raw = puts_per_second(&stores, Expect::Any, WRITERS, duration).await;
        println!("etcd,     {WRITERS} clients: {raw:>8.0} puts/s");
        drop((stores, etcd));
        let store = EmbeddedStore::open(directory.path().join("embedded")).unwrap();
        let stores = [Arc::new(store) as Arc<dyn Store>];
        let rate = puts_per_second(&stores, Expect::Any, WRITERS, duration).await;
        println!("embedded, {WRITERS} writers: {rate:>8.0} puts/s ({:.2} of etcd)", rate / raw);
    });
}
