//! Whether somebody may do something: the question itself must make sense.

use ordain_meta::name;
use ordain_strategy::{Change, object};
use ordain_value::Value;
use ordain_value::field::{self, Path};

use super::form;
use crate::shared::access::{items, part, some, text};
use crate::shared::net;

/// About anybody, anywhere.
pub(super) fn subject(change: &Change<'_>) -> field::ErrorList {
    let mut errors = spec(change, true);
    metadata(change, &[], "must be empty", &mut errors);
    errors
}

/// About oneself.
pub(super) fn own(change: &Change<'_>) -> field::ErrorList {
    let mut errors = spec(change, false);
    metadata(change, &[], "must be empty", &mut errors);
    errors
}

/// About anybody in one namespace.
pub(super) fn local(change: &Change<'_>) -> field::ErrorList {
    let mut errors = spec(change, true);
    metadata(change, &["namespace"], "must be empty except for namespace", &mut errors);
    let spec = part(change.object, "spec");
    if let Some(resource) = some(spec, "resourceAttributes") {
        let namespace = text(resource, "namespace");
        if namespace != object::namespace(change.object) {
            let path = Path::new("spec.resourceAttributes.namespace");
            let why = "must match metadata.namespace";
            errors.push(field::Error::invalid(&path, namespace, why));
        }
    }
    if let Some(other) = some(spec, "nonResourceAttributes") {
        let path = Path::new("spec.nonResourceAttributes");
        let why = "disallowed on this kind of request";
        errors.push(field::Error::invalid(&path, form::non_resource(other), why));
    }
    errors
}

fn metadata(change: &Change<'_>, allowed: &[&str], why: &str, errors: &mut field::ErrorList) {
    let metadata = part(change.object, "metadata");
    let given = metadata.as_map().is_some_and(|map| {
        map.iter().any(|(key, value)| {
            key != "managedFields" && !allowed.contains(&key.as_str()) && !value.is_null()
        })
    });
    if given {
        let shown = form::metadata(metadata);
        errors.push(field::Error::invalid(&Path::new("metadata"), shown, why));
    }
}

fn spec(change: &Change<'_>, names_user: bool) -> field::ErrorList {
    let mut errors = field::ErrorList::new();
    let (path, spec) = (Path::new("spec"), part(change.object, "spec"));
    let (resource, other) = (some(spec, "resourceAttributes"), some(spec, "nonResourceAttributes"));
    if let (Some(_), Some(other)) = (resource, other) {
        let why = "cannot be specified in combination with resourceAttributes";
        let path = path.child("nonResourceAttributes");
        errors.push(field::Error::invalid(&path, form::non_resource(other), why));
    }
    if resource.is_none() && other.is_none() {
        let why = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
        let path = path.child("resourceAttributes");
        errors.push(field::Error::invalid(&path, Value::Null, why));
    }
    if names_user && text(spec, "user").is_empty() && items(spec, "groups").is_empty() {
        let why = "at least one of user or group must be specified";
        errors.push(field::Error::invalid(&path.child("user"), "", why));
    }
    if let Some(resource) = resource {
        let path = path.child("resourceAttributes");
        for (name, keys) in [("fieldSelector", Keys::Fields), ("labelSelector", Keys::Labels)] {
            if let Some(attributes) = some(resource, name) {
                selector(attributes, keys, &path.child(name), &mut errors);
            }
        }
    }
    errors
}

/// What a selector selects by.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keys {
    Fields,
    Labels,
}

/// A selector, as text or in parts. Operators that are not known pass: newer clients may have some.
fn selector(attributes: &Value, keys: Keys, path: &Path<'_>, errors: &mut field::ErrorList) {
    let (raw, parts) = (text(attributes, "rawSelector"), items(attributes, "requirements"));
    if !raw.is_empty() && !parts.is_empty() {
        let why = "may not specified at the same time as requirements";
        errors.push(field::Error::invalid(&path.child("rawSelector"), raw, why));
    }
    let list = path.child("requirements");
    if raw.is_empty() && parts.is_empty() {
        let why = format!("when {path} is specified, requirements or rawSelector is required");
        errors.push(field::Error::required(&list, why));
    }
    for (at, requirement) in parts.iter().enumerate() {
        let path = list.index(at);
        let (key, values) = (text(requirement, "key"), items(requirement, "values"));
        let place = path.child("values");
        match text(requirement, "operator") {
            "In" | "NotIn" if values.is_empty() => {
                let why = "must be specified when `operator` is 'In' or 'NotIn'";
                errors.push(field::Error::required(&place, why));
            }
            "Exists" | "DoesNotExist" if !values.is_empty() => {
                let why = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
                errors.push(field::Error::forbidden(&place, why));
            }
            _ => {}
        }
        match keys {
            Keys::Fields if key.is_empty() => {
                errors.push(field::Error::required(&path.child("key"), "must be specified"));
            }
            Keys::Fields => {}
            Keys::Labels => {
                errors.extend(net::qualified_name(&path.child("key"), key));
                for (at, value) in values.iter().enumerate() {
                    let value = value.as_str().unwrap_or("");
                    let problems = name::label_value(value);
                    errors.extend(net::invalid(&place.index(at), value, problems));
                }
            }
        }
    }
}
