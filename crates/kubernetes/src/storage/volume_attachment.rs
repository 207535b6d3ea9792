//! VolumeAttachment: a volume that is to be attached to a node, and how far that is.

use ordain_meta::name;
use ordain_passes::declared::written::Asked;
use ordain_strategy::typed::{Hooks, Lifecycle, printer};
use ordain_strategy::{Change, Policy, object};
use ordain_value::Value;
use ordain_value::field::{self, Path};

use crate::core::persistent_volume;
use crate::native::Native;
use crate::shared::access::{flag, part, text};
use crate::shared::diff::Shape::{Plain, Pointer, Struct, Text};
use crate::shared::diff::{self, Shape};
use crate::shared::{fields, metadata, table};

pub(crate) fn native() -> Native {
    let mut hooks = Hooks::new(validate);
    hooks.lifecycle = Lifecycle::Reset;
    hooks.cells = cells;
    Native {
        policy: Policy { returns_deleted: true, ..Policy::default() },
        hooks,
        columns: columns(),
        status_reset: &[&["spec"], &["metadata"]],
        ..Native::new("storage.k8s.io", "VolumeAttachment")
    }
}

fn columns() -> Vec<ordain_strategy::Column> {
    let mut columns = table::columns(
        &[
            ("Attacher", "string", "The driver that attaches."),
            ("PV", "string", "The volume."),
            ("Node", "string", "The node."),
            ("Attached", "boolean", "Whether it is attached."),
        ],
        &[],
    );
    if let Some(attacher) = columns.get_mut(1) {
        attacher.format = "name".into();
    }
    columns
}

fn validate(change: &Change<'_>) -> field::ErrorList {
    metadata::whole(change, false, name::subdomain_rule)
}

/// The specification as upstream's internal type writes it.
const SPEC: Shape = Struct(&[
    ("Attacher", "attacher", Text),
    (
        "Source",
        "source",
        Struct(&[
            ("PersistentVolumeName", "persistentVolumeName", Plain),
            ("InlineVolumeSpec", "inlineVolumeSpec", Pointer(&persistent_volume::SPEC)),
        ]),
    ),
    ("NodeName", "nodeName", Text),
]);

/// What is attached where stays. The internal type has the sources of volumes in an order of its
/// own, in which errors show them.
pub(crate) fn check_spec(asked: &Asked<'_, '_>, path: &Path<'_>, errors: &mut field::ErrorList) {
    let spec = asked.value();
    if asked.old().is_some_and(|old| old != spec) {
        let shown = diff::shown(&spec, &SPEC);
        errors.push(field::Error::invalid(path, shown, fields::IMMUTABLE));
    }
}

fn cells(attachment: &Value, now: i64) -> Vec<Value> {
    let spec = part(attachment, "spec");
    vec![
        object::name(attachment).into(),
        text(spec, "attacher").into(),
        text(part(spec, "source"), "persistentVolumeName").into(),
        text(spec, "nodeName").into(),
        flag(part(attachment, "status"), "attached").into(),
        printer::age(attachment, now),
    ]
}
