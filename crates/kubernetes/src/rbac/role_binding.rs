//! RoleBinding and ClusterRoleBinding: who has which role.

use ordain_strategy::typed::Hooks;
use ordain_value::Value;

use super::{GROUP, role};
use crate::native::Native;
use crate::shared::access::{items, part, text};
use crate::shared::table::Cell::Of;
use crate::shared::table::{AGE, Described, NAME};

pub(crate) fn native() -> Native {
    binding("RoleBinding", Hooks::new(|change| role::metadata(change, true)))
}

pub(crate) fn cluster_native() -> Native {
    binding("ClusterRoleBinding", Hooks::new(|change| role::metadata(change, false)))
}

fn binding(kind: &'static str, mut hooks: Hooks) -> Native {
    hooks.default = default;
    Native { policy: role::POLICY, hooks, columns: COLUMNS, ..Native::new(GROUP, kind) }
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

const COLUMNS: &[Described] = &[
    NAME,
    ("Role", "string", 0, ROLE, Of(role_name)),
    AGE,
    ("Users", "string", 1, "Users in the roleBinding", Of(|it| subjects(it, "User"))),
    ("Groups", "string", 1, "Groups in the roleBinding", Of(|it| subjects(it, "Group"))),
    ("ServiceAccounts", "string", 1, ACCOUNTS, Of(|it| subjects(it, "ServiceAccount"))),
];
const ROLE: &str = "RoleRef can only reference a ClusterRole in the global namespace. If the \
    RoleRef cannot be resolved, the Authorizer must return an error. This field is immutable.";
const ACCOUNTS: &str = "ServiceAccounts in the roleBinding";

fn role_name(object: &Value) -> Value {
    let role = part(object, "roleRef");
    format!("{}/{}", text(role, "kind"), text(role, "name")).into()
}

/// The names of all subjects of a kind.
fn subjects(object: &Value, kind: &str) -> Value {
    let subjects = items(object, "subjects").iter().filter(|it| text(it, "kind") == kind);
    let names = subjects.map(|subject| match kind {
        "ServiceAccount" => format!("{}/{}", text(subject, "namespace"), text(subject, "name")),
        _ => text(subject, "name").to_owned(),
    });
    names.collect::<Vec<_>>().join(", ").into()
}
