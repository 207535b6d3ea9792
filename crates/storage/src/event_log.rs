//! The recent changes in order, and everybody who follows them.
//!
//! A watch first reads the log in portions and joins the live watchers when it has caught up;
//! from then on events are pushed to its bounded queue. The log knows nothing of the state; a
//! store shows a change to readers before it publishes it here.

use std::collections::VecDeque;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak};

use bytes::Bytes;
use futures_util::stream;

use crate::error::StoreError;
use crate::event_queue::{BATCH_LEN_MAX, EventQueue, Offered};
use crate::store::{Result, Revision};
use crate::watch::{Batch, Event, Watch};

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
            // An event keeps the value before it alive too: at worst it is twice as much.
            history_bytes_max: 128 * 1024 * 1024,
            watch_queue_len_max: 16_384,
        }
    }
}

/// A handle; clones are handles of the same log.
#[derive(Debug, Clone)]
pub struct EventLog {
    state: Arc<RwLock<State>>,
}

#[derive(Debug)]
struct State {
    /// All changes after `compacted`.
    events: VecDeque<Arc<Event>>,
    bytes: usize,
    revision: Revision,
    compacted: Revision,
    limits: HistoryLimits,
    queues: Vec<Weak<EventQueue>>,
    closed: bool,
}

impl EventLog {
    /// A log that is at a revision and knows nothing of what was before.
    pub fn new(limits: HistoryLimits, compacted: Revision, revision: Revision) -> Self {
        let state = State {
            events: VecDeque::new(),
            bytes: 0,
            revision,
            compacted,
            limits,
            queues: Vec::new(),
            closed: false,
        };
        Self { state: Arc::new(RwLock::new(state)) }
    }

