//! CSIStorageCapacity: how much storage of a class is left on some nodes.

use ordain_meta::name;
use ordain_strategy::typed::{Hooks, printer};
use ordain_strategy::{Change, Policy, Warnings, object};
use ordain_value::Value;
use ordain_value::field::{self, Path};

use crate::native::Native;
use crate::shared::access::{entries, some, text};
use crate::shared::resources::quantity;
use crate::shared::selector::Values;
use crate::shared::{amount, fields, metadata, net, node_selector, reference, selector};

pub(crate) fn native() -> Native {
    let mut hooks = Hooks::new(validate);
    hooks.warn = warn;
    hooks.cells = cells;
    Native {
        policy: Policy::default(),
        hooks,
        columns: vec![
            printer::column("Name", printer::NAME, 0),
            printer::column("StorageClassName", "The class that the storage is of.", 0),
            printer::column("Capacity", "How much is left.", 0),
        ],
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
    if let Some(old) = change.old {
        fields::immutable(capacity, old, &["nodeTopology"], &topology, &mut errors);
        fields::immutable(capacity, old, &["storageClassName"], &path, &mut errors);
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

fn cells(capacity: &Value, _now: i64) -> Vec<Value> {
    let amount = some(capacity, "capacity");
    vec![
        object::name(capacity).into(),
        text(capacity, "storageClassName").into(),
        amount.map_or_else(|| "<unset>".into(), |it| quantity(it).to_string().into()),
    ]
}
