//! YAML in, by the YAML 1.1 rules Kubernetes reads it with, and YAML out.
//!
//! Kubernetes turns YAML into JSON first and decodes that, so this module gives what comes out at
//! the end of that road: `yes` is a boolean, `0777` is octal, `1.0` is the integer 1 (its JSON text
//! is `1`), keys become strings, `<<` merges, the last of duplicate keys wins. Source positions of
//! every key and value are kept in [`Marks`] when asked for.
//!
//! Characters ([`input`]) become tokens ([`scan`]), tokens events ([`parse`]), events values ([`build`]). The
//! scanner and the parser accept and refuse what go-yaml does and say why in its words: clients see them.
//! Texts of the usual form take a shorter way ([`quick`]).

mod build;
mod encode;
mod flow;
mod input;
mod marks;
mod order;
mod parse;
mod quick;
mod quick_scalar;
#[cfg(test)]
mod quick_tests;
mod resolve;
mod scan;
mod scan_scalar;
mod scan_tag;
mod weight;

pub use build::{
    Document, Duplicate, Error, Options, decode_documents, decode_first, decode_objects,
};
pub use encode::{encode, encode_unfolded};
pub use marks::{Mark, Marks, Place, Span};
