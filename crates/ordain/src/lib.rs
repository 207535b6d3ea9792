//! A Kubernetes-style API for kinds of your own, declared as Rust types.
//!
//! [`Resource`] and [`Schema`] are derived: the types, their documentation, their serde attributes
//! and `#[ordain(…)]` say what Go's tags say in Go, and both give the same schema. From that one
//! declaration come defaulting, pruning, unions, validation, ratcheting, strategies, OpenAPI and
//! the served API. [`Server`] serves kinds; [`Hooks`] adds what no declaration can say, on typed
//! objects.
//!
//! The way through the crate: [`declare`] collects what types say about themselves and lowers it,
//! [`hooks`] brings typed functions to objects, [`server`] puts kinds, a store, HTTPS, credentials,
//! roles and limits together.
//! [`testing`] runs a whole API server inside a test: it starts in milliseconds, answers the same
//! each time, and goes away when it is dropped.
//!
//! The commands are in a package of their own, `ordain-cli`, so that a product depends on neither a
//! command line nor a language server. Objects are kept in one file, in memory or in a store of
//! your own; with the feature `etcd` they can be kept in an etcd, which several servers may share.
#![doc = include_str!("../attributes.md")]
#![warn(missing_docs)]

// The derives name this crate by its name, also from inside it.
extern crate self as ordain;

pub mod declare;
pub mod hooks;
pub mod kind;
mod object_meta;
mod patch;
mod served;
pub mod server;
pub mod test_api;
pub mod testing;
pub mod types;

// Whatever a signature of this crate names can be named by its users.
pub use ordain_conventions as conventions;
pub use ordain_meta as meta;
pub use ordain_schema as schema;
pub use ordain_storage as storage;
pub use ordain_strategy as strategy;

pub use hooks::Hooks;
pub use kind::{HasSpec, HasStatus, Resource, Schema};
pub use object_meta::ObjectMeta;
pub use ordain_derive::{Resource, Schema};
pub use ordain_value::{Value, field, value};
pub use serde;
pub use server::Server;
