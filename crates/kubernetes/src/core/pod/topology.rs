//! How pods are spread over the cluster.

use std::collections::{BTreeMap, BTreeSet};

use ordain_passes::declared::written::Asked;
use ordain_value::Value;
use ordain_value::field::{Error, ErrorList, Path};

use super::affinity;
use crate::shared::access::{entries, items, some, text, texts};
use crate::shared::net;

/// No two constraints have the same key and action; the earlier one is reported.
pub(crate) fn check_pairs(asked: &Asked<'_, '_>, path: &Path<'_>, errors: &mut ErrorList) {
    let constraints = asked.value();
    let constraints = constraints.as_list().map_or(&[][..], |it| it.as_slice());
    fn key(it: &Value) -> (&str, &str) {
        (text(it, "topologyKey"), text(it, "whenUnsatisfiable"))
    }
    let last: BTreeMap<(&str, &str), usize> =
        constraints.iter().enumerate().map(|(at, it)| (key(it), at)).collect();
    for (at, constraint) in constraints.iter().enumerate() {
        let (topology, action) = key(constraint);
        if last.get(&(topology, action)).is_some_and(|last| *last > at) {
            let path = path.index(at);
            let path = path.child("{topologyKey, whenUnsatisfiable}");
            errors.push(Error::duplicate(&path, format!("{{{topology}, {action}}}")));
        }
    }
}

/// The keys of a constraint, by the rule of older releases where the old object broke the new one.
pub(crate) fn check_keys(asked: &Asked<'_, '_>, path: &Path<'_>, errors: &mut ErrorList) {
    let constraint = asked.value();
    if breaks_label_keys(&asked.ask("oldPod")) {
        check_keys_as_before(&constraint, &path.child("matchLabelKeys"), errors);
    } else {
        affinity::check_label_keys(&constraint, path, errors);
    }
}

/// The rule of older releases, for objects that they took.
fn check_keys_as_before(constraint: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let keys = texts(constraint, "matchLabelKeys");
    let mut selected = BTreeSet::new();
    match some(constraint, "labelSelector") {
        Some(selector) => {
            selected.extend(entries(selector, "matchLabels").map(|(key, _)| key.as_str()));
            selected.extend(items(selector, "matchExpressions").iter().map(|it| text(it, "key")));
        }
        None if keys.is_empty() => {}
        None => {
            let problem = "must not be specified when labelSelector is not set";
            errors.push(Error::forbidden(path, problem));
        }
    }
    for (at, key) in keys.into_iter().enumerate() {
        errors.extend(net::qualified_name(&path.index(at), key));
        if selected.contains(key) {
            let problem = "exists in both matchLabelKeys and labelSelector";
            errors.push(Error::invalid(&path.index(at), key, problem));
        }
    }
}

/// Whether a spec breaks the rule of label keys.
fn breaks_label_keys(spec: &Value) -> bool {
    items(spec, "topologySpreadConstraints").iter().any(|constraint| {
        let mut errors = ErrorList::new();
        affinity::check_label_keys(constraint, &Path::root(), &mut errors);
        !errors.is_empty()
    })
}
