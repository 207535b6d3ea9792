//! The Go front end at the level of declarations: text in, syntax tree and comments out.

pub mod ast;
pub mod build_constraint;
pub mod comment;
pub(crate) mod lexer;
pub mod literal;
pub mod module;
mod parser;
pub(crate) mod pattern;
pub mod struct_tag;
pub mod token;

pub use parser::{ParsedFile, parse, parse_expression};
