//! The bounded queue between the history and one live watcher.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::error::StoreError;
use crate::store::{Result, Revision};
use crate::watch::{Batch, Event};

/// A batch takes about this many events from a full queue, so that one watcher cannot make a
/// caller hold an unbounded slice of history.
pub(crate) const BATCH_LEN_MAX: usize = 512;

#[derive(Debug)]
pub(crate) struct EventQueue {
    prefix: String,
    len_max: usize,
    state: Mutex<State>,
    wake: Notify,
}

/// What an offer was to a watcher.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Offered {
    /// Something that it has to be told of.
    News,
    Nothing,
    /// Too much: it is told of its end, and takes no more.
    Overflown,
    /// It has ended before.
    Ended,
}

#[derive(Debug)]
struct State {
    events: VecDeque<Arc<Event>>,
    /// Everything up to here has been offered to this queue.
    offered: Revision,
    /// A batch is due even without events.
    progress_wanted: bool,
    /// No more events are taken; the reader gets this after what is waiting.
    end: Option<StoreError>,
}

impl EventQueue {
    pub(crate) fn new(prefix: &str, len_max: usize, offered: Revision) -> Self {
        let state = State { events: VecDeque::new(), offered, progress_wanted: false, end: None };
        Self { prefix: prefix.to_owned(), len_max, state: Mutex::new(state), wake: Notify::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes what concerns this watcher. `events` are the changes since the last offer, up to
    /// and including `revision`. The reader hears of it by [`Self::ring`].
    pub(crate) fn offer(&self, events: &[Arc<Event>], revision: Revision) -> Offered {
        let mut state = self.state();
        if state.end.is_some() {
            return Offered::Ended;
        }
        let waiting = state.events.len();
        for event in events {
            if event.key.starts_with(self.prefix.as_str()) && event.revision > state.offered {
                state.events.push_back(event.clone());
            }
        }
        state.offered = state.offered.max(revision);
        if state.events.len() > self.len_max {
            state.events.clear();
            state.end = Some(StoreError::WatcherTooSlow { queue_len_max: self.len_max });
            return Offered::Overflown;
        }
        if state.events.len() > waiting { Offered::News } else { Offered::Nothing }
    }

    /// Wakes the reader.
    pub(crate) fn ring(&self) {
        self.wake.notify_one();
    }

    pub(crate) fn want_progress(&self) {
        self.state().progress_wanted = true;
        self.wake.notify_one();
    }

    pub(crate) fn end(&self, error: StoreError) {
        let mut state = self.state();
        if state.end.is_none() {
            state.end = Some(error);
        }
        self.wake.notify_one();
    }

    /// Waits for the next batch. There is one reader.
    pub(crate) async fn next(&self) -> Result<Batch> {
        loop {
            if let Some(batch) = self.take() {
                return batch;
            }
            self.wake.notified().await;
        }
    }

    fn take(&self) -> Option<Result<Batch>> {
        let mut state = self.state();
        if !state.events.is_empty() {
            state.progress_wanted = false;
            let len = whole_commits(&state.events, BATCH_LEN_MAX);
            let events: Vec<_> = state.events.drain(..len).collect();
            let last = events.last().map_or(0, |event| event.revision);
            let revision = if state.events.is_empty() { state.offered } else { last };
            return Some(Ok(Batch { events, revision }));
        }
        if let Some(error) = &state.end {
            return Some(Err(error.clone()));
        }
        if state.progress_wanted {
            state.progress_wanted = false;
            return Some(Ok(Batch { events: Vec::new(), revision: state.offered }));
        }
        None
    }
}

/// How many events to take so that about `len_max` are taken and no commit is split.
fn whole_commits(events: &VecDeque<Arc<Event>>, len_max: usize) -> usize {
    let Some(last) = len_max.checked_sub(1).and_then(|at| events.get(at)) else {
        return events.len();
    };
    let revision = last.revision;
    len_max + events.iter().skip(len_max).take_while(|event| event.revision == revision).count()
}
