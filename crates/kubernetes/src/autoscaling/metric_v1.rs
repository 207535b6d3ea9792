//! Metrics as `autoscaling/v1` keeps them in annotations: other names of fields, one JSON text.
//!
//! The text has the order of the Go types, so that it is the same for all writers.

use ordain_value::{List, Map, Text, Value};

use crate::shared::{fields, internal, selector};

/// Parts of a metric that both versions have, by type: the field of the metric and what the fields
/// of its source or status are.
const MEMBERS: [(&str, &str); 5] = [
    ("Object", "object"),
    ("Pods", "pods"),
    ("Resource", "resource"),
    ("ContainerResource", "containerResource"),
    ("External", "external"),
];

/// Whether wanted values are converted or measured ones.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Target,
    Current,
}

impl Side {
    /// The part of a metric that has the values.
    fn part(self) -> &'static str {
        if self == Side::Target { "target" } else { "current" }
    }

    /// The name of a value in v1: `targetValue`, `currentAverageValue`.
    fn named(self, value: &str) -> String {
        format!("{}{value}", self.part())
    }
}

/// The JSON text of metrics.
pub(super) fn encode(metrics: &[Value], side: Side) -> String {
    internal::list(metrics, |metric| encode_one(metric, side))
}

fn encode_one(metric: &Value, side: Side) -> String {
    let mut members = vec![("type", internal::plain(metric.get("type")))];
    for (_, name) in MEMBERS {
        if let Some(part) = fields::at(metric, &[name]) {
            members.push((name, encode_member(name, part, side)));
        }
    }
    internal::structure_text(&members)
}

/// Fields that are left out when absent, and those that always have a quantity.
struct Writer {
    members: Vec<(String, String)>,
}

impl Writer {
    fn text(&mut self, name: &str, value: &str) {
        self.members.push((name.to_owned(), internal::plain(Some(&value.into()))));
    }

    fn optional(&mut self, name: &str, value: Option<&Value>) {
        if let Some(value) = value {
            self.members.push((name.to_owned(), internal::plain(Some(value))));
        }
    }

    fn quantity(&mut self, name: &str, value: Option<&Value>) {
        let zero = Value::from("0");
        self.members.push((name.to_owned(), internal::plain(Some(value.unwrap_or(&zero)))));
    }

    fn selector(&mut self, name: &str, value: Option<&Value>) {
        if value.is_some() {
            self.members.push((name.to_owned(), internal::text(selector::shown(value))));
        }
    }

    fn finish(self) -> String {
        let members: Vec<(&str, String)> =
            self.members.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
        internal::structure_text(&members)
    }
}

fn encode_member(name: &str, part: &Value, side: Side) -> String {
    let mut out = Writer { members: Vec::new() };
    let value = |field: &str| fields::at(part, &[side.part(), field]);
    let metric = fields::text(part, &["metric", "name"]);
    let chosen = fields::at(part, &["metric", "selector"]);
    match name {
        "object" => {
            out.members.push(("target".to_owned(), encode_reference(part)));
            out.text("metricName", metric);
            out.quantity(&side.named("Value"), value("value"));
            out.selector("selector", chosen);
            out.optional("averageValue", value("averageValue"));
        }
        "pods" => {
            out.text("metricName", metric);
            out.quantity(&side.named("AverageValue"), value("averageValue"));
            out.selector("selector", chosen);
        }
        "external" => {
            out.text("metricName", metric);
            out.selector("metricSelector", chosen);
            if side == Side::Target {
                out.optional("targetValue", value("value"));
            } else {
                out.quantity("currentValue", value("value"));
            }
            out.optional(&side.named("AverageValue"), value("averageValue"));
        }
        _ => {
            out.text("name", fields::text(part, &["name"]));
            out.optional(&side.named("AverageUtilization"), value("averageUtilization"));
            if side == Side::Target {
                out.optional("targetAverageValue", value("averageValue"));
            } else {
                out.quantity("currentAverageValue", value("averageValue"));
            }
            if name == "containerResource" {
                out.text("container", fields::text(part, &["container"]));
            }
        }
    }
    out.finish()
}

