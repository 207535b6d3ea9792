//! The rules of ObjectMeta that every kind shares, for create and for update.

use std::collections::BTreeSet;

use ordain_value::field::{BadValue, Error, ErrorList, Path};
use ordain_value::{Value, go_quote, json};

use super::{ObjectMeta, lower_case, split_api_version};
use crate::name;

/// All keys and values of the annotations together, in bytes.
pub const ANNOTATIONS_BYTES_MAX: usize = 256 * 1024;
/// The finalizer that orphans dependents.
pub const FINALIZER_ORPHAN: &str = "orphan";
/// The finalizer that deletes dependents first.
pub const FINALIZER_FOREGROUND: &str = "foregroundDeletion";

const MANAGER_BYTES_MAX: usize = 128;
const SUBRESOURCE_BYTES_MAX: usize = 256;
const IMMUTABLE: &str = "field is immutable";

/// The rules for a new object.
#[must_use]
pub fn validate(
    meta: ObjectMeta<'_>,
    namespaced: bool,
    name_rule: name::Rule,
    path: &Path<'_>,
) -> ErrorList {
    let mut errors = ErrorList::new();
    if !meta.generate_name().is_empty() {
        for message in name_rule(meta.generate_name(), true) {
            errors.push(Error::invalid(&path.child("generateName"), meta.generate_name(), message));
        }
    }
    if meta.name().is_empty() {
        errors.push(Error::required(&path.child("name"), "name or generateName is required"));
    } else {
        for message in name_rule(meta.name(), false) {
            errors.push(Error::invalid(&path.child("name"), meta.name(), message));
        }
    }
    validate_namespace(meta, namespaced, path, &mut errors);
    if meta.generation() < 0 {
        errors.push(
            Error::invalid(
                &path.child("generation"),
                meta.generation(),
                "must be greater than or equal to 0",
            )
            .with_origin("minimum"),
        );
    }
    labels(meta.labels(), &path.child("labels"), &mut errors);
    annotations(meta.annotations(), &path.child("annotations"), &mut errors);
    owner_references(meta, &path.child("ownerReferences"), &mut errors);
    finalizers(meta, &path.child("finalizers"), &mut errors);
    managed_fields(meta, &path.child("managedFields"), &mut errors);
    errors
}

/// The rules for a changed object.
#[must_use]
pub fn validate_update(new: ObjectMeta<'_>, old: ObjectMeta<'_>, path: &Path<'_>) -> ErrorList {
    let mut errors = ErrorList::new();
    if old.deletion_timestamp().is_some() {
        no_new_finalizers(new, old, &path.child("finalizers"), &mut errors);
    }
    if new.resource_version().is_empty() {
        errors.push(Error::invalid(
            &path.child("resourceVersion"),
            "",
            "must be specified for an update",
        ));
    }
    if new.generation() < old.generation() {
        errors.push(Error::invalid(
            &path.child("generation"),
            new.generation(),
            "must not be decremented",
        ));
    }
    for field in ["name", "namespace", "uid"] {
        if new.text(field) != old.text(field) {
            errors.push(Error::invalid(&path.child(field), new.text(field), IMMUTABLE));
        }
    }
    for field in ["creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"] {
        let value = new.get(field).unwrap_or(&Value::Null);
        if value != old.get(field).unwrap_or(&Value::Null) {
            errors.push(Error::invalid(&path.child(field), value, IMMUTABLE));
        }
    }
    labels(new.labels(), &path.child("labels"), &mut errors);
    annotations(new.annotations(), &path.child("annotations"), &mut errors);
    owner_references(new, &path.child("ownerReferences"), &mut errors);
    managed_fields(new, &path.child("managedFields"), &mut errors);
    errors
}

fn validate_namespace(
    meta: ObjectMeta<'_>,
    namespaced: bool,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let path = path.child("namespace");
    match (namespaced, meta.namespace()) {
        (true, "") => errors.push(Error::required(&path, "")),
        (true, namespace) => {
            for message in name::label_rule(namespace, false) {
                errors.push(Error::invalid(&path, namespace, message));
            }
        }
        (false, "") => {}
        (false, _) => errors.push(Error::forbidden(&path, "not allowed on this type")),
    }
}

/// Keys and values of labels. Errors carry the path of the map.
pub fn labels<'a>(
    entries: impl Iterator<Item = (&'a str, &'a str)>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    for (key, value) in entries {
        for message in name::qualified_name(key) {
            errors.push(Error::invalid(path, key, message).with_origin("format=k8s-label-key"));
        }
        for message in name::label_value(value) {
            errors.push(Error::invalid(path, value, message).with_origin("format=k8s-label-value"));
        }
    }
}

