//! Role and ClusterRole: rules about what may be done to what.

use ordain_meta::name;
use ordain_strategy::typed::Hooks;
use ordain_strategy::typed::rules;
use ordain_strategy::{Change, Policy};
use ordain_value::Value;
use ordain_value::field::{self, Path};

use crate::native::Native;
use crate::shared::{selector, table};

/// What roles and bindings have in common: a PUT creates them, and overwrites without a version.
pub(super) const POLICY: Policy = Policy {
    create_on_update: true,
    unconditional_update: true,
    returns_deleted: false,
    garbage_collection: ordain_strategy::strategy::GarbageCollection::DeleteDependents,
    delete_marks: false,
};

pub(crate) fn native() -> Native {
    let mut hooks = Hooks::new(|change| validate(change, true));
    hooks.cells = table::plain_cells;
    Native { policy: POLICY, hooks, columns: table::plain(), ..Native::new(super::GROUP, "Role") }
}

pub(crate) fn cluster_native() -> Native {
    let mut hooks = Hooks::new(|change| {
        let mut errors = validate(change, false);
        validate_aggregation(change.object, &mut errors);
        errors
    });
    hooks.cells = table::plain_cells;
    Native {
        policy: POLICY,
        hooks,
        columns: table::plain(),
        ..Native::new(super::GROUP, "ClusterRole")
    }
}

/// The rules of metadata, all of them also on an update.
pub(super) fn metadata(change: &Change<'_>, namespaced: bool) -> field::ErrorList {
    let mut errors = rules::metadata(change, namespaced, name::path_segment_rule);
    if change.old.is_some() {
        let whole = Change { old: None, ..*change };
        errors.extend(rules::metadata(&whole, namespaced, name::path_segment_rule));
    }
    errors
}

fn validate(change: &Change<'_>, namespaced: bool) -> field::ErrorList {
    let mut errors = metadata(change, namespaced);
    let list = change.object.get("rules").and_then(Value::as_list);
    for (at, rule) in list.into_iter().flat_map(|list| list.iter()).enumerate() {
        validate_rule(rule, namespaced, &Path::new("rules").index(at), &mut errors);
    }
    errors
}

fn validate_rule(rule: &Value, namespaced: bool, path: &Path<'_>, errors: &mut field::ErrorList) {
    let list = |name: &str| {
        rule.get(name).filter(|value| value.as_list().is_some_and(|list| !list.is_empty()))
    };
    if list("verbs").is_none() {
        let why = "verbs must contain at least one value";
        errors.push(field::Error::required(&path.child("verbs"), why));
    }
    let resource = ["apiGroups", "resources", "resourceNames"];
    if let Some(urls) = list("nonResourceURLs") {
        let path = path.child("nonResourceURLs");
        if namespaced {
            let why = "namespaced rules cannot apply to non-resource URLs";
            errors.push(field::Error::invalid(&path, urls.clone(), why));
        }
        if resource.iter().any(|name| list(name).is_some()) {
            let why = "rules cannot apply to both regular resources and non-resource URLs";
            errors.push(field::Error::invalid(&path, urls.clone(), why));
        }
        return;
    }
    if list("apiGroups").is_none() {
        let why = "resource rules must supply at least one api group";
        errors.push(field::Error::required(&path.child("apiGroups"), why));
    }
    if list("resources").is_none() {
        let why = "resource rules must supply at least one resource";
        errors.push(field::Error::required(&path.child("resources"), why));
    }
}

fn validate_aggregation(role: &Value, errors: &mut field::ErrorList) {
    let Some(aggregation) = role.get("aggregationRule").filter(|it| !it.is_null()) else { return };
    let path = Path::new("aggregationRule");
    let path = path.child("clusterRoleSelectors");
    let list = aggregation.get("clusterRoleSelectors").and_then(Value::as_list);
    let Some(list) = list.filter(|list| !list.is_empty()) else {
        let why = "at least one clusterRoleSelector required if aggregationRule is non-nil";
        errors.push(field::Error::required(&path, why));
        return;
    };
    for (at, item) in list.iter().enumerate() {
        selector::validate(Some(item), selector::Values::Checked, &path.index(at), errors);
    }
}
