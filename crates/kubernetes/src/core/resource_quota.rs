//! ResourceQuota: how much a namespace may use.

use std::collections::BTreeSet;

use ordain_meta::name;
use ordain_strategy::typed::{Hooks, Lifecycle, printer};
use ordain_strategy::{Change, Part, Warnings, object};
use ordain_value::Value;
use ordain_value::field::{self, Path};

use crate::native::Native;
use crate::shared::access::{entries, items, part, some, text, texts};
use crate::shared::diff::Shape::{List, Plain, Pointer, Struct, Text};
use crate::shared::diff::{self, Shape};
use crate::shared::resources::{self, amounts, quantity};
use crate::shared::{fields, metadata, table};

pub(crate) fn native() -> Native {
    let mut hooks = Hooks::new(validate);
    hooks.default = default;
    hooks.lifecycle = Lifecycle::Reset;
    hooks.warn = warn;
    hooks.cells = cells;
    let mut native = Native {
        hooks,
        columns: table::columns(
            &[
                ("Request", "string", "What is used, and how much may be."),
                ("Limit", "string", "The same for limits."),
            ],
            &[],
        ),
        ..Native::new("", "ResourceQuota")
    };
    native.policy.returns_deleted = true;
    native
}

fn default(quota: &mut Value) {
    for (holder, list) in [("spec", "hard"), ("status", "hard"), ("status", "used")] {
        if let Some(holder) = quota.get_mut(holder) {
            resources::round(holder, list);
        }
    }
}

fn validate(change: &Change<'_>) -> field::ErrorList {
    let mut errors = metadata::either(change, true, name::subdomain_rule);
    let quota = change.object;
    if change.part == Part::Status || change.old.is_none() {
        let path = Path::new("status");
        for list in ["hard", "used"] {
            amounts_of(part(quota, "status"), list, &path, &mut errors);
        }
    }
    if change.part == Part::Status {
        return errors;
    }
    let (path, spec) = (Path::new("spec"), part(quota, "spec"));
    amounts_of(spec, "hard", &path, &mut errors);
    scopes(spec, &path.child("scopes"), &mut errors);
    if let Some(selector) = some(spec, "scopeSelector") {
        let path = path.child("scopeSelector");
        scope_selector(spec, selector, &path.child("matchExpressions"), &mut errors);
    }
    if let Some(old) = change.old {
        let set = |spec| texts(spec, "scopes").into_iter().collect::<BTreeSet<_>>();
        if set(spec) != set(part(old, "spec")) {
            let shown = spec.get("scopes").cloned().unwrap_or(Value::Null);
            errors.push(field::Error::invalid(&path.child("scopes"), shown, fields::IMMUTABLE));
        }
    }
    errors
}

fn amounts_of(holder: &Value, list: &str, path: &Path<'_>, errors: &mut field::ErrorList) {
    let path = path.child(list);
    for (name, value) in entries(holder, list) {
        let path = path.key(name);
        resources::check_name(name, &path, errors);
        if !name.contains('/') && !is_quota_resource(name) {
            let why = "must be a standard resource for quota";
            errors.push(field::Error::invalid(&path, name.as_str(), why));
        }
        resources::check_amount(name, &quantity(value), &path, errors);
    }
}

/// Every standard resource but plain storage, which is asked for by request only.
fn is_quota_resource(name: &str) -> bool {
    name != "storage" && resources::is_standard(name)
}

const SCOPES: [&str; 7] = [
    "Terminating",
    "NotTerminating",
    "BestEffort",
    "NotBestEffort",
    "PriorityClass",
    "VolumeAttributesClass",
    "CrossNamespacePodAffinity",
];

const EXCLUSIVE: [[&str; 2]; 2] =
    [["BestEffort", "NotBestEffort"], ["Terminating", "NotTerminating"]];

/// Whether a resource can be counted within a scope.
fn is_counted(scope: &str, resource: &str) -> bool {
    let computed = matches!(
        resource,
        "cpu" | "memory" | "limits.cpu" | "limits.memory" | "requests.cpu" | "requests.memory"
    );
    match scope {
        "Terminating"
        | "NotTerminating"
        | "NotBestEffort"
        | "PriorityClass"
        | "CrossNamespacePodAffinity" => resource == "pods" || computed,
        "BestEffort" => resource == "pods",
        "VolumeAttributesClass" => {
            matches!(resource, "persistentvolumeclaims" | "requests.storage")
        }
        _ => true,
    }
}

/// How many standard resources of the quota a scope cannot count.
fn uncounted(spec: &Value, scope: &str) -> usize {
    let names = entries(spec, "hard").map(|it| it.0.as_str());
    names.filter(|name| is_quota_resource(name) && !is_counted(scope, name)).count()
}

