//! Lists that merge by key or as sets.

use ordain_value::{List, Map, Value};

use super::order::{Order, check_order, element_kind, in_order, partition};
use super::{
    DIRECTIVE, Merge, PatchMeta, SET_ELEMENT_ORDER, bad_directive, bad_type, directive_key,
    no_merge_key, without_directives,
};
use crate::patch::PatchError;
use crate::types::TypeRef;

/// Longest lists that are merged: items are found by looking at each.
const LIST_LEN_MAX: usize = 5_000;

fn check_len(lists: &[&List]) -> Result<(), PatchError> {
    if lists.iter().any(|it| it.len() > LIST_LEN_MAX) {
        return Err(PatchError::TooLarge(format!(
            "lists of more than {LIST_LEN_MAX} items cannot be merged by a strategic merge patch"
        )));
    }
    Ok(())
}

impl Merge<'_> {
    /// Merges two lists of a field whose strategy is `merge`, or deletes from a list of scalars.
    pub(super) fn list(
        &self,
        before: &List,
        change: &List,
        meta: &PatchMeta,
        deletes: bool,
        depth: usize,
    ) -> Result<Vec<Value>, PatchError> {
        if before.is_empty() && change.is_empty() {
            return Ok(Vec::new());
        }
        check_len(&[before, change])?;
        let of_maps = element_kind(before, change)?;
        let mut original = before.to_vec();
        let mut patch = change.to_vec();
        let merged = if of_maps {
            if meta.merge_key.is_empty() {
                return Err(PatchError::Internal(
                    "cannot merge lists without merge key for struct".to_owned(),
                ));
            }
            directives(&mut original, &mut patch, &meta.merge_key)?;
            let mut merged = original.clone();
            self.keyed(&mut merged, &patch, meta, depth)?;
            merged
        } else {
            if deletes {
                original.retain(|it| !patch.contains(it));
                return Ok(original);
            }
            let mut both = original.clone();
            both.extend(patch.iter().cloned());
            distinct(both)
        };
        let order = Order { key: &meta.merge_key, of_maps };
        let (patched, rest) = partition(merged, &patch, &meta.merge_key)?;
        in_order(patched, rest, &patch, &original, &order)
    }

    /// Merges each item of the patch into the item with its key, or appends it.
    fn keyed(
        &self,
        original: &mut Vec<Value>,
        patch: &[Value],
        meta: &PatchMeta,
        depth: usize,
    ) -> Result<(), PatchError> {
        for item in patch {
            let Value::Map(map) = item else { continue };
            let Some(key) = map.get(&meta.merge_key) else {
                return Err(no_merge_key(map, &meta.merge_key));
            };
            match position(original, &meta.merge_key, key)? {
                Some(at) => {
                    let found = original[at].as_map().cloned().unwrap_or_default();
                    let merged = self.map(found, map.clone(), meta.ty, depth + 1)?;
                    original[at] = Value::Map(merged);
                }
                None => original.push(item.clone()),
            }
        }
        Ok(())
    }

    /// Handles `$setElementOrder/x` together with the list `x`, which is then done.
    pub(super) fn ordered_lists(
        &self,
        out: &mut Map,
        patch: &mut Map,
        ty: Option<TypeRef>,
        depth: usize,
    ) -> Result<(), PatchError> {
        let directives: Vec<(ordain_value::Text, Value)> = patch
            .iter()
            .filter(|it| it.0.starts_with(SET_ELEMENT_ORDER))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        for (directive, wanted) in directives {
            patch.remove(&directive);
            let Value::List(wanted) = wanted else {
                return Err(bad_type("[]interface {}", &wanted));
            };
            let key = directive_key(&directive, SET_ELEMENT_ORDER)?;
            let list_of = |it: Option<&Value>| match it {
                None => Ok(None),
                Some(Value::List(list)) => Ok(Some(list.clone())),
                Some(other) => Err(bad_type("[]interface {}", other)),
            };
            let original = list_of(out.get(key))?;
            let change = list_of(patch.get(key))?;
            let meta = self.slice_meta(ty, key)?;
            let changes = change.clone().unwrap_or_default();
            check_len(&[&wanted, &changes, &original.clone().unwrap_or_default()])?;
            check_order(&changes, &wanted, &meta.merge_key)?;
            let merged = match (&original, change) {
                (None, None) => continue,
                (Some(original), None) => original.to_vec(),
                (None, Some(change)) => match without_directives(Value::List(change), depth)? {
                    Some(Value::List(list)) => list.to_vec(),
                    _ => continue,
                },
                (Some(original), Some(change)) => {
                    if meta.strategy == "merge" {
                        self.list(original, &change, &meta, false, depth)?
                    } else {
                        change.to_vec()
                    }
                }
            };
            let original = original.unwrap_or_default();
            let (patched, rest) = partition(merged, &wanted, &meta.merge_key)?;
            let of_maps = element_kind(&original, &changes)?;
            let order = Order { key: &meta.merge_key, of_maps };
            let both = in_order(patched, rest, &wanted, &original, &order)?;
            out.insert(key, Value::from(both));
            patch.remove(key);
        }
        Ok(())
    }
}

/// Carries out the items of the patch that are directives and leaves the others.
fn directives(
    original: &mut Vec<Value>,
    patch: &mut Vec<Value>,
    merge_key: &str,
) -> Result<(), PatchError> {
    let mut plain = Vec::with_capacity(patch.len());
    let mut replace = false;
    for item in patch.drain(..) {
        let Value::Map(map) = &item else { continue };
        let Some(directive) = map.get(DIRECTIVE) else {
            plain.push(item);
            continue;
        };
        match directive.as_str() {
            Some("delete") => {
                let Some(key) = map.get(merge_key) else {
                    return Err(no_merge_key(map, merge_key));
                };
                while let Some(at) = position(original, merge_key, key)? {
                    original.remove(at);
                }
            }
            Some("replace") => replace = true,
            Some("merge") => {
                return Err(PatchError::Internal(
                    "merging lists cannot yet be specified in the patch".to_owned(),
                ));
            }
            _ => return Err(bad_directive(directive, map)),
        }
    }
    if replace {
        *original = plain;
    } else {
        *patch = plain;
    }
    Ok(())
}

/// Where the item with this key stands.
pub(super) fn position(
    items: &[Value],
    merge_key: &str,
    key: &Value,
) -> Result<Option<usize>, PatchError> {
    for (at, item) in items.iter().enumerate() {
        let Value::Map(map) = item else {
            return Err(PatchError::Internal(format!("value for key {at} is not a map")));
        };
        if map.get(merge_key) == Some(key) {
            return Ok(Some(at));
        }
    }
    Ok(None)
}

/// Drops later duplicates; each is filled with the then last item, as upstream does it.
fn distinct(mut items: Vec<Value>) -> Vec<Value> {
    let mut at = 0;
    while at < items.len() {
        let mut other = at + 1;
        while other < items.len() {
            if items[at] == items[other] {
                items.swap_remove(other);
            } else {
                other += 1;
            }
        }
        at += 1;
    }
    items
}
