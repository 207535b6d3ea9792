//! Which nodes a pod asks for, by their labels and by the pods on them.

use std::collections::BTreeSet;

use ordain_value::Value;
use ordain_value::field::{Error, ErrorList, Path};

use super::options::PodOptions;
use crate::shared::access::{entries, int, items, some, text, texts};
use crate::shared::selector::{self, Values};
use crate::shared::{net, node_selector};

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";

/// The affinity of a pod.
pub(super) fn check(spec: &Value, path: &Path<'_>, options: &PodOptions, errors: &mut ErrorList) {
    let Some(affinity) = some(spec, "affinity") else { return };
    let path = path.child("affinity");
    if let Some(nodes) = some(affinity, "nodeAffinity") {
        check_nodes(nodes, &path.child("nodeAffinity"), options, errors);
    }
    for kind in ["podAffinity", "podAntiAffinity"] {
        if let Some(pods) = some(affinity, kind) {
            check_pods(pods, &path.child(kind), options, errors);
        }
    }
}

fn check_nodes(nodes: &Value, path: &Path<'_>, options: &PodOptions, errors: &mut ErrorList) {
    if let Some(selector) = some(nodes, REQUIRED) {
        let values = match options.allow_invalid_node_affinity_value {
            true => Values::Any,
            false => Values::Checked,
        };
        node_selector::validate(selector, values, &path.child(REQUIRED), errors);
    }
    let list = path.child(PREFERRED);
    for (at, term) in items(nodes, PREFERRED).iter().enumerate() {
        let path = list.index(at);
        check_weight(term, &path, errors);
        if let Some(term) = some(term, "preference") {
            node_selector::term(term, Values::Any, &path.child("preference"), errors);
        }
    }
}

fn check_weight(term: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let weight = int(term, "weight");
    if !(1..=100).contains(&weight) {
        let problem = "must be in the range 1-100";
        errors.push(Error::invalid(&path.child("weight"), weight, problem));
    }
}

fn check_pods(pods: &Value, path: &Path<'_>, options: &PodOptions, errors: &mut ErrorList) {
    let list = path.child(REQUIRED);
    for (at, term) in items(pods, REQUIRED).iter().enumerate() {
        check_pod_term(term, &list.index(at), options, errors);
    }
    let list = path.child(PREFERRED);
    for (at, term) in items(pods, PREFERRED).iter().enumerate() {
        let path = list.index(at);
        check_weight(term, &path, errors);
        if let Some(term) = some(term, "podAffinityTerm") {
            check_pod_term(term, &path.child("podAffinityTerm"), options, errors);
        }
    }
}

fn check_pod_term(term: &Value, path: &Path<'_>, options: &PodOptions, errors: &mut ErrorList) {
    let values = match options.allow_invalid_selector_value {
        true => Values::Any,
        false => Values::Checked,
    };
    for field in ["labelSelector", "namespaceSelector"] {
        selector::validate(some(term, field), values, &path.child(field), errors);
    }
    for namespace in texts(term, "namespaces") {
        errors.extend(net::label(&path.child("namespace"), namespace));
    }
    check_label_keys(term, path, errors);
    let key = text(term, "topologyKey");
    if key.is_empty() {
        errors.push(Error::required(&path.child("topologyKey"), "can not be empty"));
    }
    errors.extend(net::qualified_name(&path.child("topologyKey"), key));
}

/// Labels whose values a selector takes from the new pod, or from any other.
pub(super) fn check_label_keys(term: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let selector = some(term, "labelSelector");
    for field in ["matchLabelKeys", "mismatchLabelKeys"] {
        let keys = texts(term, field);
        let list = path.child(field);
        if !keys.is_empty() && selector.is_none() {
            let problem = "must not be specified when labelSelector is not set";
            errors.push(Error::forbidden(&list, problem));
            continue;
        }
        for (at, key) in keys.into_iter().enumerate() {
            errors.extend(net::qualified_name(&list.index(at), key));
        }
    }
    let matching = texts(term, "matchLabelKeys");
    if let Some(selector) = selector {
        let mut selected: BTreeSet<&str> =
            entries(selector, "matchLabels").map(|(key, _)| key.as_str()).collect();
        for expression in items(selector, "matchExpressions") {
            let key = text(expression, "key");
            // Merging keys into a selector gives expressions; a key that is there twice was
            // written by hand.
            if let Some(at) = matching.iter().rposition(|it| *it == key)
                && selected.contains(key)
            {
                let problem = "exists in both matchLabelKeys and labelSelector";
                errors.push(Error::invalid(&path.index(at), key, problem));
            }
            selected.insert(key);
        }
    }
    let others = texts(term, "mismatchLabelKeys");
    let list = path.child("matchLabelKeys");
    for (at, key) in matching.into_iter().enumerate().filter(|it| others.contains(&it.1)) {
        let problem = "exists in both matchLabelKeys and mismatchLabelKeys";
        errors.push(Error::invalid(&list.index(at), key, problem));
    }
}

/// Whether a selector of pods in the affinity names a value that no label can have.
pub(super) fn has_invalid_pod_value(spec: &Value) -> bool {
    let Some(affinity) = some(spec, "affinity") else { return false };
    ["podAffinity", "podAntiAffinity"].iter().filter_map(|kind| some(affinity, kind)).any(|pods| {
        let required = items(pods, REQUIRED).iter();
        let preferred = items(pods, PREFERRED).iter().filter_map(|it| some(it, "podAffinityTerm"));
        required.chain(preferred).any(|term| {
            ["labelSelector", "namespaceSelector"]
                .iter()
                .any(|field| selector::has_invalid_value(some(term, field)))
        })
    })
}

/// Whether a required selector of nodes names a value that no label can have.
pub(super) fn has_invalid_node_value(spec: &Value) -> bool {
    let required = some(spec, "affinity")
        .and_then(|it| some(it, "nodeAffinity"))
        .and_then(|it| some(it, REQUIRED));
    required.is_some_and(node_selector::has_invalid_value)
}
