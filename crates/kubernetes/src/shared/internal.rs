//! Values as upstream's internal types show them in messages: Go names of fields, in the order of
//! the Go type.

use ordain_value::field::BadValue;
use ordain_value::{Value, go_quote, json};

/// The text of a structure of an internal type. Values of nested structures are given as JSON
/// already.
pub(crate) fn structure_text(fields: &[(&str, String)]) -> String {
    let written: Vec<String> =
        fields.iter().map(|(name, value)| format!("{}:{value}", go_quote(name))).collect();
    format!("{{{}}}", written.join(","))
}

/// A value of a type that writes itself as the API does; `null` when absent.
pub(crate) fn plain(value: Option<&Value>) -> String {
    json::encode_string(value.unwrap_or(&Value::Null))
}

/// A field as it was given; null when absent.
pub(crate) fn given(object: &Value, field: &str) -> Value {
    object.get(field).cloned().unwrap_or(Value::Null)
}

/// The JSON of a value that is shown as part of another one.
pub(crate) fn text(value: BadValue) -> String {
    match value {
        BadValue::Json(text) => text,
        BadValue::Value(value) => json::encode_string(&value),
        BadValue::Omitted => "null".to_owned(),
    }
}

/// The JSON of a list whose items are written by a function.
pub(crate) fn list(items: &[Value], write: impl Fn(&Value) -> String) -> String {
    format!("[{}]", items.iter().map(write).collect::<Vec<_>>().join(","))
}
