//! One walk for all declared passes: objects of a schema with their old counterparts.

use std::cell::OnceCell;

use ordain_schema::{ListType, Node, NodeId, Schema};
use ordain_value::{List, Map, Text, Value, json};
use smallvec::{SmallVec, smallvec};

use super::route::{Route, Routes, common};

/// One step from a parent to a child.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// A declared field.
    Field(Text),
    /// A value of a map.
    Key(Text),
    /// An item of a list.
    Index(usize),
}

/// A place in an object, from the root.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Location(pub Vec<Step>);

impl Location {
    /// The field `name` below this place.
    #[must_use]
    pub fn field(&self, name: &Text) -> Location {
        let mut steps = self.0.clone();
        steps.push(Step::Field(name.clone()));
        Location(steps)
    }

    /// Whether a declared field stands here, rather than an item, a value of a map or the root.
    pub(super) fn is_field(&self) -> bool {
        matches!(self.0.last(), Some(Step::Field(_)))
    }

    /// Puts a value at this place, a field; copies only the containers on the way.
    pub(super) fn insert_into(&self, root: &mut Value, value: Value) {
        let Some((Step::Field(name), parents)) = self.0.split_last() else { return };
        if let Some(Value::Map(map)) = reach(root, parents) {
            map.insert(name.clone(), value);
        }
    }

    /// Removes the value at this place; copies only the containers on the way.
    pub(super) fn remove_from(&self, root: &mut Value) {
        let Some((last, parents)) = self.0.split_last() else { return };
        if let (Step::Field(name) | Step::Key(name), Some(Value::Map(map))) =
            (last, reach(root, parents))
        {
            map.remove(name);
        }
    }
}

/// The value that steps lead to.
fn reach<'v>(root: &'v mut Value, steps: &[Step]) -> Option<&'v mut Value> {
    let mut at = root;
    for step in steps {
        at = match step {
            Step::Field(name) | Step::Key(name) => at.get_mut(name),
            Step::Index(index) => at.as_list_mut().and_then(|it| it.to_mut().get_mut(*index)),
        }?;
    }
    Some(at)
}

/// Paths as error messages write them; the root is `<nil>`.
impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0.is_empty() {
            return f.write_str("<nil>");
        }
        for (at, step) in self.0.iter().enumerate() {
            match step {
                Step::Field(name) if at == 0 => f.write_str(name)?,
                Step::Field(name) => write!(f, ".{name}")?,
                Step::Key(key) => write!(f, "[{key}]")?,
                Step::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

/// An object that the walk came to.
pub(super) struct Visit<'t, 'a> {
    pub(super) node: &'a Node,
    /// The fields that the pass is about.
    pub(super) own: &'a [(Text, NodeId)],
    pub(super) new: &'a Map,
    /// The same object before the write, where it can be determined which that was.
    pub(super) old: Option<&'a Map>,
    trail: &'t Trail<'a>,
    at: usize,
}

impl<'a> Visit<'_, 'a> {
    /// Where the object stands.
    pub(super) fn location(&self) -> Location {
        self.trail.location(self.at)
    }

    /// The fields that are set of those the pass is about.
    pub(super) fn own(&self, found: impl FnMut(&'a Text, NodeId, &'a Value)) {
        common(self.own, self.new, found);
    }
}

/// One step, borrowed: most places are passed by and never told.
#[derive(Clone, Copy)]
enum Pace<'a> {
    Field(&'a Text),
    Key(&'a Text),
    Index(usize),
}

/// Places visited, each by its parent: text is made only for the few that matter.
#[derive(Default)]
struct Trail<'a>(SmallVec<[(usize, Pace<'a>); FEW]>);

/// As many places need no memory of their own.
const FEW: usize = 8;

/// The parent of top-level steps.
const ROOT: usize = usize::MAX;

impl<'a> Trail<'a> {
    fn push(&mut self, parent: usize, pace: Pace<'a>) -> usize {
        self.0.push((parent, pace));
        self.0.len() - 1
    }

    fn location(&self, mut at: usize) -> Location {
        let mut steps = Vec::new();
        while let Some((parent, pace)) = self.0.get(at) {
            steps.push(match *pace {
                Pace::Field(name) => Step::Field(name.clone()),
                Pace::Key(key) => Step::Key(key.clone()),
                Pace::Index(index) => Step::Index(index),
            });
            at = *parent;
        }
        steps.reverse();
        Location(steps)
    }
}

/// Work that is left: a node, the new value, the old value, the place.
type Pending<'a> = (NodeId, &'a Value, Option<&'a Value>, usize);
type Stack<'a> = SmallVec<[Pending<'a>; FEW]>;

