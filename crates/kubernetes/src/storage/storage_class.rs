//! StorageClass: how volumes of a kind are made.

use ordain_meta::name as names;
use ordain_strategy::typed::Hooks;
use ordain_strategy::{Change, Warnings};
use ordain_value::Value;
use ordain_value::field::Path;

use crate::native::Native;
use crate::shared::access::{annotation, items, text};
use crate::shared::table::Cell::{Flag, Of, Text};
use crate::shared::table::{self, AGE, NAME};
use crate::shared::{metadata, reference};

const RECLAIM: &str = "What becomes of volumes that are released.";
const BINDING: &str = "When claims get their volumes.";
const EXPANSION: &str = "Whether volumes may grow.";

pub(crate) fn native() -> Native {
    let mut hooks =
        Hooks::new(|change| metadata::whole_and_changed(change, false, names::subdomain_rule));
    hooks.warn = warn;
    let mut native = Native {
        hooks,
        columns: &[
            const { table::with(NAME, Of(name)) },
            ("Provisioner", "string", 0, "Who makes the volumes.", Text("provisioner")),
            ("ReclaimPolicy", "string", 0, RECLAIM, Text("reclaimPolicy")),
            ("VolumeBindingMode", "string", 0, BINDING, Text("volumeBindingMode")),
            ("AllowVolumeExpansion", "string", 0, EXPANSION, Flag("allowVolumeExpansion")),
            AGE,
        ],
        ..Native::new("storage.k8s.io", "StorageClass")
    };
    native.policy.returns_deleted = true;
    native
}

fn warn(change: &Change<'_>, warnings: &mut Warnings) {
    let path = Path::new("allowedTopologies");
    for (at, term) in items(change.object, "allowedTopologies").iter().enumerate() {
        let path = path.index(at);
        let path = path.child("matchLabelExpressions");
        for (at, requirement) in items(term, "matchLabelExpressions").iter().enumerate() {
            if let Some(why) = reference::deprecated_node_label(text(requirement, "key")) {
                warnings.add(format!("{}: {why}", path.index(at).child("key")));
            }
        }
    }
}

/// The annotations that make a class the one that claims get by themselves.
pub(crate) const DEFAULT_CLASS: [&str; 2] = [
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
];

fn name(class: &Value) -> Value {
    let is_default = DEFAULT_CLASS.iter().any(|key| annotation(class, key) == Some("true"));
    table::marked_name(class, is_default)
}
