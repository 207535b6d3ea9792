//! `ordain fsck`.

use std::path::PathBuf;

use clap::Args;
use ordain_storage::embedded;

use crate::command::{Failure, say};

/// Check the embedded store of a data directory that no server has open.
#[derive(Debug, Args)]
pub(crate) struct Fsck {
    /// The data directory.
    #[arg(value_name = "DIR", default_value = "ordain-data")]
    data_dir: PathBuf,
    /// Create a new data directory from all intact objects.
    #[arg(long, value_name = "DIR")]
    salvage: Option<PathBuf>,
}

impl Fsck {
    pub(crate) fn run(self) -> Result<(), Failure> {
        if let Some(into) = &self.salvage {
            let salvaged =
                embedded::salvage(&self.data_dir, into).map_err(|error| error.to_string())?;
            let embedded::Salvaged { revision, entries, damaged } = salvaged;
            say(&format!(
                "{entries} objects up to revision {revision} are in {}; {damaged} records were \
                 damaged",
                into.display()
            ));
            return Ok(());
        }
        let report = embedded::check(&self.data_dir).map_err(|error| error.to_string())?;
        say(&format!(
            "format {}, revision {}, compacted to {}, {} keys, {} bytes, {} records to clean up",
            report.format,
            report.revision,
            report.compacted,
            report.keys,
            report.value_bytes,
            report.obsolete
        ));
        if report.problems.is_empty() {
            say("sound");
            return Ok(());
        }
        for problem in &report.problems {
            say(&format!("problem: {problem}"));
        }
        Err(format!(
            "{} problems; restore from a snapshot, or get out what is intact with --salvage",
            report.problems.len()
        ))
    }
}
