//! Nulls: a null where the schema does not allow it and has no default to put there is removed.
//!
//! Runs between prune and default. Items of lists are never removed.

use ordain_value::{Edit, List, Map, Value};

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
    let mut sweep = node.properties.sweep();
    map.edited(|key, item| {
        if !matches!(item, Value::Null | Value::Map(_) | Value::List(_)) {
            return Edit::Keep;
        }
        let id = match (sweep.find(key), node.additional) {
            (Some(property), _) => property.node,
            (None, Additional::Node(id)) => id,
            _ => return Edit::Keep,
        };
        if !item.is_null() {
            return value(plan, item, id, depth + 1).into();
        }
        let node = plan.node(id);
        if node.nullable || node.default.is_some() { Edit::Keep } else { Edit::Drop }
    })
}

fn list(plan: &Plan, list: &List, items: Id, depth: usize) -> Option<List> {
    list.edited(|_, item| value(plan, item, items, depth + 1))
}
