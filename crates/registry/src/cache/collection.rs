//! The objects of one resource and its recent changes.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use ordain_storage::{Counts, Event, Key, Revision, Store};
use tokio::sync::OnceCell;

use super::change::Change;
use super::filling::{self, Filling};
use super::page::RecordList;
use super::queue::{End, Queue};
use super::record::{self, Record};
use ordain_strategy::RestConfig;

/// How much of the recent past is kept for watchers that resume. Older changes come from the
/// store.
const RING_LEN_MAX: usize = 1024;
const RING_BYTES_MAX: usize = 2 * 1024 * 1024;

const QUEUES_CHECKED_MIN: usize = 64;

/// The page that was asked for last is kept if it has at most so many records.
const KEPT_PAGE_LEN_MAX: usize = 500;

#[derive(Debug)]
pub(crate) struct Collection {
    /// What the keys of all objects begin with, the slash included.
    pub(super) prefix: String,
    /// Done once the objects were read from the store.
    filled: OnceCell<()>,
    /// Somebody reads them, or did.
    begun: AtomicBool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    records: BTreeMap<Key, Arc<Record>>,
    /// How many records there are in each namespace, by what their keys begin with, so that a page
    /// costs what it holds and not what is left out.
    counts: Counts,
    /// No object is larger than this, in bytes.
    largest: usize,
    /// All changes up to here are in the records.
    revision: Revision,
    /// Nothing changed after this.
    changed: Revision,
    /// Events that came before the objects were read.
    early: Option<Vec<Arc<Event>>>,
    ring: VecDeque<Arc<Change>>,
    ring_bytes: usize,
    /// The ring has every change after this.
    ring_after: Revision,
    /// The page that was asked for last, for whoever asks for it again before anything changes.
    kept: Option<KeptPage>,
    queues: Vec<Weak<Queue>>,
    /// Those of watchers that left are looked for when there are so many.
    queues_checked_at: usize,
    lost: bool,
}

/// A watcher's place in the stream of changes.
#[derive(Debug)]
pub(crate) struct Joined {
    pub(crate) queue: Arc<Queue>,
    /// Changes up to here have to be read from the history of the store; none if the queue has
    /// all of them.
    pub(crate) history_to: Option<Revision>,
}

