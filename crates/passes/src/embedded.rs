//! Embedded resources are held to the rules of resources: they have an `apiVersion` and a `kind`, and their
//! metadata is that of an object.

use ordain_meta::{ObjectMeta, name, object_meta};
use ordain_value::field::{Error, ErrorList, Path};
use ordain_value::{Map, Value};

use crate::plan::{Additional, DEPTH_MAX, Id, Plan};

impl Plan {
    /// Checks every resource embedded in an object. Update knows no mercy here: nothing is ratcheted.
    #[must_use]
    pub fn validate_embedded(&self, object: &Value) -> ErrorList {
        let mut errors = ErrorList::new();
        if self.has_embedded_resources() {
            value(self, object, self.root, &Path::root(), 0, &mut errors);
        }
        errors
    }
}

/// Checks the resources in a value of one place, and the value itself `as_resource`.
pub(crate) fn validate_at(
    plan: &Plan,
    id: Id,
    as_resource: bool,
    it: &Value,
    path: &Path<'_>,
) -> ErrorList {
    let mut errors = ErrorList::new();
    if let (true, false, Value::Map(map)) = (as_resource, plan.node(id).embedded, it) {
        resource(map, path, &mut errors);
    }
    value(plan, it, id, path, 0, &mut errors);
    errors
}

fn value(
    plan: &Plan,
    value_: &Value,
    id: Id,
    path: &Path<'_>,
    depth: usize,
    errors: &mut ErrorList,
) {
    let node = plan.node(id);
    if !node.below.embedded || depth >= DEPTH_MAX {
        return;
    }
    match (value_, node.items) {
        (Value::Map(map), _) => {
            if node.embedded {
                resource(map, path, errors);
            }
            let mut sweep = node.properties.sweep();
            for (key, item) in map.iter() {
                match (sweep.find(key), node.additional) {
                    (Some(property), _) => {
                        value(plan, item, property.node, &path.child(key), depth + 1, errors);
                    }
                    (None, Additional::Node(id)) => {
                        value(plan, item, id, &path.key(key), depth + 1, errors);
                    }
                    _ => {}
                }
            }
        }
        (Value::List(list), Some(items)) => {
            for (i, item) in list.iter().enumerate() {
                value(plan, item, items, &path.index(i), depth + 1, errors);
            }
        }
        _ => {}
    }
}

fn resource(map: &Map, path: &Path<'_>, errors: &mut ErrorList) {
    for field in ["apiVersion", "kind"] {
        if !map.contains_key(field) {
            errors.push(Error::required(&path.child(field), ""));
        }
    }
    if let Some(it) = map.get("apiVersion") {
        let path = path.child("apiVersion");
        match it.as_str() {
            None => errors.push(Error::invalid(&path, it, "must be a string")),
            Some("") => errors.push(Error::invalid(&path, "", "must not be empty")),
            Some(text) if object_meta::split_api_version(text).is_none() && text != "/" => {
                let detail = format!("unexpected GroupVersion string: {text}");
                errors.push(Error::invalid(&path, text, detail));
            }
            Some(_) => {}
        }
    }
    if let Some(it) = map.get("kind") {
        kind(it, &path.child("kind"), errors);
    }
    if let Some(it) = map.get("metadata") {
        metadata(it, &path.child("metadata"), errors);
    }
}

fn kind(value: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    match value.as_str() {
        None => errors.push(Error::invalid(path, value, "must be a string")),
        Some("") => errors.push(Error::invalid(path, "", "must not be empty")),
        Some(text) => {
            let messages = name::dns_1035_label(&text.to_lowercase());
            if !messages.is_empty() {
                let detail = format!(
                    "may have mixed case, but should otherwise match: {}",
                    messages.join(",")
                );
                errors.push(Error::invalid(path, text, detail));
            }
        }
    }
}

fn metadata(value: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let mut metadata = match object_meta::coerce(value) {
        Ok(coerced) => coerced.metadata,
        Err(text) => {
            errors.push(Error::invalid(path, value, text));
            return;
        }
    };
    // A name may be missing here; the rules know only objects that have one.
    if ObjectMeta::new(&metadata).name().is_empty() {
        metadata.set_path(&["name"], "fakename".into());
    }
    let meta = ObjectMeta::new(&metadata);
    let namespaced = !meta.namespace().is_empty();
    errors.extend(object_meta::validate(meta, namespaced, name::path_segment_rule, path));
}
