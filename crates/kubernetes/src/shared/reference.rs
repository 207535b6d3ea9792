//! References to other objects, names of drivers, and labels of nodes.

use ordain_meta::name;
use ordain_value::Value;
use ordain_value::field::{self, Path};

use super::{access, net};

/// The name of a CSI driver: a domain in any case, of 63 bytes at most.
pub(crate) fn driver_name(text: &str, path: &Path<'_>, errors: &mut field::ErrorList) {
    const BYTES_MAX: i64 = 63;
    if text.is_empty() {
        errors.push(field::Error::required(path, ""));
        return;
    }
    if text.len() > 63 {
        errors.push(field::Error::too_long(path, BYTES_MAX));
    }
    errors.extend(net::invalid(path, text, name::dns_1123_subdomain(&text.to_lowercase())));
}

/// The name of a class, when one is given.
pub(crate) fn class_name(text: &str, path: &Path<'_>, errors: &mut field::ErrorList) {
    if !text.is_empty() {
        errors.extend(net::invalid(path, text, name::dns_1123_subdomain(text)));
    }
}

/// A secret by name and namespace, both of which must be given.
pub(crate) fn secret(value: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    let (secret, namespace) = (access::text(value, "name"), access::text(value, "namespace"));
    match secret {
        "" => errors.push(field::Error::required(&path.child("name"), "")),
        text => errors.extend(net::subdomain(&path.child("name"), text)),
    }
    match namespace {
        "" => errors.push(field::Error::required(&path.child("namespace"), "")),
        text => errors.extend(net::label(&path.child("namespace"), text)),
    }
}

/// A type that must name something: `name` and, for secrets of volumes, `namespace`.
pub(crate) fn named(value: &Value, names: &[&str], path: &Path<'_>, errors: &mut field::ErrorList) {
    for name in names.iter().filter(|name| access::text(value, name).is_empty()) {
        errors.push(field::Error::required(&path.child(name), ""));
    }
}

/// What is said of a label of nodes that has a successor.
pub(crate) fn deprecated_node_label(key: &str) -> Option<&'static str> {
    Some(match key {
        "beta.kubernetes.io/arch" => r#"deprecated since v1.14; use "kubernetes.io/arch" instead"#,
        "beta.kubernetes.io/os" => r#"deprecated since v1.14; use "kubernetes.io/os" instead"#,
        "failure-domain.beta.kubernetes.io/region" => {
            r#"deprecated since v1.17; use "topology.kubernetes.io/region" instead"#
        }
        "failure-domain.beta.kubernetes.io/zone" => {
            r#"deprecated since v1.17; use "topology.kubernetes.io/zone" instead"#
        }
        "beta.kubernetes.io/instance-type" => {
            r#"deprecated since v1.17; use "node.kubernetes.io/instance-type" instead"#
        }
        "app.kubernetes.io/created-by" => "deprecated since v1.9",
        "scheduler.alpha.kubernetes.io/preferAvoidPods" => {
            "deprecated since v1.22; use Taints and Tolerations instead"
        }
        "node-role.kubernetes.io/master" => {
            r#"use "node-role.kubernetes.io/control-plane" instead"#
        }
        _ => return None,
    })
}
