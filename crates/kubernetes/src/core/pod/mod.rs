//! Pod: the unit that is scheduled and run; its spec is the largest of all, and templates of it
//! are part of every workload.

pub(crate) mod affinity;
mod annotations;
mod check;
mod claim;
mod containers;
mod default;
mod dns;
mod downward;
mod env;
mod gates;
mod image;
mod mounts;
mod options;
mod paths;
mod probes;
mod projected;
mod security;
mod shown;
mod sources;
mod spec;
pub(crate) mod template;
mod topology;
mod volumes;
mod warn;
mod windows;

use ordain_meta::name;
use ordain_strategy::Change;
use ordain_strategy::typed::{Hooks, rules};
use ordain_value::Value;
use ordain_value::field::{Error, ErrorList, Path};

use crate::native::Native;
use crate::shared::access::{items, part, text};
use options::PodOptions;

pub(crate) fn native() -> Native {
    let mut native = Native::new("", "Pod");
    native.hooks = Hooks { default: default_pod, ..Hooks::new(validate) };
    native
}

fn default_pod(object: &mut Value) {
    template::default(object);
    if let Some(spec) = object.get_mut("spec") {
        default::pod(spec);
    }
}

fn validate(change: &Change<'_>) -> ErrorList {
    let options = PodOptions { is_pod: true, ..PodOptions::of(Some(change.object), change.old) };
    let mut errors = rules::metadata(change, true, name::subdomain_rule);
    check_metadata_and_spec(change.object, &options, &mut errors);
    let spec = part(change.object, "spec");
    let path = Path::new("spec");
    if change.old.is_none() {
        if !items(spec, "ephemeralContainers").is_empty() {
            let problem = "cannot be set on create";
            errors.push(Error::forbidden(&path.child("ephemeralContainers"), problem));
        }
        if !text(spec, "nodeName").is_empty() && !items(spec, "schedulingGates").is_empty() {
            let problem = "cannot be set until all schedulingGates have been cleared";
            errors.push(Error::forbidden(&path.child("nodeName"), problem));
        }
        annotations::check_agreement(change.object, &path, &mut errors);
    }
    errors
}

/// The rules that a pod keeps at all times, metadata besides.
fn check_metadata_and_spec(pod: &Value, options: &PodOptions, errors: &mut ErrorList) {
    let metadata = Path::new("metadata");
    annotations::check(pod, &metadata.child("annotations"), options, errors);
    let spec = part(pod, "spec");
    let path = Path::new("spec");
    spec::check(spec, Some(pod), &path, options, errors);
    if text(spec, "serviceAccountName").is_empty() {
        projected::check_no_tokens(spec, &path.child("volumes"), errors);
    }
    for kind in ["containers", "initContainers"] {
        let list = path.child(kind);
        for (at, container) in items(spec, kind).iter().enumerate() {
            containers::check_image_padding(container, &list.index(at), errors);
        }
    }
}
