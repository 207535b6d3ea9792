//! One walk for all declared passes: objects of a schema with their old counterparts.

use ordain_schema::{ListType, Node, NodeId, Schema};
use ordain_value::{List, Map, Text, Value, json};

use super::Interest;

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

    /// Removes the value at this place; copies only the containers on the way.
    pub(super) fn remove_from(&self, root: &mut Value) {
        let Some((last, parents)) = self.0.split_last() else { return };
        let mut at = root;
        for step in parents {
            let next = match step {
                Step::Field(name) | Step::Key(name) => at.get_mut(name),
                Step::Index(index) => at.as_list_mut().and_then(|it| it.to_mut().get_mut(*index)),
            };
            let Some(next) = next else { return };
            at = next;
        }
        if let (Step::Field(name) | Step::Key(name), Value::Map(map)) = (last, at) {
            map.remove(name);
        }
    }
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
pub(super) struct Visit<'a> {
    pub(super) node: &'a Node,
    pub(super) new: &'a Map,
    /// The same object before the write, where it can be told which that was.
    pub(super) old: Option<&'a Map>,
    trail: &'a Trail,
    at: usize,
}

impl Visit<'_> {
    /// Where the object stands.
    pub(super) fn location(&self) -> Location {
        self.trail.location(self.at)
    }
}

/// Places visited, each by its parent: text is made only for the few that matter.
#[derive(Default)]
struct Trail(Vec<(usize, Step)>);

/// The parent of top-level steps.
const ROOT: usize = usize::MAX;

impl Trail {
    fn push(&mut self, parent: usize, step: Step) -> usize {
        self.0.push((parent, step));
        self.0.len() - 1
    }

    fn location(&self, mut at: usize) -> Location {
        let mut steps = Vec::new();
        while let Some((parent, step)) = self.0.get(at) {
            steps.push(step.clone());
            at = *parent;
        }
        steps.reverse();
        Location(steps)
    }
}

/// Work that is left: a node, the new value, the old value, the place.
type Pending<'a> = (NodeId, &'a Value, Option<&'a Value>, usize);

/// Visits every object below the root whose schema is of interest, parents before children.
/// Subtrees that are the very same as before are left out when `skip_unchanged`.
pub(super) fn walk<'a>(
    schema: &'a Schema,
    interest: &Interest,
    new: &'a Value,
    old: Option<&'a Value>,
    skip_unchanged: bool,
    visit: &mut dyn FnMut(&Visit<'_>),
) {
    let mut trail = Trail::default();
    let mut pending: Vec<Pending<'a>> = vec![(schema.root(), new, old, ROOT)];
    while let Some((id, new, old, at)) = pending.pop() {
        if !interest.has(id) || (skip_unchanged && old.is_some_and(|it| it.same(new))) {
            continue;
        }
        let node = schema.node(id);
        match new {
            Value::Map(map) => {
                let old = old.and_then(Value::as_map);
                visit(&Visit { node, new: map, old, trail: &trail, at });
                push_map(node, interest, map, old, at, &mut trail, &mut pending);
            }
            Value::List(list) => {
                push_list(node, interest, list, old, at, &mut trail, &mut pending);
            }
            _ => {}
        }
    }
}

/// Visits every value below the root whose schema is of interest, with the node it stands at, its
/// old counterpart and a way to tell its place.
pub(super) fn walk_values<'a>(
    schema: &'a Schema,
    interest: &Interest,
    new: &'a Value,
    old: Option<&'a Value>,
    visit: &mut dyn FnMut(&'a Node, &'a Value, Option<&'a Value>, &dyn Fn() -> Location),
) {
    let mut trail = Trail::default();
    let mut pending: Vec<Pending<'a>> = vec![(schema.root(), new, old, ROOT)];
    while let Some((id, new, old, at)) = pending.pop() {
        if !interest.has(id) || old.is_some_and(|it| it.same(new)) {
            continue;
        }
        let node = schema.node(id);
        visit(node, new, old, &|| trail.location(at));
        match new {
            Value::Map(map) => {
                let old = old.and_then(Value::as_map);
                push_map(node, interest, map, old, at, &mut trail, &mut pending);
            }
            Value::List(list) => {
                push_list(node, interest, list, old, at, &mut trail, &mut pending);
            }
            _ => {}
        }
    }
}

fn push_list<'a>(
    node: &'a Node,
    interest: &Interest,
    list: &'a List,
    old: Option<&'a Value>,
    at: usize,
    trail: &mut Trail,
    pending: &mut Vec<Pending<'a>>,
) {
    let Some(items) = node.items.filter(|it| interest.has(*it)) else { return };
    let partners = Partners::new(node, old.and_then(Value::as_list));
    for (index, item) in list.iter().enumerate().rev() {
        let here = trail.push(at, Step::Index(index));
        pending.push((items, item, partners.of(item), here));
    }
}

fn push_map<'a>(
    node: &'a Node,
    interest: &Interest,
    map: &'a Map,
    old: Option<&'a Map>,
    at: usize,
    trail: &mut Trail,
    pending: &mut Vec<Pending<'a>>,
) {
    for (key, value) in map.iter().rev() {
        let (child, step) = match (node.property(key), node.additional_node()) {
            (Some(child), _) => (child, Step::Field(key.clone())),
            (None, Some(child)) => (child, Step::Key(key.clone())),
            (None, None) => continue,
        };
        if interest.has(child) {
            let here = trail.push(at, step);
            pending.push((child, value, old.and_then(|it| it.get(key)), here));
        }
    }
}

/// Finds the old item that a new item was: by the keys of a list map, else not at all.
struct Partners<'a> {
    keys: &'a [Text],
    /// Sorted by key text.
    old: Vec<(String, &'a Value)>,
}

impl<'a> Partners<'a> {
    fn new(node: &'a Node, old: Option<&'a List>) -> Self {
        let keys =
            if node.list_type == Some(ListType::Map) { &node.list_map_keys[..] } else { &[] };
        let mut found = Vec::new();
        if let (Some(old), false) = (old, keys.is_empty()) {
            found.extend(old.iter().map(|it| (key_text(keys, it), it)));
            found.sort_by(|a, b| a.0.cmp(&b.0));
        }
        Partners { keys, old: found }
    }

    fn of(&self, item: &Value) -> Option<&'a Value> {
        if self.old.is_empty() {
            return None;
        }
        let key = key_text(self.keys, item);
        let at = self.old.binary_search_by(|it| it.0.cmp(&key)).ok()?;
        Some(self.old[at].1)
    }
}

fn key_text(keys: &[Text], item: &Value) -> String {
    let values: Vec<Value> =
        keys.iter().map(|it| item.get(it).cloned().unwrap_or(Value::Null)).collect();
    json::encode_string(&Value::from(values))
}
