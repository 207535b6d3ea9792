//! How a data file becomes an index at start.
//!
//! Of what was written before the last compaction only the last change of each key counts; the
//! history since then is replayed change by change. One thread reads: what takes the time is memory
//! from the system, for which several threads would wait for each other.

use std::sync::Arc;

use redb::{Database, ReadableDatabase};

use super::file::{self, CHANGES, META_COMPACTED, Obsolete, database_error, guard};
use super::record;
use crate::error::StoreError;
use crate::event_log::HistoryLimits;
use crate::index::{Index, Seed};
use crate::store::{Key, Result, Revision};
use crate::watch::Event;

pub(super) struct Loaded {
    pub(super) index: Index,
    pub(super) obsolete: Vec<Obsolete>,
}

/// Reads the whole file into memory and checks on the way that history has no holes.
pub(super) fn load(database: &Database, limits: HistoryLimits) -> Result<Loaded> {
    guard(|| {
        let compacted = file::read_meta(database, META_COMPACTED)?.unwrap_or(0);
        let mut index = Index::new(limits, compacted);
        let mut obsolete = Vec::new();
        // More than the last change of a key may be there, if the process ended before it had
        // cleaned up.
        load_between(database, 0..=compacted, &mut |revision, key, record| {
            let record::Record { create_revision, value } = record;
            obsolete.extend(index.seed(key, Seed { revision, create_revision, value }));
            Ok(())
        })?;
        obsolete.extend(index.drop_deleted());
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
