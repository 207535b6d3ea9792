//! PersistentVolumeClaim: a request for storage.

mod data_source;
pub(crate) mod spec;
pub(crate) mod update;

use ordain_meta::name;
use ordain_strategy::typed::{Hooks, Lifecycle, printer};
use ordain_strategy::{Change, Part, Warnings, object};
use ordain_value::Value;
use ordain_value::field::{self, Path};

use super::volume;
use crate::native::Native;
use crate::shared::access::{annotation, items, part, text, text_of};
use crate::shared::{fields, metadata, resources, table};

pub(crate) fn native() -> Native {
    let mut hooks = Hooks::new(validate);
    hooks.default = default;
    hooks.prepare_for_create = |claim| {
        if let Some(spec) = claim.get_mut("spec") {
            data_source::settle(spec, None);
        }
    };
    hooks.prepare_for_update = |part, claim, old| {
        if part == Part::Main
            && let Some(spec) = claim.get_mut("spec")
        {
            data_source::settle(spec, old.get("spec"));
        }
    };
    hooks.stamp = |_, part, claim, old| {
        if old.is_none() && part == Part::Main {
            claim.set_path(&["status", "phase"], "Pending".into());
        }
    };
    hooks.lifecycle = Lifecycle::Reset;
    hooks.warn = warn;
    hooks.field = |claim, field| (field == "name").then(|| object::name(claim).into());
    hooks.cells = cells;
    let mut native = Native {
        hooks,
        columns: table::columns(
            &[
                ("Status", "string", "Whether the claim is bound."),
                ("Volume", "string", "The volume that it has."),
                ("Capacity", "string", "How much the volume holds."),
                ("Access Modes", "string", "How the volume may be used."),
                ("StorageClass", "string", "The class that is asked for."),
                ("VolumeAttributesClass", "string", "The class of the volume's settings."),
            ],
            &[("VolumeMode", "string", "File system or block device.")],
        ),
        ..Native::new("", "PersistentVolumeClaim")
    };
    native.policy.returns_deleted = true;
    native
}

fn default(claim: &mut Value) {
    if let Some(resources) = claim.get_mut("spec").and_then(|spec| spec.get_mut("resources")) {
        resources::round(resources, "limits");
        resources::round(resources, "requests");
    }
    if let Some(status) = claim.get_mut("status") {
        resources::round(status, "capacity");
        resources::round(status, "allocatedResources");
    }
}

fn validate(change: &Change<'_>) -> field::ErrorList {
    let mut errors = metadata::changed(change);
    if change.part != Part::Status {
        errors.extend(metadata::whole(change, true, name::subdomain_rule));
    }
    errors
}

fn warn(change: &Change<'_>, warnings: &mut Warnings) {
    if change.part == Part::Status {
        return;
    }
    if annotation(change.object, volume::CLASS).is_some() {
        warnings.add(format!(
            "metadata.annotations[{}]: deprecated since v1.8; use \"storageClassName\" attribute \
             instead",
            volume::CLASS
        ));
    }
    spec::warn(part(change.object, "spec"), &Path::new("spec"), warnings);
}

fn cells(claim: &Value, now: i64) -> Vec<Value> {
    let (spec, status) = (part(claim, "spec"), part(claim, "status"));
    let phase = if object::is_deleting(claim) { "Terminating" } else { text(status, "phase") };
    let unset = |name: &str| Value::from(text_of(spec, name).unwrap_or("<unset>"));
    let bound = !text(spec, "volumeName").is_empty();
    let (capacity, modes) = match bound {
        true => (
            volume::shown_amount(fields::at(status, &["capacity", "storage"])),
            volume::short_modes(items(status, "accessModes")),
        ),
        false => ("".into(), "".into()),
    };
    vec![
        object::name(claim).into(),
        phase.into(),
        text(spec, "volumeName").into(),
        capacity,
        modes,
        annotation(claim, volume::CLASS).unwrap_or(text(spec, "storageClassName")).into(),
        unset("volumeAttributesClassName"),
        printer::age(claim, now),
        unset("volumeMode"),
    ]
}
