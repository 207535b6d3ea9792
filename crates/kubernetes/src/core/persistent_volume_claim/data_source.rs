//! What a new volume is filled with: two fields that say the same, one of them older.
//!
//! Invariant: after [`settle`] both are there or none, unless the newer one names another
//! namespace, which the older one cannot.

use ordain_value::field::{self, Path};
use ordain_value::{Map, Value};

use crate::shared::access::{some, text, text_of};
use crate::shared::{fields, net};

const OLDER: &str = "dataSource";
const NEWER: &str = "dataSourceRef";

/// Drops what is not taken and fills in the field that is missing.
pub(super) fn settle(spec: &mut Value, old: Option<&Value>) {
    let had = |name: &str| old.and_then(|old| some(old, name)).is_some();
    // References across namespaces are behind a gate that is off.
    if !fields::text(spec, &[NEWER, "namespace"]).is_empty() && !had(NEWER) {
        spec.remove_path(&[NEWER]);
    }
    if !had(OLDER) && !had(NEWER) && some(spec, NEWER).is_none() {
        let known = some(spec, OLDER).is_some_and(is_claim_or_snapshot);
        if !known {
            spec.remove_path(&[OLDER]);
        }
    }
    let (older, newer) = (some(spec, OLDER), some(spec, NEWER));
    match (older, newer) {
        (Some(source), None) => {
            let copy = without_namespace(source);
            spec.set_path(&[NEWER], copy);
        }
        (None, Some(source)) if text(source, "namespace").is_empty() => {
            let copy = without_namespace(source);
            spec.set_path(&[OLDER], copy);
        }
        _ => {}
    }
}

fn is_claim_or_snapshot(source: &Value) -> bool {
    matches!(
        (text(source, "apiGroup"), text(source, "kind")),
        ("", "PersistentVolumeClaim") | ("snapshot.storage.k8s.io", "VolumeSnapshot")
    )
}

fn without_namespace(source: &Value) -> Value {
    let mut copy = Map::new();
    if let Some(group) = some(source, "apiGroup") {
        copy.insert("apiGroup", group.clone());
    }
    for name in ["kind", "name"] {
        copy.insert(name, text(source, name).into());
    }
    Value::Map(copy)
}

/// The rules of both fields.
pub(super) fn validate(
    spec: &Value,
    any_group: bool,
    path: &Path<'_>,
    errors: &mut field::ErrorList,
) {
    let (older, newer) = (some(spec, OLDER), some(spec, NEWER));
    for (name, source) in [(OLDER, older), (NEWER, newer)] {
        if let Some(source) = source {
            one(source, any_group, &path.child(name), errors);
        }
    }
    let Some(newer) = newer else { return };
    let namespace = text(newer, "namespace");
    if !namespace.is_empty() {
        let place = path.child(NEWER);
        errors.extend(net::label(&place.child("namespace"), namespace));
    }
    let Some(older) = older else { return };
    let shown = path_value(&path.child(OLDER));
    let fields = |source| ["kind", "name"].map(|name| text(source, name).to_owned());
    if !namespace.is_empty() {
        let why = "may not be specified when dataSourceRef.namespace is specified";
        errors.push(field::Error::invalid(path, shown, why));
    } else if fields(older) != fields(newer)
        || text_of(older, "apiGroup") != text_of(newer, "apiGroup")
    {
        errors.push(field::Error::invalid(path, shown, "must match dataSourceRef"));
    }
}

/// Upstream shows the path itself, an object without public fields.
fn path_value(_path: &Path<'_>) -> field::BadValue {
    field::BadValue::Json("{}".to_owned())
}

fn one(source: &Value, any_group: bool, path: &Path<'_>, errors: &mut field::ErrorList) {
    let (kind, group) = (text(source, "kind"), text(source, "apiGroup"));
    for name in ["name", "kind"] {
        if text(source, name).is_empty() {
            errors.push(field::Error::required(&path.child(name), ""));
        }
    }
    if group.is_empty() && kind != "PersistentVolumeClaim" {
        let why = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
        errors.push(field::Error::invalid(path, kind, why));
    }
    if !group.is_empty() && !any_group {
        errors.extend(net::subdomain(&path.child("apiGroup"), group));
    }
}
