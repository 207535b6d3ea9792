//! Parser events to values, with anchors, merges, duplicate keys and positions.

use std::collections::HashMap;
use std::fmt;

use super::input::{At, Fault, Input, text_of};
use super::marks::{Mark, Marks, Span, Step};
use super::parse::{Event, Parser};
use super::resolve::{Resolved, plain, tagged};
use super::weight::Weight;
use crate::{DEPTH_MAX, List, Map, Text, Value, go_quote, number};

mod binary;
mod entries;

use binary::decode_base64;
use entries::{Entries, merge};

/// Why a document is not YAML that JSON can say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The whole message: `yaml: line 3: mapping values are not allowed in this context`.
    pub message: String,
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
    /// Byte offset.
    pub offset: usize,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// What to keep beside the value.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Keep source positions.
    pub marks: bool,
}

/// A key that stands twice in one mapping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Duplicate {
    /// The key as messages show it: strings quoted.
    pub key: String,
    /// Line of the later key, from 1.
    pub line: usize,
    /// Column of the later key, from 1.
    pub column: usize,
    /// Byte offset of the later key.
    pub offset: usize,
}

impl fmt::Display for Duplicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: key {} already set in map", self.line, self.key)
    }
}

/// One document of a stream.
#[derive(Clone, Debug)]
pub struct Document {
    /// What it says; null for an empty document. Err if it cannot be read.
    pub value: Result<Value, Error>,
    /// Keys that stand twice, in document order.
    pub duplicates: Vec<Duplicate>,
    /// Positions, empty unless asked for.
    pub marks: Marks,
    /// Where its content starts.
    pub start: Span,
    /// True if it has content or an explicit `---`.
    pub explicit: bool,
}

/// The first document of a stream; null if there is none. This is what the API server reads.
pub fn decode_first(text: &[u8], options: Options) -> Result<Document, Error> {
    let (text, bad) = text_of(text);
    if let Some(documents) = usual(&text, bad, options)
        && let Some(first) = documents.into_iter().next()
    {
        return Ok(first);
    }
    let mut reader = Reader::new(&text, bad, options);
    match reader.next_document() {
        Some(document) => {
            if let Err(error) = &document.value {
                return Err(error.clone());
            }
            Ok(document)
        }
        None => Ok(Document {
            value: Ok(Value::Null),
            duplicates: Vec::new(),
            marks: Marks::default(),
            start: Span { bytes: 0..0, line: 1, column: 1 },
            explicit: false,
        }),
    }
}

/// All documents of a stream; a broken one is reported in its place and the next is read on.
pub fn decode_documents(text: &[u8], options: Options) -> Result<Vec<Document>, Error> {
    let (text, bad) = text_of(text);
    if let Some(documents) = usual(&text, bad, options) {
        return Ok(documents);
    }
    Ok(all_documents(&text, bad, options))
}

/// The objects of a stream alone, when each of its documents is one and nothing else is to be said of the stream; else
/// nothing, and [`decode_documents`] says what there is.
pub fn decode_objects(text: &[u8]) -> Option<Vec<Value>> {
    let (decoded, bad) = text_of(text);
    if bad.is_none()
        && let Some(objects) = super::quick::objects(&decoded)
    {
        return Some(objects);
    }
    let documents = decode_documents(text, Options::default()).ok()?;
    let object = |it: Document| match it.value {
        Ok(value @ Value::Map(_)) if it.duplicates.is_empty() => Some(value),
        _ => None,
    };
    documents.into_iter().filter(|it| !matches!(it.value, Ok(Value::Null))).map(object).collect()
}

/// The fast path for texts that have the usual form.
fn usual(text: &str, bad: Option<&'static str>, options: Options) -> Option<Vec<Document>> {
    if bad.is_some() { None } else { super::quick::documents(text, options.marks) }
}

pub(super) fn all_documents(
    text: &str,
    bad: Option<&'static str>,
    options: Options,
) -> Vec<Document> {
    let mut reader = Reader::new(text, bad, options);
    let mut documents = Vec::new();
    while let Some(document) = reader.next_document() {
        // So many empty ones say nothing that the first did not.
        let empty = matches!(document.value, Ok(Value::Null)) && document.duplicates.is_empty();
        if !empty || documents.len() < EMPTY_DOCUMENTS_MAX {
            documents.push(document);
        }
    }
    documents
}

/// Why building stopped; turned into an [`Error`] with a position.
enum Stop {
    Parse(Fault),
    Semantic(String, Option<Span>),
}

