//! Tagged Go types in, a resolved graph of declared types out.
//!
//! The way through the crate: [`Loader`] reads packages through a [`FileSource`] (no I/O happens
//! here), [`go`] turns each file into declarations with spans and comments, and [`graph`] resolves
//! names across packages into a [`Universe`]: arenas of packages, types, fields and constants that
//! refer to each other by id, so recursion costs nothing. What is wrong with the text is collected
//! as [`Diagnostic`]s with places; what can be read is read.
//!
//! Comments stay reachable in the three ways upstream's readers attach them: `go/ast` doc comments
//! ([`Universe::doc_lines`]), gengo's closest and second closest groups
//! ([`Universe::comment_lines`]), and controller-gen's markers ([`graph::FileMarkers`]).
//!
//! Well-known types (`metav1.ObjectMeta`, `resource.Quantity`, `time.Duration` and their like) are
//! built in for the case that their source is not found, so a single package directory is enough.
//!
//! On top of the graph: [`tags`] holds the registry of all tags, the two tag grammars and the check
//! for mistaken tags; [`validation`] declares the rules of the `+k8s:` tags as validation-gen would
//! generate them; [`defaulting`] applies `+default` as defaulter-gen does, on values read and
//! written by [`gojson`]; [`proposals`] reads the tags of the enhancement proposals.
//!
//! [`lower`] puts all of it together: the graph becomes a declared API (schemas, kinds, versions).
//! Declarations that are not Go text, such as Rust types, enter through [`declare`].

pub mod declare;
pub mod defaulting;
pub mod diagnostic;
pub mod go;
pub mod gojson;
pub mod graph;
pub mod group;
pub mod lower;
pub mod model_name;
pub mod native;
pub mod plural;
pub mod proposals;
pub mod source;
pub mod tags;
pub mod validation;

pub use diagnostic::{Diagnostic, Located, Severity};
pub use graph::{Loader, Universe, packages_named};
pub use source::{Entry, FileId, FileSource, MemorySource, Pos, Position};
