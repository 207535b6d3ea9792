//! The history of all keys in memory, since the last compaction.
//!
//! Each key has its current version and those before it that some readable revision still
//! needs; beside them stands the log of all changes in order. Writers hand in events that are
//! already durable, so whatever the index shows may be shown to anyone.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak};

use bytes::Bytes;
use futures_util::stream;

use crate::error::StoreError;
use crate::event_queue::{BATCH_LEN_MAX, EventQueue};
use crate::store::{Conflict, Entry, Expect, Key, Op, Page, Range, Read, Result, Revision, Write};
use crate::watch::{Batch, Event, Watch};

/// The revision of a store in which nothing was ever written. Not 0, so that every list has a
/// revision from which a watch can start.
pub(crate) const FIRST_REVISION: Revision = 1;

/// Bookkeeping bytes of one logged event, for the limit on history.
const EVENT_BYTES: usize = 256;

/// How much is kept for watchers and for reads of the past.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HistoryLimits {
    /// Beyond so many events the oldest are compacted without being asked.
    pub history_len_max: usize,
    /// Beyond so many bytes the oldest are compacted without being asked.
    pub history_bytes_max: usize,
    /// A watcher for which more events are waiting is closed.
    pub watch_queue_len_max: usize,
}

impl Default for HistoryLimits {
    fn default() -> Self {
        Self {
            history_len_max: 400_000,
            history_bytes_max: 256 * 1024 * 1024,
            watch_queue_len_max: 16_384,
        }
    }
}

#[derive(Debug, Clone)]
struct Version {
    revision: Revision,
    create_revision: Revision,
    /// None if the key was deleted at this revision.
    value: Option<Bytes>,
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
    /// All changes after `compacted`.
    log: VecDeque<Arc<Event>>,
    log_bytes: usize,
    revision: Revision,
    compacted: Revision,
    limits: HistoryLimits,
    queues: Vec<Weak<EventQueue>>,
    closed: bool,
}

impl Index {
    /// The state just after a compaction at `compacted`, to be filled with [`Index::seed`].
    pub(crate) fn new(limits: HistoryLimits, compacted: Revision) -> Self {
        Self {
            keys: BTreeMap::new(),
            log: VecDeque::new(),
            log_bytes: 0,
            revision: compacted.max(FIRST_REVISION),
            compacted,
            limits,
            queues: Vec::new(),
            closed: false,
        }
    }

    pub(crate) fn revision(&self) -> Revision {
        self.revision
    }

    pub(crate) fn compacted(&self) -> Revision {
        self.compacted
    }

    /// Puts in an entry that was live at the compaction.
    pub(crate) fn seed(&mut self, entry: Entry) {
        let current = Version {
            revision: entry.mod_revision,
            create_revision: entry.create_revision,
            value: Some(entry.value),
        };
        self.revision = self.revision.max(entry.mod_revision);
        self.keys.insert(entry.key, Versions { current, older: Vec::new() });
    }

    /// Takes a seeded entry out again.
    pub(crate) fn unseed(&mut self, key: &str) -> Option<Entry> {
        let (key, versions) = self.keys.remove_entry(key)?;
        entry(&key, &versions.current)
    }

