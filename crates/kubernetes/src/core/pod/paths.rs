//! Paths in the file system of a container or node.

use ordain_meta::format;
use ordain_value::field::{ErrorList, Path};

use crate::shared::net;

/// A relative path that does not climb up.
pub(super) fn descending(text: &str, path: &Path<'_>, errors: &mut ErrorList) {
    errors.extend(net::invalid(path, text, format::descending_path(text)));
}
