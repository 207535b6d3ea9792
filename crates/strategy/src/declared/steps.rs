//! The steps of a write that follow from conventions (KEP-5975): what is wiped, kept and counted.

use ordain_value::Value;

use crate::object;

/// Takes the status out of a new object: only its subresource writes it.
pub(super) fn clear_status(object: &mut Value) {
    if let Value::Map(map) = object {
        map.remove("status");
    }
}

/// Puts the old status back: a write to the object does not change it.
pub(super) fn keep_status(object: &mut Value, old: &Value) {
    let Value::Map(map) = object else { return };
    match old.get("status") {
        Some(status) => {
            map.insert("status", status.clone());
        }
        None => {
            map.remove("status");
        }
    }
}

/// A write to the status changes the status and the record of owners, and nothing else: neither
/// spec, labels and annotations nor any other metadata, however new.
pub(super) fn keep_all_but_status(object: &mut Value, old: &Value) {
    crate::custom::take_status(object, old);
}

/// Bumps the generation exactly when the spec changes.
pub(super) fn count_generation(object: &mut Value, old: &Value) {
    let changed = object.get("spec") != old.get("spec");
    let before = object::generation(old);
    object::set_generation(object, if changed { before + 1 } else { before });
}
