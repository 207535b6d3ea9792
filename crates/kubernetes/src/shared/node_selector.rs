//! Which nodes are meant: selector terms (`core/v1.NodeSelector`) and topologies.

use std::collections::{BTreeMap, BTreeSet};

use ordain_meta::name;
use ordain_passes::declared::written::Asked;
use ordain_strategy::Warnings;
use ordain_value::Value;
use ordain_value::field::{self, Path};

use super::access::{items, text, texts};
use super::selector::Values;
use super::{net, reference};

/// The rules of a selector, which needs a term at least.
pub(crate) fn validate(
    selector: &Value,
    values: Values,
    path: &Path<'_>,
    errors: &mut field::ErrorList,
) {
    let path = path.child("nodeSelectorTerms");
    let terms = items(selector, "nodeSelectorTerms");
    if terms.is_empty() {
        let why = "must have at least one node selector term";
        errors.push(field::Error::required(&path, why));
    }
    for (at, item) in terms.iter().enumerate() {
        term(item, values, &path.index(at), errors);
    }
}

/// The rules of a term.
pub(crate) fn term(term: &Value, values: Values, path: &Path<'_>, errors: &mut field::ErrorList) {
    let list = path.child("matchExpressions");
    for (at, requirement) in items(term, "matchExpressions").iter().enumerate() {
        label_requirement(requirement, values, &list.index(at), errors);
    }
    let list = path.child("matchFields");
    for (at, requirement) in items(term, "matchFields").iter().enumerate() {
        field_requirement(requirement, &list.index(at), errors);
    }
}

const NO_OPERATOR: &str = "not a valid selector operator";

fn label_requirement(
    requirement: &Value,
    judged: Values,
    path: &Path<'_>,
    errors: &mut field::ErrorList,
) {
    let (operator, values) = (text(requirement, "operator"), texts(requirement, "values"));
    let list = path.child("values");
    match operator {
        "In" | "NotIn" if values.is_empty() => {
            let why = "must be specified when `operator` is 'In' or 'NotIn'";
            errors.push(field::Error::required(&list, why));
        }
        "Exists" | "DoesNotExist" if !values.is_empty() => {
            let why = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
            errors.push(field::Error::forbidden(&list, why));
        }
        "Gt" | "Lt" if values.len() != 1 => {
            let why = "must be specified single value when `operator` is 'Lt' or 'Gt'";
            errors.push(field::Error::required(&list, why));
        }
        "In" | "NotIn" | "Exists" | "DoesNotExist" | "Gt" | "Lt" => {}
        _ => errors.push(field::Error::invalid(&path.child("operator"), operator, NO_OPERATOR)),
    }
    errors.extend(net::qualified_name(&path.child("key"), text(requirement, "key")));
    if judged == Values::Checked {
        for (at, value) in values.into_iter().enumerate() {
            errors.extend(net::invalid(&list.index(at), value, name::label_value(value)));
        }
    }
}

fn field_requirement(requirement: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    let (operator, values) = (text(requirement, "operator"), texts(requirement, "values"));
    match operator {
        "In" | "NotIn" => {
            if values.len() != 1 {
                let why = "must be only one value when `operator` is 'In' or 'NotIn' for node \
                           field selector";
                errors.push(field::Error::required(&path.child("values"), why));
            }
        }
        _ => errors.push(field::Error::invalid(&path.child("operator"), operator, NO_OPERATOR)),
    }
    let key = text(requirement, "key");
    if key != "metadata.name" {
        let why = "not a valid field selector key";
        errors.push(field::Error::invalid(&path.child("key"), key, why));
        return;
    }
    let list = path.child("values");
    for (at, value) in values.into_iter().enumerate() {
        errors.extend(net::subdomain(&list.index(at), value));
    }
}

/// Whether a term names a value that no label can have.
pub(crate) fn has_invalid_value(selector: &Value) -> bool {
    let terms = items(selector, "nodeSelectorTerms").iter();
    let requirements = terms.flat_map(|term| items(term, "matchExpressions"));
    let values = requirements.flat_map(|requirement| texts(requirement, "values"));
    values.into_iter().any(|value| !name::label_value(value).is_empty())
}

/// No two topologies may ask for the same.
pub(crate) fn check_repeated(
    asked: &Asked<'_, '_>,
    path: &Path<'_>,
    errors: &mut field::ErrorList,
) {
    type Terms<'a> = BTreeMap<&'a str, BTreeSet<&'a str>>;
    let value = asked.value();
    let terms = value.as_list().map_or(&[][..], |it| it.as_slice());
    // Upstream compares with as many empty terms as there are terms, before the ones seen: a term
    // that asks for nothing is reported once for each of them.
    let mut seen: Vec<Terms<'_>> = terms.iter().map(|_| Terms::new()).collect();
    for (at, term) in terms.iter().enumerate() {
        let requirements = items(term, "matchLabelExpressions").iter();
        let wanted: Terms<'_> = requirements
            .map(|it| (text(it, "key"), texts(it, "values").into_iter().collect()))
            .collect();
        let path = path.index(at);
        for _ in seen.iter().filter(|it| **it == wanted) {
            errors.push(field::Error::duplicate(&path.child("matchLabelExpressions"), ""));
        }
        seen.push(wanted);
    }
}

/// Advice on labels that have a successor.
pub(crate) fn warn(term: &Value, path: &Path<'_>, warnings: &mut Warnings) {
    let path = path.child("matchExpressions");
    for (at, requirement) in items(term, "matchExpressions").iter().enumerate() {
        let key = text(requirement, "key");
        if let Some(why) = reference::deprecated_node_label(key) {
            warnings.add(format!("{}: {key} is {why}", path.index(at).child("key")));
        }
    }
}
