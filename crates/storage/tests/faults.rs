//! Disks that fail, files that rot, watchers that sleep, processes that meet.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "tests fail by panicking and tell what they did"
)]

mod support;

use futures_util::FutureExt;
use ordain_storage::embedded::{self, DATA_FILE};
use ordain_storage::{
    EmbeddedOptions, EmbeddedStore, Expect, HistoryLimits, MemoryOptions, MemoryStore, Outcome,
    Range, Revision, Store, StoreError, Write, snapshot,
};
use support::Random;
use support::disk::{Disk, Sync};

async fn put(store: &dyn Store, key: &str, value: &str) -> Result<Revision, StoreError> {
    match store.commit(Write::put(key, Expect::Any, value.to_owned())).await? {
        Outcome::Committed(revision) => Ok(revision),
        Outcome::Conflict(conflict) => panic!("a conflict: {conflict:?}"),
    }
}

async fn list(store: &dyn Store) -> Vec<(String, Vec<u8>, Revision, Revision)> {
    let page = store.range(Range::prefix("")).await.unwrap();
    let row = |entry: &ordain_storage::Entry| {
        let (created, modified) = (entry.create_revision, entry.mod_revision);
        (entry.key.to_string(), entry.value.to_vec(), created, modified)
    };
    page.entries.iter().map(row).collect()
}

fn open(disk: &Disk) -> Result<EmbeddedStore, StoreError> {
    let disk = disk.clone();
    EmbeddedStore::open_on(move || disk.clone(), EmbeddedOptions::default())
}

#[tokio::test]
async fn an_interrupted_first_start_is_begun_again() {
    let directory = tempfile::tempdir().unwrap();
    let partial = directory.path().join(format!("{DATA_FILE}.partial"));
    std::fs::write(&partial, [0; 5000]).unwrap();
    let store = EmbeddedStore::open(directory.path()).unwrap();
    assert_eq!(put(&store, "/a", "1").await, Ok(2));
    assert!(!partial.exists());
}

#[test]
fn an_empty_data_file_is_not_taken_for_a_new_one() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join(DATA_FILE), []).unwrap();
    let error = EmbeddedStore::open(directory.path()).map(drop);
    assert!(matches!(error, Err(StoreError::Corrupt(_))), "{error:?}");
}

#[tokio::test]
async fn a_failed_sync_is_never_taken_for_success() {
    let disk = Disk::new(Sync::Works);
    let store = open(&disk).unwrap();
    put(&store, "/kept", "1").await.unwrap();
    disk.set_sync(Sync::FailsOnce);
    let error = put(&store, "/lost", "1").await.unwrap_err();
    assert!(matches!(error, StoreError::Unknown(_)), "{error:?}");
    assert_eq!(store.get("/lost").await.unwrap().entry, None, "not shown if it may not be kept");
    for _ in 0..3 {
        let error = put(&store, "/later", "1").await.unwrap_err();
        assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
        assert!(store.ready().await.is_err());
    }
    assert!(store.get("/kept").await.unwrap().entry.is_some(), "reads go on");
    drop(store);
    let image = disk.image_after_power_cut(&mut Random::new(1));
    let store = open(&Disk::with_image(image, Sync::Works)).unwrap();
    assert!(store.get("/kept").await.unwrap().entry.is_some());
    assert!(put(&store, "/later", "1").await.is_ok());
}

/// Room that a disk has when it is asked for.
struct Room(Disk, bool);

impl embedded::Reserve for Room {
    fn hold(&mut self) -> bool {
        self.1 = self.1 || self.0.capacity().is_none();
        self.1
    }

    fn release(&mut self) {
        if std::mem::take(&mut self.1) {
            let more = self.0.capacity().map(|capacity| capacity + 50_000_000);
            self.0.set_capacity(more);
        }
    }
}