    fn read(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds changes that are durable and can be read, and notifies the watchers. The events are
    /// ordered and whole commits; all that happened up to `revision` has been published then.
    pub fn publish(&self, events: &[Arc<Event>], revision: Revision) {
        let mut state = self.write();
        for event in events {
            state.bytes = state.bytes.saturating_add(event_bytes(event));
            state.events.push_back(event.clone());
        }
        state.revision = state.revision.max(revision);
        let revision = state.revision;
        // They are woken when all of them have everything and no lock is held: who reads several
        // is woken once, and nobody is woken to wait for a lock.
        let mut woken = Vec::new();
        state.queues.retain(|queue| {
            let Some(queue) = queue.upgrade() else { return false };
            let offered = queue.offer(events, revision);
            if matches!(offered, Offered::News | Offered::Overflown) {
                woken.push(queue);
            }
            matches!(offered, Offered::News | Offered::Nothing)
        });
        drop(state);
        for queue in woken {
            queue.ring();
        }
    }

    /// The revision of the last change.
    pub fn revision(&self) -> Revision {
        self.read().revision
    }

    /// Changes up to this revision are no longer known.
    pub fn compacted(&self) -> Revision {
        self.read().compacted
    }

    /// The revision to compact at so that the log is within its limits again. There is some
    /// slack, so that compaction comes in portions and not with each commit.
    pub fn compaction_due(&self) -> Option<Revision> {
        let state = self.read();
        let len_max = state.limits.history_len_max;
        let bytes_max = state.limits.history_bytes_max;
        let slack = |max: usize| max.saturating_add(max / 8);
        if state.events.len() <= slack(len_max) && state.bytes <= slack(bytes_max) {
            return None;
        }
        let mut len = state.events.len();
        let mut bytes = state.bytes;
        let mut due = None;
        for event in &state.events {
            if len <= len_max && bytes <= bytes_max {
                break;
            }
            len -= 1;
            bytes = bytes.saturating_sub(event_bytes(event));
            due = Some(event.revision);
        }
        due
    }

    /// Forgets the changes up to a revision and hands them out a last time.
    pub fn compact(&self, revision: Revision) -> Vec<Arc<Event>> {
        let mut state = self.write();
        state.compacted = state.compacted.max(revision);
        let len = state.events.partition_point(|event| event.revision <= revision);
        let forgotten: Vec<_> = state.events.drain(..len).collect();
        for event in &forgotten {
            state.bytes = state.bytes.saturating_sub(event_bytes(event));
        }
        if state.events.capacity() > 1024 && state.events.len() < state.events.capacity() / 4 {
            state.events.shrink_to_fit();
        }
        forgotten
    }

    /// Starts over at a later revision because changes in between were missed. Open watches end
    /// with [`StoreError::Compacted`].
    pub fn restart(&self, revision: Revision) {
        let mut state = self.write();
        let requested = state.revision;
        state.events = VecDeque::new();
        state.bytes = 0;
        state.revision = state.revision.max(revision);
        state.compacted = state.revision;
        let compacted = state.compacted;
        for queue in state.queues.drain(..).filter_map(|queue| queue.upgrade()) {
            queue.end(StoreError::Compacted { requested, compacted });
        }
    }

    /// See [`Store::request_progress`](crate::Store::request_progress).
    pub fn want_progress(&self) {
        for queue in self.read().queues.iter().filter_map(Weak::upgrade) {
            queue.want_progress();
        }
    }

    /// Ends all watches, now and in the future.
    pub fn close(&self) {
        let mut state = self.write();
        state.closed = true;
        for queue in state.queues.drain(..).filter_map(|queue| queue.upgrade()) {
            queue.end(StoreError::Closed);
        }
    }

    /// The same history in a log of its own, without the watchers.
    #[must_use]
    pub fn fork(&self) -> Self {
        let state = self.read();
        let state =
            State { events: state.events.clone(), queues: Vec::new(), closed: false, ..*state };
        Self { state: Arc::new(RwLock::new(state)) }
    }

    /// Follows the keys that start with a prefix from after a revision on.
    pub fn watch(&self, prefix: &str, after: Revision) -> Result<Watch> {
        let state = self.read();
        if state.closed {
            return Err(StoreError::Closed);
        }
        state.not_compacted(after)?;
        drop(state);
        let place = Place::Log(after);
        let reader = Reader { log: self.clone(), prefix: prefix.to_owned(), place };
        Ok(Watch::new(stream::unfold(reader, |mut reader| async move {
            let batch = reader.next().await?;
            if batch.is_err() {
                reader.place = Place::Ended;
            }
            Some((batch, reader))
        })))
    }
}

fn event_bytes(event: &Event) -> usize {
    let value = event.value.as_ref().map_or(0, Bytes::len);
    value.saturating_add(event.key.len()).saturating_add(EVENT_BYTES)
}

impl State {
    fn not_compacted(&self, requested: Revision) -> Result<()> {
        if requested < self.compacted {
            return Err(StoreError::Compacted { requested, compacted: self.compacted });
        }
        Ok(())
    }

    /// Changes after a revision, about a batch of them; none if there are no more.
    fn after(&self, prefix: &str, after: Revision) -> Option<Batch> {
        let first = self.events.partition_point(|event| event.revision <= after);
        let mut events: Vec<Arc<Event>> = Vec::new();
        for event in self.events.range(first..) {
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
}

struct Reader {
    log: EventLog,
    prefix: String,
    place: Place,
}

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
        let state = self.log.read();
        if let Err(error) = state.not_compacted(after) {
            return Some(Err(error));
        }
        let batch = state.after(&self.prefix, after);
        drop(state);
        if let Some(batch) = batch {
            self.place = Place::Log(batch.revision.max(after));
            return Some(Ok(batch));
        }
        let mut state = self.log.write();
        if state.closed {
            return Some(Err(StoreError::Closed));
        }
        // Something may have been written between the two locks: then the log comes first.
        if state.not_compacted(after).is_ok() && state.after(&self.prefix, after).is_none() {
            let offered = state.revision.max(after);
            let len_max = state.limits.watch_queue_len_max;
            let queue = Arc::new(EventQueue::new(&self.prefix, len_max, offered));
            if offered > after {
                // Progress may have been asked for before this queue was there to hear it.
                queue.want_progress();
            }
            state.queues.push(Arc::downgrade(&queue));
            self.place = Place::Live(queue);
        }
        None
    }
}
