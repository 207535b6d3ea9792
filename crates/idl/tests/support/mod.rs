//! What the tests share: folders of sources.

use std::fs;

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