struct Reader<'a> {
    text: &'a str,
    parser: Parser<'a>,
    options: Options,
}

/// An anchored node: its value, its mark, and how much it stands for.
#[derive(Clone)]
struct Anchored {
    value: Value,
    mark: usize,
    weight: Weight,
}

/// Documents up to which empty ones are kept.
const EMPTY_DOCUMENTS_MAX: usize = 1_000;

/// A container being filled.
enum Frame<'a> {
    List { items: Vec<Value>, mark: usize, anchor: Option<&'a str>, weight: Weight },
    Map { entries: Entries, key: Option<Key>, mark: usize, anchor: Option<&'a str>, weight: Weight },
}

enum Key {
    /// `quoted` if messages show it in quotes.
    Text {
        key: Text,
        quoted: bool,
        span: Span,
    },
    Merge,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, bad: Option<&'static str>, options: Options) -> Self {
        Reader { text, parser: Parser::new(Input::new(text, bad)), options }
    }

    fn next_document(&mut self) -> Option<Document> {
        loop {
            match self.parser.next() {
                Ok((Event::DocumentStart { explicit }, start, end)) => {
                    return Some(self.document(explicit, start, end));
                }
                Ok((Event::StreamEnd, ..)) => return None,
                Ok(_) => {}
                Err(fault) => {
                    self.parser.resume(fault.at);
                    return Some(Document {
                        start: self.span(fault.at, fault.at),
                        value: Err(self.error(Stop::Parse(fault))),
                        duplicates: Vec::new(),
                        marks: Marks::default(),
                        explicit: true,
                    });
                }
            }
        }
    }

    fn document(&mut self, explicit: bool, from: At, to: At) -> Document {
        let mut builder = Builder {
            reader: self,
            frames: Vec::new(),
            anchors: HashMap::new(),
            marks: Marks::default(),
            duplicates: Vec::new(),
            nodes: 0,
            aliased: Weight::default(),
            start: None,
            at: to,
        };
        let value = builder.run();
        let Builder { marks, duplicates, start, at, .. } = builder;
        let value = value.map_err(|stop| {
            self.parser.resume(if let Stop::Parse(fault) = &stop { fault.at } else { at });
            self.error(stop)
        });
        let has_content = start.is_some();
        let start = start.unwrap_or_else(|| self.span(from, to));
        Document { value, duplicates, marks, start, explicit: explicit || has_content }
    }

    fn span(&self, start: At, end: At) -> Span {
        let start_byte = start.byte.min(self.text.len());
        let end_byte = end.byte.clamp(start_byte, self.text.len());
        Span { bytes: start_byte..end_byte, line: start.line + 1, column: start.column + 1 }
    }

    fn error(&self, stop: Stop) -> Error {
        match stop {
            Stop::Parse(fault) => {
                let at = self.span(fault.at, fault.at);
                let line = fault.line.map_or_else(String::new, |line| format!("line {line}: "));
                let message = format!("yaml: {line}{}", fault.problem);
                Error { message, line: at.line, column: at.column, offset: at.bytes.start }
            }
            Stop::Semantic(message, at) => {
                let at = at.unwrap_or_default();
                let (line, column) = (at.line.max(1), at.column.max(1));
                Error { message, line, column, offset: at.bytes.start }
            }
        }
    }
}

struct Builder<'r, 'a> {
    reader: &'r mut Reader<'a>,
    frames: Vec<Frame<'a>>,
    /// By name; None while the anchored node is still open.
    anchors: HashMap<&'a str, Option<Anchored>>,
    marks: Marks,
    duplicates: Vec<Duplicate>,
    /// Nodes seen, those behind aliases counted each time: the guard against alias bombs.
    nodes: usize,
    aliased: Weight,
    start: Option<Span>,
    /// How far the events reach that were seen.
    at: At,
}

