//! Names, columns, subresources and selectable fields.

use std::collections::BTreeSet;

use ordain_meta::name::dns_1035_label;
use ordain_value::field::{BadValue, Error, ErrorList, Path};
use ordain_value::{Text, go_quote};

use crate::crd::{Column, CrdNames, CrdVersion, SelectableField, Subresources};
use crate::fieldpath;
use crate::gojson;
use crate::raw::Raw;
use crate::resolve;

const COLUMN_TYPES: [&str; 5] = ["boolean", "date", "integer", "number", "string"];
const COLUMN_FORMATS: [&str; 8] =
    ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];
const SELECTABLE_MAX: i64 = 8;
const WARNING_BYTES_MAX: usize = 256;

/// A required text out of a few.
pub(super) fn one_of(text: &Text, accepted: &[&str], path: &Path<'_>, errors: &mut ErrorList) {
    if text.is_empty() {
        errors.push(Error::required(path, ""));
    } else if !accepted.contains(&text.as_str()) {
        errors.push(Error::not_supported(path, text.clone(), accepted));
    }
}

/// Names as they may be written; which are required is decided elsewhere.
pub(super) fn names(names: &CrdNames, path: &Path<'_>, errors: &mut ErrorList) {
    for (field, name) in [("plural", &names.plural), ("singular", &names.singular)] {
        let wrong = dns_1035_label(name);
        if !name.is_empty() && !wrong.is_empty() {
            errors.push(Error::invalid(&path.child(field), name.clone(), wrong.join(",")));
        }
    }
    for (field, name) in [("kind", &names.kind), ("listKind", &names.list_kind)] {
        let wrong = dns_1035_label(&name.to_lowercase());
        if !name.is_empty() && !wrong.is_empty() {
            let detail =
                format!("may have mixed case, but should otherwise match: {}", wrong.join(","));
            errors.push(Error::invalid(&path.child(field), name.clone(), detail));
        }
    }
    labels(&names.short_names, &path.child("shortNames"), errors);
    if !names.kind.is_empty() && names.kind == names.list_kind {
        let detail = "kind and listKind may not be the same";
        errors.push(Error::invalid(&path.child("listKind"), names.list_kind.clone(), detail));
    }
    labels(&names.categories, &path.child("categories"), errors);
}

fn labels(list: &Option<Vec<Text>>, path: &Path<'_>, errors: &mut ErrorList) {
    for (at, name) in list.iter().flatten().enumerate() {
        let wrong = dns_1035_label(name);
        if !wrong.is_empty() {
            errors.push(Error::invalid(&path.index(at), name.clone(), wrong.join(",")));
        }
    }
}

/// `deprecationWarning` of a version.
pub(super) fn deprecation(version: &CrdVersion, path: &Path<'_>, errors: &mut ErrorList) {
    let Some(warning) = &version.deprecation_warning else { return };
    let mut wrong = Vec::new();
    if version.deprecated {
        if warning.len() > WARNING_BYTES_MAX {
            wrong.push("must be <= 256 characters long".to_owned());
        }
        if warning.is_empty() {
            wrong.push("must not be an empty string".to_owned());
        }
        if let Some((at, _)) = warning.char_indices().find(|(_, c)| !is_printable(*c)) {
            wrong.push(format!(
                "must only contain printable UTF-8 characters; \
                 non-printable character found at index {at}"
            ));
        }
    } else {
        wrong.push("can only be set for deprecated versions".to_owned());
    }
    for detail in wrong {
        errors.push(Error::invalid(path, BadValue::Json(gojson::text(warning)), detail));
    }
}

/// Go's idea of a printable character is the one its quoting leaves alone.
fn is_printable(c: char) -> bool {
    matches!(c, '"' | '\\') || go_quote(c.encode_utf8(&mut [0; 4])) == format!("\"{c}\"")
}

