//! Ratchet: what did not change since the object was stored is not held against it.
//!
//! A place is correlated with its old value through object keys that the schema knows and through items of map
//! lists with the same keys. Items of sets and atomic lists have no counterpart; such a list is compared whole.

use std::collections::HashMap;

use ordain_schema::{ListType, Type};
use ordain_value::{List, Map, Value};

use crate::plan::{Additional, DEPTH_MAX, Id, Plan, PlanNode};

/// The old value under the same key.
pub(crate) fn old_value<'a>(old: &'a Value, key: &str) -> Option<&'a Value> {
    old.get(key)
}

/// Whether a value is the same as its old one, as far as the schema can tell: an object with a key that the
/// schema does not know never is.
pub(crate) fn unchanged(plan: &Plan, id: Id, value: &Value, old: &Value) -> bool {
    equal(plan, id, value, old, 0)
}

fn equal(plan: &Plan, id: Id, value: &Value, old: &Value, depth: usize) -> bool {
    if depth >= DEPTH_MAX {
        return false;
    }
    let node = plan.node(id);
    match (value, old) {
        (Value::Map(new), Value::Map(old)) => equal_maps(plan, node, new, old, depth),
        (Value::List(new), Value::List(old)) => equal_lists(plan, node, new, old, depth),
        (Value::Map(_) | Value::List(_), _) | (_, Value::Map(_) | Value::List(_)) => false,
        _ => value == old,
    }
}

fn equal_maps(plan: &Plan, node: &PlanNode, new: &Map, old: &Map, depth: usize) -> bool {
    if new.len() != old.len() {
        return false;
    }
    let mut sweep = node.properties.sweep();
    new.iter().zip(old.iter()).all(|((key, value), (old_key, old))| {
        let id = match (sweep.find(key), node.additional) {
            (Some(property), _) => property.node,
            (None, Additional::Node(id)) => id,
            _ => return false,
        };
        key == old_key && equal(plan, id, value, old, depth + 1)
    })
}

fn equal_lists(plan: &Plan, node: &PlanNode, new: &List, old: &List, depth: usize) -> bool {
    if new.len() != old.len() {
        return false;
    }
    let (Some(ListType::Map), Some(items)) = (node.list_type, node.items) else {
        return new == old;
    };
    let Some(old_items) = OldItems::of_list(node, old) else {
        return new.is_empty();
    };
    new.iter()
        .all(|item| old_items.of(item).is_some_and(|old| equal(plan, items, item, old, depth + 1)))
}

/// The old items of a map list, by their keys.
pub(crate) struct OldItems<'a> {
    node: &'a PlanNode,
    items: &'a [Value],
    /// Made for long lists only.
    by_key: Option<HashMap<String, &'a Value>>,
}

/// Up to this many old items are searched one by one.
const SCAN_MAX: usize = 16;

impl<'a> OldItems<'a> {
    /// `None` when items of this list have no counterparts.
    pub(crate) fn new(node: &'a PlanNode, old: &'a Value) -> Option<Self> {
        Self::of_list(node, old.as_list()?)
    }

    fn of_list(node: &'a PlanNode, old: &'a List) -> Option<Self> {
        let correlatable = node.list_type == Some(ListType::Map)
            && node.ty == Type::Array
            && !node.list_map_keys.is_empty()
            && !old.is_empty();
        if !correlatable {
            return None;
        }
        let by_key = (old.len() > SCAN_MAX).then(|| {
            let mut by_key = HashMap::with_capacity(old.len());
            for item in old.iter() {
                if let Some(key) = key_text(node, item) {
                    by_key.entry(key).or_insert(item);
                }
            }
            by_key
        });
        Some(OldItems { node, items: old.as_slice(), by_key })
    }

    /// The first old item with the keys of this one. Keys must all be there and be scalars.
    pub(crate) fn of(&self, item: &Value) -> Option<&'a Value> {
        let Value::Map(new) = item else {
            return None;
        };
        if let Some(by_key) = &self.by_key {
            return by_key.get(&key_text(self.node, item)?).copied();
        }
        let keys = &self.node.list_map_keys;
        if !keys.iter().all(|key| new.get(key).is_some_and(is_key)) {
            return None;
        }
        self.items.iter().find(|old| keys.iter().all(|key| new.get(key) == old.get(key)))
    }
}

fn is_key(value: &Value) -> bool {
    matches!(value, Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Str(_))
}

/// The keys of an item as one text that tells types apart.
fn key_text(node: &PlanNode, item: &Value) -> Option<String> {
    let mut text = String::new();
    for key in &node.list_map_keys {
        let value = item.get(key)?;
        match value {
            Value::Bool(it) => text.push_str(if *it { "\0t" } else { "\0f" }),
            Value::Int(it) => text.push_str(&format!("\0i{it}")),
            Value::Float(it) => text.push_str(&format!("\0n{it}")),
            Value::Str(it) => {
                text.push_str(&format!("\0s{}:", it.len()));
                text.push_str(it);
            }
            _ => return None,
        }
    }
    Some(text)
}
