//! Message literals of the well-known types, which are plain values.

use std::sync::Arc;

use super::Machine;
use crate::ast::Text;
use crate::plan::StructNode;
use crate::value::{Error, Map, MapData, Result, Val};
use ordain_go::time::Timestamp;

impl<'a> Machine<'a, '_> {
    pub(super) fn fields(&mut self, message: &'a StructNode) -> Result<Vec<(&'a Text, Val<'a>)>> {
        let mut fields = Vec::with_capacity(message.fields.len());
        for (name, node, optional) in &message.fields {
            let value = self.eval(*node)?;
            match (value, optional) {
                (value, false) => fields.push((name, value)),
                (Val::Optional(Some(inner)), true) => fields.push((name, (*inner).clone())),
                (Val::Optional(None), true) => {}
                (other, true) => {
                    let shown = crate::value::show::plain(&other);
                    return Err(Error::new(format!(
                        "cannot initialize optional entry '{name}' from non-optional value {shown}"
                    )));
                }
            }
        }
        Ok(fields)
    }
}

fn unsupported(value: &Val<'_>, wanted: &str) -> Error {
    Error::new(format!(
        "unsupported field type for {wanted}: field type conversion error from {}",
        value.type_name()
    ))
}

/// The value of a message literal.
pub(super) fn make<'a>(type_name: &str, fields: Vec<(&Text, Val<'a>)>) -> Result<Val<'a>> {
    let simple = type_name.strip_prefix("google.protobuf.").unwrap_or("");
    let mut fields = fields.into_iter();
    let mut value_field = |default: Val<'a>| fields.next().map_or(default, |(_, value)| value);
    Ok(match simple {
        "BoolValue" => value_field(Val::Bool(false)),
        "StringValue" => value_field(Val::string("")),
        "BytesValue" => value_field(Val::bytes(Vec::new())),
        "DoubleValue" => value_field(Val::Double(0.0)),
        "FloatValue" => match value_field(Val::Double(0.0)) {
            #[expect(clippy::cast_possible_truncation, reason = "the message holds a float")]
            Val::Double(it) => Val::Double(f64::from(it as f32)),
            other => other,
        },
        "Int64Value" => value_field(Val::Int(0)),
        "Int32Value" => match value_field(Val::Int(0)) {
            Val::Int(it) if i32::try_from(it).is_err() => {
                return Err(Error::new("integer overflow"));
            }
            other => other,
        },
        "UInt64Value" => value_field(Val::Uint(0)),
        "UInt32Value" => match value_field(Val::Uint(0)) {
            Val::Uint(it) if u32::try_from(it).is_err() => {
                return Err(Error::new("unsigned integer overflow"));
            }
            other => other,
        },
        "ListValue" => value_field(Val::list(Vec::new())),
        "Struct" => value_field(Val::map(Vec::new())),
        "Value" => json(value_field(Val::Null))?,
        "Duration" | "Timestamp" => return time(simple, fields.collect()),
        "" => return Ok(declared(type_name, fields.collect())),
        _ => return Err(Error::new(format!("unknown type '{type_name}'"))),
    })
}

/// A literal of a type that the environment's provider declares.
fn declared<'a>(type_name: &str, fields: Vec<(&Text, Val<'a>)>) -> Val<'a> {
    let mut data = MapData::message(type_name);
    for (name, value) in fields {
        data.insert(Val::string(name.as_str()), value);
    }
    Val::Map(Map::Owned(Arc::new(data)))
}

/// Numbers in JSON values are doubles.
#[expect(clippy::cast_precision_loss, reason = "what JSON does")]
fn json(value: Val<'_>) -> Result<Val<'_>> {
    Ok(match value {
        Val::Int(it) => Val::Double(it as f64),
        Val::Uint(it) => Val::Double(it as f64),
        Val::Null | Val::Bool(_) | Val::Double(_) | Val::Str(_) | Val::List(_) | Val::Map(_) => {
            value
        }
        other => return Err(unsupported(&other, "google.protobuf.Value")),
    })
}

fn time<'a>(name: &str, fields: Vec<(&Text, Val<'a>)>) -> Result<Val<'a>> {
    let (mut seconds, mut nanos) = (0i64, 0i64);
    for (field, value) in fields {
        let Val::Int(number) = value else { return Err(unsupported(&value, name)) };
        match field.as_str() {
            "seconds" => seconds = number,
            _ => nanos = number,
        }
    }
    let overflow = |message: &'static str| Error::new(message);
    if name == "Timestamp" {
        let base = Timestamp::from_unix(seconds, 0);
        return base.add(nanos).map(Val::Timestamp).map_err(|it| overflow(it.message()));
    }
    seconds
        .checked_mul(1_000_000_000)
        .and_then(|it| it.checked_add(nanos))
        .map(Val::Duration)
        .ok_or_else(|| overflow("duration overflow"))
}
