//! Annotations of pods that have a meaning, most of them from before there were fields.

use ordain_value::field::{Error, ErrorList, Path};
use ordain_value::go_format::{cannot_unmarshal, json_type};
use ordain_value::{Map, Value, json};

use super::containers;
use super::options::PodOptions;
use super::paths;
use crate::shared::access::{
    annotation, annotation_for, entries, has_annotations, part, some, text, text_of,
};
use crate::shared::toleration;

pub(super) const MIRROR: &str = "kubernetes.io/config.mirror";
const DELETION_COST: &str = "controller.kubernetes.io/pod-deletion-cost";
const TOLERATIONS: &str = "scheduler.alpha.kubernetes.io/tolerations";
pub(super) const SECCOMP_POD: &str = "seccomp.security.alpha.kubernetes.io/pod";
pub(super) const SECCOMP_CONTAINER: &str = "container.seccomp.security.alpha.kubernetes.io/";
pub(super) const APP_ARMOR: &str = "container.apparmor.security.beta.kubernetes.io/";

/// The rules of a pod's or template's annotations.
pub(super) fn check(
    template: &Value,
    path: &Path<'_>,
    options: &PodOptions,
    errors: &mut ErrorList,
) {
    let spec = part(template, "spec");
    for (key, value) in entries(part(template, "metadata"), "annotations") {
        let value = value.as_str().unwrap_or("");
        if key == MIRROR && text(spec, "nodeName").is_empty() {
            let problem = "must set spec.nodeName if mirror pod annotation is set";
            errors.push(Error::invalid(&path.key(key), value, problem));
        }
        let wrong_cost = key == DELETION_COST && !is_deletion_cost(value);
        if wrong_cost && !options.allow_invalid_deletion_cost {
            errors.push(Error::invalid(&path.key(key), value, "must be a 32bit integer"));
        }
        if key == TOLERATIONS && !value.is_empty() {
            check_tolerations(value, path, options, errors);
        }
        if key == SECCOMP_POD || key.starts_with(SECCOMP_CONTAINER) {
            check_seccomp(value, &path.child(key), errors);
        }
        if let Some(name) = key.strip_prefix(APP_ARMOR) {
            let mut found = false;
            containers::each(spec, path, &mut |it, _| found |= text(it, "name") == name);
            if !found {
                errors.push(Error::invalid(&path.key(key), name, "container not found"));
            }
            let known = matches!(value, "" | "runtime/default" | "unconfined")
                || value.starts_with("localhost/");
            if !known {
                let problem =
                    format!("invalid AppArmor profile name: {}", ordain_value::go_quote(value));
                errors.push(Error::invalid(&path.key(key), value, problem));
            }
        }
    }
}

/// Tolerations as they were written before there was a field for them.
fn check_tolerations(text: &str, path: &Path<'_>, options: &PodOptions, errors: &mut ErrorList) {
    match json::decode(text.as_bytes()) {
        Ok(Value::List(list)) => {
            let path = path.child(TOLERATIONS);
            toleration::validate(
                list.as_slice(),
                options.allow_comparing_tolerations,
                &path,
                errors,
            );
        }
        Ok(Value::Null) => {}
        Ok(other) => {
            let problem = cannot_unmarshal(json_type(&other), "[]core.Toleration");
            errors.push(Error::invalid(path, TOLERATIONS, problem));
        }
        Err(error) => errors.push(Error::invalid(path, TOLERATIONS, error.message)),
    }
}