impl<'a> Builder<'_, 'a> {
    fn run(&mut self) -> Result<Value, Stop> {
        let mut root = Value::Null;
        loop {
            let (event, start, end) = self.reader.parser.next().map_err(Stop::Parse)?;
            let span = self.reader.span(start, end);
            self.at = end;
            let done = match event {
                Event::DocumentEnd | Event::StreamEnd => return Ok(root),
                Event::Scalar { text, plain, anchor, tag } => {
                    self.begin(&span, plain && text.is_empty())?;
                    let tag = tag.as_deref();
                    let value = self.scalar(&text, plain, tag, &span)?;
                    if self.expects_key() {
                        if let Some(name) = anchor {
                            let weight = Weight::scalar(&text);
                            let anchored = Anchored { value: value.clone(), mark: 0, weight };
                            self.anchors.insert(name, Some(anchored));
                        }
                        self.key(&value, &text, plain && tag.is_none(), span)?;
                        continue;
                    }
                    let mark = self.mark(span);
                    self.finish(value, mark, anchor, Weight::scalar(&text))?
                }
                Event::SequenceStart { anchor } => {
                    self.begin(&span, false)?;
                    self.open(anchor, &span)?;
                    let mark = self.mark(span);
                    self.frames.push(Frame::List {
                        items: Vec::new(),
                        mark,
                        anchor,
                        weight: Weight::scalar(""),
                    });
                    continue;
                }
                Event::MappingStart { anchor } => {
                    self.begin(&span, false)?;
                    self.open(anchor, &span)?;
                    let mark = self.mark(span);
                    let entries = Entries::default();
                    self.frames.push(Frame::Map {
                        entries,
                        key: None,
                        mark,
                        anchor,
                        weight: Weight::scalar(""),
                    });
                    continue;
                }
                Event::SequenceEnd | Event::MappingEnd => match self.close(span.bytes.end)? {
                    Some(done) => Some(done),
                    None => continue,
                },
                Event::Alias(name) => {
                    self.begin(&span, false)?;
                    self.alias(name, span)?
                }
                Event::DocumentStart { .. } => continue,
            };
            if let Some((value, mark)) = done {
                self.marks.set_root(mark);
                root = value;
            }
        }
    }

    fn begin(&mut self, span: &Span, empty: bool) -> Result<(), Stop> {
        if self.start.is_none() && !empty {
            self.start = Some(span.clone());
        }
        self.nodes += 1;
        if self.frames.len() >= DEPTH_MAX {
            let message = format!("yaml: exceeded max depth of {DEPTH_MAX}");
            return Err(Stop::Semantic(message, Some(span.clone())));
        }
        Ok(())
    }

    fn open(&mut self, anchor: Option<&'a str>, span: &Span) -> Result<(), Stop> {
        if self.expects_key() {
            return Err(bad_key("a mapping or a sequence", span));
        }
        if let Some(name) = anchor {
            self.anchors.insert(name, None);
        }
        Ok(())
    }

    fn mark(&mut self, value: Span) -> usize {
        if !self.reader.options.marks {
            return 0;
        }
        self.marks.add(Mark { value, ..Mark::default() })
    }

    fn expects_key(&self) -> bool {
        matches!(self.frames.last(), Some(Frame::Map { key: None, .. }))
    }

    fn scalar(
        &self,
        text: &str,
        is_plain: bool,
        tag: Option<&str>,
        span: &Span,
    ) -> Result<Value, Stop> {
        let resolved = match (tag, tag.and_then(|it| it.strip_prefix("tag:yaml.org,2002:"))) {
            (_, Some("binary")) => return self.binary(text, span),
            (_, Some(suffix)) => tagged(suffix, text, is_plain)
                .map_err(|it| Stop::Semantic(format!("yaml: {it}"), Some(span.clone())))?,
            (None, _) if is_plain => plain(text),
            // A local tag, `!`, or quotes: text as it is.
            _ => return Ok(Value::str(text)),
        };
        match resolved {
            Resolved::Value(value) => Ok(value),
            Resolved::Unsigned(digits) => {
                Ok(number::parse(&digits.to_string()).unwrap_or(Value::Null))
            }
            Resolved::NotFinite(shown) => {
                let message = format!("json: unsupported value: {shown}");
                Err(Stop::Semantic(message, Some(span.clone())))
            }
        }
    }

    fn binary(&self, text: &str, span: &Span) -> Result<Value, Stop> {
        let bytes = decode_base64(text).ok_or_else(|| {
            let message = "yaml: !!binary value contains invalid base64 data".to_owned();
            Stop::Semantic(message, Some(span.clone()))
        })?;
        Ok(Value::str(String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// Takes a scalar in key position.
    fn key(&mut self, value: &Value, text: &str, plain: bool, span: Span) -> Result<(), Stop> {
        let new = if plain && text == "<<" {
            Key::Merge
        } else {
            let key = match value {
                Value::Str(text) => text.clone(),
                Value::Int(int) => Text::from(int.to_string()),
                Value::Float(float) => Text::from(number::go_float(*float)),
                Value::Bool(it) => Text::from(it.to_string()),
                _ => return Err(bad_key("null", &span)),
            };
            Key::Text { key, quoted: matches!(value, Value::Str(_)), span }
        };
        if let Some(Frame::Map { key, .. }) = self.frames.last_mut() {
            *key = Some(new);
        }
        Ok(())
    }

    fn alias(&mut self, name: &str, span: Span) -> Result<Option<(Value, usize)>, Stop> {
        let found = match self.anchors.get(name) {
            Some(Some(found)) => found.clone(),
            Some(None) => {
                let message = format!("yaml: anchor '{name}' value contains itself");
                return Err(Stop::Semantic(message, Some(span)));
            }
            None => {
                let message = format!("yaml: unknown anchor '{name}' referenced");
                return Err(Stop::Semantic(message, Some(span)));
            }
        };
        let Anchored { value, mark, weight } = found;
        self.nodes = self.nodes.saturating_add(weight.nodes);
        self.aliased.add(weight);
        self.check_aliasing(&span)?;
        if self.expects_key() {
            if matches!(value, Value::List(_) | Value::Map(_)) {
                return Err(bad_key("a mapping or a sequence", &span));
            }
            self.key(&value, "", false, span)?;
            return Ok(None);
        }
        let mark = if self.reader.options.marks { self.marks.alias(mark, span) } else { 0 };
        self.finish(value, mark, None, weight)
    }

    fn check_aliasing(&self, span: &Span) -> Result<(), Stop> {
        if self.aliased.is_excessive(self.nodes, self.reader.text.len()) {
            let message = "yaml: document contains excessive aliasing".to_owned();
            return Err(Stop::Semantic(message, Some(span.clone())));
        }
        Ok(())
    }

    fn close(&mut self, end: usize) -> Result<Option<(Value, usize)>, Stop> {
        let Some(frame) = self.frames.pop() else { return Ok(None) };
        let (value, mark, anchor, weight) = match frame {
            Frame::List { items, mark, anchor, weight } => {
                (Value::List(List::from(items)), mark, anchor, weight)
            }
            Frame::Map { entries, mark, anchor, weight, .. } => {
                let count = entries.list.len();
                let map = Map::from_entries(entries.list);
                if self.reader.options.marks && map.len() != count {
                    self.marks.keep_last(mark);
                }
                (Value::Map(map), mark, anchor, weight)
            }
        };
        if self.reader.options.marks {
            self.end_trimmed(mark, end);
        }
        self.finish(value, mark, anchor, weight)
    }

    /// Block collections end where their last line ends, not where the next token starts.
    fn end_trimmed(&mut self, mark: usize, end: usize) {
        let text = self.reader.text;
        let end = text.get(..end.min(text.len())).map_or(end, |it| it.trim_end().len());
        self.marks.end_value(mark, end);
    }

    /// Hands a finished node to its parent; gives it back if it is the root.
    fn finish(
        &mut self,
        value: Value,
        mark: usize,
        anchor: Option<&'a str>,
        weight: Weight,
    ) -> Result<Option<(Value, usize)>, Stop> {
        if let Some(name) = anchor {
            self.anchors.insert(name, Some(Anchored { value: value.clone(), mark, weight }));
        }
        let keep_marks = self.reader.options.marks;
        match self.frames.last_mut() {
            None => return Ok(Some((value, mark))),
            Some(Frame::List { items, mark: parent, weight: sum, .. }) => {
                if keep_marks {
                    self.marks.link(*parent, Step::Index(items.len()), mark);
                }
                items.push(value);
                sum.add(weight);
            }
            Some(Frame::Map { entries, key, mark: parent, weight: sum, .. }) => {
                sum.add(weight);
                match key.take() {
                    Some(Key::Text { key, quoted, span }) => {
                        sum.bytes = sum.bytes.saturating_add(key.len());
                        let again = entries.push(key.clone(), value);
                        if keep_marks {
                            self.marks.set_key(mark, span.clone());
                            self.marks.link(*parent, Step::Key(key.clone()), mark);
                        }
                        if again {
                            let Span { bytes, line, column } = span;
                            let offset = bytes.start;
                            let key = if quoted { go_quote(&key) } else { key.to_string() };
                            self.duplicates.push(Duplicate { key, line, column, offset });
                        }
                    }
                    Some(Key::Merge) => {
                        merge(entries, &value)?;
                        if keep_marks {
                            self.marks.merge(*parent, mark);
                        }
                    }
                    None => {}
                }
            }
        }
        Ok(None)
    }
}

fn bad_key(what: &str, span: &Span) -> Stop {
    Stop::Semantic(format!("unsupported map key: {what} cannot be a JSON key"), Some(span.clone()))
}
