//! Bodies of requests as the recorder wrote them.

use ordain_value::{Value, json};

/// The bytes of a body: a text is sent as it is.
pub fn body_bytes(body: &Value) -> Vec<u8> {
    match body {
        Value::Str(text) => text.as_bytes().to_vec(),
        other => {
            let mut text = String::new();
            spaced(other, &mut text);
            text.into_bytes()
        }
    }
}

/// JSON as the recorder wrote it: spaces after commas and colons, ASCII only, and whole floats
/// kept apart from integers. Some answers show the body, so its bytes matter.
fn spaced(value: &Value, out: &mut String) {
    match value {
        Value::Float(number) if number.fract() == 0.0 && number.abs() < 1e16 => {
            out.push_str(&format!("{number:.1}"));
        }
        Value::Str(text) => spaced_text(text, out),
        Value::List(list) => {
            out.push('[');
            for (at, item) in list.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                spaced(item, out);
            }
            out.push(']');
        }
        Value::Map(map) => {
            out.push('{');
            for (at, (key, item)) in map.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                spaced_text(key, out);
                out.push_str(": ");
                spaced(item, out);
            }
            out.push('}');
        }
        other => out.push_str(&json::encode_string(other)),
    }
}

fn spaced_text(text: &str, out: &mut String) {
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            ' '..='~' => out.push(letter),
            other => {
                let mut units = [0; 2];
                for unit in other.encode_utf16(&mut units) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
        }
    }
    out.push('"');
}
