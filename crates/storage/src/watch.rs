//! What a watch delivers.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_util::{Stream, StreamExt};

use crate::store::{Entry, Key, Result, Revision};

/// One change of one key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The key that changed.
    pub key: Key,
    /// The commit that made the change.
    pub revision: Revision,
    /// The new value, or none if the key was deleted.
    pub value: Option<Bytes>,
    /// The create revision of the new value; of the deleted one if there is no new value.
    pub create_revision: Revision,
    /// What the key held before, if it held anything.
    pub previous: Option<Entry>,
}

impl Event {
    /// Whether the key is gone.
    pub fn is_delete(&self) -> bool {
        self.value.is_none()
    }

    /// Whether the key is new.
    pub fn is_create(&self) -> bool {
        self.value.is_some() && self.previous.is_none()
    }

    /// The entry as it is after the change.
    pub fn entry(&self) -> Option<Entry> {
        self.value.as_ref().map(|value| Entry {
            key: self.key.clone(),
            value: value.clone(),
            create_revision: self.create_revision,
            mod_revision: self.revision,
        })
    }
}

/// The next piece of history under the watched prefix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// Ordered by revision, and by key within one commit; never splits a commit. Empty if the batch only reports progress.
    pub events: Vec<Arc<Event>>,
    /// Everything up to and including this revision has been delivered.
    pub revision: Revision,
}

/// A stream of [`Batch`]es. It ends after the first error; waiting for the next item can be
/// abandoned at any time without losing anything.
pub struct Watch {
    batches: Pin<Box<dyn Stream<Item = Result<Batch>> + Send>>,
}

impl Watch {
    /// For the makers of stores.
    pub fn new(batches: impl Stream<Item = Result<Batch>> + Send + 'static) -> Self {
        Self { batches: Box::pin(batches) }
    }

    /// The next batch; none after an error has been delivered.
    pub async fn next(&mut self) -> Option<Result<Batch>> {
        StreamExt::next(&mut self.batches).await
    }
}

impl Stream for Watch {
    type Item = Result<Batch>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.batches.as_mut().poll_next(cx)
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Watch")
    }
}
