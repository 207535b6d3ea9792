//! Reading of decoded objects: an absent field reads as the zero value of its Go type.

use ordain_value::{Map, Text, Value};

/// The value at a path; null counts as absent.
pub(crate) fn at<'a>(object: &'a Value, path: &[&str]) -> Option<&'a Value> {
    object.get_path(path).filter(|value| !value.is_null())
}

/// The integer at a path.
pub(crate) fn int(object: &Value, path: &[&str]) -> Option<i64> {
    at(object, path).and_then(Value::as_int)
}

/// The integer at a path, zero when absent.
pub(crate) fn count(object: &Value, path: &[&str]) -> i64 {
    int(object, path).unwrap_or(0)
}

/// The text at a path, empty when absent.
pub(crate) fn text<'a>(object: &'a Value, path: &[&str]) -> &'a str {
    at(object, path).and_then(Value::as_str).unwrap_or("")
}

/// Whether the flag at a path is set.
pub(crate) fn flag(object: &Value, path: &[&str]) -> bool {
    at(object, path).and_then(Value::as_bool).unwrap_or(false)
}

/// The items of the list at a path.
pub(crate) fn list<'a>(object: &'a Value, path: &[&str]) -> &'a [Value] {
    at(object, path).and_then(Value::as_list).map_or(&[], |list| list.as_slice())
}

/// The texts of the list at a path.
pub(crate) fn texts<'a>(object: &'a Value, path: &[&str]) -> Vec<&'a str> {
    list(object, path).iter().map(|it| it.as_str().unwrap_or("")).collect()
}

/// The map at a path.
pub(crate) fn map<'a>(object: &'a Value, path: &[&str]) -> Option<&'a Map> {
    at(object, path).and_then(Value::as_map)
}

/// The text at a selectable field, whose path is written with dots.
pub(crate) fn selected(object: &Value, field: &str) -> Option<Text> {
    let value = field.split('.').try_fold(object, |it, step| it.get(step));
    Some(value.and_then(Value::as_text).cloned().unwrap_or_default())
}

/// Gives a field a value unless it has one.
pub(crate) fn default(object: &mut Value, path: &[&str], value: impl Into<Value>) {
    if at(object, path).is_none() {
        object.set_path(path, value.into());
    }
}

/// Runs a function over the items of the list at a path.
pub(crate) fn each_mut(object: &mut Value, path: &[&str], run: impl FnMut(&mut Value)) {
    let mut value = object;
    for step in path {
        let Some(inner) = value.get_mut(step) else { return };
        value = inner;
    }
    if let Some(list) = value.as_list_mut() {
        list.to_mut().iter_mut().for_each(run);
    }
}

pub(crate) const IMMUTABLE: &str = "field is immutable";
