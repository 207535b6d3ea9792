//! `enum`: a value is compared after conversion to the type of each listed value, as Go converts.

use ordain_value::Value;
use ordain_value::field::{BadValue, Kind};

use super::place::Place;
use super::{Checks, Walk};

impl Walk<'_> {
    pub(super) fn check_enum(&mut self, checks: Option<&Checks>, value: &Value, place: &Place<'_>) {
        let Some(it) = checks.and_then(|it| it.enumeration.as_deref()) else {
            return;
        };
        if it.has(value) {
            return;
        }
        self.fail(place, |_| {
            (Kind::NotSupported, BadValue::Value(value.clone()), it.detail.clone())
        });
    }
}

/// Null matches nothing, not even a listed null.
#[inline]
pub(super) fn matches(value: &Value, listed: &Value) -> bool {
    match (value, listed) {
        (Value::Str(text), Value::Str(listed)) => text == listed,
        (Value::Null, _) | (_, Value::Null) => false,
        (Value::Int(int), Value::Float(float)) => (*int as f64) == *float,
        (Value::Float(float), Value::Int(int)) => *float as i64 == *int,
        // Go converts an integer to the text of that one character.
        (Value::Int(int), Value::Str(text)) => {
            let c = u32::try_from(*int).ok().and_then(char::from_u32).unwrap_or('\u{fffd}');
            let mut buffer = [0; 4];
            text.as_str() == c.encode_utf8(&mut buffer)
        }
        _ => value == listed,
    }
}
