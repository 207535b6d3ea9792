//! What of a pod may still change once it exists.

use std::collections::BTreeMap;

use ordain_value::Value;
use ordain_value::field::{Error, ErrorList, Path};

use super::options::PodOptions;
use super::{diff, shown};
use crate::shared::access::{entries, int_of, items, keep, part, some, text};
use crate::shared::toleration;

const CHANGEABLE: &str = "`spec.containers[*].image`,`spec.initContainers[*].image`,\
    `spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),\
    `spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";
const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";

/// The rules of changes of a pod itself.
pub(super) fn check(new: &Value, old: &Value, options: &PodOptions, errors: &mut ErrorList) {
    let path = Path::new("spec");
    let (new, old) = (part(new, "spec"), part(old, "spec"));
    for list in ["containers", "initContainers"] {
        if !check_containers(items(new, list), items(old, list), &path.child(list), errors) {
            return;
        }
    }
    if !check_deadline(new, old, &path.child("activeDeadlineSeconds"), errors) {
        return;
    }
    check_tolerations(new, old, &path.child("tolerations"), options, errors);
    check_scheduling_gates(new, old, &path.child("schedulingGates"), errors);
    if new == old {
        return;
    }
    let mut rest = new.clone();
    take_back_changeable(&mut rest, old);
    if !items(old, "schedulingGates").is_empty() {
        take_back_placement(&mut rest, old, &path, errors);
    }
    if rest != *old {
        let difference = diff::unified(&shown::pod_spec(old), &shown::pod_spec(&rest));
        let problem =
            format!("pod updates may not change fields other than {CHANGEABLE}\n{difference}");
        errors.push(Error::forbidden(&path, problem));
    }
}

/// Containers stay the same ones; whether the rest can be judged.
fn check_containers(new: &[Value], old: &[Value], path: &Path<'_>, errors: &mut ErrorList) -> bool {
    if new.len() != old.len() {
        errors.push(Error::forbidden(path, "pod updates may not add or remove containers"));
        return false;
    }
    for (at, container) in new.iter().enumerate() {
        if text(container, "image").is_empty() {
            errors.push(Error::required(&path.index(at).child("image"), ""));
        }
        check_image_padding(container, &path.index(at), errors);
    }
    true
}

/// Images are judged a second time here.
fn check_image_padding(container: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let image = text(container, "image");
    if image.trim() != image {
        let problem = "must not have leading or trailing whitespace";
        errors.push(Error::invalid(&path.child("image"), image, problem));
    }
}

/// A deadline may only come nearer; whether the rest is to be judged.
fn check_deadline(new: &Value, old: &Value, path: &Path<'_>, errors: &mut ErrorList) -> bool {
    const FIELD: &str = "activeDeadlineSeconds";
    match (int_of(new, FIELD), int_of(old, FIELD)) {
        (Some(new), _) if !(0..=i64::from(i32::MAX)).contains(&new) => {
            let problem = "must be between 0 and 2147483647, inclusive";
            errors.push(Error::invalid(path, new, problem));
            false
        }
        (Some(new), Some(old)) if old < new => {
            let problem = "must be less than or equal to previous value";
            errors.push(Error::invalid(path, new, problem));
            false
        }
        (None, Some(_)) => {
            let problem = "must not update from a positive integer to nil value";
            errors.push(Error::invalid(path, Value::Null, problem));
            true
        }
        _ => true,
    }
}

/// Tolerations may be added, and their time changed.
fn check_tolerations(
    new: &Value,
    old: &Value,
    path: &Path<'_>,
    options: &PodOptions,
    errors: &mut ErrorList,
) {
    let timeless = |it: &Value| {
        let mut it = it.clone();
        it.remove_path(&["tolerationSeconds"]);
        it
    };
    let given = items(new, "tolerations");
    let kept: Vec<Value> = given.iter().map(timeless).collect();
    if items(old, "tolerations").iter().any(|it| !kept.contains(&timeless(it))) {
        let problem = "existing toleration can not be modified except its tolerationSeconds";
        errors.push(Error::forbidden(path, problem));
        return;
    }
    toleration::validate(given, options.allow_comparing_tolerations, path, errors);
}

fn check_scheduling_gates(new: &Value, old: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let mut added: BTreeMap<&str, usize> = BTreeMap::new();
    for (at, gate) in items(new, "schedulingGates").iter().enumerate() {
        added.insert(text(gate, "name"), at);
    }
    for gate in items(old, "schedulingGates") {
        added.remove(text(gate, "name"));
    }
    for (gate, at) in added {
        let problem = format!("only deletion is allowed, but found new scheduling gate '{gate}'");
        errors.push(Error::forbidden(&path.index(at).child("name"), problem));
    }
}

