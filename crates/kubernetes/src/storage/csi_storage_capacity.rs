//! CSIStorageCapacity: how much storage of a class is left on some nodes.

use ordain_meta::name;
use ordain_strategy::typed::Hooks;
use ordain_strategy::{Change, Policy, Warnings};
use ordain_value::field::Path;

use crate::native::Native;
use crate::shared::access::{entries, some};
use crate::shared::table::{CREATED_AT, NAME};
use crate::shared::{metadata, node_selector, reference};

pub(crate) fn native() -> Native {
    let mut hooks =
        Hooks::new(|change| metadata::whole_and_changed(change, true, name::subdomain_rule));
    hooks.warn = warn;
    Native {
        policy: Policy::default(),
        hooks,
        columns: &[NAME, CREATED_AT],
        ..Native::new("storage.k8s.io", "CSIStorageCapacity")
    }
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
