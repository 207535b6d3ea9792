//! Go's converter from unstructured content, for values that are not of the declared type: whole
//! numbers are cut to the width of an integer, anything else is refused in its words.

use ordain_schema::{Node, Type};
use ordain_value::Value;

use super::codec::{go_type, is_structure};

/// What becomes of a value that does not fit its place.
pub(super) fn converted(node: &Node, value: &Value) -> Result<Value, String> {
    match node.ty {
        Type::Object if is_structure(node) => {
            Err(format!("cannot restore struct from: {}", kind(value)))
        }
        Type::Object => Err(format!("cannot restore map from {}", kind(value))),
        Type::Array => Err(no_slice(value)),
        Type::Integer => integer(node, value),
        _ => Err(unfit(node, value)),
    }
}

/// The refusal of what is no list.
pub(super) fn no_slice(value: &Value) -> String {
    format!("cannot restore slice from {}", kind(value))
}

fn integer(node: &Node, value: &Value) -> Result<Value, String> {
    let whole = match value {
        Value::Int(number) => *number,
        #[expect(clippy::cast_possible_truncation, reason = "Go converts to int64 the same way")]
        Value::Float(number) if number.trunc() == *number => *number as i64,
        other => return Err(unfit(node, other)),
    };
    let [first, second, third, fourth, ..] = whole.to_le_bytes();
    Ok(Value::Int(match basic(node) {
        "int32" => i64::from(i32::from_le_bytes([first, second, third, fourth])),
        "uint32" => i64::from(u32::from_le_bytes([first, second, third, fourth])),
        "uint16" => i64::from(u16::from_le_bytes([first, second])),
        "uint8" => i64::from(first),
        _ => whole,
    }))
}

/// Go can turn an integer into a text, which the converter knows and refuses; of other pairs it
/// says that it does not know the type.
fn unfit(node: &Node, value: &Value) -> String {
    let convertible = match value {
        Value::Int(_) => matches!(node.ty, Type::String | Type::Integer | Type::Number),
        Value::Float(_) => matches!(node.ty, Type::Integer | Type::Number),
        _ => false,
    };
    if convertible {
        return format!("cannot convert {} to {}", kind(value), go_type(node));
    }
    format!("unrecognized type: {}", basic(node))
}

/// The Go kind under the type of a place.
fn basic(node: &Node) -> &str {
    match node.ty {
        Type::Boolean => "bool",
        Type::Integer => match go_type(node) {
            named if named.contains('.') => "int64",
            plain => plain,
        },
        Type::Number => "float64",
        _ => "string",
    }
}

/// The Go kind of unstructured content.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "invalid",
        Value::Bool(_) => "bool",
        Value::Int(_) => "int64",
        Value::Float(_) => "float64",
        Value::Str(_) => "string",
        Value::List(_) => "slice",
        Value::Map(_) => "map",
    }
}
