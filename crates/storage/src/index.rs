//! The history of all keys in memory, since the last compaction.
//!
//! Each key has its current version and those before it that some readable revision still
//! needs; beside them stands the log of all changes in order. Writers hand in events that are
//! already durable, so whatever the index shows may be shown to anyone.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry as MapEntry;
use std::ops::Bound;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use bytes::Bytes;

use crate::counts::Counts;
use crate::error::StoreError;
use crate::event_log::{EventLog, HistoryLimits};
use crate::store::{Conflict, Entry, Expect, Key, Op, Page, Range, Read, Result, Revision, Write};
use crate::watch::Event;

/// The revision of a store in which nothing was ever written. Not 0, so that every list has a
/// revision from which a watch can start.
pub(crate) const FIRST_REVISION: Revision = 1;

#[derive(Debug, Clone)]
struct Version {
    revision: Revision,
    create_revision: Revision,
    /// None if the key was deleted at this revision.
    value: Option<Bytes>,
}

/// A change from before the compaction.
pub(crate) struct Seed {
    pub(crate) revision: Revision,
    pub(crate) create_revision: Revision,
    /// None if the key was deleted.
    pub(crate) value: Option<Bytes>,
}

#[derive(Debug, Clone)]
struct Versions {
    current: Version,
    /// Oldest first.
    older: Vec<Version>,
}

impl Versions {
    fn at(&self, revision: Revision) -> Option<&Version> {
        if self.current.revision <= revision {
            return Some(&self.current);
        }
        let newer = self.older.partition_point(|version| version.revision <= revision);
        self.older.get(newer.checked_sub(1)?)
    }
}

fn entry(key: &Key, version: &Version) -> Option<Entry> {
    version.value.as_ref().map(|value| Entry {
        key: key.clone(),
        value: value.clone(),
        create_revision: version.create_revision,
        mod_revision: version.revision,
    })
}

#[derive(Debug)]
pub(crate) struct Index {
    keys: BTreeMap<Key, Versions>,
    /// Of the keys that have a value now.
    counts: Counts,
    /// All changes after `compacted`.
    log: EventLog,
    revision: Revision,
    compacted: Revision,
}

impl Index {
    /// The state just after a compaction at `compacted`, to be filled with [`Index::seed`].
    pub(crate) fn new(limits: HistoryLimits, compacted: Revision) -> Self {
        let revision = compacted.max(FIRST_REVISION);
        let log = EventLog::new(limits, compacted, revision);
        Self { keys: BTreeMap::new(), counts: Counts::default(), log, revision, compacted }
    }

    pub(crate) fn log(&self) -> &EventLog {
        &self.log
    }

    pub(crate) fn revision(&self) -> Revision {
        self.revision
    }

    pub(crate) fn compacted(&self) -> Revision {
        self.compacted
    }

    /// Takes the next change from before the compaction. Of those of one key the last counts; the one
    /// before it is returned.
    pub(crate) fn seed(&mut self, key: Key, seed: Seed) -> Option<(Revision, Key)> {
        let Seed { revision, create_revision, value } = seed;
        let version = Version { revision, create_revision, value };
        match self.keys.entry(key) {
            MapEntry::Vacant(place) => {
                self.counts.add(place.key());
                place.insert(Versions { current: version, older: Vec::new() });
                None
            }
            MapEntry::Occupied(mut place) => {
                let before = std::mem::replace(&mut place.get_mut().current, version);
                Some((before.revision, place.key().clone()))
            }
        }
    }

    /// Takes out the keys whose last change before the compaction was a deletion.
    pub(crate) fn drop_deleted(&mut self) -> Vec<(Revision, Key)> {
        let gone = |versions: &mut Versions| versions.current.value.is_none();
        let gone = self.keys.extract_if(.., |_, versions| gone(versions));
        let gone: Vec<_> = gone.map(|(key, versions)| (versions.current.revision, key)).collect();
        for (_, key) in &gone {
            self.counts.remove(key);
        }
        gone
    }

    pub(crate) fn current(&self, key: &str) -> Option<Entry> {
        self.keys.get_key_value(key).and_then(|(key, versions)| entry(key, &versions.current))
    }

    pub(crate) fn read(&self, key: &str) -> Read {
        Read { entry: self.current(key), revision: self.revision }
    }

    pub(crate) fn range(&self, range: &Range<'_>) -> Result<Page> {
        let revision = range.at.unwrap_or(self.revision);
        self.readable(revision)?;
        let start = range.start.map_or(range.prefix, |start| start.max(range.prefix));
        let limit = if range.limit == 0 { usize::MAX } else { range.limit };
        let mut page = Page { entries: Vec::new(), revision, more: false, count: None };
        // The counts are those of now and of whole folders; else the keys are counted one by one.
        let counted = (range.count && revision == self.revision && start == range.prefix)
            .then(|| self.counts.below(range.prefix))
            .flatten();
        let mut count = 0_u64;
        let from = (Bound::Included(start), Bound::Unbounded);
        for (key, versions) in self.keys.range::<str, _>(from) {
            if !key.starts_with(range.prefix) {
                break;
            }
            let Some(version) = versions.at(revision).filter(|version| version.value.is_some())
            else {
                continue;
            };
            count += 1;
            if page.entries.len() < limit {
                page.entries.extend(entry(key, version));
                continue;
            }
            page.more = true;
            if !range.count || counted.is_some() {
                break;
            }
        }
        let count = counted.map_or(count, |counted| counted as u64);
        page.count = range.count.then_some(count);
        Ok(page)
    }

    fn readable(&self, requested: Revision) -> Result<()> {
        if requested > self.revision {
            return Err(StoreError::FutureRevision { requested, current: self.revision });
        }
        if requested < self.compacted {
            return Err(StoreError::Compacted { requested, compacted: self.compacted });
        }
        Ok(())
    }

