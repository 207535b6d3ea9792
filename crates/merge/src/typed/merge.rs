//! Merges an applied configuration into an object.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use ordain_value::{List, Map, Value};

use super::list_item::list_item;
use super::{as_list, as_map};
use crate::DEPTH_MAX;
use crate::path::PathElement;
use crate::types::{ListType, MapType, Shape, TypeRef, Types};

/// `live` with everything that `applied` says. Both must fit `types`; `applied` without duplicates.
pub fn merge(types: &Types, live: &Value, applied: &Value) -> Value {
    Walk { types }.value(types.root(), Some(live), Some(applied), 0).unwrap_or(Value::Null)
}

struct Walk<'a> {
    types: &'a Types,
}

impl Walk<'_> {
    fn value(
        &self,
        ty: TypeRef,
        live: Option<&Value>,
        applied: Option<&Value>,
        depth: usize,
    ) -> Option<Value> {
        let (Some(live), Some(applied)) = (live, applied) else {
            return applied.or(live).cloned();
        };
        if depth > DEPTH_MAX {
            return Some(applied.clone());
        }
        // The applied side's kind decides; null leaves it open, and then a map is tried first.
        match self.types.resolve(ty).deduce(Some(applied)).shape() {
            Shape::Scalar(_) => Some(applied.clone()),
            Shape::Map(map) => {
                let (a, b) = (as_map(Some(live)), as_map(Some(applied)));
                if map.atomic || (a.is_none_or(Map::is_empty) && b.is_none_or(Map::is_empty)) {
                    return Some(applied.clone());
                }
                self.map(map, a, b, depth)
            }
            Shape::List(list) => {
                let (a, b) = (as_list(Some(live)), as_list(Some(applied)));
                let empty = |it: Option<&List>| it.is_none_or(|it| it.is_empty());
                if !list.associative || (empty(a) && empty(b)) {
                    return Some(applied.clone());
                }
                self.list(list, a, b, depth)
            }
        }
    }

    fn map(
        &self,
        map: &MapType,
        live: Option<&Map>,
        applied: Option<&Map>,
        depth: usize,
    ) -> Option<Value> {
        let mut out = live.cloned().unwrap_or_default();
        let mut changes = Vec::new();
        for (key, value) in applied.map(Map::entries).unwrap_or_default() {
            let Some(ty) = map.value_type(key) else { continue };
            let before = live.and_then(|it| it.get(key));
            changes.push((key.clone(), self.value(ty, before, Some(value), depth + 1)));
        }
        out.change(changes);
        (!out.is_empty()).then_some(Value::Map(out))
    }

    /// Keeps the relative order of both lists; where they disagree, the applied order wins.
    fn list(
        &self,
        list: &ListType,
        live: Option<&List>,
        applied: Option<&List>,
        depth: usize,
    ) -> Option<Value> {
        let live = Side::index(self.types, list, live);
        let applied = Side::index(self.types, list, applied);
        let mut shared: VecDeque<&PathElement> =
            applied.names.iter().filter(|it| live.items.contains_key(it)).collect();
        let mut next_shared = shared.pop_front();
        let mut merged: BTreeSet<&PathElement> = BTreeSet::new();
        let mut out: Vec<Value> = Vec::new();
        let (mut at_live, mut at_applied) = (0, 0);
        while at_live < live.names.len() || at_applied < applied.names.len() {
            if let (Some(name), Some(other)) =
                (live.names.get(at_live), applied.names.get(at_applied))
            {
                if name == other {
                    merged.insert(name);
                    out.extend(self.value(
                        list.element,
                        live.get(name),
                        applied.get(name),
                        depth + 1,
                    ));
                    at_live += 1;
                    at_applied += 1;
                    next_shared = shared.pop_front();
                    continue;
                }
                if applied.items.contains_key(name) && next_shared.is_some_and(|it| it != name) {
                    // Shared, but its turn comes with the applied list.
                    at_live += 1;
                    continue;
                }
            }
            if let Some(name) = live.names.get(at_live) {
                if !applied.items.contains_key(name) {
                    out.extend(live.values.get(at_live).map(|it| (*it).clone()));
                    at_live += 1;
                    continue;
                }
                if merged.contains(name) {
                    at_live += 1;
                }
            }
            if let Some(name) = applied.names.get(at_applied) {
                merged.insert(name);
                out.extend(self.value(list.element, live.get(name), applied.get(name), depth + 1));
                at_applied += 1;
                if next_shared == Some(name) {
                    next_shared = shared.pop_front();
                }
            }
        }
        (!out.is_empty()).then_some(Value::from(out))
    }
}

/// The items of one list, in order and by name.
struct Side<'v> {
    names: Vec<PathElement>,
    values: Vec<&'v Value>,
    /// None for duplicates: they are not merged with anything.
    items: BTreeMap<PathElement, Option<&'v Value>>,
}

static NULL: Value = Value::Null;

impl<'v> Side<'v> {
    fn index(types: &Types, list: &ListType, items: Option<&'v List>) -> Self {
        let mut side = Side { names: Vec::new(), values: Vec::new(), items: BTreeMap::new() };
        for item in items.map(|it| it.as_slice()).unwrap_or_default() {
            let Ok(name) = list_item(types, list, item) else { continue };
            side.items.entry(name.clone()).and_modify(|it| *it = None).or_insert(Some(item));
            side.names.push(name);
            side.values.push(item);
        }
        side
    }

    fn get(&self, name: &PathElement) -> Option<&'v Value> {
        self.items.get(name).map(|it| it.unwrap_or(&NULL))
    }
}
