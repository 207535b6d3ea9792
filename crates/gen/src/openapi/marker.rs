//! Reading `+k8s:validation:` lines: keys with colons and indices nest into one JSON object.

use std::collections::BTreeMap;

use ordain_idl::{Diagnostic, Pos};
use ordain_value::{List, Map, Text, Value, json};

use super::Outcome;
use super::tags::Lines;

const PREFIX: &str = "+k8s:validation:";

/// The first words of the keys that mean something; others are passed over.
const KEYS: &[&str] = &[
    "nullable",
    "format",
    "maximum",
    "exclusiveMaximum",
    "minimum",
    "exclusiveMinimum",
    "maxLength",
    "minLength",
    "pattern",
    "maxItems",
    "minItems",
    "uniqueItems",
    "multipleOf",
    "enum",
    "maxProperties",
    "minProperties",
    "items",
    "properties",
    "additionalProperties",
    "cel",
];

/// A list in a key may be so long.
const INDEX_MAX: usize = 1_000;
/// Keys may have so many parts.
const PARTS_MAX: usize = 64;

/// A key's text as JSON, and where it was first written.
#[derive(Clone, Debug)]
struct Entry {
    text: String,
    pos: Pos,
}

fn wrong(pos: Pos, message: String) -> Diagnostic {
    Diagnostic::error("limits", pos, message)
}

/// The markers of a comment as one object, with the place of each key.
pub(super) fn read(lines: &Lines<'_>) -> Outcome<(Map, BTreeMap<String, Pos>)> {
    let entries = entries(lines).map_err(|mut finding| {
        finding.message = format!("failed to parse marker comments: {}", finding.message);
        finding
    })?;
    let mut nested = Map::new();
    let mut places = BTreeMap::new();
    for (key, Entry { text, pos }) in entries {
        let first = key.split([':', '[']).find(|part| !part.is_empty()).unwrap_or("");
        if key.is_empty() {
            let message =
                "failed to parse marker comments: cannot have empty key for marker comment";
            return Err(wrong(pos, message.into()));
        }
        if !KEYS.contains(&first) || super::default::reference(&text).is_some() {
            continue;
        }
        let value = if text.is_empty() {
            Value::Bool(true)
        } else {
            json::decode(text.as_bytes()).map_err(|error| {
                let message = format!(
                    "failed to parse marker comments: failed to parse value for key {key} as JSON: {error}"
                );
                wrong(pos, message).help("write JSON, with texts in quotes, or `>` and raw text")
            })?
        };
        let parts: Vec<&str> = key.split(':').collect();
        put(&mut nested, &parts, value, 0)
            .map_err(|message| wrong(pos, format!("invalid marker comments: {message}")))?;
        places.insert(key, pos);
    }
    Ok((nested, places))
}

fn entries(lines: &Lines<'_>) -> Outcome<BTreeMap<String, Entry>> {
    let mut out: BTreeMap<String, Entry> = BTreeMap::new();
    let mut last_key = String::new();
    let mut last_array: Option<(String, usize)> = None;
    for (line, pos) in lines.trimmed() {
        let previous_key = std::mem::take(&mut last_key);
        let previous_array = last_array.take();
        let Some(line) = line.strip_prefix(PREFIX) else { continue };
        let (key, text) = match split(line) {
            Some((key, '=', value)) => {
                if out.contains_key(key) {
                    let message = format!("cannot have multiple values for key '{key}'");
                    return Err(wrong(pos, message).help("keep one of the lines"));
                }
                (key, value.to_string())
            }
            Some((key, '>', value)) => {
                let added = value.trim_matches(' ');
                let text = match out.get(key) {
                    None => added.to_string(),
                    Some(_) if key != previous_key => {
                        let message = format!(
                            "concatenations to key '{key}' must be consecutive with its assignment"
                        );
                        return Err(wrong(pos, message).help("put the lines one below the other"));
                    }
                    Some(known) => match json::decode(known.text.as_bytes()) {
                        Ok(Value::Str(before)) => format!("{before}\n{added}"),
                        _ => {
                            let message = format!("invalid value for key {key}: not a string");
                            return Err(wrong(pos, message));
                        }
                    },
                };
                (key, json::encode_string(&Value::from(text)))
            }
            Some((key, _, _)) => (key, String::new()),
            None => {
                let message = format!(
                    "invalid marker comment does not match expected `+key=<json formatted value>` pattern: {line}"
                );
                return Err(wrong(pos, message).help("write `+k8s:validation:key=value`"));
            }
        };
        let place = out.get(key).map_or(pos, |known| known.pos);
        out.insert(key.to_string(), Entry { text, pos: place });
        last_key = key.to_string();
        if let Ok(Some((array, index))) = subscript(key) {
            check_order(line, array, index, previous_array.as_ref())
                .map_err(|message| wrong(pos, message).help("count from 0, without gaps"))?;
            last_array = Some((array.to_string(), index));
        }
    }
    Ok(out)
}

