//! What an API object may look like.
//!
//! A schema enters as it was written ([`raw::Raw`], the `JSONSchemaProps` of
//! `apiextensions.k8s.io/v1` with every keyword, refused ones included) and becomes a
//! [`model::Schema`] by [`resolve::resolve`]: an arena of nodes in which a reference is an id, so
//! recursion costs nothing. Tagged Go types and Rust types build the same model directly, with
//! the semantics only they have in [`model::Declared`].
//!
//! The crate also answers for `CustomResourceDefinition` objects: reading and defaulting them,
//! admitting a create or an update with every rule and message of kube-apiserver, and computing
//! the conditions that its controllers would write. What needs a compiled plan (patterns, default
//! values, CEL rules) is asked from the caller through a trait, so that this crate stays at the
//! bottom of the workspace.

#![warn(missing_docs)]

pub mod admission;
pub mod base64;
pub mod changes;
pub mod conditions;
pub mod crd;
mod crddecode;
mod crdencode;
pub mod declared;
pub mod extensions;
mod fieldpath;
pub mod folding;
pub mod formats;
pub mod godecode;
pub mod gojson;
mod hoist;
mod keyword;
pub mod model;
pub mod native;
mod native_format;
mod native_union;
pub mod one_of;
pub mod open_api;
pub mod publish;
pub mod raw;
mod rawdecode;
pub mod resolve;
pub mod rule_cel;
pub mod rule_words;
#[cfg(feature = "serde")]
mod stored;
pub mod structural;
pub mod unions;
pub mod written;

pub use crddecode::reports_duplicate;
pub use fieldpath::normal_field_path;
pub use model::{
    Additional, Arity, Check, Declared, Docs, ExternalDocs, Family, Keyword, ListType, MapType,
    Node, NodeId, Presence, Rule, Schema, Type, Union, UnionMember, Validation,
};
pub use raw::Raw;
pub use resolve::resolve;