    /// The changes that a compaction at the revision makes unnecessary.
    pub(crate) fn obsolete_before(&self, revision: Revision) -> Vec<(Revision, Key)> {
        let mut obsolete = Vec::new();
        for event in self.log.iter().take_while(|event| event.revision <= revision) {
            if let Some(previous) = &event.previous {
                obsolete.push((previous.mod_revision, event.key.clone()));
            }
            if event.is_delete() {
                obsolete.push((event.revision, event.key.clone()));
            }
        }
        obsolete
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
            if !range.count {
                break;
            }
        }
        page.count = range.count.then_some(count);
        Ok(page)
    }

    fn readable(&self, requested: Revision) -> Result<()> {
        if requested > self.revision {
            return Err(StoreError::FutureRevision { requested, current: self.revision });
        }
        self.not_compacted(requested)
    }

    fn not_compacted(&self, requested: Revision) -> Result<()> {
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
        let revision = self.revision;
        self.queues
            .retain(|queue| queue.upgrade().is_some_and(|queue| queue.offer(events, revision)));
    }

    fn record(&mut self, event: &Arc<Event>) {
        let version = Version {
            revision: event.revision,
            create_revision: event.create_revision,
            value: event.value.clone(),
        };
        match self.keys.get_mut(&event.key) {
            Some(versions) => {
                let before = std::mem::replace(&mut versions.current, version);
                versions.older.push(before);
            }
            None => {
                let versions = Versions { current: version, older: Vec::new() };
                self.keys.insert(event.key.clone(), versions);
            }
        }
        self.revision = self.revision.max(event.revision);
        self.log_bytes = self.log_bytes.saturating_add(event_bytes(event));
        self.log.push_back(event.clone());
    }

    /// The revision to compact at so that the history is within its limits again. There is some
    /// slack, so that compaction comes in portions and not with each commit.
    pub(crate) fn compaction_due(&self) -> Option<Revision> {
        let len_max = self.limits.history_len_max;
        let bytes_max = self.limits.history_bytes_max;
        let slack = |max: usize| max.saturating_add(max / 8);
        if self.log.len() <= slack(len_max) && self.log_bytes <= slack(bytes_max) {
            return None;
        }
        let mut len = self.log.len();
        let mut bytes = self.log_bytes;
        let mut due = None;
        for event in &self.log {
            if len <= len_max && bytes <= bytes_max {
                break;
            }
            len -= 1;
            bytes = bytes.saturating_sub(event_bytes(event));
            due = Some(event.revision);
        }
        due
    }

    pub(crate) fn compact(&mut self, revision: Revision) -> Result<()> {
        if revision > self.revision {
            let current = self.revision;
            return Err(StoreError::FutureRevision { requested: revision, current });
        }
        if revision <= self.compacted {
            return Ok(());
        }
        self.compacted = revision;
        while self.log.front().is_some_and(|event| event.revision <= revision) {
            let Some(event) = self.log.pop_front() else { break };
            self.log_bytes = self.log_bytes.saturating_sub(event_bytes(&event));
            self.forget(&event.key, revision);
        }
        if self.log.capacity() > 1024 && self.log.len() < self.log.capacity() / 4 {
            self.log.shrink_to_fit();
        }
        Ok(())
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

    /// Changes after a revision, about a batch of them; none if there are no more.
    fn log_after(&self, prefix: &str, after: Revision) -> Option<Batch> {
        let first = self.log.partition_point(|event| event.revision <= after);
        let mut events: Vec<Arc<Event>> = Vec::new();
        for event in self.log.range(first..) {
            if events.len() >= BATCH_LEN_MAX
                && events.last().is_some_and(|last| last.revision < event.revision)
            {
                let revision = event.revision - 1;
                return Some(Batch { events, revision });
            }
            if event.key.starts_with(prefix) {
                events.push(event.clone());
            }
        }
        (!events.is_empty()).then_some(Batch { events, revision: self.revision })
    }

    pub(crate) fn want_progress(&self) {
        for queue in self.queues.iter().filter_map(Weak::upgrade) {
            queue.want_progress();
        }
    }

    /// Ends all watches, now and in the future.
    pub(crate) fn close(&mut self) {
        self.closed = true;
        for queue in self.queues.drain(..).filter_map(|queue| queue.upgrade()) {
            queue.end(StoreError::Closed);
        }
    }

    /// The same state and history without the watchers.
    pub(crate) fn fork(&self) -> Self {
        Self {
            keys: self.keys.clone(),
            log: self.log.clone(),
            queues: Vec::new(),
            closed: false,
            ..*self
        }
    }
}

fn event_bytes(event: &Event) -> usize {
    let value = event.value.as_ref().map_or(0, Bytes::len);
    value.saturating_add(event.key.len()).saturating_add(EVENT_BYTES)
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
        };
        events.push(Arc::new(Event { key: write.key, revision, value, create_revision, previous }));
    }
    Ok(events)
}

/// Refuses commits that make no sense or are too large.
pub(crate) fn check_writes(writes: &[Write], bytes_max: usize) -> Result<()> {
    if writes.is_empty() {
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

    pub(crate) fn watch(&self, prefix: &str, after: Revision) -> Result<Watch> {
        let index = self.read();
        if index.closed {
            return Err(StoreError::Closed);
        }
        index.not_compacted(after)?;
        drop(index);
        let reader =
            Reader { index: self.clone(), prefix: prefix.to_owned(), place: Place::Log(after) };
        Ok(Watch::new(stream::unfold(reader, |mut reader| async move {
            let batch = reader.next().await?;
            if batch.is_err() {
                reader.place = Place::Ended;
            }
            Some((batch, reader))
        })))
    }
}

struct Reader {
    index: SharedIndex,
    prefix: String,
    place: Place,
}

/// A watch first reads the log in portions, and joins the live watchers when it has caught up.
enum Place {
    Log(Revision),
    Live(Arc<EventQueue>),
    Ended,
}

impl Reader {
    async fn next(&mut self) -> Option<Result<Batch>> {
        loop {
            match &self.place {
                Place::Ended => return None,
                Place::Live(queue) => return Some(queue.next().await),
                Place::Log(after) => {
                    let after = *after;
                    if let Some(batch) = self.catch_up(after) {
                        return Some(batch);
                    }
                }
            }
        }
    }

    fn catch_up(&mut self, after: Revision) -> Option<Result<Batch>> {
        let read_only = self.index.read();
        if let Err(error) = read_only.not_compacted(after) {
            return Some(Err(error));
        }
        let batch = read_only.log_after(&self.prefix, after);
        drop(read_only);
        if let Some(batch) = batch {
            self.place = Place::Log(batch.revision.max(after));
            return Some(Ok(batch));
        }
        let mut index = self.index.write();
        if index.closed {
            return Some(Err(StoreError::Closed));
        }
        // Something may have been written between the two locks: then the log comes first.
        if index.not_compacted(after).is_ok() && index.log_after(&self.prefix, after).is_none() {
            let offered = index.revision.max(after);
            let len_max = index.limits.watch_queue_len_max;
            let queue = Arc::new(EventQueue::new(&self.prefix, len_max, offered));
            if offered > after {
                // Progress may have been asked for before this queue was there to hear it.
                queue.want_progress();
            }
            index.queues.push(Arc::downgrade(&queue));
            self.place = Place::Live(queue);
        }
        None
    }
}
