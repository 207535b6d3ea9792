//! RoleBinding and ClusterRoleBinding: who has which role.

use ordain_strategy::typed::Hooks;
use ordain_value::Value;

use super::{GROUP, role};
use crate::native::Native;
use crate::shared::access::{items, items_mut, part, text};
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
    Native { columns: COLUMNS, ..role::base(kind, hooks) }
}

fn default(object: &mut Value) {
    let name_group = |part: &mut Value| {
        if text(part, "apiGroup").is_empty() {
            part.set_path(&["apiGroup"], GROUP.into());
        }
    };
    object.get_mut("roleRef").into_iter().for_each(name_group);
    let subjects = items_mut(object, "subjects");
    subjects.filter(|it| matches!(text(it, "kind"), "User" | "Group")).for_each(name_group);
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
