//! Turns the store contract of `ordain-storage` into calls to etcd 3.4 or newer.
//!
//! Several servers may share one etcd: each commit is one etcd transaction that compares the mod
//! revisions of its keys, and the revisions of the store are those of etcd. Keys are used as they
//! are handed in.
//!
//! All watches of a store are served from one watch of the whole key space. That way every
//! revision of etcd shows up as an event, so the store always knows how far it has read; the
//! progress notifications of etcd before 3.4.25 can overtake events and are not used. After a
//! lost connection the watch goes on from the last revision it has read.
//!
//! The messages are written by hand (`message`), so that no protocol compiler is needed to build.

mod client;
mod endpoints;
mod follower;
mod message;
mod status;
mod store;
mod upstream;

pub use client::{EtcdOptions, EtcdTls};
pub use store::EtcdStore;
