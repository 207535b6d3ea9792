//! Texts to objects with their positions: one per document, one per item of a list.

use std::sync::Arc;

use ordain_meta::GroupVersionKind;
use ordain_meta::gvk::GroupVersion;
use ordain_value::yaml::{self, Marks, Span};
use ordain_value::{List, Value, json};

use crate::source::{Media, Source, Text};

/// One object of a text.
#[derive(Clone, Debug)]
pub struct Manifest {
    /// Place of its text among the sources.
    pub source: usize,
    pub value: Value,
    pub gvk: GroupVersionKind,
    pub marks: Arc<Marks>,
    /// Where in its document the object stands: empty, or `items[3]`.
    pub prefix: String,
    /// Where the document starts.
    pub start: Span,
    /// Keys that stand twice, with the server's words.
    pub duplicates: Vec<Problem>,
}

/// Something wrong with a text, at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub message: String,
    pub span: Span,
}

/// What a text holds.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    pub manifests: Vec<Manifest>,
    /// Documents that cannot be read or are no objects.
    pub broken: Vec<Problem>,
}

impl Manifest {
    #[must_use]
    pub fn name(&self) -> &str {
        self.meta("name")
    }

    #[must_use]
    pub fn namespace(&self) -> &str {
        self.meta("namespace")
    }

    /// Whether the object was taken from a server.
    pub(crate) fn has_resource_version(&self) -> bool {
        !is_version_unset(self.meta("resourceVersion"))
    }

    fn meta(&self, field: &str) -> &str {
        self.value.text_at(&["metadata", field])
    }

    /// Whether the object defines a kind.
    #[must_use]
    pub fn is_definition(&self) -> bool {
        is_definition(&self.gvk)
    }
}

/// Whether objects of a kind define kinds.
pub(crate) fn is_definition(gvk: &GroupVersionKind) -> bool {
    // Of other versions the server knows nothing any more.
    gvk.group == "apiextensions.k8s.io"
        && gvk.version == "v1"
        && gvk.kind == "CustomResourceDefinition"
}

/// Whether a resource version is none that a server gave.
pub(crate) fn is_version_unset(version: &str) -> bool {
    matches!(version, "" | "0")
}

/// Reads all objects of a text with the places of everything in it.
#[must_use]
pub fn read(index: usize, source: &Source) -> Contents {
    read_as(index, source.text(), true)
}

/// Reads all objects of a text. Without marks it is quicker, and places below the start of a
/// document are not known.
pub(crate) fn read_as(index: usize, text: Text<'_>, marks: bool) -> Contents {
    let mut contents = Contents::default();
    match text.media {
        Media::Yaml => read_yaml(index, text.bytes, marks, &mut contents),
        Media::Json => read_json(index, text.bytes, marks, &mut contents),
    }
    contents
}

/// The objects of a text alone, if there is nothing to report about the text itself.
pub(crate) fn plain_objects(text: Text<'_>) -> Option<Vec<Value>> {
    let objects = match text.media {
        Media::Yaml => yaml::decode_objects(text.bytes)?,
        Media::Json => json_objects(text.bytes)?,
    };
    if !objects.iter().any(|it| items(it).is_some()) {
        return Some(objects);
    }
    let mut split = Vec::new();
    for object in objects {
        match items(&object) {
            Some(items) => split.extend(items.iter().cloned()),
            None => split.push(object),
        }
    }
    Some(split)
}

fn json_objects(text: &[u8]) -> Option<Vec<Value>> {
    let mut objects = Vec::new();
    for range in json_documents(text) {
        let (value, duplicates) =
            json::decode_reporting(text.get(range)?, json::Limits::default()).ok()?;
        match value {
            Value::Null => {}
            Value::Map(_) if duplicates.is_empty() => objects.push(value),
            _ => return None,
        }
    }
    Some(objects)
}

/// What a list holds; nothing if the value is none.
fn items(value: &Value) -> Option<&List> {
    let items = value.get("items").and_then(Value::as_list)?;
    value.get("kind").and_then(Value::as_str).filter(|kind| kind.ends_with("List")).map(|_| items)
}

fn read_yaml(index: usize, text: &[u8], marks: bool, contents: &mut Contents) {
    let documents = match yaml::decode_documents(text, yaml::Options { marks }) {
        Ok(documents) => documents,
        Err(error) => return contents.broken.push(broken_yaml(text, &error)),
    };
    for document in documents {
        let value = match document.value {
            Ok(value) => value,
            Err(error) => {
                contents.broken.push(broken_yaml(text, &error));
                continue;
            }
        };
        let duplicates = document.duplicates.iter().map(|it| Problem {
            message: it.to_string(),
            span: key_span(text, it.offset, it.line, it.column),
        });
        let duplicates = duplicates.collect();
        let whole =
            Whole { index, marks: Arc::new(document.marks), start: document.start, duplicates };
        whole.split(value, contents);
    }
}

