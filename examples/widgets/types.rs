//! The example API as Rust types: the same kind as crd.yaml and types.go.

use std::collections::BTreeMap;

use ordain::types::{IntOrString, RawExtension};
use ordain::{ObjectMeta, Resource, Schema};
use serde::{Deserialize, Serialize};

/// A widget of the shop.
#[derive(Clone, Debug, Resource, Serialize, Deserialize)]
#[ordain(
    group = "shop.example.com",
    version = "v1",
    short_name = "wd",
    category = "all",
    scale(spec = ".spec.replicas", status = ".status.replicas"),
    selectable_field = ".spec.size",
    printer_column(name = "Size", type = "string", json_path = ".spec.size"),
    printer_column(name = "Replicas", type = "integer", json_path = ".spec.replicas"),
    printer_column(name = "Age", type = "date", json_path = ".metadata.creationTimestamp")
)]
pub(crate) struct Widget {
    pub(crate) metadata: ObjectMeta,
    /// What is wanted.
    pub(crate) spec: WidgetSpec,
    /// What is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<WidgetStatus>,
    /// A word from the makers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) comment: Option<String>,
}

/// How big a widget is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Schema, Serialize, Deserialize)]
pub(crate) enum Size {
    Small,
    #[default]
    Medium,
    Large,
}

/// What is wanted of a widget.
#[derive(Clone, Debug, Default, Schema, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[ordain(
    rule(
        rule = "self.replicas <= 3 || self.size != 'Large'",
        message = "large widgets come in threes at most"
    ),
    rule(rule = "!has(oldSelf.owner) || has(self.owner)", message = "a widget keeps its owner")
)]
pub(crate) struct WidgetSpec {
    /// How big it is.
    #[ordain(default = Size::Medium)]
    #[serde(default)]
    pub(crate) size: Size,
    /// How many there are.
    #[ordain(default = 1, minimum = 0, maximum = 100)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) replicas: Option<i32>,
    /// Who it belongs to; it cannot change hands.
    #[ordain(max_length = 63, rule(rule = "self == oldSelf", message = "owner is immutable"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) owner: Option<String>,
    /// Stamped once and for all.
    #[ordain(immutable)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) serial: Option<String>,
    /// Where it is shown.
    #[ordain(format = "uri")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) homepage: Option<String>,
    /// What it is made of, by name.
    #[ordain(list_type = "map", list_map_key = "name", max_items = 20)]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) parts: Vec<Part>,
    /// Words to find it by.
    #[ordain(list_type = "set", max_items = 10)]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) tags: Vec<Tag>,
    /// How it is put together, in order.
    #[ordain(list_type = "atomic")]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) steps: Vec<String>,
    /// Prices by currency.
    #[ordain(max_properties = 5)]
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) prices: BTreeMap<String, i64>,
    /// How it looks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) finish: Option<Finish>,
    #[serde(flatten)]
    pub(crate) dimensions: Dimensions,
    /// How many may be missing during a change: a number or a share.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) max_missing: Option<IntOrString>,
    /// On the left side, or on the right.
    #[ordain(mutually_exclusive = "side")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) left: Option<String>,
    #[ordain(mutually_exclusive = "side")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) right: Option<String>,
    /// How high a stack of large ones may be.
    #[ordain(contextual(field = "size", value = "Large"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) stack_limit: Option<i32>,
    /// Null says that nobody wants to say anything.
    #[ordain(nullable)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) note: Option<String>,
    /// Anything else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) extra: Option<RawExtension>,
    /// Which widgets are made first.
    #[ordain(feature_gate = "WidgetPriority", warning = "spec.priority is young and may go")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) priority: Option<i32>,
}

/// A word.
#[derive(Clone, Debug, Schema, Serialize, Deserialize)]
#[ordain(max_length = 20, min_length = 1)]
pub(crate) struct Tag(pub(crate) String);

/// A part of a widget.
#[derive(Clone, Debug, Schema, Serialize, Deserialize)]
pub(crate) struct Part {
    #[ordain(max_length = 63, pattern = "^[a-z][a-z0-9-]*$")]
    pub(crate) name: String,
    #[ordain(default = 1, minimum = 1)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) count: Option<i32>,
}

/// How big it is, in millimetres.
#[derive(Clone, Debug, Default, Schema, Serialize, Deserialize)]
pub(crate) struct Dimensions {
    #[ordain(minimum = 0, exclusive_minimum)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) width: Option<f64>,
    #[ordain(minimum = 0, exclusive_minimum)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) height: Option<f64>,
}

/// The finish of a widget: paint, plating, or none.
#[derive(Clone, Debug, Schema)]
pub(crate) enum Finish {
    /// A color by name or as a triple.
    Paint(Paint),
    /// The metal.
    Plating(Option<String>),
    Raw,
}

/// A color.
#[derive(Clone, Debug, Schema, Serialize, Deserialize)]
pub(crate) struct Paint {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    #[ordain(min_items = 3, max_items = 3)]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) rgb: Vec<Channel>,
}

/// A channel of a color.
#[derive(Clone, Debug, Schema, Serialize, Deserialize)]
#[ordain(minimum = 0, maximum = 255)]
pub(crate) struct Channel(pub(crate) i32);

/// How far a widget is.
#[derive(Clone, Debug, Schema, Serialize, Deserialize)]
pub(crate) enum Phase {
    Pending,
    Ready,
    Broken,
}

/// What there is of a widget.
#[derive(Clone, Debug, Default, Schema, Serialize, Deserialize)]
pub(crate) struct WidgetStatus {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) replicas: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ordain(optional)]
    pub(crate) phase: Option<Phase>,
}