/// Key, sign and value of a line: `key=value`, `key>value` or `key` alone.
fn split(line: &str) -> Option<(&str, char, &str)> {
    let is_key = |text: &str| {
        text.bytes().all(|byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b':' | b'_' | b'[' | b']' | b'-')
        })
    };
    if let Some((key, value)) = line.split_once('=')
        && is_key(key)
    {
        return Some((key, '=', value));
    }
    if is_key(line) {
        return Some((line, ' ', ""));
    }
    let (key, value) = line.split_once('>')?;
    is_key(key).then_some((key, '>', value))
}

/// Indices follow each other, as do the lines of one list.
fn check_order(
    line: &str,
    array: &str,
    index: usize,
    previous: Option<&(String, usize)>,
) -> Result<(), String> {
    let same = previous.is_some_and(|(known, _)| known == array);
    let follows = match previous {
        Some((_, before)) => index == before + 1 || index == *before,
        None => index == 0,
    };
    if (!same && index != 0) || !follows {
        return Err(format!(
            "error parsing {line}: non-consecutive index {index} for key '{array}'"
        ));
    }
    Ok(())
}

/// `name[index]` in a key.
fn subscript(key: &str) -> Result<Option<(&str, usize)>, String> {
    let Some((name, rest)) = key.split_once('[') else { return Ok(None) };
    let index = rest.split(']').next().unwrap_or("");
    if index.is_empty() {
        return Err("empty subscript not allowed".into());
    }
    match index.parse::<i64>() {
        Err(_) => Err(format!("expected integer index in key {key}")),
        Ok(found) if found < 0 => {
            Err(format!("subscript '{index}' is invalid. index must be positive"))
        }
        Ok(found) => Ok(Some((name, usize::try_from(found).unwrap_or(usize::MAX)))),
    }
}

/// Puts a value at a path of keys, making objects and lists on the way.
fn put(into: &mut Map, parts: &[&str], value: Value, depth: usize) -> Result<(), String> {
    let Some((key, rest)) = parts.split_first() else { return Ok(()) };
    if depth > PARTS_MAX {
        return Err(format!("key has more than {PARTS_MAX} parts"));
    }
    let found = subscript(key)
        .map_err(|error| format!("error parsing subscript for key {key}: {error}"))?;
    if let Some((name, index)) = found {
        return put_item(into, name, index, rest, value, depth);
    }
    if rest.is_empty() {
        into.insert(*key, value);
        return Ok(());
    }
    if !into.contains_key(key) {
        into.insert(*key, Value::Map(Map::new()));
    }
    match into.get_mut(key) {
        Some(Value::Map(inner)) => put(inner, rest, value, depth + 1),
        Some(other) => {
            Err(format!("expected map[string]any at key {key}, got {}", other.kind_name()))
        }
        None => Ok(()),
    }
}

fn put_item(
    into: &mut Map,
    name: &str,
    index: usize,
    rest: &[&str],
    value: Value,
    depth: usize,
) -> Result<(), String> {
    if index > INDEX_MAX {
        return Err(format!("index {index} of key {name} is above {INDEX_MAX}"));
    }
    if !into.contains_key(name) {
        into.insert(Text::from(name), Value::List(List::new()));
    }
    let Some(Value::List(list)) = into.get_mut(name) else {
        return Err(format!("expected []any at key {name}, got []interface {{}}"));
    };
    let items = list.to_mut();
    while items.len() <= index {
        items.push(Value::Null);
    }
    let Some(item) = items.get_mut(index) else { return Ok(()) };
    if item.is_null() {
        *item = Value::Map(Map::new());
    }
    match item {
        Value::Map(inner) => put(inner, rest, value, depth + 1),
        other => Err(format!("expected map at {name}[{index}], got {}", other.kind_name())),
    }
}
