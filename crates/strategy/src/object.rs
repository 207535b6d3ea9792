//! Reading and writing the metadata of an object tree.
//!
//! Every kind has the same `metadata`; the spine works on it through these functions alone, so
//! that an absent field, an empty one and a missing `metadata` read the same everywhere.

use std::collections::HashSet;

use ordain_meta::GroupVersionKind;
use ordain_meta::gvk::GroupVersion;
use ordain_meta::status::Status;
use ordain_meta::time::Time;
use ordain_value::{List, Map, Text, Value, json};

/// A text field of `metadata`; empty when absent.
pub fn text<'a>(object: &'a Value, field: &str) -> &'a str {
    metadata(object).and_then(|map| map.get(field)).and_then(Value::as_str).unwrap_or("")
}

/// The metadata, if the object has any.
pub fn metadata(object: &Value) -> Option<&Map> {
    object.get("metadata").and_then(Value::as_map)
}

/// The `metadata` map for writing; made when it is missing.
pub fn metadata_mut(object: &mut Value) -> &mut Map {
    if !matches!(object, Value::Map(_)) {
        *object = Value::Map(Map::new());
    }
    let Value::Map(map) = object else { unreachable!("an object is a map") };
    let slot = map.get_or_insert_null("metadata");
    if !matches!(slot, Value::Map(_)) {
        *slot = Value::Map(Map::new());
    }
    match slot {
        Value::Map(metadata) => metadata,
        _ => unreachable!("metadata was made a map above"),
    }
}

/// `metadata.name`; empty when there is none.
pub fn name(object: &Value) -> &str {
    text(object, "name")
}

/// `metadata.namespace`; empty when there is none.
pub fn namespace(object: &Value) -> &str {
    text(object, "namespace")
}

/// `metadata.uid`; empty when there is none.
pub fn uid(object: &Value) -> &str {
    text(object, "uid")
}

/// `metadata.resourceVersion`; empty when there is none.
pub fn resource_version(object: &Value) -> &str {
    text(object, "resourceVersion")
}

/// The labels, if there are any.
pub fn labels(object: &Value) -> Option<&Map> {
    metadata(object)?.get("labels")?.as_map()
}

/// The finalizers in their order.
pub fn finalizers(object: &Value) -> Vec<Text> {
    let list = metadata(object).and_then(|map| map.get("finalizers")).and_then(Value::as_list);
    list.map(|list| list.iter().filter_map(Value::as_text).cloned().collect()).unwrap_or_default()
}

/// Replaces the finalizers; an empty list is removed.
pub fn set_finalizers(object: &mut Value, finalizers: Vec<Text>) {
    if finalizers.is_empty() {
        remove(object, "finalizers");
        return;
    }
    let list: Vec<Value> = finalizers.into_iter().map(Value::Str).collect();
    set(object, "finalizers", Value::List(List::from(list)));
}

/// Sets a field of `metadata`.
pub fn set(object: &mut Value, field: &str, value: Value) {
    metadata_mut(object).insert(field, value);
}

/// Sets a text field of `metadata`; the empty text removes it.
pub fn set_text(object: &mut Value, field: &str, value: &str) {
    if value.is_empty() {
        remove(object, field);
    } else {
        set(object, field, value.into());
    }
}

/// Removes a field of `metadata`.
pub fn remove(object: &mut Value, field: &str) {
    let has = metadata(object).is_some_and(|map| map.contains_key(field));
    if has {
        metadata_mut(object).remove(field);
    }
}

/// An object as it is written into a store: its version belongs to the store, and a link to itself
/// is kept by nobody.
#[must_use]
pub fn to_store(mut object: Value) -> Value {
    remove(&mut object, "resourceVersion");
    remove(&mut object, "selfLink");
    object
}

