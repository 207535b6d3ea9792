//! CSINode: the drivers that a node has.

use std::collections::BTreeSet;

use ordain_meta::name;
use ordain_strategy::typed::{Hooks, printer};
use ordain_strategy::{Change, Policy, object};
use ordain_value::Value;
use ordain_value::field::{self, Path};

use crate::native::Native;
use crate::shared::access::{differs, int_of, items, part, text, texts};
use crate::shared::{amount, internal, metadata, net, reference, table};

pub(crate) fn native() -> Native {
    let mut hooks = Hooks::new(validate);
    hooks.cells = |node, now| {
        let drivers = items(part(node, "spec"), "drivers").len();
        let drivers = i64::try_from(drivers).unwrap_or(i64::MAX);
        vec![object::name(node).into(), drivers.into(), printer::age(node, now)]
    };
    Native {
        policy: Policy::default(),
        hooks,
        columns: table::columns(&[("Drivers", "integer", "How many drivers the node has.")], &[]),
        ..Native::new("storage.k8s.io", "CSINode")
    }
}

fn validate(change: &Change<'_>) -> field::ErrorList {
    let mut errors = metadata::whole(change, false, name::subdomain_rule);
    let path = Path::new("spec");
    let path = path.child("drivers");
    let drivers = items(part(change.object, "spec"), "drivers");
    let mut seen = BTreeSet::new();
    for (at, item) in drivers.iter().enumerate() {
        let path = path.index(at);
        driver(item, &path, &mut errors);
        let driver = text(item, "name");
        if !seen.insert(driver) {
            errors.push(field::Error::duplicate(&path.child("name"), driver));
        }
    }
    let known = change.old.map_or(&[][..], |old| items(part(old, "spec"), "drivers"));
    for old in known {
        for new in drivers.iter().filter(|new| text(new, "name") == text(old, "name")) {
            if differs(new, old, &["nodeID", "topologyKeys"]) {
                errors.push(field::Error::invalid(&path, shown(new), "field is immutable"));
            }
        }
    }
    errors
}

fn driver(driver: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    const NODE_ID_BYTES_MAX: usize = 256;
    reference::driver_name(text(driver, "name"), &path.child("name"), errors);
    let id = text(driver, "nodeID");
    if id.is_empty() {
        errors.push(field::Error::required(&path.child("nodeID"), ""));
    }
    if id.len() > NODE_ID_BYTES_MAX {
        let why = format!("must be {NODE_ID_BYTES_MAX} characters or less");
        errors.push(field::Error::invalid(&path.child("nodeID"), id, why));
    }
    let allocatable = path.child("allocatable");
    let count = int_of(part(driver, "allocatable"), "count");
    amount::not_negative(count, &allocatable.child("count"), errors);
    let mut seen = BTreeSet::new();
    for key in texts(driver, "topologyKeys") {
        if key.is_empty() {
            errors.push(field::Error::required(path, ""));
        }
        if !seen.insert(key) {
            errors.push(field::Error::duplicate(path, key));
        }
        errors.extend(net::qualified_name(path, key));
    }
}

/// A driver without its allocatable volumes, which may change.
fn shown(driver: &Value) -> field::BadValue {
    let field = |name: &str| internal::plain(driver.get(name));
    internal::structure(&[
        ("Name", field("name")),
        ("NodeID", field("nodeID")),
        ("TopologyKeys", field("topologyKeys")),
        ("Allocatable", "null".to_owned()),
    ])
}
