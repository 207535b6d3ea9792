//! The store that lives and dies with the process.

use crate::error::StoreError;
use crate::event_log::{EventLog, HistoryLimits};
use crate::index::{self, Index, SharedIndex};
use crate::store::{BoxFuture, Outcome, Page, Range, Read, Result, Revision, Store, Write};
use crate::watch::Watch;

/// How a store in memory is made.
#[derive(Debug, Clone, Copy)]
pub struct MemoryOptions {
    /// How much of the history is kept.
    pub history: HistoryLimits,
    /// The most that one commit may carry.
    pub commit_bytes_max: usize,
}

impl Default for MemoryOptions {
    fn default() -> Self {
        Self { history: HistoryLimits::default(), commit_bytes_max: crate::COMMIT_BYTES_MAX }
    }
}

/// A store in memory, gone with the process.
#[derive(Debug)]
pub struct MemoryStore {
    index: SharedIndex,
    log: EventLog,
    options: MemoryOptions,
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::with_options(MemoryOptions::default())
    }

    /// An empty store with options.
    pub fn with_options(options: MemoryOptions) -> Self {
        Self::around(Index::new(options.history, 0), options)
    }

    /// A store of its own with the same state and history; values are shared, not copied.
    pub fn fork(&self) -> Self {
        Self::around(self.index.read().fork(), self.options)
    }

    fn around(index: Index, options: MemoryOptions) -> Self {
        let log = index.log().clone();
        Self { index: SharedIndex::new(index), log, options }
    }

    /// Ends all watches with [`StoreError::Closed`].
    pub fn close(&self) {
        self.log.close();
    }

    fn commit_now(&self, writes: Vec<Write>) -> Result<Outcome> {
        index::check_writes(&writes, self.options.commit_bytes_max)?;
        let mut index = self.index.write();
        let revision = next_revision(index.revision())?;
        match index::stage(writes, revision, |key| index.current(key)) {
            Err(conflict) => Ok(Outcome::Conflict(conflict)),
            Ok(events) => {
                index.apply(&events);
                if let Some(due) = self.log.compaction_due() {
                    index.compact(due)?;
                }
                Ok(Outcome::Committed(revision))
            }
        }
    }
}

pub(crate) fn next_revision(revision: Revision) -> Result<Revision> {
    // The limit is that of signed 64-bit integers: other stores and clients count in those.
    if revision >= i64::MAX as u64 {
        return Err(StoreError::Unavailable("there are no revisions left".to_owned()));
    }
    Ok(revision + 1)
}

impl Store for MemoryStore {
    fn get<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Read>> {
        Box::pin(async move { Ok(self.index.read().read(key)) })
    }

    fn range<'a>(&'a self, range: Range<'a>) -> BoxFuture<'a, Result<Page>> {
        Box::pin(async move { self.index.read().range(&range) })
    }

    fn commit_all(&self, writes: Vec<Write>) -> BoxFuture<'_, Result<Outcome>> {
        Box::pin(async move { self.commit_now(writes) })
    }

    fn watch<'a>(&'a self, prefix: &'a str, after: Revision) -> BoxFuture<'a, Result<Watch>> {
        Box::pin(async move { self.log.watch(prefix, after) })
    }

    fn request_progress(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            self.log.want_progress();
            Ok(())
        })
    }

    fn current_revision(&self) -> BoxFuture<'_, Result<Revision>> {
        Box::pin(async move { Ok(self.index.read().revision()) })
    }

    fn compact(&self, revision: Revision) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move { self.index.write().compact(revision).map(drop) })
    }
}
