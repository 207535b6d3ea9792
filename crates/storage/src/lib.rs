//! Turns conditional writes of bytes under keys into one durable, totally ordered history.
//!
//! A [`Store`] moves keys, bytes and revisions and knows nothing of what the bytes mean. There is
//! one global [`Revision`] per store: every commit takes the next one, it never goes back (also
//! not over a restart or a restore), and a read names the revision it was made at. History is
//! kept until [`Store::compact`], so that a list can be read in pages of one moment and a watch
//! can resume where it stopped.
//!
//! Promises that hold for each store, checked by one contract suite:
//! - a commit that was answered with [`Outcome::Committed`] is durable as far as the store is
//!   durable at all, and every read that starts later sees it;
//! - a watch delivers each event after its start exactly once, in the order of revisions, all
//!   events of one commit in one [`Batch`], and only after the commit is durable;
//! - what is no longer known is said ([`StoreError::Compacted`]), never skipped;
//! - a watcher that does not keep up is closed ([`StoreError::WatcherTooSlow`]), never buffered
//!   without bound.
//!
//! [`MemoryStore`] keeps everything in memory and forgets it at the end of the process.
//! [`EmbeddedStore`] keeps it in one file; [`snapshot`] takes the state of
//! any store elsewhere and back.

#![warn(missing_docs)]

#[cfg(any(test, feature = "contract"))]
pub mod contract;
mod counts;
pub mod embedded;
mod error;
mod event_log;
mod event_queue;
mod index;
mod memory;
pub mod snapshot;
mod store;
mod watch;

pub use counts::Counts;
pub use embedded::{EmbeddedOptions, EmbeddedStore};
pub use error::StoreError;
pub use event_log::{EventLog, HistoryLimits};
pub use memory::{MemoryOptions, MemoryStore};
pub use store::{
    BoxFuture, Conflict, Entry, Expect, Key, Op, Outcome, Page, Range, Read, Result, Revision,
    Store, Write,
};
pub use watch::{Batch, Event, Watch};

/// The most that one commit may carry, unless a store is told otherwise.
pub(crate) const COMMIT_BYTES_MAX: usize = 8 * 1024 * 1024;
