//! Decoded objects, read as Go code reads structs: what is absent is the zero value.

use ordain_value::{Map, Text, Value};

/// A text; empty when absent.
pub(crate) fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or("")
}

/// A text behind a pointer.
pub(crate) fn text_of<'a>(value: &'a Value, field: &str) -> Option<&'a str> {
    value.get(field).and_then(Value::as_str)
}

/// A number; zero when absent.
pub(crate) fn int(value: &Value, field: &str) -> i64 {
    int_of(value, field).unwrap_or(0)
}

/// A number behind a pointer.
pub(crate) fn int_of(value: &Value, field: &str) -> Option<i64> {
    value.get(field).and_then(Value::as_int)
}

/// A flag; false when absent.
pub(crate) fn flag(value: &Value, field: &str) -> bool {
    flag_of(value, field).unwrap_or(false)
}

/// A flag behind a pointer.
pub(crate) fn flag_of(value: &Value, field: &str) -> Option<bool> {
    value.get(field).and_then(Value::as_bool)
}

/// What a pointer points to.
pub(crate) fn some<'a>(value: &'a Value, field: &str) -> Option<&'a Value> {
    value.get(field).filter(|it| !it.is_null())
}

/// The items of a list; none when absent.
pub(crate) fn items<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value.get(field).and_then(Value::as_list).map_or(&[], |list| list.as_slice())
}

/// The items of a list of texts.
pub(crate) fn texts<'a>(value: &'a Value, field: &str) -> Vec<&'a str> {
    items(value, field).iter().map(|it| it.as_str().unwrap_or("")).collect()
}

/// The entries of a map, by key.
pub(crate) fn entries<'a>(
    value: &'a Value,
    field: &str,
) -> impl Iterator<Item = (&'a Text, &'a Value)> {
    value.get(field).and_then(Value::as_map).into_iter().flat_map(Map::iter)
}

/// A part of the object that its declaration makes a struct; absent reads as empty.
pub(crate) fn part<'a>(value: &'a Value, field: &str) -> &'a Value {
    static EMPTY: Value = Value::Null;
    value.get(field).unwrap_or(&EMPTY)
}

/// The map of a struct for writing; made when it is missing.
pub(crate) fn part_mut<'a>(value: &'a mut Value, field: &str) -> Option<&'a mut Map> {
    let slot = value.as_map_mut()?.get_or_insert_null(field);
    if !matches!(slot, Value::Map(_)) {
        *slot = Value::Map(Map::new());
    }
    slot.as_map_mut()
}

/// The items of a list for writing.
pub(crate) fn items_mut<'a>(
    value: &'a mut Value,
    field: &str,
) -> impl Iterator<Item = &'a mut Value> {
    let list = value.get_mut(field).and_then(Value::as_list_mut);
    list.into_iter().flat_map(|list| list.to_mut().iter_mut())
}

/// An annotation.
pub(crate) fn annotation<'a>(object: &'a Value, key: &str) -> Option<&'a str> {
    object.get("metadata")?.get("annotations")?.get(key)?.as_str()
}

/// Whether there is any annotation.
pub(crate) fn has_annotations(object: &Value) -> bool {
    entries(part(object, "metadata"), "annotations").next().is_some()
}

/// An annotation whose key ends with the name of a container.
pub(crate) fn annotation_for<'a>(object: &'a Value, prefix: &str, name: &str) -> Option<&'a str> {
    let annotations = object.get("metadata")?.get("annotations")?;
    annotations.get(&format!("{prefix}{name}"))?.as_str()
}

/// A label.
pub(crate) fn label<'a>(object: &'a Value, key: &str) -> Option<&'a str> {
    object.get("metadata")?.get("labels")?.get(key)?.as_str()
}

/// Takes a part over from another object, or removes it when it is absent there.
pub(crate) fn keep(object: &mut Value, old: &Value, field: &str) {
    let Some(map) = object.as_map_mut() else { return };
    match old.get(field) {
        Some(value) => map.insert(field, value.clone()),
        None => map.remove(field),
    };
}

/// Removes a field below a part.
pub(crate) fn drop_field(value: &mut Value, path: &[&str]) {
    value.remove_path(path);
}

/// Whether anything but metadata differs between two objects in the given parts.
pub(crate) fn differs(object: &Value, old: &Value, parts: &[&str]) -> bool {
    parts.iter().any(|part| object.get(part) != old.get(part))
}