#[tokio::test]
async fn deletions_and_compactions_work_on_a_full_disk() {
    use embedded::StorageBackend as _;
    let disk = Disk::new(Sync::Works);
    let (backend, room) = (disk.clone(), Room(disk.clone(), false));
    let options = EmbeddedOptions::default();
    let store =
        EmbeddedStore::open_on_with_reserve(move || backend.clone(), room, options).unwrap();
    let large = "x".repeat(300_000);
    let mut kept = Vec::new();
    disk.set_capacity(Some(disk.len().unwrap() + 100_000));
    let error = loop {
        let key = format!("/{}", kept.len());
        match put(&store, &key, &large).await {
            Ok(_) => kept.push(key),
            Err(error) => break error,
        }
    };
    assert!(matches!(error, StoreError::NoSpace(_)), "{error:?}");
    assert!(matches!(store.ready().await, Err(StoreError::NoSpace(_))));
    for key in &kept {
        let refused = put(&store, key, "more").await;
        assert!(matches!(refused, Err(StoreError::NoSpace(_))), "{refused:?}");
        let deleted = store.commit(Write::delete(key.as_str(), Expect::Any)).await;
        assert!(matches!(deleted, Ok(Outcome::Committed(_))), "{deleted:?}");
    }
    let revision = store.current_revision().await.unwrap();
    assert_eq!(store.compact(revision).await, Ok(()));
    assert_eq!(list(&store).await, []);
    disk.set_capacity(None);
    tokio::time::sleep(std::time::Duration::from_millis(400)).await;
    assert_eq!(store.ready().await, Ok(()));
    assert!(put(&store, "/later", "1").await.is_ok());
}

/// Room that is taken from what the disk has left.
struct Share {
    disk: Disk,
    held: bool,
}

impl Share {
    const BYTES: u64 = 4_000_000;
}

impl embedded::Reserve for Share {
    fn hold(&mut self) -> bool {
        use embedded::StorageBackend as _;
        let used = self.disk.len().unwrap() + Self::BYTES;
        if let Some(capacity) = self.disk.capacity().filter(|it| !self.held && used <= *it) {
            self.disk.set_capacity(Some(capacity - Self::BYTES));
            self.held = true;
        }
        self.held
    }

    fn release(&mut self) {
        if std::mem::take(&mut self.held) {
            let more = self.disk.capacity().map(|capacity| capacity + Self::BYTES);
            self.disk.set_capacity(more);
        }
    }
}

