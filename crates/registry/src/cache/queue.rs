//! The bounded queue between a collection and one watcher.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ordain_storage::Revision;
use tokio::sync::Notify;

use super::change::Change;

/// A watcher for which more is waiting is closed.
const QUEUE_LEN_MAX: usize = 4096;
const QUEUE_BYTES_MAX: usize = 32 * 1024 * 1024;

/// Why no more changes come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// The watcher did not keep up.
    TooSlow,
    /// The definition of the kind changed.
    Retired,
    /// The cache missed changes and has to start over.
    Lost,
}

#[derive(Debug)]
pub(crate) struct Queue {
    prefix: String,
    /// Only this key, if one object is watched.
    only: Option<String>,
    after: Revision,
    state: Mutex<State>,
    wake: Notify,
}

#[derive(Debug, Default)]
struct State {
    changes: VecDeque<Arc<Change>>,
    bytes: usize,
    end: Option<End>,
}

impl Queue {
    pub(crate) fn new(prefix: String, only: Option<String>, after: Revision) -> Self {
        Self { prefix, only, after, state: Mutex::default(), wake: Notify::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a change is about an object of the watcher's.
    pub(crate) fn is_wanted(&self, change: &Change) -> bool {
        let key = change.key();
        key.starts_with(&self.prefix) && self.only.as_deref().is_none_or(|only| only == key)
    }

    /// Takes a change that concerns the watcher. False once the queue has ended.
    pub(super) fn offer(&self, change: &Arc<Change>) -> bool {
        let concerned = change.revision > self.after && self.is_wanted(change);
        let mut state = self.state();
        if state.end.is_some() {
            return false;
        }
        if !concerned {
            return true;
        }
        state.bytes += change.len();
        state.changes.push_back(Arc::clone(change));
        let overflown = state.changes.len() > QUEUE_LEN_MAX || state.bytes > QUEUE_BYTES_MAX;
        if overflown {
            state.changes.clear();
            state.end = Some(End::TooSlow);
        }
        // Not before: who is woken would wait for the lock.
        drop(state);
        self.wake.notify_one();
        !overflown
    }

    /// No more changes come; those that wait are still delivered.
    pub(super) fn end(&self, end: End) {
        let mut state = self.state();
        state.end.get_or_insert(end);
        self.wake.notify_one();
    }

    /// The next change, waiting for it. There is one reader.
    pub(crate) async fn next(&self) -> Result<Arc<Change>, End> {
        loop {
            if let Some(next) = self.take() {
                return next;
            }
            self.wake.notified().await;
        }
    }

    fn take(&self) -> Option<Result<Arc<Change>, End>> {
        let mut state = self.state();
        if let Some(change) = state.changes.pop_front() {
            state.bytes = state.bytes.saturating_sub(change.len());
            if state.changes.is_empty() && state.changes.capacity() > 64 {
                state.changes.shrink_to_fit();
            }
            return Some(Ok(change));
        }
        state.end.map(Err)
    }

    /// Whether nothing is waiting.
    pub(crate) fn is_empty(&self) -> bool {
        self.state().changes.is_empty()
    }
}
