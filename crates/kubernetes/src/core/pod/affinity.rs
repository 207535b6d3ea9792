//! Which nodes a pod asks for, by their labels and by the pods on them.

use std::collections::BTreeSet;

use ordain_meta::name;
use ordain_value::Value;
use ordain_value::field::{Error, ErrorList, Path};

use super::options::PodOptions;
use crate::shared::access::{entries, int, items, some, text, texts};
use crate::shared::net;
use crate::shared::selector::{self, Values};

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
        check_node_selector(selector, values, &path.child(REQUIRED), errors);
    }
    let list = path.child(PREFERRED);
    for (at, term) in items(nodes, PREFERRED).iter().enumerate() {
        let path = list.index(at);
        check_weight(term, &path, errors);
        if let Some(term) = some(term, "preference") {
            check_node_term(term, Values::Any, &path.child("preference"), errors);
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

/// A selector of nodes: one of its terms must fit.
pub(crate) fn check_node_selector(
    selector: &Value,
    values: Values,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let list = path.child("nodeSelectorTerms");
    let terms = items(selector, "nodeSelectorTerms");
    if terms.is_empty() {
        errors.push(Error::required(&list, "must have at least one node selector term"));
    }
    for (at, term) in terms.iter().enumerate() {
        check_node_term(term, values, &list.index(at), errors);
    }
}

/// A term of a selector of nodes: all of its requirements must fit.
pub(crate) fn check_node_term(
    term: &Value,
    values: Values,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let list = path.child("matchExpressions");
    for (at, requirement) in items(term, "matchExpressions").iter().enumerate() {
        check_expression(requirement, values, &list.index(at), errors);
    }
    let list = path.child("matchFields");
    for (at, requirement) in items(term, "matchFields").iter().enumerate() {
        check_field(requirement, &list.index(at), errors);
    }
}

fn check_expression(requirement: &Value, values: Values, path: &Path<'_>, errors: &mut ErrorList) {
    let given = texts(requirement, "values");
    let list = path.child("values");
    match text(requirement, "operator") {
        "In" | "NotIn" if given.is_empty() => {
            let problem = "must be specified when `operator` is 'In' or 'NotIn'";
            errors.push(Error::required(&list, problem));
        }
        "Exists" | "DoesNotExist" if !given.is_empty() => {
            let problem = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
            errors.push(Error::forbidden(&list, problem));
        }
        "Gt" | "Lt" if given.len() != 1 => {
            let problem = "must be specified single value when `operator` is 'Lt' or 'Gt'";
            errors.push(Error::required(&list, problem));
        }
        "In" | "NotIn" | "Exists" | "DoesNotExist" | "Gt" | "Lt" => {}
        other => errors.push(Error::invalid(
            &path.child("operator"),
            other,
            "not a valid selector operator",
        )),
    }
    errors.extend(net::qualified_name(&path.child("key"), text(requirement, "key")));
    if values == Values::Checked {
        for (at, value) in given.into_iter().enumerate() {
            errors.extend(net::invalid(&list.index(at), value, name::label_value(value)));
        }
    }
}

fn check_field(requirement: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let given = texts(requirement, "values");
    let list = path.child("values");
    match text(requirement, "operator") {
        "In" | "NotIn" => {
            if given.len() != 1 {
                let problem = "must be only one value when `operator` is 'In' or 'NotIn' for node field \
                     selector";
                errors.push(Error::required(&list, problem));
            }
        }
        other => errors.push(Error::invalid(
            &path.child("operator"),
            other,
            "not a valid selector operator",
        )),
    }
    let key = text(requirement, "key");
    if key != "metadata.name" {
        errors.push(Error::invalid(&path.child("key"), key, "not a valid field selector key"));
        return;
    }
    for (at, value) in given.into_iter().enumerate() {
        errors.extend(net::subdomain(&list.index(at), value));
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
    let terms = required.map_or(&[][..], |it| items(it, "nodeSelectorTerms"));
    let expressions = terms.iter().flat_map(|it| items(it, "matchExpressions"));
    expressions.flat_map(|it| texts(it, "values")).any(|it| !name::label_value(it).is_empty())
}