#[tokio::test]
async fn deletions_make_room_on_a_full_disk() {
    let disk = Disk::new(Sync::Works);
    disk.set_capacity(Some(24_000_000));
    let (backend, share) = (disk.clone(), Share { disk: disk.clone(), held: false });
    let options = EmbeddedOptions::default();
    let store =
        EmbeddedStore::open_on_with_reserve(move || backend.clone(), share, options).unwrap();
    let large = "x".repeat(300_000);
    for round in 0..3 {
        let mut kept = Vec::new();
        let error = loop {
            let key = format!("/{round}/{}", kept.len());
            match put(&store, &key, &large).await {
                Ok(_) => kept.push(key),
                Err(error) => break error,
            }
            assert!(kept.len() < 1_000, "the disk is not full");
        };
        assert!(matches!(error, StoreError::NoSpace(_)), "{error:?}");
        assert!(kept.len() > 10, "{} in round {round}", kept.len());
        for key in &kept {
            let deleted = store.commit(Write::delete(key.as_str(), Expect::Any)).await;
            assert!(matches!(deleted, Ok(Outcome::Committed(_))), "{deleted:?}");
        }
        // Nobody gave the disk more room.
        let mut patience = 100;
        while let Err(error) = put(&store, "/small", "1").await {
            assert!(patience > 0, "still {error}");
            patience -= 1;
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        assert_eq!(store.ready().await, Ok(()));
        assert_eq!(list(&store).await.len(), 1);
    }
}

#[tokio::test]
async fn a_full_disk_is_told_and_left_without_a_restart() {
    let disk = Disk::new(Sync::Works);
    let store = open(&disk).unwrap();
    let mut watch = store.watch("/", 1).await.unwrap();
    let large = "x".repeat(300_000);
    let mut acknowledged = Vec::new();
    for round in 0..5 {
        use embedded::StorageBackend as _;
        disk.set_capacity(Some(disk.len().unwrap() + 100_000));
        let error = loop {
            match put(&store, &format!("/{round}/{}", acknowledged.len()), &large).await {
                Ok(revision) => acknowledged.push(revision),
                Err(error) => break error,
            }
        };
        assert!(matches!(error, StoreError::NoSpace(_)), "{error:?}");
        assert!(matches!(store.ready().await, Err(StoreError::NoSpace(_))));
        assert_eq!(list(&store).await.len(), acknowledged.len(), "reads go on");
        disk.set_capacity(None);
        let mut patience = 50;
        loop {
            match put(&store, &format!("/{round}/again"), "1").await {
                Ok(revision) => {
                    acknowledged.push(revision);
                    break;
                }
                Err(error) if patience == 0 => panic!("still {error}"),
                Err(_) => tokio::time::sleep(std::time::Duration::from_millis(50)).await,
            }
            patience -= 1;
        }
        assert_eq!(store.ready().await, Ok(()));
    }
    let mut seen = Vec::new();
    while seen.last() != acknowledged.last() {
        let batch = watch.next().await.unwrap().unwrap();
        seen.extend(batch.events.iter().map(|event| event.revision));
    }
    let missing: Vec<_> = acknowledged.iter().filter(|made| !seen.contains(made)).collect();
    assert!(missing.is_empty() && seen.is_sorted(), "{missing:?}");
    drop(store);
    assert!(list(&open(&disk).unwrap()).await.len() >= acknowledged.len());
}

#[tokio::test]
async fn rotten_bits_are_never_read_as_data() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(DATA_FILE);
    let store = EmbeddedStore::open(directory.path()).unwrap();
    for number in 0..300 {
        put(&store, &format!("/{number}"), &format!("{number}").repeat(100)).await.unwrap();
    }
    let truth = list(&store).await;
    drop(store);
    let sound = std::fs::read(&path).unwrap();
    let mut random = Random::new(1);
    let (mut refused, mut harmless) = (0, 0);
    // The panic messages of the database code would drown the output.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    for round in 0..400 {
        let mut rotten = sound.clone();
        if round % 8 == 0 {
            rotten.truncate(random.below(sound.len() as u64) as usize);
        } else {
            let at = random.below(sound.len() as u64) as usize;
            rotten[at] ^= 1 << random.below(8);
        }
        std::fs::write(&path, &rotten).unwrap();
        match EmbeddedStore::open(directory.path()) {
            Err(_) => refused += 1,
            Ok(store) => {
                let found = list(&store).await;
                if found == truth {
                    harmless += 1;
                } else {
                    std::panic::set_hook(hook);
                    panic!("round {round}: {} entries, some of them wrong", found.len());
                }
            }
        }
    }
    std::panic::set_hook(hook);
    println!("{refused} times refused, {harmless} times harmless");
    assert!(refused > 40);
}

#[tokio::test]
async fn a_check_finds_what_is_wrong() {
    let directory = tempfile::tempdir().unwrap();
    let error = embedded::check(directory.path()).unwrap_err();
    assert!(matches!(error, StoreError::Invalid(_)), "{error:?}");
    let store = EmbeddedStore::open(directory.path()).unwrap();
    let marker = "MARKER".repeat(20);
    put(&store, "/a", &marker).await.unwrap();
    put(&store, "/b", "1").await.unwrap();
    store.compact(2).await.unwrap();
    drop(store);
    let report = embedded::check(directory.path()).unwrap();
    assert_eq!((report.format, report.revision, report.compacted, report.keys), (1, 3, 2, 2));
    assert_eq!(report.problems, Vec::<String>::new());
    let path = directory.path().join(DATA_FILE);
    let mut bytes = std::fs::read(&path).unwrap();
    let at = bytes.windows(marker.len()).position(|window| window == marker.as_bytes()).unwrap();
    bytes[at] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    match embedded::check(directory.path()) {
        Ok(report) => assert!(!report.problems.is_empty()),
        Err(error) => assert!(matches!(error, StoreError::Corrupt(_)), "{error:?}"),
    }
    let error = EmbeddedStore::open(directory.path()).map(drop);
    assert!(matches!(error, Err(StoreError::Corrupt(_))), "{error:?}");
}

#[tokio::test]
async fn a_data_directory_serves_one_store_at_a_time() {
    let directory = tempfile::tempdir().unwrap();
    let first = EmbeddedStore::open(directory.path()).unwrap();
    let error = EmbeddedStore::open(directory.path()).unwrap_err().to_string();
    assert!(error.contains(&format!("in use by process {}", std::process::id())), "{error}");
    drop(first);
    EmbeddedStore::open(directory.path()).unwrap();
    std::fs::write(directory.path().join("lock"), "4711\n").unwrap();
    EmbeddedStore::open(directory.path()).expect("a lock that nobody holds is no lock");
}

