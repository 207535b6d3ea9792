//! Default: what is missing, or null where null is not allowed, gets the value the schema names.
//!
//! Top down, so that a default object is completed by the defaults inside it; the plan holds defaults already
//! completed, and setting one shares it. An object that lacks nothing is not touched and not copied.

use std::cmp::Ordering;

use ordain_value::{Edit, List, Map, Text, Value};

use crate::plan::{Additional, DEPTH_MAX, Id, Plan, PlanNode, head};

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
    let mut filling = Filling { entries, copied: 0, out: None, room: node.defaulting.len() };
    let mut wanted = node.defaulting.iter().peekable();
    for (at, (key, item)) in entries.iter().enumerate() {
        let head = head(key.as_bytes());
        while let Some(it) = wanted.peek().filter(|it| it.head <= head) {
            let property = &node.properties.entries()[it.property];
            if it.head == head {
                match property.name.as_str().cmp(key) {
                    Ordering::Less => {}
                    Ordering::Equal => {
                        if let Some(value) = filled(plan, item, property.node, depth + 1) {
                            filling.set(at, at + 1, key, value);
                        }
                        wanted.next();
                        break;
                    }
                    Ordering::Greater => break,
                }
            }
            if let Some(value) = &plan.node(property.node).default {
                filling.set(at, at, &property.name, value.clone());
            }
            wanted.next();
        }
        if wanted.peek().is_none() {
            break;
        }
    }
    for it in wanted {
        let property = &node.properties.entries()[it.property];
        if let Some(value) = &plan.node(property.node).default {
            filling.set(entries.len(), entries.len(), &property.name, value.clone());
        }
    }
    filling.done()
}

/// Entries on their way into a map that has more of them.
struct Filling<'a> {
    entries: &'a [(Text, Value)],
    /// Entries before this one are in `out`, once there is one.
    copied: usize,
    out: Option<Vec<(Text, Value)>>,
    room: usize,
}

impl Filling<'_> {
    /// Puts an entry between those before `upto` and those from `next` on.
    fn set(&mut self, upto: usize, next: usize, key: &Text, value: Value) {
        let room = self.entries.len() + self.room;
        let out = self.out.get_or_insert_with(|| Vec::with_capacity(room));
        out.extend_from_slice(&self.entries[self.copied..upto]);
        out.push((key.clone(), value));
        self.copied = next;
    }

    fn done(self) -> Option<Map> {
        let mut out = self.out?;
        out.extend_from_slice(&self.entries[self.copied..]);
        Some(Map::from_sorted(out))
    }
}

fn additional(plan: &Plan, map: &Map, node: &PlanNode, id: Id, depth: usize) -> Option<Map> {
    map.edited(|key, item| {
        if node.properties.get(key).is_some() {
            return Edit::Keep;
        }
        filled(plan, item, id, depth + 1).into()
    })
}

fn list(plan: &Plan, list: &List, items: Id, depth: usize) -> Option<List> {
    list.edited(|_, item| filled(plan, item, items, depth + 1))
}
