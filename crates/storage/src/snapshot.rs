//! All entries of one moment in one stream of bytes, to keep elsewhere and to start again from.
//!
//! Layout: magic (8), revision (8), then per entry a tag byte 1, create and mod revision (8 each),
//! the lengths of key and value (4 each), key, value; at the end a tag byte 0, the number of
//! entries (8) and the checksum of everything before it (4). Numbers are little-endian.

use std::io::{self, Read, Write};
use std::path::Path;

use bytes::Bytes;

use crate::embedded;
use crate::error::StoreError;
use crate::store::{Entry, Key, Range, Result, Revision, Store};

const MAGIC: &[u8; 8] = b"ORDSNAP1";
const TAG_END: u8 = 0;
const TAG_ENTRY: u8 = 1;

/// How many entries are read from the store at a time.
const PAGE_LEN: usize = 1000;

/// Lengths beyond this are taken for damage, so that they cannot make us ask for memory.
const FIELD_BYTES_MAX: u32 = 64 * 1024 * 1024;

/// A restored store starts this far above the snapshot, so that revisions that were given out
/// after the snapshot was taken do not come again with another meaning.
pub const REVISION_BUMP: Revision = 1_000_000_000;

/// What a snapshot holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SnapshotSummary {
    /// The revision of the store when the snapshot was taken.
    pub revision: Revision,
    /// How many keys it holds.
    pub entries: u64,
}

/// Writes the present state of any store, as of one revision, while others go on writing.
pub async fn save(store: &dyn Store, out: &mut (dyn Write + Send)) -> Result<SnapshotSummary> {
    let revision = store.current_revision().await?;
    let mut out = Summed::new(out);
    out.put(MAGIC)?;
    out.put(&revision.to_le_bytes())?;
    let mut entries = 0_u64;
    let mut start = String::new();
    loop {
        let range = Range::prefix("").start(&start).limit(PAGE_LEN).at(revision);
        let page = store.range(range).await?;
        for entry in &page.entries {
            put_entry(&mut out, entry)?;
            entries += 1;
        }
        match page.entries.last() {
            Some(last) if page.more => start = format!("{}\0", last.key),
            _ => break,
        }
    }
    out.put(&[TAG_END])?;
    out.put(&entries.to_le_bytes())?;
    let sum = out.sum.clone().finalize();
    out.put(&sum.to_le_bytes())?;
    out.inner.flush().map_err(|error| write_error(&error))?;
    Ok(SnapshotSummary { revision, entries })
}

/// Makes a data directory for the embedded store from a snapshot. `above` is the highest revision
/// known to have been given out (that of the store being replaced); the new store starts above it
/// and above the snapshot by [`REVISION_BUMP`]. Watches and reads of earlier revisions find them
/// compacted.
pub fn restore(
    input: &mut dyn Read,
    directory: impl AsRef<Path>,
    above: Revision,
) -> Result<SnapshotSummary> {
    let mut reader = Reader::open(input)?;
    let revision = reader
        .revision
        .max(above)
        .checked_add(REVISION_BUMP)
        .filter(|revision| *revision < i64::MAX as u64)
        .ok_or_else(|| corrupt("the revision is out of range"))?;
    embedded::restore(directory.as_ref(), revision, &mut reader)?;
    Ok(SnapshotSummary { revision, entries: reader.entries })
}

/// Reads a snapshot through and checks it, without making anything of it.
pub fn verify(input: &mut dyn Read) -> Result<SnapshotSummary> {
    let mut reader = Reader::open(input)?;
    for entry in reader.by_ref() {
        entry?;
    }
    Ok(SnapshotSummary { revision: reader.revision, entries: reader.entries })
}

fn corrupt(what: &str) -> StoreError {
    StoreError::Corrupt(format!("snapshot: {what}"))
}

fn write_error(error: &io::Error) -> StoreError {
    StoreError::Unavailable(format!("the snapshot cannot be written: {error}"))
}

struct Summed<T> {
    inner: T,
    sum: crc32fast::Hasher,
}

impl<T> Summed<T> {
    fn new(inner: T) -> Self {
        Self { inner, sum: crc32fast::Hasher::new() }
    }
}