#[tokio::test]
async fn a_store_that_was_closed_says_so_and_goes_on_when_opened_again() {
    let directory = tempfile::tempdir().unwrap();
    let store = EmbeddedStore::open(directory.path()).unwrap();
    let mut watch = store.watch("/", 1).await.unwrap();
    let first = put(&store, "/a", "1").await.unwrap();
    assert_eq!(watch.next().await.unwrap().unwrap().events.len(), 1);
    store.close().await;
    store.close().await;
    assert_eq!(watch.next().await, Some(Err(StoreError::Closed)));
    assert_eq!(watch.next().await, None);
    assert_eq!(put(&store, "/a", "2").await, Err(StoreError::Closed));
    assert_eq!(store.watch("/", first).await.map(drop), Err(StoreError::Closed));
    let store = EmbeddedStore::open(directory.path()).unwrap();
    assert_eq!(store.current_revision().await, Ok(first));
    assert_eq!(put(&store, "/a", "2").await, Ok(first + 1));
    let mut watch = store.watch("/", 1).await.unwrap();
    assert_eq!(watch.next().await.unwrap().unwrap().events.len(), 2, "history is kept");
}

#[tokio::test]
async fn the_revision_does_not_go_back_when_the_last_change_was_a_compacted_deletion() {
    let directory = tempfile::tempdir().unwrap();
    let store = EmbeddedStore::open(directory.path()).unwrap();
    put(&store, "/a", "1").await.unwrap();
    store.commit(Write::delete("/a", Expect::Any)).await.unwrap();
    store.compact(3).await.unwrap();
    put(&store, "/b", "1").await.unwrap();
    store.commit(Write::delete("/b", Expect::Any)).await.unwrap();
    store.compact(5).await.unwrap();
    // Time to clean up.
    tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    drop(store);
    let report = embedded::check(directory.path()).unwrap();
    assert_eq!((report.revision, report.keys, report.obsolete), (5, 0, 0));
    let store = EmbeddedStore::open(directory.path()).unwrap();
    assert_eq!(put(&store, "/a", "1").await, Ok(6));
}

#[tokio::test]
async fn a_large_file_opens_as_what_it_was() {
    const KEYS: u64 = 30_000;
    let directory = tempfile::tempdir().unwrap();
    let key = |at: u64| format!("/k/{}/{}", at % 7, at.wrapping_mul(7919) % KEYS);
    let batch = |range: std::ops::Range<u64>, value: &'static str| {
        range.map(|at| Write::put(key(at), Expect::Any, value)).collect::<Vec<_>>()
    };
    let (state, revision) = {
        let store = EmbeddedStore::open(directory.path()).unwrap();
        for start in (0..KEYS).step_by(1000) {
            store.commit_all(batch(start..start + 1000, "1")).await.unwrap();
        }
        // Changed, deleted and made again before the compaction, and once more behind it.
        store.commit_all(batch(500..1500, "2")).await.unwrap();
        for at in [3, 700, 29_999] {
            store.commit(Write::delete(key(at), Expect::Any)).await.unwrap();
        }
        put(&store, &key(700), "3").await.unwrap();
        store.compact(store.current_revision().await.unwrap()).await.unwrap();
        store.commit_all(batch(1400..1600, "4")).await.unwrap();
        store.commit(Write::delete(key(1450), Expect::Any)).await.unwrap();
        let kept = (list(&store).await, store.current_revision().await);
        // At once, so that obsolete records are left.
        store.close().await;
        kept
    };
    assert_eq!(state.len() as u64, KEYS - 3);
    let store = EmbeddedStore::open(directory.path()).unwrap();
    assert_eq!(store.current_revision().await, revision);
    assert!(list(&store).await == state, "the state differs");
    let count = store.range(ordain_storage::Range::prefix("/k/").limit(1).count()).await.unwrap();
    assert_eq!(count.count, Some(KEYS - 3));
    // What was obsolete is cleaned up, and changes nothing.
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    drop(store);
    assert_eq!(embedded::check(directory.path()).unwrap().problems, Vec::<String>::new());
    assert!(list(&EmbeddedStore::open(directory.path()).unwrap()).await == state);
}

