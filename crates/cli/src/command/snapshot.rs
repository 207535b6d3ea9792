//! `ordain snapshot save|restore|verify`.

use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::{Path, PathBuf};

use clap::Subcommand;
use ordain_host::backup::private_file;
use ordain_storage::{EmbeddedStore, embedded, snapshot};

use crate::command::{Failure, say};

/// Save the embedded store to a file, or restore one.
#[derive(Debug, Subcommand)]
pub(crate) enum Snapshot {
    /// Write the current state of a data directory that no server has open.
    Save {
        /// The file to write; it must not exist.
        file: PathBuf,
        /// The data directory.
        #[arg(long, value_name = "DIR", default_value = "ordain-data")]
        data_dir: PathBuf,
    },
    /// Create a new data directory from a snapshot. Its revisions continue above all that were
    /// handed out before.
    Restore {
        /// The snapshot.
        file: PathBuf,
        /// The data directory to create; it must not contain a store.
        #[arg(long, value_name = "DIR", default_value = "ordain-data")]
        data_dir: PathBuf,
        /// The data directory that is being replaced, so that its revisions are not handed out
        /// again.
        #[arg(long, value_name = "DIR")]
        replaces: Option<PathBuf>,
    },
    /// Verify that a snapshot is complete and intact.
    Verify {
        /// The snapshot.
        file: PathBuf,
    },
}

impl Snapshot {
    pub(crate) fn run(self) -> Result<(), Failure> {
        match self {
            Snapshot::Save { file, data_dir } => save(&file, &data_dir),
            Snapshot::Restore { file, data_dir, replaces } => {
                let above = match replaces {
                    Some(old) => embedded::check(&old).map_err(|it| it.to_string())?.revision,
                    None => 0,
                };
                let mut input = open(&file)?;
                let summary = snapshot::restore(&mut input, &data_dir, above)
                    .map_err(|error| error.to_string())?;
                let (entries, revision) = (summary.entries, summary.revision);
                say(&format!("restored {entries} entries; revisions go on from {revision}"));
                Ok(())
            }
            Snapshot::Verify { file } => {
                let summary =
                    snapshot::verify(&mut open(&file)?).map_err(|error| error.to_string())?;
                say(&format!(
                    "sound: {} entries at revision {}",
                    summary.entries, summary.revision
                ));
                Ok(())
            }
        }
    }
}

fn open(file: &Path) -> Result<BufReader<File>, Failure> {
    File::open(file).map(BufReader::new).map_err(|error| format!("{}: {error}", file.display()))
}

fn save(file: &Path, data_dir: &Path) -> Result<(), Failure> {
    let failed = |error: std::io::Error| format!("{}: {error}", file.display());
    let store = EmbeddedStore::open(data_dir).map_err(|error| error.to_string())?;
    let out = private_file(file).map_err(failed)?;
    let mut out = BufWriter::new(out);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| format!("cannot start: {error}"))?;
    let summary = runtime
        .block_on(async {
            let summary = snapshot::save(&store, &mut out).await?;
            store.close().await;
            Ok::<_, ordain_storage::StoreError>(summary)
        })
        .map_err(|error| error.to_string())?;
    let out = out.into_inner().map_err(|error| failed(error.into_error()))?;
    out.sync_all().map_err(failed)?;
    say(&format!("saved {} entries at revision {}", summary.entries, summary.revision));
    Ok(())
}
