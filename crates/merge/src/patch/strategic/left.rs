//! What merging leaves of a strategic merge patch.
//!
//! Upstream merges in place and takes directives and nulls out of the patch on the way; a refusal of
//! the result shows the patch as it is then.

use ordain_value::{List, Map, Text, Value};

use super::list::position;
use super::{
    DELETE_FROM_PRIMITIVE_LIST, DIRECTIVE, Merge, PATCH_DEPTH_MAX, RETAIN_KEYS, SET_ELEMENT_ORDER,
    directive_key,
};
use crate::types::TypeRef;

impl Merge<'_> {
    /// What is left of a map that was merged into another one.
    pub(super) fn left_of_map(
        &self,
        out: &Map,
        patch: &Map,
        ty: Option<TypeRef>,
        depth: usize,
    ) -> Map {
        let mut left = patch.clone();
        if let Some(directive) = patch.get(DIRECTIVE) {
            if directive.as_str() == Some("replace") {
                left.remove(DIRECTIVE);
            }
            return left;
        }
        if depth > PATCH_DEPTH_MAX {
            return left;
        }
        let kept = left.remove(RETAIN_KEYS);
        let is_kept = |key: &str| match &kept {
            Some(Value::List(kept)) => kept.iter().any(|it| it.as_str() == Some(key)),
            _ => true,
        };
        for key in patch.keys().filter(|key| key.starts_with(SET_ELEMENT_ORDER)) {
            left.remove(key);
            if let Ok(list) = directive_key(key, SET_ELEMENT_ORDER) {
                left.remove(list);
            }
        }
        let entries = left.iter().map(|(key, change)| {
            let deletes = key.starts_with(DELETE_FROM_PRIMITIVE_LIST);
            let before = out.get(key).filter(|_| is_kept(key));
            let unchanged = deletes || change.is_null();
            let value = match (before, change) {
                _ if unchanged => change.clone(),
                (Some(Value::Map(before)), Value::Map(change)) => {
                    self.left_of_field(before, change, ty, key, depth)
                }
                (Some(Value::List(before)), Value::List(change)) => {
                    self.left_of_list(before, change, ty, key, depth)
                }
                (Some(before), change) if is_scalar(before) && is_scalar(change) => change.clone(),
                (_, change) => left_of_new(change, depth),
            };
            (key.clone(), value)
        });
        entries.collect()
    }

    fn left_of_field(
        &self,
        before: &Map,
        change: &Map,
        ty: Option<TypeRef>,
        key: &Text,
        depth: usize,
    ) -> Value {
        Value::Map(match self.struct_meta(ty, key) {
            Ok(meta) if meta.strategy != "replace" => {
                self.left_of_map(before, change, meta.ty, depth + 1)
            }
            _ => change.clone(),
        })
    }

    fn left_of_list(
        &self,
        before: &List,
        change: &List,
        ty: Option<TypeRef>,
        key: &Text,
        depth: usize,
    ) -> Value {
        let replaces = |item: &Value| item.get(DIRECTIVE).is_some_and(|it| *it == "replace".into());
        let meta = match self.slice_meta(ty, key) {
            Ok(meta) if meta.strategy == "merge" && !change.iter().any(replaces) => meta,
            _ => return Value::List(change.clone()),
        };
        let items = change.iter().map(|item| {
            let Value::Map(map) = item else { return item.clone() };
            let key = map.get(&meta.merge_key).filter(|_| !map.contains_key(DIRECTIVE));
            let at = key.and_then(|it| position(before, &meta.merge_key, it).ok().flatten());
            match at.and_then(|at| before.get(at)?.as_map()) {
                Some(before) => Value::Map(self.left_of_map(before, map, meta.ty, depth + 1)),
                None => item.clone(),
            }
        });
        Value::List(items.collect())
    }
}

fn is_scalar(value: &Value) -> bool {
    !matches!(value, Value::Map(_) | Value::List(_))
}

/// What is left of a value that takes a place of its own: nulls are gone, and members that are
/// directives. Items that are directives stay.
fn left_of_new(value: &Value, depth: usize) -> Value {
    match value {
        Value::Map(map) if depth <= PATCH_DEPTH_MAX => {
            let is_directive = map.contains_key(DIRECTIVE);
            let kept = map.iter().filter(|it| !it.1.is_null());
            let kept = kept.filter(|it| is_directive || it.1.get(DIRECTIVE).is_none());
            let kept = kept.map(|(key, item)| (key.clone(), left_of_member(item, depth + 1)));
            Value::Map(kept.collect())
        }
        Value::List(list) if depth <= PATCH_DEPTH_MAX => {
            Value::List(list.iter().map(|item| left_of_new(item, depth + 1)).collect())
        }
        other => other.clone(),
    }
}

/// A member that is a list is replaced by one without directives.
fn left_of_member(value: &Value, depth: usize) -> Value {
    match left_of_new(value, depth) {
        Value::List(list) => {
            Value::List(list.iter().filter(|it| it.get(DIRECTIVE).is_none()).cloned().collect())
        }
        other => other,
    }
}
