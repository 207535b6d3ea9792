//! Strategic merge patch, for kinds whose schema says how lists merge.

mod left;
mod list;
mod order;

use std::collections::BTreeSet;

use ordain_value::go_format;
use ordain_value::{Map, Text, Value};

use super::{PATCH_DEPTH_MAX, PatchError, Strictness, decode_object};
use crate::types::{MapType, TypeRef, Types};

const DIRECTIVE: &str = "$patch";
const RETAIN_KEYS: &str = "$retainKeys";
const DELETE_FROM_PRIMITIVE_LIST: &str = "$deleteFromPrimitiveList";
const SET_ELEMENT_ORDER: &str = "$setElementOrder";

/// Reads a strategic merge patch; also gives the strict errors of the document.
pub fn decode(bytes: &[u8], strictness: Strictness) -> Result<(Value, Vec<String>), PatchError> {
    decode_object(bytes, strictness).map_err(PatchError::BadRequest)
}

/// `%+v` of the patch, as the error for a result that does not decode shows it: as merging into the
/// object leaves it.
pub fn display(types: &Types, current: &Value, patch: &Value) -> String {
    let empty = Map::new();
    let (current, patch) = (current.as_map().unwrap_or(&empty), patch.as_map().unwrap_or(&empty));
    let left = Merge { types }.left_of_map(current, patch, Some(types.root()), 0);
    go_format::plain(&Value::Map(left))
}

/// Applies a strategic merge patch to an object of `types`.
pub fn apply(types: &Types, current: &Value, patch: &Value) -> Result<Value, PatchError> {
    let empty = Map::new();
    let current = current.as_map().unwrap_or(&empty);
    let patch = patch.as_map().unwrap_or(&empty);
    let merge = Merge { types };
    merge.map(current.clone(), patch.clone(), Some(types.root()), 0).map(Value::Map)
}

/// How the values under a field merge.
struct PatchMeta {
    /// Type of the value, or of the items of a list.
    ty: Option<TypeRef>,
    strategy: Text,
    merge_key: Text,
}

struct Merge<'a> {
    types: &'a Types,
}

fn bad_format(what: &str) -> PatchError {
    PatchError::BadRequest(format!("invalid patch format of {what}"))
}

fn bad_type(expected: &str, value: &Value) -> PatchError {
    let actual = go_format::type_name(value);
    PatchError::Internal(format!("expected a {expected}, but received a {actual}"))
}

fn no_merge_key(map: &Map, key: &str) -> PatchError {
    let map = go_format::plain(&Value::Map(map.clone()));
    PatchError::Internal(format!("map: {map} does not contain declared merge key: {key}"))
}

impl Merge<'_> {
    fn map(
        &self,
        mut out: Map,
        mut patch: Map,
        ty: Option<TypeRef>,
        depth: usize,
    ) -> Result<Map, PatchError> {
        if depth > PATCH_DEPTH_MAX {
            return Err(PatchError::BadRequest("exceeded max depth".to_owned()));
        }
        if let Some(directive) = patch.get(DIRECTIVE) {
            return match directive.as_str() {
                Some("replace") => {
                    patch.remove(DIRECTIVE);
                    Ok(patch)
                }
                Some("delete") => Ok(Map::new()),
                _ => Err(bad_directive(directive, &patch)),
            };
        }
        retain_keys(&mut out, &mut patch)?;
        self.ordered_lists(&mut out, &mut patch, ty, depth)?;
        let mut changes = Vec::new();
        for (key, change) in &patch {
            if key.starts_with(DELETE_FROM_PRIMITIVE_LIST) {
                // Comes before the list that it is about, and leaves a list where one was.
                if let Some(done) = self.entry(&out, key, change, ty, depth)? {
                    out.change(vec![done]);
                }
                continue;
            }
            changes.extend(self.entry(&out, key, change, ty, depth)?);
        }
        out.change(changes);
        Ok(out)
    }

    /// What a member of the patch does to the key that it is about; nothing if it does nothing.
    fn entry(
        &self,
        out: &Map,
        key: &Text,
        change: &Value,
        ty: Option<TypeRef>,
        depth: usize,
    ) -> Result<Option<(Text, Option<Value>)>, PatchError> {
        let deletes = key.starts_with(DELETE_FROM_PRIMITIVE_LIST);
        let key =
            if deletes { directive_key(key, DELETE_FROM_PRIMITIVE_LIST)? } else { key.as_str() };
        if change.is_null() {
            return Ok(Some((Text::from(key), None)));
        }
        let merged = match (out.get(key), change) {
            (Some(Value::Map(before)), Value::Map(change)) => {
                let meta = self.struct_meta(ty, key)?;
                if meta.strategy == "replace" {
                    Value::Map(change.clone())
                } else {
                    Value::Map(self.map(before.clone(), change.clone(), meta.ty, depth + 1)?)
                }
            }
            (Some(Value::List(before)), Value::List(change)) => {
                let meta = self.slice_meta(ty, key)?;
                if meta.strategy == "merge" || deletes {
                    Value::from(self.list(before, change, &meta, deletes, depth)?)
                } else {
                    Value::List(change.clone())
                }
            }
            (before, change) => {
                if deletes {
                    return Ok(None);
                }
                let same_kind = before
                    .is_some_and(|it| go_format::type_name(it) == go_format::type_name(change));
                let change = if same_kind { change.clone() } else { without_nulls(change, depth)? };
                match without_directives(change, depth)? {
                    Some(value) => value,
                    None => return Ok(Some((Text::from(key), None))),
                }
            }
        };
        Ok(Some((Text::from(key), Some(merged))))
    }

    fn map_type(&self, ty: Option<TypeRef>) -> Option<&MapType> {
        ty.and_then(|it| self.types.resolve(it).map.as_ref())
    }

    /// How a struct field merges. Values of maps have no field, which upstream refuses.
    fn struct_meta(&self, ty: Option<TypeRef>, key: &str) -> Result<PatchMeta, PatchError> {
        let Some(map) = self.map_type(ty).filter(|it| !it.fields().is_empty()) else {
            return Err(PatchError::Internal(
                "merging an object in json but data type is not struct, instead is: map".to_owned(),
            ));
        };
        let exact = map.field(key);
        let field =
            exact.or_else(|| map.fields().iter().find(|it| it.name.eq_ignore_ascii_case(key)));
        let Some(field) = field else {
            return Err(PatchError::Internal(format!(
                "unable to find api field in struct for the json field {key:?}"
            )));
        };
        let strategies: Vec<&str> =
            field.patch_strategy.as_deref().unwrap_or_default().split(',').collect();
        let strategy = match strategies.as_slice() {
            ["retainKeys"] => "",
            [only] => only,
            ["retainKeys", other] | [other, "retainKeys"] => other,
            _ => {
                return Err(PatchError::Internal(format!(
                    "unexpected patch strategy: [{}]",
                    strategies.join(" ")
                )));
            }
        };
        Ok(PatchMeta {
            ty: Some(field.ty),
            strategy: Text::new(strategy),
            merge_key: field.patch_merge_key.clone().unwrap_or_default(),
        })
    }

    /// How a list field merges, with the type of its items.
    fn slice_meta(&self, ty: Option<TypeRef>, key: &str) -> Result<PatchMeta, PatchError> {
        let mut meta = self.struct_meta(ty, key)?;
        let list = meta.ty.and_then(|it| self.types.resolve(it).list.as_ref());
        meta.ty = list.map(|it| it.element);
        Ok(meta)
    }
}

