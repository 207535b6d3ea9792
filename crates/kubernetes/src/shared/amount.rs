//! Amounts: numbers that are not negative, and numbers or percentages as text.

use ordain_value::Value;
use ordain_value::field::{self, Path};

pub(crate) const NOT_NEGATIVE: &str = "must be greater than or equal to 0";

/// Reports a negative number.
pub(crate) fn not_negative(value: Option<i64>, path: &Path<'_>, errors: &mut field::ErrorList) {
    if let Some(value) = value.filter(|value| *value < 0) {
        errors.push(field::Error::invalid(path, value, NOT_NEGATIVE));
    }
}

/// The text form: the number or the text itself.
pub(crate) fn show(value: &Value) -> String {
    match value {
        Value::Str(text) => text.to_string(),
        other => other.as_int().unwrap_or(0).to_string(),
    }
}
