//! Which trees are kept: those read last, up to a bound.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use ordain_value::Value;

use super::record::Record;

/// The bound, in bytes of JSON; a tree takes some times as much.
const KEPT_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Larger objects are decoded anew each time.
const OBJECT_BYTES_MAX: usize = 64 * 1024;

#[derive(Debug, Default)]
pub(crate) struct DecodedPool {
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    records: VecDeque<(Weak<Record>, usize)>,
    bytes: usize,
}

impl DecodedPool {
    /// Keeps the tree of a record, in place of the oldest.
    pub(super) fn keep(&self, record: &Arc<Record>, object: &Value) {
        let len = record.len();
        if len > OBJECT_BYTES_MAX {
            return;
        }
        record.set_kept(Some(object.clone()));
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.records.push_back((Arc::downgrade(record), len));
        kept.bytes += len;
        while kept.bytes > KEPT_BYTES_MAX {
            let Some((oldest, len)) = kept.records.pop_front() else { break };
            kept.bytes = kept.bytes.saturating_sub(len);
            if let Some(oldest) = oldest.upgrade() {
                oldest.set_kept(None);
            }
        }
    }
}
