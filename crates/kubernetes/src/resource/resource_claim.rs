//! ResourceClaim: devices that a pod needs.

use std::collections::BTreeSet;

use ordain_meta::name;
use ordain_strategy::typed::{Hooks, Lifecycle, rules};
use ordain_strategy::{Change, Part, object};
use ordain_value::Value;
use ordain_value::field;

use super::{allocation, request};
use crate::native::Native;
use crate::shared::access::{items, part, some};
use crate::shared::table::Cell::Of;
use crate::shared::table::{AGE, NAME};

const STATE: &str = "A summary of the state: pending, allocated, reserved, deleted.";

pub(crate) fn native() -> Native {
    let mut native = Native::new("resource.k8s.io", "ResourceClaim");
    native.status_reset = &[&["metadata"], &["spec"]];
    native.policy.returns_deleted = true;
    native.columns = &[NAME, ("State", "string", 0, STATE, Of(state)), AGE];
    native.hooks = Hooks {
        default: |object| {
            if let Some(spec) = object.get_mut("spec") {
                request::default(spec);
            }
        },
        lifecycle: Lifecycle::Reset,
        prepare_for_update: |part, object, old| {
            if part == Part::Status {
                drop_deallocated(object, old);
            }
        },
        ..Hooks::new(validate)
    };
    native
}

/// What is known of devices goes with their allocation.
fn drop_deallocated(object: &mut Value, old: &Value) {
    let results = |it: &Value| {
        let allocation = it.get_path(&["status", "allocation", "devices"]);
        let results = allocation.map_or(&[][..], |it| items(it, "results"));
        results.iter().map(allocation::device_id).collect::<BTreeSet<_>>()
    };
    let (before, now) = (results(old), results(object));
    let gone: BTreeSet<_> = before.difference(&now).cloned().collect();
    let Some(status) = object.get_mut("status") else { return };
    let devices = items(status, "devices");
    let kept: Vec<Value> =
        devices.iter().filter(|it| !gone.contains(&allocation::device_id(it))).cloned().collect();
    if kept.is_empty() {
        status.remove_path(&["devices"]);
    } else if kept.len() < devices.len() {
        status.set_path(&["devices"], kept.into());
    }
}

fn state(object: &Value) -> Value {
    let status = part(object, "status");
    let deleted = object::is_deleting(object);
    let allocated = some(status, "allocation").is_some();
    let states = [
        (deleted, "deleted"),
        (!deleted && !allocated, "pending"),
        (allocated, "allocated"),
        (allocated && !items(status, "reservedFor").is_empty(), "reserved"),
    ];
    let shown: Vec<&str> = states.into_iter().filter(|it| it.0).map(|it| it.1).collect();
    shown.join(",").into()
}

fn validate(change: &Change<'_>) -> field::ErrorList {
    let mut errors = rules::metadata(change, true, name::subdomain_rule);
    if change.part != Part::Status && change.old.is_some() {
        let whole = Change { old: None, ..*change };
        errors.extend(rules::metadata(&whole, true, name::subdomain_rule));
    }
    errors
}
