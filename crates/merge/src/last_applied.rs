//! The annotation of client-side apply, while a cluster moves to server-side apply.

use ordain_meta::object_meta::ANNOTATIONS_BYTES_MAX;
use ordain_value::{Map, Text, Value, json};

use crate::set::Set;
use crate::typed::{self, Duplicates};
use crate::types::Types;

/// The only manager whose applies look at the annotation.
pub(crate) const KUBECTL: &str = "kubectl";
const ANNOTATION: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The annotations, if all of them are strings.
fn annotations(object: &Value) -> Option<&Map> {
    let map = object.get_path(&["metadata", "annotations"])?.as_map()?;
    map.values().all(|it| it.as_str().is_some()).then_some(map)
}

fn last_applied(object: &Value) -> Option<&str> {
    annotations(object)?.get(ANNOTATION)?.as_str().filter(|it| !it.is_empty())
}

/// Brings an existing annotation up to date with what was applied now.
pub(crate) fn update(object: &mut Value, applied: &Value) {
    if last_applied(object).is_none() {
        return;
    }
    let mut applied = applied.clone();
    if annotations(&applied).is_some() {
        applied.remove_path(&["metadata", "annotations", ANNOTATION]);
    }
    let mut text = json::encode_string(&applied);
    text.push('\n');
    let mut map = annotations(object).cloned().unwrap_or_default();
    map.insert(Text::new_static(ANNOTATION), Value::from(text));
    let bytes: usize =
        map.iter().map(|(key, value)| key.len() + value.as_str().map_or(0, str::len)).sum();
    if bytes > ANNOTATIONS_BYTES_MAX {
        map.remove(ANNOTATION);
    }
    object.set_path(&["metadata", "annotations"], Value::Map(map));
}

/// The fields that the annotation claims and the live object still has as claimed: kubectl may take
/// those without a conflict.
pub(crate) fn allowed_conflicts(types: &Types, api_version: &str, live: &Value) -> Option<Set> {
    let text = last_applied(live)?;
    typed::validate(types, live, Duplicates::Refused).ok()?;
    let last = json::decode(text.as_bytes()).ok()?;
    if last.get("apiVersion").and_then(Value::as_str) != Some(api_version) {
        return None;
    }
    // An unstructured object without a kind does not decode.
    last.get("kind").and_then(Value::as_str).filter(|it| !it.is_empty())?;
    typed::validate(types, &last, Duplicates::Refused).ok()?;
    let comparison = typed::compare(types, &last, live);
    let set = typed::field_set(types, &last)
        .difference(&comparison.modified)
        .difference(&comparison.added)
        .difference(&comparison.removed);
    Some(set)
}
