//! One walk for nearly every new object: nothing in it is unknown or null without leave, and the schema has
//! nothing against it. Then pruning, nulls and the schema's checks need no walk of their own.
//!
//! The verdict is about what the object will be when it is validated: a server still drops the status and fills
//! in metadata. Where a check could see that, and in all rare cases, the answer is no.

use ordain_schema::Type;
use ordain_value::{List, Map, Value};

use super::sound::sound_scalar;
use crate::plan::{Additional, DEPTH_MAX, Plan, PlanNode};
use crate::prune::is_meta_field;

impl Plan {
    /// Whether a new object with its defaults surely loses nothing and surely passes.
    pub(crate) fn is_clean(&self, object: &Value) -> bool {
        let root = self.node(self.root);
        match object {
            Value::Map(map) if !self.has_embedded_resources() => {
                root.plain && root.ty == Type::Object && clean_root(self, root, map)
            }
            _ => false,
        }
    }
}

fn clean(plan: &Plan, node: &PlanNode, value: &Value, depth: usize) -> bool {
    let is_of = |ty| (node.plain && node.ty == ty) || node.glance.free.has(value);
    match value {
        Value::Null => node.nullable && node.glance.passes(value),
        Value::Map(map) => is_of(Type::Object) && clean_object(plan, node, map, depth),
        Value::List(list) => is_of(Type::Array) && clean_list(plan, node, list, depth),
        _ => sound_scalar(plan, node, value),
    }
}

/// The fields that every resource has are passed over where the schema does not look at them.
fn clean_root(plan: &Plan, root: &PlanNode, map: &Map) -> bool {
    let checks = root.checks.as_deref().and_then(|it| it.object.as_deref());
    // A field may still come or go.
    let lengths = map.len().saturating_sub(1)..=map.len() + 1;
    if checks.is_some_and(|it| !it.len.pass(*lengths.start()) || !it.len.pass(*lengths.end())) {
        return false;
    }
    let mut required = 0;
    let mut sweep = root.properties.sweep();
    for (key, value) in map {
        match sweep.find(key) {
            None if is_meta_field(key) => {}
            None => return false,
            Some(property) => {
                let passes = match key.as_str() {
                    "metadata" => property.glance.free.has(value),
                    "status" if property.required => false,
                    _ => clean(plan, plan.node(property.node), value, 1),
                };
                if !passes {
                    return false;
                }
                required += usize::from(property.required);
            }
        }
    }
    checks.is_none_or(|it| it.required_declared == Some(required))
}

fn clean_object(plan: &Plan, node: &PlanNode, map: &Map, depth: usize) -> bool {
    let checks = node.checks.as_deref().and_then(|it| it.object.as_deref());
    if depth >= DEPTH_MAX || checks.is_some_and(|it| !it.len.pass(map.len())) {
        return false;
    }
    let mut required = 0;
    let mut sweep = node.properties.sweep();
    for (key, value) in map {
        let is_nested = matches!(value, Value::Map(_) | Value::List(_) | Value::Null);
        let passes = match (sweep.find(key), node.additional) {
            (Some(property), _) => {
                required += usize::from(property.required);
                (!is_nested && property.glance.passes(value))
                    || clean(plan, plan.node(property.node), value, depth + 1)
            }
            (None, Additional::Node(id)) => clean(plan, plan.node(id), value, depth + 1),
            (None, Additional::Any) => !is_nested,
            (None, Additional::Absent) => node.preserve_unknown,
            (None, Additional::Forbidden) => false,
        };
        if !passes {
            return false;
        }
    }
    checks.is_none_or(|it| it.required_declared == Some(required))
}

fn clean_list(plan: &Plan, node: &PlanNode, list: &List, depth: usize) -> bool {
    let checks = node.checks.as_deref().and_then(|it| it.list.as_ref());
    if depth >= DEPTH_MAX || checks.is_some_and(|it| it.unique_items || !it.len.pass(list.len())) {
        return false;
    }
    match node.items.map(|id| plan.node(id)) {
        Some(items) => list.iter().all(|it| clean(plan, items, it, depth + 1)),
        None => !list.iter().any(|it| matches!(it, Value::Map(_) | Value::List(_))),
    }
}
