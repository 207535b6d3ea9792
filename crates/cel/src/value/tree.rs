//! Values as trees: what an outcome looks like in JSON or YAML.

use ordain_value::{Map as TreeMap, Text, Value};

use super::{Val, expanded, show};
use crate::library::encoders;
use ordain_go::time as go_time;

/// Values nested deeper than this are cut off.
const DEPTH_MAX: u32 = 1_000;

/// The value as a tree. What JSON has no form for becomes text as the API writes it: bytes in
/// base64, times and durations in their usual form, other things as messages show them. A value
/// that is too large as a tree ([`expanded`]) is shown as messages show it, which cut it off.
#[must_use]
pub fn to_tree(value: &Val<'_>) -> Value {
    if expanded::fits(value) { tree(value, 0) } else { Value::str(show::plain(value)) }
}

fn tree(value: &Val<'_>, depth: u32) -> Value {
    if depth > DEPTH_MAX {
        return Value::str("...");
    }
    match value {
        Val::Null | Val::Optional(None) => Value::Null,
        Val::Bool(it) => Value::Bool(*it),
        Val::Int(it) => Value::Int(*it),
        Val::Uint(it) => i64::try_from(*it).map_or_else(|_| Value::str(it.to_string()), Value::Int),
        Val::Double(it) if it.is_finite() => Value::Float(*it),
        Val::Str(it) | Val::Type(it) => Value::str(it.as_str()),
        Val::Bytes(it) => Value::str(encoders::encode(it.as_slice())),
        Val::Duration(it) => Value::str(go_time::duration_text(*it)),
        Val::Timestamp(it) => Value::str(it.text()),
        Val::Optional(Some(inner)) => tree(inner, depth + 1),
        Val::List(list) => {
            let item = |item| match item {
                Ok(item) => tree(&item, depth + 1),
                Err(error) => Value::str(failed(&error)),
            };
            Value::from(list.iter().map(item).collect::<Vec<Value>>())
        }
        Val::Map(map) => {
            let entry = |key: Val<'_>| {
                let value = match map.find(&key) {
                    Ok(Some(value)) => tree(&value, depth + 1),
                    Ok(None) => Value::Null,
                    Err(error) => Value::str(failed(&error)),
                };
                (Text::from(show::plain(&key)), value)
            };
            Value::Map(map.keys().into_iter().map(entry).collect::<TreeMap>())
        }
        Val::Preserved(value) => (*value).clone(),
        Val::Double(_) | Val::Opaque(_) => Value::str(show::plain(value)),
    }
}

fn failed(error: &super::Error) -> String {
    format!("error: {error}")
}
