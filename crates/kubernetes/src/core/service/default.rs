//! Defaults of Services: what depends on the type and on other fields.

use ordain_value::{Map, Value, value};

use super::read::Service;
use crate::shared::access::{items_mut, part_mut, text, text_of};

/// How long a client stays with the same endpoint, in seconds.
const AFFINITY_SECONDS: i64 = 10_800;

pub(super) fn default(object: &mut Value) {
    let service = Service::of(object);
    let (ty, external) = (service.ty().to_owned(), service.is_externally_accessible());
    let balanced = ty == "LoadBalancer";
    let Some(spec) = part_mut(object, "spec") else { return };
    session_affinity(spec);
    if external
        && spec.get("externalTrafficPolicy").and_then(Value::as_str).is_none_or(str::is_empty)
    {
        spec.insert("externalTrafficPolicy", "Cluster".into());
    }
    if matches!(ty.as_str(), "NodePort" | "LoadBalancer" | "ClusterIP") {
        fill(spec, "internalTrafficPolicy", "Cluster".into());
    }
    if balanced {
        fill(spec, "allocateLoadBalancerNodePorts", Value::Bool(true));
    }
    if let Some(spec) = object.get_mut("spec") {
        items_mut(spec, "ports").for_each(target_port);
    }
    if balanced
        && let Some(status) = object.get_mut("status").and_then(|it| it.get_mut("loadBalancer"))
    {
        for ingress in items_mut(status, "ingress") {
            if !text(ingress, "ip").is_empty() && text_of(ingress, "ipMode").is_none() {
                ingress.set_path(&["ipMode"], "VIP".into());
            }
        }
    }
}

fn fill(map: &mut Map, field: &str, value: Value) {
    if map.get(field).is_none_or(Value::is_null) {
        map.insert(field, value);
    }
}

fn session_affinity(spec: &mut Map) {
    match spec.get("sessionAffinity").and_then(Value::as_str) {
        Some("None") => {
            spec.remove("sessionAffinityConfig");
        }
        Some("ClientIP") => {
            let config = spec.get("sessionAffinityConfig");
            if config.and_then(|it| it.get_path(&["clientIP", "timeoutSeconds"])).is_none() {
                let config = value!({"clientIP": {"timeoutSeconds": AFFINITY_SECONDS}});
                spec.insert("sessionAffinityConfig", config);
            }
        }
        _ => {}
    }
}

/// Traffic goes to the port of the same number, unless another one is named.
fn target_port(port: &mut Value) {
    let target = port.get("targetPort");
    let absent = match target {
        None | Some(Value::Null | Value::Int(0)) => true,
        Some(Value::Str(name)) => name.is_empty(),
        Some(_) => false,
    };
    if absent {
        let number = port.get("port").cloned().unwrap_or(Value::Int(0));
        port.set_path(&["targetPort"], number);
    }
}
