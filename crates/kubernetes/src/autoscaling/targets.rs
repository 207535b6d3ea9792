//! The column of targets: what is measured, beside what is wanted.

use ordain_value::Value;

use crate::shared::fields;

const SHOWN_MAX: usize = 2;

/// The first metrics in short, and how many more there are.
pub(super) fn show(autoscaler: &Value) -> String {
    let wanted = fields::list(autoscaler, &["spec", "metrics"]);
    if wanted.is_empty() {
        return "<none>".to_owned();
    }
    let measured = fields::list(autoscaler, &["status", "currentMetrics"]);
    let shown: Vec<String> = wanted
        .iter()
        .take(SHOWN_MAX)
        .enumerate()
        .map(|(at, metric)| one(metric, measured.get(at)))
        .collect();
    let text = shown.join(", ");
    match wanted.len().saturating_sub(SHOWN_MAX) {
        0 => text,
        more => format!("{text} + {more} more..."),
    }
}

fn one(metric: &Value, measured: Option<&Value>) -> String {
    let member = match fields::text(metric, &["type"]) {
        "External" => "external",
        "Pods" => "pods",
        "Object" => "object",
        "Resource" => "resource",
        "ContainerResource" => "containerResource",
        _ => return "<unknown type>".to_owned(),
    };
    let target = |name: &str| fields::at(metric, &[member, "target", name]);
    let current = measured.and_then(|it| fields::at(it, &[member]));
    let found = |name: &str| current.and_then(|it| fields::at(it, &["current", name]));
    let quantity = |value: Option<&Value>, absent: &str| {
        value.and_then(Value::as_str).unwrap_or(absent).to_owned()
    };
    let percent = |value: Option<&Value>, absent: &str| {
        value.and_then(Value::as_int).map_or_else(|| absent.to_owned(), |it| format!("{it}%"))
    };
    // A status without the value shows a pointer to nothing.
    let measured_or_nil = |name| {
        if current.is_some() { quantity(found(name), "<nil>") } else { "<unknown>".to_owned() }
    };
    if matches!(member, "resource" | "containerResource") {
        let name = fields::text(metric, &[member, "name"]);
        return match target("averageValue") {
            Some(value) => {
                let found = measured_or_nil("averageValue");
                format!("{name}: {found}/{}", quantity(Some(value), ""))
            }
            None => {
                let found = percent(found("averageUtilization"), "<unknown>");
                format!("{name}: {found}/{}", percent(target("averageUtilization"), "<auto>"))
            }
        };
    }
    if member == "pods" {
        let found = measured_or_nil("averageValue");
        return format!("{found}/{}", quantity(target("averageValue"), "<nil>"));
    }
    match target("averageValue") {
        Some(value) => {
            let found = quantity(found("averageValue"), "<unknown>");
            format!("{found}/{} (avg)", quantity(Some(value), ""))
        }
        None => {
            format!("{}/{}", measured_or_nil("value"), quantity(target("value"), "<nil>"))
        }
    }
}
