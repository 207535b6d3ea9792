//! Unions normalized and gated fields dropped, in one: first a look whether there is anything to do,
//! which most objects pass with a few lookups, and only then the passes proper.

use ordain_schema::{ListType, Node, NodeId, Schema};
use ordain_value::{Map, Text, Value};
use smallvec::{SmallVec, smallvec};

use super::strip_zero::is_zero;
use super::{DeclaredPlan, gate, union};

/// Sets discriminators that are inferred, clears the members that modified discriminators no longer
/// name (when `unions`), and drops the set fields whose gates are not all on. Returns whether
/// anything went.
pub fn settle(
    plan: &DeclaredPlan,
    unions: bool,
    is_on: &dyn Fn(&str) -> bool,
    new: &mut Value,
    old: Option<&Value>,
) -> Vec<Removed> {
    let mut removed = Vec::new();
    if plan.watch.is_settled(&plan.schema, new, old) {
        return removed;
    }
    if unions {
        union::infer(plan, new, old);
    }
    if let Some(old) = old.filter(|_| unions) {
        let cleared = union::normalize(plan, new, old);
        removed.extend(cleared.iter().map(|it| (it.to_string(), Why::Unselected)));
    }
    let dropped = gate::drop_disabled(plan, is_on, new, old);
    removed.extend(dropped.iter().map(|it| (it.to_string(), Why::GateOff)));
    removed
}

/// The path of a field that was taken out, and why.
pub type Removed = (String, Why);

/// Why a field that the schema knows is taken out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// The discriminator of its union no longer selects it.
    Unselected,
    /// Its feature gate is off.
    GateOff,
}

/// What there is to look at, by node.
#[derive(Clone, Debug)]
pub(super) struct Watch(Vec<Option<Box<Spot>>>);

/// A node with something to look at, at it or below it.
#[derive(Clone, Debug, Default)]
struct Spot {
    /// By name, so that one walk along the object finds them all.
    fields: Vec<(Text, Look)>,
    values: Option<NodeId>,
    items: Option<NodeId>,
    /// The keys of a list by which its items are told apart.
    keys: Vec<Text>,
}

/// What is looked at in a field.
#[derive(Clone, Copy, Debug, Default)]
struct Look {
    /// Whether it changed: the field is a discriminator.
    selects: bool,
    /// The field is a discriminator that follows its members: only the passes can tell.
    inferred: bool,
    /// Whether it is set: a gate of the field may be off. For a pointer, zero is set too.
    gated: Option<Gated>,
    /// Go on below.
    below: Option<NodeId>,
}

#[derive(Clone, Copy, Debug)]
struct Gated {
    pointer: bool,
}

impl Watch {
    /// Finds what is to be looked at; `is_open` tells gates that need no look.
    pub(super) fn compile(schema: &Schema, is_open: &dyn Fn(&str) -> bool) -> Self {
        let look = |node: &Node, field: &(Text, NodeId)| {
            let declared = schema.node(field.1).declared.as_deref();
            let closed = declared.filter(|it| !it.gates.iter().all(|gate| is_open(gate)));
            let unions = node.declared.as_deref().map_or(&[][..], |it| &it.unions);
            let union = unions.iter().find(|it| it.discriminator.as_ref() == Some(&field.0));
            Look {
                selects: union.is_some(),
                inferred: union.is_some_and(|it| it.inferred),
                gated: closed.map(|it| Gated { pointer: it.pointer }),
                below: None,
            }
        };
        let has_look = |node: &Node| {
            let looks = node.properties.iter().map(|field| look(node, field));
            looks.into_iter().any(|it| it.selects || it.gated.is_some())
        };
        let routes = super::Routes::to_nodes(schema, has_look);
        let spot = |(id, node): (NodeId, &Node)| {
            let route = routes.at(id)?;
            let mut spot = Spot { values: route.additional, items: route.items, ..Spot::default() };
            for field in &node.properties {
                let below = route.fields.iter().any(|it| it.0 == field.0).then_some(field.1);
                let look = Look { below, ..look(node, field) };
                if look.selects || look.gated.is_some() || look.below.is_some() {
                    spot.fields.push((field.0.clone(), look));
                }
            }
            if node.list_type == Some(ListType::Map) {
                spot.keys = node.list_map_keys.clone();
            }
            Some(Box::new(spot))
        };
        Watch(schema.iter().map(spot).collect())
    }