impl Collection {
    pub(super) fn new(resource: &RestConfig) -> Self {
        let state = State { early: Some(Vec::new()), ..State::default() };
        Self {
            prefix: resource.collection_prefix(""),
            filled: OnceCell::new(),
            begun: AtomicBool::new(false),
            state: Mutex::new(state),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the objects are there. Before, there are no records and no watches.
    pub(crate) fn is_filled(&self) -> bool {
        self.filled.initialized()
    }

    /// Reads the objects from the store, or waits for whoever does.
    pub(super) async fn fill(&self, store: &dyn Store) -> ordain_storage::Result<()> {
        self.begun.store(true, Ordering::Relaxed);
        let filled = self.filled.get_or_try_init(|| filling::fill(store, self)).await;
        filled.copied()
    }

    /// Tells the first who asks that the objects have to be read.
    pub(super) fn begin(&self) -> bool {
        !self.begun.swap(true, Ordering::Relaxed)
    }

    /// Nobody reads the objects any more, and they are not there.
    pub(super) fn give_up(&self) {
        self.begun.store(false, Ordering::Relaxed);
    }

    /// Takes what the store held.
    pub(super) fn seed(&self, filling: Filling) {
        let mut state = self.state();
        state.revision = filling.revision;
        state.ring_after = filling.revision;
        state.changed = filling.revision;
        state.kept = None;
        state.records = filling.records;
        state.counts = filling.counts;
        state.largest = filling.largest;
        for event in state.early.take().unwrap_or_default() {
            state.apply(&event);
        }
    }

    pub(super) fn apply(&self, event: &Arc<Event>) {
        let mut state = self.state();
        match &mut state.early {
            Some(early) => early.push(Arc::clone(event)),
            None => state.apply(event),
        }
    }

    /// Ends all watches, now and in the future.
    pub(super) fn end(&self, end: End) {
        let mut state = self.state();
        state.lost = true;
        for queue in state.queues.drain(..).filter_map(|queue| queue.upgrade()) {
            queue.end(end);
        }
    }

    /// Nothing in it changed after this revision.
    pub(crate) fn changed(&self) -> Revision {
        self.state().changed
    }

    /// Every change after a revision, and up to where that leads; none if some are forgotten.
    pub(crate) fn since(&self, after: Revision) -> Option<(Vec<Arc<Change>>, Revision)> {
        let state = self.state();
        if state.lost || after < state.ring_after {
            return None;
        }
        let first = state.ring.partition_point(|change| change.revision <= after);
        let changes = state.ring.range(first..).cloned().collect();
        Some((changes, state.revision.max(after)))
    }

    pub(super) fn is_lost(&self) -> bool {
        self.state().lost
    }

    /// The record of a key, if it is of this revision.
    pub(super) fn find(&self, key: &str, revision: Revision) -> Option<Arc<Record>> {
        let state = self.state();
        state.records.get(key).filter(|record| record::same(record, revision)).cloned()
    }

    /// How large an object may be at most, as far as that is known.
    pub(super) fn largest(&self) -> Option<usize> {
        self.is_filled().then(|| self.state().largest)
    }

    /// How many bytes are stored for a key, as far as that is known.
    pub(super) fn len_of(&self, key: &str) -> Option<usize> {
        let len = self.state().records.get(key).map(|record| record.len());
        len.or_else(|| self.is_filled().then_some(0))
    }

    /// The records from a key on (all if it is empty) that begin with a prefix, at most so many
    /// (0: all), with the revision of this moment and the number of records left out.
    pub(crate) fn page(&self, prefix: &str, limit: usize, reached: Revision) -> CachedPage {
        self.take_page(&self.state(), prefix, limit, reached)
    }

    /// The same, shared with others who ask for the same page until something changes.
    pub(crate) fn shared_page(&self, prefix: &str, limit: usize, reached: Revision) -> CachedPage {
        let mut state = self.state();
        let asked = |kept: &&KeptPage| kept.limit == limit && kept.prefix == prefix;
        if let Some(kept) = state.kept.as_ref().filter(asked) {
            let revision = state.revision.max(reached);
            return CachedPage { records: Arc::clone(&kept.records), revision, left: kept.left };
        }
        let mut page = self.take_page(&state, prefix, limit, reached);
        if page.records.len() <= KEPT_PAGE_LEN_MAX {
            page.records = Arc::new(RecordList::kept(page.records.to_vec()));
            let (records, left) = (Arc::clone(&page.records), page.left);
            state.kept = Some(KeptPage { prefix: prefix.to_owned(), limit, records, left });
        }
        page
    }

    fn take_page(
        &self,
        state: &State,
        prefix: &str,
        limit: usize,
        reached: Revision,
    ) -> CachedPage {
        let revision = state.revision.max(reached);
        let from = (Bound::Included(prefix), Bound::Unbounded);
        let within = state
            .records
            .range::<str, _>(from)
            .take_while(|(key, _)| key.starts_with(prefix))
            .map(|(_, record)| record);
        let limit = if limit == 0 { usize::MAX } else { limit };
        let records: Vec<Arc<Record>> = within.take(limit).cloned().collect();
        let left = if prefix == self.prefix {
            state.records.len() - records.len()
        } else {
            state.counts.below(prefix).map_or(0, |all| all.saturating_sub(records.len()))
        };
        CachedPage { records: Arc::new(records.into()), revision, left: left as u64 }
    }

    /// Shared records for entries that were read from the store.
    pub(crate) fn share(&self, entries: &[ordain_storage::Entry]) -> Vec<Arc<Record>> {
        let state = self.state();
        let shared = entries.iter().map(|entry| {
            let known = state.records.get(&entry.key);
            let known = known.filter(|record| record::same(record, entry.mod_revision));
            known.cloned().unwrap_or_else(|| Arc::new(Record::of(entry)))
        });
        shared.collect()
    }

    /// Opens a queue that gets every change after a revision.
    pub(crate) fn join(&self, prefix: String, only: Option<String>, after: Revision) -> Joined {
        let mut state = self.state();
        let from_ring = after >= state.ring_after;
        let history_to = (!from_ring).then_some(state.revision);
        let queue = Arc::new(Queue::new(prefix, only, history_to.unwrap_or(after).max(after)));
        if from_ring {
            let first = state.ring.partition_point(|change| change.revision <= after);
            for change in state.ring.range(first..) {
                queue.offer(change);
            }
        }
        if state.lost {
            queue.end(End::Retired);
        } else {
            state.add_queue(&queue);
        }
        Joined { queue, history_to }
    }
}

/// A page of records at one moment.
pub(crate) struct CachedPage {
    pub(crate) records: Arc<RecordList>,
    pub(crate) revision: Revision,
    pub(crate) left: u64,
}

/// A page with what it was asked for by.
#[derive(Debug)]
struct KeptPage {
    prefix: String,
    limit: usize,
    records: Arc<RecordList>,
    left: u64,
}

impl State {
    /// Watchers that leave say nothing, and a quiet collection would keep their places for ever.
    fn add_queue(&mut self, queue: &Arc<Queue>) {
        if self.queues.len() >= self.queues_checked_at {
            self.queues.retain(|queue| queue.strong_count() > 0);
            self.queues_checked_at = self.queues.len().saturating_mul(2).max(QUEUES_CHECKED_MIN);
        }
        self.queues.push(Arc::downgrade(queue));
    }

    fn apply(&mut self, event: &Arc<Event>) {
        if event.revision <= self.revision && self.ring_after >= event.revision {
            return;
        }
        self.kept = None;
        let new = event
            .value
            .as_ref()
            .map(|bytes| Arc::new(Record::new(event.key.clone(), bytes.clone(), event.revision)));
        self.largest = self.largest.max(new.as_ref().map_or(0, |record| record.len()));
        let known = match &new {
            Some(record) => self.records.insert(event.key.clone(), Arc::clone(record)),
            None => self.records.remove(&event.key),
        };
        match (&known, &new) {
            (None, Some(_)) => self.counts.add(&event.key),
            (Some(_), None) => self.counts.remove(&event.key),
            _ => {}
        }
        let old = known.or_else(|| event.previous.as_ref().map(|it| Arc::new(Record::of(it))));
        self.revision = self.revision.max(event.revision);
        self.changed = self.revision;
        let change = Arc::new(Change::new(new, old, event.revision));
        self.queues.retain(|queue| queue.upgrade().is_some_and(|queue| queue.offer(&change)));
        self.ring_bytes += change.len();
        self.ring.push_back(change);
        while self.ring.len() > RING_LEN_MAX || self.ring_bytes > RING_BYTES_MAX {
            let Some(oldest) = self.ring.pop_front() else { break };
            self.ring_bytes = self.ring_bytes.saturating_sub(oldest.len());
            self.ring_after = oldest.revision;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn watchers_that_left_a_quiet_collection_leave_nothing_behind() {
        let mut state = State::default();
        let staying = Arc::new(Queue::new(String::new(), None, 0));
        state.add_queue(&staying);
        for _ in 0..10_000 {
            state.add_queue(&Arc::new(Queue::new(String::new(), None, 0)));
        }
        assert!(state.queues.len() <= 2 * QUEUES_CHECKED_MIN, "{}", state.queues.len());
        assert!(state.queues.iter().any(|queue| queue.strong_count() > 0));
    }
}
