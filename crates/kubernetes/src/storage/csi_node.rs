//! CSINode: the drivers that a node has.

use ordain_meta::name;
use ordain_passes::declared::written::Asked;
use ordain_strategy::typed::{Hooks, printer};
use ordain_strategy::{Change, Policy, object};
use ordain_value::Value;
use ordain_value::field::{self, Path};

use crate::native::Native;
use crate::shared::access::{differs, items, part, text};
use crate::shared::{fields, internal, metadata, table};

pub(crate) fn native() -> Native {
    let mut hooks = Hooks::new(validate);
    hooks.cells = |node, now| {
        let drivers = items(part(node, "spec"), "drivers").len();
        let drivers = i64::try_from(drivers).unwrap_or(i64::MAX);
        vec![object::name(node).into(), drivers.into(), printer::age(node, now)]
    };
    Native {
        policy: Policy { returns_deleted: true, ..Policy::default() },
        hooks,
        columns: table::columns(&[("Drivers", "integer", "How many drivers the node has.")], &[]),
        ..Native::new("storage.k8s.io", "CSINode")
    }
}

fn validate(change: &Change<'_>) -> field::ErrorList {
    metadata::whole(change, false, name::subdomain_rule)
}

/// A driver keeps its identifier and topology. Errors show it without what may change, and in the
/// order of the Go type, which no expression can.
pub(crate) fn check_driver(asked: &Asked<'_, '_>, path: &Path<'_>, errors: &mut field::ErrorList) {
    let (driver, old) = (asked.value(), asked.ask("oldDrivers"));
    let old = old.as_list().map_or(&[][..], |it| it.as_slice());
    let changed = |it: &&Value| {
        text(it, "name") == text(&driver, "name")
            && differs(&driver, it, &["nodeID", "topologyKeys"])
    };
    let list = path.parent().unwrap_or(path);
    for _ in old.iter().filter(changed) {
        errors.push(field::Error::invalid(list, shown(&driver), fields::IMMUTABLE));
    }
}

fn shown(driver: &Value) -> field::BadValue {
    let field = |name: &str| internal::plain(driver.get(name));
    internal::structure(&[
        ("Name", field("name")),
        ("NodeID", field("nodeID")),
        ("TopologyKeys", field("topologyKeys")),
        ("Allocatable", "null".to_owned()),
    ])
}
