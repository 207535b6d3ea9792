//! Values of expressions as the values of objects.

use ordain_cel::library::encoders;
use ordain_cel::value::Val;
use ordain_go::time as go_time;
use ordain_value::{Map, Text, Value};

/// Values that are nested deeper than this are refused.
const DEPTH_MAX: usize = 500;

/// The value of an object that an expression gives.
///
/// # Errors
/// When objects have no such values, in words.
pub fn value(value: &Val<'_>, depth: usize) -> Result<Value, String> {
    tree(value, depth, self::value)
}

/// Turns the values inside of another one.
pub type Turn = fn(&Val<'_>, usize) -> Result<Value, String>;

/// The same for those who treat some values differently; `below` turns what is inside.
///
/// # Errors
/// When objects have no such values, in words.
pub fn tree(value: &Val<'_>, depth: usize, below: Turn) -> Result<Value, String> {
    if depth > DEPTH_MAX {
        return Err("exceeded max depth".to_owned());
    }
    Ok(match value {
        Val::Null => Value::Null,
        Val::Bool(it) => Value::Bool(*it),
        Val::Int(it) => Value::Int(*it),
        Val::Uint(it) => i64::try_from(*it).map_or_else(|_| it.to_string().into(), Value::Int),
        Val::Double(it) => number(*it),
        Val::Str(it) => Value::str(it.as_str()),
        Val::Bytes(it) => Value::str(encoders::encode(it.as_slice())),
        Val::Duration(it) => Value::str(go_time::duration_text(*it)),
        Val::Timestamp(it) => Value::str(it.text()),
        Val::List(list) => {
            let mut out = Vec::with_capacity(list.len());
            for item in list.iter() {
                out.push(below(&item.map_err(|error| error.to_string())?, depth + 1)?);
            }
            Value::from(out)
        }
        Val::Map(map) => {
            let mut out = Map::new();
            for key in map.keys() {
                let Some(name) = key.as_str().map(Text::from) else {
                    return Err(format!("map key of type {} is not string", key.type_name()));
                };
                if let Some(value) = map.find(&key).map_err(|error| error.to_string())? {
                    out.insert(name, below(&value, depth + 1)?);
                }
            }
            Value::Map(out)
        }
        Val::Optional(Some(inner)) => below(inner, depth + 1)?,
        Val::Optional(None) => Value::Null,
        Val::Preserved(value) => (*value).clone(),
        Val::Type(_) | Val::Opaque(_) => {
            return Err(format!("unsupported value of type {}", value.type_name()));
        }
    })
}

/// Whole doubles are written without a point, and read back as integers.
#[expect(clippy::cast_possible_truncation, reason = "the bound is checked")]
fn number(it: f64) -> Value {
    if it.fract() == 0.0 && it.abs() < 1e15 { Value::Int(it as i64) } else { Value::Float(it) }
}
