//! Diagnostics: their texts, and how they are shown with the source line and a caret.

use std::fmt::Write as _;

use super::{ERRORS_SHOWN_MAX, RECURSION_DEPTH_MAX, SOURCE_CODE_POINTS_MAX};
use crate::source::{Location, Source};

/// Lines longer than this are not shown beside an error.
const SNIPPET_BYTES_MAX: usize = 16_384;

/// One thing that is wrong with an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Where.
    pub location: Location,
    /// What.
    pub message: String,
}

/// What is wrong with an expression, in order of discovery.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    count: usize,
}

impl Diagnostics {
    /// Records a diagnostic. Behind the hundredth only their number is kept.
    pub fn push(&mut self, location: Location, message: String) {
        self.count += 1;
        if self.count <= ERRORS_SHOWN_MAX {
            self.list.push(Diagnostic { location, message });
        }
    }

    /// Whether nothing is wrong.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// How many there are, those not kept included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// The diagnostics in order of discovery.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter()
    }

    /// Shows all of them in source order, each with its line and a caret.
    #[must_use]
    pub fn display(&self, source: &Source) -> String {
        let mut sorted: Vec<&Diagnostic> = self.list.iter().collect();
        sorted.sort_by_key(|diagnostic| diagnostic.location);
        let mut out = String::new();
        for (index, diagnostic) in sorted.into_iter().enumerate() {
            if index > 0 {
                out.push('\n');
            }
            diagnostic.display_into(source, &mut out);
        }
        if self.count > self.list.len() {
            let _ = write!(out, "\n{} more errors were truncated", self.count - self.list.len());
        }
        out
    }
}

impl Diagnostic {
    fn display_into(&self, source: &Source, out: &mut String) {
        // Nothing stands before the end of an empty text, so that its place has no column.
        let empty = source.text().is_empty();
        let column = if empty { 0 } else { self.location.column.saturating_add(1) };
        let (description, line) = (source.description(), self.location.line);
        let _ = write!(out, "ERROR: {description}:{line}:{column}: {}", self.message);
        if empty {
            return;
        }
        let Some(line) = source.line(self.location.line) else {
            return;
        };
        if line.len() > SNIPPET_BYTES_MAX {
            return;
        }
        out.push_str("\n | ");
        out.extend(line.chars().map(|c| if c == '\t' { ' ' } else { c }));
        out.push_str("\n | ");
        let mut chars = line.chars();
        for _ in 0..self.location.column.max(0) {
            match chars.next() {
                None => break,
                // A wide dot under what may be a wide character keeps the caret in place.
                Some(c) if c.is_ascii() => out.push('.'),
                Some(_) => out.push('\u{ff0e}'),
            }
        }
        match chars.next() {
            Some(c) if !c.is_ascii() => out.push('\u{ff3e}'),
            _ => out.push('^'),
        }
    }
}

pub(crate) fn source_too_long(size: usize) -> String {
    format!(
        "expression code point size exceeds limit: size: {size}, limit {SOURCE_CODE_POINTS_MAX}"
    )
}

pub(crate) fn nesting_too_deep() -> String {
    format!("expression recursion limit exceeded: {RECURSION_DEPTH_MAX}")
}

pub(crate) fn tree_too_deep() -> String {
    "max recursion depth exceeded".to_owned()
}

pub(crate) fn expansion_too_large() -> String {
    "macro expansion exceeds the expression limit".to_owned()
}

pub(crate) fn reserved_identifier(name: &str) -> String {
    format!("reserved identifier: {name}")
}

pub(crate) fn unsupported_syntax(what: &str) -> String {
    format!("unsupported syntax '{what}'")
}

pub(crate) fn unsupported_backtick() -> String {
    "unsupported syntax: '`'".to_owned()
}

pub(crate) fn invalid_literal(kind: &str) -> String {
    format!("invalid {kind} literal")
}

pub(crate) fn syntax_error(message: &str) -> String {
    format!("Syntax error: {message}")
}
