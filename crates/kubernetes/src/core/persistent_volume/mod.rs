//! PersistentVolume: a piece of storage and who has it.

mod form;
mod source;

use ordain_meta::name;
use ordain_meta::time::Time;
use ordain_strategy::typed::{Hooks, Lifecycle, printer};
use ordain_strategy::{Change, Context, Part, Warnings, object};
use ordain_value::Value;
use ordain_value::field::{self, Path};

use super::volume;
use crate::native::Native;
use crate::shared::access::{annotation, entries, items, part, some, text, text_of};
use crate::shared::resources::{self, quantity};
use crate::shared::selector::Values;
use crate::shared::{diff, fields, metadata, node_selector, reference, table};

pub(crate) fn native() -> Native {
    let mut hooks = Hooks::new(validate);
    hooks.default = |volume| {
        if let Some(spec) = volume.get_mut("spec") {
            resources::round(spec, "capacity");
        }
    };
    hooks.lifecycle = Lifecycle::Reset;
    hooks.stamp = stamp;
    hooks.warn = warn;
    hooks.field = |volume, field| (field == "name").then(|| object::name(volume).into());
    hooks.cells = cells;
    let mut native = Native {
        hooks,
        columns: table::columns(
            &[
                ("Capacity", "string", "How much the volume holds."),
                ("Access Modes", "string", "How it may be used."),
                ("Reclaim Policy", "string", "What becomes of it when it is released."),
                ("Status", "string", "Whether it is bound."),
                ("Claim", "string", "The claim that has it."),
                ("StorageClass", "string", "Its class."),
                ("VolumeAttributesClass", "string", "The class of its settings."),
                ("Reason", "string", "Why it is as it is."),
            ],
            &[("VolumeMode", "string", "File system or block device.")],
        ),
        ..Native::new("", "PersistentVolume")
    };
    native.policy.returns_deleted = true;
    native
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

fn validate(change: &Change<'_>) -> field::ErrorList {
    if change.part == Part::Status {
        return metadata::changed(change);
    }
    let mut errors = whole(change);
    mount_options(change.object, &mut errors);
    if let Some(old) = change.old {
        errors.extend(whole(change));
        update(change.object, old, &mut errors);
    }
    errors
}

fn whole(change: &Change<'_>) -> field::ErrorList {
    let mut errors = metadata::whole(change, false, name::subdomain_rule);
    let selector = |old| fields::at(old, &["spec", "nodeAffinity", "required"]);
    let invalid = change.old.and_then(selector).is_some_and(node_selector::has_invalid_value);
    let place = Place::Own {
        name: object::name(change.object),
        values: if invalid { Values::Any } else { Values::Checked },
    };
    spec(part(change.object, "spec"), &place, &Path::new("spec"), &mut errors);
    errors
}

/// Where the specification of a volume stands.
pub(crate) enum Place<'a> {
    /// In a volume of this name.
    Own { name: &'a str, values: Values },
    /// Inside an attachment, which knows CSI volumes only.
    Inline,
}

const INLINE: &str = "may not be specified in the context of inline volumes";

/// The rules of a specification.
pub(crate) fn spec(
    spec: &Value,
    place: &Place<'_>,
    path: &Path<'_>,
    errors: &mut field::ErrorList,
) {
    if text_list_is_empty(spec) {
        errors.push(field::Error::required(&path.child("accessModes"), ""));
    }
    volume::access_modes(spec, path, errors);
    let affine = match place {
        Place::Own { values, .. } => {
            capacity(spec, path, errors);
            own(spec, path, errors);
            node_affinity(spec, *values, path, errors)
        }
        Place::Inline => {
            inline(spec, path, errors);
            false
        }
    };
    let name = if let Place::Own { name, .. } = place { name } else { "" };
    source::validate(spec, name, affine, path, errors);
    let root = some(spec, "hostPath").is_some_and(|it| source::is_root(text(it, "path")));
    if root && text(spec, "persistentVolumeReclaimPolicy") == "Recycle" {
        let why = "may not be 'recycle' for a hostPath mount of '/'";
        let path = path.child("persistentVolumeReclaimPolicy");
        errors.push(field::Error::forbidden(&path, why));
    }
    if let Some(class) = text_of(spec, "volumeAttributesClassName") {
        let place = path.child("volumeAttributesClassName");
        if class.is_empty() {
            errors.push(field::Error::required(&place, "an empty string is disallowed"));
        }
        reference::class_name(class, &place, errors);
        if some(spec, "csi").is_none() {
            let why = "has to be specified when using volumeAttributesClassName";
            errors.push(field::Error::required(&path.child("csi"), why));
        }
    }
}

fn text_list_is_empty(spec: &Value) -> bool {
    items(spec, "accessModes").is_empty()
}

fn capacity(spec: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    let path = path.child("capacity");
    let empty = Value::Map(ordain_value::Map::new());
    let map = some(spec, "capacity").unwrap_or(&empty);
    let count = map.as_map().map_or(0, ordain_value::Map::len);
    if count == 0 {
        errors.push(field::Error::required(&path, ""));
    }
    if map.get("storage").is_none() || count > 1 {
        let shown = if some(spec, "capacity").is_some() { map.clone() } else { Value::Null };
        errors.push(field::Error::not_supported(&path, shown, &["storage"]));
    }
    for (name, value) in entries(spec, "capacity") {
        volume::amount(&quantity(value), &path.key(name), errors);
        volume::positive(&quantity(value), &path.key(name), errors);
    }
}

/// What only volumes of their own have.
fn own(spec: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    let policy = text(spec, "persistentVolumeReclaimPolicy");
    let policies = ["Delete", "Recycle", "Retain"];
    if !policy.is_empty() && !policies.contains(&policy) {
        let path = path.child("persistentVolumeReclaimPolicy");
        errors.push(field::Error::not_supported(&path, policy, &policies));
    }
    let class = text(spec, "storageClassName");
    reference::class_name(class, &path.child("storageClassName"), errors);
    fields::one_of(spec, &["volumeMode"], &volume::MODES, &path.child("volumeMode"), errors);
}

fn inline(spec: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    let mut forbid = |name: &str, why: String| {
        errors.push(field::Error::forbidden(&path.child(name), why));
    };
    for name in ["claimRef", "nodeAffinity"] {
        if some(spec, name).is_some() {
            forbid(name, INLINE.to_owned());
        }
    }
    if entries(spec, "capacity").next().is_some() {
        forbid("capacity", INLINE.to_owned());
    }
    if !text(spec, "storageClassName").is_empty() {
        forbid("storageClassName", INLINE.to_owned());
    }
    if !matches!(text(spec, "persistentVolumeReclaimPolicy"), "" | "Retain") {
        let why = "may only be Retain in the context of inline volumes";
        forbid("persistentVolumeReclaimPolicy", why.to_owned());
    }
    if text_of(spec, "volumeMode").is_some_and(|mode| mode != "Filesystem") {
        let why = "may not specify volumeMode other than Filesystem in the context of inline \
                   volumes";
        forbid("volumeMode", why.to_owned());
    }
    if some(spec, "csi").is_none() {
        let why = "has to be specified in the context of inline volumes";
        errors.push(field::Error::required(&path.child("csi"), why));
    }
}

/// Tells whether the volume says where it is.
fn node_affinity(
    spec: &Value,
    values: Values,
    path: &Path<'_>,
    errors: &mut field::ErrorList,
) -> bool {
    let Some(affinity) = some(spec, "nodeAffinity") else { return false };
    let path = path.child("nodeAffinity");
    let path = path.child("required");
    match some(affinity, "required") {
        Some(required) => node_selector::validate(required, values, &path, errors),
        None => {
            let why = "must specify required node constraints";
            errors.push(field::Error::required(&path, why));
        }
    }
    true
}

/// Options by annotation are for volumes that are mounted with some.
fn mount_options(volume: &Value, errors: &mut field::ErrorList) {
    const KEY: &str = "volume.beta.kubernetes.io/mount-options";
    const MOUNTED: [&str; 13] = [
        "gcePersistentDisk",
        "awsElasticBlockStore",
        "glusterfs",
        "nfs",
        "rbd",
        "quobyte",
        "iscsi",
        "cinder",
        "cephfs",
        "azureFile",
        "vsphereVolume",
        "azureDisk",
        "photonPersistentDisk",
    ];
    let spec = part(volume, "spec");
    let mounted = MOUNTED.iter().any(|name| some(spec, name).is_some());
    if !mounted && annotation(volume, KEY).is_some() {
        let path = Path::new("metadata.annotations");
        let why = "may not specify mount options for this volume type";
        errors.push(field::Error::forbidden(&path.child(KEY), why));
    }
}

fn update(volume: &Value, old: &Value, errors: &mut field::ErrorList) {
    let (new_spec, old_spec) = (part(volume, "spec"), part(old, "spec"));
    let mut compared = new_spec.clone();
    let expand = ["csi", "controllerExpandSecretRef"];
    // The secret for growing may be added later.
    if some(old_spec, "csi").is_some() && fields::at(old_spec, &expand).is_none() {
        compared.remove_path(&expand);
    }
    if form::SOURCES.iter().any(|name| some(&compared, name) != some(old_spec, name)) {
        let why = format!(
            "spec.persistentvolumesource is immutable after creation\n{}",
            diff::diff(old_spec, &compared, &form::SOURCE)
        );
        errors.push(field::Error::forbidden(&Path::new("spec.persistentvolumesource"), why));
    }
    let path = Path::new("volumeMode");
    fields::immutable(new_spec, old_spec, &["volumeMode"], &path, errors);
    if let Some(known) = some(old_spec, "nodeAffinity") {
        let affinity = some(new_spec, "nodeAffinity");
        if !affinity.is_some_and(|it| form::same_affinity(it, known)) {
            let why = "field is immutable, except for updating from beta label to GA";
            let shown = form::affinity(affinity);
            errors.push(field::Error::invalid(&Path::new("nodeAffinity"), shown, why));
        }
    }
    let class = "volumeAttributesClassName";
    if some(old_spec, class).is_some() && some(new_spec, class).is_none() {
        let path = Path::new("spec.volumeAttributesClassName");
        let why = "update from non-nil value to nil is forbidden";
        errors.push(field::Error::forbidden(&path, why));
    }
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

fn cells(volume: &Value, now: i64) -> Vec<Value> {
    let (spec, status) = (part(volume, "spec"), part(volume, "status"));
    let claim = some(spec, "claimRef")
        .map(|it| format!("{}/{}", text(it, "namespace"), text(it, "name")))
        .unwrap_or_default();
    let phase = if object::is_deleting(volume) { "Terminating" } else { text(status, "phase") };
    let unset = |name: &str| Value::from(text_of(spec, name).unwrap_or("<unset>"));
    vec![
        object::name(volume).into(),
        volume::shown_amount(fields::at(spec, &["capacity", "storage"])),
        volume::short_modes(items(spec, "accessModes")),
        text(spec, "persistentVolumeReclaimPolicy").into(),
        phase.into(),
        claim.into(),
        annotation(volume, volume::CLASS).unwrap_or(text(spec, "storageClassName")).into(),
        unset("volumeAttributesClassName"),
        text(status, "reason").into(),
        printer::age(volume, now),
        unset("volumeMode"),
    ]
}
