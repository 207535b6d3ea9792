//! JSON bytes to values: one pass, depth on the heap, Go's error texts.

use std::borrow::Cow;
use std::fmt;

use super::merge::merged;
use super::position::{Position, position_of};
use crate::{DEPTH_MAX, List, Map, Text, Value, go_quote};

mod scalars;

/// Why a document is not JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Go's words: `invalid character 'x' looking for beginning of value`.
    pub message: String,
    /// Byte offset in the document.
    pub offset: usize,
    /// The same as line and column.
    pub position: Position,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// How much a document may hold.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Nesting.
    pub depth_max: usize,
    /// Length in bytes.
    pub bytes_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { depth_max: DEPTH_MAX, bytes_max: usize::MAX }
    }
}

/// A key that stands several times in one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Duplicate {
    /// Where, e.g. `spec.ports[0].name`.
    pub path: String,
    /// Byte offset of the second one.
    pub offset: usize,
}

/// How many duplicate keys are reported, as upstream's decoder does, and how long their paths may be
/// together: each of them may have most of the document before it.
const DUPLICATES_MAX: usize = 100;
const DUPLICATE_BYTES_MAX: usize = 1024 * 1024;

/// Decodes one document with the usual limits.
pub fn decode(bytes: &[u8]) -> Result<Value, Error> {
    decode_with(bytes, Limits::default())
}

/// Decodes one document within `limits`.
pub fn decode_with(bytes: &[u8], limits: Limits) -> Result<Value, Error> {
    Decoder::new(bytes, limits)?.run().map_err(|it| *it)
}

/// Decodes one document and lists its duplicate keys, the first hundred, in document order. The last one wins.
pub fn decode_reporting(bytes: &[u8], limits: Limits) -> Result<(Value, Vec<Duplicate>), Error> {
    decode_all(bytes, limits, false)
}

/// Like [`decode_reporting`], but of objects under the same key all are kept, merged in document order: so Go
/// fills its structs and maps.
pub fn decode_merging(bytes: &[u8], limits: Limits) -> Result<(Value, Vec<Duplicate>), Error> {
    decode_all(bytes, limits, true)
}

fn decode_all(bytes: &[u8], limits: Limits, merge: bool) -> Result<(Value, Vec<Duplicate>), Error> {
    let mut decoder = Decoder::new(bytes, limits)?;
    decoder.duplicates = Some(Vec::new());
    decoder.merge = merge;
    let value = decoder.run().map_err(|it| *it)?;
    let mut duplicates = decoder.duplicates.take().unwrap_or_default();
    duplicates.sort_by_key(|it| it.offset);
    Ok((value, duplicates))
}

/// An open container; its finished children wait on the decoder's stacks.
struct Frame {
    is_map: bool,
    start: usize,
}

struct Decoder<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    limits: Limits,
    frames: Vec<Frame>,
    items: Vec<Value>,
    entries: Vec<(Text, Value)>,
    /// Byte offsets of the keys in `entries`, kept only when duplicates are reported.
    key_offsets: Vec<usize>,
    duplicates: Option<Vec<Duplicate>>,
    /// Objects under the same key are merged.
    merge: bool,
}

/// A scalar before it becomes a value: strings stay slices until they are stored, because moving
/// finished 24-byte values through results costs more than making them in place.
enum Scalar<'a> {
    Str(Cow<'a, str>),
    Value(Value),
}

impl Scalar<'_> {
    #[inline]
    fn into_value(self) -> Value {
        match self {
            Scalar::Str(text) => Value::Str(Text::new(text)),
            Scalar::Value(value) => value,
        }
    }
}

/// Failures are boxed inside the decoder: small results keep the hot path in registers.
type Step<T> = Result<T, Box<Error>>;

impl<'a> Decoder<'a> {
    fn new(bytes: &'a [u8], limits: Limits) -> Result<Self, Error> {
        let fail = |message: String, offset| Error {
            message,
            offset,
            position: position_of(bytes, offset),
        };
        if bytes.len() > limits.bytes_max {
            let message = format!("document is larger than {} bytes", limits.bytes_max);
            return Err(fail(message, limits.bytes_max));
        }
        let text = std::str::from_utf8(bytes)
            .map_err(|it| fail("invalid UTF-8 in JSON document".into(), it.valid_up_to()))?;
        Ok(Decoder {
            text,
            bytes,
            at: 0,
            limits,
            frames: Vec::new(),
            items: Vec::new(),
            entries: Vec::new(),
            key_offsets: Vec::new(),
            duplicates: None,
            merge: false,
        })
    }

