//! Rules that several kinds share.

use ordain_meta::object_meta::{self, ObjectMeta};
use ordain_schema::base64;
use ordain_value::field::{self, Path};
use ordain_value::{Map, Value};

use crate::strategy::Change;

/// The most that the data of a ConfigMap or Secret may hold.
pub const DATA_BYTES_MAX: i64 = 1024 * 1024;

/// The rules of metadata: all of them for a new object, those of changes for an update.
pub fn metadata(
    change: &Change<'_>,
    namespaced: bool,
    rule: fn(&str, bool) -> Vec<String>,
) -> field::ErrorList {
    let path = Path::new("metadata");
    if change.old.is_none() && change.known.metadata {
        // Usual metadata passes all rules; only that of names differs by kind.
        let mut errors = field::ErrorList::new();
        let name = ObjectMeta::of(change.object).name();
        for message in rule(name, false) {
            errors.push(field::Error::invalid(&path.child("name"), name, message));
        }
        return errors;
    }
    let mut errors = match change.old {
        None => object_meta::validate(ObjectMeta::of(change.object), namespaced, rule, &path),
        Some(old) => {
            object_meta::validate_update(ObjectMeta::of(change.object), ObjectMeta::of(old), &path)
        }
    };
    let path = path.child("finalizers");
    for (at, finalizer) in ObjectMeta::of(change.object).finalizers().enumerate() {
        if !is_standard_finalizer(finalizer) {
            errors.push(field::Error::invalid(&path.index(at), finalizer, NOT_QUALIFIED));
        }
    }
    errors
}

/// The refusal of a name that is not qualified.
pub const NOT_QUALIFIED: &str =
    "name is neither a standard finalizer name nor is it fully qualified";

/// Finalizers of built-in kinds are well known or have a domain.
pub fn is_standard_finalizer(name: &str) -> bool {
    name.contains('/') || matches!(name, "kubernetes" | "orphan" | "foregroundDeletion")
}

/// The bytes of all texts of a map together.
pub fn text_bytes(data: Option<&Map>) -> i64 {
    let texts = data.into_iter().flat_map(Map::values).filter_map(Value::as_str);
    texts.map(|text| i64::try_from(text.len()).unwrap_or(i64::MAX)).sum()
}

/// The bytes that all base64 texts of a map stand for.
pub fn binary_bytes(data: Option<&Map>) -> i64 {
    let texts = data.into_iter().flat_map(Map::values).filter_map(Value::as_str);
    let len = |text: &str| base64::decode(text).map_or(0, |bytes| bytes.len());
    texts.map(|text| i64::try_from(len(text)).unwrap_or(i64::MAX)).sum()
}

/// Refuses more data than fits into an object.
pub fn check_size(bytes: i64, path: &Path<'_>, errors: &mut field::ErrorList) {
    if bytes > DATA_BYTES_MAX {
        errors.push(field::Error::too_long(path, DATA_BYTES_MAX));
    }
}

/// The error of a CEL rule with the value that stands at its place: typed kinds show it, custom
/// resources show its type.
pub fn with_value(mut error: field::Error, object: &Value) -> field::Error {
    if matches!(error.kind, field::Kind::Invalid | field::Kind::Duplicate)
        && let Some(value) = value_at(object, &error.path)
    {
        error.bad_value = value.clone().into();
    }
    error
}

/// The value at a path as errors spell it: `spec.ports[0].name`, `data[key]`.
pub fn value_at<'a>(object: &'a Value, path: &str) -> Option<&'a Value> {
    let mut value = object;
    let mut rest = path;
    while !rest.is_empty() {
        if let Some(inner) = rest.strip_prefix('[') {
            let (step, after) = inner.split_once(']')?;
            value = match value {
                Value::List(list) => list.get(step.parse::<usize>().ok()?)?,
                other => other.get(step)?,
            };
            rest = after;
            continue;
        }
        let step = rest.strip_prefix('.').unwrap_or(rest);
        let end = step.find(['.', '[']).unwrap_or(step.len());
        value = value.get(&step[..end])?;
        rest = &step[end..];
    }
    Some(value)
}
