//! Where a Node once took its configuration from; kept for objects that still have it.

use ordain_meta::name;
use ordain_strategy::typed::rules;
use ordain_value::Value;
use ordain_value::field::{self, Path};

use crate::shared::access::{some, text};
use crate::shared::{internal, net};

/// The source that is wanted: it may not say which state of the ConfigMap it means.
pub(super) fn spec(source: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    if let Some(map) = some(source, "configMap") {
        let path = path.child("configMap");
        for field in ["uid", "resourceVersion"] {
            if !text(map, field).is_empty() {
                let why = format!("{field} must not be set in spec");
                errors.push(field::Error::forbidden(&path.child(field), why));
            }
        }
        config_map(map, &path, errors);
    }
    one_of(source, path, errors);
}

/// The sources that are in use: they say which state of the ConfigMap it is.
pub(super) fn status(status: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    for field in ["assigned", "active", "lastKnownGood"] {
        let Some(source) = some(status, field) else { continue };
        let path = path.child(field);
        if let Some(map) = some(source, "configMap") {
            let path = path.child("configMap");
            for field in ["uid", "resourceVersion"] {
                if text(map, field).is_empty() {
                    errors.push(field::Error::required(&path.child(field), ""));
                }
            }
            config_map(map, &path, errors);
        }
        one_of(source, &path, errors);
    }
}

fn one_of(source: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    if some(source, "configMap").is_none() {
        let shown = internal::structure(&[("ConfigMap", "null".to_owned())]);
        let why = "exactly one reference subfield must be non-nil";
        errors.push(field::Error::invalid(path, shown, why));
    }
}

fn config_map(map: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    let fields: [(&str, fn(&str) -> Vec<String>); 3] = [
        ("namespace", name::dns_1123_label),
        ("name", name::dns_1123_subdomain),
        ("kubeletConfigKey", rules::config_key),
    ];
    for (field, rule) in fields {
        match text(map, field) {
            "" => errors.push(field::Error::required(&path.child(field), "")),
            text => errors.extend(net::invalid(&path.child(field), text, rule(text))),
        }
    }
}
