//! What is kept of records besides their bytes, trees and messages: those used last, up to a bound.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::record::Record;

/// Larger objects are decoded and encoded anew each time.
const OBJECT_BYTES_MAX: usize = 64 * 1024;

/// Which records something is kept of.
#[derive(Debug)]
pub(crate) struct KeptPool {
    kept: Mutex<Kept>,
    bytes_max: usize,
    /// Takes what is kept from a record.
    forget: fn(&Record),
}

#[derive(Debug, Default)]
struct Kept {
    records: VecDeque<(Weak<Record>, usize)>,
    bytes: usize,
}

impl KeptPool {
    /// A pool of so many bytes.
    pub(super) fn new(bytes_max: usize, forget: fn(&Record)) -> Self {
        Self { kept: Mutex::default(), bytes_max, forget }
    }

    /// Lets a record keep something of so many bytes, in place of the oldest.
    pub(super) fn keep(&self, record: &Arc<Record>, len: usize, set: impl FnOnce(&Record)) {
        if len > OBJECT_BYTES_MAX {
            return;
        }
        set(record);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.records.push_back((Arc::downgrade(record), len));
        kept.bytes += len;
        while kept.bytes > self.bytes_max {
            let Some((oldest, len)) = kept.records.pop_front() else { break };
            kept.bytes = kept.bytes.saturating_sub(len);
            if let Some(oldest) = oldest.upgrade() {
                (self.forget)(&oldest);
            }
        }
    }
}
