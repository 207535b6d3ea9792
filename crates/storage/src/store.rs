//! The store trait and the nouns it speaks.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;

use crate::error::StoreError;
use crate::watch::Watch;

/// A position in the history of a store. An empty store is at 1; 0 is before everything.
pub type Revision = u64;

/// A key. Keys are ordered by their bytes.
pub type Key = Arc<str>;

/// A future that an object-safe trait can return.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What a store answers.
pub type Result<T> = std::result::Result<T, StoreError>;

/// The live value of a key at some revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The key.
    pub key: Key,
    /// What is stored under it.
    pub value: Bytes,
    /// The commit that made the key (again, if it had been deleted before).
    pub create_revision: Revision,
    /// The last commit that wrote the key.
    pub mod_revision: Revision,
}

/// The answer to a read of one key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Read {
    /// The entry, if the key is there.
    pub entry: Option<Entry>,
    /// The revision of the store at the time of the read.
    pub revision: Revision,
}

/// Which keys to read, and at which moment.
#[derive(Debug, Clone, Copy, Default)]
pub struct Range<'a> {
    /// Only keys that begin with this.
    pub prefix: &'a str,
    /// Only keys not less than this (a page begins here). Need not begin with the prefix.
    pub start: Option<&'a str>,
    /// At most so many entries; 0 means all.
    pub limit: usize,
    /// Read as of this revision instead of the current one.
    pub at: Option<Revision>,
    /// Whether [`Page::count`] is wanted (it costs a walk over all keys in the range).
    pub count: bool,
}

impl<'a> Range<'a> {
    /// All keys that start so.
    pub fn prefix(prefix: &'a str) -> Self {
        Self { prefix, ..Self::default() }
    }

    /// Only keys from this one on.
    #[must_use]
    pub fn start(mut self, start: &'a str) -> Self {
        self.start = Some(start);
        self
    }

    /// At most so many entries.
    #[must_use]
    pub fn limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }

    /// As it was at a revision.
    #[must_use]
    pub fn at(mut self, revision: Revision) -> Self {
        self.at = Some(revision);
        self
    }

    /// Only how many there are.
    #[must_use]
    pub fn count(mut self) -> Self {
        self.count = true;
        self
    }
}

/// Entries of one moment, in the order of their keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The entries, by key.
    pub entries: Vec<Entry>,
    /// The moment: the revision asked for, or the current one.
    pub revision: Revision,
    /// Whether the limit cut entries off. The next page starts at the last key + `"\0"`.
    pub more: bool,
    /// How many keys the range holds from its start on, these entries included; only if asked for.
    pub count: Option<u64>,
}

/// What has to be true of a key for a write to be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expect {
    /// The key has no value.
    Absent,
    /// The value was last written by this revision.
    Exact(Revision),
    /// Anything. (A delete still needs something to delete.)
    Any,
}

/// What a write does to its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Op {
    /// Gives it this value.
    Put(Bytes),
    /// Takes it away.
    Delete,
    /// Changes nothing: the commit is made only if the key is as expected.
    Check,
}

/// One conditional change of one key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Write {
    /// The key.
    pub key: Key,
    /// What must hold of the key for the write to be done.
    pub expect: Expect,
    /// What is done.
    pub op: Op,
}

impl Write {
    /// Stores a value.
    pub fn put(key: impl Into<Key>, expect: Expect, value: impl Into<Bytes>) -> Self {
        Self { key: key.into(), expect, op: Op::Put(value.into()) }
    }

    /// Removes a key.
    pub fn delete(key: impl Into<Key>, expect: Expect) -> Self {
        Self { key: key.into(), expect, op: Op::Delete }
    }

    /// A condition on a key that the commit leaves alone.
    pub fn check(key: impl Into<Key>, expect: Expect) -> Self {
        Self { key: key.into(), expect, op: Op::Check }
    }

    /// What this write adds to the size of a commit.
    pub(crate) fn bytes_len(&self) -> usize {
        let value = match &self.op {
            Op::Put(value) => value.len(),
            Op::Delete | Op::Check => 0,
        };
        value.saturating_add(self.key.len())
    }
}

/// How a commit ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// All writes were made, at this revision.
    Committed(Revision),
    /// Nothing was written.
    Conflict(Conflict),
}

/// The first write of a commit, in the order of keys, whose expectation did not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The key that is not as expected.
    pub key: Key,
    /// What the key holds instead.
    pub current: Option<Entry>,
    /// The revision of the store at the time of the check.
    pub revision: Revision,
}

/// Keys, bytes and revisions. Each method may be called from many tasks at once.
///
/// A future that is dropped early leaves a commit in one of two states, made or not made, as if
/// [`StoreError::Unknown`] had been answered.
pub trait Store: fmt::Debug + Send + Sync + 'static {
    /// Reads one key as it is now: every commit answered before the call is seen.
    fn get<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Read>>;

    /// Reads a range of keys, as it is now or as it was at a revision.
    fn range<'a>(&'a self, range: Range<'a>) -> BoxFuture<'a, Result<Page>>;

    /// Makes all the writes at one new revision, or none. Each key may be named once.
    fn commit_all(&self, writes: Vec<Write>) -> BoxFuture<'_, Result<Outcome>>;

    /// Makes one write.
    fn commit(&self, write: Write) -> BoxFuture<'_, Result<Outcome>> {
        self.commit_all(vec![write])
    }

    /// Every change under the prefix made after the revision. A revision in the future is waited
    /// for; one before the compaction gives [`StoreError::Compacted`], here or as the first item.
    fn watch<'a>(&'a self, prefix: &'a str, after: Revision) -> BoxFuture<'a, Result<Watch>>;

    /// Asks that each open watch soon delivers a batch (it may be empty) whose revision is not
    /// less than the current revision at the time of this call, unless it has delivered one.
    fn request_progress(&self) -> BoxFuture<'_, Result<()>>;

    /// The revision of the last commit answered before the call, or a later one.
    fn current_revision(&self) -> BoxFuture<'_, Result<Revision>>;

    /// Gives up the history before the revision: reads at it and watches after it still work.
    /// Compacting what is compacted already changes nothing.
    fn compact(&self, revision: Revision) -> BoxFuture<'_, Result<()>>;

    /// Whether commits can be made, as far as can be known without making one.
    fn ready(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move { self.current_revision().await.map(|_| ()) })
    }
}
