//! Metadata of typed objects.

use std::collections::BTreeMap;

use ordain_value::Value;
use serde::{Deserialize, Serialize};

/// What every object has besides its kind. Fields that typed code rarely touches are in
/// [`ObjectMeta::rest`], as they are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ObjectMeta {
    /// The name, unique among the objects of its kind and namespace.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// What a name is made from when there is none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub generate_name: String,
    /// The namespace; empty for kinds without.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    /// What tells this object from others that had its name.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub uid: String,
    /// The version of the object in the store; a write that names it fails when there is a newer
    /// one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub resource_version: String,
    /// Grows with every change of what is wanted.
    #[serde(skip_serializing_if = "is_zero")]
    pub generation: i64,
    /// When it was created, in RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub creation_timestamp: Option<String>,
    /// When it was asked to go away, in RFC 3339; it stays until its finalizers are gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deletion_timestamp: Option<String>,
    /// Labels, which selectors look at.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// Annotations, which nobody looks at but those who know them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
    /// What has to happen before it can go away.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub finalizers: Vec<String>,
    /// Owners, managed fields and whatever else there is.
    #[serde(flatten)]
    pub rest: BTreeMap<String, Value>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
fn is_zero(number: &i64) -> bool {
    *number == 0
}

impl ObjectMeta {
    /// Metadata with a name.
    #[must_use]
    pub fn named(name: impl Into<String>) -> Self {
        ObjectMeta { name: name.into(), ..ObjectMeta::default() }
    }
}
