//! What an update clears: fields that the new type of a Service has no use for.
//!
//! A field is cleared only if the server may have filled it in and the client did not change it.

use ordain_strategy::Part;
use ordain_value::Value;

use super::read::Service;
use crate::shared::access::{items_mut, keep, part_mut, some};

pub(super) fn prepare(part: Part, object: &mut Value, old: &Value) {
    match part {
        Part::Status => keep(object, old, "spec"),
        _ => {
            keep(object, old, "status");
            drop_dependent(object, old);
        }
    }
}

pub(super) fn prepare_new(object: &mut Value) {
    object.set_path(&["status"], ordain_value::value!({"loadBalancer": {}}));
}

fn drop_dependent(object: &mut Value, old: &Value) {
    let (new, before) = (Service::of(object), Service::of(old));
    let same = |field: &str| some(new.spec, field) == some(before.spec, field);
    let mut cleared: Vec<&str> = Vec::new();
    if before.needs_cluster_ip() && !new.needs_cluster_ip() {
        if same("clusterIP") && same("clusterIPs") {
            cleared.extend(["clusterIP", "clusterIPs"]);
        }
        cleared.extend(["ipFamilies", "ipFamilyPolicy"].into_iter().filter(|it| same(it)));
    }
    let node_ports = before.has_node_ports()
        && !new.has_node_ports()
        && before.node_ports().is_superset(&new.node_ports());
    if before.needs_health_check() && !new.needs_health_check() && same("healthCheckNodePort") {
        cleared.push("healthCheckNodePort");
    }
    if before.is("LoadBalancer") && !new.is("LoadBalancer") {
        let balanced = ["allocateLoadBalancerNodePorts", "loadBalancerClass"];
        cleared.extend(balanced.into_iter().filter(|it| same(it)));
    }
    if before.is_externally_accessible()
        && !new.is_externally_accessible()
        && same("externalTrafficPolicy")
    {
        cleared.push("externalTrafficPolicy");
    }
    let balanced = new.is("LoadBalancer");
    if node_ports && let Some(spec) = object.get_mut("spec") {
        for port in items_mut(spec, "ports") {
            port.remove_path(&["nodePort"]);
        }
    }
    if let Some(spec) = part_mut(object, "spec") {
        for field in cleared {
            spec.remove(field);
        }
    }
    if !balanced {
        object.set_path(&["status", "loadBalancer"], ordain_value::value!({}));
    }
}

/// An ExternalName service has no traffic inside of the cluster to route.
pub(super) fn canonicalize(object: &mut Value) {
    if Service::of(object).is("ExternalName") {
        object.remove_path(&["spec", "internalTrafficPolicy"]);
    }
}
