//! Prune: fields that the schema does not know are removed, and reported for field validation.
//!
//! Nothing is copied where nothing goes: a subtree without unknown fields stays shared with whoever
//! else holds it.

use ordain_value::field::Path;
use ordain_value::{Edit, List, Map, Text, Value};

use crate::plan::{Additional, DEPTH_MAX, Id, Plan, PlanNode};

/// The fields of every resource that schemas need not declare.
pub(crate) fn is_meta_field(key: &str) -> bool {
    matches!(key, "apiVersion" | "kind" | "metadata")
}

impl Plan {
    /// Removes unknown fields of a whole object; returns their paths, sorted.
    pub fn prune(&self, object: &mut Value) -> Vec<String> {
        prune_tracked(self, object).0
    }
}

/// Prunes without telling; returns whether a null was seen on the way.
pub(crate) fn prune_untracked(plan: &Plan, object: &mut Value) -> bool {
    let mut pruner = Pruner { plan, unknown: None, saw_null: false };
    pruner.whole(object);
    pruner.saw_null
}

/// Prunes and reports; returns the unknown paths and whether a null was seen on the way.
pub(crate) fn prune_tracked(plan: &Plan, object: &mut Value) -> (Vec<String>, bool) {
    let mut pruner = Pruner { plan, unknown: Some(Told::default()), saw_null: false };
    pruner.whole(object);
    let mut unknown = pruner.unknown.unwrap_or_default().paths;
    unknown.sort();
    (unknown, pruner.saw_null)
}

/// What pruning leaves of a value of one place, or `None` when all of it stays.
pub(crate) fn pruned_at(plan: &Plan, id: Id, as_resource: bool, value: &Value) -> Option<Value> {
    let mut pruner = Pruner { plan, unknown: None, saw_null: false };
    let node = plan.node(id);
    match value {
        Value::Map(map) if as_resource => {
            let keep = if node.preserve_unknown { Keep::All } else { Keep::Known };
            pruner.map(map, node, true, keep, &Path::root(), 0).map(Value::Map)
        }
        _ => pruner.value(value, Some(id), Keep::Known, &Path::root(), 0),
    }
}

/// What the paths of all unknown fields that are reported may take. Each of many fields may have a long
/// path before it.
const TOLD_BYTES_MAX: usize = 1024 * 1024;

/// Paths of unknown fields.
#[derive(Default)]
struct Told {
    paths: Vec<String>,
    bytes: usize,
}

impl Told {
    fn is_full(&self) -> bool {
        self.bytes >= TOLD_BYTES_MAX
    }

    fn tell(&mut self, path: impl FnOnce() -> String) {
        if !self.is_full() {
            let path = path();
            self.bytes += path.len();
            self.paths.push(path);
        }
    }
}

struct Pruner<'p> {
    plan: &'p Plan,
    unknown: Option<Told>,
    /// A null in a place that has a schema: the null pass has work to do.
    saw_null: bool,
}

/// Whether unknown keys of this very value stay.
#[derive(Clone, Copy, PartialEq)]
enum Keep {
    Known,
    All,
}

