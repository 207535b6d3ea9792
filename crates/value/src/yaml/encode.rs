//! Values to YAML text, in the form kubectl and the API server print.

use super::resolve::{Resolved, plain};
use crate::number::write_float_json;
use crate::{Text, Value, json};

/// The YAML text of a value, with a line break at the end.
pub fn encode(value: &Value) -> String {
    let mut out = String::new();
    match value {
        Value::Map(map) if !map.is_empty() => block(value, &mut out),
        Value::List(list) if !list.is_empty() => block(value, &mut out),
        scalar => {
            inline(scalar, 0, &mut out);
            out.push('\n');
        }
    }
    out
}

/// An open block collection and its indent.
struct Open<'a> {
    children: Children<'a>,
    indent: usize,
    /// The first line continues a `- ` that is already written.
    first_inline: bool,
}

enum Children<'a> {
    Map(std::slice::Iter<'a, (Text, Value)>),
    List(std::slice::Iter<'a, Value>),
}

fn children(value: &Value) -> Option<Children<'_>> {
    match value {
        Value::Map(map) if !map.is_empty() => Some(Children::Map(map.entries().iter())),
        Value::List(list) if !list.is_empty() => Some(Children::List(list.iter())),
        _ => None,
    }
}

fn block(value: &Value, out: &mut String) {
    let Some(first) = children(value) else { return };
    let mut open = vec![Open { children: first, indent: 0, first_inline: false }];
    while let Some(top) = open.last_mut() {
        let indent = top.indent;
        let next = match &mut top.children {
            Children::Map(entries) => entries.next().map(|(key, value)| (Some(key), value)),
            Children::List(items) => items.next().map(|value| (None, value)),
        };
        let Some((key, value)) = next else {
            open.pop();
            continue;
        };
        if !std::mem::take(&mut top.first_inline) {
            push_spaces(indent, out);
        }
        match key {
            Some(key) => {
                string(key, indent, out);
                out.push(':');
            }
            None => out.push('-'),
        }
        match (children(value), key) {
            (Some(Children::List(items)), Some(_)) => {
                out.push('\n');
                // Lists stand at the indent of their key.
                let children = Children::List(items);
                open.push(Open { children, indent, first_inline: false });
            }
            (Some(children), Some(_)) => {
                out.push('\n');
                open.push(Open { children, indent: indent + 2, first_inline: false });
            }
            (Some(children), None) => {
                out.push(' ');
                open.push(Open { children, indent: indent + 2, first_inline: true });
            }
            (None, _) => {
                out.push(' ');
                inline(value, indent, out);
                out.push('\n');
            }
        }
    }
}

fn push_spaces(count: usize, out: &mut String) {
    out.extend(std::iter::repeat_n(' ', count));
}

fn inline(value: &Value, indent: usize, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(it) => out.push_str(if *it { "true" } else { "false" }),
        Value::Int(it) => out.push_str(&it.to_string()),
        Value::Float(it) => {
            let mut text = Vec::new();
            write_float_json(*it, &mut text);
            out.push_str(&String::from_utf8_lossy(&text));
        }
        Value::Str(text) => string(text, indent, out),
        Value::List(_) => out.push_str("[]"),
        Value::Map(_) => out.push_str("{}"),
    }
}

/// A string: plain where that reads back as itself, a literal block for lines, quotes otherwise.
fn string(text: &str, indent: usize, out: &mut String) {
    if text.contains('\n') && literal_works(text) {
        literal(text, indent, out);
    } else if plain_works(text) {
        out.push_str(text);
    } else if text.chars().all(|c| c == ' ' || (c.is_ascii_graphic()) || c as u32 >= 0xa0)
        && !text.contains(['\u{feff}', '\u{2028}', '\u{2029}'])
    {
        if resolves_to_string(text) || text.contains('"') || text.contains('\\') {
            out.push('\'');
            out.push_str(&text.replace('\'', "''"));
            out.push('\'');
        } else {
            quoted(text, out);
        }
    } else {
        quoted(text, out);
    }
}

fn resolves_to_string(text: &str) -> bool {
    matches!(plain(text), Resolved::Value(Value::Str(_)))
}

fn plain_works(text: &str) -> bool {
    let Some(first) = text.chars().next() else { return false };
    if !resolves_to_string(text) || text == "<<" || text == "=" || looks_like_timestamp(text) {
        return false;
    }
    let indicator = matches!(
        first,
        ',' | '['
            | ']'
            | '{'
            | '}'
            | '#'
            | '&'
            | '*'
            | '!'
            | '|'
            | '>'
            | '\''
            | '"'
            | '%'
            | '@'
            | '`'
    );
    let dash_like = matches!(first, '-' | '?' | ':')
        && text.chars().nth(1).is_none_or(|c| c == ' ' || c == '\t');
    let spaced = text.starts_with(' ') || text.ends_with(' ');
    let marker = text.starts_with("---") || text.starts_with("...");
    let inside = text.contains(": ") || text.ends_with(':') || text.contains(" #");
    let printable = text.chars().all(|c| c == ' ' || c.is_ascii_graphic() || c as u32 >= 0xa0);
    let special = text.contains(['\u{feff}', '\u{2028}', '\u{2029}', '\u{85}']);
    !(indicator || dash_like || spaced || marker || inside || special) && printable
}

fn looks_like_timestamp(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 8
        && bytes[..4].iter().all(u8::is_ascii_digit)
        && bytes[4] == b'-'
        && bytes[5].is_ascii_digit()
}

fn literal_works(text: &str) -> bool {
    let printable =
        text.chars().all(|c| c == '\n' || c == ' ' || c.is_ascii_graphic() || c as u32 >= 0xa0);
    let spaced = text.starts_with([' ', '\n']) || text.contains(" \n") || text.ends_with(' ');
    printable && !spaced && !text.contains(['\u{feff}', '\u{2028}', '\u{2029}', '\u{85}'])
}

fn literal(text: &str, indent: usize, out: &mut String) {
    let trailing = text.len() - text.trim_end_matches('\n').len();
    out.push_str(match trailing {
        0 => "|-",
        1 => "|",
        _ => "|+",
    });
    let body = if trailing > 0 { &text[..text.len() - 1] } else { text };
    for line in body.split('\n') {
        out.push('\n');
        if !line.is_empty() {
            push_spaces(indent + 2, out);
            out.push_str(line);
        }
    }
}

fn quoted(text: &str, out: &mut String) {
    // JSON strings are YAML double-quoted strings; Go's HTML escapes are not wanted here.
    let mut encoded = Vec::new();
    json::encode_string_to(text, &mut encoded);
    let encoded = String::from_utf8_lossy(&encoded)
        .replace("\\u003c", "<")
        .replace("\\u003e", ">")
        .replace("\\u0026", "&");
    out.push_str(&encoded);
}