fn small_history() -> HistoryLimits {
    HistoryLimits { history_len_max: 100, watch_queue_len_max: 50, ..HistoryLimits::default() }
}

async fn slow_watchers_are_closed(store: &dyn Store) {
    let mut slow = store.watch("/slow", 1).await.unwrap();
    let mut other = store.watch("/other", 1).await.unwrap();
    put(store, "/slow", "0").await.unwrap();
    put(store, "/other", "0").await.unwrap();
    slow.next().await.unwrap().unwrap();
    other.next().await.unwrap().unwrap();
    // It has read everything and waits for more.
    assert!(slow.next().now_or_never().is_none());
    for number in 0..60 {
        put(store, "/slow", &number.to_string()).await.unwrap();
    }
    assert_eq!(slow.next().await, Some(Err(StoreError::WatcherTooSlow { queue_len_max: 50 })));
    assert_eq!(slow.next().await, None);
    put(store, "/other", "1").await.unwrap();
    loop {
        let batch = other.next().await.unwrap().unwrap();
        if !batch.events.is_empty() {
            break;
        }
    }
}

async fn history_stays_within_its_limits(store: &dyn Store) {
    for number in 0..500 {
        put(store, "/a", &number.to_string()).await.unwrap();
    }
    let current = store.current_revision().await.unwrap();
    let old = store.range(Range::prefix("").at(current - 300)).await;
    assert!(matches!(old, Err(StoreError::Compacted { .. })), "{old:?}");
    assert!(store.range(Range::prefix("").at(current - 90)).await.is_ok());
    assert!(store.watch("/", current - 90).await.is_ok());
    let old = store.watch("/", current - 300).await.map(drop);
    assert!(matches!(old, Err(StoreError::Compacted { .. })), "{old:?}");
}

#[tokio::test]
async fn the_memory_store_bounds_watchers_and_history() {
    let options = MemoryOptions { history: small_history(), ..MemoryOptions::default() };
    slow_watchers_are_closed(&MemoryStore::with_options(options)).await;
    history_stays_within_its_limits(&MemoryStore::with_options(options)).await;
}

#[tokio::test]
async fn the_embedded_store_bounds_watchers_and_history() {
    let directory = tempfile::tempdir().unwrap();
    let options = EmbeddedOptions { history: small_history(), ..EmbeddedOptions::default() };
    let store = EmbeddedStore::open_with(directory.path(), options).unwrap();
    slow_watchers_are_closed(&store).await;
    history_stays_within_its_limits(&store).await;
    drop(store);
    assert_eq!(embedded::check(directory.path()).unwrap().problems, Vec::<String>::new());
}

#[tokio::test]
async fn a_commit_that_is_too_large_is_refused() {
    let options = MemoryOptions { commit_bytes_max: 100, ..MemoryOptions::default() };
    let store = MemoryStore::with_options(options);
    let error = put(&store, "/a", &"x".repeat(99)).await.unwrap_err();
    assert_eq!(error, StoreError::TooLarge { bytes: 101, bytes_max: 100 });
    put(&store, "/a", &"x".repeat(98)).await.unwrap();
}

#[tokio::test]
async fn a_fork_goes_its_own_way() {
    let store = MemoryStore::new();
    put(&store, "/a", "1").await.unwrap();
    let fork = store.fork();
    put(&store, "/a", "2").await.unwrap();
    assert_eq!(put(&fork, "/b", "1").await, Ok(3));
    assert_eq!(list(&store).await.len(), 1);
    assert_eq!(list(&fork).await.len(), 2);
    let mut watch = fork.watch("/", 1).await.unwrap();
    assert_eq!(watch.next().await.unwrap().unwrap().events.len(), 2);
}