fn bad_directive(directive: &Value, map: &Map) -> PatchError {
    let map = go_format::plain(&Value::Map(map.clone()));
    let directive = match directive {
        Value::Str(text) => text.to_string(),
        other => format!("%!s({}={})", go_format::type_name(other), go_format::plain(other)),
    };
    PatchError::Internal(format!("unknown patch type: {directive} in map: {map}"))
}

/// The field that a directive such as `$setElementOrder/ports` is about.
fn directive_key<'k>(key: &'k str, prefix: &str) -> Result<&'k str, PatchError> {
    match key.split_once('/') {
        Some((directive, field)) if directive == prefix => Ok(field),
        _ if prefix == DELETE_FROM_PRIMITIVE_LIST => Err(bad_format("primitive list")),
        _ => Err(bad_format("setElementOrder list")),
    }
}

/// `$retainKeys` clears all other keys of the object; the patch may set none of them.
fn retain_keys(out: &mut Map, patch: &mut Map) -> Result<(), PatchError> {
    let Some(kept) = patch.remove(RETAIN_KEYS) else { return Ok(()) };
    let Value::List(kept) = kept else { return Err(bad_format("retainKeys")) };
    let kept: BTreeSet<&str> = kept.iter().filter_map(Value::as_str).collect();
    let is_kept = |key: &str| kept.contains(key);
    for (key, value) in &*patch {
        let directive =
            key.starts_with(DELETE_FROM_PRIMITIVE_LIST) || key.starts_with(SET_ELEMENT_ORDER);
        if !value.is_null() && !directive && !is_kept(key) {
            return Err(bad_format("retainKeys"));
        }
    }
    out.retain(|key, _| is_kept(key));
    Ok(())
}

/// Drops null members of objects at every depth; null items stay.
fn without_nulls(value: &Value, depth: usize) -> Result<Value, PatchError> {
    if depth > PATCH_DEPTH_MAX {
        return Err(PatchError::BadRequest("exceeded max depth".to_owned()));
    }
    Ok(match value {
        Value::Map(map) => {
            let mut out = Vec::with_capacity(map.len());
            for (key, value) in map {
                if !value.is_null() {
                    out.push((key.clone(), without_nulls(value, depth + 1)?));
                }
            }
            Value::Map(Map::from_entries(out))
        }
        Value::List(list) => {
            let items: Result<Vec<Value>, _> =
                list.iter().map(|it| without_nulls(it, depth + 1)).collect();
            Value::from(items?)
        }
        scalar => scalar.clone(),
    })
}

/// What a new value is once maps that carry a directive are gone; None if it is one itself.
fn without_directives(value: Value, depth: usize) -> Result<Option<Value>, PatchError> {
    if depth > PATCH_DEPTH_MAX {
        return Err(PatchError::BadRequest("exceeded max depth".to_owned()));
    }
    Ok(match value {
        Value::Map(map) if map.contains_key(DIRECTIVE) => None,
        Value::Map(map) => {
            let mut out = Vec::with_capacity(map.len());
            for (key, value) in &map {
                if let Some(value) = without_directives(value.clone(), depth + 1)? {
                    out.push((key.clone(), value));
                }
            }
            Some(Value::Map(Map::from_entries(out)))
        }
        Value::List(list) => {
            let mut out = Vec::with_capacity(list.len());
            for item in &list {
                out.extend(without_directives(item.clone(), depth + 1)?);
            }
            Some(Value::from(out))
        }
        scalar => Some(scalar),
    })
}
