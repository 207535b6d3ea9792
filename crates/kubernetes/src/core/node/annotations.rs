//! Annotations of a Node that the server reads.

use ordain_passes::declared::written::{Asked, Write};
use ordain_value::field::{self, Path};
use ordain_value::{Value, json, value};

use crate::shared::access::{flag, items, part, some, text};
use crate::shared::written;

const TAINTS: &str = "scheduler.alpha.kubernetes.io/taints";
const AVOID: &str = "scheduler.alpha.kubernetes.io/preferAvoidPods";

/// The JSON in annotations of the metadata.
pub(crate) fn check(asked: &Asked<'_, '_>, path: &Path<'_>, errors: &mut field::ErrorList) {
    let metadata = asked.value();
    let path = path.child("annotations");
    match read(&metadata, TAINTS) {
        None => {}
        Some(Ok(taints)) => {
            let taints = taints.as_list().map_or(&[][..], |it| it.as_slice());
            check_taints(taints, &path.child(TAINTS), errors);
        }
        Some(Err(why)) => errors.push(field::Error::invalid(&path, TAINTS, why)),
    }
    match read(&metadata, AVOID) {
        None => {}
        Some(Ok(avoid)) => avoided(&avoid, &path.child(AVOID), errors),
        Some(Err(why)) => {
            errors.push(field::Error::invalid(&path.child("AvoidPods"), AVOID, why));
        }
    }
}

/// The JSON in an annotation.
fn read(metadata: &Value, key: &str) -> Option<Result<Value, String>> {
    let text = text(part(metadata, "annotations"), key);
    (!text.is_empty()).then(|| json::decode(text.as_bytes()).map_err(|error| error.to_string()))
}

/// Taints as they were before there was a field for them: the rules are those of the field, which
/// reports its errors elsewhere.
fn check_taints(taints: &[Value], path: &Path<'_>, errors: &mut field::ErrorList) {
    let spec = value!({"taints": taints.to_vec()});
    let write = Write { kind: "Node", old: None, part: "main" };
    let found = written::structure("v1.NodeSpec", &spec, write, &Path::root());
    for mut error in found {
        if let Some(rest) = error.path.strip_prefix("metadata.taints") {
            error.path = format!("{path}{rest}");
        }
        errors.push(error);
    }
}

/// Each entry names a controller whose pods should avoid the node.
fn avoided(avoid: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    for (at, entry) in items(avoid, "preferAvoidPods").iter().enumerate() {
        let path = path.index(at);
        let path = path.child("PodSignature");
        match some(part(entry, "podSignature"), "podController") {
            None => errors.push(field::Error::required(&path, "")),
            Some(controller) if !flag(controller, "controller") => {
                let path = path.child("PodController");
                let why = "must point to a controller";
                errors.push(field::Error::invalid(&path.child("Controller"), false, why));
            }
            Some(_) => {}
        }
    }
}
