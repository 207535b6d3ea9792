//! Slices of a JSON document that is known to be well-formed.
//!
//! A JSON patch's `test` compares scalars by their text, so the text must survive decoding.

use ordain_value::{Value, json};

/// The items of an array with their offsets; none if `text` is no array.
pub(crate) fn items(text: &[u8], offset: usize) -> Vec<(usize, &[u8])> {
    let mut found = Vec::new();
    let mut at = skip_space(text, 0);
    if text.get(at) != Some(&b'[') {
        return found;
    }
    at = skip_space(text, at + 1);
    while text.get(at).is_some_and(|it| *it != b']') {
        let end = skip_value(text, at);
        found.push((offset + at, &text[at..end]));
        at = skip_space(text, end);
        if text.get(at) == Some(&b',') {
            at = skip_space(text, at + 1);
        }
    }
    found
}

/// One member of an object.
pub(crate) struct Entry<'a> {
    pub(crate) offset: usize,
    pub(crate) key: String,
    pub(crate) text: &'a [u8],
}

/// The members of an object in document order; none if `text` is no object.
pub(crate) fn entries(text: &[u8], offset: usize) -> Vec<Entry<'_>> {
    let mut found = Vec::new();
    let mut at = skip_space(text, 0);
    if text.get(at) != Some(&b'{') {
        return found;
    }
    at = skip_space(text, at + 1);
    while text.get(at) == Some(&b'"') {
        let key_end = skip_value(text, at);
        let key = match json::decode(&text[at..key_end]) {
            Ok(Value::Str(it)) => it.to_string(),
            _ => String::new(),
        };
        let key_at = at;
        at = skip_space(text, key_end);
        if text.get(at) == Some(&b':') {
            at = skip_space(text, at + 1);
        }
        let end = skip_value(text, at);
        found.push(Entry { offset: offset + key_at, key, text: &text[at..end] });
        at = skip_space(text, end);
        if text.get(at) == Some(&b',') {
            at = skip_space(text, at + 1);
        }
    }
    found
}

/// True if a decoded value, written canonically, has the texts of `text`: members in any order,
/// scalars byte for byte.
pub(crate) fn matches(value: &Value, text: &[u8]) -> bool {
    let mut pending: Vec<(&Value, &[u8])> = vec![(value, text)];
    while let Some((value, text)) = pending.pop() {
        match value {
            Value::List(items_of) => {
                let items = items(text, 0);
                if !is_open(text, b'[') || items.len() != items_of.len() {
                    return false;
                }
                pending.extend(items_of.iter().zip(items.into_iter().map(|it| it.1)));
            }
            Value::Map(map) => {
                // The last of duplicate keys wins.
                let mut wanted = std::collections::BTreeMap::new();
                for entry in entries(text, 0) {
                    wanted.insert(entry.key, entry.text);
                }
                if !is_open(text, b'{') || wanted.len() != map.len() {
                    return false;
                }
                for (key, value) in map {
                    let Some(text) = wanted.get(key.as_str()) else { return false };
                    pending.push((value, text));
                }
            }
            scalar => {
                if json::encode(scalar) != text.trim_ascii() {
                    return false;
                }
            }
        }
    }
    true
}

fn is_open(text: &[u8], bracket: u8) -> bool {
    text.get(skip_space(text, 0)) == Some(&bracket)
}

fn skip_space(text: &[u8], mut at: usize) -> usize {
    while text.get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    at
}

/// The end of the value that starts at `at`.
fn skip_value(text: &[u8], mut at: usize) -> usize {
    let mut depth = 0_usize;
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => {
                at = skip_string(text, at);
                if depth == 0 {
                    return at;
                }
                continue;
            }
            b'[' | b'{' => depth += 1,
            b']' | b'}' => {
                if depth <= 1 {
                    // A closing bracket at depth 0 ends the container around this value.
                    return at + depth;
                }
                depth -= 1;
            }
            b',' | b':' if depth == 0 => return at,
            it if depth == 0 && it.is_ascii_whitespace() => return at,
            _ => {}
        }
        at += 1;
    }
    text.len()
}

fn skip_string(text: &[u8], mut at: usize) -> usize {
    at += 1;
    while let Some(byte) = text.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}