impl Summed<&mut (dyn Write + Send)> {
    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.sum.update(bytes);
        self.inner.write_all(bytes).map_err(|error| write_error(&error))
    }
}

impl Summed<&mut dyn Read> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut bytes = [0; N];
        self.take_into(&mut bytes)?;
        Ok(bytes)
    }

    fn take_into(&mut self, bytes: &mut [u8]) -> Result<()> {
        self.inner.read_exact(bytes).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => corrupt("it ends too early"),
            _ => StoreError::Unavailable(format!("the snapshot cannot be read: {error}")),
        })?;
        self.sum.update(bytes);
        Ok(())
    }

    fn take_field(&mut self, len: u32) -> Result<Vec<u8>> {
        if len > FIELD_BYTES_MAX {
            return Err(corrupt("a length is out of range"));
        }
        let mut bytes = vec![0; len as usize];
        self.take_into(&mut bytes)?;
        Ok(bytes)
    }
}

fn put_entry(out: &mut Summed<&mut (dyn Write + Send)>, entry: &Entry) -> Result<()> {
    let len = |len: usize| {
        u32::try_from(len)
            .ok()
            .filter(|len| *len <= FIELD_BYTES_MAX)
            .ok_or(StoreError::TooLarge { bytes: len, bytes_max: FIELD_BYTES_MAX as usize })
    };
    let mut head = Vec::with_capacity(25);
    head.push(TAG_ENTRY);
    head.extend_from_slice(&entry.create_revision.to_le_bytes());
    head.extend_from_slice(&entry.mod_revision.to_le_bytes());
    head.extend_from_slice(&len(entry.key.len())?.to_le_bytes());
    head.extend_from_slice(&len(entry.value.len())?.to_le_bytes());
    out.put(&head)?;
    out.put(entry.key.as_bytes())?;
    out.put(&entry.value)
}

/// The entries of a snapshot. The end is only reached if the checksum is right.
struct Reader<'a> {
    input: Summed<&'a mut dyn Read>,
    revision: Revision,
    entries: u64,
    last_key: Option<Key>,
    ended: bool,
}

impl<'a> Reader<'a> {
    fn open(input: &'a mut dyn Read) -> Result<Self> {
        let mut input = Summed::new(input);
        if input.take::<8>()? != *MAGIC {
            return Err(corrupt("it does not begin as a snapshot does"));
        }
        let revision = u64::from_le_bytes(input.take()?);
        Ok(Self { input, revision, entries: 0, last_key: None, ended: false })
    }

    fn read_entry(&mut self) -> Result<Option<Entry>> {
        match self.input.take::<1>()? {
            [TAG_END] => {
                let count = u64::from_le_bytes(self.input.take()?);
                let sum = self.input.sum.clone().finalize();
                if u32::from_le_bytes(self.input.take()?) != sum || count != self.entries {
                    return Err(corrupt("the checksum is wrong"));
                }
                return Ok(None);
            }
            [TAG_ENTRY] => {}
            _ => return Err(corrupt("an entry does not begin as entries do")),
        }
        let create_revision = u64::from_le_bytes(self.input.take()?);
        let mod_revision = u64::from_le_bytes(self.input.take()?);
        let key_len = u32::from_le_bytes(self.input.take()?);
        let value_len = u32::from_le_bytes(self.input.take()?);
        let key = String::from_utf8(self.input.take_field(key_len)?)
            .map_err(|_| corrupt("a key is not UTF-8"))?;
        let key = Key::from(key);
        let value = Bytes::from(self.input.take_field(value_len)?);
        if create_revision > mod_revision || mod_revision > self.revision {
            return Err(corrupt("the revisions of an entry contradict each other"));
        }
        if self.last_key.as_ref().is_some_and(|last| *last >= key) {
            return Err(corrupt("the keys are not in order"));
        }
        self.last_key = Some(key.clone());
        self.entries += 1;
        Ok(Some(Entry { key, value, create_revision, mod_revision }))
    }
}

impl Iterator for Reader<'_> {
    type Item = Result<Entry>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let entry = self.read_entry().transpose();
        self.ended = !matches!(entry, Some(Ok(_)));
        entry
    }
}
