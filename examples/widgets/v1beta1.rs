//! An older version of the example API: the same kind as in crd.yaml and v1beta1/types.go. It knows
//! fewer fields, which a write through it drops, and fewer limits; what was written through it stays
//! as it is.

use ordain::{ObjectMeta, Resource, Schema};
use serde::{Deserialize, Serialize};

/// A widget of the shop, as it was.
#[derive(Clone, Debug, Resource, Serialize, Deserialize)]
#[ordain(
    group = "shop.example.com",
    version = "v1beta1",
    short_name = "wd",
    category = "all",
    deprecated = "shop.example.com/v1beta1 Widget is old; use v1"
)]
pub(crate) struct Widget {
    pub(crate) metadata: ObjectMeta,
    /// What is wanted.
    pub(crate) spec: WidgetSpec,
    /// What is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<WidgetStatus>,
}

/// What is wanted of a widget.
#[derive(Clone, Debug, Schema, Serialize, Deserialize)]
pub(crate) struct WidgetSpec {
    #[ordain(default = "Small")]
    #[serde(default)]
    pub(crate) size: String,
    #[ordain(default = 2, minimum = 0)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) replicas: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) owner: Option<String>,
    #[ordain(list_type = "set")]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) tags: Vec<String>,
    #[ordain(default = "gray")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) color: Option<String>,
}

/// What there is of a widget.
#[derive(Clone, Debug, Schema, Serialize, Deserialize)]
pub(crate) struct WidgetStatus {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) replicas: Option<i32>,
}
