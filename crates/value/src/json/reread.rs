//! What becomes of a value that is written as JSON and read again, without the text.
//!
//! Numbers alone may change: Go writes a whole float without a fraction, and reads it as an integer.

use super::{decode, encode};
use crate::{Edit, Value};

/// Deeper values are better read from their text: the decoder keeps its depth on the heap.
const NESTING_MAX: usize = 200;

struct TooDeep;

/// The value as it is read back; `None` for one that is nested too deeply to say.
///
/// ```
/// use ordain_value::{json, value};
///
/// let read = json::reread(&value!({"a": [1.0, 1.5], "b": "c"}));
/// assert_eq!(read, Some(value!({"a": [1, 1.5], "b": "c"})));
/// ```
#[must_use]
pub fn reread(value: &Value) -> Option<Value> {
    // Few values have a float anywhere.
    let changed = match has_floats(value, 0).ok()? {
        true => changed(value, 0).ok()?,
        false => None,
    };
    Some(changed.unwrap_or_else(|| value.clone()))
}

fn has_floats(value: &Value, depth: usize) -> Result<bool, TooDeep> {
    if depth > NESTING_MAX {
        return Err(TooDeep);
    }
    // Scalars are looked at where they stand.
    let look = |inner: &Value| match inner {
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Str(_) => Ok(false),
        Value::Float(_) => Ok(true),
        Value::List(_) | Value::Map(_) => has_floats(inner, depth + 1),
    };
    match value {
        Value::List(list) => any(list.iter(), look),
        Value::Map(map) => any(map.values(), look),
        scalar => look(scalar),
    }
}

fn any<'v>(
    mut values: impl Iterator<Item = &'v Value>,
    look: impl Fn(&Value) -> Result<bool, TooDeep>,
) -> Result<bool, TooDeep> {
    values.try_fold(false, |found, it| Ok(found || look(it)?))
}

/// What a value becomes; nothing if it stays as it is.
fn changed(value: &Value, depth: usize) -> Result<Option<Value>, TooDeep> {
    if depth > NESTING_MAX {
        return Err(TooDeep);
    }
    match value {
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Str(_) => Ok(None),
        Value::Float(_) => Ok(decode(&encode(value)).ok()),
        Value::List(list) => {
            let edited = list.try_edited(|_, item| changed(item, depth + 1))?;
            Ok(edited.map(Value::List))
        }
        Value::Map(map) => {
            let edited = map.try_edited(|_, item| changed(item, depth + 1).map(Edit::from))?;
            Ok(edited.map(Value::Map))
        }
    }
}
