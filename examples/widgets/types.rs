//! The example API as Rust types: the same kind as crd.yaml and types.go. An older version of it is
//! in v1beta1.rs.

use std::collections::BTreeMap;

use ordain::types::{Bytes, Duration, IntOrString, Quantity, RawExtension, Time};
use ordain::{ObjectMeta, Resource, Schema};
use serde::{Deserialize, Serialize};

/// A widget of the shop.
#[derive(Clone, Debug, Resource, Serialize, Deserialize)]
#[ordain(
    group = "shop.example.com",
    version = "v1",
    short_name = "wd",
    category = "all",
    storage,
    name_format = "dns1123label",
    scale(spec = ".spec.replicas", status = ".status.replicas", selector = ".status.selector"),
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
    #[ordain(conversion_name = "-")]
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
    rule(rule = "!has(oldSelf.owner) || has(self.owner)", message = "a widget keeps its owner"),
    rule(
        rule = "!has(self.parts) || self.parts.all(part, part.count <= 50)",
        message_expression = "'at most 50 of each part, from ' + self.parts[0].name + ' on'",
        reason = "Forbidden",
        field = "parts"
    )
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
    #[ordain(conversion_name = "-")]
    #[ordain(immutable)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) serial: Option<String>,
    /// Where it is shown.
    #[ordain(conversion_name = "-")]
    #[ordain(format = "uri")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) homepage: Option<String>,
    /// What it is made of, by name.
    #[ordain(conversion_name = "-")]
    #[ordain(list_type = "map", list_map_key = "name", max_items = 20)]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) parts: Vec<Part>,
    /// Words to find it by.
    #[ordain(list_type = "set", max_items = 10)]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) tags: Vec<Tag>,
    /// How it is put together, in order.
    #[ordain(conversion_name = "-")]
    #[ordain(list_type = "atomic")]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) steps: Vec<String>,
    /// Prices by currency.
    #[ordain(conversion_name = "-")]
    #[ordain(max_properties = 5)]
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) prices: BTreeMap<String, i64>,
    /// How it looks.
    #[ordain(conversion_name = "-")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) finish: Option<Finish>,
    #[serde(flatten)]
    pub(crate) dimensions: Dimensions,
    /// How many may be missing during a change: a number or a share.
    #[ordain(conversion_name = "-")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) max_missing: Option<IntOrString>,
    /// On the left side, or on the right.
    #[ordain(conversion_name = "-")]
    #[ordain(mutually_exclusive = "side")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) left: Option<String>,
    #[ordain(conversion_name = "-")]
    #[ordain(mutually_exclusive = "side")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) right: Option<String>,
    /// How high a stack of large ones may be.
    #[ordain(conversion_name = "-")]
    #[ordain(contextual(field = "size", value = "Large"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) stack_limit: Option<i32>,
    /// Null says that nobody wants to say anything.
    #[ordain(conversion_name = "-")]
    #[ordain(nullable)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) note: Option<String>,
    /// Anything else.
    #[ordain(conversion_name = "-")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) extra: Option<RawExtension>,
    /// What it looks like.
    #[ordain(
        default = "gray",
        selectable,
        printer_column(name = "Color", type = "string", priority = 1)
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) color: Option<String>,
    /// Whether customers see it.
    #[ordain(conversion_name = "-")]
    #[ordain(default = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) visible: Option<bool>,
    /// What is left of the price.
    #[ordain(conversion_name = "-")]
    #[ordain(default = 0.75, minimum = 0, maximum = 1, exclusive_maximum)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rebate: Option<f64>,
    /// Where it is sold.
    #[ordain(conversion_name = "-")]
    #[ordain(default = ["shop", "fair"], list_type = "atomic")]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) channels: Vec<String>,
    /// How it is packed.
    #[ordain(conversion_name = "-")]
    #[ordain(default = Packaging { material: Some("wood".to_owned()), layers: None })]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) packaging: Option<Packaging>,
    /// How many may be sold in a while; written as a whole.
    #[ordain(conversion_name = "-")]
    #[ordain(
        map_type = "atomic",
        min_properties = 1,
        max_properties = 3,
        rule(
            rule = "self.all(unit, unit in ['minute', 'hour', 'day'])",
            message = "a while is a minute, an hour or a day"
        )
    )]
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) limits: BTreeMap<String, i32>,
    /// Where it is fixed; written as a whole.
    #[ordain(conversion_name = "-")]
    #[ordain(struct_type = "atomic")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) anchor: Option<Point>,
    /// A part to have at hand, a few of it.
    #[ordain(conversion_name = "-")]
    #[ordain(overrides(path = "count", maximum = 5))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) spare: Option<Part>,
    /// How heavy it is.
    #[ordain(conversion_name = "-")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mass: Option<Quantity>,
    /// Since when it is made.
    #[ordain(conversion_name = "-")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) since: Option<Time>,
    /// How long it lasts.
    #[ordain(conversion_name = "-")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) life: Option<Duration>,
    /// A picture of it.
    #[ordain(conversion_name = "-")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) icon: Option<Bytes>,
    /// What its friends call it.
    #[ordain(conversion_name = "-")]
    #[ordain(
        min_length = 2,
        error(keyword = "minLength", message = "a name has two letters at least")
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) nickname: Option<String>,
    /// What is written on it.
    #[ordain(conversion_name = "-")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) engraving: Option<Engraving>,
    /// Which widgets are made first.
    #[ordain(conversion_name = "-")]
    #[ordain(feature_gate = "WidgetPriority", warning = "young and may go")]
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
    /// How it is joined to the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) joint: Option<Joint>,
}

