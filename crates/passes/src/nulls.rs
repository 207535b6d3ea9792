//! Nulls: a null where the schema does not allow it and has no default to put there is removed.
//!
//! Runs between prune and default. Items of lists are never removed.

use ordain_value::{List, Map, Text, Value};

use crate::plan::{Additional, DEPTH_MAX, Id, Plan, PlanNode};

impl Plan {
    /// Removes the nulls of a whole object that are neither allowed nor defaulted.
    pub fn drop_nulls(&self, object: &mut Value) {
        if let Some(left) = value(self, object, self.root, 0) {
            *object = left;
        }
    }
}

/// What is left of a value, or `None` when all of it is.
fn value(plan: &Plan, value: &Value, id: Id, depth: usize) -> Option<Value> {
    if depth >= DEPTH_MAX {
        return None;
    }
    match value {
        Value::Map(it) => map(plan, it, plan.node(id), depth).map(Value::Map),
        Value::List(it) => list(plan, it, plan.node(id).items?, depth).map(Value::List),
        _ => None,
    }
}

fn map(plan: &Plan, map: &Map, node: &PlanNode, depth: usize) -> Option<Map> {
    let entries = map.entries();
    let mut left: Option<Vec<(Text, Value)>> = None;
    let mut sweep = node.properties.sweep();
    for (at, (key, item)) in entries.iter().enumerate() {
        let changed = match item {
            Value::Null | Value::Map(_) | Value::List(_) => {
                let id = match (sweep.find(key), node.additional) {
                    (Some(property), _) => Some(property.node),
                    (None, Additional::Node(id)) => Some(id),
                    _ => None,
                };
                match id {
                    None => None,
                    Some(id) if item.is_null() => {
                        let node = plan.node(id);
                        if !node.nullable && node.default.is_none() {
                            left.get_or_insert_with(|| entries[..at].to_vec());
                            continue;
                        }
                        None
                    }
                    Some(id) => value(plan, item, id, depth + 1),
                }
            }
            _ => None,
        };
        match (changed, &mut left) {
            (None, None) => {}
            (None, Some(left)) => left.push((key.clone(), item.clone())),
            (Some(changed), left) => {
                left.get_or_insert_with(|| entries[..at].to_vec()).push((key.clone(), changed));
            }
        }
    }
    left.map(Map::from_sorted)
}

fn list(plan: &Plan, list: &List, items: Id, depth: usize) -> Option<List> {
    let mut left: Option<Vec<Value>> = None;
    for (at, item) in list.iter().enumerate() {
        if let Some(changed) = value(plan, item, items, depth + 1) {
            left.get_or_insert_with(|| list.to_vec())[at] = changed;
        }
    }
    left.map(List::from)
}
