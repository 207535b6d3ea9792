//! `autoscaling/v1` and `v2`: v2 has everything; v1 keeps what it has no field for in annotations.

use ordain_strategy::object;
use ordain_value::{Map, Value, json, value};

use super::behavior;
use super::metric_v1::{self, Side};
use crate::shared::{diff, fields};

const METRICS: &str = "autoscaling.alpha.kubernetes.io/metrics";
const CURRENT_METRICS: &str = "autoscaling.alpha.kubernetes.io/current-metrics";
const CONDITIONS: &str = "autoscaling.alpha.kubernetes.io/conditions";
const BEHAVIOR: &str = "autoscaling.alpha.kubernetes.io/behavior";
/// All annotations that carry fields; nobody else's are kept.
const CARRIERS: [&str; 6] = [
    METRICS,
    BEHAVIOR,
    "autoscaling.alpha.kubernetes.io/scale-down-tolerance",
    "autoscaling.alpha.kubernetes.io/scale-up-tolerance",
    CURRENT_METRICS,
    CONDITIONS,
];
const DEFAULT_UTILIZATION: i64 = 80;

/// Whether an object is of the first version.
pub(super) fn is_v1(object: &Value) -> bool {
    object::gvk(object).version == "v1"
}

/// The object in another version.
pub(super) fn convert(autoscaler: &Value, version: &str) -> Value {
    match (is_v1(autoscaler), version) {
        (true, "v1") | (false, "v2") => autoscaler.clone(),
        (true, _) => to_v2(autoscaler),
        (false, _) => to_v1(autoscaler),
    }
}

/// The object in the version that has everything.
pub(super) fn to_v2_form(autoscaler: &Value) -> Value {
    convert(autoscaler, "v2")
}

/// Removes annotations that carry fields of the other version.
pub(super) fn drop_carriers(autoscaler: &mut Value) {
    let steps = ["metadata", "annotations"];
    let Some(map) = fields::map(autoscaler, &steps) else { return };
    if !CARRIERS.iter().any(|key| map.contains_key(key)) {
        return;
    }
    let mut kept = map.clone();
    kept.retain(|key, _| !CARRIERS.contains(&key.as_str()));
    if kept.is_empty() {
        autoscaler.remove_path(&steps);
    } else {
        autoscaler.set_path(&steps, Value::Map(kept));
    }
}

/// The metric that v1 has fields for.
fn cpu(part: &str, utilization: &Value) -> Value {
    let mut values = Map::new();
    values.insert("averageUtilization", utilization.clone());
    if part == "target" {
        values.insert("type", "Utilization".into());
    }
    let mut resource = Map::new();
    resource.insert("name", "cpu".into());
    resource.insert(part, Value::Map(values));
    value!({"type": "Resource", "resource": resource})
}

/// The utilization of a metric of the CPU.
fn cpu_utilization<'a>(metric: &'a Value, part: &str) -> Option<&'a Value> {
    let is_cpu = fields::text(metric, &["type"]) == "Resource"
        && fields::text(metric, &["resource", "name"]) == "cpu";
    is_cpu.then(|| fields::at(metric, &["resource", part, "averageUtilization"])).flatten()
}

fn carried(autoscaler: &Value, key: &str) -> Option<Value> {
    let text = fields::text(autoscaler, &["metadata", "annotations", key]);
    if text.is_empty() { None } else { json::decode(text.as_bytes()).ok() }
}

/// Fields that both versions have, from one object to another.
fn copy(from: &Value, to: &mut Value, part: &str, names: &[&str]) {
    for name in names {
        if let Some(value) = from.get_path(&[part, name]) {
            to.set_path(&[part, name], value.clone());
        }
    }
}

const SPEC: [&str; 3] = ["scaleTargetRef", "minReplicas", "maxReplicas"];
const STATUS: [&str; 3] = ["observedGeneration", "lastScaleTime", "desiredReplicas"];

fn to_v2(v1: &Value) -> Value {
    let mut out = value!({
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": v1.get("metadata").cloned().unwrap_or(Value::Map(Map::new()))
    });
    copy(v1, &mut out, "spec", &SPEC);
    copy(v1, &mut out, "status", &STATUS);
    let replicas = fields::count(v1, &["status", "currentReplicas"]);
    if replicas != 0 {
        out.set_path(&["status", "currentReplicas"], replicas.into());
    }
    let others = carried(v1, METRICS).and_then(|list| metric_v1::decode(&list, Side::Target));
    let mut metrics = others.unwrap_or_default();
    if let Some(target) = fields::at(v1, &["spec", "targetCPUUtilizationPercentage"]) {
        metrics.push(cpu("target", target));
    }
    if metrics.is_empty() {
        metrics.push(cpu("target", &DEFAULT_UTILIZATION.into()));
    }
    out.set_path(&["spec", "metrics"], metrics.into());
    if let Some(behavior) = carried(v1, BEHAVIOR).and_then(|text| behavior::decode(&text)) {
        out.set_path(&["spec", "behavior"], behavior);
    }
    let current = carried(v1, CURRENT_METRICS)
        .and_then(|list| metric_v1::decode(&list, Side::Current))
        .or_else(|| {
            let found = fields::at(v1, &["status", "currentCPUUtilizationPercentage"])?;
            Some(vec![cpu("current", found)])
        });
    let current = current.and_then(metric_v1::listed).unwrap_or(Value::Null);
    out.set_path(&["status", "currentMetrics"], current);
    if let Some(conditions) = carried(v1, CONDITIONS).filter(|it| it.as_list().is_some()) {
        out.set_path(&["status", "conditions"], conditions);
    }
    drop_carriers(&mut out);
    out
}

fn to_v1(v2: &Value) -> Value {
    let mut out = value!({
        "apiVersion": "autoscaling/v1",
        "kind": "HorizontalPodAutoscaler",
        "metadata": v2.get("metadata").cloned().unwrap_or(Value::Map(Map::new()))
    });
    drop_carriers(&mut out);
    copy(v2, &mut out, "spec", &SPEC);
    copy(v2, &mut out, "status", &STATUS);
    let replicas = fields::count(v2, &["status", "currentReplicas"]);
    out.set_path(&["status", "currentReplicas"], replicas.into());
    let mut carry = |key: &str, text: String| {
        out.set_path(&["metadata", "annotations", key], text.into());
    };
    let metrics = fields::list(v2, &["spec", "metrics"]);
    let others: Vec<Value> =
        metrics.iter().filter(|it| cpu_utilization(it, "target").is_none()).cloned().collect();
    if !others.is_empty() {
        carry(METRICS, metric_v1::encode(&others, Side::Target));
    }
    let current = fields::list(v2, &["status", "currentMetrics"]);
    if !current.is_empty() {
        carry(CURRENT_METRICS, metric_v1::encode(current, Side::Current));
    }
    if let Some(behavior) = fields::at(v2, &["spec", "behavior"]) {
        carry(BEHAVIOR, behavior::encode(behavior));
    }
    let conditions = fields::at(v2, &["status", "conditions"]).filter(|it| !diff::is_empty(it));
    if let Some(conditions) = conditions {
        carry(CONDITIONS, diff::text(conditions, "[]HorizontalPodAutoscalerCondition"));
    }
    let target = metrics.iter().find_map(|it| cpu_utilization(it, "target"));
    if let Some(target) = target {
        out.set_path(&["spec", "targetCPUUtilizationPercentage"], target.clone());
    }
    let found = current.iter().filter_map(|it| cpu_utilization(it, "current")).next_back();
    if let Some(found) = found {
        out.set_path(&["status", "currentCPUUtilizationPercentage"], found.clone());
    }
    out
}