impl Pruner<'_> {
    fn whole(&mut self, object: &mut Value) {
        let Value::Map(map) = object else {
            return;
        };
        let node = self.plan.node(self.plan.root);
        let keep = if node.preserve_unknown { Keep::All } else { Keep::Known };
        if let Some(pruned) = self.map(map, node, true, keep, &Path::root(), 0) {
            *object = Value::Map(pruned);
        }
    }

    /// What is left of a value, or `None` when all of it is.
    fn value(
        &mut self,
        value: &Value,
        id: Option<Id>,
        keep: Keep,
        path: &Path<'_>,
        depth: usize,
    ) -> Option<Value> {
        match (value, id) {
            (Value::Null, _) => {
                self.saw_null |= id.is_some();
                None
            }
            (Value::Map(_) | Value::List(_), None) => match keep {
                Keep::All => None,
                Keep::Known => self.without_schema(value, path),
            },
            (Value::Map(map), Some(id)) if depth < DEPTH_MAX => {
                let node = self.plan.node(id);
                let keep = if node.preserve_unknown { Keep::All } else { keep };
                self.map(map, node, node.embedded, keep, path, depth).map(Value::Map)
            }
            (Value::List(list), Some(id)) if depth < DEPTH_MAX => {
                let node = self.plan.node(id);
                let keep = if node.preserve_unknown { Keep::All } else { keep };
                self.list(list, node, keep, path, depth).map(Value::List)
            }
            _ => None,
        }
    }

    fn map(
        &mut self,
        map: &Map,
        node: &PlanNode,
        embedded: bool,
        keep: Keep,
        path: &Path<'_>,
        depth: usize,
    ) -> Option<Map> {
        let mut sweep = node.properties.sweep();
        map.edited(|key, value| {
            let property = sweep.find(key);
            let pruned = if embedded && is_meta_field(key) {
                // Their own pass brings these into shape. A schema may know nulls there, and below
                // metadata of an embedded resource; that of the object has its shape already.
                self.saw_null |= property.is_some()
                    && (value.is_null() || (depth > 0 && matches!(value, Value::Map(_))));
                None
            } else if let Some(property) = property {
                self.child(value, Some(property.node), path, key, depth)
            } else {
                match node.additional {
                    Additional::Node(id) => self.child(value, Some(id), path, key, depth),
                    Additional::Any | Additional::Forbidden => {
                        self.child(value, None, path, key, depth)
                    }
                    Additional::Absent if keep == Keep::All => None,
                    Additional::Absent => {
                        if let Some(unknown) = &mut self.unknown {
                            unknown.tell(|| path.child(key).to_string());
                        }
                        return Edit::Drop;
                    }
                }
            };
            pruned.into()
        })
    }

    fn child(
        &mut self,
        value: &Value,
        id: Option<Id>,
        path: &Path<'_>,
        key: &Text,
        depth: usize,
    ) -> Option<Value> {
        match value {
            Value::Map(_) | Value::List(_) => {
                self.value(value, id, Keep::Known, &path.child(key), depth + 1)
            }
            Value::Null => {
                self.saw_null |= id.is_some();
                None
            }
            _ => None,
        }
    }

    fn list(
        &mut self,
        list: &List,
        node: &PlanNode,
        keep: Keep,
        path: &Path<'_>,
        depth: usize,
    ) -> Option<List> {
        list.edited(|at, value| {
            if !matches!(value, Value::Map(_) | Value::List(_) | Value::Null) {
                return None;
            }
            self.value(value, node.items, keep, &path.index(at), depth + 1)
        })
    }

    /// Without a schema every object loses all its fields; lists are looked into, however deep.
    fn without_schema(&mut self, value: &Value, path: &Path<'_>) -> Option<Value> {
        if !has_fields(value) {
            return None;
        }
        let mut pruned = value.clone();
        let tracked = self.unknown.as_ref().is_some_and(|it| !it.is_full());
        let start = if tracked { path.to_string() } else { String::new() };
        let mut pending = vec![(start, &mut pruned)];
        while let Some((path, value)) = pending.pop() {
            match value {
                Value::Map(map) => {
                    if let Some(unknown) = self.unknown.as_mut().filter(|_| tracked) {
                        map.keys().for_each(|key| unknown.tell(|| format!("{path}.{key}")));
                    }
                    *map = Map::new();
                }
                Value::List(list) if !list.is_empty() => {
                    let tracked = self.unknown.as_ref().is_some_and(|it| !it.is_full());
                    pending.extend(list.to_mut().iter_mut().enumerate().map(|(i, item)| {
                        (if tracked { format!("{path}[{i}]") } else { String::new() }, item)
                    }));
                }
                _ => {}
            }
        }
        Some(pruned)
    }
}

/// Whether an object with fields stands here or in a list here.
fn has_fields(value: &Value) -> bool {
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        match value {
            Value::Map(map) if !map.is_empty() => return true,
            Value::List(list) => pending.extend(list.iter()),
            _ => {}
        }
    }
    false
}
