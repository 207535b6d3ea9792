//! PersistentVolume: a piece of storage and who has it.

mod form;
pub(crate) mod update;

use ordain_meta::name;
use ordain_meta::time::Time;
use ordain_strategy::typed::{Hooks, Lifecycle};
use ordain_strategy::{Change, Context, Part, Warnings, object};
use ordain_value::Value;
use ordain_value::field::{self, Path};

use super::volume;
use crate::native::Native;
use crate::shared::access::{annotation, items, part, some, text};
use crate::shared::table::Cell::{self, Of, Text};
use crate::shared::table::{AGE, NAME};
use crate::shared::{fields, metadata, node_selector, resources};

const RECLAIM: Cell = Text("spec.persistentVolumeReclaimPolicy");

pub(crate) fn native() -> Native {
    let mut hooks = Hooks::new(validate);
    hooks.default = default;
    hooks.lifecycle = Lifecycle::Reset;
    hooks.stamp = stamp;
    hooks.warn = warn;
    hooks.field = |volume, field| (field == "name").then(|| object::name(volume).into());
    let mut native = Native {
        hooks,
        columns: &[
            NAME,
            ("Capacity", "string", 0, "How much the volume holds.", Of(capacity)),
            ("Access Modes", "string", 0, "How it may be used.", Of(modes)),
            ("Reclaim Policy", "string", 0, "What becomes of it when it is released.", RECLAIM),
            ("Status", "string", 0, "Whether it is bound.", Of(volume::phase)),
            ("Claim", "string", 0, "The claim that has it.", Of(claim)),
            ("StorageClass", "string", 0, "Its class.", Of(volume::class)),
            (
                "VolumeAttributesClass",
                "string",
                0,
                "The class of its settings.",
                volume::ATTRIBUTES,
            ),
            ("Reason", "string", 0, "Why it is as it is.", Text("status.reason")),
            AGE,
            volume::MODE,
        ],
        ..Native::new("", "PersistentVolume")
    };
    native.policy.returns_deleted = true;
    native
}

/// Only volumes of their own have these defaults: inside an attachment the specification stays as
/// it is, so tags on its type would say too much.
fn default(volume: &mut Value) {
    let Some(spec) = volume.get_mut("spec") else { return };
    resources::round(spec, "capacity");
    if text(spec, "persistentVolumeReclaimPolicy").is_empty() {
        spec.set_path(&["persistentVolumeReclaimPolicy"], "Retain".into());
    }
    fields::default(spec, &["volumeMode"], "Filesystem");
}

/// A volume waits in its first phase from the moment it is made; a change of phase is dated unless
/// the writer does it.
fn stamp(context: &Context<'_>, part: Part, volume: &mut Value, old: Option<&Value>) {
    const DATE: [&str; 2] = ["status", "lastPhaseTransitionTime"];
    let now = || Value::from(context.now().encode());
    let Some(old) = old else {
        volume.set_path(&["status", "phase"], "Pending".into());
        volume.set_path(&DATE, now());
        return;
    };
    if part != Part::Status {
        return;
    }
    let phase = |volume| fields::text(volume, &["status", "phase"]).to_owned();
    let (given, known) = (fields::at(volume, &DATE), fields::at(old, &DATE));
    if phase(volume) != phase(old) {
        let moment = |date: Option<&Value>| date.and_then(Value::as_str).map(Time::decode);
        if given.is_none() || moment(given) == moment(known) {
            volume.set_path(&DATE, now());
        }
    } else if given.is_none()
        && let Some(known) = known
    {
        volume.set_path(&DATE, known.clone());
    }
}

/// Updates are judged twice: as whole objects, and as changes.
fn validate(change: &Change<'_>) -> field::ErrorList {
    if change.part == Part::Status {
        return metadata::changed(change);
    }
    let mut errors = metadata::whole(change, false, name::subdomain_rule);
    if change.old.is_some() {
        errors.extend(metadata::whole(change, false, name::subdomain_rule));
    }
    errors
}

fn warn(change: &Change<'_>, warnings: &mut Warnings) {
    if change.part == Part::Status {
        return;
    }
    let annotations = [
        (volume::CLASS, r#"deprecated since v1.8; use "storageClassName" attribute instead"#),
        (
            "volume.beta.kubernetes.io/mount-options",
            r#"deprecated since v1.31; use "mountOptions" attribute instead"#,
        ),
    ];
    for (key, why) in annotations {
        if annotation(change.object, key).is_some() {
            warnings.add(format!("metadata.annotations[{key}]: {why}"));
        }
    }
    let spec = part(change.object, "spec");
    if text(spec, "persistentVolumeReclaimPolicy") == "Recycle" {
        warnings.add(
            "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. \
             Instead, the recommended approach is to use dynamic provisioning.",
        );
    }
    let terms = fields::list(spec, &["nodeAffinity", "required", "nodeSelectorTerms"]);
    let path = Path::new("spec.nodeAffinity.required.nodeSelectorTerms");
    for (at, term) in terms.iter().enumerate() {
        node_selector::warn(term, &path.index(at), warnings);
    }
    let plugins = [
        ("cephfs", "cephfs", "v1.28, non-functional in v1.31+"),
        ("photonPersistentDisk", "photonPersistentDisk", "v1.11, non-functional in v1.16+"),
        ("scaleIO", "scaleIO", "v1.16, non-functional in v1.22+"),
        ("storageos", "storageOS", "v1.22, non-functional in v1.25+"),
        ("glusterfs", "glusterfs", "v1.25, non-functional in v1.26+"),
        ("rbd", "rbd", "v1.28, non-functional in v1.31+"),
    ];
    for (name, shown, since) in plugins {
        if some(spec, name).is_some() {
            warnings.add(format!("spec.{shown}: deprecated in {since}"));
        }
    }
}

fn capacity(volume: &Value) -> Value {
    volume::shown_amount(fields::at(volume, &["spec", "capacity", "storage"]))
}

fn modes(volume: &Value) -> Value {
    volume::short_modes(items(part(volume, "spec"), "accessModes"))
}

fn claim(volume: &Value) -> Value {
    let Some(claim) = some(part(volume, "spec"), "claimRef") else { return "".into() };
    format!("{}/{}", text(claim, "namespace"), text(claim, "name")).into()
}
