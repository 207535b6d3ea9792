//! Adjusts recorded ownership to a schema that has changed since.

use crate::path::{Path, PathElement};
use crate::set::Set;
use crate::types::{Shape, TypeRef, Types};

/// Ownership inside containers that have become atomic moves to the container. None if nothing
/// changes. A change from atomic to granular is not undone: such owners keep the container.
pub fn reconcile(types: &Types, set: &Set) -> Option<Set> {
    let mut walk = Walk { types, path: Vec::new(), atomic: Set::new() };
    walk.value(types.root(), Some(set), false);
    if walk.atomic.is_empty() {
        return None;
    }
    Some(set.recursive_difference(&walk.atomic).union(&walk.atomic))
}

struct Walk<'a> {
    types: &'a Types,
    path: Path,
    atomic: Set,
}

impl Walk<'_> {
    fn value(&mut self, ty: TypeRef, below: Option<&Set>, is_leaf: bool) {
        let types = self.types;
        match types.resolve(ty).deduce(None).shape() {
            Shape::Scalar(_) => {}
            Shape::List(list) => {
                if !is_leaf && !list.associative {
                    self.atomic.insert(&self.path);
                    return;
                }
                self.children(below, |_| Some(list.element));
            }
            Shape::Map(map) => {
                if types.is_untyped_map(map) {
                    return;
                }
                if !is_leaf && map.atomic {
                    if below.is_some_and(|it| !it.is_empty()) {
                        self.atomic.insert(&self.path);
                    }
                    return;
                }
                self.children(below, |element| match element {
                    PathElement::Field(name) => map.value_type(name),
                    _ => map.element,
                });
            }
        }
    }

    fn children(&mut self, below: Option<&Set>, ty: impl Fn(&PathElement) -> Option<TypeRef>) {
        for node in below.map(|it| it.nodes.as_slice()).unwrap_or_default() {
            let Some(ty) = ty(&node.element) else { continue };
            let below = (!node.children.is_empty()).then_some(&node.children);
            self.path.push(node.element.clone());
            self.value(ty, below, node.member && below.is_none());
            self.path.pop();
        }
    }
}
