//! The definitions that somebody works on: in the files of a folder, and in texts that are open.

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use ordain_value::Value;

use crate::look::definitions_in;
use crate::policy::MARK;
use crate::source::{Input, Source, below, is_manifest};

/// A folder with more in it than this is no place to look for definitions file by file: somebody
/// has opened their home.
const ENTRIES_MAX: usize = 50_000;

/// Beyond this a folder's texts are not kept for policies to look at.
const TEXTS_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Larger files are no definitions that people write.
const BYTES_MAX: u64 = 16 * 1024 * 1024;

/// The definitions in manifests below a folder, in the order of the files. What `.gitignore` names
/// is left out, and so is what cannot be read: nobody has asked for it.
#[must_use]
pub fn definitions(folder: &Path) -> Vec<Value> {
    let (files, _) = below(folder, ENTRIES_MAX, &is_manifest);
    let is_small = |it: &PathBuf| it.metadata().is_ok_and(|about| about.len() <= BYTES_MAX);
    let read = |buffer: &mut Vec<u8>, file: PathBuf| match Input::File(file).text(buffer) {
        Ok(text) => definitions_in(text),
        Err(_) => Vec::new(),
    };
    files.into_par_iter().filter(is_small).map_init(Vec::new, read).flatten_iter().collect()
}

/// The manifests below a folder, if there are admission policies among them: those judge, and the
/// others may be namespaces, parameters and roles that they look at.
#[must_use]
pub fn policies(folder: &Path) -> Vec<Source> {
    let (files, _) = below(folder, ENTRIES_MAX, &is_manifest);
    let (mut texts, mut policies, mut bytes) = (Vec::new(), false, 0);
    for file in files {
        let input = Input::File(file);
        let Ok(source) = input.read() else { continue };
        bytes += source.text.len();
        if bytes > TEXTS_BYTES_MAX {
            break;
        }
        policies |= memchr::memmem::find(&source.text, MARK.as_bytes()).is_some();
        texts.push(source.into_owned());
    }
    if policies { texts } else { Vec::new() }
}

/// The definitions in a text.
#[must_use]
pub fn definitions_of_text(source: &Source) -> Vec<Value> {
    definitions_in(source.text())
}
