//! VolumeAttachment: a volume that is to be attached to a node, and how far that is.

use ordain_meta::name;
use ordain_strategy::typed::{Hooks, Lifecycle, printer};
use ordain_strategy::{Change, Policy, object};
use ordain_value::Value;
use ordain_value::field::{self, Path};

use crate::core::persistent_volume::{self, Place};
use crate::native::Native;
use crate::shared::access::{entries, flag, int_of, part, some, text};
use crate::shared::{metadata, net, reference, table};

pub(crate) fn native() -> Native {
    let mut hooks = Hooks::new(validate);
    hooks.lifecycle = Lifecycle::Reset;
    hooks.cells = cells;
    Native {
        policy: Policy::default(),
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
    let mut errors = metadata::whole(change, false, name::subdomain_rule);
    let (path, spec) = (Path::new("spec"), part(change.object, "spec"));
    reference::driver_name(text(spec, "attacher"), &path.child("attacher"), &mut errors);
    source(part(spec, "source"), &path.child("source"), &mut errors);
    errors.extend(net::subdomain(&path.child("nodeName"), text(spec, "nodeName")));
    status(part(change.object, "status"), &Path::new("status"), &mut errors);
    errors
}

fn source(source: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    const ONE: &str = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
    let volume = some(source, "persistentVolumeName").map(|it| it.as_str().unwrap_or(""));
    let place = path.child("persistentVolumeName");
    match (volume, some(source, "inlineVolumeSpec")) {
        (None, None) => errors.push(field::Error::required(path, ONE)),
        (Some(_), Some(_)) => errors.push(field::Error::forbidden(path, ONE)),
        (Some(""), None) => {
            let why = "must specify non empty persistentVolumeName";
            errors.push(field::Error::required(&place, why));
        }
        (Some(_), None) => {}
        (None, Some(spec)) => {
            persistent_volume::spec(spec, &Place::Inline, &path.child("inlineVolumeSpec"), errors);
        }
    }
    if let Some(volume) = volume {
        errors.extend(net::subdomain(&place, volume));
    }
}

fn status(status: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    const METADATA_BYTES_MAX: i64 = 256 * 1024;
    const MESSAGE_BYTES_MAX: usize = 1024;
    let bytes = entries(status, "attachmentMetadata")
        .map(|(key, value)| key.len() + value.as_str().map_or(0, str::len));
    if i64::try_from(bytes.sum::<usize>()).unwrap_or(i64::MAX) > METADATA_BYTES_MAX {
        errors.push(field::Error::too_long(&path.child("attachmentMetadata"), METADATA_BYTES_MAX));
    }
    for name in ["attachError", "detachError"] {
        let (path, error) = (path.child(name), part(status, name));
        if text(error, "message").len() > MESSAGE_BYTES_MAX {
            // The limit that upstream names is that of the metadata.
            errors.push(field::Error::too_long(&path.child("message"), METADATA_BYTES_MAX));
        }
        if let Some(code) = int_of(error, "errorCode").filter(|code| *code < 0) {
            let why = format!("must be between 0 and {}, inclusive", i32::MAX);
            errors.push(field::Error::invalid(&path.child("errorCode"), code, why));
        }
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
