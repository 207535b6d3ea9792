//! The server's verdict without a server.
//!
//! Manifests come in as text ([`source`], [`manifest`]), kinds as CustomResourceDefinitions
//! ([`catalog`], [`kind`]). [`validate`] judges every manifest exactly as the server would answer a
//! create, or an update of what git holds ([`history`]), and turns what it says into [`Finding`]s
//! with file, line and column. [`report`] writes findings for people and for machines.
//!
//! Beside it: [`defaults`] tells what the server adds and drops and why, [`cost`] what rules cost
//! and which bound to add, [`table`] runs tables of valid and invalid cases against a definition.
//!
//! Nothing here speaks HTTP, and nothing is fetched.

pub mod catalog;
pub mod cost;
pub mod coverage;
pub mod defaults;
mod definition;
pub mod finding;
mod help;
pub mod history;
pub mod kind;
mod locate;
pub mod manifest;
pub mod report;
mod scale;
pub mod source;
pub mod table;
pub mod validate;

pub use catalog::{Catalog, Missing};
pub use finding::{Finding, ObjectRef, Severity};
pub use kind::{Kind, Verdict};
pub use manifest::Manifest;
pub use source::Source;
pub use validate::{Options, Outcome, validate};
