//! VolumeAttributesClass: settings of volumes that may change while they are used.

use ordain_meta::name;
use ordain_strategy::typed::{Hooks, printer};
use ordain_strategy::{Change, object};
use ordain_value::Value;
use ordain_value::field::{self, Path};

use super::parameters::{self, Parameters};
use crate::native::Native;
use crate::shared::access::{differs, text};
use crate::shared::{metadata, table};

pub(crate) fn native() -> Native {
    let mut hooks = Hooks::new(validate);
    hooks.cells = cells;
    Native {
        hooks,
        columns: table::columns(&[("DriverName", "string", "The driver of the volumes.")], &[]),
        ..Native::new("storage.k8s.io", "VolumeAttributesClass")
    }
}

fn validate(change: &Change<'_>) -> field::ErrorList {
    let mut errors = metadata::changed(change);
    for name in ["driverName", "parameters"] {
        if change.old.is_some_and(|old| differs(change.object, old, &[name])) {
            let why = format!("updates to {name} are forbidden.");
            errors.push(field::Error::forbidden(&Path::new(name), why));
        }
    }
    errors.extend(metadata::whole(change, false, name::subdomain_rule));
    let driver = text(change.object, "driverName");
    parameters::driver(driver, &Path::new("driverName"), &mut errors);
    let path = Path::new("parameters");
    parameters::validate(change.object, Parameters::Required, &path, &mut errors);
    errors
}

fn cells(class: &Value, now: i64) -> Vec<Value> {
    let driver = text(class, "driverName").into();
    vec![object::name(class).into(), driver, printer::age(class, now)]
}