fn broken_yaml(text: &[u8], error: &yaml::Error) -> Problem {
    // The words name the line that is at fault; the reader may have noticed at the next one.
    let named = error.message.strip_prefix("yaml: line ").and_then(|it| it.split_once(':'));
    let named = named.and_then(|(line, _)| line.parse::<usize>().ok());
    if let Some(line) = named.filter(|it| *it < error.line) {
        let start: usize = text
            .split_inclusive(|it| *it == b'\n')
            .take(line.saturating_sub(1))
            .map(<[u8]>::len)
            .sum();
        let content = text[start..].split(|it| *it == b'\n').next().unwrap_or_default();
        let indent = content.len() - content.trim_ascii_start().len();
        let bytes = start + indent..start + content.trim_ascii_end().len().max(indent);
        let span = Span { bytes, line, column: indent + 1 };
        return Problem { message: error.message.clone(), span };
    }
    let start = error.offset.min(text.len());
    let span = Span {
        bytes: start..(start + 1).min(text.len()),
        line: error.line.max(1),
        column: error.column.max(1),
    };
    Problem { message: error.message.clone(), span }
}

/// The span of the key that starts at an offset.
fn key_span(text: &[u8], offset: usize, line: usize, column: usize) -> Span {
    let rest = text.get(offset..).unwrap_or_default();
    let len = match rest.first() {
        Some(quote @ (b'"' | b'\'')) => {
            rest.iter().skip(1).position(|it| it == quote).map_or(1, |at| at + 2)
        }
        _ => rest.iter().position(|it| matches!(it, b':' | b'\n' | b' ' | b'\r')).unwrap_or(1),
    };
    Span { bytes: offset..offset + len.max(1).min(rest.len()), line, column }
}

fn read_json(index: usize, text: &[u8], with_marks: bool, contents: &mut Contents) {
    let mut positions = json::Positions::new(text);
    for range in json_documents(text) {
        let part = &text[range.clone()];
        let begins = positions.at(range.start);
        let mut at = |offset: usize| {
            let start = range.start + offset;
            let position = positions.at(start);
            (start, position.line, position.column)
        };
        let (value, duplicates) = match json::decode_reporting(part, json::Limits::default()) {
            Ok(decoded) => decoded,
            Err(error) => {
                let (start, line, column) = at(error.offset);
                let span = Span { bytes: start..(start + 1).min(text.len()), line, column };
                contents.broken.push(Problem { message: error.message, span });
                continue;
            }
        };
        let duplicates = duplicates.iter().map(|it| {
            let (start, line, column) = at(it.offset);
            let message = format!("duplicate field \"{}\"", it.path);
            Problem { message, span: key_span(text, start, line, column) }
        });
        let duplicates = duplicates.collect();
        let (line, column) = (begins.line, begins.column);
        let marks = match with_marks {
            true => json_marks(part).behind(range.start, line, column),
            false => Marks::default(),
        };
        let start = Span { bytes: range, line, column };
        Whole { index, marks: Arc::new(marks), start, duplicates }.split(value, contents);
    }
}

/// JSON is read as YAML once more for the positions alone.
fn json_marks(text: &[u8]) -> Marks {
    let marked = yaml::decode_first(text, yaml::Options { marks: true });
    marked.map(|document| document.marks).unwrap_or_default()
}

/// The ranges of the documents in a text of JSON values one after another.
fn json_documents(text: &[u8]) -> Vec<std::ops::Range<usize>> {
    let (mut ranges, mut start, mut depth) = (Vec::new(), None, 0_usize);
    let (mut in_string, mut escaped) = (false, false);
    for (at, byte) in text.iter().enumerate() {
        if start.is_none() && !byte.is_ascii_whitespace() {
            start = Some(at);
        }
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if let (0, Some(from)) = (depth, start) {
                    ranges.push(from..at + 1);
                    start = None;
                }
            }
            _ => {}
        }
    }
    if let Some(from) = start {
        ranges.push(from..text.len());
    }
    ranges
}

/// A document with its side tables.
struct Whole {
    index: usize,
    marks: Arc<Marks>,
    start: Span,
    duplicates: Vec<Problem>,
}

impl Whole {
    fn split(mut self, value: Value, contents: &mut Contents) {
        if value.is_null() {
            return;
        }
        if !matches!(value, Value::Map(_)) {
            let message = format!("expected an object, found {}", value.kind_name());
            return contents.broken.push(Problem { message, span: self.start });
        }
        match items(&value) {
            Some(items) => {
                for (at, item) in items.iter().enumerate() {
                    let manifest = self.manifest(item.clone(), format!("items[{at}]"));
                    contents.manifests.push(manifest);
                    self.duplicates.clear();
                }
            }
            None => contents.manifests.push(self.manifest(value, String::new())),
        }
    }

    fn manifest(&self, value: Value, prefix: String) -> Manifest {
        let text = |field: &str| value.text(field);
        let gvk = GroupVersion::decode(text("apiVersion")).unwrap_or_default();
        let gvk = gvk.with_kind(text("kind"));
        Manifest {
            source: self.index,
            value,
            gvk,
            marks: Arc::clone(&self.marks),
            prefix,
            start: self.start.clone(),
            duplicates: self.duplicates.clone(),
        }
    }
}
