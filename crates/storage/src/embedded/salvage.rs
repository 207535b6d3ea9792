//! Getting what is intact out of a damaged data file.
//!
//! Every record carries a checksum over its revision, key and value, so each can be trusted or not
//! without anything around it. The file is read page by page, whether or not the tree that holds
//! the pages together can still be followed, and for each key the latest record counts.

use std::collections::BTreeMap;
use std::path::Path;

use super::lock::DirectoryLock;
use super::{DATA_FILE, record, unusable};
use crate::error::StoreError;
use crate::store::{Entry, Key, Result, Revision};

/// What came out of a damaged store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Salvaged {
    /// The highest revision that was seen.
    pub revision: Revision,
    /// Objects that were found.
    pub entries: u64,
    /// Records that were found and are damaged.
    pub damaged: u64,
}

/// Pages begin at multiples of this, and are it or a power of two times it.
const PAGE_BYTES: usize = 4096;
/// The first byte of a page that holds records.
const LEAF: u8 = 1;
/// Type, a byte of nothing, and the number of records.
const LEAF_HEADER: usize = 4;
/// Revisions begin a key.
const REVISION_BYTES: usize = 8;

/// Makes a new data directory from the intact records of a store that no process has open. Objects
/// whose deletion was damaged may be in it, as they were before.
pub fn salvage(directory: impl AsRef<Path>, into: impl AsRef<Path>) -> Result<Salvaged> {
    let (directory, into) = (directory.as_ref(), into.as_ref());
    let _lock = DirectoryLock::take(directory)?;
    let path = directory.join(DATA_FILE);
    let bytes = std::fs::read(&path).map_err(|error| unusable(&path, &error))?;
    let found = Found::scan(&bytes);
    let salvaged = Salvaged {
        revision: found.revision,
        entries: found.entries().count() as u64,
        damaged: found.damaged,
    };
    if salvaged.entries == 0 {
        return Err(StoreError::Corrupt("nothing in the data file is intact".to_owned()));
    }
    super::restore(into, found.revision, &mut found.entries().map(Ok))?;
    Ok(salvaged)
}

/// The latest record of each key.
#[derive(Default)]
struct Found {
    latest: BTreeMap<Key, (Revision, record::Record)>,
    revision: Revision,
    damaged: u64,
}

impl Found {
    fn scan(bytes: &[u8]) -> Self {
        let mut found = Self::default();
        for start in (0..bytes.len()).step_by(PAGE_BYTES) {
            if let Some(page) = bytes.get(start..).filter(|page| page.first() == Some(&LEAF)) {
                found.leaf(page);
            }
        }
        found
    }

    /// Takes the records of what looks like a page of them; a wrong look yields no record that
    /// matches its checksum.
    fn leaf(&mut self, page: &[u8]) -> Option<()> {
        let count = usize::from(u16::from_le_bytes(*page.get(2..)?.first_chunk::<2>()?));
        let end = |at: usize| {
            let place = page.get(LEAF_HEADER + 4 * at..)?.first_chunk::<4>()?;
            usize::try_from(u32::from_le_bytes(*place)).ok()
        };
        // The ends of all keys, then the ends of all values, then keys, then values.
        let mut key_start = LEAF_HEADER + 8 * count;
        let mut value_start = count.checked_sub(1).and_then(end)?;
        for at in 0..count {
            let (key_end, value_end) = (end(at)?, end(count + at)?);
            let key = page.get(key_start..key_end)?;
            let value = page.get(value_start..value_end)?;
            if self.take(key, value).is_none() {
                self.damaged += 1;
            }
            (key_start, value_start) = (key_end, value_end);
        }
        Some(())
    }

    fn take(&mut self, key: &[u8], value: &[u8]) -> Option<()> {
        let (revision, key) = key.split_first_chunk::<REVISION_BYTES>()?;
        let revision = Revision::from_le_bytes(*revision);
        let key = std::str::from_utf8(key).ok()?;
        let record = record::decode(revision, key, value).ok()?;
        self.revision = self.revision.max(revision);
        let known = self.latest.get(key).map_or(0, |(known, _)| *known);
        if revision > known {
            self.latest.insert(Key::from(key), (revision, record));
        }
        Some(())
    }

    fn entries(&self) -> impl Iterator<Item = Entry> {
        self.latest.iter().filter_map(|(key, (revision, record))| {
            Some(Entry {
                key: key.clone(),
                value: record.value.clone()?,
                create_revision: record.create_revision,
                mod_revision: *revision,
            })
        })
    }
}
