//! Objects that others control: pods of templates, and how many of them are ready.

use ordain_value::{Value, value};

use crate::world::{holds, name, namespace, text};

/// The reference of an object to the one that controls it.
pub(crate) fn reference(api_version: &str, kind: &str, owner: &Value) -> Value {
    value!({
        "apiVersion": api_version,
        "kind": kind,
        "name": (name(owner)),
        "uid": (text(owner, &["metadata", "uid"])),
        "controller": true,
        "blockOwnerDeletion": true
    })
}

/// A pod of an owner's template.
pub(crate) fn pod(owner: &Value, reference: Value) -> Value {
    let template = owner.get_path(&["spec", "template"]).cloned().unwrap_or_else(|| value!({}));
    let mut metadata = value!({"namespace": (namespace(owner)), "ownerReferences": [reference]});
    for part in ["labels", "annotations"] {
        if let Some(map) = template.get_path(&["metadata", part]) {
            metadata.set_path(&[part], map.clone());
        }
    }
    value!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": (template.get("spec").cloned().unwrap_or_else(|| value!({})))
    })
}

pub(crate) fn is_ready(pod: &Value) -> bool {
    holds(pod, "Ready")
}

pub(crate) fn phase(pod: &Value) -> &str {
    text(pod, &["status", "phase"])
}

/// Whether a pod has ended.
pub(crate) fn is_over(pod: &Value) -> bool {
    matches!(phase(pod), "Succeeded" | "Failed")
}

pub(crate) fn count(number: usize) -> Value {
    Value::Int(i64::try_from(number).unwrap_or(i64::MAX))
}

/// What a controller has seen of its object.
pub(crate) fn generation(object: &Value) -> Value {
    object.get_path(&["metadata", "generation"]).cloned().unwrap_or(Value::Int(1))
}