/// Takes back what may change, so that the rest can be compared.
fn take_back_changeable(spec: &mut Value, old: &Value) {
    for list in ["containers", "initContainers"] {
        let olds = items(old, list);
        for (container, old) in crate::shared::access::items_mut(spec, list).zip(olds) {
            keep(container, old, "image");
        }
    }
    for field in ["activeDeadlineSeconds", "schedulingGates", "tolerations"] {
        keep(spec, old, field);
    }
    let grace = "terminationGracePeriodSeconds";
    if int_of(old, grace).is_some_and(|it| it < 0) && int_of(spec, grace) == Some(1) {
        keep(spec, old, grace);
    }
}

/// A pod that waits to be scheduled may still be given tighter constraints on nodes.
fn take_back_placement(spec: &mut Value, old: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    if part(spec, "nodeSelector") != part(old, "nodeSelector") {
        let lost = entries(old, "nodeSelector")
            .any(|(key, value)| part(spec, "nodeSelector").get(key) != Some(value));
        if lost {
            let problem =
                "only additions to spec.nodeSelector are allowed (no mutations or deletions)";
            let given = part(spec, "nodeSelector").clone();
            errors.push(Error::invalid(&path.child("nodeSelector"), given, problem));
        }
        keep(spec, old, "nodeSelector");
    }
    let of = |spec: &Value| some(part(spec, "affinity"), "nodeAffinity").cloned();
    let (new_nodes, old_nodes) = (of(spec), of(old));
    if new_nodes == old_nodes {
        return;
    }
    check_node_affinity(new_nodes.as_ref(), old_nodes.as_ref(), path, errors);
    let had = some(old, "affinity").is_some();
    let others = ["podAffinity", "podAntiAffinity"];
    let alone = others.iter().all(|it| some(part(spec, "affinity"), it).is_none());
    let Some(map) = spec.as_map_mut() else { return };
    match old_nodes {
        Some(nodes) => spec.set_path(&["affinity", "nodeAffinity"], nodes),
        None if !had && alone => {
            map.remove("affinity");
        }
        None => {
            spec.remove_path(&["affinity", "nodeAffinity"]);
        }
    }
}

fn check_node_affinity(
    new: Option<&Value>,
    old: Option<&Value>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let terms = |nodes: Option<&Value>| -> Vec<Value> {
        let required = nodes.and_then(|it| some(it, REQUIRED));
        required.map_or(&[][..], |it| items(it, "nodeSelectorTerms")).to_vec()
    };
    let (new, old) = (terms(new), terms(old));
    let path = path.child("affinity.nodeAffinity");
    let path = path.child(REQUIRED);
    let path = path.child("nodeSelectorTerms");
    if !old.is_empty() && old.len() != new.len() {
        let problem = "no additions/deletions to non-empty NodeSelectorTerms list are allowed";
        errors.push(Error::invalid(&path, shown::node_selector_terms(&new), problem));
        return;
    }
    for (at, (new, old)) in new.iter().zip(&old).enumerate() {
        if !only_adds(new, old) {
            let problem = "only additions are allowed (no mutations or deletions)";
            errors.push(Error::invalid(&path.index(at), shown::node_selector_term(new), problem));
        }
    }
}

/// Requirements were only added, and only to a term that had some.
fn only_adds(new: &Value, old: &Value) -> bool {
    let fields = ["matchExpressions", "matchFields"];
    let empty = |term: &Value| fields.iter().all(|it| items(term, it).is_empty());
    if empty(old) {
        return empty(new);
    }
    fields.iter().all(|field| items(new, field).starts_with(items(old, field)))
}

/// The rules of changes through the subresource for ephemeral containers.
pub(super) fn check_ephemeral(new: &Value, old: &Value, errors: &mut ErrorList) {
    let path = Path::new("spec");
    let path = path.child("ephemeralContainers");
    let given = items(part(new, "spec"), "ephemeralContainers");
    for old in items(part(old, "spec"), "ephemeralContainers") {
        let name = text(old, "name");
        let quoted = ordain_value::go_quote(name);
        match given.iter().rfind(|it| text(it, "name") == name) {
            None => {
                let problem =
                    format!("existing ephemeral containers {quoted} may not be removed\n");
                errors.push(Error::forbidden(&path, problem));
            }
            Some(new) if new != old => {
                let (old, new) = (shown::ephemeral_container(old), shown::ephemeral_container(new));
                let difference = diff::unified(&old, &new);
                let problem = format!(
                    "existing ephemeral containers {quoted} may not be changed\n{difference}"
                );
                errors.push(Error::forbidden(&path, problem));
            }
            Some(_) => {}
        }
    }
}
