//! Takes paths out of an object.

use ordain_value::{Map, Text, Value};

use super::list_item::list_item;
use crate::DEPTH_MAX;
use crate::path::PathElement;
use crate::set::Set;
use crate::types::{ListType, MapType, Shape, TypeRef, Types};

/// `value` without the members of `paths`. A container that loses its last item becomes null, as
/// upstream leaves it.
pub fn remove(types: &Types, value: &Value, paths: &Set) -> Value {
    if paths.is_empty() {
        return value.clone();
    }
    Walk { types }.value(types.root(), value, paths, 0)
}

struct Walk<'a> {
    types: &'a Types,
}

impl Walk<'_> {
    fn value(&self, ty: TypeRef, value: &Value, paths: &Set, depth: usize) -> Value {
        if depth > DEPTH_MAX {
            return value.clone();
        }
        match (self.types.resolve(ty).deduce(Some(value)).shape(), value) {
            (Shape::Scalar(_), _) => value.clone(),
            (Shape::Map(map), Value::Map(entries)) if !map.atomic => {
                self.map(map, entries, paths, depth)
            }
            (Shape::List(list), Value::List(items)) if list.associative => {
                self.list(list, items, paths, depth)
            }
            _ => Value::Null,
        }
    }

    fn map(&self, map: &MapType, entries: &Map, paths: &Set, depth: usize) -> Value {
        let mut kept: Vec<(Text, Value)> = Vec::with_capacity(entries.len());
        for (key, value) in entries {
            let element = PathElement::Field(key.clone());
            if paths.has_member(&element) {
                continue;
            }
            let value = match (paths.child(&element), map.value_type(key)) {
                (Some(below), Some(ty)) => self.value(ty, value, below, depth + 1),
                _ => value.clone(),
            };
            kept.push((key.clone(), value));
        }
        if kept.is_empty() { Value::Null } else { Value::Map(Map::from_entries(kept)) }
    }

    fn list(&self, list: &ListType, items: &[Value], paths: &Set, depth: usize) -> Value {
        let mut kept: Vec<Value> = Vec::with_capacity(items.len());
        for item in items {
            let Ok(element) = list_item(self.types, list, item) else {
                kept.push(item.clone());
                continue;
            };
            if paths.has_member(&element) {
                continue;
            }
            kept.push(match paths.child(&element) {
                Some(below) => self.value(list.element, item, below, depth + 1),
                None => item.clone(),
            });
        }
        if kept.is_empty() { Value::Null } else { Value::from(kept) }
    }
}
