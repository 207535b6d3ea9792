//! What test tools compare with: files that look like manifests and hold the part of an object
//! that a test expects, with expressions where a value would stand.

use std::path::{Path, PathBuf};

use ordain_value::{Value, yaml};

use crate::glob;
use crate::source::{self, is_manifest};

/// What a file of Chainsaw's is called that describes a test.
const TESTS: [&str; 2] = ["chainsaw-test.yaml", "chainsaw-test.yml"];

/// Steps of a test that hold a file against the cluster, or a part of an object.
const COMPARED: [&str; 3] = ["assert", "error", "patch"];

/// Whether a file's name is one under which KUTTL looks for expectations: `01-assert.yaml`.
pub(crate) fn is_named_so(file: &Path) -> bool {
    let stem = file.file_stem().and_then(|it| it.to_str()).unwrap_or_default();
    let (number, rest) = stem.split_once('-').unwrap_or_default();
    let is_number = !number.is_empty() && number.bytes().all(|it| it.is_ascii_digit());
    let word = rest.split(['-', '_', '.']).next().unwrap_or_default();
    is_number && matches!(word, "assert" | "asserts" | "errors" | "error")
}

/// The files in a folder that its test of Chainsaw compares with. What cannot be read names nothing.
pub(crate) fn named(folder: &Path) -> Vec<PathBuf> {
    let Some(file) = TESTS.iter().map(|it| folder.join(it)).find(|it| it.is_file()) else {
        return Vec::new();
    };
    let text = source::read_small(&file);
    let documents = yaml::decode_documents(&text, yaml::Options::default()).unwrap_or_default();
    let documents = documents.into_iter().filter_map(|it| it.value.ok()).collect();
    let files = compared(documents).into_iter().map(|it| folder.join(it));
    files.flat_map(|it| expanded(&it)).collect()
}

/// A path, or the manifests that it names when it is a pattern.
fn expanded(path: &Path) -> Vec<PathBuf> {
    let found = path.to_str().and_then(|it| glob::matches(it, &is_manifest));
    found.map_or_else(|| vec![path.to_path_buf()], |(files, _)| files)
}

/// The files that the steps of a test compare with, wherever they stand in it.
fn compared(documents: Vec<Value>) -> Vec<String> {
    let (mut waiting, mut found) = (documents, Vec::new());
    while let Some(value) = waiting.pop() {
        waiting.extend(value.as_list().into_iter().flatten().cloned());
        for (key, inside) in value.as_map().into_iter().flatten() {
            match inside.get("file").and_then(Value::as_str) {
                Some(file) if COMPARED.contains(&key.as_str()) => found.push(file.to_owned()),
                _ => waiting.push(inside.clone()),
            }
        }
    }
    found
}
