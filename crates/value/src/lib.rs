//! The object tree of the whole machine.
//!
//! Everything Ordain handles (requests, stored objects, defaults, CEL inputs, applied
//! configurations) is one [`Value`]: null, bool, int64, float64, string, list or map, with the
//! number semantics of Kubernetes' unstructured objects. Lists and maps are shared and copied on
//! write, so a clone costs a reference count and comparing an object with its unchanged old self
//! is mostly a pointer comparison.
//!
//! * [`json`] turns bytes into a `Value` and back, byte for byte as Go's encoder writes them.
//! * [`yaml`] reads YAML 1.1 as Kubernetes reads it, with source positions.
//! * [`field`] names a place in an object ([`field::Path`]) and says what is wrong there
//!   ([`field::Error`]).
//! * `serde`, with the feature of that name, reads typed structs from values and writes them.
//!
//! This crate knows no Kubernetes kinds, no schemas and no I/O. Every walk is iterative or bounded
//! by [`DEPTH_MAX`]: no document can overflow the stack.

#![warn(missing_docs)]

pub mod calendar;
pub mod field;
pub mod go_format;
mod indent;
pub mod json;
mod list;
mod macros;
mod map;
pub mod number;
mod quote;
mod read;
#[cfg(feature = "serde")]
pub mod serde;
mod value;
pub mod yaml;

pub use list::List;
pub use map::{Edit, Map};
pub use quote::go_quote;
pub use read::OmitEmpty;
pub use value::Value;

/// Strings and keys: 24 bytes, inline up to 23 bytes, O(1) clone.
pub type Text = smol_str::SmolStr;

/// Nesting beyond this is refused by the decoders, as Go's JSON decoder does.
pub const DEPTH_MAX: usize = 10_000;
