//! Patches, server-side apply and the ownership of fields.
//!
//! This crate turns *(current object, request)* into *(new object, who owns which field)*:
//!
//! * [`patch`] applies the three patch formats: JSON patch, JSON merge patch and strategic merge
//!   patch.
//! * [`FieldManager`] keeps `metadata.managedFields` up to date after creates, updates and patches,
//!   and merges applied configurations, with conflicts, force and removal of dropped fields.
//!
//! Underneath lie field [`path`]s and [`set`]s with their `fieldsV1` encoding, and [`types`]: the
//! part of a schema that decides how two values merge (which lists are sets or maps, which parts
//! are atomic), walked by the functions in [`typed`].
//!
//! There is no clock here: times are handed in. Every walk carries a depth; below [`DEPTH_MAX`]
//! a value counts as one leaf.

pub mod conflict;
mod field_manager;
mod fields_v1;
mod last_applied;
mod managed;
pub mod patch;
pub mod path;
mod scale;
pub mod set;
mod timestamp;
pub mod typed;
pub mod types;
mod updater;

pub use conflict::{Conflict, Conflicts};
pub use field_manager::{
    ApplyError, Convert, FieldManager, FieldManagerConfig, UnknownVersion, manager_name,
};
pub use managed::{Managed, ManagedError, OPERATION_APPLY, OPERATION_UPDATE};
pub use scale::ScaleHandler;
pub use timestamp::keep_old_times_if_equal;

/// Nesting that ownership is tracked to. Below it a value is one leaf: no schema comes near, and
/// the walks are recursive.
pub const DEPTH_MAX: usize = 200;
