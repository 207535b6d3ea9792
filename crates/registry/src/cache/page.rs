//! The records of a page, and what is written of them for all who ask for the same page.

use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;

use super::record::Record;

/// The records of a page, in order.
#[derive(Debug, Default)]
pub struct RecordList {
    records: Vec<Arc<Record>>,
    /// Whether the collection keeps the list for others.
    is_kept: bool,
    written: Mutex<Option<Vec<Bytes>>>,
}

impl RecordList {
    pub(super) fn kept(records: Vec<Arc<Record>>) -> Self {
        Self { is_kept: true, ..records.into() }
    }

    /// Whether others may ask for the same list, so that what is written of it is worth keeping.
    pub(crate) fn is_kept(&self) -> bool {
        self.is_kept
    }

    fn pieces(&self) -> MutexGuard<'_, Option<Vec<Bytes>>> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The objects as they are stored, one after the other, if somebody wrote them before.
    pub(crate) fn written(&self) -> Option<Vec<Bytes>> {
        self.pieces().clone()
    }

    pub(super) fn set_written(&self, pieces: Option<Vec<Bytes>>) {
        *self.pieces() = pieces;
    }
}

impl From<Vec<Arc<Record>>> for RecordList {
    fn from(records: Vec<Arc<Record>>) -> Self {
        Self { records, ..Self::default() }
    }
}

impl Deref for RecordList {
    type Target = [Arc<Record>];

    fn deref(&self) -> &Self::Target {
        &self.records
    }
}
