//! VolumeAttachment: a volume that is to be attached to a node, and how far that is.

use ordain_meta::name;
use ordain_passes::declared::written::Asked;
use ordain_strategy::Policy;
use ordain_strategy::typed::{Hooks, Lifecycle};
use ordain_value::field::{self, Path};

use crate::native::Native;
use crate::shared::diff;
use crate::shared::table::{AGE, Cell, NAME};
use crate::shared::{fields, metadata};

pub(crate) fn native() -> Native {
    let mut hooks = Hooks::new(|change| metadata::whole(change, false, name::subdomain_rule));
    hooks.lifecycle = Lifecycle::Reset;
    Native {
        policy: Policy { returns_deleted: true, ..Policy::default() },
        hooks,
        columns: &[
            NAME,
            ("Attacher", "name", 0, "The driver that attaches.", Cell::Text("spec.attacher")),
            ("PV", "string", 0, "The volume.", Cell::Text("spec.source.persistentVolumeName")),
            ("Node", "string", 0, "The node.", Cell::Text("spec.nodeName")),
            ("Attached", "boolean", 0, "Whether it is attached.", Cell::Flag("status.attached")),
            AGE,
        ],
        status_reset: &[&["spec"], &["metadata"]],
        ..Native::new("storage.k8s.io", "VolumeAttachment")
    }
}

/// What is attached where stays. The internal type has the sources of volumes in an order of its
/// own, in which errors show them.
pub(crate) fn check_spec(asked: &Asked<'_, '_>, path: &Path<'_>, errors: &mut field::ErrorList) {
    let spec = asked.value();
    if asked.old().is_some_and(|old| old != spec) {
        let shown = diff::shown(&spec, "=VolumeAttachmentSpec");
        errors.push(field::Error::invalid(path, shown, fields::IMMUTABLE));
    }
}
