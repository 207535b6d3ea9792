//! VolumeAttributesClass: settings of volumes that may change while they are used.

use ordain_meta::name;
use ordain_strategy::typed::Hooks;

use crate::native::Native;
use crate::shared::metadata;
use crate::shared::table::{AGE, Cell, NAME};

const DRIVER: &str = "The driver of the volumes.";

pub(crate) fn native() -> Native {
    let mut native = Native {
        hooks: Hooks::new(|change| {
            metadata::changed_and_whole(change, false, name::subdomain_rule)
        }),
        columns: &[NAME, ("DriverName", "string", 0, DRIVER, Cell::Text("driverName")), AGE],
        ..Native::new("storage.k8s.io", "VolumeAttributesClass")
    };
    native.policy.returns_deleted = true;
    native
}
