//! Numbers or percentages as text.

use ordain_value::Value;

/// The text form: the number or the text itself.
pub(crate) fn show(value: &Value) -> String {
    match value {
        Value::Str(text) => text.to_string(),
        other => other.as_int().unwrap_or(0).to_string(),
    }
}
