//! What pods take of quotas.

use std::collections::{BTreeMap, BTreeSet};

use ordain_strategy::object;
use ordain_value::Value;

use super::{Amounts, count_name, one};
use crate::shared::access::{items, part, some, text};
use crate::shared::resources::{self, add, amounts, is_extended, is_huge_pages, is_native};

const NAMES: [&str; 11] = [
    "count/pods",
    "cpu",
    "memory",
    "ephemeral-storage",
    "requests.cpu",
    "requests.memory",
    "requests.ephemeral-storage",
    "limits.cpu",
    "limits.memory",
    "limits.ephemeral-storage",
    "pods",
];
/// What each container must state once a quota counts it.
const STATED: [&str; 6] =
    ["cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"];

pub(super) fn counts(name: &str) -> bool {
    let requested = name.strip_prefix("requests.");
    NAMES.contains(&name)
        || is_huge_pages(name)
        || requested.is_some_and(|it| {
            is_huge_pages(it)
                || !is_native(name)
                || it.starts_with("deviceclass.resource.kubernetes.io/")
        })
}

pub(super) fn usage(pod: &Value, now: i64) -> Amounts {
    let mut sum = Amounts::from([(count_name("", "pods"), one())]);
    if is_over(pod, now) {
        return sum;
    }
    let spec = part(pod, "spec");
    let (requests, limits) = (of_pod(spec, "requests"), of_pod(spec, "limits"));
    add(&mut sum, &named(&requests, &limits));
    sum
}

/// A pod that has ended, or that should have, takes nothing but its place in the store.
fn is_over(pod: &Value, now: i64) -> bool {
    if matches!(text(part(pod, "status"), "phase"), "Failed" | "Succeeded") {
        return true;
    }
    let deleted = object::deletion_timestamp(pod);
    let grace = object::deletion_grace_seconds(pod);
    deleted.zip(grace).is_some_and(|(time, grace)| now > time.seconds.saturating_add(grace))
}

/// What a pod with this spec asks for.
pub(crate) fn requests(spec: &Value) -> Amounts {
    of_pod(spec, "requests")
}

/// What a pod asks for: what it says of itself as a whole counts before its containers.
fn of_pod(spec: &Value, field: &str) -> Amounts {
    let mut all = resources::of_containers(spec, field);
    let own = amounts(part(spec, "resources"), field);
    all.extend(own.into_iter().filter(|(name, _)| resources::is_pod_level(name)));
    let overhead = amounts(spec, "overhead");
    if field == "requests" {
        add(&mut all, &overhead);
    } else {
        // Overhead counts only where there is a limit to add it to.
        let limited = overhead
            .into_iter()
            .filter(|(name, _)| all.get(name).is_some_and(|limit| !limit.is_zero()));
        let limited: Amounts = limited.collect();
        add(&mut all, &limited);
    }
    all
}

/// Requests and limits under the names of quotas.
fn named(requests: &Amounts, limits: &Amounts) -> Amounts {
    let mut out = Amounts::from([("pods".to_owned(), one())]);
    for name in ["cpu", "memory", "ephemeral-storage"] {
        if let Some(request) = requests.get(name) {
            out.insert(name.to_owned(), request.clone());
            out.insert(format!("requests.{name}"), request.clone());
        }
        if let Some(limit) = limits.get(name) {
            out.insert(format!("limits.{name}"), limit.clone());
        }
    }
    for (name, request) in requests {
        if is_huge_pages(name) {
            out.insert(name.clone(), request.clone());
        }
        if is_huge_pages(name) || is_extended(name) {
            out.insert(format!("requests.{name}"), request.clone());
        }
    }
    out
}

/// Refuses a pod whose containers do not state what is counted.
pub(super) fn check_requests(counted: &[&str], pod: &Value) -> Result<(), String> {
    let spec = part(pod, "spec");
    if let Some(own) = some(spec, "resources")
        && ["requests", "limits"].iter().any(|it| !amounts(own, it).is_empty())
    {
        return Ok(());
    }
    let mut missing: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for container in ["containers", "initContainers"].iter().flat_map(|it| items(spec, it)) {
        let own = part(container, "resources");
        let stated = named(&amounts(own, "requests"), &amounts(own, "limits"));
        for name in STATED.into_iter().filter(|name| counted.contains(name)) {
            if !stated.contains_key(name) {
                missing.entry(name).or_default().insert(text(container, "name"));
            }
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    let texts = missing.into_iter().map(|(name, containers)| {
        format!("{name} for: {}", containers.into_iter().collect::<Vec<_>>().join(","))
    });
    Err(format!("must specify {}", texts.collect::<Vec<_>>().join("; ")))
}
