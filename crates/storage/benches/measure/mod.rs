//! What benches of stores measure alike: one sync of the disk, and durable writes per second.

use std::io::{Seek, SeekFrom, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use ordain_storage::{Expect, Outcome, Store, Write};

pub(crate) const VALUE_BYTES: usize = 1024;

/// The median time of a write of 4 KiB and its sync.
pub(crate) fn sync_latency(directory: &Path) -> Duration {
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

/// New keys written as fast as they are committed. Writers share the stores evenly: several
/// connections to one etcd, so that a single one is not what limits it.
pub(crate) async fn puts_per_second(
    stores: &[Arc<dyn Store>],
    expect: Expect,
    writers: usize,
    duration: Duration,
) -> f64 {
    let done = Arc::new(AtomicU64::new(0));
    let start = Instant::now();
    let tasks: Vec<_> = (0..writers)
        .zip(stores.iter().cycle())
        .map(|(writer, store)| {
            let (store, done) = (store.clone(), done.clone());
            tokio::spawn(async move {
                let value = bytes::Bytes::from(vec![b'x'; VALUE_BYTES]);
                for number in 0_u64.. {
                    let key = format!("/registry/widgets/default/{writer}-{number}");
                    let write = Write::put(key, expect, value.clone());
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
