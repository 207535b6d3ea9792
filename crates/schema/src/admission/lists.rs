//! `x-kubernetes-list-type`, `x-kubernetes-list-map-keys` and `x-kubernetes-map-type`.

use std::collections::BTreeSet;

use ordain_value::field::{BadValue, Error, Path};
use ordain_value::{Text, Value};

use crate::gojson;
use crate::raw::{Items, Raw};

/// Rules of map types and list types at one node, without those of keys and nullable items.
pub(super) fn types(
    raw: &Raw,
    require_atomic_sets: bool,
    path: &Path<'_>,
    errors: &mut Vec<Error>,
) {
    if let Some(map_type) = &raw.map_type {
        needs_type(raw, "object", "x-kubernetes-map-type", path, errors);
        let known = ["atomic", "granular"];
        if !known.contains(&map_type.as_str()) {
            let path = path.child("x-kubernetes-map-type");
            errors.push(Error::not_supported(&path, map_type.clone(), &known));
        }
    }
    if let Some(list_type) = &raw.list_type {
        if raw.ty != "array" {
            needs_type(raw, "array", "x-kubernetes-list-type", path, errors);
        } else if require_atomic_sets && list_type == "set" {
            set_items(raw, &path.child("items"), errors);
        }
        let known = ["atomic", "set", "map"];
        if !known.contains(&list_type.as_str()) {
            let path = path.child("x-kubernetes-list-type");
            errors.push(Error::not_supported(&path, list_type.clone(), &known));
        }
    }
    if !raw.list_map_keys().is_empty() {
        let detail = "must be map if x-kubernetes-list-map-keys is non-empty";
        let path = path.child("x-kubernetes-list-type");
        match &raw.list_type {
            None => errors.push(Error::required(&path, detail)),
            Some(other) if other != "map" => {
                errors.push(Error::invalid(&path, other.clone(), detail));
            }
            Some(_) => {}
        }
    }
    if raw.list_type.as_ref().is_some_and(|t| t == "map") {
        map_list(raw, path, errors);
    }
}

fn needs_type(raw: &Raw, ty: &str, keyword: &str, path: &Path<'_>, errors: &mut Vec<Error>) {
    if raw.ty == ty {
        return;
    }
    let detail = format!("must be {ty} if {keyword} is specified");
    let path = path.child("type");
    errors.push(if raw.ty.is_empty() {
        Error::required(&path, detail)
    } else {
        Error::invalid(&path, raw.ty.clone(), detail)
    });
}

/// Whether a node is a set whose items could be merged in part.
pub(super) fn is_set_of_non_atomic(raw: &Raw) -> bool {
    raw.list_type.as_ref().is_some_and(|t| t == "set") && wrong_set_item(raw).is_some()
}

/// The keyword that is wrong on the items of a set.
fn wrong_set_item(raw: &Raw) -> Option<&'static str> {
    let item = raw.item()?;
    let is_atomic = |ty: &Option<Text>| ty.as_ref().is_some_and(|t| t == "atomic");
    match item.ty.as_str() {
        "array" if item.list_type.is_some() && !is_atomic(&item.list_type) => {
            Some("x-kubernetes-list-type")
        }
        "object" if !is_atomic(&item.map_type) => Some("x-kubernetes-map-type"),
        _ => None,
    }
}

fn set_items(raw: &Raw, path: &Path<'_>, errors: &mut Vec<Error>) {
    let (Some(keyword), Some(item)) = (wrong_set_item(raw), raw.item()) else { return };
    // Upstream shows the list type of the item for both keywords.
    let shown = item.list_type.as_ref().map_or("null".to_owned(), |t| gojson::text(t));
    let detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
    errors.push(Error::invalid(&path.child(keyword), BadValue::Json(shown), detail));
}

fn map_list(raw: &Raw, path: &Path<'_>, errors: &mut Vec<Error>) {
    let keys_path = path.child("x-kubernetes-list-map-keys");
    if raw.list_map_keys().is_empty() {
        let detail = "must not be empty if x-kubernetes-list-type is map";
        errors.push(Error::required(&keys_path, detail));
    }
    let items_path = path.child("items");
    let item = match &raw.items {
        None => {
            let detail = "must have a schema if x-kubernetes-list-type is map";
            return errors.push(Error::required(&items_path, detail));
        }
        Some(Items::One(item)) => item,
        Some(other) => {
            let detail = "must only have a single schema if x-kubernetes-list-type is map";
            let shown = BadValue::Json(gojson::items(other));
            return errors.push(Error::invalid(&items_path, shown, detail));
        }
    };
    if item.ty != "object" {
        let detail = "must be object if parent array's x-kubernetes-list-type is map";
        return errors.push(Error::invalid(&items_path.child("type"), item.ty.clone(), detail));
    }
    let shown =
        || Value::from(raw.list_map_keys().iter().cloned().map(Value::from).collect::<Vec<_>>());
    let mut seen = BTreeSet::new();
    for key in raw.list_map_keys() {
        match item.property(key) {
            Some(property) if property.ty == "array" || property.ty == "object" => {
                let detail =
                    "must be a scalar type if parent array's x-kubernetes-list-type is map";
                let properties = items_path.child("properties");
                let path = properties.key(key);
                // Upstream shows the type of the item, not that of the key.
                errors.push(Error::invalid(&path.child("type"), item.ty.clone(), detail));
            }
            Some(_) => {}
            None => {
                let detail = "entries must all be names of item properties";
                errors.push(Error::invalid(&keys_path, shown(), detail));
            }
        }
        if !seen.insert(key) {
            let detail = "must not contain duplicate entries";
            errors.push(Error::invalid(&keys_path, shown(), detail));
        }
    }
}

/// Items of sets and maps are never null, and the keys of a map are always there.
pub(super) fn keys_and_items(raw: &Raw, path: &Path<'_>) -> Vec<Error> {
    let mut errors = Vec::new();
    let (Some(item), Some(list_type)) = (raw.item(), &raw.list_type) else { return errors };
    if list_type != "set" && list_type != "map" {
        return errors;
    }
    let items = path.child("items");
    if item.nullable {
        let detail = format!("cannot be nullable when x-kubernetes-list-type is {list_type}");
        errors.push(Error::forbidden(&items.child("nullable"), detail));
    }
    if list_type == "set" {
        return errors;
    }
    let properties = items.child("properties");
    for key in raw.list_map_keys() {
        let Some(property) = item.property(key) else { continue };
        let path = properties.key(key);
        let this = "this property is in x-kubernetes-list-map-keys, so it";
        if !item.required().contains(key) && property.default.is_none() {
            let detail = format!("{this} must have a default or be a required property");
            errors.push(Error::required(&path.child("default"), detail));
        }
        if property.nullable {
            let detail = format!("{this} cannot be nullable");
            errors.push(Error::forbidden(&path.child("nullable"), detail));
        }
    }
    errors
}