    /// Makes durable events visible: to readers, then to watchers.
    pub(crate) fn apply(&mut self, events: &[Arc<Event>]) {
        for event in events {
            self.record(event);
        }
        self.log.publish(events, self.revision);
    }

    fn record(&mut self, event: &Arc<Event>) {
        let version = Version {
            revision: event.revision,
            create_revision: event.create_revision,
            value: event.value.clone(),
        };
        let is_there = version.value.is_some();
        let mut was_there = false;
        match self.keys.get_mut(&event.key) {
            Some(versions) => {
                let before = std::mem::replace(&mut versions.current, version);
                was_there = before.value.is_some();
                versions.older.push(before);
            }
            None => {
                let versions = Versions { current: version, older: Vec::new() };
                self.keys.insert(event.key.clone(), versions);
            }
        }
        match (was_there, is_there) {
            (false, true) => self.counts.add(&event.key),
            (true, false) => self.counts.remove(&event.key),
            _ => {}
        }
        self.revision = self.revision.max(event.revision);
    }

    /// Gives up the history before a revision. Returns the changes (by revision and key) that
    /// no readable revision needs any more.
    pub(crate) fn compact(&mut self, revision: Revision) -> Result<Vec<(Revision, Key)>> {
        let current = self.revision;
        if revision > current {
            return Err(StoreError::FutureRevision { requested: revision, current });
        }
        if revision <= self.compacted {
            return Ok(Vec::new());
        }
        self.compacted = revision;
        let mut obsolete = Vec::new();
        for event in self.log.compact(revision) {
            self.forget(&event.key, revision);
            if let Some(previous) = &event.previous {
                obsolete.push((previous.mod_revision, event.key.clone()));
            }
            if event.is_delete() {
                obsolete.push((event.revision, event.key.clone()));
            }
        }
        Ok(obsolete)
    }

    /// Drops the versions of a key that no readable revision needs.
    fn forget(&mut self, key: &Key, compacted: Revision) {
        let Some(versions) = self.keys.get_mut(key) else { return };
        if versions.current.revision <= compacted {
            versions.older = Vec::new();
            if versions.current.value.is_none() {
                self.keys.remove(key);
            }
            return;
        }
        let unneeded = versions
            .older
            .partition_point(|version| version.revision <= compacted)
            .saturating_sub(1);
        versions.older.drain(..unneeded);
        let gone = |version: &Version| version.revision <= compacted && version.value.is_none();
        if versions.older.first().is_some_and(gone) {
            versions.older.remove(0);
        }
    }

    /// The same state and history without the watchers.
    pub(crate) fn fork(&self) -> Self {
        let (keys, counts) = (self.keys.clone(), self.counts.clone());
        Self { keys, counts, log: self.log.fork(), ..*self }
    }
}

/// Turns writes into the events they make at `revision`, if their expectations hold.
/// `current` tells what a key holds at that point of the history. The events of one commit are
/// in the order of their keys, so that history reads the same from wherever it is read.
pub(crate) fn stage(
    mut writes: Vec<Write>,
    revision: Revision,
    current: impl Fn(&str) -> Option<Entry>,
) -> std::result::Result<Vec<Arc<Event>>, Conflict> {
    writes.sort_by(|left, right| left.key.cmp(&right.key));
    let mut events = Vec::with_capacity(writes.len());
    for write in writes {
        let previous = current(&write.key);
        let holds = match (write.expect, &previous) {
            (Expect::Absent, None) => true,
            (Expect::Exact(expected), Some(entry)) => entry.mod_revision == expected,
            (Expect::Any, _) => true,
            _ => false,
        };
        if !holds || (write.op == Op::Delete && previous.is_none()) {
            let revision = revision.saturating_sub(1);
            return Err(Conflict { key: write.key, current: previous, revision });
        }
        let create_revision = previous.as_ref().map_or(revision, |entry| entry.create_revision);
        let value = match write.op {
            Op::Put(value) => Some(value),
            Op::Delete => None,
            Op::Check => continue,
        };
        events.push(Arc::new(Event { key: write.key, revision, value, create_revision, previous }));
    }
    Ok(events)
}

/// Refuses commits that make no sense or are too large.
pub(crate) fn check_writes(writes: &[Write], bytes_max: usize) -> Result<()> {
    if writes.iter().all(|write| write.op == Op::Check) {
        return Err(StoreError::Invalid("a commit needs at least one write".to_owned()));
    }
    let bytes = writes.iter().fold(0_usize, |sum, write| sum.saturating_add(write.bytes_len()));
    if bytes > bytes_max {
        return Err(StoreError::TooLarge { bytes, bytes_max });
    }
    if let [write] = writes {
        return check_key(&write.key);
    }
    let mut keys = std::collections::BTreeSet::new();
    for write in writes {
        check_key(&write.key)?;
        if !keys.insert(&write.key) {
            let key = &write.key;
            return Err(StoreError::Invalid(format!("a commit names the key {key:?} twice")));
        }
    }
    Ok(())
}

fn check_key(key: &Key) -> Result<()> {
    if key.is_empty() {
        return Err(StoreError::Invalid("a key must not be empty".to_owned()));
    }
    Ok(())
}

/// An index shared by readers, watchers and the one who writes.
#[derive(Debug, Clone)]
pub(crate) struct SharedIndex(Arc<RwLock<Index>>);

impl SharedIndex {
    pub(crate) fn new(index: Index) -> Self {
        Self(Arc::new(RwLock::new(index)))
    }

    pub(crate) fn read(&self) -> RwLockReadGuard<'_, Index> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn write(&self) -> RwLockWriteGuard<'_, Index> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}
