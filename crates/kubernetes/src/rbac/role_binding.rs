//! RoleBinding and ClusterRoleBinding: who has which role.

use ordain_meta::name;
use ordain_strategy::Change;
use ordain_strategy::object;
use ordain_strategy::typed::Hooks;
use ordain_strategy::typed::printer;
use ordain_value::Value;
use ordain_value::field::{self, Path};

use super::{GROUP, role};
use crate::native::Native;

pub(crate) fn native() -> Native {
    binding("RoleBinding", Hooks::new(|change| validate(change, true)))
}

pub(crate) fn cluster_native() -> Native {
    binding("ClusterRoleBinding", Hooks::new(|change| validate(change, false)))
}

fn binding(kind: &'static str, mut hooks: Hooks) -> Native {
    hooks.default = default;
    hooks.cells = cells;
    Native { policy: role::POLICY, hooks, columns: columns(), ..Native::new(GROUP, kind) }
}

fn default(object: &mut Value) {
    let text = |value: &Value, path: &[&str]| {
        value.get_path(path).and_then(Value::as_str).unwrap_or("").to_owned()
    };
    if text(object, &["roleRef", "apiGroup"]).is_empty() && object.get("roleRef").is_some() {
        object.set_path(&["roleRef", "apiGroup"], GROUP.into());
    }
    let Some(subjects) = object.get("subjects").and_then(Value::as_list) else { return };
    let with_group = |subject: &Value| {
        let mut subject = subject.clone();
        let known = matches!(text(&subject, &["kind"]).as_str(), "User" | "Group");
        if known && text(&subject, &["apiGroup"]).is_empty() {
            subject.set_path(&["apiGroup"], GROUP.into());
        }
        subject
    };
    let subjects: Vec<Value> = subjects.iter().map(with_group).collect();
    object.set_path(&["subjects"], subjects.into());
}

fn columns() -> Vec<ordain_strategy::Column> {
    const ROLE: &str = "RoleRef can only reference a ClusterRole in the global namespace. If the \
        RoleRef cannot be resolved, the Authorizer must return an error. This field is immutable.";
    let mut columns = printer::columns(&[("Role", ROLE)]);
    for name in ["Users", "Groups", "ServiceAccounts"] {
        let about = format!("{name} in the roleBinding");
        columns.push(printer::column(name, &about, 1));
    }
    columns
}

fn cells(object: &Value, now: i64) -> Vec<Value> {
    let text = |value: &Value, name: &str| {
        value.get(name).and_then(Value::as_str).unwrap_or("").to_owned()
    };
    let role = object.get("roleRef").cloned().unwrap_or(Value::Null);
    let role = format!("{}/{}", text(&role, "kind"), text(&role, "name"));
    let subjects = object.get("subjects").and_then(Value::as_list);
    let named = |kind: &str| {
        let list = subjects.into_iter().flat_map(|list| list.iter());
        let names = list.filter(|subject| text(subject, "kind") == kind).map(|subject| {
            if kind == "ServiceAccount" {
                return format!("{}/{}", text(subject, "namespace"), text(subject, "name"));
            }
            text(subject, "name")
        });
        Value::from(names.collect::<Vec<_>>().join(", "))
    };
    vec![
        object::name(object).into(),
        role.into(),
        printer::age(object, now),
        named("User"),
        named("Group"),
        named("ServiceAccount"),
    ]
}

fn validate(change: &Change<'_>, namespaced: bool) -> field::ErrorList {
    let mut errors = role::metadata(change, namespaced);
    let empty = Value::Null;
    let role = change.object.get("roleRef").unwrap_or(&empty);
    validate_role(role, namespaced, &mut errors);
    let subjects = change.object.get("subjects").and_then(Value::as_list);
    for (at, subject) in subjects.into_iter().flat_map(|list| list.iter()).enumerate() {
        validate_subject(subject, namespaced, &Path::new("subjects").index(at), &mut errors);
    }
    if change.old.is_some_and(|old| old.get("roleRef") != change.object.get("roleRef")) {
        let path = Path::new("roleRef");
        errors.push(field::Error::invalid(&path, role.clone(), "cannot change roleRef"));
    }
    errors
}

fn validate_role(role: &Value, namespaced: bool, errors: &mut field::ErrorList) {
    let path = Path::new("roleRef");
    let text = |name: &str| role.get(name).and_then(Value::as_str).unwrap_or("");
    if text("apiGroup") != GROUP {
        let path = path.child("apiGroup");
        errors.push(field::Error::not_supported(&path, text("apiGroup"), &[GROUP]));
    }
    let kinds: &[&str] = if namespaced { &["Role", "ClusterRole"] } else { &["ClusterRole"] };
    if !kinds.contains(&text("kind")) {
        let path = path.child("kind");
        errors.push(field::Error::not_supported(&path, text("kind"), kinds));
    }
    let path = path.child("name");
    if text("name").is_empty() {
        errors.push(field::Error::required(&path, ""));
    }
    for problem in name::path_segment_rule(text("name"), false) {
        if !text("name").is_empty() {
            errors.push(field::Error::invalid(&path, text("name"), problem));
        }
    }
}

fn validate_subject(
    subject: &Value,
    namespaced: bool,
    path: &Path<'_>,
    errors: &mut field::ErrorList,
) {
    let text = |name: &str| subject.get(name).and_then(Value::as_str).unwrap_or("");
    if text("name").is_empty() {
        errors.push(field::Error::required(&path.child("name"), ""));
    }
    let group = |expected: &'static str, errors: &mut field::ErrorList| {
        if text("apiGroup") != expected {
            let path = path.child("apiGroup");
            errors.push(field::Error::not_supported(&path, text("apiGroup"), &[expected]));
        }
    };
    match text("kind") {
        "ServiceAccount" => {
            let problems = name::subdomain_rule(text("name"), false);
            for problem in problems.into_iter().filter(|_| !text("name").is_empty()) {
                errors.push(field::Error::invalid(&path.child("name"), text("name"), problem));
            }
            group("", errors);
            if !namespaced && text("namespace").is_empty() {
                errors.push(field::Error::required(&path.child("namespace"), ""));
            }
        }
        "User" | "Group" => group(GROUP, errors),
        kind => {
            let path = path.child("kind");
            let kinds = ["ServiceAccount", "User", "Group"];
            errors.push(field::Error::not_supported(&path, kind, &kinds));
        }
    }
}
