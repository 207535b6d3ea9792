//! What the server writes into pods itself, on create and on update.

use ordain_strategy::typed::codec;
use ordain_strategy::{Part, object};
use ordain_value::{List, Map, Value};

use super::subresource::{BINDING, EPHEMERAL_CONTAINERS, RESIZE};
use super::{annotations, gates, qos};
use crate::shared::access::{self, items, items_mut, keep, part, some, text, texts};

/// A new pod: pending, with a class of service, and with what its labels and annotations imply.
pub(super) fn create(pod: &mut Value) {
    object::set_generation(pod, 1);
    let mut status = Map::new();
    status.insert("phase", "Pending".into());
    let class = match text(part(pod, "status"), "qosClass") {
        "" => qos::class(part(pod, "spec")),
        given => given,
    };
    status.insert("qosClass", class.into());
    if let Some(spec) = pod.get_mut("spec") {
        gates::drop_disabled(spec, None);
    }
    if !items(part(pod, "spec"), "schedulingGates").is_empty() {
        status.insert("conditions", Value::List(List::from(vec![gated_condition(pod)])));
    }
    if let Some(map) = pod.as_map_mut() {
        map.insert("status", Value::Map(status));
    }
    let labels = part(part(pod, "metadata"), "labels").clone();
    if let Some(spec) = pod.get_mut("spec") {
        take_label_keys(spec, &labels);
    }
    take_app_armor_annotations(pod);
}

fn gated_condition(pod: &Value) -> Value {
    let mut condition = Map::new();
    condition.insert("lastProbeTime", Value::Null);
    // The pod has been given its time of creation by now, which is the present.
    condition.insert(
        "lastTransitionTime",
        codec::to_text(pod, &["metadata", "creationTimestamp"]).into(),
    );
    condition.insert("message", "Scheduling is blocked due to non-empty scheduling gates".into());
    condition.insert("reason", "SchedulingGated".into());
    condition.insert("status", "False".into());
    condition.insert("type", "PodScheduled".into());
    Value::Map(condition)
}

/// Selectors get requirements for the labels that they take from the pod.
fn take_label_keys(spec: &mut Value, labels: &Value) {
    for constraint in items_mut(spec, "topologySpreadConstraints") {
        extend_selector(constraint, labels);
    }
    let Some(affinity) = spec.get_mut("affinity") else { return };
    for kind in ["podAffinity", "podAntiAffinity"] {
        let Some(pods) = affinity.get_mut(kind) else { continue };
        for term in items_mut(pods, "requiredDuringSchedulingIgnoredDuringExecution") {
            extend_selector(term, labels);
        }
        for term in items_mut(pods, "preferredDuringSchedulingIgnoredDuringExecution") {
            if let Some(term) = term.get_mut("podAffinityTerm") {
                extend_selector(term, labels);
            }
        }
    }
}

fn extend_selector(term: &mut Value, labels: &Value) {
    let mut added = Vec::new();
    for (field, operator) in [("matchLabelKeys", "In"), ("mismatchLabelKeys", "NotIn")] {
        for key in texts(term, field) {
            let Some(label) = access::text_of(labels, key) else { continue };
            let mut requirement = Map::new();
            requirement.insert("key", key.into());
            requirement.insert("operator", operator.into());
            requirement.insert("values", Value::List(List::from(vec![label.into()])));
            added.push(Value::Map(requirement));
        }
    }
    let Some(Value::Map(selector)) = term.get_mut("labelSelector") else { return };
    if added.is_empty() {
        return;
    }
    let slot = selector.get_or_insert_null("matchExpressions");
    if !matches!(slot, Value::List(_)) {
        *slot = Value::List(List::default());
    }
    if let Some(list) = slot.as_list_mut() {
        list.to_mut().extend(added);
    }
}

/// Annotations for AppArmor become fields.
fn take_app_armor_annotations(pod: &mut Value) {
    if text(part(part(pod, "spec"), "os"), "name") == "windows" {
        return;
    }
    let of_pod = part(part(part(pod, "spec"), "securityContext"), "appArmorProfile").clone();
    let given = part(pod, "metadata").clone();
    let Some(spec) = pod.get_mut("spec") else { return };
    for kind in ["initContainers", "containers", "ephemeralContainers"] {
        for container in items_mut(spec, kind) {
            let Some(profile) = annotations::app_armor_profile(&given, container) else { continue };
            if profile != of_pod {
                container.set_path(&["securityContext", "appArmorProfile"], profile);
            }
        }
    }
}

