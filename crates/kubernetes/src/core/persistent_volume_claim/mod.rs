//! PersistentVolumeClaim: a request for storage.

mod data_source;
pub(crate) mod spec;
pub(crate) mod update;

use ordain_meta::name;
use ordain_strategy::typed::{Hooks, Lifecycle};
use ordain_strategy::{Change, Part, Warnings, object};
use ordain_value::Value;
use ordain_value::field::{self, Path};

use super::volume;
use crate::native::Native;
use crate::shared::access::{annotation, items, part, text};
use crate::shared::table::Cell::{Of, Text};
use crate::shared::table::{AGE, NAME};
use crate::shared::{fields, metadata, resources};

const SETTINGS: &str = "The class of the volume's settings.";

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
    let mut native = Native {
        hooks,
        columns: &[
            NAME,
            ("Status", "string", 0, "Whether the claim is bound.", Of(volume::phase)),
            ("Volume", "string", 0, "The volume that it has.", Text("spec.volumeName")),
            ("Capacity", "string", 0, "How much the volume holds.", Of(capacity)),
            ("Access Modes", "string", 0, "How the volume may be used.", Of(modes)),
            ("StorageClass", "string", 0, "The class that is asked for.", Of(volume::class)),
            ("VolumeAttributesClass", "string", 0, SETTINGS, volume::ATTRIBUTES),
            AGE,
            volume::MODE,
        ],
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

/// The status of a claim that has a volume.
fn bound(claim: &Value) -> Option<&Value> {
    let has_volume = !text(part(claim, "spec"), "volumeName").is_empty();
    has_volume.then(|| part(claim, "status"))
}

fn capacity(claim: &Value) -> Value {
    let shown = |status| volume::shown_amount(fields::at(status, &["capacity", "storage"]));
    bound(claim).map_or_else(|| "".into(), shown)
}

fn modes(claim: &Value) -> Value {
    let shown = |status| volume::short_modes(items(status, "accessModes"));
    bound(claim).map_or_else(|| "".into(), shown)
}
