//! The objects that are being edited: in the files of a folder, and in texts that are open.

use std::path::{Path, PathBuf};

use ordain_meta::GroupVersionKind;
use rayon::prelude::*;

use ordain_value::Value;

use crate::look::definitions_in;
use crate::manifest;
use crate::policy::MARK;
use crate::role::Role;
use crate::source::{Input, Source, Text, below, is_manifest};
use crate::surroundings::Surroundings;

/// A folder with more in it than this is no place to look for objects file by file: somebody has
/// opened their home.
pub(crate) const ENTRIES_MAX: usize = 50_000;

/// Larger files are no manifests that people write.
const BYTES_MAX: u64 = 16 * 1024 * 1024;

/// Beyond this a folder's texts are not kept for policies to look at.
const TEXTS_BYTES_MAX: u64 = 16 * 1024 * 1024;

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

/// What is in the manifests below some folders.
#[derive(Debug, Default)]
pub struct Workspace {
    /// In the order of the files.
    pub objects: Vec<Object>,
    /// The texts of the folders with admission policies in them: those judge, and the others may be
    /// namespaces, parameters and roles that they look at.
    pub policies: Vec<Source>,
    pub surroundings: Surroundings,
}

/// Looks at the manifests below some folders once. What `.gitignore` names is left out, and so is
/// what cannot be read or is no manifest: nobody has asked for it.
#[must_use]
pub fn look(folders: &[PathBuf]) -> Workspace {
    let files: Vec<Vec<PathBuf>> =
        folders.iter().map(|it| below(it, ENTRIES_MAX, &is_manifest).0).collect();
    let surroundings = Surroundings::of(files.iter().flatten().map(PathBuf::as_path));
    let mut workspace = Workspace { surroundings, ..Workspace::default() };
    for files in files {
        workspace.enter(files);
    }
    workspace
}

impl Workspace {
    /// Takes in the files of one folder.
    fn enter(&mut self, files: Vec<PathBuf>) {
        let mut bytes = 0;
        let mut wanted = Vec::with_capacity(files.len());
        for file in files.into_iter().filter(|it| self.surroundings.role(it) == Role::Found) {
            let Ok(about) = file.metadata() else { continue };
            bytes += about.len();
            if about.len() <= BYTES_MAX {
                wanted.push((file, bytes <= TEXTS_BYTES_MAX));
            }
        }
        let read: Vec<(Vec<Object>, Option<Source>)> = wanted
            .into_par_iter()
            .map_init(Vec::new, |buffer, (file, is_kept)| read(buffer, &file, is_kept))
            .collect();
        let mut texts = Vec::new();
        for (objects, text) in read {
            self.objects.extend(objects);
            texts.extend(text);
        }
        let has_policy = |it: &Source| memchr::memmem::find(&it.text, MARK.as_bytes()).is_some();
        if texts.iter().any(has_policy) {
            self.policies.append(&mut texts);
        }
    }
}

/// The objects of a file, and its text if it is to be kept.
fn read(buffer: &mut Vec<u8>, file: &Path, is_kept: bool) -> (Vec<Object>, Option<Source>) {
    let input = Input::file(file);
    let Ok(text) = input.bytes(buffer) else { return (Vec::new(), None) };
    let source = is_kept.then(|| input.source(text).into_owned());
    (objects(file, text), source)
}

fn objects(file: &Path, text: Text<'_>) -> Vec<Object> {
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
