//! The paths that an applied configuration claims.

use ordain_value::{List, Map, Value};

use super::list_item::list_item;
use crate::DEPTH_MAX;
use crate::path::PathElement;
use crate::set::Set;
use crate::types::{ListType, MapType, Shape, TypeRef, Types};

/// All leaf paths of an object, plus list items, undeclared keys and empty maps themselves.
pub fn field_set(types: &Types, value: &Value) -> Set {
    let mut set = Set::new();
    Walk { types }.value(types.root(), value, &mut set, 0);
    set
}

struct Walk<'a> {
    types: &'a Types,
}

impl Walk<'_> {
    /// Collects below into `set`; true if the place itself is claimed.
    fn value(&self, ty: TypeRef, value: &Value, set: &mut Set, depth: usize) -> bool {
        if depth > DEPTH_MAX {
            return true;
        }
        match self.types.resolve(ty).deduce(Some(value)).shape() {
            Shape::Scalar(_) => true,
            Shape::Map(map) => {
                if let (false, Value::Map(entries)) = (map.atomic, value) {
                    self.map(map, entries, set, depth);
                }
                map.atomic
            }
            Shape::List(list) => {
                if let (true, Value::List(items)) = (list.associative, value) {
                    self.list(list, items, set, depth);
                }
                !list.associative
            }
        }
    }

    fn map(&self, map: &MapType, entries: &Map, set: &mut Set, depth: usize) {
        for (key, value) in entries {
            let field = map.field(key);
            let Some(ty) = field.map(|it| it.ty).or(map.element) else { continue };
            let mut below = Set::new();
            let mut member = self.value(ty, value, &mut below, depth + 1);
            member = member
                || field.is_none()
                || value.is_null()
                || value.as_map().is_some_and(Map::is_empty);
            if member {
                set.insert_member(PathElement::Field(key.clone()));
            }
            set.insert_children(PathElement::Field(key.clone()), below);
        }
    }

    fn list(&self, list: &ListType, items: &List, set: &mut Set, depth: usize) {
        let mut named: Vec<(PathElement, &Value)> = items
            .iter()
            .filter_map(|it| Some((list_item(self.types, list, it).ok()?, it)))
            .collect();
        named.sort_by(|a, b| a.0.cmp(&b.0));
        for run in named.chunk_by(|a, b| a.0 == b.0) {
            let Some((element, item)) = run.first() else { continue };
            set.insert_member(element.clone());
            if run.len() == 1 {
                let mut below = Set::new();
                self.value(list.element, item, &mut below, depth + 1);
                set.insert_children(element.clone(), below);
            }
        }
    }
}
