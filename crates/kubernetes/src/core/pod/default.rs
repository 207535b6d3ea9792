//! Defaults of pods and their templates that depend on other fields.

use ordain_value::{Map, Value};

use super::{containers, image};
use crate::shared::access::{flag, int, items, items_mut, text};
use crate::shared::resources::{self, Amounts};

/// Defaults of a pod's spec, in pods and templates alike.
pub(super) fn spec(spec: &mut Value) {
    for volume in items_mut(spec, "volumes") {
        default_volume(volume);
    }
    for field in containers::KINDS {
        for container in items_mut(spec, field) {
            default_pull_policy(container, "imagePullPolicy", "image");
            if let Some(resources) = container.get_mut("resources") {
                round(resources);
            }
        }
    }
    resources::round(spec, "overhead");
    if let Some(resources) = spec.get_mut("resources") {
        round(resources);
    }
    // Both spellings of the account's name say the same; the old one gives way.
    let account = match text(spec, "serviceAccountName") {
        "" => text(spec, "serviceAccount").to_owned(),
        name => name.to_owned(),
    };
    if let (false, Value::Map(map)) = (account.is_empty(), &mut *spec) {
        map.insert("serviceAccountName", account.as_str().into());
        map.insert("serviceAccount", account.into());
    }
}

fn round(requirements: &mut Value) {
    resources::round(requirements, "limits");
    resources::round(requirements, "requests");
}

/// A volume without a source is an empty directory.
fn default_volume(volume: &mut Value) {
    let Value::Map(map) = &mut *volume else { return };
    if map.iter().all(|(name, value)| name == "name" || value.is_null()) {
        map.insert("emptyDir", Value::Map(Map::new()));
    }
    if let Some(source) = volume.get_mut("image") {
        default_pull_policy(source, "pullPolicy", "reference");
    }
    let claim = volume.get_mut("ephemeral").and_then(|it| it.get_mut("volumeClaimTemplate"));
    let spec = claim.and_then(|it| it.get_mut("spec"));
    if let Some(resources) = spec.and_then(|it| it.get_mut("resources")) {
        round(resources);
    }
}

/// What is asked for by a moving tag is pulled always.
fn default_pull_policy(holder: &mut Value, field: &str, image: &str) {
    if !text(holder, field).is_empty() {
        return;
    }
    let moves = image::is_latest(text(holder, image));
    let policy = if moves { "Always" } else { "IfNotPresent" };
    if let Value::Map(map) = holder {
        map.insert(field, policy.into());
    }
}

/// Defaults of pods that their templates do not have.
pub(super) fn pod(spec: &mut Value) {
    for field in ["containers", "initContainers"] {
        for container in items_mut(spec, field) {
            requests_from_limits(container);
        }
    }
    default_pod_limits(spec);
    default_pod_requests(spec);
    if int(spec, "terminationGracePeriodSeconds") < 0 {
        spec.set_path(&["terminationGracePeriodSeconds"], Value::Int(1));
    }
    if let Value::Map(map) = &mut *spec
        && map.get("enableServiceLinks").is_none_or(Value::is_null)
    {
        map.insert("enableServiceLinks", true.into());
    }
    if flag(spec, "hostNetwork") {
        for field in ["containers", "initContainers"] {
            for container in items_mut(spec, field) {
                for port in items_mut(container, "ports") {
                    let number = port.get("containerPort").cloned();
                    let unset = port.get("hostPort").and_then(Value::as_int).unwrap_or(0) == 0;
                    if let (Value::Map(map), Some(number), true) = (port, number, unset)
                        && number.as_int() != Some(0)
                    {
                        map.insert("hostPort", number);
                    }
                }
            }
        }
    }
}

/// The address of a pod and the first of its addresses are the same; the one that is older wins.
pub(super) fn status(status: &mut Value) {
    let first = text(items(status, "podIPs").first().unwrap_or(&Value::Null), "ip").to_owned();
    let own = text(status, "podIP").to_owned();
    let Value::Map(map) = status else { return };
    if own.is_empty() {
        if !first.is_empty() {
            map.insert("podIP", first.into());
        }
    } else if own != first {
        let mut address = Map::new();
        address.insert("ip", own.into());
        map.insert("podIPs", vec![Value::Map(address)].into());
    }
}

fn requests_from_limits(container: &mut Value) {
    let Some(Value::Map(resources)) = container.get_mut("resources") else { return };
    let Some(Value::Map(limits)) = resources.get("limits").cloned() else { return };
    let requests = resources.get("requests").and_then(Value::as_map).cloned();
    let mut requests = requests.unwrap_or_default();
    for (name, limit) in limits.iter() {
        if !requests.contains_key(name) {
            requests.insert(name.clone(), limit.clone());
        }
    }
    resources.insert("requests", Value::Map(requests));
}

/// Huge pages that containers are limited to are the pod's limit too.
fn default_pod_limits(spec: &mut Value) {
    let Some(own) = spec.get("resources") else { return };
    let (mut limits, requests) =
        (resources::amounts(own, "limits"), resources::amounts(own, "requests"));
    if limits.is_empty() && requests.is_empty() {
        return;
    }
    for (name, amount) in resources::of_containers(spec, "limits") {
        let theirs = resources::is_huge_pages(&name) && !requests.contains_key(&name);
        if theirs {
            limits.entry(name).or_insert(amount);
        }
    }
    set(spec, "limits", &limits);
}

/// What a limited pod requests: what its containers do, or else its limit.
fn default_pod_requests(spec: &mut Value) {
    let Some(own) = spec.get("resources") else { return };
    let limits = resources::amounts(own, "limits");
    if limits.is_empty() {
        return;
    }
    let mut requests = resources::amounts(own, "requests");
    for (name, amount) in resources::of_containers(spec, "requests") {
        if resources::is_pod_level(&name) && resources::is_overcommit_allowed(&name) {
            requests.entry(name).or_insert(amount);
        }
    }
    for (name, amount) in limits {
        if resources::is_pod_level(&name) {
            requests.entry(name).or_insert(amount);
        }
    }
    set(spec, "requests", &requests);
}

fn set(spec: &mut Value, field: &str, amounts: &Amounts) {
    if !amounts.is_empty() {
        spec.set_path(&["resources", field], resources::to_value(amounts));
    }
}