/// A joint: screws, glue, or nothing.
#[derive(Clone, Debug, Schema)]
#[ordain(discriminator = "kind")]
pub(crate) enum Joint {
    Glue(String),
    Screws(i32),
    #[ordain(value = "")]
    Loose,
}

/// How a widget is packed.
#[derive(Clone, Debug, Schema, Serialize, Deserialize)]
pub(crate) struct Packaging {
    #[ordain(default = "paper")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) material: Option<String>,
    #[ordain(default = 1)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) layers: Option<i32>,
}

/// A place in the plane.
#[derive(Clone, Debug, Schema, Serialize, Deserialize)]
pub(crate) struct Point {
    pub(crate) x: i32,
    pub(crate) y: i32,
}

/// What is written on a widget, by the rules of validation-gen.
#[derive(Clone, Debug, Schema, Serialize, Deserialize)]
pub(crate) struct Engraving {
    #[ordain(k8s(required, max_length = 8))]
    pub(crate) text: String,
    #[ordain(k8s(
        optional,
        minimum = 1,
        alpha(since = "1.36", maximum = 9),
        if_disabled("WidgetPriority", maximum = 30)
    ))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) height: Option<i32>,
    #[ordain(
        k8s(optional, max_items = 3, each_val(max_length = 4)),
        list_type = "atomic",
        k8s(list_type = "atomic")
    )]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) marks: Vec<String>,
}

/// How big it is, in millimetres.
#[derive(Clone, Debug, Default, Schema, Serialize, Deserialize)]
pub(crate) struct Dimensions {
    #[ordain(conversion_name = "-")]
    #[ordain(minimum = 0, exclusive_minimum)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) width: Option<f64>,
    #[ordain(conversion_name = "-")]
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
    #[ordain(conversion_name = "-")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) phase: Option<Phase>,
    /// Which pods there are, as text.
    #[ordain(conversion_name = "-")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) selector: Option<String>,
    #[ordain(conversion_name = "-")]
    #[ordain(list_type = "map", list_map_key = "type")]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) conditions: Vec<Condition>,
}

/// One thing that is known of a widget.
#[derive(Clone, Debug, Schema, Serialize, Deserialize)]
pub(crate) struct Condition {
    pub(crate) r#type: String,
    pub(crate) status: String,
}
