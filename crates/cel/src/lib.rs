//! The Common Expression Language: text to checked expressions with types, references and
//! estimated cost, and checked expressions to values.
//!
//! The stages, each a folder or file of its own:
//!
//! 1. [`source`] and `syntax` turn text into an [`ast::Ast`] plus diagnostics; macros such as
//!    `all` are expanded on the way.
//! 2. [`check`] gives every expression a type and every name and call a reference, against an
//!    environment of declared variables, functions ([`decl`]) and types ([`types`]).
//! 3. `cost` estimates what evaluation can cost before it happens.
//! 4. `plan` and `eval` turn a checked expression into a compact program and run it.
//!
//! The crate knows no schema language and no API server: it sees a
//! [`TypeProvider`](env::TypeProvider) and tables of functions.

pub mod ast;
pub mod check;
pub mod cost;
pub mod decl;
pub mod env;
mod eval;
pub mod library;
pub mod meter;
mod plan;
mod print;
pub mod program;
pub mod source;
pub mod syntax;
pub mod types;
pub mod value;
