//! The text of `+rule:` tags.

use crate::go::comment::DocLine;
use crate::graph::{Docs, Universe};
use crate::proposals::{joined, piece};
use crate::source::Pos;

/// What all tags of the family begin with.
pub(super) const PREFIX: &str = "rule:";

/// A tag: `+rule:each:format=dns-label,when="…",ends`.
#[derive(Clone, Debug)]
pub(super) struct RuleTag {
    /// `each`, `keys`, `values`, or nothing.
    pub(super) over: String,
    /// `format`; of a named value (`let:name`) both words.
    pub(super) name: String,
    /// What stands behind `=`.
    pub(super) value: String,
    /// Name and text of each argument; one without a text is a switch.
    pub(super) args: Vec<(String, String)>,
    pub(super) pos: Pos,
}

/// The tags of a comment in order; what is no tag at all comes as an error with its place.
pub(super) fn read(universe: &Universe, docs: &Docs) -> Vec<Result<RuleTag, (Pos, String)>> {
    let mut out = Vec::new();
    // A type's tags may stand apart from its description, as gengo allows.
    for group in [docs.second_closest, docs.closest] {
        let lines = universe.lines(docs.file, group);
        let mut at = 0;
        while let Some(line) = lines.get(at) {
            let (text, used) = joined(&lines, at);
            at += used;
            out.extend(tag(docs, line, &text));
        }
    }
    out
}

fn tag(docs: &Docs, line: &DocLine<'_>, text: &str) -> Option<Result<RuleTag, (Pos, String)>> {
    let trimmed = text.trim_start_matches([' ', '\t']);
    let body = trimmed.strip_prefix('+')?.strip_prefix(PREFIX)?;
    let blanks = text.len() - trimmed.len();
    let pos = Pos { file: docs.file, offset: line.offset + blanks as u32 + 1 };
    Some(parse(body, pos).map_err(|why| (pos, why)))
}

fn parse(body: &str, pos: Pos) -> Result<RuleTag, String> {
    let end = body.find(['=', ',']).unwrap_or(body.len());
    let (words, mut rest) = body.split_at(end);
    let words = words.trim();
    let (over, name) = match words.split_once(':') {
        Some((over @ ("each" | "keys" | "values"), name)) => (over, name),
        _ => ("", words),
    };
    let mut value = String::new();
    if let Some(behind) = rest.strip_prefix('=') {
        (value, rest) = piece(behind)?;
    }
    let mut args = Vec::new();
    while let Some(behind) = rest.trim_start().strip_prefix(',') {
        let behind = behind.trim_start();
        let end = behind.find(['=', ',']).unwrap_or(behind.len());
        let (key, behind) = behind.split_at(end);
        let (text, after) = match behind.strip_prefix('=') {
            Some(text) => piece(text)?,
            None => (String::new(), behind),
        };
        args.push((key.trim().to_owned(), text));
        rest = after;
    }
    if !rest.trim().is_empty() {
        return Err(format!("unexpected `{}`", rest.trim()));
    }
    Ok(RuleTag { over: over.into(), name: name.into(), value, args, pos })
}
