//! Metadata of typed objects.

use std::collections::BTreeMap;

use ordain_value::Value;
use serde::{Deserialize, Serialize};

/// What every object has besides its kind. Fields that typed code rarely touches are in
/// [`ObjectMeta::rest`], as they are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ObjectMeta {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub generate_name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub namespace: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub uid: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub resource_version: String,
    #[serde(skip_serializing_if = "is_zero")]
    pub generation: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub creation_timestamp: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deletion_timestamp: Option<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
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
