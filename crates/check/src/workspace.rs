//! The definitions in a folder that somebody works in.

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use ordain_value::Value;

use crate::look::definitions_in;
use crate::source::{Input, is_manifest};

/// A folder with more in it than this is no place to look for definitions file by file: somebody
/// has opened their home.
const ENTRIES_MAX: usize = 50_000;

/// Larger files are no definitions that people write.
const BYTES_MAX: u64 = 16 * 1024 * 1024;

/// The definitions in manifests below a folder, in the order of the files. What `.gitignore` names
/// is left out, and so is what cannot be read: nobody has asked for it.
#[must_use]
pub fn definitions(folder: &Path) -> Vec<Value> {
    let entries = ignore::WalkBuilder::new(folder).require_git(false).build().take(ENTRIES_MAX);
    let wanted = |it: &ignore::DirEntry| {
        is_manifest(it.path())
            && it.metadata().is_ok_and(|about| about.is_file() && about.len() <= BYTES_MAX)
    };
    let mut files: Vec<PathBuf> =
        entries.flatten().filter(wanted).map(ignore::DirEntry::into_path).collect();
    files.sort();
    files.into_par_iter().flat_map_iter(|it| definitions_in(&Input::File(it))).collect()
}
