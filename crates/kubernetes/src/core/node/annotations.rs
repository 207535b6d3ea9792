//! Annotations of a Node that the server reads.

use ordain_value::field::{self, Path};
use ordain_value::{Value, json};

use crate::shared::access::{annotation, flag, items, part, some};

const TAINTS: &str = "scheduler.alpha.kubernetes.io/taints";
const AVOID: &str = "scheduler.alpha.kubernetes.io/preferAvoidPods";

pub(super) fn validate(node: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    match read(node, TAINTS) {
        None => {}
        Some(Ok(taints)) => {
            let taints = taints.as_list().map_or(&[][..], |it| it.as_slice());
            super::validate_taints(taints, &path.child(TAINTS), errors);
        }
        Some(Err(why)) => errors.push(field::Error::invalid(path, TAINTS, why)),
    }
    match read(node, AVOID) {
        None => {}
        Some(Ok(avoid)) => avoided(&avoid, &path.child(AVOID), errors),
        Some(Err(why)) => {
            errors.push(field::Error::invalid(&path.child("AvoidPods"), AVOID, why));
        }
    }
}

/// The JSON in an annotation.
fn read(node: &Value, key: &str) -> Option<Result<Value, String>> {
    let text = annotation(node, key).filter(|it| !it.is_empty())?;
    Some(json::decode(text.as_bytes()).map_err(|error| error.to_string()))
}

/// Each entry names a controller whose pods had better not come here.
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
