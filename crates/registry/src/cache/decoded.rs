//! What is kept besides the bytes of records, trees, messages and pages: what was made last, up to a
//! bound.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// What something is kept of: records, or pages of them.
#[derive(Debug)]
pub(crate) struct KeptPool<T> {
    kept: Mutex<Kept<T>>,
    bytes_max: usize,
    /// What is larger is made anew each time.
    each_bytes_max: usize,
    /// Takes what is kept.
    forget: fn(&T),
}

#[derive(Debug)]
struct Kept<T> {
    owners: VecDeque<(Weak<T>, usize)>,
    bytes: usize,
}

impl<T> KeptPool<T> {
    /// A pool of so many bytes.
    pub(super) fn new(bytes_max: usize, each_bytes_max: usize, forget: fn(&T)) -> Self {
        let kept = Kept { owners: VecDeque::new(), bytes: 0 };
        Self { kept: Mutex::new(kept), bytes_max, each_bytes_max, forget }
    }

    /// Lets something be kept of so many bytes, in place of the oldest.
    pub(super) fn keep(&self, owner: &Arc<T>, len: usize, set: impl FnOnce(&T)) {
        if len > self.each_bytes_max {
            return;
        }
        set(owner);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.owners.push_back((Arc::downgrade(owner), len));
        kept.bytes += len;
        while kept.bytes > self.bytes_max {
            let Some((oldest, len)) = kept.owners.pop_front() else { break };
            kept.bytes = kept.bytes.saturating_sub(len);
            if let Some(oldest) = oldest.upgrade() {
                (self.forget)(&oldest);
            }
        }
    }
}
