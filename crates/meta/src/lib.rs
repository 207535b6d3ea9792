//! The nouns that every Kubernetes-style API shares.
//!
//! Turns wire texts into typed words and back: group, version, kind and resource ([`gvk`]),
//! answers that are no object ([`status`]), label and field selectors ([`selector`]), quantities
//! ([`quantity`]), integers that may be texts ([`int_or_string`]), times ([`time`]), the name
//! formats ([`name`]), addresses ([`net`]), formats by name ([`mod@format`]), releases
//! ([`release`]), advice on finalizers ([`finalizer`]) and ObjectMeta with its rules
//! ([`object_meta`]).
//!
//! Texts that users see (refusals, parse errors) are those of Kubernetes, and each has exactly
//! one constructor. Nothing here knows schemas, storage, HTTP, the clock or randomness.

#![warn(missing_docs)]

pub mod finalizer;
pub mod format;
pub mod gvk;
pub mod int_or_string;
pub mod name;
pub mod net;
pub mod object_meta;
pub mod quantity;
pub mod release;
pub mod resource_name;
pub mod selector;
pub mod status;
pub mod time;

pub use gvk::{GroupKind, GroupResource, GroupVersion, GroupVersionKind, GroupVersionResource};
pub use object_meta::ObjectMeta;
pub use release::KubeVersion;
pub use status::Status;
