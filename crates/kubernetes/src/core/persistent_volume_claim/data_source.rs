//! What a new volume is filled with: two fields that say the same, one of them older.
//!
//! Invariant: after [`settle`] both are there or none, unless the newer one names another
//! namespace, which the older one cannot.

use ordain_value::{Map, Value};

use crate::shared::access::{some, text};
use crate::shared::fields;

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
