//! Parts of the pod that its containers may read: fields and resources by name.

use ordain_meta::name;
use ordain_value::Value;
use ordain_value::field::{Error, ErrorList, Path};

use super::check::{mode, required};
use super::paths;
use crate::shared::access::{some, text};
use crate::shared::{net, resources};

const FILE_FIELDS: [&str; 5] = [
    "metadata.annotations",
    "metadata.labels",
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
];

pub(super) const ENV_FIELDS: [&str; 9] = [
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
];

/// Fields that can be named at all; which of them may be read depends on where.
const KNOWN_FIELDS: [&str; 14] = [
    "metadata.annotations",
    "metadata.labels",
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.serviceAccountName",
    "spec.schedulerName",
    "status.phase",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
];

const RESOURCES: [&str; 6] = [
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
];

/// A file that shows a field or a resource.
pub(super) fn check_file(file: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    required(file, "path", path, errors);
    paths::not_reserved(text(file, "path"), &path.child("path"), errors);
    match (some(file, "fieldRef"), some(file, "resourceFieldRef")) {
        (Some(field), other) => {
            check_field(field, &FILE_FIELDS, &path.child("fieldRef"), errors);
            if other.is_some() {
                let problem = "fieldRef and resourceFieldRef can not be specified simultaneously";
                errors.push(Error::invalid(path, "resource", problem));
            }
        }
        (None, Some(resource)) => {
            check_resource(resource, true, &path.child("resourceFieldRef"), errors);
        }
        (None, None) => {
            errors.push(Error::required(path, "one of fieldRef and resourceFieldRef is required"));
        }
    }
    mode(file, "mode", path, errors);
}

/// A field of the pod, by path.
pub(super) fn check_field(
    selector: &Value,
    allowed: &[&str],
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let (version, field) = (text(selector, "apiVersion"), text(selector, "fieldPath"));
    for name in ["apiVersion", "fieldPath"] {
        if text(selector, name).is_empty() {
            errors.push(Error::required(&path.child(name), ""));
            return;
        }
    }
    let subscripted = split_subscript(field);
    let problem = match subscripted {
        _ if version != "v1" => Some(format!("unsupported pod version: {version}")),
        Some(("metadata.annotations" | "metadata.labels", _)) => None,
        Some(_) => Some(format!("field label does not support subscript: {field}")),
        None if KNOWN_FIELDS.contains(&field) || field == "spec.host" => None,
        None => Some(format!("field label not supported: {field}")),
    };
    if let Some(problem) = problem {
        let problem = format!("error converting fieldPath: {problem}");
        errors.push(Error::invalid(&path.child("fieldPath"), field, problem));
        return;
    }
    match subscripted {
        Some(("metadata.annotations", key)) => {
            errors.extend(net::qualified_name(path, &key.to_lowercase()));
        }
        Some((_, key)) => errors.extend(net::qualified_name(path, key)),
        None => {
            let field = if field == "spec.host" { "spec.nodeName" } else { field };
            if !allowed.contains(&field) {
                errors.push(Error::not_supported(&path.child("fieldPath"), field, allowed));
            }
        }
    }
}

/// `path['key']`
fn split_subscript(field: &str) -> Option<(&str, &str)> {
    let (path, key) = field.strip_suffix("']")?.split_once("['")?;
    (!path.is_empty()).then_some((path, key))
}

/// A resource of a container, by name; files name the container, too.
pub(super) fn check_resource(
    selector: &Value,
    in_file: bool,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let resource = text(selector, "resource");
    let huge = ["limits.", "requests."]
        .iter()
        .any(|kind| resource.strip_prefix(kind).is_some_and(resources::is_huge_pages));
    if in_file && text(selector, "containerName").is_empty() {
        errors.push(Error::required(&path.child("containerName"), ""));
    } else if resource.is_empty() {
        errors.push(Error::required(&path.child("resource"), ""));
    } else if !RESOURCES.contains(&resource) && !huge {
        errors.push(Error::not_supported(&path.child("resource"), resource, &RESOURCES));
    }
    check_divisor(selector, resource, huge, &path.child("divisor"), errors);
}

fn check_divisor(
    selector: &Value,
    resource: &str,
    huge: bool,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    const CPU: [&str; 2] = ["1m", "1"];
    const BYTES: [&str; 13] =
        ["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"];
    let Some(divisor) = some(selector, "divisor").map(resources::quantity) else { return };
    if divisor.is_zero() {
        return;
    }
    let (allowed, values, what) = match resource {
        "limits.cpu" | "requests.cpu" => (&CPU[..], "1m and 1".to_owned(), "cpu"),
        "limits.memory" | "requests.memory" => (&BYTES[..], BYTES.join(", "), "memory"),
        "limits.ephemeral-storage" | "requests.ephemeral-storage" => {
            (&BYTES[..], BYTES.join(", "), "local ephemeral storage")
        }
        _ if huge => (&BYTES[..], BYTES.join(", "), "hugepages"),
        _ => return,
    };
    if !allowed.contains(&divisor.to_string().as_str()) {
        let problem =
            format!("only divisor's values {values} are supported with the {what} resource");
        errors.push(Error::invalid(path, resource, problem));
    }
}

/// A key of a config map or secret, by the name of its holder.
pub(super) fn check_key(selector: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let holder = text(selector, "name");
    errors.extend(net::invalid(&path.child("name"), holder, name::dns_1123_subdomain(holder)));
    let key = text(selector, "key");
    if key.is_empty() {
        errors.push(Error::required(&path.child("key"), ""));
    } else {
        let problems = ordain_strategy::typed::rules::config_key(key);
        errors.extend(net::invalid(&path.child("key"), key, problems));
    }
}
