//! Declared types in, files for other tools out.
//!
//! [`crd`] turns a [`ordain_idl::Universe`] of Go types with markers into
//! `CustomResourceDefinition`s, value for value what controller-gen makes of them. [`openapi`] turns
//! it into OpenAPI definitions, as openapi-gen and the OpenAPI builders publish them.
//!
//! Nothing here reads or writes files: a loader brings the types, the caller writes what comes
//! out. All output is in a fixed order, so that a stale file shows as a difference. What cannot
//! be generated is a [`ordain_idl::Diagnostic`] with its place, never a file that is wrong.

pub mod crd;
pub mod openapi;
