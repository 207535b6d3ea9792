//! Values as Go's `%v`, `%#v` and `%T` print them: upstream's error texts contain them.

use std::fmt::Write as _;

use crate::number::go_float;
use crate::{Value, go_quote};

/// What is nested deeper is left out.
const DEPTH_MAX: usize = 200;

/// `%v` of an unstructured value: `map[a:1 b:[x y]]`.
pub fn plain(value: &Value) -> String {
    let mut out = String::new();
    write_plain(value, &mut out, 0);
    out
}

fn write_plain(value: &Value, out: &mut String, depth: usize) {
    if depth > DEPTH_MAX {
        out.push_str("...");
        return;
    }
    match value {
        Value::Null => out.push_str("<nil>"),
        Value::Bool(it) => {
            let _ = write!(out, "{it}");
        }
        Value::Int(it) => {
            let _ = write!(out, "{it}");
        }
        Value::Float(it) => out.push_str(&go_float(*it)),
        Value::Str(it) => out.push_str(it),
        Value::List(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(' ');
                }
                write_plain(item, out, depth + 1);
            }
            out.push(']');
        }
        Value::Map(map) => {
            out.push_str("map[");
            for (at, (key, item)) in map.iter().enumerate() {
                if at > 0 {
                    out.push(' ');
                }
                out.push_str(key);
                out.push(':');
                write_plain(item, out, depth + 1);
            }
            out.push(']');
        }
    }
}

/// `%#v` of an unstructured value: `map[string]interface {}{"a":1}`.
pub fn syntax(value: &Value) -> String {
    let mut out = String::new();
    write_syntax(value, &mut out, 0);
    out
}

fn write_syntax(value: &Value, out: &mut String, depth: usize) {
    if depth > DEPTH_MAX {
        out.push_str("...");
        return;
    }
    match value {
        Value::Null => out.push_str("interface {}(nil)"),
        Value::Str(it) => out.push_str(&go_quote(it)),
        Value::List(items) => {
            out.push_str("[]interface {}{");
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                write_syntax(item, out, depth + 1);
            }
            out.push('}');
        }
        Value::Map(map) => {
            out.push_str("map[string]interface {}{");
            for (at, (key, item)) in map.iter().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                out.push_str(&go_quote(key));
                out.push(':');
                write_syntax(item, out, depth + 1);
            }
            out.push('}');
        }
        scalar => write_plain(scalar, out, depth),
    }
}

/// What Go's JSON decoder calls a value in its errors about types.
pub fn json_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Int(_) | Value::Float(_) => "number",
        Value::Str(_) => "string",
        Value::List(_) => "array",
        Value::Map(_) => "object",
    }
}

/// Go's words for JSON that is not of a type. `found` is a [`json_type`], of numbers that do not
/// fit with the number behind it.
pub fn cannot_unmarshal(found: &str, go_type: &str) -> String {
    format!("json: cannot unmarshal {found} into Go value of type {go_type}")
}

/// The same for a field, which is named with its structure and the fields on the way to it.
pub fn cannot_unmarshal_field(found: &str, field: &str, go_type: &str) -> String {
    format!("json: cannot unmarshal {found} into Go struct field {field} of type {go_type}")
}

/// What an error about a part that was read by itself says of the whole. The part is found from
/// `structure` by the fields of `trail`, and its own type is `go_type`.
pub fn within(error: &str, structure: &str, trail: &str, go_type: &str) -> String {
    const FIELD: &str = "Go struct field ";
    if let Some((before, field)) = error.split_once(FIELD)
        && let Some((name, rest)) = field.split_once('.')
    {
        return format!("{before}{FIELD}{name}.{trail}.{rest}");
    }
    match error.strip_suffix(&format!("Go value of type {go_type}")) {
        Some(before) => format!("{before}{FIELD}{structure}.{trail} of type {go_type}"),
        None => error.to_owned(),
    }
}

/// `%T` of an unstructured value.
pub fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Int(_) => "int64",
        Value::Float(_) => "float64",
        Value::Str(_) => "string",
        Value::List(_) => "[]interface {}",
        Value::Map(_) => "map[string]interface {}",
    }
}
