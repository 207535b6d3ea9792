//! The data file: its tables and its format version.

use std::panic::{AssertUnwindSafe, catch_unwind};

use redb::{Database, ReadableDatabase, StorageBackend, TableDefinition};

use crate::error::StoreError;
use crate::store::{Key, Result, Revision};

/// All changes that some readable revision needs, by revision and key.
pub(super) const CHANGES: TableDefinition<'_, (u64, &str), &[u8]> = TableDefinition::new("changes");

/// Numbers about the file itself.
pub(super) const META: TableDefinition<'_, &str, u64> = TableDefinition::new("meta");

/// The version of everything this file describes.
pub(super) const META_FORMAT: &str = "format";

/// History before this revision has been given up.
pub(super) const META_COMPACTED: &str = "compacted";

pub(super) const FORMAT: u64 = 1;

type UpgradeStep = fn(&redb::WriteTransaction) -> Result<()>;

/// Step `n` (counted from 0) turns format `n + 1` into format `n + 2`.
const UPGRADES: &[UpgradeStep] = &[];

/// A change that no readable revision needs any more.
pub(super) type Obsolete = (Revision, Key);

/// Opens the tables, makes them in an empty file, and brings an old format up to date.
pub(super) fn open(backend: impl StorageBackend, cache_bytes: usize) -> Result<Database> {
    guard(|| {
        let database = Database::builder()
            .set_cache_size(cache_bytes)
            .create_with_backend(backend)
            .map_err(|error| open_error(&error))?;
        let format = read_meta(&database, META_FORMAT)?;
        prepare(&database, format, UPGRADES, FORMAT)?;
        Ok(database)
    })
}

/// Damaged pages can make the database code panic; to the caller that is corruption.
pub(super) fn guard<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("no message");
        Err(StoreError::Corrupt(format!("reading the data file failed: {text}")))
    })
}

/// One transaction, so that a crash leaves the old format or the new one, nothing between.
fn prepare(
    database: &Database,
    found: Option<u64>,
    steps: &[UpgradeStep],
    format: u64,
) -> Result<()> {
    let from = match found {
        Some(found) if found == format => return Ok(()),
        Some(found) if found > format => {
            return Err(StoreError::Unavailable(format!(
                "the data file has format {found}, made by a newer version; this one knows \
                 formats up to {format}"
            )));
        }
        Some(0) => return Err(StoreError::Corrupt("the data file has format 0".to_owned())),
        Some(found) => found,
        None => format,
    };
    let transaction = database.begin_write().map_err(|error| database_error(error.into()))?;
    if found.is_none() {
        let tables = transaction.list_tables().map_err(|error| database_error(error.into()))?;
        if tables.count() > 0 {
            return Err(StoreError::Corrupt("the data file does not name its format".to_owned()));
        }
    }
    let done = usize::try_from(from - 1).unwrap_or(usize::MAX);
    for step in steps.iter().skip(done) {
        step(&transaction)?;
    }
    {
        let mut meta =
            transaction.open_table(META).map_err(|error| database_error(error.into()))?;
        meta.insert(META_FORMAT, format).map_err(|error| database_error(error.into()))?;
        transaction.open_table(CHANGES).map_err(|error| database_error(error.into()))?;
    }
    transaction.commit().map_err(|error| database_error(error.into()))
}

pub(super) fn read_meta(database: &Database, name: &str) -> Result<Option<u64>> {
    let transaction = database.begin_read().map_err(|error| database_error(error.into()))?;
    let meta = match transaction.open_table(META) {
        Err(redb::TableError::TableDoesNotExist(_)) => return Ok(None),
        other => other.map_err(|error| database_error(error.into()))?,
    };
    let value = meta.get(name).map_err(|error| database_error(error.into()))?;
    Ok(value.map(|value| value.value()))
}

pub(super) fn database_error(error: redb::Error) -> StoreError {
    match error {
        redb::Error::Io(error) if error.kind() == std::io::ErrorKind::StorageFull => {
            StoreError::NoSpace(error.to_string())
        }
        redb::Error::Corrupted(text) => StoreError::Corrupt(text),
        redb::Error::DatabaseAlreadyOpen => {
            StoreError::Unavailable("the data file is in use by another process".to_owned())
        }
        other => StoreError::Unavailable(format!("data file: {other}")),
    }
}

fn open_error(error: &redb::DatabaseError) -> StoreError {
    match error {
        redb::DatabaseError::Storage(redb::StorageError::Io(error))
            if matches!(
                error.kind(),
                std::io::ErrorKind::InvalidData | std::io::ErrorKind::UnexpectedEof
            ) =>
        {
            StoreError::Corrupt(format!("the data file cannot be read: {error}"))
        }
        redb::DatabaseError::Storage(redb::StorageError::Io(error))
            if error.kind() == std::io::ErrorKind::StorageFull =>
        {
            StoreError::NoSpace(error.to_string())
        }
        redb::DatabaseError::Storage(redb::StorageError::Corrupted(text)) => {
            StoreError::Corrupt(text.clone())
        }
        redb::DatabaseError::DatabaseAlreadyOpen => {
            StoreError::Unavailable("the data file is in use by another process".to_owned())
        }
        other => StoreError::Unavailable(format!("data file: {other}")),
    }
}

#[cfg(test)]
mod tests {
    use redb::ReadableTable;

    use super::*;

    fn empty() -> Database {
        Database::builder().create_with_backend(redb::backends::InMemoryBackend::new()).unwrap()
    }

    #[test]
    fn an_old_format_goes_through_every_later_step_once() {
        const NOTES: TableDefinition<'_, &str, u64> = TableDefinition::new("notes");
        fn note(transaction: &redb::WriteTransaction, name: &str) -> Result<()> {
            let mut notes = transaction.open_table(NOTES).unwrap();
            let before = notes.get(name).unwrap().map_or(0, |count| count.value());
            notes.insert(name, before + 1).unwrap();
            Ok(())
        }
        let steps: &[UpgradeStep] =
            &[|txn| note(txn, "1 to 2"), |txn| note(txn, "2 to 3"), |txn| note(txn, "3 to 4")];
        let database = empty();
        prepare(&database, None, &[], 2).unwrap();
        for _ in 0..2 {
            let found = read_meta(&database, META_FORMAT).unwrap();
            prepare(&database, found, steps, 4).unwrap();
        }
        assert_eq!(read_meta(&database, META_FORMAT).unwrap(), Some(4));
        let read = database.begin_read().unwrap();
        let notes = read.open_table(NOTES).unwrap();
        let noted: Vec<_> = notes
            .iter()
            .unwrap()
            .map(|note| note.map(|(name, count)| (name.value().to_owned(), count.value())).unwrap())
            .collect();
        assert_eq!(noted, [("2 to 3".to_owned(), 1), ("3 to 4".to_owned(), 1)]);
    }

    #[test]
    fn a_failed_step_leaves_the_old_format() {
        let database = empty();
        prepare(&database, None, &[], 1).unwrap();
        let steps: &[UpgradeStep] = &[|_| Err(StoreError::Corrupt("step".to_owned()))];
        prepare(&database, Some(1), steps, 2).unwrap_err();
        assert_eq!(read_meta(&database, META_FORMAT).unwrap(), Some(1));
    }

    #[test]
    fn a_newer_format_is_refused_with_both_versions_named() {
        let database = empty();
        prepare(&database, None, &[], 9).unwrap();
        let error = prepare(&database, Some(9), UPGRADES, FORMAT).unwrap_err().to_string();
        assert!(error.contains("format 9") && error.contains("up to 1"), "{error}");
    }
}
