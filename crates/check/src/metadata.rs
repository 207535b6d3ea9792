//! What the server makes of metadata before it looks at the rest.

use ordain_value::{Map, Value};

/// Fields of metadata that only the server sets.
pub(crate) const SYSTEM_FIELDS: [&str; 5] =
    ["uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"];

/// What the server makes of the metadata of a new object, but for its namespace.
pub(crate) fn start_meta(object: &mut Value) {
    for field in SYSTEM_FIELDS {
        remove_meta(object, field);
    }
    dedup_owners(object);
    name_generated(object);
}

pub(crate) fn meta<'a>(object: &'a Value, field: &str) -> Option<&'a Value> {
    object.get("metadata")?.get(field)
}

pub(crate) fn set_meta(object: &mut Value, field: &str, value: Value) {
    let Value::Map(map) = object else { return };
    let slot = map.get_or_insert_null("metadata");
    if !matches!(slot, Value::Map(_)) {
        *slot = Value::Map(Map::new());
    }
    if let Value::Map(metadata) = slot {
        metadata.insert(field, value);
    }
}

pub(crate) fn remove_meta(object: &mut Value, field: &str) {
    if meta(object, field).is_some() {
        object.remove_path(&["metadata", field]);
    }
}

/// A name for an object that asks for a generated one.
fn name_generated(object: &mut Value) {
    let text = |field| meta(object, field).and_then(Value::as_str).unwrap_or_default();
    if text("name").is_empty() && !text("generateName").is_empty() {
        // The longest base that the server keeps whole.
        let base: String = text("generateName").chars().take(58).collect();
        set_meta(object, "name", format!("{base}00000").into());
    }
}

/// Repeated owner references are dropped before anything is checked.
pub(crate) fn dedup_owners(object: &mut Value) {
    let Some(list) = meta(object, "ownerReferences").and_then(Value::as_list) else { return };
    let mut kept: Vec<Value> = Vec::with_capacity(list.len());
    for owner in list.iter() {
        if !kept.contains(owner) {
            kept.push(owner.clone());
        }
    }
    if kept.len() != list.len() {
        set_meta(object, "ownerReferences", kept.into());
    }
}
