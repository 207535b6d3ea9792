//! Pod: the unit that is scheduled and run; its spec is the largest of all, and templates of it
//! are part of every workload.

mod advice;
pub(crate) mod affinity;
mod annotations;
mod cells;
pub(crate) mod claim;
pub(crate) mod containers;
mod default;
mod gates;
mod image;
mod options;
mod overlaps;
mod paths;
mod prepare;
pub(crate) mod projected;
pub(crate) mod qos;
mod resize;
pub(crate) mod resources;
mod restart;
pub(crate) mod security;
mod shown;
mod spec;
mod status;
mod subresource;
pub(crate) mod template;
pub(crate) mod topology;
pub(crate) mod update;

use ordain_meta::name;
use ordain_strategy::typed::{Hooks, rules};
use ordain_strategy::{Change, Part, Warnings};
use ordain_value::field::{Error, ErrorList, Path};
use ordain_value::{Text, Value};

use crate::native::Native;
use crate::shared::access::{annotation, flag, int, items, part, text};
use crate::shared::fields;
use options::PodOptions;

pub(crate) fn native() -> Native {
    let mut native = Native::new("", "Pod");
    native.policy.returns_deleted = true;
    native.subresources = subresource::SUBRESOURCES;
    native.status_reset =
        &[&["spec"], &["metadata", "deletionTimestamp"], &["metadata", "ownerReferences"]];
    native.columns = cells::COLUMNS;
    native.row = Some(cells::of);
    native.selectable_fields = &SELECTABLE;
    native.hooks = Hooks {
        default: default_pod,
        prepare_for_create: prepare::create,
        prepare_for_update: prepare::update,
        warn,
        warn_unprepared: advice::of_app_armor,
        field: selectable_field,
        selectable: true,
        grace_period: Some(grace_period),
        ..Hooks::new(validate)
    };
    native
}

const SELECTABLE: [&str; 8] = [
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "spec.hostNetwork",
    "status.phase",
    "status.podIP",
    "status.nominatedNodeName",
];

fn selectable_field(pod: &Value, field: &str) -> Option<Text> {
    let status = part(pod, "status");
    match field {
        "spec.hostNetwork" => Some(flag(part(pod, "spec"), "hostNetwork").to_string().into()),
        "status.podIP" => {
            Some(items(status, "podIPs").first().map_or("", |it| text(it, "ip")).into())
        }
        field if SELECTABLE.contains(&field) => fields::selected(pod, field),
        _ => None,
    }
}

/// Pods end in their own time once they were given to a node and have not ended yet.
fn grace_period(pod: &Value, asked: Option<i64>) -> Option<i64> {
    let spec = part(pod, "spec");
    let ended = matches!(text(part(pod, "status"), "phase"), "Failed" | "Succeeded");
    if text(spec, "nodeName").is_empty() || ended {
        return Some(0);
    }
    Some(asked.unwrap_or_else(|| int(spec, "terminationGracePeriodSeconds")))
}

fn default_pod(object: &mut Value) {
    template::default(object);
    if let Some(spec) = object.get_mut("spec") {
        default::pod(spec);
    }
    if let Some(status) = object.get_mut("status") {
        default::status(status);
    }
}

fn warn(change: &Change<'_>, warnings: &mut Warnings) {
    match (change.part, change.old) {
        (Part::Status, _) => status::warn(part(change.object, "status"), warnings),
        (_, None) => advice::of_pod(change.object, warnings),
        _ => {}
    }
}

fn validate(change: &Change<'_>) -> ErrorList {
    let Some(old) = change.old else { return validate_create(change) };
    if change.part == Part::Other(subresource::BINDING) {
        return ErrorList::new();
    }
    let pod = change.object;
    let options = PodOptions::of(Some(pod), Some(old));
    let mut errors = rules::metadata(change, true, name::subdomain_rule);
    let metadata = Path::new("metadata");
    let annotations = metadata.child("annotations");
    if change.part == Part::Status {
        annotations::check_update(pod, old, &annotations, &mut errors);
        status::check(pod, old, &mut errors);
        return errors;
    }
    let as_new = Change { old: None, ..*change };
    errors.extend(rules::metadata(&as_new, true, name::subdomain_rule));
    annotations::check(pod, &annotations, &options, &mut errors);
    let mirror = annotation(old, annotations::MIRROR).is_some();
    let refused = |problem: &str| Error::forbidden(&Path::new("[]"), problem).into();
    match change.part {
        Part::Other(subresource::EPHEMERAL_CONTAINERS) => {
            if mirror {
                return refused("static pods do not support ephemeral containers");
            }
            annotations::check_update(pod, old, &annotations, &mut errors);
        }
        Part::Other(subresource::RESIZE) => {
            if mirror {
                return refused("static pods cannot be resized");
            }
            if text(part(part(old, "spec"), "os"), "name") == "windows" {
                return refused("windows pods cannot be resized");
            }
            resize::check(pod, old, &mut errors);
        }
        _ => {
            annotations::check_update(pod, old, &annotations, &mut errors);
        }
    }
    errors
}

fn validate_create(change: &Change<'_>) -> ErrorList {
    let options = PodOptions::default();
    let mut errors = rules::metadata(change, true, name::subdomain_rule);
    let annotations = Path::new("metadata");
    let annotations = annotations.child("annotations");
    annotations::check(change.object, &annotations, &options, &mut errors);
    annotations::check_agreement(change.object, &Path::new("spec"), &mut errors);
    errors
}
