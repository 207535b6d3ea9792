//! Amounts that are numbers or percentages (`intstr.IntOrString`).

use ordain_value::Value;
use ordain_value::field::{self, Path};

pub(crate) const NOT_NEGATIVE: &str = "must be greater than or equal to 0";

const PERCENT: &str = "a valid percent string must be a numeric string followed by an ending '%' \
                       (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

/// Reports a negative number.
pub(crate) fn not_negative(value: Option<i64>, path: &Path<'_>, errors: &mut field::ErrorList) {
    if let Some(value) = value.filter(|value| *value < 0) {
        errors.push(field::Error::invalid(path, value, NOT_NEGATIVE));
    }
}

/// Reports what is neither a count nor a percentage.
pub(crate) fn count_or_percent(value: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    match value {
        Value::Str(text) if !is_percent(text) => {
            errors.push(field::Error::invalid(path, value.clone(), PERCENT));
        }
        other => not_negative(other.as_int(), path, errors),
    }
}

/// Reports a percentage above 100.
pub(crate) fn at_most_all(value: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    if percent(value).is_some_and(|percent| percent > 100) {
        let why = "must not be greater than 100%";
        errors.push(field::Error::invalid(path, value.clone(), why));
    }
}

/// The number of a count or percentage; zero for anything else.
pub(crate) fn number(value: Option<&Value>) -> i64 {
    let Some(value) = value else { return 0 };
    match value {
        // Go reads a text that is no percentage as a plain number.
        Value::Str(text) => percent(value).unwrap_or_else(|| text.parse().unwrap_or(0)),
        other => other.as_int().unwrap_or(0),
    }
}

fn is_percent(text: &str) -> bool {
    let digits = text.strip_suffix('%').unwrap_or("");
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn percent(value: &Value) -> Option<i64> {
    let text = value.as_str().filter(|text| is_percent(text))?;
    // More digits than a number holds: Go gives the largest one.
    Some(text.strip_suffix('%')?.parse().unwrap_or(i64::MAX))
}

/// The text form: the number or the text itself.
pub(crate) fn show(value: &Value) -> String {
    match value {
        Value::Str(text) => text.to_string(),
        other => other.as_int().unwrap_or(0).to_string(),
    }
}