/// Keys of annotations, and the size of all together.
pub fn annotations<'a>(
    entries: impl Iterator<Item = (&'a str, &'a str)>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let mut bytes = 0_usize;
    for (key, value) in entries {
        bytes = bytes.saturating_add(key.len()).saturating_add(value.len());
        for message in name::qualified_name(&lower_case(key)) {
            errors.push(Error::invalid(path, key, message).with_origin("format=k8s-label-key"));
        }
    }
    if bytes > ANNOTATIONS_BYTES_MAX {
        errors.push(Error::too_long(path, ANNOTATIONS_BYTES_MAX as i64));
    }
}

/// How much text about several controllers a refusal holds before no more is added.
const CONTROLLERS_SHOWN_BYTES: usize = 256 * 1024;

/// Owner references. Their errors have no index in the path: upstream has none.
pub fn owner_references(meta: ObjectMeta<'_>, path: &Path<'_>, errors: &mut ErrorList) {
    let mut first_controller: Option<String> = None;
    let mut shown = 0;
    for reference in meta.owner_references() {
        let text = |field: &str| reference.get(field).and_then(Value::as_str).unwrap_or_default();
        let (api_version, kind, owner) = (text("apiVersion"), text("kind"), text("name"));
        let (group, version) = split_api_version(api_version).unwrap_or_default();
        if version.is_empty() {
            errors.push(Error::invalid(
                &path.child("apiVersion"),
                api_version,
                "version must not be empty",
            ));
        }
        for (field, value) in [("kind", kind), ("name", owner), ("uid", text("uid"))] {
            if value.is_empty() {
                errors.push(Error::invalid(&path.child(field), value, "must not be empty"));
            }
        }
        if (group, version, kind) == ("", "v1", "Event") {
            errors.push(Error::invalid(
                path,
                BadValue::Json(owner_reference_json(reference)),
                "/v1, Kind=Event is disallowed from being an owner",
            ));
        }
        if reference.get("controller").and_then(Value::as_bool) == Some(true) {
            let controller = format!("{kind}/{owner}");
            match &first_controller {
                // Each of these shows all references; enough of them say enough.
                Some(_) if shown > CONTROLLERS_SHOWN_BYTES => {}
                Some(first) => {
                    let all: Vec<String> =
                        meta.owner_references().iter().map(owner_reference_json).collect();
                    let all = format!("[{}]", all.join(","));
                    shown += all.len();
                    errors.push(Error::invalid(
                        path,
                        BadValue::Json(all),
                        format!(
                            "Only one reference can have Controller set to true. Found \"true\" in references for {first} and {controller}"
                        ),
                    ));
                }
                None => first_controller = Some(controller),
            }
        }
    }
}

/// Messages show a reference with its fields in the order of its type.
fn owner_reference_json(reference: &Value) -> String {
    let fields: Vec<String> =
        ["apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"]
            .into_iter()
            .filter_map(|field| {
                let value = reference.get(field)?;
                Some(format!("\"{field}\":{}", json::encode_string(value)))
            })
            .collect();
    format!("{{{}}}", fields.join(","))
}

/// Names of finalizers, and the two that exclude each other.
pub fn finalizers(meta: ObjectMeta<'_>, path: &Path<'_>, errors: &mut ErrorList) {
    let (mut orphans, mut deletes) = (false, false);
    for finalizer in meta.finalizers() {
        for message in name::qualified_name(finalizer) {
            errors.push(Error::invalid(path, finalizer, message));
        }
        orphans |= finalizer == FINALIZER_ORPHAN;
        deletes |= finalizer == FINALIZER_FOREGROUND;
    }
    if orphans && deletes {
        let all = meta.get("finalizers").unwrap_or(&Value::Null);
        errors.push(Error::invalid(
            path,
            all,
            format!("finalizer {FINALIZER_ORPHAN} and {FINALIZER_FOREGROUND} cannot be both set"),
        ));
    }
}

fn no_new_finalizers(
    new: ObjectMeta<'_>,
    old: ObjectMeta<'_>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let held: BTreeSet<&str> = old.finalizers().collect();
    let mut added: Vec<&str> = new.finalizers().filter(|it| !held.contains(it)).collect();
    if added.is_empty() {
        return;
    }
    added.sort_unstable();
    added.dedup();
    let quoted: Vec<String> = added.into_iter().map(go_quote).collect();
    errors.push(Error::forbidden(
        path,
        format!(
            "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
            quoted.join(", ")
        ),
    ));
}

