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

use std::io::{Seek, SeekFrom, Write as _};
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use ordain_storage::{EmbeddedStore, Expect, Store, Write};
use ordain_storage_etcd::{EtcdOptions, EtcdStore};

const WRITERS: u64 = 64;
const VALUE_BYTES: usize = 1024;

/// etcd is given several connections, so that one of them is not what limits it.
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
        let (url, mut etcd) = start(directory.path()).await;
        let stores: Vec<Arc<dyn Store>> = (0..CONNECTIONS).map(|_| connect(&url)).collect();
        let raw = puts_per_second(&stores, duration).await;
        println!("etcd,     {WRITERS} clients: {raw:>8.0} puts/s");
        etcd.kill().unwrap();
        etcd.wait().unwrap();
        let store = EmbeddedStore::open(directory.path().join("embedded")).unwrap();
        let rate = puts_per_second(&[Arc::new(store) as Arc<dyn Store>], duration).await;
        println!("embedded, {WRITERS} writers: {rate:>8.0} puts/s ({:.2} of etcd)", rate / raw);
    });
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

fn connect(url: &str) -> Arc<dyn Store> {
    let options = EtcdOptions { endpoints: vec![url.to_owned()], ..EtcdOptions::default() };
    Arc::new(EtcdStore::new(options).unwrap())
}

async fn start(directory: &Path) -> (String, Child) {
    let port = || TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port();
    let url = format!("http://127.0.0.1:{}", port());
    let peer = format!("http://127.0.0.1:{}", port());
    let child = Command::new("etcd")
        .arg("--data-dir")
        .arg(directory.join("etcd"))
        .args(["--listen-client-urls", &url, "--advertise-client-urls", &url])
        .args(["--listen-peer-urls", &peer, "--initial-advertise-peer-urls", &peer])
        .args(["--initial-cluster", &format!("default={peer}")])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let store = connect(&url);
    while store.current_revision().await.is_err() {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    (url, child)
}

async fn puts_per_second(stores: &[Arc<dyn Store>], duration: Duration) -> f64 {
    let done = Arc::new(AtomicU64::new(0));
    let start = Instant::now();
    let tasks: Vec<_> = (0..WRITERS)
        .zip(stores.iter().cycle())
        .map(|(writer, store)| {
            let (store, done) = (store.clone(), done.clone());
            tokio::spawn(async move {
                let value = bytes::Bytes::from(vec![b'x'; VALUE_BYTES]);
                for number in 0_u64.. {
                    let key = format!("/registry/widgets/default/{writer}-{number}");
                    store.commit(Write::put(key, Expect::Any, value.clone())).await.unwrap();
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
