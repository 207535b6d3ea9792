//! Values in the flow style of YAML, which needs no indents. Every text is quoted.

use super::encode::{Writer, double_quoted, scalar};
use super::order::sorted;
use crate::{Text, Value};

/// Keys of more bytes than this get a mark of their own, without which readers need not look for
/// their colon.
const KEY_BYTES_MAX: usize = 128;

/// What is left of an open collection.
enum Rest<'a> {
    Map(std::vec::IntoIter<&'a (Text, Value)>),
    List(std::slice::Iter<'a, Value>),
}

/// Writes a value on one line.
pub(super) fn flow(value: &Value, out: &mut Writer) {
    let mut open = Vec::new();
    begin(value, &mut open, out);
    while let Some((rest, first)) = open.last_mut() {
        let next = match rest {
            Rest::Map(entries) => entries.next().map(|(key, value)| (Some(key), value)),
            Rest::List(items) => items.next().map(|value| (None, value)),
        };
        let Some((key, value)) = next else {
            out.put(if matches!(rest, Rest::Map(_)) { '}' } else { ']' });
            open.pop();
            continue;
        };
        if !std::mem::take(first) {
            out.put_all(", ");
        }
        if let Some(key) = key {
            if key.len() > KEY_BYTES_MAX {
                out.put_all("? ");
            }
            double_quoted(key, None, out);
            out.put_all(": ");
        }
        begin(value, &mut open, out);
    }
}

fn begin<'a>(value: &'a Value, open: &mut Vec<(Rest<'a>, bool)>, out: &mut Writer) {
    match value {
        Value::Map(map) => {
            out.put('{');
            let entries = sorted(map.entries(), |it| it.0.as_str());
            open.push((Rest::Map(entries.into_iter()), true));
        }
        Value::List(list) => {
            out.put('[');
            open.push((Rest::List(list.iter()), true));
        }
        Value::Str(text) => double_quoted(text, None, out),
        other => scalar(other, 0, out),
    }
}
