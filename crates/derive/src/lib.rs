//! Rust types in, declarations out: `#[derive(Resource)]` and `#[derive(Schema)]`.
//!
//! A derive reads the type, its documentation, its serde attributes (names, defaults, flattening)
//! and its `#[ordain(…)]` attributes, and writes an implementation of `ordain::Schema` that says
//! the same thing as tagged Go types would: the same structs, fields and tags. Everything behind
//! the declaration is therefore one piece of code for both languages, and a type declared in Go
//! and in Rust gives the same schema.
//!
//! The way through the crate: [`attribute`] parses `#[ordain(…)]` into settings with their places,
//! [`serde`] reads what serde's attributes say about JSON, [`tag`] turns settings into tags and
//! refuses what does not fit the place, [`structure`], [`enumeration`], [`union`] and [`resource`]
//! write the implementations. What is wrong is a compile error at the attribute that says it.
//!
//! The documentation of the attributes is in the crate `ordain`, which re-exports both derives.

mod attribute;
mod case;
mod enumeration;
mod item;
mod k8s;
mod resource;
mod serde;
mod structure;
mod tag;
#[cfg(test)]
mod tests;
mod union;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Declares a type that is part of a kind: a struct, a named type over another one, an enum of
/// strings, or an enum with data as a union.
#[proc_macro_derive(Schema, attributes(ordain, serde))]
pub fn derive_schema(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    item::schema(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}

/// Declares a kind: a struct with `metadata`, usually `spec`, and perhaps `status`.
#[proc_macro_derive(Resource, attributes(ordain, serde))]
pub fn derive_resource(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    resource::resource(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}
