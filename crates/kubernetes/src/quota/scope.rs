//! Which objects a quota counts: all, or those in all of its scopes.

use std::collections::BTreeSet;

use ordain_value::Value;

use crate::core::pod::qos;
use crate::shared::access::{int_of, items, part, some, text, texts};

/// One scope of a quota: its name, how values are compared, and with which.
pub(super) struct Selector<'a> {
    name: &'a str,
    operator: &'a str,
    values: Vec<&'a str>,
}

/// All scopes of a quota.
pub(super) fn selectors(quota: &Value) -> Vec<Selector<'_>> {
    let spec = part(quota, "spec");
    let plain = texts(spec, "scopes").into_iter();
    let plain = plain.map(|name| Selector { name, operator: "Exists", values: Vec::new() });
    let expressions = items(part(spec, "scopeSelector"), "matchExpressions").iter();
    let expressions = expressions.map(|it| Selector {
        name: text(it, "scopeName"),
        operator: text(it, "operator"),
        values: texts(it, "values"),
    });
    plain.chain(expressions).collect()
}

impl Selector<'_> {
    /// Whether a value, or its absence, is selected.
    fn takes(&self, value: Option<&str>) -> bool {
        match self.operator {
            "Exists" => value.is_some(),
            "DoesNotExist" => value.is_none(),
            "In" => value.is_some_and(|it| self.values.contains(&it)),
            "NotIn" => value.is_none_or(|it| !self.values.contains(&it)),
            _ => false,
        }
    }
}

/// Whether a pod is meant to end by itself.
pub(super) fn is_terminating(pod: &Value) -> bool {
    let deadline = int_of(part(pod, "spec"), "activeDeadlineSeconds");
    deadline.is_some_and(|it| it >= 0)
}

pub(super) fn pod_matches(selector: &Selector<'_>, pod: &Value) -> bool {
    let spec = part(pod, "spec");
    let best_effort = || qos::class(spec) == "BestEffort";
    match selector.name {
        "Terminating" => is_terminating(pod),
        "NotTerminating" => !is_terminating(pod),
        "BestEffort" => best_effort(),
        "NotBestEffort" => !best_effort(),
        "PriorityClass" => {
            selector.takes(Some(text(spec, "priorityClassName")).filter(|it| !it.is_empty()))
        }
        "CrossNamespacePodAffinity" => reaches_other_namespaces(spec),
        _ => false,
    }
}

fn reaches_other_namespaces(spec: &Value) -> bool {
    let affinity = part(spec, "affinity");
    let reaches = |term: &Value| {
        !texts(term, "namespaces").is_empty() || some(term, "namespaceSelector").is_some()
    };
    ["podAffinity", "podAntiAffinity"].iter().any(|kind| {
        let rules = part(affinity, kind);
        items(rules, "requiredDuringSchedulingIgnoredDuringExecution").iter().any(reaches)
            || items(rules, "preferredDuringSchedulingIgnoredDuringExecution")
                .iter()
                .any(|weighted| reaches(part(weighted, "podAffinityTerm")))
    })
}

/// The volume attributes classes that a claim has, wants or is changing to.
pub(super) fn attributes_classes(claim: &Value) -> BTreeSet<&str> {
    let status = part(claim, "status");
    let names = [
        text(part(claim, "spec"), "volumeAttributesClassName"),
        text(status, "currentVolumeAttributesClassName"),
        text(part(status, "modifyVolumeStatus"), "targetVolumeAttributesClassName"),
    ];
    names.into_iter().filter(|name| !name.is_empty()).collect()
}

pub(super) fn claim_matches(selector: &Selector<'_>, claim: &Value) -> bool {
    if selector.name != "VolumeAttributesClass" {
        return false;
    }
    let classes = attributes_classes(claim);
    if classes.is_empty() {
        return selector.takes(None);
    }
    classes.into_iter().any(|class| selector.takes(Some(class)))
}
