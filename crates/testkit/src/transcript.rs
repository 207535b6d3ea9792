//! Recorded conversations: JSON lines, gzipped or plain, one case a line.

use std::io::Read;
use std::path::{Path, PathBuf};

use ordain_value::{Value, json};

use crate::outside::Need;

/// What gzipped files start with.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Reads all lines of a file.
pub fn read(path: &Path) -> std::io::Result<Vec<Value>> {
    let mut text = std::fs::read(path)?;
    if text.starts_with(&GZIP) {
        let packed = std::mem::take(&mut text);
        flate2::read::GzDecoder::new(packed.as_slice()).read_to_end(&mut text)?;
    }
    let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines.map(|line| json::decode(line).map_err(std::io::Error::other)).collect()
}

/// All recordings below a folder, in the order of their names.
pub fn files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(folder) = pending.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                pending.push(path);
            } else if path.to_string_lossy().ends_with(".jsonl.gz") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The folder beside the repository with recordings that are no part of it (or `ORDAIN_SHARED`), if
/// it is there.
fn beside() -> Option<PathBuf> {
    let default = || {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2)?;
        Some(root.parent()?.join("shared"))
    };
    let folder = std::env::var_os("ORDAIN_SHARED").map(PathBuf::from).or_else(default)?;
    folder.join("transcripts").is_dir().then_some(folder)
}

/// A folder beside the repository, such as `wire`.
///
/// # Panics
/// When it is missing and may not be ([`Need::missing`]).
pub fn outside(name: &str) -> Option<PathBuf> {
    let found = beside().map(|it| it.join(name)).filter(|it| it.is_dir());
    if found.is_none() {
        Need::Recordings.missing(&format!("no recordings `{name}` beside the repository"));
    }
    found
}

/// A set of transcripts: one that is part of the repository, which is always there, or one beside
/// it.
///
/// # Panics
/// When it is missing and may not be ([`Need::missing`]).
pub fn set(name: &str) -> Option<PathBuf> {
    let vendored = vendored().join(name);
    if vendored.is_dir() {
        return Some(vendored);
    }
    outside(&format!("transcripts/{name}"))
}

/// All cases of a set whose files' names start so, each with the name of its file
/// (`crd/ssa-more`).
///
/// # Errors
/// When a file cannot be read.
pub fn cases(folder: &Path, prefix: &str) -> std::io::Result<Vec<(String, Value)>> {
    let mut found = Vec::new();
    let parent = folder.parent().unwrap_or(folder);
    for file in files(folder)? {
        let named = file.file_name().is_some_and(|it| it.to_string_lossy().starts_with(prefix));
        if named {
            let name = file.strip_prefix(parent).unwrap_or(&file).to_string_lossy();
            let name = name.trim_end_matches(".jsonl.gz").to_owned();
            found.extend(read(&file)?.into_iter().map(|case| (name.clone(), case)));
        }
    }
    Ok(found)
}

/// The folder of recordings that are part of the repository.
pub fn vendored() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/transcripts")
}
