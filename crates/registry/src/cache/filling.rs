//! How a collection gets what the store holds.
//!
//! Entries are read in slices of one moment, so that neither writers nor other requests wait while a
//! large collection is read.

use std::collections::BTreeMap;
use std::sync::Arc;

use ordain_storage::{Counts, Entry, Key, Range, Result, Revision, Store, StoreError};

use super::collection::Collection;
use super::record::Record;

const SLICE_LEN: usize = 1000;

/// So many times a collection is read anew because its moment was compacted meanwhile; then it is
/// read in one go.
const RETRIES: usize = 3;

/// What a collection begins with.
#[derive(Debug, Default)]
pub(super) struct Filling {
    pub(super) records: BTreeMap<Key, Arc<Record>>,
    pub(super) counts: Counts,
    pub(super) largest: usize,
    pub(super) revision: Revision,
}

impl Filling {
    fn take(&mut self, entries: &[Entry]) {
        for entry in entries {
            self.counts.add(&entry.key);
            self.largest = self.largest.max(entry.value.len());
            self.records.insert(entry.key.clone(), Arc::new(Record::of(entry)));
        }
    }
}

/// Fills a collection with everything under its prefix.
pub(super) async fn fill(store: &dyn Store, collection: &Collection) -> Result<()> {
    for _ in 0..RETRIES {
        match in_slices(store, &collection.prefix).await {
            Err(StoreError::Compacted { .. }) => {}
            Err(error) => return Err(error),
            Ok(filling) => {
                collection.seed(filling);
                return Ok(());
            }
        }
    }
    let page = store.range(Range::prefix(&collection.prefix)).await?;
    let mut filling = Filling { revision: page.revision, ..Filling::default() };
    filling.take(&page.entries);
    collection.seed(filling);
    Ok(())
}

async fn in_slices(store: &dyn Store, prefix: &str) -> Result<Filling> {
    let mut filling = Filling::default();
    let mut start = String::new();
    loop {
        let mut range = Range::prefix(prefix).start(&start).limit(SLICE_LEN);
        range.at = (filling.revision > 0).then_some(filling.revision);
        let page = store.range(range).await?;
        filling.revision = page.revision;
        filling.take(&page.entries);
        match page.entries.last() {
            Some(last) if page.more => start = format!("{}\0", last.key),
            _ => return Ok(filling),
        }
        tokio::task::yield_now().await;
    }
}
