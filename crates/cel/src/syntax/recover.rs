//! placeholder
use super::lexer::Lexed;
use super::{Diagnostics, ParseOptions};
use crate::ast::Ast;
use crate::source::{Location, Source};
pub(super) fn parse(
    source: &Source,
    _lexed: &Lexed,
    _options: &ParseOptions,
) -> (Ast, Diagnostics) {
    let mut diagnostics = Diagnostics::default();
    diagnostics.push(Location::NONE, super::errors::syntax_error("?"));
    (Ast::new(source.clone()), diagnostics)
}
