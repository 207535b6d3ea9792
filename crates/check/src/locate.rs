//! Field paths of the server to places in a text.

use ordain_value::yaml::{Mark, Marks, Span};

use crate::finding::{EXCERPT_BYTES, boundary};
use crate::manifest::Manifest;

/// What of a field is pointed at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Aim {
    /// The value when it is short, else its key.
    Value,
    /// The key.
    Key,
}

/// Where a path led.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) span: Span,
    /// Whether the text has the field, and not only something around it.
    pub(crate) exact: bool,
}

/// Finds a field of an object in its text; the nearest place above it when it is not there.
pub(crate) fn locate(manifest: &Manifest, text: &[u8], path: &str, aim: Aim) -> Place {
    let full = full_path(&manifest.prefix, path);
    let Some(place) = find(&manifest.marks, &full) else {
        return Place { span: first_line(text, &manifest.start), exact: false };
    };
    let mark = place.mark;
    let is_root = manifest.marks.root().is_some_and(|root| std::ptr::eq(root, mark));
    if is_root {
        return Place { span: first_line(text, &manifest.start), exact: false };
    }
    let aim = if place.exact { aim } else { Aim::Key };
    let marks = &manifest.marks;
    let scalar = marks.keys(mark).next().is_none() && marks.items(mark).next().is_none();
    let span = aimed(mark, scalar, text, aim);
    Place { span, exact: place.exact }
}

fn full_path(prefix: &str, path: &str) -> String {
    // A rule's fieldPath into a map prints `spec.m.[key]`, a scale path starts with a dot.
    let path = if path == "<nil>" { "" } else { path.trim_start_matches('.') };
    let path = path.replace(".[", "[");
    match (prefix.is_empty(), path.is_empty()) {
        (true, _) => path,
        (false, true) => prefix.to_owned(),
        (false, false) if path.starts_with('[') => format!("{prefix}{path}"),
        (false, false) => format!("{prefix}.{path}"),
    }
}

fn find<'a>(marks: &'a Marks, path: &str) -> Option<ordain_value::yaml::Place<'a>> {
    marks.find(path)
}

fn aimed(mark: &Mark, scalar: bool, text: &[u8], aim: Aim) -> Span {
    let value = text.get(mark.value.bytes.clone()).unwrap_or_default();
    let short = !value.is_empty() && !value.contains(&b'\n');
    match (&mark.key, aim) {
        (Some(key), Aim::Key) => key.clone(),
        (Some(key), Aim::Value) if !short => key.clone(),
        _ if short => mark.value.clone(),
        _ if scalar && !value.is_empty() => with_header(text, &mark.value),
        _ => first_line(text, &mark.value),
    }
}

/// A scalar of several lines with the `|` or `>` that it may start with.
fn with_header(text: &[u8], span: &Span) -> Span {
    let before = text[..span.bytes.start.min(text.len())].trim_ascii_end();
    let start = before.iter().rposition(u8::is_ascii_whitespace).map_or(0, |at| at + 1);
    if !matches!(before.get(start), Some(b'|' | b'>')) {
        return span.clone();
    }
    let position = ordain_value::json::position_of(text, start);
    Span { bytes: start..span.bytes.end, line: position.line, column: position.column }
}

/// The part of a span that stands on its first line that is no comment.
fn first_line(text: &[u8], span: &Span) -> Span {
    let span = &behind_comments(text, span);
    let start = span.bytes.start.min(text.len());
    // A file may be one line; nobody reads more than the beginning of it.
    let far = boundary(text, start.saturating_add(EXCERPT_BYTES).min(text.len()));
    let line_end = text[start..far].iter().position(|it| *it == b'\n').map_or(far, |at| start + at);
    let end = span.bytes.end.clamp(start, line_end.max(start));
    let end = if end == start { line_end } else { end };
    Span { bytes: start..end, line: span.line.max(1), column: span.column.max(1) }
}

/// The first line of a text that is no comment.
pub(crate) fn beginning(text: &[u8]) -> Span {
    first_line(text, &Span { bytes: 0..text.len(), line: 1, column: 1 })
}

/// A span without the blanks and comments that it starts with; as it is when there is nothing else.
fn behind_comments(text: &[u8], span: &Span) -> Span {
    let mut at = span.bytes.start.min(text.len());
    let is_comment = |rest: &[u8]| rest.first() == Some(&b'#');
    if !is_comment(text[at..].trim_ascii_start()) {
        return span.clone();
    }
    let end = span.bytes.end.max(at).min(text.len());
    while at < end {
        let rest = &text[at..end];
        let blank = rest.len() - rest.trim_ascii_start().len();
        if !is_comment(&rest[blank..]) {
            at += blank;
            let position = ordain_value::json::position_of(text, at);
            return Span { bytes: at..end, line: position.line, column: position.column };
        }
        let line = rest[blank..].iter().position(|it| *it == b'\n');
        at += line.map_or(rest.len(), |it| blank + it + 1);
    }
    span.clone()
}

/// The field that a refusal to decode speaks of.
pub(crate) fn field_of_unreadable(why: &str) -> String {
    if let Some((path, _)) = why.split_once(": Invalid value") {
        return path.to_owned();
    }
    for (marker, base) in [("ObjectMeta.", "metadata"), ("OwnerReference.", "metadata")] {
        if let Some((_, rest)) = why.split_once(&format!("Go struct field {marker}")) {
            let field = rest.split(' ').next().unwrap_or_default();
            let field = field.strip_prefix("metadata.").unwrap_or(field);
            return format!("{base}.{field}");
        }
    }
    "metadata".to_owned()
}

/// The path in a definition's text of a path in its verdict: with one schema for all versions the
/// server speaks of fields that the first API version had.
pub(crate) fn definition_path(path: &str) -> String {
    const MOVED: [(&str, &str); 4] = [
        ("spec.validation", "spec.versions[0].schema"),
        ("spec.additionalPrinterColumns", "spec.versions[0].additionalPrinterColumns"),
        ("spec.subresources", "spec.versions[0].subresources"),
        ("spec.selectableFields", "spec.versions[0].selectableFields"),
    ];
    for (from, to) in MOVED {
        if let Some(rest) = path.strip_prefix(from)
            && (rest.is_empty() || rest.starts_with(['.', '[']))
        {
            return format!("{to}{rest}");
        }
    }
    path.to_owned()
}
