//! What the server is measured against: the disk's sync, and raw puts into a real etcd.

use std::io::{Seek, SeekFrom, Write as _};
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use ordain_storage::{Expect, Store, Write};
use ordain_storage_etcd::{EtcdOptions, EtcdStore};

pub(crate) fn sync_latency(directory: &Path) -> Duration {
    let mut file = std::fs::File::create(directory.join("sync")).unwrap();
    file.write_all(&vec![0; 1 << 20]).unwrap();
    file.sync_all().unwrap();
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

/// None, with a word why, when there is no etcd.
pub(crate) async fn etcd_puts_per_second(
    directory: &Path,
    clients: usize,
    duration: Duration,
) -> Option<f64> {
    let port = || TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port();
    let (url, other) =
        (format!("http://127.0.0.1:{}", port()), format!("http://127.0.0.1:{}", port()));
    let spawned = Command::new("etcd")
        .arg("--data-dir")
        .arg(directory.join("etcd"))
        .args(["--listen-client-urls", &url, "--advertise-client-urls", &url])
        .args(["--listen-peer-urls", &other, "--initial-advertise-peer-urls", &other])
        .args(["--initial-cluster", &format!("default={other}")])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut etcd) = spawned else {
        println!("no etcd in the PATH: nothing to compare creates with");
        return None;
    };
    // Several connections, so that one of them is not what limits it.
    let stores: Vec<Arc<dyn Store>> = (0..4)
        .map(|_| {
            let options = EtcdOptions { endpoints: vec![url.clone()], ..EtcdOptions::default() };
            Arc::new(EtcdStore::new(options).unwrap()) as Arc<dyn Store>
        })
        .collect();
    while stores[0].current_revision().await.is_err() {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let done = AtomicU64::new(0);
    let (start, done_by) = (Instant::now(), &done);
    futures_util::future::join_all((0..clients).zip(stores.iter().cycle()).map(
        |(client, store)| async move {
            let value = bytes::Bytes::from(vec![b'x'; 1024]);
            for number in 0_u64.. {
                let key = format!("/registry/widgets/default/{client}-{number}");
                store.commit(Write::put(key, Expect::Any, value.clone())).await.unwrap();
                done_by.fetch_add(1, Ordering::Relaxed);
                if start.elapsed() >= duration {
                    break;
                }
            }
        },
    ))
    .await;
    let rate = done.load(Ordering::Relaxed) as f64 / start.elapsed().as_secs_f64();
    println!("etcd, {clients} clients: {rate:.0} raw puts of 1 KiB per second");
    etcd.kill().unwrap();
    etcd.wait().unwrap();
    Some(rate)
}
