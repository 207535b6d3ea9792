//! The objects that are being edited: in the files of a folder, and in texts that are open.

use std::path::{Path, PathBuf};

use ordain_meta::GroupVersionKind;
use rayon::prelude::*;

use ordain_value::Value;

use crate::look::definitions_in;
use crate::manifest;
use crate::policy::MARK;
use crate::role::Role;
use crate::source::{Input, Source, below, is_manifest};
use crate::surroundings::Surroundings;

/// A folder with more in it than this is no place to look for objects file by file: somebody has
/// opened their home.
pub(crate) const ENTRIES_MAX: usize = 50_000;

/// Larger files are no manifests that people write.
const BYTES_MAX: u64 = 16 * 1024 * 1024;

/// Beyond this a folder's texts are not kept for policies to look at.
const TEXTS_BYTES_MAX: usize = 16 * 1024 * 1024;

/// An object in a file of a folder.
#[derive(Clone, Debug)]
pub struct Object {
    pub file: PathBuf,
    pub gvk: GroupVersionKind,
    pub namespace: String,
    pub name: String,
    /// Where its document starts, from 1.
    pub line: usize,
    /// The object itself, when it defines a kind.
    pub definition: Option<Value>,
}

/// The objects in manifests below a folder, in the order of the files. What `.gitignore` names is
/// left out, and so is what cannot be read or is no manifest: nobody has asked for it.
#[must_use]
pub fn objects(folder: &Path) -> Vec<Object> {
    let (files, _) = below(folder, ENTRIES_MAX, &is_manifest);
    let surroundings = Surroundings::of(files.iter().map(PathBuf::as_path));
    let is_small = |it: &PathBuf| it.metadata().is_ok_and(|about| about.len() <= BYTES_MAX);
    let is_one = |it: &PathBuf| surroundings.role(it) == Role::Found;
    let files = files.into_par_iter().filter(|it| is_one(it) && is_small(it));
    files.map_init(Vec::new, |buffer, file| of_file(buffer, &file)).flatten_iter().collect()
}

fn of_file(buffer: &mut Vec<u8>, file: &Path) -> Vec<Object> {
    let input = Input::file(file);
    let Ok(text) = input.bytes(buffer) else { return Vec::new() };
    let manifests = manifest::read_as(0, text, false).manifests.into_iter();
    let typed = manifests.filter(|it| !it.gvk.kind.is_empty() && !it.gvk.version.is_empty());
    let object = |it: manifest::Manifest| Object {
        file: file.to_path_buf(),
        gvk: it.gvk.clone(),
        namespace: it.namespace().to_owned(),
        name: it.name().to_owned(),
        line: it.start.line,
        definition: it.is_definition().then_some(it.value),
    };
    typed.map(object).collect()
}

/// What a file is taken for by its place.
#[must_use]
pub fn role(file: &Path) -> Role {
    Surroundings::of([file]).role(file)
}

/// What stands around the manifests below some folders.
#[must_use]
pub fn surroundings(folders: &[PathBuf]) -> Surroundings {
    let files: Vec<PathBuf> =
        folders.iter().flat_map(|it| below(it, ENTRIES_MAX, &is_manifest).0).collect();
    Surroundings::of(files.iter().map(PathBuf::as_path))
}

/// The manifests below a folder, if there are admission policies among them: those judge, and the
/// others may be namespaces, parameters and roles that they look at.
#[must_use]
pub fn policies(folder: &Path) -> Vec<Source> {
    let (files, _) = below(folder, ENTRIES_MAX, &is_manifest);
    let surroundings = Surroundings::of(files.iter().map(PathBuf::as_path));
    let (mut texts, mut policies, mut bytes) = (Vec::new(), false, 0);
    for file in files.into_iter().filter(|it| surroundings.role(it) == Role::Found) {
        let input = Input::file(file);
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

/// The definitions in a file; none when it cannot be read.
#[must_use]
pub fn definitions_of_file(file: &Path) -> Vec<Value> {
    let is_small = file.metadata().is_ok_and(|about| about.len() <= BYTES_MAX);
    let input = Input::file(file);
    let read = is_small.then(|| input.read().ok()).flatten();
    read.map(|it| definitions_of_text(&it)).unwrap_or_default()
}
