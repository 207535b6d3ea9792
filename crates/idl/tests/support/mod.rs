//! A view of the disk for tests; the crate itself does no I/O.

use std::fs;
use std::sync::Arc;

use ordain_idl::{Entry, FileSource};

pub(crate) struct DiskSource;

impl FileSource for DiskSource {
    fn list(&self, dir: &str) -> Option<Vec<Entry>> {
        let entries = fs::read_dir(dir).ok()?;
        let mut out: Vec<Entry> = entries
            .flatten()
            .map(|entry| Entry {
                name: entry.file_name().to_string_lossy().into_owned(),
                is_dir: entry.path().is_dir(),
            })
            .collect();
        out.sort_by(|a, b| a.name.cmp(&b.name));
        Some(out)
    }

    fn read(&self, path: &str) -> Option<Arc<str>> {
        fs::read_to_string(path).ok().map(Arc::from)
    }
}

/// The Kubernetes source tree that `ORDAIN_K8S_TREE` names.
#[allow(dead_code, reason = "some tests need it")]
pub(crate) fn kubernetes() -> Option<String> {
    let found = ordain_testkit::Need::KubernetesSource.named_by("ORDAIN_K8S_TREE");
    found.map(|it| it.display().to_string())
}

/// The names of the folders in a folder, sorted.
pub(crate) fn folders(dir: &std::path::Path) -> Vec<String> {
    let mut out: Vec<String> = fs::read_dir(dir)
        .map(|entries| {
            entries
                .flatten()
                .filter(|entry| entry.path().is_dir())
                .map(|entry| entry.file_name().to_string_lossy().into_owned())
                .collect()
        })
        .unwrap_or_default();
    out.sort();
    out
}
