//! Paths in the file system of a container or node.

use ordain_value::field::{Error, ErrorList, Path};

/// A path does not climb up.
pub(super) fn no_backsteps(text: &str, path: &Path<'_>, errors: &mut ErrorList) {
    if has_backsteps(text) {
        errors.push(Error::invalid(path, text, "must not contain '..'"));
    }
}

pub(super) fn has_backsteps(text: &str) -> bool {
    text.split('/').any(|step| step == "..")
}

/// A relative path that does not climb up.
pub(super) fn descending(text: &str, path: &Path<'_>, errors: &mut ErrorList) {
    if text.starts_with('/') {
        errors.push(Error::invalid(path, text, "must be a relative path"));
    }
    no_backsteps(text, path, errors);
}

/// A relative path that neither climbs up nor starts as the names that volumes keep for
/// themselves.
pub(super) fn not_reserved(text: &str, path: &Path<'_>, errors: &mut ErrorList) {
    descending(text, path, errors);
    if text.starts_with("..") && !text.starts_with("../") {
        errors.push(Error::invalid(path, text, "must not start with '..'"));
    }
}