fn encode_reference(part: &Value) -> String {
    let text = |name: &str| fields::text(part, &["describedObject", name]);
    let mut out = Writer { members: Vec::new() };
    out.text("kind", text("kind"));
    out.text("name", text("name"));
    if !text("apiVersion").is_empty() {
        out.text("apiVersion", text("apiVersion"));
    }
    out.finish()
}

/// The metrics of a JSON text that was decoded; what is no list of objects is none.
pub(super) fn decode(list: &Value, side: Side) -> Option<Vec<Value>> {
    let list = list.as_list()?;
    let are_objects = list.iter().all(|it| it.as_map().is_some());
    are_objects.then(|| list.iter().map(|metric| decode_one(metric, side)).collect())
}

fn decode_one(metric: &Value, side: Side) -> Value {
    let mut out = Map::new();
    out.insert("type", fields::text(metric, &["type"]).into());
    for (_, name) in MEMBERS {
        if let Some(part) = fields::at(metric, &[name]) {
            out.insert(name, decode_member(name, part, side));
        }
    }
    Value::Map(out)
}

fn decode_member(name: &str, part: &Value, side: Side) -> Value {
    let value = |field: &str| fields::at(part, &[side.named(field).as_str()]).cloned();
    let zero = || Value::from("0");
    let average_value = if name == "object" {
        fields::at(part, &["averageValue"]).cloned()
    } else {
        value("AverageValue")
    };
    let utilization = value("AverageUtilization");
    let mut values = Map::new();
    let mut put = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            values.insert(Text::from(name), value);
        }
    };
    let (ty, plain, average) = match name {
        "object" if average_value.is_none() => {
            ("Value", Some(value("Value").unwrap_or_else(zero)), None)
        }
        "object" => {
            let shown = value("Value").filter(|it| side == Side::Current || *it != zero());
            ("AverageValue", shown, average_value)
        }
        "pods" => ("AverageValue", None, Some(average_value.unwrap_or_else(zero))),
        "external" if side == Side::Target => {
            let plain = value("Value");
            (if plain.is_none() { "AverageValue" } else { "Value" }, plain, average_value)
        }
        "external" => ("", Some(value("Value").unwrap_or_else(zero)), average_value),
        _ if side == Side::Target => (
            if utilization.is_none() { "AverageValue" } else { "Utilization" },
            None,
            average_value,
        ),
        _ => ("", None, Some(average_value.unwrap_or_else(zero))),
    };
    if side == Side::Target {
        put("type", Some(ty.into()));
    }
    put("value", plain);
    put("averageValue", average);
    put("averageUtilization", utilization);
    let mut out = Map::new();
    out.insert(side.part(), Value::Map(values));
    identify(name, part, &mut out);
    Value::Map(out)
}

/// What is measured: a resource, or a metric by name and selector.
fn identify(name: &str, part: &Value, out: &mut Map) {
    if matches!(name, "resource" | "containerResource") {
        out.insert("name", fields::text(part, &["name"]).into());
        if name == "containerResource" {
            out.insert("container", fields::text(part, &["container"]).into());
        }
        return;
    }
    let mut metric = Map::new();
    metric.insert("name", fields::text(part, &["metricName"]).into());
    let field = if name == "external" { "metricSelector" } else { "selector" };
    if let Some(selector) = fields::at(part, &[field]) {
        metric.insert("selector", selector.clone());
    }
    out.insert("metric", Value::Map(metric));
    if name == "object" {
        let reference = fields::at(part, &["target"]).cloned().unwrap_or(Value::Map(Map::new()));
        out.insert("describedObject", reference);
    }
}

/// A list as a value; absent when empty.
pub(super) fn listed(items: Vec<Value>) -> Option<Value> {
    (!items.is_empty()).then(|| Value::List(List::from(items)))
}
