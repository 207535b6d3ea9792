//! DeviceClass: a kind of devices, chosen by expressions.

use ordain_meta::name;
use ordain_strategy::typed::{COUNT_SPEC, Hooks};

use crate::native::Native;
use crate::shared::metadata;

pub(crate) fn native() -> Native {
    let mut native = Native::new("resource.k8s.io", "DeviceClass");
    native.policy.returns_deleted = true;
    native.reset = &[];
    native.hooks = Hooks {
        lifecycle: COUNT_SPEC,
        ..Hooks::new(|change| {
            metadata::whole_and_changed(change, false, name::declared_subdomain_rule)
        })
    };
    native
}
