//! The library behind the `ordain` command.
//!
//! [`testing`] runs a whole API server inside a test: it starts in milliseconds, answers the same
//! each time, and goes away when it is dropped. [`manifest`] loads objects into a registry.

pub mod manifest;
pub mod testing;
