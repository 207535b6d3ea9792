//! The order of merged lists: what the patch wants, then what the object had.

use ordain_value::Value;
use ordain_value::go_format;

use super::list::position;
use super::{DIRECTIVE, SET_ELEMENT_ORDER, bad_type, no_merge_key};
use crate::patch::PatchError;

/// By what items are told apart.
pub(super) struct Order<'a> {
    pub(super) key: &'a str,
    pub(super) of_maps: bool,
}

impl Order<'_> {
    fn name<'v>(&self, item: &'v Value) -> Option<&'v Value> {
        if self.of_maps { item.get(self.key) } else { Some(item) }
    }

    fn index(&self, items: &[Value], item: &Value) -> Option<usize> {
        let name = self.name(item);
        items.iter().position(|it| self.name(it) == name)
    }
}

/// True for lists of maps, false for lists of scalars; items must be of one kind.
pub(super) fn element_kind(a: &[Value], b: &[Value]) -> Result<bool, PatchError> {
    let mut first: Option<&Value> = None;
    for item in a.iter().chain(b) {
        match first {
            None if matches!(item, Value::List(_)) => {
                return Err(PatchError::Rejected("lists of lists are not supported".to_owned()));
            }
            None => first = Some(item),
            Some(first) if go_format::type_name(first) != go_format::type_name(item) => {
                let lists = Value::from(vec![Value::from(a.to_vec()), Value::from(b.to_vec())]);
                return Err(PatchError::Internal(format!(
                    "list element types are not identical: {}",
                    go_format::plain(&lists)
                )));
            }
            Some(_) => {}
        }
    }
    match first {
        Some(first) => Ok(matches!(first, Value::Map(_))),
        None => Err(PatchError::Internal("no elements in any of the given slices".to_owned())),
    }
}

/// Splits items into those that `by` names and the rest.
pub(super) fn partition(
    items: Vec<Value>,
    by: &[Value],
    merge_key: &str,
) -> Result<(Vec<Value>, Vec<Value>), PatchError> {
    let (mut named, mut rest) = (Vec::new(), Vec::new());
    for item in items {
        let found = if merge_key.is_empty() {
            by.contains(&item)
        } else {
            let Value::Map(map) = &item else {
                return Err(bad_type("map[string]interface {}", &item));
            };
            let Some(key) = map.get(merge_key) else { return Err(no_merge_key(map, merge_key)) };
            position(by, merge_key, key)?.is_some()
        };
        if found { named.push(item) } else { rest.push(item) }
    }
    Ok((named, rest))
}

/// Sorts `patched` as `wanted`, `rest` as `before`, and puts each of the rest where it stood
/// relative to the patched items, if that can be determined.
pub(super) fn in_order(
    patched: Vec<Value>,
    rest: Vec<Value>,
    wanted: &[Value],
    before: &[Value],
    order: &Order<'_>,
) -> Result<Vec<Value>, PatchError> {
    let patched = sorted(patched, wanted, order)?;
    let rest = sorted(rest, before, order)?;
    let mut out = Vec::with_capacity(patched.len() + rest.len());
    let mut patched = patched.into_iter().peekable();
    let mut rest = rest.into_iter().peekable();
    loop {
        let take_rest = match (rest.peek(), patched.peek()) {
            (None, None) => return Ok(out),
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (Some(left), Some(right)) => {
                let (left, right) = (order.index(before, left), order.index(before, right));
                matches!((left, right), (Some(left), Some(right)) if left < right)
            }
        };
        out.extend(if take_rest { rest.next() } else { patched.next() });
    }
}

fn sorted(items: Vec<Value>, by: &[Value], order: &Order<'_>) -> Result<Vec<Value>, PatchError> {
    let is_deletion = |it: &Value| it.get(DIRECTIVE).and_then(Value::as_str) == Some("delete");
    if order.of_maps {
        for item in items.iter().chain(by) {
            let Value::Map(map) = item else {
                return Err(bad_type("map[string]interface {}", item));
            };
            if !map.contains_key(order.key) {
                return Err(no_merge_key(map, order.key));
            }
        }
    }
    let (deletions, mut items): (Vec<Value>, Vec<Value>) =
        items.into_iter().partition(|it| order.of_maps && is_deletion(it));
    items.sort_by_key(|it| order.index(by, it).unwrap_or(usize::MAX));
    items.extend(deletions);
    Ok(items)
}

/// The items of a patch list must come in the order that `$setElementOrder` gives, and all of them
/// must be in it.
pub(super) fn check_order(
    change: &[Value],
    wanted: &[Value],
    merge_key: &str,
) -> Result<(), PatchError> {
    if wanted.is_empty() || change.is_empty() {
        return Ok(());
    }
    let mut items: Vec<&Value> = Vec::with_capacity(change.len());
    for item in change {
        match item {
            Value::Map(map) if !merge_key.is_empty() => {
                if map.get(DIRECTIVE).and_then(Value::as_str) != Some("delete") {
                    items.push(item);
                }
            }
            other if !merge_key.is_empty() => {
                return Err(bad_type("map[string]interface {}", other));
            }
            _ => items.push(item),
        }
    }
    let (mut at, mut order_at) = (0, 0);
    while at < items.len() && order_at < wanted.len() {
        if items[at].get(DIRECTIVE).is_some() {
            at += 1;
            continue;
        }
        if same_key(items[at], &wanted[order_at], merge_key)? {
            at += 1;
        }
        order_at += 1;
    }
    if at < items.len() && order_at >= wanted.len() {
        return Err(PatchError::Internal(format!(
            "The order in patch list:\n{}\n doesn't match {SET_ELEMENT_ORDER} list:\n{}\n",
            go_format::plain(&Value::from(change.to_vec())),
            go_format::plain(&Value::from(wanted.to_vec())),
        )));
    }
    Ok(())
}

fn same_key(a: &Value, b: &Value, merge_key: &str) -> Result<bool, PatchError> {
    if merge_key.is_empty() {
        return Ok(a == b);
    }
    let key_of = |it: &Value| {
        let Value::Map(map) = it else { return Err(bad_type("map[string]interface {}", it)) };
        map.get(merge_key).cloned().ok_or_else(|| no_merge_key(map, merge_key))
    };
    Ok(key_of(a)? == key_of(b)?)
}
