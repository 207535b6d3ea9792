//! Values to JSON bytes, as Go's `encoding/json` writes maps.

use smallvec::SmallVec;

use crate::indent::is_hollow;
use crate::number::write_float_json;
use crate::{Text, Value};

/// The JSON bytes of a value.
pub fn encode(value: &Value) -> Vec<u8> {
    let mut out = Vec::with_capacity(256);
    encode_to(value, &mut out);
    out
}

/// The JSON text of a value.
pub fn encode_string(value: &Value) -> String {
    // The encoder writes UTF-8 only: strings are UTF-8 and all else is ASCII.
    String::from_utf8(encode(value)).unwrap_or_default()
}

/// JSON as Go's encoder writes it unless told otherwise: what could end a script in a page is escaped.
#[must_use]
pub fn escape_html(json: &str) -> String {
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

/// Whether the JSON bytes of a value are at most so many, told without writing them. Shared parts
/// count as often as they would be written; escapes do not count, so that the answer is cheap.
pub fn fits(value: &Value, bytes_max: usize) -> bool {
    let mut left = bytes_max;
    // Most values are scalars, which are counted where they stand; only containers wait.
    let mut pending: SmallVec<[&Value; 32]> = SmallVec::new();
    let count = |value: &'_ Value| match value {
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) => Some(4),
        Value::Str(text) => Some(text.len() + 2),
        Value::List(_) | Value::Map(_) => None,
    };
    if let Some(bytes) = count(value) {
        return bytes <= bytes_max;
    }
    pending.push(value);
    while let Some(value) = pending.pop() {
        let mut bytes = 2;
        let mut child = |value| match count(value) {
            Some(bytes) => bytes,
            None => {
                pending.push(value);
                0
            }
        };
        match value {
            Value::List(list) => list.iter().for_each(|it| bytes += child(it) + 1),
            Value::Map(map) => map.iter().for_each(|(key, it)| bytes += child(it) + key.len() + 4),
            _ => {}
        }
        match left.checked_sub(bytes) {
            Some(rest) => left = rest,
            None => return false,
        }
    }
    true
}

/// What is open while encoding: depth lives here, not on the call stack.
enum Open<'a> {
    List(std::slice::Iter<'a, Value>),
    Map(std::slice::Iter<'a, (Text, Value)>),
}

/// Appends the JSON bytes of a value.
pub fn encode_to(value: &Value, out: &mut Vec<u8>) {
    let mut open: SmallVec<[Open<'_>; 16]> = SmallVec::new();
    let mut container = (!write_scalar(value, out)).then_some(value);
    loop {
        match container {
            Some(Value::List(list)) => {
                out.push(b'[');
                open.push(Open::List(list.iter()));
            }
            Some(Value::Map(map)) => {
                out.push(b'{');
                open.push(Open::Map(map.entries().iter()));
            }
            _ => {}
        }
        container = match open.last_mut() {
            Some(Open::List(items)) => write_items(items, out),
            Some(Open::Map(entries)) => write_entries(entries, out),
            None => return,
        };
        if container.is_none() {
            out.push(if matches!(open.pop(), Some(Open::List(_))) { b']' } else { b'}' });
        }
    }
}

/// Writes the items up to one that is a container, which is given back.
fn write_items<'a>(
    items: &mut std::slice::Iter<'a, Value>,
    out: &mut Vec<u8>,
) -> Option<&'a Value> {
    items.find(|value| {
        if out.last() != Some(&b'[') {
            out.push(b',');
        }
        !write_scalar(value, out)
    })
}

/// Writes the entries up to one whose value is a container, which is given back.
fn write_entries<'a>(
    entries: &mut std::slice::Iter<'a, (Text, Value)>,
    out: &mut Vec<u8>,
) -> Option<&'a Value> {
    let (_, container) = entries.find(|(key, value)| {
        if out.last() != Some(&b'{') {
            out.push(b',');
        }
        encode_string_to(key, out);
        out.push(b':');
        !write_scalar(value, out)
    })?;
    Some(container)
}

/// Writes a scalar; false if the value is a container.
fn write_scalar(value: &Value, out: &mut Vec<u8>) -> bool {
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Bool(true) => out.extend_from_slice(b"true"),
        Value::Bool(false) => out.extend_from_slice(b"false"),
        Value::Int(int) => write_int(*int, out),
        Value::Float(float) => write_float_json(*float, out),
        Value::Str(text) => encode_string_to(text, out),
        Value::List(_) | Value::Map(_) => return false,
    }
    true
}

