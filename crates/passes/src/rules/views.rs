//! Schema nodes as the evaluator sees them: how parts of an object are presented, and texts with a format as what
//! they stand for.

use ordain_cel::syntax::is_reserved;
use ordain_cel::value::{Bytes, Field, ListKind, Val, View, ViewId, Views};
use ordain_go::time::{Timestamp, parse_duration};
use ordain_schema::{self as schema, Additional, ListType, Node, NodeId, Schema};
use ordain_value::Text;

use super::escape::escape;
use super::types::{declares_meta, is_resource};

const NO_TYPE: &str = "invalid type, expected object, array, number, integer, boolean or string, or no type with \
                       x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got ";
const NO_ITEMS: &str = "invalid array type, expected Items with a non-empty Schema";

/// The views of all nodes of a schema; a node's view has its id.
pub(crate) fn views(schema: &Schema) -> Views {
    let mut views = Views::new();
    for _ in schema.nodes() {
        views.reserve();
    }
    let text = views.push(View::Str, false);
    let names = ["generateName", "name"];
    let names =
        names.map(|name| Field { name: name.into(), key: name.into(), view: text, pointer: false });
    let metadata = views.push(View::Object(names.into()), false);
    for (id, node) in schema.iter() {
        let with_meta = is_resource(schema, id) && !declares_meta(schema, node);
        let meta = with_meta.then_some((text, metadata));
        views.set(ViewId(id.0), view(node, is_resource(schema, id), meta), node.nullable);
    }
    views
}

fn view(node: &Node, is_resource: bool, meta: Option<(ViewId, ViewId)>) -> View {
    match node.ty {
        schema::Type::IntOrString => View::IntOrString,
        schema::Type::Any if node.preserve_unknown => View::Preserved,
        schema::Type::Any => View::Invalid(NO_TYPE.into()),
        schema::Type::Boolean => View::Bool,
        schema::Type::Number => View::Double,
        schema::Type::Integer => View::Int,
        schema::Type::String => {
            match node.validation.as_ref().map_or("", |it| it.format.as_str()) {
                "duration" => View::Text(duration),
                "date" => View::Text(date),
                "date-time" => View::Text(date_time),
                "byte" => View::Text(bytes),
                _ => View::Str,
            }
        }
        schema::Type::Array => match node.items {
            None => View::Invalid(NO_ITEMS.into()),
            Some(items) => View::List { items: ViewId(items.0), kind: list_kind(node) },
        },
        schema::Type::Object => match node.additional {
            _ if is_resource || !node.properties.is_empty() => View::Object(fields(node, meta)),
            Additional::Node(values) => View::Map(ViewId(values.0)),
            _ => View::Bare,
        },
    }
}

fn list_kind(node: &Node) -> ListKind {
    match node.list_type {
        Some(ListType::Map) => {
            let name = |key: &Text| escape(key).map_or_else(|| key.clone(), Text::from);
            ListKind::Map(node.list_map_keys.iter().map(name).collect())
        }
        Some(ListType::Set) => ListKind::Set,
        Some(ListType::Atomic) | None => ListKind::Atomic,
    }
}

fn fields(node: &Node, meta: Option<(ViewId, ViewId)>) -> Vec<Field> {
    let mut fields = Vec::with_capacity(node.properties.len());
    for (key, id) in &node.properties {
        if meta.is_some() && matches!(key.as_str(), "kind" | "apiVersion" | "metadata") {
            continue;
        }
        push(&mut fields, key, ViewId(node_id(*id)));
    }
    if let Some((text, metadata)) = meta {
        push(&mut fields, &"kind".into(), text);
        push(&mut fields, &"apiVersion".into(), text);
        push(&mut fields, &"metadata".into(), metadata);
    }
    fields
}

fn node_id(id: NodeId) -> u32 {
    id.0
}

fn push(fields: &mut Vec<Field>, key: &Text, view: ViewId) {
    // What cannot be named can still be compared, under its key.
    let name = escape(key).map_or_else(|| key.clone(), Text::from);
    // A reserved word may also be written as it is where a field is meant.
    if is_reserved(key) {
        fields.push(Field { name: key.clone(), key: key.clone(), view, pointer: false });
    }
    fields.push(Field { name, key: key.clone(), view, pointer: false });
}

fn duration(text: &str) -> Result<Val<'static>, String> {
    parse_duration(text)
        .or_else(|| worded_duration(text))
        .map(Val::Duration)
        .ok_or_else(|| format!("Invalid duration {text}: unable to parse {text} as duration"))
}

/// Units by their names; the last of each row may go on with any letters.
const UNITS: [(&[&str], i64); 8] = [
    (&["ns", "nano"], 1),
    (&["us", "µs", "micro"], 1_000),
    (&["ms", "milli"], 1_000_000),
    (&["s", "sec"], 1_000_000_000),
    (&["m", "min"], 60_000_000_000),
    (&["h", "hr", "hour"], 3_600_000_000_000),
    (&["d", "day"], 86_400_000_000_000),
    (&["w", "wk", "week"], 604_800_000_000_000),
];