#[tokio::test]
async fn a_snapshot_brings_the_state_back_and_revisions_go_on_above() {
    let store = MemoryStore::new();
    for number in 0..2500 {
        put(&store, &format!("/{:04}", number % 1800), &number.to_string()).await.unwrap();
    }
    let mut bytes = Vec::new();
    let summary = snapshot::save(&store, &mut bytes).await.unwrap();
    assert_eq!((summary.revision, summary.entries), (2501, 1800));
    assert_eq!(snapshot::verify(&mut bytes.as_slice()), Ok(summary));
    let above = put(&store, "/after", "1").await.unwrap();

    let directory = tempfile::tempdir().unwrap();
    let restored = snapshot::restore(&mut bytes.as_slice(), directory.path(), above).unwrap();
    assert_eq!(restored.entries, 1800);
    assert!(restored.revision > above);
    let error = snapshot::restore(&mut bytes.as_slice(), directory.path(), 0).unwrap_err();
    assert!(matches!(error, StoreError::Invalid(_)), "an existing store is not overwritten");
    assert_eq!(embedded::check(directory.path()).unwrap().problems, Vec::<String>::new());

    let again = EmbeddedStore::open(directory.path()).unwrap();
    store.commit(Write::delete("/after", Expect::Any)).await.unwrap();
    assert_eq!(list(&again).await, list(&store).await);
    assert_eq!(again.current_revision().await, Ok(restored.revision));
    for after in [0, 2501, above, restored.revision - 1] {
        let old = again.watch("/", after).await.map(drop);
        assert!(matches!(old, Err(StoreError::Compacted { .. })), "{old:?}");
    }
    assert_eq!(put(&again, "/new", "1").await, Ok(restored.revision + 1));
}

#[tokio::test]
async fn a_damaged_snapshot_is_refused_as_a_whole() {
    let store = MemoryStore::new();
    for number in 0..5 {
        put(&store, &format!("/{number}"), "value").await.unwrap();
    }
    let mut bytes = Vec::new();
    snapshot::save(&store, &mut bytes).await.unwrap();
    for bit in 0..bytes.len() * 8 {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        let answer = snapshot::verify(&mut flipped.as_slice());
        assert!(matches!(answer, Err(StoreError::Corrupt(_))), "bit {bit}: {answer:?}");
    }
    for len in 0..bytes.len() {
        assert!(snapshot::verify(&mut &bytes[..len]).is_err());
    }
    let directory = tempfile::tempdir().unwrap();
    bytes[30] ^= 1;
    snapshot::restore(&mut bytes.as_slice(), directory.path(), 0).unwrap_err();
    assert!(!directory.path().join(DATA_FILE).exists(), "nothing half restored is left behind");
}

/// Every object comes out of a damaged file, except those whose own record is hit, and each with a
/// value that it had.
#[tokio::test]
async fn what_is_intact_is_salvaged() {
    const COUNT: usize = 400;
    let value = |at: usize, round: usize| format!("{at}-{round}-{}", "x".repeat(at * 7 % 3000));
    for seed in 0..8 {
        let mut random = Random::new(seed);
        let directory = tempfile::tempdir().unwrap();
        let store = EmbeddedStore::open(directory.path()).unwrap();
        for round in 0..2 {
            let puts = (0..COUNT).map(|at| (format!("/k/{at}"), value(at, round)));
            let puts: Vec<_> = puts.collect();
            let writes = puts.iter().map(|(key, value)| put(&store, key, value));
            futures_util::future::try_join_all(writes).await.unwrap();
        }
        store.close().await;
        drop(store);
        let path = directory.path().join(DATA_FILE);
        let mut bytes = std::fs::read(&path).unwrap();
        let hits = 5 + random.below(20) as usize;
        for _ in 0..hits {
            let at = random.below(bytes.len() as u64) as usize;
            bytes[at] ^= 1 << random.below(8);
        }
        // The first page is what the whole file hangs on.
        bytes[..512].fill(0xff);
        std::fs::write(&path, bytes).unwrap();
        assert!(EmbeddedStore::open(directory.path()).is_err(), "the file is beyond opening");
        let into = tempfile::tempdir().unwrap();
        let salvaged = embedded::salvage(directory.path(), into.path()).unwrap();
        let store = EmbeddedStore::open(into.path()).unwrap();
        let entries = list(&store).await;
        assert_eq!(entries.len() as u64, salvaged.entries);
        assert!(entries.len() >= COUNT - 8 * hits, "{} of {COUNT}", entries.len());
        for (key, found, ..) in entries {
            let at = key.strip_prefix("/k/").unwrap().parse().unwrap();
            let had = (0..2).any(|round| value(at, round).as_bytes() == found);
            assert!(had, "{key} has a value that it never had");
        }
        assert!(put(&store, "/k/new", "1").await.unwrap() > salvaged.revision);
    }
}