    fn at(&self, id: NodeId) -> Option<&Spot> {
        self.0.get(id.index())?.as_deref()
    }

    /// True if there is nothing to clear and nothing to drop; false if there may be.
    fn is_settled(&self, schema: &Schema, new: &Value, old: Option<&Value>) -> bool {
        let mut pending: Pending<'_> = smallvec![(schema.root(), new, old)];
        while let Some((id, new, old)) = pending.pop() {
            let Some(spot) = self.at(id) else { continue };
            if old.is_some_and(|it| it.same(new)) {
                continue;
            }
            let settled = match new {
                Value::Map(map) => spot.map(map, old.and_then(Value::as_map), &mut pending),
                Value::List(list) => {
                    let old = old.and_then(Value::as_list).map(|it| it.as_slice());
                    spot.list(list.as_slice(), old.unwrap_or_default(), &mut pending)
                }
                _ => true,
            };
            if !settled {
                return false;
            }
        }
        true
    }
}

type Pending<'a> = SmallVec<[(NodeId, &'a Value, Option<&'a Value>); 8]>;

impl Spot {
    fn map<'a>(&self, new: &'a Map, old: Option<&'a Map>, pending: &mut Pending<'a>) -> bool {
        let mut from = 0;
        for (name, look) in &self.fields {
            if look.inferred {
                return false;
            }
            let (at, value) = seek(new, from, name);
            from = at;
            let before = || old.and_then(|it| near(it, at, name));
            if look.selects && old.is_some() && text(value) != text(before()) {
                return false;
            }
            let Some(value) = value else { continue };
            let in_use = |gated: Gated| !value.is_null() && (gated.pointer || !is_zero(value));
            if look.gated.is_some_and(in_use) {
                return false;
            }
            if let Some(below) = look.below {
                pending.push((below, value, before()));
            }
        }
        if let Some(values) = self.values {
            for (key, value) in new.iter() {
                if !self.fields.iter().any(|it| it.0 == *key) {
                    pending.push((values, value, old.and_then(|it| it.get(key))));
                }
            }
        }
        true
    }

    fn list<'a>(&self, new: &'a [Value], old: &'a [Value], pending: &mut Pending<'a>) -> bool {
        let Some(items) = self.items else { return true };
        for (index, item) in new.iter().enumerate() {
            let there = old.get(index).filter(|_| !self.keys.is_empty());
            let is_same = |it| self.is_same_item(item, it);
            // Where items changed places, or came to others and may have the key of one of them,
            // which was which is for the passes to find out.
            if !there.map_or(self.keys.is_empty() || old.is_empty(), is_same) {
                return false;
            }
            pending.push((items, item, there));
        }
        true
    }

    fn is_same_item(&self, new: &Value, old: &Value) -> bool {
        let (Value::Map(new), Value::Map(old)) = (new, old) else { return false };
        self.keys.iter().all(|key| {
            let (at, value) = seek(new, 0, key);
            value == near(old, at, key)
        })
    }
}

/// The value of a discriminator; absent and empty are the same.
fn text(value: Option<&Value>) -> &str {
    value.and_then(Value::as_str).unwrap_or("")
}

/// The value under a name from some place on, and the place where it is or would be.
fn seek<'a>(map: &'a Map, from: usize, name: &Text) -> (usize, Option<&'a Value>) {
    let entries = map.entries();
    let rest = entries.get(from..).unwrap_or_default();
    // First letters mostly tell names apart.
    let first = |text: &Text| text.as_bytes().first().copied();
    let wanted = first(name);
    let before = |it: &(Text, Value)| {
        let letter = first(&it.0);
        letter < wanted || (letter == wanted && it.0.as_str() < name.as_str())
    };
    let at = match (rest.first(), rest.last()) {
        (Some(it), _) if it.0 == *name => from,
        (_, Some(it)) if before(it) => entries.len(),
        _ => from + rest.partition_point(before),
    };
    let found = entries.get(at).filter(|it| it.0 == *name);
    (at, found.map(|it| &it.1))
}

/// The value under a name that is most likely at this place.
fn near<'a>(map: &'a Map, at: usize, name: &Text) -> Option<&'a Value> {
    match map.entries().get(at) {
        Some(it) if it.0 == *name => Some(&it.1),
        _ => map.get(name),
    }
}
