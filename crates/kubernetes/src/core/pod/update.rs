//! What of a pod may still change once it exists, as far as refusals show the change itself.

use ordain_passes::declared::written::Asked;
use ordain_value::Value;
use ordain_value::field::{Error, ErrorList, Path};

use super::shown;
use crate::shared::access::{int_of, items, keep, part, some, text};
use crate::shared::unified::unified;

const CHANGEABLE: &str = "`spec.containers[*].image`,`spec.initContainers[*].image`,\
    `spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),\
    `spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";
const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";

/// Nothing changes but what may, which is judged on its own.
pub(crate) fn check_rest(asked: &Asked<'_, '_>, path: &Path<'_>, errors: &mut ErrorList) {
    let (new, Some(old)) = (asked.value(), asked.old()) else { return };
    if new == old {
        return;
    }
    let mut rest = new;
    take_back_changeable(&mut rest, &old);
    if !items(&old, "schedulingGates").is_empty() {
        take_back_placement(&mut rest, &old);
    }
    if rest != old {
        let difference = unified(&shown::pod_spec(&old), &shown::pod_spec(&rest));
        let problem =
            format!("pod updates may not change fields other than {CHANGEABLE}\n{difference}");
        errors.push(Error::forbidden(path, problem));
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

/// Takes back constraints on nodes, which a pod that waits to be scheduled may still be given.
fn take_back_placement(spec: &mut Value, old: &Value) {
    keep(spec, old, "nodeSelector");
    let of = |spec: &Value| some(part(spec, "affinity"), "nodeAffinity").cloned();
    let (new_nodes, old_nodes) = (of(spec), of(old));
    if new_nodes == old_nodes {
        return;
    }
    let had = some(old, "affinity").is_some();
    let others = ["podAffinity", "podAntiAffinity"];
    let alone = others.iter().all(|it| some(part(spec, "affinity"), it).is_none());
    match old_nodes {
        Some(nodes) => spec.set_path(&["affinity", "nodeAffinity"], nodes),
        None if !had && alone => drop(spec.remove_path(&["affinity"])),
        None => drop(spec.remove_path(&["affinity", "nodeAffinity"])),
    }
}

/// A pod that waits to be scheduled may still be given tighter constraints on nodes.
pub(crate) fn check_node_affinity(asked: &Asked<'_, '_>, path: &Path<'_>, errors: &mut ErrorList) {
    let terms = |spec: &Value| -> Vec<Value> {
        let nodes = part(part(spec, "affinity"), "nodeAffinity");
        items(part(nodes, REQUIRED), "nodeSelectorTerms").to_vec()
    };
    let (new, old) = (terms(&asked.value()), terms(&asked.old().unwrap_or(Value::Null)));
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

/// Ephemeral containers stay as they are; a refusal shows the change.
pub(crate) fn check_ephemeral(asked: &Asked<'_, '_>, path: &Path<'_>, errors: &mut ErrorList) {
    let (new, old) = (asked.value(), asked.old().unwrap_or(Value::Null));
    let path = path.child("ephemeralContainers");
    let given = items(&new, "ephemeralContainers");
    for old in items(&old, "ephemeralContainers") {
        let name = text(old, "name");
        let same = given.iter().rfind(|it| text(it, "name") == name);
        if let Some(new) = same.filter(|new| *new != old) {
            let (old, new) = (shown::ephemeral_container(old), shown::ephemeral_container(new));
            let problem = format!(
                "existing ephemeral containers {} may not be changed\n{}",
                ordain_value::go_quote(name),
                unified(&old, &new)
            );
            errors.push(Error::forbidden(&path, problem));
        }
    }
}