    /// Reads a value, then hands finished containers upwards until the next child is due.
    fn run(&mut self) -> Step<Value> {
        self.skip_space();
        let mut done = match self.scalar()? {
            Some(scalar) => Some(scalar.into_value()),
            None => self.container()?,
        };
        loop {
            let Some(frame) = self.frames.last() else {
                let Some(value) = done else { return Err(self.end()) };
                self.skip_space();
                if self.at < self.bytes.len() {
                    return Err(self.invalid("after top-level value"));
                }
                return Ok(value);
            };
            done = match (frame.is_map, done) {
                (true, Some(value)) => self.after_entry(value)?,
                (true, None) => self.entries()?,
                (false, Some(value)) => self.after_item(value)?,
                (false, None) => self.items()?,
            };
        }
    }

    /// Reads a scalar; None at an opening bracket.
    #[inline]
    fn scalar(&mut self) -> Step<Option<Scalar<'a>>> {
        let Some(byte) = self.bytes.get(self.at) else { return Err(self.end()) };
        Ok(Some(match byte {
            b'"' => Scalar::Str(self.string()?),
            b'{' | b'[' => return Ok(None),
            b't' => Scalar::Value(self.literal("true", Value::Bool(true))?),
            b'f' => Scalar::Value(self.literal("false", Value::Bool(false))?),
            b'n' => Scalar::Value(self.literal("null", Value::Null)?),
            b'-' | b'0'..=b'9' => Scalar::Value(self.number()?),
            _ => return Err(self.invalid("looking for beginning of value")),
        }))
    }

    /// Opens the container here; gives it back at once if it is empty.
    fn container(&mut self) -> Step<Option<Value>> {
        let is_map = self.bytes.get(self.at) == Some(&b'{');
        self.open(is_map)?;
        self.skip_space();
        Ok(match self.bytes.get(self.at) {
            Some(b'}') if is_map => Some(self.close_map()),
            Some(b']') if !is_map => Some(self.close_list()),
            _ => None,
        })
    }

    /// Reads entries from a key on, until the map closes or a child container opens.
    fn entries(&mut self) -> Step<Option<Value>> {
        loop {
            let key = self.key()?;
            let Some(scalar) = self.scalar()? else {
                self.entries.push((Text::new(key), Value::Null));
                return self.container();
            };
            self.entries.push((Text::new(key), scalar.into_value()));
            if !self.next_entry()? {
                return Ok(Some(self.close_map()));
            }
        }
    }

    /// Reads items until the list closes or a child container opens.
    fn items(&mut self) -> Step<Option<Value>> {
        loop {
            let Some(scalar) = self.scalar()? else { return self.container() };
            self.items.push(scalar.into_value());
            if !self.next_item()? {
                return Ok(Some(self.close_list()));
            }
        }
    }

    fn open(&mut self, is_map: bool) -> Step<()> {
        if self.frames.len() >= self.limits.depth_max {
            return Err(self.invalid("exceeded max depth"));
        }
        let start = if is_map { self.entries.len() } else { self.items.len() };
        self.frames.push(Frame { is_map, start });
        self.at += 1;
        Ok(())
    }

    /// Reads `"key" :` and the space behind it.
    #[inline]
    fn key(&mut self) -> Step<Cow<'a, str>> {
        let offset = self.at;
        match self.bytes.get(self.at) {
            Some(b'"') => {}
            Some(_) => return Err(self.invalid("looking for beginning of object key string")),
            None => return Err(self.end()),
        }
        let key = self.string()?;
        self.skip_space();
        match self.bytes.get(self.at) {
            Some(b':') => self.at += 1,
            Some(_) => return Err(self.invalid("after object key")),
            None => return Err(self.end()),
        }
        self.skip_space();
        if self.duplicates.is_some() {
            self.key_offsets.push(offset);
        }
        Ok(key)
    }

    /// Stores a finished container under its key; gives the map back when it closes.
    fn after_entry(&mut self, value: Value) -> Step<Option<Value>> {
        if let Some(last) = self.entries.last_mut() {
            last.1 = value;
        }
        Ok(if self.next_entry()? { None } else { Some(self.close_map()) })
    }

    /// Stores a finished container; gives the list back when it closes.
    fn after_item(&mut self, value: Value) -> Step<Option<Value>> {
        self.items.push(value);
        Ok(if self.next_item()? { None } else { Some(self.close_list()) })
    }

    /// After an entry: true at the next key, false at the closing brace.
    #[inline]
    fn next_entry(&mut self) -> Step<bool> {
        self.skip_space();
        match self.bytes.get(self.at) {
            Some(b',') => {
                self.at += 1;
                self.skip_space();
                Ok(true)
            }
            Some(b'}') => Ok(false),
            Some(_) => Err(self.invalid("after object key:value pair")),
            None => Err(self.end()),
        }
    }

    /// After an item: true at the next item, false at the closing bracket.
    #[inline]
    fn next_item(&mut self) -> Step<bool> {
        self.skip_space();
        match self.bytes.get(self.at) {
            Some(b',') => {
                self.at += 1;
                self.skip_space();
                Ok(true)
            }
            Some(b']') => Ok(false),
            Some(_) => Err(self.invalid("after array element")),
            None => Err(self.end()),
        }
    }

    fn close_list(&mut self) -> Value {
        self.at += 1;
        let start = self.frames.pop().map_or(0, |it| it.start);
        Value::List(List::from(self.items.split_off(start)))
    }

    fn close_map(&mut self) -> Value {
        self.at += 1;
        let start = self.frames.last().map_or(0, |it| it.start);
        let mut repeated = false;
        if self.duplicates.is_some() {
            repeated = self.report_duplicates(start);
            self.key_offsets.truncate(start);
        }
        self.frames.pop();
        let entries = self.entries.split_off(start);
        if repeated && self.merge {
            return Value::Map(merged(entries));
        }
        Value::Map(Map::from_entries(entries))
    }

    /// Returns whether there were any.
    fn report_duplicates(&mut self, start: usize) -> bool {
        let mut order: Vec<usize> = (start..self.entries.len()).collect();
        order.sort_by(|a, b| self.entries[*a].0.cmp(&self.entries[*b].0));
        let groups = order.chunk_by(|a, b| self.entries[*a].0 == self.entries[*b].0);
        let seconds: Vec<usize> = groups.filter_map(|group| group.get(1).copied()).collect();
        for second in &seconds {
            let known = self.duplicates.as_deref().unwrap_or_default();
            let bytes: usize = known.iter().map(|it| it.path.len()).sum();
            if known.len() >= DUPLICATES_MAX || bytes >= DUPLICATE_BYTES_MAX {
                break;
            }
            let path = self.path_to(&self.entries[*second].0);
            let duplicate = Duplicate { path, offset: self.key_offsets[*second] };
            self.duplicates.get_or_insert_default().push(duplicate);
        }
        !seconds.is_empty()
    }

    /// The path of `key` in the innermost open map.
    fn path_to(&self, key: &str) -> String {
        let mut path = String::new();
        for (at, frame) in self.frames.iter().enumerate() {
            let next = self.frames[at + 1..].iter().find(|it| it.is_map == frame.is_map);
            if !frame.is_map {
                let end = next.map_or(self.items.len(), |it| it.start);
                path.push_str(&format!("[{}]", end - frame.start));
                continue;
            }
            let name = if at + 1 == self.frames.len() {
                key
            } else {
                let end = next.map_or(self.entries.len(), |it| it.start);
                end.checked_sub(1).map_or("", |it| self.entries[it].0.as_str())
            };
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(name);
        }
        path
    }

    #[inline]
    fn skip_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\t' | b'\r') = self.bytes.get(self.at) {
            self.at += 1;
        }
    }

    /// The error for the character here. Go shows the byte as if it were a character.
    #[cold]
    fn invalid(&self, context: &str) -> Box<Error> {
        let shown = match self.bytes.get(self.at).copied().unwrap_or(0) {
            b'\'' => "'\\''".to_owned(),
            b'"' => "'\"'".to_owned(),
            byte => {
                let quoted = go_quote(&(byte as char).to_string());
                format!("'{}'", &quoted[1..quoted.len() - 1])
            }
        };
        self.fail(format!("invalid character {shown} {context}"))
    }

    #[cold]
    fn end(&self) -> Box<Error> {
        let offset = self.bytes.len();
        let message = "unexpected end of JSON input".into();
        Box::new(Error { message, offset, position: position_of(self.bytes, offset) })
    }

    #[cold]
    fn fail(&self, message: String) -> Box<Error> {
        Box::new(Error { message, offset: self.at, position: position_of(self.bytes, self.at) })
    }
}
