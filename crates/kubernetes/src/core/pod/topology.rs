//! How pods are spread over the cluster, and which taints they bear.

use std::collections::BTreeSet;

use ordain_meta::name;
use ordain_value::Value;
use ordain_value::field::{Error, ErrorList, Path};

use super::affinity;
use super::check::{one_of, optional_one_of};
use super::options::PodOptions;
use crate::shared::access::{entries, int, int_of, items, some, text, texts};
use crate::shared::net;
use crate::shared::selector::{self, Values};

const NOT_POSITIVE: &str = "must be greater than zero";

/// The constraints on how pods spread.
pub(super) fn check_spread(
    spec: &Value,
    path: &Path<'_>,
    options: &PodOptions,
    errors: &mut ErrorList,
) {
    let list = path.child("topologySpreadConstraints");
    let constraints = items(spec, "topologySpreadConstraints");
    for (at, constraint) in constraints.iter().enumerate() {
        let path = list.index(at);
        check_constraint(constraint, &path, errors);
        let key = |it: &Value| {
            (text(it, "topologyKey").to_owned(), text(it, "whenUnsatisfiable").to_owned())
        };
        let (topology, action) = key(constraint);
        if constraints[at + 1..].iter().any(|it| key(it) == key(constraint)) {
            let path = path.child("{topologyKey, whenUnsatisfiable}");
            errors.push(Error::duplicate(&path, format!("{{{topology}, {action}}}")));
        }
        if options.old_breaks_match_label_keys {
            check_keys_as_before(constraint, &path.child("matchLabelKeys"), errors);
        } else {
            affinity::check_label_keys(constraint, &path, errors);
        }
        if !options.allow_invalid_spread_selector {
            let selector = some(constraint, "labelSelector");
            selector::validate(selector, Values::Checked, &path.child("labelSelector"), errors);
        }
    }
}

fn check_constraint(constraint: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let skew = int(constraint, "maxSkew");
    if skew <= 0 {
        errors.push(Error::invalid(&path.child("maxSkew"), skew, NOT_POSITIVE));
    }
    if text(constraint, "topologyKey").is_empty() {
        errors.push(Error::required(&path.child("topologyKey"), "can not be empty"));
    }
    let action = text(constraint, "whenUnsatisfiable");
    one_of(action, &["DoNotSchedule", "ScheduleAnyway"], &path.child("whenUnsatisfiable"), errors);
    if let Some(domains) = int_of(constraint, "minDomains") {
        let path = path.child("minDomains");
        if domains <= 0 {
            errors.push(Error::invalid(&path, domains, NOT_POSITIVE));
        }
        if action != "DoNotSchedule" {
            let problem =
                format!("can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}");
            errors.push(Error::invalid(&path, domains, problem));
        }
    }
    for field in ["nodeAffinityPolicy", "nodeTaintsPolicy"] {
        optional_one_of(constraint, field, &["Honor", "Ignore"], path, errors);
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
pub(super) fn breaks_label_keys(spec: &Value) -> bool {
    items(spec, "topologySpreadConstraints").iter().any(|constraint| {
        let mut errors = ErrorList::new();
        affinity::check_label_keys(constraint, &Path::root(), &mut errors);
        !errors.is_empty()
    })
}

/// Whether a constraint has a selector that breaks a rule.
pub(super) fn has_invalid_selector(spec: &Value) -> bool {
    let constraints = items(spec, "topologySpreadConstraints").iter();
    constraints.map(|it| some(it, "labelSelector")).any(selector::is_invalid)
}

/// The taints that a pod bears.
pub(super) fn check_tolerations(
    tolerations: &[Value],
    path: &Path<'_>,
    options: &PodOptions,
    errors: &mut ErrorList,
) {
    for (at, toleration) in tolerations.iter().enumerate() {
        check_toleration(toleration, &path.index(at), options, errors);
    }
}

fn check_toleration(
    toleration: &Value,
    path: &Path<'_>,
    options: &PodOptions,
    errors: &mut ErrorList,
) {
    let (key, operator) = (text(toleration, "key"), text(toleration, "operator"));
    let (value, effect) = (text(toleration, "value"), text(toleration, "effect"));
    let operator_path = path.child("operator");
    if !key.is_empty() {
        errors.extend(net::qualified_name(&path.child("key"), key));
    } else if operator != "Exists" {
        let problem = "operator must be Exists when `key` is empty, which means \"match all \
                       values and all keys\"";
        errors.push(Error::invalid(&operator_path, operator, problem));
    }
    if some(toleration, "tolerationSeconds").is_some() && effect != "NoExecute" {
        let problem = "effect must be 'NoExecute' when `tolerationSeconds` is set";
        errors.push(Error::invalid(&path.child("effect"), effect, problem));
    }
    match operator {
        "Equal" | "" => {
            let problems = name::label_value(value);
            if !problems.is_empty() {
                errors.push(Error::invalid(&operator_path, value, problems.join(";")));
            }
        }
        "Exists" => {
            if !value.is_empty() {
                let problem = "value must be empty when `operator` is 'Exists'";
                errors.push(Error::invalid(&operator_path, value, problem));
            }
        }
        "Lt" | "Gt" if options.allow_comparing_tolerations => {}
        "Lt" | "Gt" => {
            let known = ["Equal", "Exists", "Lt", "Gt"];
            errors.push(Error::not_supported(&operator_path, operator, &known));
        }
        other => one_of(other, &["Equal", "Exists"], &operator_path, errors),
    }
    if !effect.is_empty() {
        let effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
        one_of(effect, &effects, &path.child("effect"), errors);
    }
}
