//! Text to syntax tree.
//!
//! [`parse`] reads well-formed text in one pass (`parser`). Text with syntax errors is read a
//! second time by `recover`, which resynchronises after each error and words the messages; the
//! split keeps the common path short and fast.

mod build;
mod errors;
mod lexer;
pub mod macros;
mod parser;
mod recover;
mod unescape;

pub use build::is_reserved;
pub use errors::{Diagnostic, Diagnostics};

use std::sync::Arc;

use crate::ast::Ast;
use crate::source::{Location, Source};
use macros::Macro;

/// The longest expression in code points.
pub const SOURCE_CODE_POINTS_MAX: usize = 100_000;
/// How deep a grammar rule may nest within itself.
pub const RECURSION_DEPTH_MAX: u16 = 250;
/// How many errors are shown; the rest is only counted.
pub const ERRORS_SHOWN_MAX: usize = 100;
/// How many expressions macros may blow a source up to: `optMap` copies its receiver, so chains
/// of it double.
pub const EXPRESSIONS_MAX: usize = 200_000;

/// What the grammar lets through beyond its core.
#[derive(Clone, Debug, Default)]
pub struct ParseOptions {
    /// The macros to expand.
    pub macros: Arc<[Macro]>,
    /// Whether `a.?b`, `a[?b]`, `[?a]` and `{?k: v}` are known.
    pub optional_syntax: bool,
    /// Whether fields may be written in backticks.
    pub escaped_identifiers: bool,
}

/// Parses a source. When diagnostics come back, the tree is of use to tools only.
#[must_use]
pub fn parse(source: &Source, options: &ParseOptions) -> (Ast, Diagnostics) {
    let mut diagnostics = Diagnostics::default();
    let text = source.text();
    // A text has at least as many bytes as code points, so counting is rarely needed.
    if text.len() > SOURCE_CODE_POINTS_MAX {
        let size = text.chars().count();
        if size > SOURCE_CODE_POINTS_MAX {
            diagnostics.push(Location::NONE, errors::source_too_long(size));
            return (Ast::new(source.clone()), diagnostics);
        }
    }
    let lexed = lexer::lex(text);
    if lexed.errors.is_empty()
        && let Some(parsed) = parser::parse(source, &lexed.tokens, options)
    {
        return parsed;
    }
    recover::parse(source, &lexed, options)
}
