//! What can go wrong between a caller and a store.

use crate::store::Revision;

/// Why a store could not answer. A failed precondition is no error: see
/// [`Outcome::Conflict`](crate::Outcome::Conflict).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// History at the requested revision has been given up. `compacted` is the oldest revision
    /// that can still be read, or the least that this can be if the store does not say.
    #[error("revision {requested} has been compacted (oldest known revision is {compacted})")]
    Compacted {
        /// The revision that was asked for.
        requested: Revision,
        /// The oldest one that can be read.
        compacted: Revision,
    },
    /// The requested revision has not been reached yet.
    #[error("revision {requested} is in the future (current revision is {current})")]
    FutureRevision {
        /// The revision that was asked for.
        requested: Revision,
        /// The newest one there is.
        current: Revision,
    },
    /// The watch fell too far behind and was closed; read the state again and watch from there.
    #[error("the watcher is too slow: more than {queue_len_max} events were waiting for it")]
    WatcherTooSlow {
        /// How many events may wait.
        queue_len_max: usize,
    },
    /// One commit carries more bytes than the store takes.
    #[error("the write of {bytes} bytes is larger than the limit of {bytes_max} bytes")]
    TooLarge {
        /// What the commit carries.
        bytes: usize,
        /// What the store takes.
        bytes_max: usize,
    },
    /// The request makes no sense: an empty commit, or one that names a key twice.
    #[error("invalid request: {0}")]
    Invalid(String),
    /// Nothing was written because there is no room left.
    #[error("no space left in the store: {0}")]
    NoSpace(String),
    /// The store cannot be reached or refuses work; a commit that got this was not made.
    #[error("the store is unavailable: {0}")]
    Unavailable(String),
    /// The answer to a commit was lost: it may have been made or not.
    #[error("the outcome of the write is unknown: {0}")]
    Unknown(String),
    /// Stored data contradicts itself.
    #[error("the stored data is corrupt: {0}")]
    Corrupt(String),
    /// The store has been closed.
    #[error("the store is closed")]
    Closed,
}
