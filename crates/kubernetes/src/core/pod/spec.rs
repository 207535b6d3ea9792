//! The rules of a pod's spec.

use ordain_value::Value;
use ordain_value::field::{ErrorList, Path};

use super::options::PodOptions;

/// The rules of a template: metadata that its pods get, and their spec.
pub(super) fn check_template(
    _template: &Value,
    _path: &Path<'_>,
    _options: &PodOptions,
) -> ErrorList {
    ErrorList::new()
}