/// Entries of managed fields.
pub fn managed_fields(meta: ObjectMeta<'_>, path: &Path<'_>, errors: &mut ErrorList) {
    for (i, entry) in meta.managed_fields().iter().enumerate() {
        let path = path.index(i);
        let text = |field: &str| entry.get(field).and_then(Value::as_str).unwrap_or_default();
        let operation = text("operation");
        if !matches!(operation, "Apply" | "Update") {
            errors.push(Error::invalid(
                &path.child("operation"),
                operation,
                "must be `Apply` or `Update`",
            ));
        }
        let fields_type = text("fieldsType");
        if !matches!(fields_type, "" | "FieldsV1") {
            errors.push(Error::invalid(
                &path.child("fieldsType"),
                fields_type,
                "must be `FieldsV1`",
            ));
        }
        field_manager(text("manager"), &path.child("manager"), errors);
        if text("subresource").len() > SUBRESOURCE_BYTES_MAX {
            errors.push(Error::too_long(&path.child("subresource"), SUBRESOURCE_BYTES_MAX as i64));
        }
    }
}

/// The name of a field manager: short and printable.
pub fn field_manager(manager: &str, path: &Path<'_>, errors: &mut ErrorList) {
    if manager.len() > MANAGER_BYTES_MAX {
        errors.push(Error::too_long(path, MANAGER_BYTES_MAX as i64));
    }
    for (position, c) in manager.char_indices() {
        if !is_printable(c) {
            errors.push(Error::invalid(
                path,
                manager,
                format!("invalid character U+{:04X} (at position {position})", c as u32),
            ));
        }
    }
}

fn is_printable(c: char) -> bool {
    matches!(c, ' '..='~') || {
        let mut quoted = String::with_capacity(6);
        quoted.push('"');
        quoted.push(c);
        quoted.push('"');
        go_quote(&c.to_string()) == quoted
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ordain_value::value;

    fn texts(errors: &ErrorList) -> Vec<String> {
        errors.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_new_object_needs_a_name_and_a_namespace() {
        let metadata = value!({});
        let errors = validate(
            ObjectMeta::new(&metadata),
            true,
            name::subdomain_rule,
            &Path::new("metadata"),
        );
        assert_eq!(
            texts(&errors),
            [
                "metadata.name: Required value: name or generateName is required",
                "metadata.namespace: Required value",
            ]
        );
    }

    #[test]
    fn two_controllers_are_shown_with_all_references() {
        let metadata = value!({"name": "a", "ownerReferences": [
            {"apiVersion": "v1", "kind": "K", "name": "n", "uid": "u", "controller": true},
            {"apiVersion": "v1", "kind": "L", "name": "m", "uid": "w", "controller": true}
        ]});
        let errors = validate(
            ObjectMeta::new(&metadata),
            false,
            name::subdomain_rule,
            &Path::new("metadata"),
        );
        assert_eq!(
            texts(&errors),
            [
                r#"metadata.ownerReferences: Invalid value: [{"apiVersion":"v1","kind":"K","name":"n","uid":"u","controller":true},{"apiVersion":"v1","kind":"L","name":"m","uid":"w","controller":true}]: Only one reference can have Controller set to true. Found "true" in references for K/n and L/m"#
            ]
        );
    }

    #[test]
    fn an_object_being_deleted_gets_no_new_finalizer() {
        let old = value!({"name": "a", "deletionTimestamp": "2020-01-01T00:00:00Z"});
        let new = value!({"name": "a", "deletionTimestamp": "2020-01-01T00:00:00Z",
            "resourceVersion": "1", "finalizers": ["b", "a"]});
        let errors =
            validate_update(ObjectMeta::new(&new), ObjectMeta::new(&old), &Path::new("metadata"));
        assert_eq!(
            texts(&errors),
            [
                r#"metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"a", "b"}"#
            ]
        );
    }

    #[test]
    fn immutable_fields_are_told_one_by_one() {
        let old = value!({"name": "a", "uid": "1", "resourceVersion": "1"});
        let new = value!({"name": "b", "uid": "2", "resourceVersion": "1"});
        let errors =
            validate_update(ObjectMeta::new(&new), ObjectMeta::new(&old), &Path::new("metadata"));
        assert_eq!(
            texts(&errors),
            [
                r#"metadata.name: Invalid value: "b": field is immutable"#,
                r#"metadata.uid: Invalid value: "2": field is immutable"#,
            ]
        );
    }
}
