//! States of the whole store that one can go back to.
//!
//! Going back is an ordinary commit of what differs: revisions go on counting, watches see the undoing
//! as the events that it is, and clients' caches stay true. Nothing is closed and nothing reopened.

use std::cmp::Ordering;
use std::sync::Arc;

use bytes::Bytes;
use ordain_meta::status::Status;
use ordain_meta::time::Time;
use ordain_storage::{Entry, Expect, Key, Outcome, Range, Revision, Store, Write};

use crate::registry::{Registry, store_failed};

/// How often going back is tried against writers that do not stop.
const TRIES: usize = 64;
/// Writes of one commit.
const WRITES_MAX: usize = 1000;
const COMMIT_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Everything that a store held at one moment. Values are shared with the store.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    /// In the order of keys.
    entries: Vec<(Key, Bytes)>,
    revision: Revision,
}

impl Snapshot {
    /// When it was taken.
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// How many objects there were.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

impl Registry {
    /// What is stored now.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn take_snapshot(&self) -> Result<Snapshot, Status> {
        let page = self.everything().await?;
        let entries = page.0.into_iter().map(|entry| (entry.key, entry.value)).collect();
        Ok(Snapshot { entries, revision: page.1 })
    }

    /// Makes the store hold what it held then, and returns how many objects differed. What is served
    /// follows before this is done.
    ///
    /// # Errors
    /// When the store fails, or others write so much meanwhile that it is never reached.
    pub async fn restore(&self, then: &Snapshot) -> Result<usize, Status> {
        let mut changed = 0;
        for _ in 0..TRIES {
            let (now, _) = self.everything().await?;
            let writes = way_back(&now, &then.entries);
            if writes.is_empty() {
                self.settle_restored().await?;
                return Ok(changed);
            }
            for part in parts(writes) {
                let len = part.len();
                let outcome = self.store.commit_all(part).await;
                match outcome.map_err(|error| store_failed(&error))? {
                    Outcome::Committed(_) => changed += len,
                    // Someone was faster: the difference is another one now.
                    Outcome::Conflict(_) => break,
                }
            }
        }
        Err(Status::internal("others write faster than the state can be restored"))
    }

    async fn everything(&self) -> Result<(Vec<Entry>, Revision), Status> {
        let page = self.store.range(Range::prefix("")).await;
        let page = page.map_err(|error| store_failed(&error))?;
        Ok((page.entries, page.revision))
    }

    async fn settle_restored(&self) -> Result<(), Status> {
        self.allocator.forget();
        self.flows.note_change();
        self.repair_allocations().await?;
        self.catch_up().await
    }

    /// The present time, by the server's clock.
    pub fn time(&self) -> Time {
        self.clock.now()
    }

    /// The store behind it.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }
}

/// The writes that lead from one state to another, both in the order of keys.
fn way_back(now: &[Entry], then: &[(Key, Bytes)]) -> Vec<Write> {
    let mut writes = Vec::new();
    let (mut now, mut then) = (now.iter().peekable(), then.iter().peekable());
    loop {
        let order = match (now.peek(), then.peek()) {
            (None, None) => return writes,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(present), Some((key, _))) => present.key.cmp(key),
        };
        let present = if order == Ordering::Greater { None } else { now.next() };
        let former = if order == Ordering::Less { None } else { then.next() };
        match (present, former) {
            (Some(present), Some((_, value))) if is_same(&present.value, value) => {}
            (Some(present), Some((key, value))) => {
                let expect = Expect::Exact(present.mod_revision);
                writes.push(Write::put(Arc::clone(key), expect, value.clone()));
            }
            (Some(present), None) => {
                let expect = Expect::Exact(present.mod_revision);
                writes.push(Write::delete(Arc::clone(&present.key), expect));
            }
            (None, Some((key, value))) => {
                writes.push(Write::put(Arc::clone(key), Expect::Absent, value.clone()));
            }
            (None, None) => return writes,
        }
    }
}

/// Nearly all values are the same bytes in the same place.
fn is_same(one: &Bytes, other: &Bytes) -> bool {
    (one.as_ptr() == other.as_ptr() && one.len() == other.len()) || one == other
}

/// Cuts writes into commits that a store takes.
fn parts(writes: Vec<Write>) -> Vec<Vec<Write>> {
    let mut parts = vec![Vec::new()];
    let mut bytes = 0;
    for write in writes {
        let len = match &write.op {
            ordain_storage::Op::Put(value) => value.len(),
            _ => 0,
        };
        bytes += len;
        let full = parts.last().is_some_and(|part| part.len() >= WRITES_MAX);
        if full || (bytes > COMMIT_BYTES_MAX && bytes > len) {
            parts.push(Vec::new());
            bytes = len;
        }
        if let Some(part) = parts.last_mut() {
            part.push(write);
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(key: &str, value: &str, revision: Revision) -> Entry {
        let value = Bytes::copy_from_slice(value.as_bytes());
        Entry { key: key.into(), value, create_revision: revision, mod_revision: revision }
    }

    fn former(key: &str, value: &str) -> (Key, Bytes) {
        (key.into(), Bytes::copy_from_slice(value.as_bytes()))
    }

    #[test]
    fn only_what_differs_is_written() {
        let now = [entry("a", "1", 2), entry("b", "changed", 5), entry("d", "new", 6)];
        let then = [former("a", "1"), former("b", "2"), former("c", "gone")];
        let writes = way_back(&now, &then);
        let expected = [
            Write::put("b", Expect::Exact(5), "2".as_bytes()),
            Write::put("c", Expect::Absent, "gone".as_bytes()),
            Write::delete("d", Expect::Exact(6)),
        ];
        assert_eq!(writes, expected);
        assert!(way_back(&now[..1], &then[..1]).is_empty());
    }

    #[test]
    fn commits_are_bounded() {
        let big = "x".repeat(COMMIT_BYTES_MAX / 2 + 1);
        let writes = (0..3).map(|it| Write::put(it.to_string(), Expect::Any, big.clone()));
        assert_eq!(parts(writes.collect()).len(), 3);
        let many = (0..WRITES_MAX + 1).map(|it| Write::delete(it.to_string(), Expect::Any));
        assert_eq!(parts(many.collect()).len(), 2);
    }
}
