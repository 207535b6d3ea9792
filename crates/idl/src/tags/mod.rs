//! Tags in comments: their grammars, and the registry that says what each of them means.
//!
//! [`codetag`] is the grammar of the `+k8s:` tags, [`registry`] the table of all tags. One file
//! holds one family's rows.

pub mod codetag;
mod generators;
mod inert;
mod k8s;
mod kubebuilder;
pub mod lint;
pub mod marker;
pub mod newer;
mod proposals;
pub mod registry;
