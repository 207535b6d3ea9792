//! Default: what is missing, or null where null is not allowed, gets the value the schema names.
//!
//! Top down, so that a default object is completed by the defaults inside it; the plan holds defaults already
//! completed, and setting one shares it. An object that lacks nothing is not touched and not copied.

use ordain_value::{List, Map, Text, Value};

use crate::plan::{Additional, DEPTH_MAX, Id, Plan, PlanNode};

impl Plan {
    /// Sets the defaults of a whole object. The root's own default is never applied.
    pub fn default(&self, object: &mut Value) {
        default_below(self, self.root, object);
    }
}

/// Sets the defaults below a value that stands at `id`.
pub(crate) fn default_below(plan: &Plan, id: Id, object: &mut Value) {
    if let Some(filled) = value(plan, object, id, 0) {
        *object = filled;
    }
}

/// The value with its defaults, or `None` when it lacks nothing.
fn value(plan: &Plan, value: &Value, id: Id, depth: usize) -> Option<Value> {
    let node = plan.node(id);
    if !node.below.defaults || depth >= DEPTH_MAX {
        return None;
    }
    match value {
        Value::Map(it) => map(plan, it, node, depth).map(Value::Map),
        Value::List(it) => list(plan, it, node.items?, depth).map(Value::List),
        _ => None,
    }
}

/// A value that stands where `id` describes it: a null that is not allowed gives way to the default.
fn filled(plan: &Plan, item: &Value, id: Id, depth: usize) -> Option<Value> {
    match item {
        Value::Null => {
            let node = plan.node(id);
            if node.nullable { None } else { node.default.clone() }
        }
        Value::Map(_) | Value::List(_) => value(plan, item, id, depth),
        _ => None,
    }
}

fn map(plan: &Plan, map: &Map, node: &PlanNode, depth: usize) -> Option<Map> {
    let with_properties = properties(plan, map, node, depth);
    let Additional::Node(id) = node.additional else {
        return with_properties;
    };
    if !plan.node(id).below.defaults {
        return with_properties;
    }
    let so_far = with_properties.as_ref().unwrap_or(map);
    additional(plan, so_far, node, id, depth).or(with_properties)
}

/// One sweep over the entries and the properties that have defaults in or below them, both in key order.
fn properties(plan: &Plan, map: &Map, node: &PlanNode, depth: usize) -> Option<Map> {
    let entries = map.entries();
    let mut out: Option<Vec<(Text, Value)>> = None;
    // Entries before this one are in `out`, once there is one.
    let mut copied = 0;
    let mut at = 0;
    for position in &node.defaulting {
        let property = &node.properties.entries()[*position];
        while entries.get(at).is_some_and(|(key, _)| key.as_str() < property.name.as_str()) {
            at += 1;
        }
        let set = match entries.get(at).filter(|(key, _)| *key == property.name) {
            Some((_, item)) => {
                let changed = filled(plan, item, property.node, depth + 1);
                at += 1;
                changed.map(|value| (value, at - 1))
            }
            None => plan.node(property.node).default.clone().map(|value| (value, at)),
        };
        if let Some((value, upto)) = set {
            let room = entries.len() + node.defaulting.len();
            let out = out.get_or_insert_with(|| Vec::with_capacity(room));
            out.extend_from_slice(&entries[copied..upto]);
            out.push((property.name.clone(), value));
            copied = at;
        }
    }
    out.map(|mut out| {
        out.extend_from_slice(&entries[copied..]);
        Map::from_entries(out)
    })
}

fn additional(plan: &Plan, map: &Map, node: &PlanNode, id: Id, depth: usize) -> Option<Map> {
    let entries = map.entries();
    let mut out: Option<Vec<(Text, Value)>> = None;
    for (at, (key, item)) in entries.iter().enumerate() {
        if node.properties.get(key).is_some() {
            continue;
        }
        if let Some(changed) = filled(plan, item, id, depth + 1) {
            out.get_or_insert_with(|| entries.to_vec())[at].1 = changed;
        }
    }
    out.map(Map::from_entries)
}

fn list(plan: &Plan, list: &List, items: Id, depth: usize) -> Option<List> {
    let mut out: Option<Vec<Value>> = None;
    for (at, item) in list.iter().enumerate() {
        if let Some(changed) = filled(plan, item, items, depth + 1) {
            out.get_or_insert_with(|| list.to_vec())[at] = changed;
        }
    }
    out.map(List::from)
}