fn write_int(int: i64, out: &mut Vec<u8>) {
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    let mut rest = int.unsigned_abs();
    loop {
        at -= 1;
        digits[at] = b'0' + u8::try_from(rest % 10).unwrap_or(0);
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if int < 0 {
        out.push(b'-');
    }
    out.extend_from_slice(&digits[at..]);
}

/// Appends a quoted JSON string with Go's escapes.
pub fn encode_string_to(text: &str, out: &mut Vec<u8>) {
    let bytes = text.as_bytes();
    out.reserve(bytes.len() + 2);
    out.push(b'"');
    // Nearly all strings stand for themselves.
    if is_plain(bytes) {
        out.extend_from_slice(bytes);
    } else {
        escape_to(bytes, out);
    }
    out.push(b'"');
}

/// Appends the bytes of a string with Go's escapes.
#[cold]
fn escape_to(bytes: &[u8], out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let mut clean_from = 0;
    let mut at = 0;
    loop {
        at += plain_len(&bytes[at..]);
        let Some(&byte) = bytes.get(at) else { break };
        // U+2028 and U+2029 are E2 80 A8 and E2 80 A9.
        if byte == 0xe2 && !matches!(bytes.get(at + 1..at + 3), Some([0x80, 0xa8 | 0xa9])) {
            at += 3;
            continue;
        }
        out.extend_from_slice(&bytes[clean_from..at]);
        match byte {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0x08 => out.extend_from_slice(b"\\b"),
            0x0c => out.extend_from_slice(b"\\f"),
            0xe2 => {
                out.extend_from_slice(b"\\u202");
                out.push(HEX[(bytes[at + 2] & 0xf) as usize]);
                at += 2;
            }
            _ => {
                out.extend_from_slice(b"\\u00");
                out.push(HEX[(byte >> 4) as usize]);
                out.push(HEX[(byte & 0xf) as usize]);
            }
        }
        at += 1;
        clean_from = at;
    }
    out.extend_from_slice(&bytes[clean_from..]);
}

/// Whether all bytes of a string stand for themselves. Eight are looked at at once; the last eight
/// may have been looked at before, and so may the last bytes of a short string.
fn is_plain(bytes: &[u8]) -> bool {
    if let Some(last) = bytes.last_chunk::<8>() {
        let chunks = bytes.chunks_exact(8);
        return chunks.fold(0, |special, eight| special | specials(word(eight)))
            | specials(u64::from_le_bytes(*last))
            == 0;
    }
    match (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        (Some([a, b, c, d]), Some([e, f, g, h])) => {
            specials(u64::from_le_bytes([*a, *b, *c, *d, *e, *f, *g, *h])) == 0
        }
        _ => bytes.iter().all(|byte| PLAIN[usize::from(*byte)]),
    }
}

/// How many bytes at the beginning stand for themselves in a string.
fn plain_len(bytes: &[u8]) -> usize {
    let chunks = bytes.chunks_exact(8);
    let at = 8 * chunks.take_while(|eight| specials(word(eight)) == 0).count();
    at + bytes[at..].iter().take_while(|byte| PLAIN[usize::from(**byte)]).count()
}

fn word(eight: &[u8]) -> u64 {
    eight.try_into().map_or(0, u64::from_le_bytes)
}

/// Not zero if one of eight bytes is none of [`PLAIN`].
fn specials(eight: u64) -> u64 {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const HIGHS: u64 = ONES << 7;
    // The high bit of some byte is set if a byte is less than a bound of at most 128.
    let less = |bytes: u64, bound: u8| bytes.wrapping_sub(ONES * u64::from(bound)) & !bytes;
    let is = |bytes: u64, byte: u8| less(bytes ^ (ONES * u64::from(byte)), 1);
    // `<` and `>` differ in one bit, and so do `"` and `&`.
    let angles = is(eight | (ONES * 0x02), b'>');
    let quotes = is(eight | (ONES * 0x04), b'&');
    let others = is(eight, b'\\') | is(eight, 0xe2);
    (less(eight, 0x20) | angles | quotes | others) & HIGHS
}

/// Bytes that stand for themselves in a string.
const PLAIN: [bool; 256] = {
    let mut table = [true; 256];
    let mut byte = 0;
    while byte < 0x20 {
        table[byte] = false;
        byte += 1;
    }
    table[b'"' as usize] = false;
    table[b'\\' as usize] = false;
    table[b'<' as usize] = false;
    table[b'>' as usize] = false;
    table[b'&' as usize] = false;
    table[0xe2] = false;
    table
};

/// JSON with line breaks and two spaces of indent, for people.
///
/// A value whose indents would be much larger than all else, because it is both deep and wide, is
/// written without any.
pub fn encode_pretty(value: &Value) -> String {
    let compact = encode_string(value);
    let mut out = String::with_capacity(compact.len() * 2);
    let (mut depth, mut spaces) = (0usize, 0usize);
    let mut in_string = false;
    let mut escaped = false;
    let mut chars = compact.chars().peekable();
    while let Some(c) = chars.next() {
        if in_string {
            out.push(c);
            in_string = escaped || c != '"';
            escaped = c == '\\' && !escaped;
            continue;
        }
        if is_hollow(spaces, out.len() - spaces) {
            return compact;
        }
        match c {
            '"' => {
                in_string = true;
                out.push(c);
            }
            '{' | '[' => {
                out.push(c);
                if let Some(close) = chars.next_if(|it| matches!(it, '}' | ']')) {
                    out.push(close);
                } else {
                    depth += 1;
                    spaces += new_line(&mut out, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                spaces += new_line(&mut out, depth);
                out.push(c);
            }
            ',' => {
                out.push(c);
                spaces += new_line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            c => out.push(c),
        }
    }
    out
}

/// Begins a line; gives the spaces that it begins with.
fn new_line(out: &mut String, depth: usize) -> usize {
    out.push('\n');
    for _ in 0..depth {
        out.push_str("  ");
    }
    2 * depth
}
