//! DeviceClass: a kind of devices, chosen by expressions.

use ordain_meta::name;
use ordain_strategy::Change;
use ordain_strategy::typed::{COUNT_SPEC, Hooks, rules};
use ordain_value::field;

use crate::native::Native;

pub(crate) fn native() -> Native {
    let mut native = Native::new("resource.k8s.io", "DeviceClass");
    native.policy.returns_deleted = true;
    native.reset = &[];
    native.hooks = Hooks { lifecycle: COUNT_SPEC, ..Hooks::new(validate) };
    native
}

fn validate(change: &Change<'_>) -> field::ErrorList {
    let whole = Change { old: None, ..*change };
    let mut errors = rules::metadata(&whole, false, name::declared_subdomain_rule);
    if change.old.is_some() {
        errors.extend(rules::metadata(change, false, name::declared_subdomain_rule));
    }
    errors
}
