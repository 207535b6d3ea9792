//! CSIStorageCapacity: how much storage of a class is left on some nodes.

use ordain_meta::name;
use ordain_strategy::typed::Hooks;
use ordain_strategy::{Change, Policy, Warnings};
use ordain_value::Value;
use ordain_value::field::{self, Path};

use crate::native::Native;
use crate::shared::access::{entries, some, text};
use crate::shared::resources::quantity;
use crate::shared::selector::Values;
use crate::shared::{
    amount, diff, fields, metadata, net, node_selector, reference, selector, table,
};

pub(crate) fn native() -> Native {
    let mut hooks = Hooks::new(validate);
    hooks.warn = warn;
    hooks.cells = table::plain_cells;
    Native {
        policy: Policy::default(),
        hooks,
        columns: table::plain(),
        ..Native::new("storage.k8s.io", "CSIStorageCapacity")
    }
}

fn validate(change: &Change<'_>) -> field::ErrorList {
    let mut errors = metadata::whole(change, true, name::subdomain_rule);
    errors.extend(metadata::changed(change));
    let capacity = change.object;
    let known = change.old.and_then(|old| some(old, "nodeTopology"));
    let values = if selector::is_invalid(known) { Values::Any } else { Values::Checked };
    let topology = Path::new("nodeTopology");
    selector::validate(some(capacity, "nodeTopology"), values, &topology, &mut errors);
    let (class, path) = (text(capacity, "storageClassName"), Path::new("storageClassName"));
    errors.extend(net::subdomain(&path, class));
    if let Some(value) = some(capacity, "capacity").map(quantity).filter(|it| it.sign() < 0) {
        let path = Path::new("capacity");
        errors.push(field::Error::invalid(&path, value.to_string(), amount::NOT_NEGATIVE));
    }
    if let Some(old) = change.old
        && some(capacity, "nodeTopology") != some(old, "nodeTopology")
    {
        let shown = match some(capacity, "nodeTopology") {
            Some(selector) => diff::shown(selector, &diff::LABEL_SELECTOR),
            None => Value::Null.into(),
        };
        errors.push(field::Error::invalid(&topology, shown, fields::IMMUTABLE));
    }
    errors
}

fn warn(change: &Change<'_>, warnings: &mut Warnings) {
    let Some(topology) = some(change.object, "nodeTopology") else { return };
    let path = Path::new("nodeTopology");
    node_selector::warn(topology, &path, warnings);
    for (key, _) in entries(topology, "matchLabels") {
        if let Some(why) = reference::deprecated_node_label(key) {
            warnings.add(format!("{}: {why}", path.child("matchLabels").child(key)));
        }
    }
}