/// Copies a field of `metadata` from another object, or removes it when it is absent there.
pub fn copy(object: &mut Value, from: &Value, field: &str) {
    match metadata(from).and_then(|map| map.get(field)) {
        Some(value) => set(object, field, value.clone()),
        None => remove(object, field),
    }
}

/// Replaces the status, which only its subresource writes.
pub fn set_status(object: &mut Value, status: Option<Value>) {
    let Value::Map(map) = object else { return };
    match status {
        Some(status) => map.insert("status", status),
        None => map.remove("status"),
    };
}

/// Takes nothing from a write to the status but the status and the record of owners: neither spec,
/// labels and annotations nor any other metadata, however new.
pub fn keep_all_but_status(object: &mut Value, old: &Value) {
    let mut taken = old.clone();
    copy(&mut taken, object, "managedFields");
    set_status(&mut taken, object.get("status").cloned());
    *object = taken;
}

/// `metadata.generation`; 0 when there is none.
pub fn generation(object: &Value) -> i64 {
    metadata(object).and_then(|map| map.get("generation")).and_then(Value::as_int).unwrap_or(0)
}

/// Sets the generation; 0 removes it.
pub fn set_generation(object: &mut Value, generation: i64) {
    if generation == 0 {
        remove(object, "generation");
    } else {
        set(object, "generation", Value::Int(generation));
    }
}

/// When the object was asked to go, if it was.
pub fn deletion_timestamp(object: &Value) -> Option<Time> {
    Time::decode(text(object, "deletionTimestamp")).ok()
}

/// Whether the object was asked to go and waits for its finalizers.
pub fn is_deleting(object: &Value) -> bool {
    !text(object, "deletionTimestamp").is_empty()
}

/// How long the object may take to go, if that is set.
pub fn deletion_grace_seconds(object: &Value) -> Option<i64> {
    metadata(object)?.get("deletionGracePeriodSeconds")?.as_int()
}

/// Group, version and kind as the object itself says; unreadable parts are empty.
pub fn gvk(object: &Value) -> GroupVersionKind {
    let api_version = object.get("apiVersion").and_then(Value::as_str).unwrap_or("");
    let kind = object.get("kind").and_then(Value::as_str).unwrap_or("");
    GroupVersion::decode(api_version).unwrap_or_default().with_kind(kind)
}

/// Whether two objects agree in everything but `metadata`.
pub fn same_content(a: &Value, b: &Value) -> bool {
    let (Some(a), Some(b)) = (a.as_map(), b.as_map()) else { return a == b };
    let content = |map: &Map| {
        map.entries().iter().filter(|(key, _)| key != "metadata").cloned().collect::<Vec<_>>()
    };
    content(a) == content(b)
}

/// Owner references without repetitions of the same uid.
///
/// Returns the uids that were there more than once, each as often as it was repeated.
pub fn dedup_owner_references(object: &mut Value) -> Vec<Text> {
    let Some(list) = metadata(object).and_then(|map| map.get("ownerReferences")?.as_list()) else {
        return Vec::new();
    };
    let mut kept: Vec<Value> = Vec::with_capacity(list.len());
    let mut seen: HashSet<Vec<u8>> = HashSet::with_capacity(list.len());
    let mut repeated: Vec<Text> = Vec::new();
    for reference in list.iter() {
        if seen.insert(json::encode(reference)) {
            kept.push(reference.clone());
            continue;
        }
        repeated.push(reference.get("uid").and_then(Value::as_text).cloned().unwrap_or_default());
    }
    if !repeated.is_empty() {
        set(object, "ownerReferences", Value::List(List::from(kept)));
    }
    repeated
}

/// The largest object, written as JSON, that anything is done with. Bodies are smaller; defaults and
/// aliases may make much of little, and are counted before anything is written out.
pub const BYTES_MAX: usize = 8 * 1024 * 1024;

/// Refuses an object that is larger than any may be.
///
/// # Errors
/// When it is.
pub fn check_size(object: &Value) -> Result<(), Status> {
    if json::fits(object, BYTES_MAX) {
        return Ok(());
    }
    Err(Status::request_entity_too_large(&format!("limit is {BYTES_MAX}")))
}

