//! What every store has to do, as one suite.
//!
//! [`run`] takes an empty corner of a store and goes through all cases one after the other; a
//! case that fails panics with its name in the way. [`model::check`] compares a store with the
//! simplest store there could be, over any sequence of operations.
#![expect(clippy::panic, reason = "a test suite fails by panicking")]

mod concurrency;
pub mod model;
mod reads;
mod watches;
mod writes;

use std::time::Duration;

use crate::store::{BoxFuture, Entry, Expect, Outcome, Revision, Store, Write};
use crate::watch::{Batch, Event, Watch};

type Case = (&'static str, fn(Corner<'_>) -> BoxFuture<'_, ()>);

/// How long something may take that should happen at once.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long is waited to see that something does not happen.
const QUIET: Duration = Duration::from_millis(150);

/// Runs the whole suite. Nobody else may write under the prefix; compactions are global.
pub async fn run(store: &dyn Store, prefix: &str) {
    for (name, case) in cases() {
        let corner = Corner { store, prefix: format!("{prefix}{name}/") };
        case(corner).await;
    }
}

fn cases() -> impl Iterator<Item = Case> {
    [writes::CASES, reads::CASES, watches::CASES, concurrency::CASES].into_iter().flatten().copied()
}

/// A store and a prefix that belongs to one case alone.
#[derive(Clone)]
struct Corner<'a> {
    store: &'a dyn Store,
    prefix: String,
}

impl Corner<'_> {
    fn key(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    async fn try_put(&self, name: &str, expect: Expect, value: &str) -> Outcome {
        let write = Write::put(self.key(name), expect, value.to_owned());
        match self.store.commit(write).await {
            Ok(outcome) => outcome,
            Err(error) => panic!("put of {name}: {error}"),
        }
    }

    async fn put(&self, name: &str, value: &str) -> Revision {
        committed(self.try_put(name, Expect::Any, value).await)
    }

    async fn try_delete(&self, name: &str, expect: Expect) -> Outcome {
        match self.store.commit(Write::delete(self.key(name), expect)).await {
            Ok(outcome) => outcome,
            Err(error) => panic!("delete of {name}: {error}"),
        }
    }

    async fn delete(&self, name: &str) -> Revision {
        committed(self.try_delete(name, Expect::Any).await)
    }

    async fn get(&self, name: &str) -> Option<Entry> {
        match self.store.get(&self.key(name)).await {
            Ok(read) => read.entry,
            Err(error) => panic!("get of {name}: {error}"),
        }
    }

    async fn revision(&self) -> Revision {
        match self.store.current_revision().await {
            Ok(revision) => revision,
            Err(error) => panic!("current revision: {error}"),
        }
    }

    async fn compact(&self, revision: Revision) {
        if let Err(error) = self.store.compact(revision).await {
            panic!("compaction at {revision}: {error}");
        }
    }

    async fn watch(&self, after: Revision) -> Watch {
        match self.store.watch(&self.prefix, after).await {
            Ok(watch) => watch,
            Err(error) => panic!("watch after {after}: {error}"),
        }
    }

    /// `name=value@revision` of each entry at a revision.
    async fn list_at(&self, at: Option<Revision>) -> Vec<String> {
        let range = crate::Range { prefix: &self.prefix, at, ..crate::Range::default() };
        match self.store.range(range).await {
            Ok(page) => page.entries.iter().map(|entry| self.show(entry)).collect(),
            Err(error) => panic!("list at {at:?}: {error}"),
        }
    }

    fn show(&self, entry: &Entry) -> String {
        let name = entry.key.strip_prefix(&self.prefix).unwrap_or(&entry.key);
        format!("{name}={}@{}", String::from_utf8_lossy(&entry.value), entry.mod_revision)
    }
}

fn committed(outcome: Outcome) -> Revision {
    match outcome {
        Outcome::Committed(revision) => revision,
        Outcome::Conflict(conflict) => panic!("unexpected conflict: {conflict:?}"),
    }
}

/// What the conflicting key holds.
fn conflicting(outcome: Outcome) -> Option<Entry> {
    match outcome {
        Outcome::Conflict(conflict) => conflict.current,
        Outcome::Committed(revision) => panic!("committed at {revision} instead of a conflict"),
    }
}

async fn next_batch(watch: &mut Watch) -> Batch {
    match tokio::time::timeout(PATIENCE, watch.next()).await {
        Ok(Some(Ok(batch))) => batch,
        Ok(other) => panic!("expected a batch, got {other:?}"),
        Err(_) => panic!("no batch within {PATIENCE:?}"),
    }
}

/// Reads until so many events have come, and checks what holds for every batch.
async fn next_events(watch: &mut Watch, len: usize) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    let mut reached = 0;
    while events.len() < len {
        let batch = next_batch(watch).await;
        for event in batch.events {
            assert!(event.revision > reached, "an event at or before reported progress: {event:?}");
            assert!(event.revision <= batch.revision, "progress before the event: {event:?}");
            events.push(Event::clone(&event));
        }
        assert!(batch.revision >= reached, "progress went back");
        reached = batch.revision;
    }
    let order: Vec<_> = events.iter().map(|event| (event.revision, event.key.clone())).collect();
    assert!(order.is_sorted_by(|left, right| left < right), "out of order: {order:?}");
    assert_eq!(events.len(), len, "more events than expected: {order:?}");
    events
}

/// Nothing but progress comes.
async fn expect_quiet(watch: &mut Watch) {
    let deadline = tokio::time::Instant::now() + QUIET;
    while let Ok(item) = tokio::time::timeout_at(deadline, watch.next()).await {
        match item {
            Some(Ok(batch)) if batch.events.is_empty() => {}
            other => panic!("expected silence, got {other:?}"),
        }
    }
}
