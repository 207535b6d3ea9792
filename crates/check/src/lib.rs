//! The server's verdict without a server.
//!
//! Manifests come in as text ([`source`], [`manifest`]), kinds as CustomResourceDefinitions or as
//! OpenAPI documents ([`openapi`]), from files or from a local [`store`] ([`catalog`], [`kind`]).
//! [`mod@validate`] judges every manifest exactly as the server would answer a create, or an update
//! of what git holds ([`history`]), and turns what it says into [`Finding`]s with file, line and
//! column. [`report`] writes findings for people and for machines.
//!
//! Beside it: [`defaults`] shows what the server adds and drops and why, [`cost`] what rules cost
//! and which bound to add, [`table`] runs tables of valid and invalid cases against a definition.
//!
//! Admission policies among the inputs judge all of them, as on a server ([`policy`]).
//!
//! [`convert`] brings objects into other versions and proves that nothing is lost on the way.
//!
//! [`lint`] looks at definitions and Go types as an API reviewer would; [`diff`] says whether a
//! change of a definition is safe.
//!
//! Nothing here speaks HTTP, and nothing is fetched.

mod asserted;
pub mod catalog;
mod collect;
pub mod convert;
pub mod cost;
pub mod coverage;
pub mod defaults;
pub mod definition;
pub mod diff;
mod disk;
mod documented;
pub mod finding;
pub mod foreign;
mod glob;
pub mod go_type;
pub mod help;
pub mod history;
pub mod kind;
mod kustomize;
pub mod lint;
mod locate;
mod look;
pub mod manifest;
mod metadata;
pub mod openapi;
pub mod outcome;
mod overlay;
mod patch;
pub mod policy;
pub mod report;
mod rivals;
pub mod role;
mod silent;
pub mod source;
pub mod store;
pub mod surroundings;
pub mod table;
pub mod validate;
pub mod workspace;

pub use catalog::{Catalog, Missing};
pub use disk::Disk;
pub use finding::{Finding, ObjectRef, Severity};
pub use foreign::{Foreign, Other, is_kustomization};
pub use kind::{Dropped, Kind, Undescribed, Verdict, Write};
pub use manifest::Manifest;
pub use ordain_strategy::gates::Gates;
pub use outcome::{Outcome, Tool};
pub use policy::PolicyOptions;
pub use role::Role;
pub use source::{Input, Source};
pub use store::Store;
pub use surroundings::Surroundings;
pub use validate::{Options, define, validate, validate_inputs};