/// Visits every object below the root whose schema is of interest, parents before children.
/// Subtrees that are the very same as before are left out when `skip_unchanged`.
pub(super) fn walk<'a>(
    schema: &'a Schema,
    routes: &'a Routes,
    new: &'a Value,
    old: Option<&'a Value>,
    skip_unchanged: bool,
    visit: &mut dyn FnMut(&Visit<'_, '_>),
) {
    let mut trail = Trail::default();
    let mut pending: Stack<'a> = smallvec![(schema.root(), new, old, ROOT)];
    while let Some((id, new, old, at)) = pending.pop() {
        let Some(route) = routes.at(id) else { continue };
        if skip_unchanged && old.is_some_and(|it| it.same(new)) {
            continue;
        }
        let node = schema.node(id);
        if let Value::Map(map) = new {
            let old = old.and_then(Value::as_map);
            visit(&Visit { node, own: &route.own, new: map, old, trail: &trail, at });
        }
        push_children((node, route, new, old, at), &mut trail, &mut pending);
    }
}

/// Visits every value below the root whose schema is of interest, with the node it stands at, its
/// old counterpart and a way to tell its place.
pub(super) fn walk_values<'a>(
    schema: &'a Schema,
    routes: &'a Routes,
    new: &'a Value,
    old: Option<&'a Value>,
    visit: &mut dyn FnMut(&'a Node, &'a Value, Option<&'a Value>, &dyn Fn() -> Location),
) {
    let mut trail = Trail::default();
    let mut pending: Stack<'a> = smallvec![(schema.root(), new, old, ROOT)];
    while let Some((id, new, old, at)) = pending.pop() {
        let Some(route) = routes.at(id) else { continue };
        if old.is_some_and(|it| it.same(new)) {
            continue;
        }
        let node = schema.node(id);
        visit(node, new, old, &|| trail.location(at));
        push_children((node, route, new, old, at), &mut trail, &mut pending);
    }
}

/// A value on the way: its node, the ways on from there, what it was, and its place.
type Stop<'a> = (&'a Node, &'a Route, &'a Value, Option<&'a Value>, usize);

fn push_children<'a>(stop: Stop<'a>, trail: &mut Trail<'a>, pending: &mut Stack<'a>) {
    let (node, route, new, old, at) = stop;
    let first = pending.len();
    match new {
        Value::Map(map) => {
            let old = old.and_then(Value::as_map);
            let mut push = |child, value, key: &Text, pace| {
                let here = trail.push(at, pace);
                pending.push((child, value, old.and_then(|it| it.get(key)), here));
            };
            if let Some(values) = route.additional {
                for (key, value) in map.iter() {
                    match node.property(key) {
                        Some(child) => push(child, value, key, Pace::Field(key)),
                        None => push(values, value, key, Pace::Key(key)),
                    }
                }
            } else {
                common(&route.fields, map, |name, child, value| {
                    push(child, value, name, Pace::Field(name));
                });
            }
        }
        Value::List(list) => {
            let Some(items) = route.items else { return };
            let partners = Partners::new(node, old.and_then(Value::as_list));
            for (index, item) in list.iter().enumerate() {
                let here = trail.push(at, Pace::Index(index));
                pending.push((items, item, partners.of(index, item), here));
            }
        }
        _ => {}
    }
    // The first child is visited first.
    pending[first..].reverse();
}

/// Finds the old item that a new item was: by the keys of a list map, else not at all.
struct Partners<'a> {
    keys: &'a [Text],
    old: Option<&'a List>,
    /// The old items sorted by key text, for lists whose items changed places.
    sorted: OnceCell<Vec<(String, &'a Value)>>,
}

impl<'a> Partners<'a> {
    fn new(node: &'a Node, old: Option<&'a List>) -> Self {
        let keys =
            if node.list_type == Some(ListType::Map) { &node.list_map_keys[..] } else { &[] };
        Partners { keys, old: old.filter(|_| !keys.is_empty()), sorted: OnceCell::new() }
    }

    fn of(&self, index: usize, item: &Value) -> Option<&'a Value> {
        let old = self.old?;
        let same_keys = |it: &&Value| self.keys.iter().all(|key| it.get(key) == item.get(key));
        if let Some(there) = old.get(index).filter(same_keys) {
            return Some(there);
        }
        let sorted = self.sorted.get_or_init(|| {
            let mut found: Vec<_> = old.iter().map(|it| (key_text(self.keys, it), it)).collect();
            found.sort_by(|a, b| a.0.cmp(&b.0));
            found
        });
        let key = key_text(self.keys, item);
        let at = sorted.binary_search_by(|it| it.0.cmp(&key)).ok()?;
        Some(sorted[at].1)
    }
}

fn key_text(keys: &[Text], item: &Value) -> String {
    let values: Vec<Value> =
        keys.iter().map(|it| item.get(it).cloned().unwrap_or(Value::Null)).collect();
    json::encode_string(&Value::from(values))
}
