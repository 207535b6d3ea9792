//! VolumeAttributesClass: settings of volumes that may change while they are used.

use ordain_meta::name;
use ordain_strategy::typed::{Hooks, printer};
use ordain_strategy::{Change, object};
use ordain_value::Value;
use ordain_value::field;

use crate::native::Native;
use crate::shared::access::text;
use crate::shared::{metadata, table};

pub(crate) fn native() -> Native {
    let mut hooks = Hooks::new(validate);
    hooks.cells = cells;
    let mut native = Native {
        hooks,
        columns: table::columns(&[("DriverName", "string", "The driver of the volumes.")], &[]),
        ..Native::new("storage.k8s.io", "VolumeAttributesClass")
    };
    native.policy.returns_deleted = true;
    native
}

fn validate(change: &Change<'_>) -> field::ErrorList {
    let mut errors = metadata::changed(change);
    errors.extend(metadata::whole(change, false, name::subdomain_rule));
    errors
}

fn cells(class: &Value, now: i64) -> Vec<Value> {
    let driver = text(class, "driverName").into();
    vec![object::name(class).into(), driver, printer::age(class, now)]
}
