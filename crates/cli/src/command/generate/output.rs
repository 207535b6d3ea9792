//! Where generated files go, and whether those that are there are fresh.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;

use super::{diff, print_message};
use crate::command::{Failure, say};

/// A file that was generated.
pub(super) struct File {
    /// Its name below the output directory.
    pub name: String,
    pub text: String,
}

/// Whether a file of this name and text was written by the generator at hand.
pub(super) type IsOurs = fn(&str, &str) -> bool;

/// Folders below the output directory that are looked at for files of before.
const DEPTH_MAX: u32 = 2;

#[derive(Debug, Args)]
pub(super) struct Output {
    /// Write the files into this directory.
    #[arg(long, value_name = "DIR", conflicts_with = "output")]
    output_dir: Option<PathBuf>,
    /// Write everything to one file; `-` is standard output, the default.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write nothing; show a diff and fail when a file is missing, stale or left over.
    #[arg(long)]
    check: bool,
    /// Remove files from the output directory that are no longer generated.
    #[arg(long, requires = "output_dir", conflicts_with = "check")]
    prune: bool,
}

impl Output {
    /// Files that go where their names say, seen from the current directory.
    pub(super) fn in_place(check: bool) -> Output {
        Output { output_dir: Some(PathBuf::from(".")), output: None, check, prune: false }
    }

    /// The files in the output directory, in order.
    pub(super) fn there(&self) -> Vec<String> {
        let entries = self.output_dir.as_ref().and_then(|it| std::fs::read_dir(it).ok());
        let paths = entries.into_iter().flatten().filter_map(Result::ok).map(|it| it.path());
        let mut paths: Vec<String> = paths.map(|it| it.to_string_lossy().into_owned()).collect();
        paths.sort();
        paths
    }

    /// Whether there is a file for each generated one.
    pub(super) fn is_folder(&self) -> bool {
        self.output_dir.is_some()
    }

    pub(super) fn write(&self, files: Vec<File>, is_ours: IsOurs) -> Result<(), Failure> {
        let (targets, left_over) = match (&self.output_dir, &self.output) {
            (Some(dir), _) => {
                let left_over = left_over(dir, &files, is_ours);
                let targets = files.into_iter().map(|file| (dir.join(file.name), file.text));
                (targets.collect::<Vec<_>>(), left_over)
            }
            (None, Some(path)) if path != Path::new("-") => {
                (vec![(path.clone(), files.into_iter().map(|file| file.text).collect())], vec![])
            }
            _ if self.check => {
                return Err("--check needs --output-dir or --output to compare with".into());
            }
            _ => {
                files.iter().for_each(|file| say(file.text.trim_end_matches('\n')));
                return Ok(());
            }
        };
        if self.check {
            return check(&targets, &left_over);
        }
        targets.iter().try_for_each(store)?;
        for path in &left_over {
            let name = path.display();
            if self.prune {
                std::fs::remove_file(path).map_err(|error| format!("{name}: {error}"))?;
                say(&format!("{name} removed"));
            } else {
                print_message(&format!(
                    "warning: {name} is not generated any more (--prune removes it)"
                ));
            }
        }
        Ok(())
    }
}

/// Files of before that would not be written today.
fn left_over(dir: &Path, files: &[File], is_ours: IsOurs) -> Vec<PathBuf> {
    let written: BTreeSet<&str> = files.iter().map(|file| file.name.as_str()).collect();
    let mut out = Vec::new();
    let mut waiting = vec![(dir.to_path_buf(), 0)];
    while let Some((folder, depth)) = waiting.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
            if path.is_dir() {
                if depth < DEPTH_MAX {
                    waiting.push((path, depth + 1));
                }
                continue;
            }
            let Some(name) = path.strip_prefix(dir).ok().and_then(Path::to_str) else { continue };
            let name = name.replace(std::path::MAIN_SEPARATOR, "/");
            if written.contains(name.as_str()) {
                continue;
            }
            if std::fs::read_to_string(&path).is_ok_and(|text| is_ours(&name, &text)) {
                out.push(path);
            }
        }
    }
    out.sort();
    out
}

fn store((path, text): &(PathBuf, String)) -> Result<(), Failure> {
    let named = |error: std::io::Error| format!("{}: {error}", path.display());
    if let Some(dir) = path.parent().filter(|dir| !dir.as_os_str().is_empty()) {
        std::fs::create_dir_all(dir).map_err(named)?;
    }
    // A file that is as it should be keeps its time, so that nothing is built again for it.
    if std::fs::read_to_string(path).is_ok_and(|found| found == *text) {
        return Ok(());
    }
    std::fs::write(path, text).map_err(named)?;
    say(&path.display().to_string());
    Ok(())
}

/// Compares files with what they should be, and shows the lines that differ.
fn check(targets: &[(PathBuf, String)], left_over: &[PathBuf]) -> Result<(), Failure> {
    let mut wrong = 0;
    for (path, text) in targets {
        let found = std::fs::read_to_string(path).ok();
        if found.as_deref() == Some(text) {
            continue;
        }
        wrong += 1;
        let name = path.display();
        match found {
            None => say(&format!("{name} is missing")),
            Some(found) => {
                say(&format!("--- {name}\n+++ {name} (generated)"));
                diff::unified(&found, text).iter().for_each(|line| say(line));
            }
        }
    }
    for path in left_over {
        wrong += 1;
        say(&format!("{} is not generated any more", path.display()));
    }
    match wrong {
        0 => Ok(()),
        1 => Err("1 file is missing, stale or left over".into()),
        wrong => Err(format!("{wrong} files are missing, stale or left over")),
    }
}
