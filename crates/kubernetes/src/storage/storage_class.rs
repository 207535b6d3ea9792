//! StorageClass: how volumes of a kind are made.

use ordain_meta::name;
use ordain_strategy::typed::{Hooks, printer};
use ordain_strategy::{Change, Warnings, object};
use ordain_value::Value;
use ordain_value::field::{self, Path};

use crate::native::Native;
use crate::shared::access::{annotation, flag, items, text};
use crate::shared::{metadata, reference, table};

pub(crate) fn native() -> Native {
    let mut hooks = Hooks::new(validate);
    hooks.warn = warn;
    hooks.cells = cells;
    let mut native = Native {
        hooks,
        columns: table::columns(
            &[
                ("Provisioner", "string", "Who makes the volumes."),
                ("ReclaimPolicy", "string", "What becomes of volumes that are released."),
                ("VolumeBindingMode", "string", "When claims get their volumes."),
                ("AllowVolumeExpansion", "string", "Whether volumes may grow."),
            ],
            &[],
        ),
        ..Native::new("storage.k8s.io", "StorageClass")
    };
    native.policy.returns_deleted = true;
    native
}

fn validate(change: &Change<'_>) -> field::ErrorList {
    let mut errors = metadata::whole(change, false, name::subdomain_rule);
    errors.extend(metadata::changed(change));
    errors
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
const DEFAULT_CLASS: [&str; 2] = [
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
];

fn cells(class: &Value, now: i64) -> Vec<Value> {
    let is_default = DEFAULT_CLASS.iter().any(|key| annotation(class, key) == Some("true"));
    let mark = if is_default { " (default)" } else { "" };
    vec![
        format!("{}{mark}", object::name(class)).into(),
        text(class, "provisioner").into(),
        text(class, "reclaimPolicy").into(),
        text(class, "volumeBindingMode").into(),
        flag(class, "allowVolumeExpansion").into(),
        printer::age(class, now),
    ]
}
