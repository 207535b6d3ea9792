//! How a data file becomes an index at start.
//!
//! Of what was written before the last compaction only the last change of each key counts, so it is
//! read by several threads, each a part of the revisions, in whatever order that comes. The history
//! since then is replayed change by change.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::SyncSender;

use redb::{Database, ReadableDatabase, ReadableTableMetadata};

use super::file::{self, CHANGES, META_COMPACTED, Obsolete, database_error, guard};
use super::record;
use crate::error::StoreError;
use crate::event_log::HistoryLimits;
use crate::index::{Index, Seed};
use crate::store::{Key, Result, Revision};
use crate::watch::Event;

/// A file with fewer records is read by one thread.
const PARALLEL_LEN_MIN: u64 = 20_000;
const THREADS_MAX: usize = 4;
/// Revisions may lie more densely in some places than in others: threads take further parts.
const PARTS: u64 = 32;

pub(super) struct Loaded {
    pub(super) index: Index,
    pub(super) obsolete: Vec<Obsolete>,
}

/// Changes of a part of the revisions.
type Part = Vec<(Key, Seed)>;

/// Reads the whole file into memory and checks on the way that history has no holes.
pub(super) fn load(database: &Database, limits: HistoryLimits) -> Result<Loaded> {
    guard(|| {
        let compacted = file::read_meta(database, META_COMPACTED)?.unwrap_or(0);
        let mut index = Index::new(limits, compacted);
        let obsolete = seed(&mut index, database, compacted)?;
        load_after(database, compacted, &mut |revision, key, record| {
            let event = replay(&index, revision, key, record)?;
            index.apply(&[event]);
            Ok(())
        })?;
        Ok(Loaded { index, obsolete })
    })
}

/// Hands out the records after a revision, in order.
pub(super) fn load_after(
    database: &Database,
    after: Revision,
    take: &mut dyn FnMut(Revision, Key, record::Record) -> Result<()>,
) -> Result<()> {
    load_between(database, after.saturating_add(1)..=Revision::MAX, take)
}

fn load_between(
    database: &Database,
    revisions: std::ops::RangeInclusive<Revision>,
    take: &mut dyn FnMut(Revision, Key, record::Record) -> Result<()>,
) -> Result<()> {
    let transaction = database.begin_read().map_err(|error| database_error(error.into()))?;
    let changes = transaction.open_table(CHANGES).map_err(|error| database_error(error.into()))?;
    let from = (*revisions.start(), "");
    for change in changes.range(from..).map_err(|error| database_error(error.into()))? {
        let (place, bytes) = change.map_err(|error| database_error(error.into()))?;
        let (revision, key) = place.value();
        if revision > *revisions.end() {
            break;
        }
        let record = record::decode(revision, key, bytes.value())?;
        take(revision, Key::from(key), record)?;
    }
    Ok(())
}

/// Puts in the last change of each key up to the compaction. Earlier ones and deletions may be there,
/// if the process ended before it had cleaned up: they are returned.
fn seed(index: &mut Index, database: &Database, compacted: Revision) -> Result<Vec<Obsolete>> {
    let Some((first, last, len)) = extent(database, compacted)? else { return Ok(Vec::new()) };
    let mut obsolete = Vec::new();
    let mut deleted = false;
    let mut take = |part: Part| {
        for (key, seed) in part {
            deleted |= seed.value.is_none();
            obsolete.extend(index.seed(key, seed));
        }
    };
    if len < PARALLEL_LEN_MIN {
        take(read_part(database, first..=last)?);
    } else {
        read_parts(database, first, last, &mut take)?;
    }
    if deleted {
        obsolete.extend(index.drop_deleted());
    }
    Ok(obsolete)
}

/// Hands out the changes between two revisions, read by several threads.
fn read_parts(
    database: &Database,
    first: Revision,
    last: Revision,
    take: &mut dyn FnMut(Part),
) -> Result<()> {
    let step = (last - first) / PARTS + 1;
    let next = AtomicU64::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(THREADS_MAX);
    let (send, parts) = std::sync::mpsc::sync_channel(threads);
    let read = |send: SyncSender<(u64, Result<Part>)>| {
        loop {
            let part = next.fetch_add(1, Ordering::Relaxed);
            let start = first.saturating_add(step.saturating_mul(part));
            if part >= PARTS || start > last {
                return;
            }
            let end = start.saturating_add(step - 1).min(last);
            let read = guard(|| read_part(database, start..=end));
            if send.send((part, read)).is_err() {
                return;
            }
        }
    };
    let mut failed: Option<(u64, StoreError)> = None;
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let send = send.clone();
            scope.spawn(|| read(send));
        }
        drop(send);
        for (part, read) in parts {
            match read {
                Ok(read) => take(read),
                // Of several failures the first one in the file is told.
                Err(error) if failed.as_ref().is_none_or(|(first, _)| part < *first) => {
                    failed = Some((part, error));
                }
                Err(_) => {}
            }
        }
    });
    failed.map_or(Ok(()), |(_, error)| Err(error))
}

/// The first and the last revision of the changes up to the compaction, and how many records the
/// file has in all.
fn extent(database: &Database, compacted: Revision) -> Result<Option<(Revision, Revision, u64)>> {
    let transaction = database.begin_read().map_err(|error| database_error(error.into()))?;
    let changes = transaction.open_table(CHANGES).map_err(|error| database_error(error.into()))?;
    let len = changes.len().map_err(|error| database_error(error.into()))?;
    let after = compacted.saturating_add(1);
    let mut before = changes.range(..(after, "")).map_err(|error| database_error(error.into()))?;
    let first = before.next().transpose().map_err(|error| database_error(error.into()))?;
    let last = before.next_back().transpose().map_err(|error| database_error(error.into()))?;
    Ok(first.map(|first| {
        let first = first.0.value().0;
        (first, last.map_or(first, |last| last.0.value().0), len)
    }))
}

fn read_part(database: &Database, revisions: std::ops::RangeInclusive<Revision>) -> Result<Part> {
    let mut part = Vec::new();
    load_between(database, revisions, &mut |revision, key, record| {
        let record::Record { create_revision, value } = record;
        part.push((key, Seed { revision, create_revision, value }));
        Ok(())
    })?;
    Ok(part)
}

/// The event that made a record.
pub(super) fn replay(
    index: &Index,
    revision: Revision,
    key: Key,
    record: record::Record,
) -> Result<Arc<Event>> {
    let last = index.revision();
    if revision != last && revision != last + 1 {
        return Err(StoreError::Corrupt(format!(
            "there is no change between the revisions {last} and {revision}"
        )));
    }
    let previous = index.current(&key);
    let expected = previous.as_ref().map_or(revision, |entry| entry.create_revision);
    if record.create_revision != expected || (previous.is_none() && record.value.is_none()) {
        return Err(StoreError::Corrupt(format!(
            "the change of {key:?} at revision {revision} does not follow from the one before"
        )));
    }
    let create_revision = record.create_revision;
    Ok(Arc::new(Event { key, revision, value: record.value, create_revision, previous }))
}