fn scopes(spec: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    let given = texts(spec, "scopes");
    let shown = || spec.get("scopes").cloned().unwrap_or(Value::Null);
    for scope in &given {
        if !SCOPES.contains(scope) {
            errors.push(field::Error::invalid(path, shown(), "unsupported scope"));
        }
        for _ in 0..uncounted(spec, scope) {
            let why = "unsupported scope applied to resource";
            errors.push(field::Error::invalid(path, shown(), why));
        }
    }
    for pair in EXCLUSIVE {
        if pair.iter().all(|scope| given.contains(scope)) {
            errors.push(field::Error::invalid(path, shown(), "conflicting scopes"));
        }
    }
}

const SELECTOR: Shape = Struct(&[("MatchExpressions", "matchExpressions", List(&REQUIREMENT))]);
const REQUIREMENT: Shape = Pointer(&Struct(&[
    ("ScopeName", "scopeName", Text),
    ("Operator", "operator", Text),
    ("Values", "values", Plain),
]));

fn scope_selector(spec: &Value, selector: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    let expressions = items(selector, "matchExpressions");
    for expression in expressions {
        let scope = text(expression, "scopeName");
        if !SCOPES.contains(&scope) {
            let path = path.child("scopeName");
            errors.push(field::Error::invalid(&path, scope, "unsupported scope"));
        }
        for _ in 0..uncounted(spec, scope) {
            let why = "unsupported scope applied to resource";
            errors.push(field::Error::invalid(path, diff::shown(selector, &SELECTOR), why));
        }
        scope_operator(expression, scope, path, errors);
    }
    let named = |scope: &&str| expressions.iter().any(|it| text(it, "scopeName") == *scope);
    for pair in EXCLUSIVE {
        if pair.iter().all(named) {
            let shown = spec.get("scopes").cloned().unwrap_or(Value::Null);
            errors.push(field::Error::invalid(path, shown, "conflicting scopes"));
        }
    }
}

fn scope_operator(expression: &Value, scope: &str, path: &Path<'_>, errors: &mut field::ErrorList) {
    let (operator, values) = (text(expression, "operator"), items(expression, "values"));
    let place = path.child("operator");
    let valued = ["PriorityClass", "VolumeAttributesClass"].contains(&scope);
    if SCOPES.contains(&scope) && !valued && operator != "Exists" {
        let why = "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, \
                   ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, \
                   ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";
        errors.push(field::Error::invalid(&place, operator, why));
    }
    match operator {
        "In" | "NotIn" => {
            if values.is_empty() {
                let why = "must be at least one value when `operator` is 'In' or 'NotIn' for \
                           scope selector";
                errors.push(field::Error::required(&path.child("values"), why));
            }
        }
        "Exists" | "DoesNotExist" => {
            if !values.is_empty() {
                let why = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for \
                           scope selector";
                let shown = expression.get("values").cloned().unwrap_or(Value::Null);
                errors.push(field::Error::invalid(&path.child("values"), shown, why));
            }
        }
        _ => errors.push(field::Error::invalid(&place, operator, "not a valid selector operator")),
    }
}

/// A request that is above the limit of the same resource can never be used.
fn warn(change: &Change<'_>, warnings: &mut Warnings) {
    if change.old.is_some() {
        return;
    }
    let hard = amounts(part(change.object, "spec"), "hard");
    for resource in ["cpu", "memory", "storage", "ephemeral-storage"] {
        let mut request = format!("requests.{resource}");
        if !hard.contains_key(&request) && matches!(resource, "cpu" | "memory") {
            resource.clone_into(&mut request);
        }
        let limit = format!("limits.{resource}");
        if let (Some(asked), Some(most)) = (hard.get(&request), hard.get(&limit))
            && asked > most
        {
            warnings.add(format!(
                "ResourceQuota {request} ({asked}) should be less than {limit} ({most})"
            ));
        }
    }
}

fn cells(quota: &Value, now: i64) -> Vec<Value> {
    let status = part(quota, "status");
    let used = amounts(status, "used");
    let (mut requests, mut limits) = (Vec::new(), Vec::new());
    for (name, hard) in amounts(status, "hard") {
        let used = used.get(&name).map_or_else(|| "0".to_owned(), ToString::to_string);
        let list = if name.starts_with("limits.") { &mut limits } else { &mut requests };
        list.push(format!("{name}: {used}/{hard}"));
    }
    vec![
        object::name(quota).into(),
        requests.join(", ").into(),
        limits.join(", ").into(),
        printer::age(quota, now),
    ]
}
