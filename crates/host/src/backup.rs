//! Snapshots of a running server: taken while others write, read through before they count, and
//! only so many kept.

use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ordain_storage::snapshot::{self, SnapshotSummary};
use ordain_storage::{Store, StoreError};

/// What ends the name of a snapshot that counts.
const ENDING: &str = "ordain-snapshot";

/// Where snapshots go, how often, and how many stay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// The folder of the snapshots.
    pub directory: PathBuf,
    /// The time between two of them.
    pub every: Duration,
    /// How many stay; older ones are removed.
    pub keep: usize,
}

impl Schedule {
    /// Takes snapshots as long as the server runs; `told` gets the outcome of each.
    pub async fn run(
        self,
        store: Arc<dyn Store>,
        reported: impl Fn(Result<SnapshotSummary, String>),
    ) {
        loop {
            tokio::time::sleep(self.every).await;
            reported(self.take(store.as_ref()).await);
        }
    }

    /// Takes one snapshot, checks it, and removes those that are too many.
    ///
    /// # Errors
    /// When it cannot be written, or does not read back as it was written; in one line.
    pub async fn take(&self, store: &dyn Store) -> Result<SnapshotSummary, String> {
        let failed = |error: &dyn std::fmt::Display| {
            format!("snapshot in {}: {error}", self.directory.display())
        };
        std::fs::create_dir_all(&self.directory).map_err(|error| failed(&error))?;
        let partial = self.directory.join("partial");
        let _ = std::fs::remove_file(&partial);
        let summary = save(store, &partial).await.map_err(|error| failed(&error))?;
        let read = File::open(&partial).map_err(|error| failed(&error))?;
        let verified =
            snapshot::verify(&mut BufReader::new(read)).map_err(|error| failed(&error))?;
        if verified != summary {
            return Err(failed(&"it does not read back as it was written"));
        }
        // Sorted by name is sorted by revision.
        let name = format!("{:020}.{ENDING}", summary.revision);
        std::fs::rename(&partial, self.directory.join(name)).map_err(|error| failed(&error))?;
        self.prune().map_err(|error| failed(&error))?;
        Ok(summary)
    }

    fn prune(&self) -> std::io::Result<()> {
        let mut all: Vec<PathBuf> = std::fs::read_dir(&self.directory)?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.extension().is_some_and(|it| it == ENDING))
            .collect();
        all.sort();
        let many = all.len().saturating_sub(self.keep.max(1));
        all.iter().take(many).try_for_each(std::fs::remove_file)
    }
}

async fn save(store: &dyn Store, path: &Path) -> Result<SnapshotSummary, StoreError> {
    let wrong = |error: std::io::Error| StoreError::Unavailable(error.to_string());
    let mut out = BufWriter::new(private_file(path).map_err(wrong)?);
    let summary = snapshot::save(store, &mut out).await?;
    let file = out.into_inner().map_err(|error| wrong(error.into_error()))?;
    file.sync_all().map_err(wrong)?;
    Ok(summary)
}

/// A new file for its owner alone: a snapshot holds every secret.
///
/// # Errors
/// When it is there already, or cannot be made.
pub fn private_file(path: &Path) -> std::io::Result<File> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(test)]
mod tests {
    use ordain_storage::{EmbeddedStore, Expect, MemoryStore, Range, Write};

    use super::*;

    #[tokio::test]
    async fn a_snapshot_of_a_running_store_restores_to_what_it_held() {
        let directory = tempfile::tempdir().unwrap();
        let store = Arc::new(MemoryStore::new());
        let put = async |key: String| {
            store.commit(Write::put(key, Expect::Any, "value")).await.unwrap();
        };
        for at in 0..2_500 {
            put(format!("/a/{at}")).await;
        }
        let schedule = Schedule {
            directory: directory.path().join("snapshots"),
            every: Duration::from_secs(3600),
            keep: 2,
        };
        for round in 0..4 {
            put(format!("/round/{round}")).await;
            let writing = async {
                for at in 0..50 {
                    put(format!("/meanwhile/{round}/{at}")).await;
                    tokio::task::yield_now().await;
                }
            };
            let (summary, ()) = tokio::join!(schedule.take(store.as_ref()), writing);
            assert!(summary.unwrap().entries > 2_500);
        }
        let mut files: Vec<PathBuf> = std::fs::read_dir(&schedule.directory)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        files.sort();
        assert_eq!(files.len(), 2, "{files:?}");
        let about = std::fs::metadata(&files[1]).unwrap();
        #[cfg(unix)]
        assert_eq!(std::os::unix::fs::MetadataExt::mode(&about) & 0o777, 0o600);
        // The drill: a store from the last one holds what was there when it was taken.
        let restored = directory.path().join("restored");
        let mut input = BufReader::new(File::open(&files[1]).unwrap());
        let summary = snapshot::restore(&mut input, &restored, 0).unwrap();
        let restored = EmbeddedStore::open(&restored).unwrap();
        let page = restored.range(Range::prefix("")).await.unwrap();
        assert_eq!(page.entries.len() as u64, summary.entries);
        assert!(page.entries.iter().any(|entry| &*entry.key == "/round/3"));
    }
}
