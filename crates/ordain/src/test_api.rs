//! What tests may ask of a server besides its API: faults, schedules and conditions to wait for.
//!
//! A [`TestServer`](crate::testing::TestServer) takes them as values; `ordain test-server` takes the
//! same over HTTP.

pub use ordain_testapi::{Fault, Quiet, Rule, Schedule, Wait};
