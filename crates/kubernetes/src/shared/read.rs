//! Reading decoded objects as Go code reads structs: what is absent is the zero value.

use ordain_value::{Map, Value};

/// A string field; empty when absent.
pub(crate) fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or("")
}

/// A number field; zero when absent.
pub(crate) fn int(value: &Value, field: &str) -> i64 {
    value.get(field).and_then(Value::as_int).unwrap_or(0)
}

/// A boolean field; false when absent.
pub(crate) fn flag(value: &Value, field: &str) -> bool {
    value.get(field).and_then(Value::as_bool).unwrap_or(false)
}

/// A list field; empty when absent.
pub(crate) fn list<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value.get(field).and_then(Value::as_list).map_or(&[], |list| list.as_slice())
}

/// The strings of a list field.
pub(crate) fn texts<'a>(value: &'a Value, field: &str) -> impl Iterator<Item = &'a str> {
    list(value, field).iter().map(|it| it.as_str().unwrap_or(""))
}

/// The entries of a map field, in the order of their keys.
pub(crate) fn entries<'a>(
    value: &'a Value,
    field: &str,
) -> impl Iterator<Item = (&'a str, &'a Value)> {
    let map = map(value, field);
    map.into_iter().flat_map(Map::iter).map(|(key, value)| (key.as_str(), value))
}

/// A map field.
pub(crate) fn map<'a>(value: &'a Value, field: &str) -> Option<&'a Map> {
    value.get(field).and_then(Value::as_map)
}

/// A pointer field: nothing when absent or null.
pub(crate) fn pointer<'a>(value: &'a Value, field: &str) -> Option<&'a Value> {
    value.get(field).filter(|it| !it.is_null())
}

/// A struct field; one with nothing set when absent.
pub(crate) fn part<'a>(value: &'a Value, field: &str) -> &'a Value {
    value.get(field).unwrap_or(&Value::Null)
}

/// The items of a list field, to be changed.
pub(crate) fn items_mut<'a>(value: &'a mut Value, field: &str) -> &'a mut [Value] {
    match value.get_mut(field).and_then(Value::as_list_mut) {
        Some(list) => list.to_mut(),
        None => &mut [],
    }
}

/// How many items a slice has, as errors count.
pub(crate) fn count<T>(items: &[T]) -> i64 {
    i64::try_from(items.len()).unwrap_or(i64::MAX)
}