/// What an update of a part keeps from the old pod.
pub(super) fn update(part_written: Part, pod: &mut Value, old: &Value) {
    match part_written {
        Part::Status => return update_status(pod, old),
        // A binding is the server's own change.
        Part::Other(BINDING) => return,
        Part::Other(EPHEMERAL_CONTAINERS) => {
            let added = pod.get_path(&["spec", "ephemeralContainers"]).cloned();
            keep_all_but_metadata(pod, old);
            if let Some(Value::Map(spec)) = pod.get_mut("spec") {
                match added {
                    Some(list) => spec.insert("ephemeralContainers", list),
                    None => spec.remove("ephemeralContainers"),
                };
            }
        }
        Part::Other(RESIZE) => keep_all_but_resources(pod, old),
        _ => keep(pod, old, "status"),
    }
    if let Some(spec) = pod.get_mut("spec") {
        gates::drop_disabled(spec, Some(part(old, "spec")));
    }
    if part(pod, "spec") != part(old, "spec") {
        object::set_generation(pod, object::generation(old) + 1);
    }
}

fn update_status(pod: &mut Value, old: &Value) {
    keep(pod, old, "spec");
    object::remove(pod, "deletionTimestamp");
    object::copy(pod, old, "ownerReferences");
    let old_status = part(old, "status");
    let Some(status) = pod.get_mut("status") else { return };
    for field in ["qosClass", "observedGeneration"] {
        let unset = matches!(some(status, field), None | Some(Value::Int(0)))
            || text(status, field).is_empty() && field == "qosClass";
        if unset && let (Some(kept), Some(map)) = (some(old_status, field), status.as_map_mut()) {
            map.insert(field, kept.clone());
        }
    }
    keep_observed_generations(status, old_status);
    gates::drop_disabled_status(status, old_status);
}

/// Conditions that do not say which generation they are of are of the same one as before.
fn keep_observed_generations(status: &mut Value, old: &Value) {
    let mut known: Vec<(&str, i64)> = items(old, "conditions")
        .iter()
        .map(|it| (text(it, "type"), access::int(it, "observedGeneration")))
        .collect();
    for condition in items_mut(status, "conditions") {
        let at = known.iter().position(|it| it.0 == text(condition, "type"));
        let before = at.map_or(0, |at| known.remove(at).1);
        if before != 0
            && access::int(condition, "observedGeneration") == 0
            && let Some(map) = condition.as_map_mut()
        {
            map.insert("observedGeneration", Value::Int(before));
        }
    }
}

/// A subresource that writes one part of the spec leaves all else as it is.
fn keep_all_but_metadata(pod: &mut Value, old: &Value) {
    keep(pod, old, "spec");
    keep(pod, old, "status");
    let fields = [
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "generation",
        "labels",
        "annotations",
        "finalizers",
        "ownerReferences",
    ];
    for field in fields {
        object::copy(pod, old, field);
    }
}

/// Of a resize, resources and the policies of resizing are taken, as long as the containers are
/// the same.
fn keep_all_but_resources(pod: &mut Value, old: &Value) {
    let (spec, old_spec) = (part(pod, "spec").clone(), part(old, "spec"));
    let lists = ["containers", "initContainers"];
    if lists.iter().any(|list| items(&spec, list).len() != items(old_spec, list).len()) {
        return;
    }
    keep_all_but_metadata(pod, old);
    let Some(kept) = pod.get_mut("spec") else { return };
    for list in lists {
        let names = |spec: &Value| -> Vec<String> {
            items(spec, list).iter().map(|it| text(it, "name").to_owned()).collect()
        };
        if names(&spec) != names(old_spec) {
            keep(kept, &spec, list);
            continue;
        }
        for (container, new) in items_mut(kept, list).zip(items(&spec, list)) {
            keep(container, new, "resources");
            keep(container, new, "resizePolicy");
        }
    }
    keep(kept, &spec, "resources");
}
