//! REST verbs over a store: turns requests for objects into reads and commits of bytes.
//!
//! A [`RestConfig`] declares a resource: its names, versions and [`Strategy`]. The [`Registry`]
//! serves it with every verb. Each verb is one function that names its steps in the order of
//! Kubernetes: decode, patch or apply, prune, default, mutating admission, managed fields, system
//! fields, strategy prepare, validate, validating admission, commit.
//!
//! CustomResourceDefinitions are objects like others; their strategy installs what they define.
//!
//! Nothing here knows HTTP, and nothing knows which store is behind it. Time and randomness are
//! handed in.

mod admin_access;
pub mod admission;
pub mod aggregate;
mod ahead;
mod allocation;
mod cache;
pub mod caller;
mod certificates;
mod changes;
mod connect;
mod continue_token;
mod controllers;
mod convert;
mod crd_controller;
mod create;
pub mod declarations;
mod default_admission;
mod definitions;
mod delete;
mod delete_collection;
mod discard;
pub mod dynamic;
mod eviction;
mod flow_schemas;
mod get;
mod health;
mod initial;
mod known_definitions;
mod list;
mod list_options;
pub mod namespace;
mod own_service;
mod owner_references;
mod patch;
mod pod;
mod quota;
mod registry;
mod restore;
mod review;
mod scale;
pub mod trace;
mod type_definitions;
pub mod types;
mod update;
mod watch;
mod webhook_metrics;

pub use ordain_admission::access;
pub use ordain_admission::flows::Flow;
pub use ordain_kubernetes::admission::Configuration as AdmissionConfiguration;
pub use ordain_kubernetes::runtime_config::RuntimeConfig;
pub use ordain_kubernetes::{group_versions, schema_of};
pub use ordain_metrics as metrics;
pub use ordain_strategy::scale::native::message as scale_schema;
pub use ordain_strategy::subresource;
pub use ordain_strategy::{
    Caller, Column, DeleteOptions, Family, FieldValidation, ListOptions, Part, PatchType, Policy,
    RestConfig, Scale, Strategy, Target, Verbs, VersionConfig, Warnings, WriteKind, WriteOptions,
    crd, declared, decode, gates, meta_v1, object, request, reviewed, rollout, source, strategy,
    typed,
};

pub use allocation::ServiceRanges;
pub use cache::{Record, RecordList};
pub use changes::{Changed, Changes, follow};
pub use create::Created;
pub use default_admission::{DefaultAdmission, SERVICE_ACCOUNT};
pub use delete::Deleted;
pub use discard::discard;
pub use list::{Listed, Records};
pub use quota::ResourceQuota;
pub use registry::{Catalog, Options, Registry, Stored};
pub use restore::Snapshot;
pub use strategy::Change;
pub use update::Written;
pub use watch::{EventType, WatchEvent, Watcher, encode_line};
