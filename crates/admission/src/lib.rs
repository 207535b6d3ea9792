//! Admission that users bring: policies in CEL and webhooks, without the network.
//!
//! * [`request`] is what admission sees of a write, [`matching`] decides who is asked about it;
//! * [`policy`] compiles ValidatingAdmissionPolicies and MutatingAdmissionPolicies and evaluates
//!   them within their budgets;
//! * [`webhook`] says what a webhook is sent and what its answer means, [`conversion`] the same for
//!   those that convert;
//! * [`access`] and [`roles`] decide who may do what, for requests and for expressions;
//! * [`flows`] says which level of priority a request has;
//! * [`state`] holds all of them, found by the resource of a request.
//!
//! Invariant: nothing here waits, reads a clock or a store. Objects, namespaces and parameters are
//! handed in, so a server and a validator of files judge by the same code.

pub mod access;
mod condition;
pub mod conversion;
mod environment;
mod evaluate;
mod expression;
pub mod flows;
mod index;
pub mod kinds;
pub mod matching;
pub mod policy;
mod reads;
mod reinvocation;
pub mod request;
pub mod roles;
pub mod served;
pub mod state;
pub mod webhook;

pub use condition::FailurePolicy;
pub use kinds::{Kinds, Unreadable};
pub use matching::Namespace;
pub use reinvocation::Reinvocation;
pub use request::{Addressed, Operation, Request};
pub use served::{Resources, Served};
pub use state::State;