/// Numbers with a unit anywhere in the text, added up.
fn worded_duration(text: &str) -> Option<i64> {
    let mut sum = 0_i64;
    let mut found = false;
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let number = &rest[start..];
        let end = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
        let (digits, after) = number.split_at(end);
        let gap = after.trim_start_matches([' ', '\t', '\n', '\r', '\u{c}']);
        let letters = gap.find(|c: char| !(c.is_ascii_alphabetic() || c == 'µ'));
        let (unit, tail) = gap.split_at(letters.unwrap_or(gap.len()));
        if unit.is_empty() {
            rest = after;
            continue;
        }
        rest = tail;
        let factor: i64 = digits.parse().ok()?;
        let unit = unit.to_lowercase();
        for (names, nanos) in UNITS {
            let (last, others) = names.split_last()?;
            let hits = others.iter().filter(|name| **name == unit).count()
                + usize::from(unit.starts_with(last));
            for _ in 0..hits {
                found = true;
                sum = sum.wrapping_add(factor.wrapping_mul(nanos));
            }
        }
    }
    found.then_some(sum)
}

fn date(text: &str) -> Result<Val<'static>, String> {
    let parsed = || {
        let bytes = text.as_bytes();
        let shaped = bytes.len() == 10 && bytes[4] == b'-' && bytes[7] == b'-';
        let number = |from: usize, to: usize| text.get(from..to)?.parse::<u32>().ok();
        if !shaped {
            return None;
        }
        let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
        Timestamp::from_date(year.into(), month.into(), day.into())
    };
    parsed().map(Val::Timestamp).ok_or_else(|| {
        format!(
            "Invalid date formatted string {text}: parsing time \"{text}\" as \"2006-01-02\": cannot parse \
             \"{text}\" as \"2006\""
        )
    })
}

fn date_time(text: &str) -> Result<Val<'static>, String> {
    if text.is_empty() {
        return Ok(Val::Timestamp(Timestamp::from_unix(0, 0)));
    }
    // A time without a zone is taken for UTC.
    let parsed = Timestamp::parse(text).or_else(|| Timestamp::parse(&format!("{text}Z")));
    parsed.map(Val::Timestamp).ok_or_else(|| {
        let why = match text.find('t') {
            Some(at) => format!(
                "parsing time \"{text}\" as \"2006-01-02T15:04:05\": cannot parse \"{}\" as \"T\"",
                &text[at..]
            ),
            None => {
                let zone = text.rfind('z').map_or("", |at| &text[at..]);
                format!("parsing time \"{text}\": extra text: \"{zone}\"")
            }
        };
        format!("Invalid date-time formatted string {text}: {why}")
    })
}

fn bytes(text: &str) -> Result<Val<'static>, String> {
    match url_base64(text) {
        Ok(bytes) => Ok(Val::Bytes(Bytes::Owned(bytes.into()))),
        Err(at) => Err(format!(
            "Invalid byte formatted string {text}: illegal base64 data at input byte {at}"
        )),
    }
}

/// Decodes the URL-safe alphabet with padding, line breaks ignored; the error is the place of the first stranger.
fn url_base64(text: &str) -> Result<Vec<u8>, usize> {
    let digit = |byte: u8| {
        Some(match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'-' => 62,
            b'_' => 63,
            _ => return None,
        })
    };
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let mut quantum: Vec<u8> = Vec::with_capacity(4);
    let mut symbols = text.bytes().enumerate().filter(|(_, byte)| !matches!(byte, b'\r' | b'\n'));
    while let Some((at, byte)) = symbols.next() {
        if let Some(digit) = digit(byte) {
            quantum.push(digit);
            if let [a, b, c, d] = quantum[..] {
                out.extend([a << 2 | b >> 4, b << 4 | c >> 2, c << 6 | d]);
                quantum.clear();
            }
            continue;
        }
        // Padding ends the text: one sign after three digits, two after two.
        let padded = byte == b'=' && quantum.len() >= 2;
        if !padded {
            return Err(at);
        }
        if quantum.len() == 2 {
            match symbols.next() {
                Some((_, b'=')) => {}
                Some((at, _)) => return Err(at),
                None => return Err(text.len()),
            }
        }
        if let Some((at, _)) = symbols.next() {
            return Err(at);
        }
        out.push(quantum[0] << 2 | quantum[1] >> 4);
        if let Some(c) = quantum.get(2) {
            out.push(quantum[1] << 4 | c >> 2);
        }
        return Ok(out);
    }
    if quantum.is_empty() { Ok(out) } else { Err(text.len() - quantum.len()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_may_be_words() {
        let hour = 3_600_000_000_000;
        assert_eq!(worded_duration("1 day"), Some(24 * hour));
        assert_eq!(worded_duration("3 days"), Some(72 * hour));
        assert_eq!(worded_duration("1w"), Some(7 * 24 * hour));
        assert_eq!(worded_duration("1 hour 30 min"), Some(hour + hour / 2));
        assert_eq!(worded_duration("never"), None);
    }

    #[test]
    fn bytes_are_url_safe() {
        assert_eq!(url_base64("aGk="), Ok(b"hi".to_vec()));
        assert_eq!(url_base64("aGkh"), Ok(b"hi!".to_vec()));
        assert_eq!(url_base64("_-8="), Ok(vec![0xff, 0xef]));
        assert_eq!(url_base64("a+8="), Err(1));
        assert_eq!(url_base64(""), Ok(Vec::new()));
    }
}
