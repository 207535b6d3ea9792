//! What becomes of an object under each verb: pure, synchronous, the same for servers and files.
//!
//! A [`RestConfig`] declares a resource: its names, versions and [`Strategy`]. Each verb is a
//! spine, a row of steps in the order of Kubernetes: decode, patch or apply, prune, default,
//! mutating admission, managed fields, system fields, strategy prepare, validate, validating
//! admission. A spine is a type per stage ([`create::Read`] ▸ [`create::Admitted`],
//! [`update::Proposed`] ▸ [`update::Settled`] ▸ [`update::Admitted`]), so that no step can be left
//! out or swapped; the caller acts at the seams between stages (admission, what is given from a
//! [`pool`]) and at the end (commit or report).
//!
//! Invariant: nothing here waits, reads a clock, draws a random number or touches a store. Time,
//! randomness and the user come in through [`Context`].

#![warn(missing_docs)]

mod apply;
mod context;
pub mod conversion;
pub mod crd;
pub mod create;
pub mod custom;
pub mod declared;
pub mod decode;
pub mod gates;
pub mod graceful;
pub mod hooks;
mod judge;
pub mod managed_fields;
pub mod meta_v1;
pub mod object;
pub mod patch;
pub mod pool;
mod refusal;
pub mod request;
mod rest_config;
pub mod reviewed;
pub mod rollout;
pub mod scale;
pub mod source;
pub mod strategy;
pub mod subresource;
mod target;
pub mod typed;
pub mod update;
mod user;

pub use context::{Caller, Context};
pub use conversion::{ConversionWebhook, Conversions};
pub use judge::{
    Admission, Judging, NoAdmission, Verdict, Write, committed, judge_create, judge_patch,
    judge_status, judge_update, read_back, stored, surely_takes,
};
pub use patch::{Patch, PatchType};
pub use refusal::Refusal;
pub use request::{DeleteOptions, FieldValidation, ListOptions, Warnings, WriteKind, WriteOptions};
pub use rest_config::{Column, Family, RestConfig, Scale, Verbs, VersionConfig};
pub use strategy::{Change, Dropped, Known, Part, Policy, Strategy};
pub use target::Target;
pub use user::{ANONYMOUS, AUTHENTICATED, MASTERS, UNAUTHENTICATED, User};
