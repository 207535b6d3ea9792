//! Recorded conversations: JSON lines, gzipped or plain, one case a line.

use std::io::Read;
use std::path::{Path, PathBuf};

use ordain_value::{Value, json};

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

/// The folder of recordings that are not part of the repository, if it is there.
pub fn shared() -> Option<PathBuf> {
    let beside = || {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2)?;
        Some(root.parent()?.join("shared"))
    };
    let folder = std::env::var_os("ORDAIN_SHARED").map(PathBuf::from).or_else(beside)?;
    let transcripts = folder.join("transcripts");
    transcripts.is_dir().then_some(transcripts)
}

/// The folder of recordings that are part of the repository.
pub fn vendored() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/transcripts")
}
