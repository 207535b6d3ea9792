//! Where generated files go, and whether those that are there are fresh.

use std::path::{Path, PathBuf};

use clap::Args;

use super::diff;
use crate::command::{Failure, say};

/// A file that was generated.
pub(super) struct File {
    /// Its name below the output directory.
    pub name: String,
    pub text: String,
}

#[derive(Debug, Args)]
pub(super) struct Output {
    /// Write the files into this directory.
    #[arg(long, value_name = "DIR", conflicts_with = "output")]
    output_dir: Option<PathBuf>,
    /// Write all into one file; `-` is standard output, which is the default.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write nothing; show what differs, and fail when a file is missing or stale.
    #[arg(long)]
    check: bool,
}

impl Output {
    /// Whether there is a file for each generated one.
    pub(super) fn is_folder(&self) -> bool {
        self.output_dir.is_some()
    }

    pub(super) fn write(&self, files: Vec<File>) -> Result<(), Failure> {
        let targets: Vec<(PathBuf, String)> = match (&self.output_dir, &self.output) {
            (Some(dir), _) => {
                files.into_iter().map(|file| (dir.join(file.name), file.text)).collect()
            }
            (None, Some(path)) if path != Path::new("-") => {
                vec![(path.clone(), files.into_iter().map(|file| file.text).collect())]
            }
            _ if self.check => {
                return Err("--check needs --output-dir or --output to compare with".into());
            }
            _ => {
                files.iter().for_each(|file| say(file.text.trim_end_matches('\n')));
                return Ok(());
            }
        };
        if self.check { check(&targets) } else { targets.iter().try_for_each(store) }
    }
}

fn store((path, text): &(PathBuf, String)) -> Result<(), Failure> {
    let told = |error: std::io::Error| format!("{}: {error}", path.display());
    if let Some(dir) = path.parent().filter(|dir| !dir.as_os_str().is_empty()) {
        std::fs::create_dir_all(dir).map_err(told)?;
    }
    // A file that is as it should be keeps its time, so that nothing is built again for it.
    if std::fs::read_to_string(path).is_ok_and(|found| found == *text) {
        return Ok(());
    }
    std::fs::write(path, text).map_err(told)?;
    say(&path.display().to_string());
    Ok(())
}

/// Compares files with what they should be, and shows the lines that differ.
fn check(targets: &[(PathBuf, String)]) -> Result<(), Failure> {
    let mut stale = 0;
    for (path, text) in targets {
        let found = std::fs::read_to_string(path).ok();
        if found.as_deref() == Some(text) {
            continue;
        }
        stale += 1;
        let name = path.display();
        match found {
            None => say(&format!("{name} is missing")),
            Some(found) => {
                say(&format!("--- {name}\n+++ {name} (generated)"));
                diff::unified(&found, text).iter().for_each(|line| say(line));
            }
        }
    }
    match stale {
        0 => Ok(()),
        1 => Err("1 file is missing or stale".into()),
        stale => Err(format!("{stale} files are missing or stale")),
    }
}