/// A cost has no sign `+` and no leading zeros, unless it is negative.
fn is_deletion_cost(text: &str) -> bool {
    let plain = text == "0" || text.starts_with(['-', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
    plain && text.parse::<i32>().is_ok()
}

/// Whether an object has a cost that is none.
pub(super) fn has_invalid_deletion_cost(template: &Value) -> bool {
    annotation(template, DELETION_COST).is_some_and(|it| !is_deletion_cost(it))
}

fn check_seccomp(profile: &str, path: &Path<'_>, errors: &mut ErrorList) {
    match profile {
        "runtime/default" | "docker/default" | "unconfined" => {}
        other => match other.strip_prefix("localhost/") {
            Some(file) => paths::descending(file, path, errors),
            None => errors.push(Error::invalid(path, other, "must be a valid seccomp profile")),
        },
    }
}

/// Of annotation and field both are given alike, when a pod is made.
pub(super) fn check_agreement(pod: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    if !has_annotations(pod) {
        return;
    }
    let spec = part(pod, "spec");
    let pod_context = part(spec, "securityContext");
    let field = some(pod_context, "seccompProfile");
    let pod_path = path.child("securityContext");
    if let (Some(field), Some(given)) = (field, annotation(pod, SECCOMP_POD)) {
        agree(field, given, "seccomp", &pod_path.child("seccompProfile"), errors);
    }
    let windows = text(part(spec, "os"), "name") == "windows";
    let pod_armor = some(pod_context, "appArmorProfile");
    containers::each(spec, path, &mut |container, path| {
        let context = part(container, "securityContext");
        let path = path.child("securityContext");
        let name = text(container, "name");
        let given = annotation_for(pod, SECCOMP_CONTAINER, name);
        if let (Some(field), Some(given)) = (some(context, "seccompProfile"), given) {
            agree(field, given, "seccomp", &path.child("seccompProfile"), errors);
        }
        let field = some(context, "appArmorProfile").or(pod_armor);
        let given = annotation_for(pod, APP_ARMOR, name);
        if let (Some(field), Some(given), false) = (field, given, windows) {
            agree(field, given, "apparmor", &path.child("appArmorProfile"), errors);
        }
    });
}

fn agree(field: &Value, given: &str, what: &str, path: &Path<'_>, errors: &mut ErrorList) {
    let same_type = match text(field, "type") {
        "Unconfined" => given == "unconfined",
        "RuntimeDefault" => {
            given == "runtime/default" || (what == "seccomp" && given == "docker/default")
        }
        "Localhost" => match given.strip_prefix("localhost/") {
            Some(file) => {
                if text_of(field, "localhostProfile") != Some(file) {
                    let problem = format!("{what} profile in annotation and field must match");
                    errors.push(Error::forbidden(&path.child("localhostProfile"), problem));
                }
                true
            }
            None => false,
        },
        _ => true,
    };
    if !same_type {
        let problem = format!("{what} type in annotation and field must match");
        errors.push(Error::forbidden(&path.child("type"), problem));
    }
}

/// Annotations that are fixed once the pod exists.
pub(super) fn check_update(new: &Value, old: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let fixed = |key: &str| match key {
        MIRROR => Some("mirror pod annotation"),
        key => key.starts_with(APP_ARMOR).then_some("AppArmor annotations"),
    };
    for (key, value) in entries(part(old, "metadata"), "annotations") {
        if let Some(what) = fixed(key)
            && annotation(new, key) != value.as_str()
        {
            let problem = format!("may not remove or update {what}");
            errors.push(Error::forbidden(&path.key(key), problem));
        }
    }
    for (key, _) in entries(part(new, "metadata"), "annotations") {
        if let Some(what) = fixed(key)
            && annotation(old, key).is_none()
        {
            errors.push(Error::forbidden(&path.key(key), format!("may not add {what}")));
        }
    }
}

/// The profile that an annotation asks for a container without one; nothing where it makes none.
pub(super) fn app_armor_profile(metadata: &Value, container: &Value) -> Option<Value> {
    if some(part(container, "securityContext"), "appArmorProfile").is_some() {
        return None;
    }
    let key = format!("{APP_ARMOR}{}", text(container, "name"));
    let given = text_of(part(metadata, "annotations"), &key)?;
    profile_of(given)
}

/// The profile that the text of an annotation means.
pub(super) fn profile_of(given: &str) -> Option<Value> {
    let (ty, file) = match given {
        "unconfined" => ("Unconfined", None),
        "runtime/default" => ("RuntimeDefault", None),
        other => ("Localhost", Some(other.strip_prefix("localhost/")?)),
    };
    if file.is_some_and(|it| it.is_empty() || it.trim() != it || it.len() > 4095) {
        return None;
    }
    let mut profile = Map::new();
    profile.insert("type", ty.into());
    if let Some(file) = file {
        profile.insert("localhostProfile", file.into());
    }
    Some(Value::Map(profile))
}
