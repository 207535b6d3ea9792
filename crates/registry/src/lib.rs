//! REST verbs over a store: turns requests for objects into reads and commits of bytes.
//!
//! A [`RestConfig`] declares a resource: its names, versions and [`Strategy`]. The [`Registry`]
//! serves it with every verb. Each verb is one function that names its steps in the order of
//! Kubernetes: decode, patch or apply, prune, default, mutating admission, managed fields, system
//! fields, strategy prepare, validate, validating admission, commit.
//!
//! CustomResourceDefinitions are objects like others; their strategy installs what they define.
//!
//! Nothing here knows HTTP, and nothing knows which store is behind it. Time and chance are handed
//! in.

pub mod admission;
mod apply;
mod cache;
pub mod caller;
mod continue_token;
mod controllers;
pub mod conventions;
pub mod crd;
mod crd_controller;
mod create;
mod custom;
pub mod declared;
pub mod decode;
mod delete;
mod delete_collection;
pub mod gates;
mod get;
mod graceful;
mod health;
mod hooks;
pub mod kinds;
mod list;
mod list_options;
mod managed_fields;
pub mod metrics;
pub mod namespace;
pub mod object;
mod patch;
pub mod rbac;
mod registry;
mod request;
mod rest_config;
mod review;
mod reviewed;
pub mod rollout;
mod scale;
pub mod source;
pub mod strategy;
mod type_definitions;
pub mod types;
mod update;
mod watch;

pub use cache::Record;
pub use delete::Deleted;
pub use list::{Listed, Records};
pub use patch::PatchType;
pub use registry::{Catalog, Options, Registry, Stored, Target};
pub use request::{DeleteOptions, FieldValidation, ListOptions, Warnings, WriteKind, WriteOptions};
pub use rest_config::{Column, Family, RestConfig, Scale, Verbs, VersionConfig};
pub use strategy::Change;
pub use strategy::{Part, Policy, Strategy};
pub use update::Written;
pub use watch::{EventType, WatchEvent, Watcher, encode_line};
