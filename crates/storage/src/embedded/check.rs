//! Looking through a data file from end to end, and making one from entries.

use std::path::Path;

use redb::StorageBackend;

use super::lock::DirectoryLock;
use super::{DATA_FILE, file, load, open_file, record};
use crate::error::StoreError;
use crate::event_log::HistoryLimits;
use crate::store::{Entry, Range, Result, Revision};

/// What a data file holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckReport {
    /// The format of the file.
    pub format: u64,
    /// The last revision.
    pub revision: Revision,
    /// The revision before which the history is gone.
    pub compacted: Revision,
    /// Keys that have a value now.
    pub keys: u64,
    /// Bytes of those values.
    pub value_bytes: u64,
    /// Records that wait to be cleaned up; harmless.
    pub obsolete: u64,
    /// What is wrong. Empty if the file is sound.
    pub problems: Vec<String>,
}

/// Verifies every page and every record of the store in a directory that no process has open.
/// Damage that still lets the file be opened is reported; a file that cannot be opened at all is
/// an error.
pub fn check(directory: impl AsRef<Path>) -> Result<CheckReport> {
    let directory = directory.as_ref();
    if !directory.join(DATA_FILE).exists() {
        return Err(StoreError::Invalid(format!("there is no store in {}", directory.display())));
    }
    let _lock = DirectoryLock::take(directory)?;
    check_backend(open_file(directory)?)
}

fn check_backend(backend: impl StorageBackend) -> Result<CheckReport> {
    let mut database = file::open(backend, super::EmbeddedOptions::default().cache_bytes)?;
    let mut problems = Vec::new();
    let sound = file::guard(|| {
        database.check_integrity().map_err(|error| StoreError::Corrupt(error.to_string()))
    });
    match sound {
        Ok(true) => {}
        Ok(false) => problems.push("pages did not match their checksums".to_owned()),
        Err(error) => problems.push(error.to_string()),
    }
    let mut report = CheckReport {
        format: file::read_meta(&database, file::META_FORMAT)?.unwrap_or(0),
        revision: 0,
        compacted: file::read_meta(&database, file::META_COMPACTED)?.unwrap_or(0),
        keys: 0,
        value_bytes: 0,
        obsolete: 0,
        problems,
    };
    match load::load(&database, HistoryLimits::default()) {
        Err(error) => report.problems.push(error.to_string()),
        Ok(loaded) => {
            report.revision = loaded.index.revision();
            report.obsolete = loaded.obsolete.len() as u64;
            let page = loaded.index.range(&Range::prefix(""))?;
            report.keys = page.entries.len() as u64;
            report.value_bytes = page.entries.iter().map(|entry| entry.value.len() as u64).sum();
        }
    }
    Ok(report)
}

/// How many entries one transaction takes.
const FILL_LEN_MAX: usize = 4096;

pub(super) fn fill(
    backend: impl StorageBackend,
    revision: Revision,
    entries: &mut dyn Iterator<Item = Result<Entry>>,
) -> Result<()> {
    let database = file::open(backend, super::EmbeddedOptions::default().cache_bytes)?;
    let mut bytes = Vec::new();
    loop {
        let portion = entries.take(FILL_LEN_MAX).collect::<Result<Vec<_>>>()?;
        let last = portion.len() < FILL_LEN_MAX;
        let mut write = || -> std::result::Result<(), redb::Error> {
            let transaction = database.begin_write()?;
            {
                let mut changes = transaction.open_table(file::CHANGES)?;
                for entry in &portion {
                    let Entry { key, value, create_revision, mod_revision } = entry;
                    let (create, value) = (*create_revision, Some(value.as_ref()));
                    record::encode_parts(*mod_revision, key, create, value, &mut bytes);
                    changes.insert((*mod_revision, &**key), bytes.as_slice())?;
                }
                transaction.open_table(file::META)?.insert(file::META_COMPACTED, revision)?;
            }
            transaction.commit()?;
            Ok(())
        };
        write().map_err(file::database_error)?;
        if last {
            return Ok(());
        }
    }
}
