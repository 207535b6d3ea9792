//! Role and ClusterRole: rules about what may be done to what.

use ordain_meta::name;
use ordain_strategy::typed::Hooks;
use ordain_strategy::typed::rules;
use ordain_strategy::{Change, Policy};
use ordain_value::field;

use crate::native::Native;
use crate::shared::table::{CREATED_AT, NAME};

/// What roles and bindings have in common: a PUT creates them, and overwrites without a version.
pub(super) const POLICY: Policy = Policy {
    create_on_update: true,
    unconditional_update: true,
    returns_deleted: false,
    garbage_collection: ordain_strategy::strategy::GarbageCollection::DeleteDependents,
    orphaning_warning: "",
    delete_marks: false,
};

pub(crate) fn native() -> Native {
    role("Role", |change| metadata(change, true))
}

pub(crate) fn cluster_native() -> Native {
    role("ClusterRole", |change| metadata(change, false))
}

fn role(kind: &'static str, validate: fn(&Change<'_>) -> field::ErrorList) -> Native {
    let (hooks, columns) = (Hooks::new(validate), &[NAME, CREATED_AT]);
    Native { policy: POLICY, hooks, columns, ..Native::new(super::GROUP, kind) }
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