/// Printer columns.
pub(super) fn columns(list: Option<&[Column]>, path: &Path<'_>, errors: &mut ErrorList) {
    for (at, column) in list.unwrap_or_default().iter().enumerate() {
        let path = path.index(at);
        if column.name.is_empty() {
            errors.push(Error::required(&path.child("name"), ""));
        }
        let types = format!("must be one of {}", COLUMN_TYPES.join(","));
        if column.ty.is_empty() {
            errors.push(Error::required(&path.child("type"), types));
        } else if !COLUMN_TYPES.contains(&column.ty.as_str()) {
            errors.push(Error::invalid(&path.child("type"), column.ty.clone(), types));
        }
        if !column.format.is_empty() && !COLUMN_FORMATS.contains(&column.format.as_str()) {
            let formats = format!("must be one of {}", COLUMN_FORMATS.join(","));
            errors.push(Error::invalid(&path.child("format"), column.format.clone(), formats));
        }
        let json_path = path.child("JSONPath");
        if column.json_path.is_empty() {
            errors.push(Error::required(&json_path, ""));
        } else {
            starts_with_dot(&column.json_path, &json_path, errors);
        }
    }
}

fn starts_with_dot(text: &Text, path: &Path<'_>, errors: &mut ErrorList) -> bool {
    let dotted = text.starts_with('.');
    if !dotted {
        let detail = "must be a simple json path starting with .";
        errors.push(Error::invalid(path, text.clone(), detail));
    }
    dotted
}

/// Paths of the scale subresource.
pub(super) fn subresources(
    subresources: Option<&Subresources>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let Some(scale) = subresources.and_then(|s| s.scale.as_ref()) else { return };
    let required = [
        ("scale.specReplicasPath", &scale.spec_replicas_path, ".spec"),
        ("scale.statusReplicasPath", &scale.status_replicas_path, ".status"),
    ];
    for (field, text, parent) in required {
        let path = path.child(field);
        if text.is_empty() {
            errors.push(Error::required(&path, ""));
        } else if starts_with_dot(text, &path, errors) && !is_under(text, parent) {
            let detail = format!("should be a json path under {parent}");
            errors.push(Error::invalid(&path, text.clone(), detail));
        }
    }
    if let Some(text) = scale.label_selector_path.as_ref().filter(|t| !t.is_empty()) {
        let path = path.child("scale.labelSelectorPath");
        if starts_with_dot(text, &path, errors)
            && !is_under(text, ".spec")
            && !is_under(text, ".status")
        {
            let detail = "should be a json path under either .spec or .status";
            let shown = BadValue::Json(gojson::text(text));
            errors.push(Error::invalid(&path, shown, detail));
        }
    }
}

fn is_under(text: &str, parent: &str) -> bool {
    text.strip_prefix(parent).is_some_and(|rest| rest.starts_with('.'))
}

/// Fields that selectors may name. `schema_path` is where a schema that cannot be converted is
/// reported.
pub(super) fn selectable(
    list: &[SelectableField],
    raw: &Raw,
    allow_many: bool,
    path: &Path<'_>,
    schema_path: &Path<'_>,
    errors: &mut ErrorList,
) {
    if let Err(error) = resolve::convertible(raw) {
        // Upstream goes on without a schema and finds no field; there is nothing to add to that.
        return errors.push(Error::invalid(schema_path, "", error.to_string()));
    }
    let mut unique = BTreeSet::new();
    for (at, field) in list.iter().enumerate() {
        let path = path.index(at);
        let path = path.child("jsonPath");
        let text = &field.json_path;
        if text.is_empty() {
            errors.push(Error::required(&path, ""));
            continue;
        }
        let found = match fieldpath::follow(text, raw, false) {
            Ok(found) => found,
            Err(why) => {
                let detail = format!("is an invalid path: {why}");
                errors.push(Error::invalid(&path, text.clone(), detail));
                continue;
            }
        };
        if found.first == "metadata" {
            let detail = "must not point to fields in metadata";
            errors.push(Error::invalid(&path, text.clone(), detail));
        }
        let ty = found.schema.map_or("", |s| s.ty.as_str());
        if !matches!(ty, "string" | "boolean" | "integer") {
            let detail = "must point to a field of type string, boolean or integer. \
                          Enum string fields and strings with formats are allowed.";
            errors.push(Error::invalid(&path, text.clone(), detail));
        }
        if !unique.insert(found.path) {
            errors.push(Error::duplicate(&path, text.clone()));
        }
    }
    let count = i64::try_from(unique.len()).unwrap_or(i64::MAX);
    if count > SELECTABLE_MAX && !allow_many {
        errors.push(Error::too_many(path, count, SELECTABLE_MAX));
    }
}
