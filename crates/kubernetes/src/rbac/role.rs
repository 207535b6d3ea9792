//! Role and ClusterRole: rules about what may be done to what.

use ordain_meta::name;
use ordain_strategy::Change;
use ordain_strategy::typed::Hooks;
use ordain_value::field;

use crate::native::Native;
use crate::shared::metadata;
use crate::shared::table::{CREATED_AT, NAME};

/// What roles and bindings have in common: a PUT creates them, and overwrites without a version.
pub(super) fn base(kind: &'static str, hooks: Hooks) -> Native {
    let mut native = Native { hooks, ..Native::new(super::GROUP, kind) };
    native.policy.create_on_update = true;
    native
}

pub(crate) fn native() -> Native {
    role("Role", |change| metadata(change, true))
}

pub(crate) fn cluster_native() -> Native {
    role("ClusterRole", |change| metadata(change, false))
}

fn role(kind: &'static str, validate: fn(&Change<'_>) -> field::ErrorList) -> Native {
    Native { columns: &[NAME, CREATED_AT], ..base(kind, Hooks::new(validate)) }
}

/// The rules of metadata, all of them also on an update.
pub(super) fn metadata(change: &Change<'_>, namespaced: bool) -> field::ErrorList {
    metadata::changed_and_whole(change, namespaced, name::path_segment_rule)
}
