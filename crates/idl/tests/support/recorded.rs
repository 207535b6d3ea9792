//! Packages with what upstream made of them.

use std::path::{Path, PathBuf};

use ordain_testkit::transcript;

use crate::support::folders;

/// The packages of one kind with what upstream made of them: our own, and the recordings when
/// they are at hand.
pub(crate) fn recorded(kind: &str) -> Vec<PathBuf> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let mut out = Vec::new();
    for root in [Some(own.join("idl")), transcript::outside("idl")].into_iter().flatten() {
        let parent = root.join(kind);
        out.extend(folders(&parent).into_iter().map(|name| parent.join(name)));
    }
    out
}

/// The last part of a folder's path.
pub(crate) fn name_of(dir: &Path) -> String {
    dir.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
