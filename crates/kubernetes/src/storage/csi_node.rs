//! CSINode: the drivers that a node has.

use ordain_meta::name;
use ordain_passes::declared::written::Asked;
use ordain_strategy::Policy;
use ordain_strategy::typed::Hooks;
use ordain_value::Value;
use ordain_value::field::{self, Path};

use crate::native::Native;
use crate::shared::access::{differs, text};
use crate::shared::table::{AGE, Cell, NAME};
use crate::shared::{diff, fields, metadata};

const DRIVERS: &str = "How many drivers the node has.";

pub(crate) fn native() -> Native {
    Native {
        policy: Policy { returns_deleted: true, ..Policy::default() },
        hooks: Hooks::new(|change| metadata::whole(change, false, name::subdomain_rule)),
        columns: &[NAME, ("Drivers", "integer", 0, DRIVERS, Cell::Len("spec.drivers")), AGE],
        ..Native::new("storage.k8s.io", "CSINode")
    }
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
    let mut shown = driver.clone();
    shown.remove_path(&["allocatable"]);
    let shown = diff::shown(&shown, "=CSINodeDriver");
    let list = path.parent().unwrap_or(path);
    for _ in old.iter().filter(changed) {
        errors.push(field::Error::invalid(list, shown.clone(), fields::IMMUTABLE));
    }
}
