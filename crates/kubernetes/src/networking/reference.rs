//! References to objects of any kind by group, kind and name.

use ordain_value::Value;
use ordain_value::field::{self, Path};

use crate::shared::access::{text, text_of};
use crate::shared::net;

/// A group that may be absent, a kind and a name.
pub(super) fn validate(reference: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    if let Some(group) = text_of(reference, "apiGroup") {
        errors.extend(net::subdomain(&path.child("apiGroup"), group));
    }
    required_segment(reference, "kind", path, errors);
    required_segment(reference, "name", path, errors);
}

/// A text that must be there and be usable in a URL path.
pub(super) fn required_segment(
    reference: &Value,
    field: &str,
    path: &Path<'_>,
    errors: &mut field::ErrorList,
) {
    match text(reference, field) {
        "" => errors.push(field::Error::required(&path.child(field), "")),
        text => errors.extend(net::path_segment(&path.child(field), text)),
    }
}
