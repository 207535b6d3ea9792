//! Which requests are meant: rules of groups, versions, resources, operations and conditions.

use std::collections::BTreeSet;

use ordain_meta::name;
use ordain_value::Value;
use ordain_value::field::{self, Path};

use crate::shared::selector::{self, Values};
use crate::shared::{fields, internal};

pub(super) const FAILURE_POLICIES: [&str; 2] = ["Fail", "Ignore"];
pub(super) const MATCH_POLICIES: [&str; 2] = ["Equivalent", "Exact"];
pub(super) const REINVOCATION_POLICIES: [&str; 2] = ["IfNeeded", "Never"];
const OPERATIONS: [&str; 5] = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
const SCOPES: [&str; 3] = ["*", "Cluster", "Namespaced"];
const CONDITIONS_MAX: usize = 64;

/// A list that must have items, where `*` stands alone.
fn wildcard_list(rule: &Value, name: &str, what: &str, path: &Path<'_>, errors: &mut Errors) {
    let path = path.child(name);
    let values = fields::texts(rule, &[name]);
    if values.is_empty() {
        errors.push(field::Error::required(&path, ""));
    }
    if values.len() > 1 && values.contains(&"*") {
        let why = format!("if '*' is present, must not specify other {what}");
        errors.push(field::Error::invalid(&path, internal::given(rule, name), why));
    }
}

type Errors = field::ErrorList;

/// Judges what a rule matches.
pub(super) fn rule(rule: &Value, path: &Path<'_>, errors: &mut Errors) {
    wildcard_list(rule, "operations", "operations", path, errors);
    let operations = path.child("operations");
    for (at, operation) in fields::texts(rule, &["operations"]).into_iter().enumerate() {
        if !OPERATIONS.contains(&operation) {
            let at = operations.index(at);
            errors.push(field::Error::not_supported(&at, operation, &OPERATIONS));
        }
    }
    wildcard_list(rule, "apiGroups", "API groups", path, errors);
    wildcard_list(rule, "apiVersions", "API versions", path, errors);
    let versions = path.child("apiVersions");
    for (at, version) in fields::texts(rule, &["apiVersions"]).into_iter().enumerate() {
        if version.is_empty() {
            errors.push(field::Error::required(&versions.index(at), ""));
        }
    }
    resources(rule, &path.child("resources"), errors);
    fields::one_of(rule, &["scope"], &SCOPES, &path.child("scope"), errors);
}

fn resources(rule: &Value, path: &Path<'_>, errors: &mut Errors) {
    let list = fields::texts(rule, &["resources"]);
    if list.is_empty() {
        errors.push(field::Error::required(path, ""));
    }
    let (mut whole, mut subs) = (BTreeSet::new(), BTreeSet::new());
    let mut has_plain = false;
    for (at, text) in list.iter().enumerate() {
        let path = path.index(at);
        if text.is_empty() {
            errors.push(field::Error::required(&path, ""));
            continue;
        }
        let Some((resource, sub)) = text.split_once('/') else {
            // The last plain resource decides, as upstream has it.
            has_plain = *text != "*";
            continue;
        };
        let mut repeated = |pattern: String| {
            let why = format!("if '{pattern}' is present, must not specify {text}");
            errors.push(field::Error::invalid(&path, *text, why));
        };
        if whole.contains(resource) {
            repeated(format!("{resource}/*"));
        }
        if subs.contains(sub) {
            repeated(format!("*/{sub}"));
        }
        if sub == "*" {
            whole.insert(resource);
        }
        if resource == "*" {
            subs.insert(sub);
        }
    }
    let mut refuse = |why: &str| {
        let value = internal::given(rule, "resources");
        errors.push(field::Error::invalid(path, value, why));
    };
    if list.len() > 1 && list.contains(&"*/*") {
        refuse("if '*/*' is present, must not specify other resources");
    }
    if list.contains(&"*") && has_plain {
        refuse("if '*' is present, must not specify other resources without subresources");
    }
}

/// Judges match constraints.
pub(super) fn constraints(constraints: &Value, path: &Path<'_>, errors: &mut Errors) {
    let policy = path.child("matchPolicy");
    if fields::at(constraints, &["matchPolicy"]).is_none() {
        errors.push(field::Error::required(&policy, ""));
    }
    fields::one_of(constraints, &["matchPolicy"], &MATCH_POLICIES, &policy, errors);
    for name in ["namespaceSelector", "objectSelector"] {
        let path = path.child(name);
        let selector = fields::at(constraints, &[name]);
        if selector.is_none() {
            errors.push(field::Error::required(&path, ""));
        }
        selector::validate(selector, Values::Checked, &path, errors);
    }
    for name in ["resourceRules", "excludeResourceRules"] {
        let list = path.child(name);
        for (at, item) in fields::list(constraints, &[name]).iter().enumerate() {
            named_rule(item, &list.index(at), errors);
        }
    }
}

fn named_rule(item: &Value, path: &Path<'_>, errors: &mut Errors) {
    let names = path.child("resourceNames");
    let mut seen = BTreeSet::new();
    for (at, given) in fields::texts(item, &["resourceNames"]).into_iter().enumerate() {
        for why in name::path_segment_rule(given, false) {
            errors.push(field::Error::invalid(&names.index(at), given, why));
        }
        if !seen.insert(given) {
            errors.push(field::Error::duplicate(&names.index(at), given));
        }
    }
    rule(item, path, errors);
}

/// Judges match conditions but for what their expressions say.
pub(super) fn conditions(owner: &Value, path: &Path<'_>, errors: &mut Errors) {
    let list = fields::list(owner, &["matchConditions"]);
    let path = path.child("matchConditions");
    if list.len() > CONDITIONS_MAX {
        let found = i64::try_from(list.len()).unwrap_or(i64::MAX);
        errors.push(field::Error::too_many(&path, found, CONDITIONS_MAX as i64));
    }
    let mut seen = BTreeSet::new();
    for (at, condition) in list.iter().enumerate() {
        let path = path.index(at);
        if fields::text(condition, &["expression"]).trim().is_empty() {
            errors.push(field::Error::required(&path.child("expression"), ""));
        }
        let given = fields::text(condition, &["name"]);
        let path = path.child("name");
        if given.is_empty() {
            errors.push(field::Error::required(&path, ""));
            continue;
        }
        for why in name::qualified_name(given) {
            errors.push(field::Error::invalid(&path, given, why));
        }
        if !seen.insert(given) {
            errors.push(field::Error::duplicate(&path, given));
        }
    }
}

const MUTABLE_OPERATIONS: [&str; 4] = ["*", "CONNECT", "CREATE", "UPDATE"];

/// Refuses operations that bring nothing to be changed. Upstream names no index here.
pub(super) fn mutable_operations(constraints: &Value, path: &Path<'_>, errors: &mut Errors) {
    let path = path.child("resourceRules.operations");
    for rule in fields::list(constraints, &["resourceRules"]) {
        for operation in fields::texts(rule, &["operations"]) {
            if !MUTABLE_OPERATIONS.contains(&operation) {
                errors.push(field::Error::not_supported(&path, operation, &MUTABLE_OPERATIONS));
            }
        }
    }
}
