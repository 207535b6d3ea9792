//! Values as text: for error messages, and as Go's `%v` prints them.

use ordain_value::{Value, number};

use super::{List, Map, Val};
use ordain_go::time as go_time;

/// Values nested deeper than this are cut off.
const DEPTH_MAX: u32 = 64;
/// What is shown of a value at the most, in bytes: a value that is part of many others can take up
/// little room and still be long.
const TEXT_MAX: usize = 1 << 16;

/// The value as Go's `%v` shows it in error messages.
#[must_use]
pub fn plain(value: &Val<'_>) -> String {
    let mut out = String::new();
    write(value, &mut out, 0);
    out
}

fn write(value: &Val<'_>, out: &mut String, depth: u32) {
    if depth > DEPTH_MAX {
        out.push_str("...");
        return;
    }
    match value {
        Val::Null => out.push_str("NULL_VALUE"),
        Val::Bool(it) => out.push_str(if *it { "true" } else { "false" }),
        Val::Int(it) => out.push_str(&it.to_string()),
        Val::Uint(it) => out.push_str(&it.to_string()),
        Val::Double(it) => out.push_str(&number::go_float(*it)),
        Val::Str(it) | Val::Type(it) => out.push_str(it.as_str()),
        Val::Bytes(it) => {
            let bytes: Vec<String> = it.as_slice().iter().map(u8::to_string).collect();
            out.push_str(&format!("[{}]", bytes.join(" ")));
        }
        Val::Duration(it) => out.push_str(&go_time::duration_text(*it)),
        Val::Timestamp(it) => out.push_str(&it.go_text()),
        Val::List(list) => write_list(list, out, depth),
        Val::Map(map) => write_map(map, out, depth),
        Val::Optional(None) => out.push_str("optional.none()"),
        Val::Optional(Some(inner)) => {
            out.push_str("optional(");
            write(inner, out, depth + 1);
            out.push(')');
        }
        Val::Opaque(it) => out.push_str(&it.to_text().unwrap_or_else(|| format!("{it:?}"))),
        Val::Preserved(value) => write_tree(value, out),
    }
}

fn write_tree(value: &Value, out: &mut String) {
    out.push_str(&String::from_utf8_lossy(&ordain_value::json::encode(value)));
}

fn write_list(list: &List<'_>, out: &mut String, depth: u32) {
    out.push('[');
    for (index, item) in list.iter().enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        if out.len() > TEXT_MAX {
            out.push_str("...");
            break;
        }
        match item {
            Ok(item) => write(&item, out, depth + 1),
            Err(error) => out.push_str(error.message()),
        }
    }
    out.push(']');
}

fn write_map(map: &Map<'_>, out: &mut String, depth: u32) {
    out.push('{');
    for (index, key) in map.keys().iter().enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        if out.len() > TEXT_MAX {
            out.push_str("...");
            break;
        }
        write(key, out, depth + 1);
        out.push_str(": ");
        match map.find(key) {
            Ok(Some(item)) => write(&item, out, depth + 1),
            Ok(None) => out.push_str("<nil>"),
            Err(error) => out.push_str(error.message()),
        }
    }
    out.push('}');
}
