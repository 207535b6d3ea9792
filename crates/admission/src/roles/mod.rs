//! Role-based access: roles and bindings to decisions about users.
//!
//! [`Policy`] arranges the objects of a moment; it answers requests ([`crate::access`]) and the
//! expressions of admission policies ([`Rights`]) alike, for a server and for files.

mod index;
mod policy;
mod rights;
pub mod rule;

/// The group of roles and bindings.
pub const GROUP: &str = "rbac.authorization.k8s.io";

pub use policy::{Applied, Part, Policy, RoleRef, account_user};
pub use rights::Rights;
pub use rule::Rule;
