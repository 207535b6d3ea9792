//! RoleBinding and ClusterRoleBinding: who has which role.

use ordain_strategy::object;
use ordain_strategy::typed::Hooks;
use ordain_strategy::typed::printer;
use ordain_value::Value;

use super::{GROUP, role};
use crate::native::Native;

pub(crate) fn native() -> Native {
    binding("RoleBinding", Hooks::new(|change| role::metadata(change, true)))
}

pub(crate) fn cluster_native() -> Native {
    binding("ClusterRoleBinding", Hooks::new(|change| role::metadata(change, false)))
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
