//! Who was told what, over many lives of one store, and whether the store still agrees.

use std::collections::BTreeMap;

use ordain_storage::{Range, Revision, Store, StoreError};

/// What has been promised by the store so far.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    /// Each key is written by one writer, with 1, 2, 3…
    keys: BTreeMap<String, Promise>,
    /// Which key and value an acknowledged revision was given to.
    revisions: BTreeMap<Revision, (String, u64)>,
    /// Events that a watcher has seen, over all lives: key and value, or none if deleted.
    events: BTreeMap<Revision, (String, Option<u64>)>,
    /// Where the next watch continues.
    pub(crate) last_seen: Revision,
}

#[derive(Debug, Default, Clone, Copy)]
struct Promise {
    acknowledged: u64,
    attempted: u64,
}

pub(crate) type Verdict = Result<(), String>;

impl Ledger {
    /// For a store in which nothing was ever written.
    pub(crate) fn new() -> Self {
        Self { last_seen: 1, ..Self::default() }
    }

    pub(crate) fn next_value(&self, key: &str) -> u64 {
        self.keys.get(key).map_or(1, |promise| promise.attempted + 1)
    }

    pub(crate) fn attempt(&mut self, key: &str, value: u64) {
        self.keys.entry(key.to_owned()).or_default().attempted = value;
    }

    pub(crate) fn acknowledge(&mut self, key: &str, value: u64, revision: Revision) -> Verdict {
        let promise = self.keys.entry(key.to_owned()).or_default();
        promise.acknowledged = promise.acknowledged.max(value);
        promise.attempted = promise.attempted.max(value);
        match self.revisions.insert(revision, (key.to_owned(), value)) {
            Some(before) => Err(format!(
                "revision {revision} was given out twice: to {before:?} \
                                         and to {key} {value}"
            )),
            None => Ok(()),
        }
    }

    /// A watcher has seen an event. It may never be undone, repeated or preceded by a gap.
    pub(crate) fn see(&mut self, revision: Revision, key: &str, value: Option<u64>) -> Verdict {
        if revision != self.last_seen + 1 {
            return Err(format!("a watch went from {} to {revision}", self.last_seen));
        }
        self.last_seen = revision;
        self.events.insert(revision, (key.to_owned(), value));
        Ok(())
    }

    /// The store as it is found after a crash keeps all promises.
    pub(crate) async fn verify(&mut self, store: &dyn Store) -> Verdict {
        let failed = |what: &str, error: StoreError| format!("{what}: {error}");
        let page =
            store.range(Range::prefix("")).await.map_err(|error| failed("listing", error))?;
        let mut found: BTreeMap<String, u64> = BTreeMap::new();
        for entry in &page.entries {
            let value = decode(&entry.value)?;
            if entry.mod_revision > page.revision {
                return Err(format!("{} is newer than the store", entry.key));
            }
            found.insert(entry.key.to_string(), value);
        }
        let highest = self.revisions.keys().next_back().copied().unwrap_or(0);
        if page.revision < highest.max(self.last_seen) {
            return Err(format!(
                "the store went back to revision {} from {highest} (watchers: {})",
                page.revision, self.last_seen
            ));
        }
        for (key, promise) in &mut self.keys {
            let value = found.remove(key).unwrap_or(0);
            if value < promise.acknowledged {
                return Err(format!(
                    "{key}: {} was acknowledged, {value} is there",
                    promise.acknowledged
                ));
            }
            if value > promise.attempted {
                return Err(format!("{key}: {value} was never written"));
            }
            // What is there now was shown to us, so it has to stay.
            promise.acknowledged = value;
        }
        match found.pop_first() {
            Some((key, value)) => Err(format!("{key}: {value} was never written")),
            None => self.resume(store, page.revision).await,
        }
    }

    /// A watch from the last seen revision goes on without a gap, up to the present.
    async fn resume(&mut self, store: &dyn Store, until: Revision) -> Verdict {
        if until == self.last_seen {
            return Ok(());
        }
        let failed = |error: StoreError| format!("resuming a watch: {error}");
        let mut watch = store.watch("", self.last_seen).await.map_err(failed)?;
        while self.last_seen < until {
            let Some(batch) = watch.next().await else { return Err("the watch ended".into()) };
            for event in batch.map_err(failed)?.events {
                let value = event.value.as_ref().map(|value| decode(value)).transpose()?;
                self.see(event.revision, &event.key, value)?;
            }
        }
        self.compare()
    }

    /// Those who were told of a commit and those who watched it learned the same.
    fn compare(&self) -> Verdict {
        for (revision, (key, value)) in &self.revisions {
            if *revision > self.last_seen {
                break;
            }
            if self.events.get(revision) != Some(&(key.clone(), Some(*value))) {
                let event = self.events.get(revision);
                return Err(format!("{key} {value} at {revision} was watched as {event:?}"));
            }
        }
        Ok(())
    }

    pub(crate) fn acknowledged(&self) -> usize {
        self.revisions.len()
    }
}

/// A value tells its number and is long enough to need more than one sector.
pub(crate) fn encode(value: u64) -> Vec<u8> {
    let mut bytes = value.to_string().into_bytes();
    bytes.resize(700, b' ');
    bytes
}

pub(crate) fn decode(bytes: &[u8]) -> Result<u64, String> {
    let text = String::from_utf8_lossy(bytes);
    if bytes.len() != 700 {
        return Err(format!("a torn value: {text:?}"));
    }
    text.trim_end().parse().map_err(|_| format!("a torn value: {text:?}"))
}
