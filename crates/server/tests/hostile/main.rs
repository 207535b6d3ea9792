//! Hostile requests: those that are malformed, those that are too much, and those that are merely
//! made to take long.

#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

mod attacks;
mod faults;
mod growth;
mod heavy;
mod held;
mod server;
mod surface;
