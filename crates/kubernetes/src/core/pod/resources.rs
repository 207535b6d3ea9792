//! What containers, pods and their overhead ask for.

use std::collections::BTreeSet;

use ordain_passes::declared::written::Asked;
use ordain_value::Value;
use ordain_value::field::{Error, ErrorList, Path};

use super::containers;
use crate::shared::access::{entries, items, part, some, text};
use crate::shared::resources::{self, Requirements};

/// Runs something with the rules of requirements in a pod: its claims, and whether huge pages may go
/// on being no multiple of their size.
fn with_requirements(
    asked: &Asked<'_, '_>,
    check_name: fn(&str, &Path<'_>, &mut ErrorList),
    run: impl FnOnce(&Requirements<'_>),
) {
    let pod = asked.ask("pod");
    let names = items(&pod, "resourceClaims").iter().map(|it| text(it, "name"));
    let claims: BTreeSet<&str> = names.filter(|it| !it.is_empty()).collect();
    let allow_indivisible = had_indivisible_huge_pages(asked);
    run(&Requirements { check_name, claims: &claims, allow_indivisible });
}

/// The resources of a container.
pub(crate) fn check_container(asked: &Asked<'_, '_>, path: &Path<'_>, errors: &mut ErrorList) {
    let own = asked.value();
    if own.as_map().is_none_or(|it| it.is_empty()) {
        return;
    }
    with_requirements(asked, resources::check_container_name, |it| it.check(&own, path, errors));
}

/// What a pod takes besides its containers is judged as limits are.
pub(crate) fn check_overhead(asked: &Asked<'_, '_>, path: &Path<'_>, errors: &mut ErrorList) {
    let overhead = asked.value();
    if overhead.as_map().is_none_or(|it| it.is_empty()) {
        return;
    }
    let mut limits = ordain_value::Map::new();
    limits.insert("limits", overhead);
    let limits = Value::Map(limits);
    let requirements = Requirements {
        check_name: resources::check_container_name,
        claims: &BTreeSet::new(),
        allow_indivisible: had_indivisible_huge_pages(asked),
    };
    requirements.check(&limits, path, errors);
}

/// What the pod as a whole asks for covers what its containers do.
pub(crate) fn check_pod(asked: &Asked<'_, '_>, path: &Path<'_>, errors: &mut ErrorList) {
    let (own, spec) = (asked.value(), asked.ask("pod"));
    if some(&own, "claims").is_some() {
        let problem = "claims may not be set for Resources at pod-level";
        errors.push(Error::forbidden(&path.child("claims"), problem));
    }
    with_requirements(asked, resources::check_pod_name, |it| it.check(&own, path, errors));
    for (kind, huge_only) in [("requests", false), ("limits", true)] {
        let whole = resources::amounts(&own, kind);
        for (name, sum) in resources::of_containers(&spec, kind) {
            if huge_only && !resources::is_huge_pages(&name) {
                continue;
            }
            if let Some(amount) = whole.get(&name).filter(|amount| sum > **amount) {
                let problem =
                    format!("must be greater than or equal to aggregate container {kind} of {sum}");
                let path = path.child(kind);
                errors.push(Error::invalid(&path.key(&name), amount.to_string(), problem));
            }
        }
    }
    let limits = resources::amounts(&own, "limits");
    let list = path.child("containers");
    for (at, container) in items(&spec, "containers").iter().enumerate() {
        for (name, amount) in resources::amounts(part(container, "resources"), "limits") {
            if let Some(limit) = limits.get(&name).filter(|limit| amount > **limit) {
                let problem = format!("must be less than or equal to pod limits of {limit}");
                let path = list.index(at);
                let path = path.key(&name);
                errors.push(Error::invalid(&path.child("limits"), amount.to_string(), problem));
            }
        }
    }
}

fn had_indivisible_huge_pages(asked: &Asked<'_, '_>) -> bool {
    asked.old_object().is_some() && has_indivisible_huge_pages(&asked.ask("oldPod"))
}

fn has_indivisible_huge_pages(spec: &Value) -> bool {
    let indivisible = |holder: &Value, field: &str| {
        entries(holder, field).any(|(name, value)| {
            resources::is_huge_pages(name)
                && !resources::is_divisible(name, &resources::quantity(value))
        })
    };
    let mut found = indivisible(spec, "overhead");
    containers::each(spec, &Path::root(), &mut |container, _| {
        let own = part(container, "resources");
        found |= indivisible(own, "limits") || indivisible(own, "requests");
    });
    found
}
