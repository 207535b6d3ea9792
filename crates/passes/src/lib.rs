//! What happens to an object between decoding and storing, compiled once per kind and version.
//!
//! A [`Plan`] is made from a resolved schema and is immutable; share it behind an `Arc`. Each pass is
//! a method in a file of its own:
//!
//! * [`Plan::shape_request`] and [`Plan::shape_stored`]: metadata takes its shape, unknown fields
//!   ([`Plan::prune`]) and disallowed nulls ([`Plan::drop_nulls`]) go, embedded resources take
//!   theirs;
//! * [`Plan::default`]: missing values are set;
//! * [`Plan::validate_create`], [`Plan::validate_update`], [`Plan::validate_status_update`]: every
//!   check in upstream's order, with errors on unchanged parts dropped ([`validate`], [`spine`]).
//!
//! Passes share what they do not change and allocate nothing for an object that is fine. Validation
//! never writes. There is no clock, no randomness, no I/O here.

pub mod admission;
pub mod cel_library;
pub mod coerce;
pub mod compile;
pub mod declared;
mod default;
mod embedded;
mod list_type;
mod nulls;
mod pattern;
mod plan;
mod prune;
mod ratchet;
pub mod rules;
pub mod scale;
pub mod spine;
pub mod validate;

pub use admission::Admission;
pub use coerce::{Known, Unknown};
pub use compile::CompileError;
pub use plan::Plan;
pub use rules::{RuleOptions, RuleSet};
pub use spine::{Context, NoRules, Outcome, Rules};
