//! What of a job's template may change: before it has started its scheduling and resources, afterwards
//! nearly nothing.

use ordain_value::Value;
use ordain_value::field::{self, Path};

use super::job_status;
use crate::core::pod::template;
use crate::shared::fields;

type Errors = field::ErrorList;

pub(super) fn validate(job: &Value, old: &Value, path: &Path<'_>, errors: &mut Errors) {
    let (Some(spec), Some(old_spec)) = (job.get("spec"), old.get("spec")) else { return };
    pod_template(spec, old_spec, is_open(old), path, errors);
}

/// Whether the template may still change: the job is suspended and no pod of it is left.
fn is_open(job: &Value) -> bool {
    let never_started = fields::at(job, &["status", "startTime"]).is_none();
    fields::flag(job, &["spec", "suspend"])
        && (never_started || job_status::is_true(job, "Suspended"))
        && fields::count(job, &["status", "active"]) == 0
}

fn pod_template(spec: &Value, old_spec: &Value, open: bool, path: &Path<'_>, errors: &mut Errors) {
    let Some(template) = spec.get("template") else { return };
    let mut allowed = old_spec.get("template").cloned().unwrap_or(Value::Null);
    if open {
        allow_scheduling(template, &mut allowed);
        let pod = template.get("spec").unwrap_or(&Value::Null);
        let mut allowed_pod = allowed.get("spec").cloned().unwrap_or(Value::Null);
        allow_resources(pod, &mut allowed_pod);
        if *pod != allowed_pod {
            let path = path.child("template.spec");
            errors.push(field::Error::invalid(&path, template::shown_spec(pod), fields::IMMUTABLE));
        }
        return;
    }
    if *template != allowed {
        let path = path.child("template");
        errors.push(field::Error::invalid(&path, template::shown(template), fields::IMMUTABLE));
    }
}

/// Gives the old template what of scheduling may change.
fn allow_scheduling(template: &Value, allowed: &mut Value) {
    let affinity = ["spec", "affinity"];
    let nodes = ["spec", "affinity", "nodeAffinity"];
    match (fields::at(template, &affinity), fields::at(allowed, &affinity)) {
        (None, Some(_)) => {
            allowed.remove_path(&nodes);
            if fields::map(allowed, &affinity).is_some_and(ordain_value::Map::is_empty) {
                allowed.remove_path(&affinity);
            }
        }
        (Some(_), _) => {
            fields::default(allowed, &affinity, ordain_value::Map::new());
            take(template, allowed, &nodes);
        }
        (None, None) => {}
    }
    for name in ["nodeSelector", "tolerations", "schedulingGates"] {
        take(template, allowed, &["spec", name]);
    }
    for name in ["annotations", "labels"] {
        take(template, allowed, &["metadata", name]);
    }
}

fn take(from: &Value, to: &mut Value, steps: &[&str]) {
    match from.get_path(steps) {
        Some(value) => to.set_path(steps, value.clone()),
        None => drop(to.remove_path(steps)),
    }
}

/// Gives the old containers the resources of the new ones of the same name.
fn allow_resources(pod: &Value, allowed: &mut Value) {
    for list in ["containers", "initContainers"] {
        let new = fields::list(pod, &[list]);
        if new.len() != fields::list(allowed, &[list]).len() {
            continue;
        }
        let mut at = 0;
        fields::each_mut(allowed, &[list], |container| {
            if let Some(new) = new.get(at)
                && new.get("name") == container.get("name")
            {
                take(new, container, &["resources"]);
            }
            at += 1;
        });
    }
}
