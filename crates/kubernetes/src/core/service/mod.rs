//! Service: a stable address for what changes behind it.

mod addresses;
mod allocate;
mod default;
pub(crate) mod ports;
mod range;
mod read;
pub(crate) mod table;
pub(crate) mod traffic;
mod update;
mod warnings;

use ordain_meta::name;
use ordain_strategy::typed::{Hooks, rules};
use ordain_strategy::{Change, Part};
use ordain_value::field;

use crate::native::Native;
use crate::shared::fields;
use read::Service;

pub use allocate::{addresses_of, ip_address, node_ports_of};
pub use range::AddressRange;

pub(crate) fn native() -> Native {
    let mut native = Native::new("", "Service");
    native.key = "/registry/services/specs";
    native.policy.create_on_update = true;
    native.policy.returns_deleted = true;
    native.columns = table::COLUMNS;
    native.selectable_fields = &["spec.clusterIP", "spec.type"];
    native.hooks = Hooks {
        default: default::default,
        allocate: Some(allocate::allocate),
        prepare_for_create: update::prepare_new,
        prepare_for_update: update::prepare,
        canonicalize: update::canonicalize,
        warn: warnings::warn,
        selectable: true,
        field: |object, field| match field {
            "spec.clusterIP" | "spec.type" => fields::selected(object, field),
            _ => None,
        },
        ..Hooks::new(validate)
    };
    native
}

fn validate(change: &Change<'_>) -> field::ErrorList {
    let service = Service::of(change.object);
    let old = change.old.map(Service::of);
    let mut errors = rules::metadata(change, true, name::label_rule);
    if change.part == Part::Status {
        return errors;
    }
    if let Some(old) = old {
        errors.extend(addresses::validate_update(service, old));
    }
    errors.extend(addresses::validate(service, old));
    errors
}