/// The fields of metadata, of an owner and of a manager in the order in which Go writes its structs.
const METADATA_ORDER: [&str; 15] = [
    "name",
    "generateName",
    "namespace",
    "selfLink",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "labels",
    "annotations",
    "ownerReferences",
    "finalizers",
    "managedFields",
];
const OWNER_ORDER: [&str; 6] =
    ["apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"];
const MANAGER_ORDER: [&str; 7] =
    ["manager", "operation", "apiVersion", "time", "fieldsType", "fieldsV1", "subresource"];

/// The text of an object that Go holds as a struct; its fields but metadata are written by `field`.
pub(crate) fn struct_text(object: &Value, field: impl Fn(&str, &Value) -> String) -> String {
    let Value::Map(map) = object else { return json::encode_string(object) };
    let fields = map.iter().map(|(key, value)| match (key.as_str(), value) {
        ("metadata", Value::Map(metadata)) => (key.as_str(), metadata_text(metadata)),
        (key, value) => (key, field(key, value)),
    });
    joined(fields)
}

fn metadata_text(metadata: &Map) -> String {
    let items = |value: &Value, order: &[&str]| {
        let list = value.as_list().map(|list| list.as_slice()).unwrap_or_default();
        let texts: Vec<String> = list
            .iter()
            .map(|item| match item {
                Value::Map(map) => joined(
                    ordered(map, order).map(|(key, value)| (key, json::encode_string(value))),
                ),
                other => json::encode_string(other),
            })
            .collect();
        format!("[{}]", texts.join(","))
    };
    joined(ordered(metadata, &METADATA_ORDER).map(|(key, value)| match key {
        "ownerReferences" => (key, items(value, &OWNER_ORDER)),
        "managedFields" => (key, items(value, &MANAGER_ORDER)),
        _ => (key, json::encode_string(value)),
    }))
}

fn ordered<'a>(map: &'a Map, order: &'a [&str]) -> impl Iterator<Item = (&'a str, &'a Value)> {
    let known = order.iter().filter_map(|key| map.get(key).map(|value| (*key, value)));
    let others = map.iter().filter(|(key, _)| !order.contains(&key.as_str()));
    known.chain(others.map(|(key, value)| (key.as_str(), value)))
}

fn joined<'a>(fields: impl Iterator<Item = (&'a str, String)>) -> String {
    let texts: Vec<String> =
        fields.map(|(key, text)| format!("{}:{text}", json::encode_string(&key.into()))).collect();
    format!("{{{}}}", texts.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ordain_value::value;

    #[test]
    fn absent_metadata_reads_as_empty() {
        let object = value!({"kind": "A"});
        assert_eq!(name(&object), "");
        assert!(finalizers(&object).is_empty());
        assert_eq!(generation(&object), 0);
    }

    #[test]
    fn content_comparison_ignores_metadata_only() {
        let old = value!({"metadata": {"generation": 1}, "spec": {"a": 1}});
        let relabelled = value!({"metadata": {"generation": 2}, "spec": {"a": 1}});
        let changed = value!({"metadata": {"generation": 1}, "spec": {"a": 2}});
        assert!(same_content(&old, &relabelled));
        assert!(!same_content(&old, &changed));
    }

    #[test]
    fn repeated_owners_are_dropped_and_named() {
        let mut object = value!({"metadata": {"ownerReferences": [
            {"uid": "a", "name": "x"}, {"uid": "a", "name": "x"}, {"uid": "b", "name": "y"}
        ]}});
        assert_eq!(dedup_owner_references(&mut object), ["a"]);
        let owners = object.get_path(&["metadata", "ownerReferences"]).unwrap();
        assert_eq!(owners.as_list().unwrap().len(), 2);
    }
}
