//! What admission has to know of the kinds that are served.

use std::sync::Arc;

use ordain_merge::types::Types;
use ordain_meta::gvk::{GroupVersionKind, GroupVersionResource};
use ordain_value::Value;

use crate::request::Addressed;

/// The served kinds: which resources are the same under several versions, and how their objects
/// are converted, merged and read.
pub trait Kinds: Send + Sync {
    /// The resources under which the same objects can be written, in their order.
    fn equivalents(&self, resource: &GroupVersionResource, subresource: &str) -> Vec<Addressed>;

    /// Whether there are objects of a kind.
    fn is_served(&self, kind: &GroupVersionKind) -> bool;

    /// Whether a kind is one of Kubernetes itself.
    fn is_native(&self, kind: &GroupVersionKind) -> bool;

    /// How objects of a kind merge; none for kinds that cannot be applied.
    fn types(&self, kind: &GroupVersionKind) -> Option<Arc<Types>>;

    /// Reads an object that a patch changed as if it were sent, and fills in its defaults.
    ///
    /// # Errors
    /// When it is no object of the kind, or has unknown fields that count.
    fn reread(
        &self,
        kind: &GroupVersionKind,
        object: Value,
        strict: bool,
    ) -> Result<Value, Unreadable>;
}

/// Why what a patch made is no object of the kind, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unreadable {
    /// It cannot be decoded.
    Decode(String),
    /// It is an object of another kind.
    Convert(String),
}
