//! Conditions in the status of both kinds.

use std::collections::BTreeSet;

use ordain_value::Value;
use ordain_value::field::{self, Path};

use crate::shared::access::{items, part, text};

/// Every condition has a type, and no two the same.
pub(super) fn validate(object: &Value, errors: &mut field::ErrorList) {
    let path = Path::new("status");
    let path = path.child("conditions");
    let mut seen = BTreeSet::new();
    for (at, condition) in items(part(object, "status"), "conditions").iter().enumerate() {
        let path = path.index(at);
        let path = path.child("type");
        let kind = text(condition, "type");
        if !seen.insert(kind) {
            errors.push(field::Error::duplicate(&path, kind));
        }
        if kind.is_empty() {
            errors.push(field::Error::required(&path, ""));
        }
    }
}
