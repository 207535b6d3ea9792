//! The file system, for those who read Go packages from it.

use std::sync::Arc;

use ordain_idl::{Entry, FileSource};

/// Files of the disk, by absolute path or from the current directory.
#[derive(Clone, Copy, Debug)]
pub struct Disk;

impl FileSource for Disk {
    fn list(&self, dir: &str) -> Option<Vec<Entry>> {
        let dir = if dir.is_empty() { "." } else { dir };
        let entries = std::fs::read_dir(dir).ok()?;
        Some(
            entries
                .filter_map(Result::ok)
                .map(|entry| Entry {
                    name: entry.file_name().to_string_lossy().into_owned(),
                    is_dir: entry.path().is_dir(),
                })
                .collect(),
        )
    }

    fn read(&self, path: &str) -> Option<Arc<str>> {
        std::fs::read_to_string(path).ok().map(Arc::from)
    }

    fn current_dir(&self) -> Option<String> {
        Some(std::env::current_dir().ok()?.to_str()?.to_owned())
    }
}
