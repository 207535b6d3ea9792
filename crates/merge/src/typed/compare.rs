//! What changed between two values of the same type.

use ordain_value::{List, Map, Value};

use super::list_item::list_item;
use super::{as_list, as_map};
use crate::DEPTH_MAX;
use crate::path::{PathElement, values_equal};
use crate::set::Set;
use crate::types::{Deduced, ListType, MapType, Shape, TypeRef, Types};

/// Paths that differ between an old and a new object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// In the old object only.
    pub removed: Set,
    /// In both, with different values.
    pub modified: Set,
    /// In the new object only.
    pub added: Set,
}

impl Comparison {
    /// True if nothing differs.
    pub fn is_same(&self) -> bool {
        self.removed.is_empty() && self.modified.is_empty() && self.added.is_empty()
    }

    /// Without the paths of `fields` and everything below them.
    #[must_use]
    pub fn exclude(self, fields: &Set) -> Self {
        if fields.is_empty() {
            return self;
        }
        Comparison {
            removed: self.removed.without_below(fields),
            modified: self.modified.without_below(fields),
            added: self.added.without_below(fields),
        }
    }

    fn add_below(&mut self, element: &PathElement, below: Comparison) {
        if !below.removed.is_empty() {
            self.removed.insert_children(element.clone(), below.removed);
        }
        if !below.modified.is_empty() {
            self.modified.insert_children(element.clone(), below.modified);
        }
        if !below.added.is_empty() {
            self.added.insert_children(element.clone(), below.added);
        }
    }
}

/// What happened to the place itself.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Own {
    Nothing,
    Removed,
    Modified,
    Added,
}

/// Compares two objects that fit `types`.
pub fn compare(types: &Types, old: &Value, new: &Value) -> Comparison {
    let mut out = Comparison::default();
    Walk { types }.value(types.root(), Some(old), Some(new), &mut out, 0);
    out
}

struct Walk<'a> {
    types: &'a Types,
}

impl Walk<'_> {
    /// Puts what differs below this place into `below`, and returns what happened to the place.
    fn value(
        &self,
        ty: TypeRef,
        old: Option<&Value>,
        new: Option<&Value>,
        below: &mut Comparison,
        depth: usize,
    ) -> [Own; 2] {
        if let (Some(old), Some(new)) = (old, new)
            && old.same(new)
        {
            return [Own::Nothing; 2];
        }
        if depth > DEPTH_MAX {
            return [leaf(old, new), Own::Nothing];
        }
        let atom = self.types.resolve(ty);
        let (old_atom, new_atom) = (atom.deduce(old), atom.deduce(new));
        if new.is_none() {
            [self.atom(old_atom, old, new, below, depth), Own::Nothing]
        } else if old.is_none() || old_atom.same_kinds(&new_atom) {
            [self.atom(new_atom, old, new, below, depth), Own::Nothing]
        } else {
            // The kind of value changed where the schema allows several: both readings count.
            let first = self.atom(old_atom, old, new, below, depth);
            [first, self.atom(new_atom, old, new, below, depth)]
        }
    }

    fn atom(
        &self,
        atom: Deduced<'_>,
        old: Option<&Value>,
        new: Option<&Value>,
        below: &mut Comparison,
        depth: usize,
    ) -> Own {
        match atom.shape() {
            Shape::Map(map) => {
                let (old_map, new_map) = (as_map(old), as_map(new));
                let empty = |it: Option<&Map>| it.is_none_or(Map::is_empty);
                if map.atomic || (empty(old_map) && empty(new_map)) {
                    return leaf(old, new);
                }
                self.map(map, old_map, new_map, below, depth);
            }
            Shape::Scalar(_) => return leaf(old, new),
            Shape::List(list) => {
                let (old_list, new_list) = (as_list(old), as_list(new));
                let empty = |it: Option<&List>| it.is_none_or(|it| it.is_empty());
                if !list.associative || (empty(old_list) && empty(new_list)) {
                    return leaf(old, new);
                }
                self.list(list, old_list, new_list, below, depth);
            }
        }
        match (old, new) {
            (None, _) => Own::Added,
            (_, None) => Own::Removed,
            _ => Own::Nothing,
        }
    }

    fn child(
        &self,
        ty: TypeRef,
        element: impl Fn() -> PathElement,
        old: Option<&Value>,
        new: Option<&Value>,
        out: &mut Comparison,
        depth: usize,
    ) {
        if let (Some(old), Some(new)) = (old, new)
            && old.same(new)
        {
            return;
        }
        let mut below = Comparison::default();
        let own = self.value(ty, old, new, &mut below, depth + 1);
        for own in own {
            match own {
                Own::Nothing => {}
                Own::Removed => out.removed.insert_member(element()),
                Own::Modified => out.modified.insert_member(element()),
                Own::Added => out.added.insert_member(element()),
            }
        }
        if !below.is_same() {
            out.add_below(&element(), below);
        }
    }

    fn map(
        &self,
        map: &MapType,
        old: Option<&Map>,
        new: Option<&Map>,
        out: &mut Comparison,
        depth: usize,
    ) {
        let (old, new) = (entries(old), entries(new));
        let (mut at_old, mut at_new) = (0, 0);
        while at_old < old.len() || at_new < new.len() {
            let (key, old_value, new_value) = match (old.get(at_old), new.get(at_new)) {
                (Some((old_key, old_value)), Some((new_key, new_value))) => {
                    match old_key.as_str().cmp(new_key.as_str()) {
                        std::cmp::Ordering::Less => (old_key, Some(old_value), None),
                        std::cmp::Ordering::Greater => (new_key, None, Some(new_value)),
                        std::cmp::Ordering::Equal => (old_key, Some(old_value), Some(new_value)),
                    }
                }
                (Some((key, value)), None) => (key, Some(value), None),
                (None, Some((key, value))) => (key, None, Some(value)),
                (None, None) => break,
            };
            at_old += usize::from(old_value.is_some());
            at_new += usize::from(new_value.is_some());
            let Some(ty) = map.value_type(key) else { continue };
            let element = || PathElement::Field(key.clone());
            self.child(ty, element, old_value, new_value, out, depth);
        }
    }

    fn list(
        &self,
        list: &ListType,
        old: Option<&List>,
        new: Option<&List>,
        out: &mut Comparison,
        depth: usize,
    ) {
        let (old, new) = (self.items(list, old), self.items(list, new));
        let (mut old, mut new) = (old.as_slice(), new.as_slice());
        while !old.is_empty() || !new.is_empty() {
            let element = match (old.first(), new.first()) {
                (Some((a, _)), Some((b, _))) => a.min(b),
                (Some((it, _)), None) | (None, Some((it, _))) => it,
                (None, None) => break,
            };
            let run = |items: &[(PathElement, &Value)]| {
                items.iter().take_while(|it| it.0 == *element).count()
            };
            let (old_run, old_rest) = old.split_at(run(old));
            let (new_run, new_rest) = new.split_at(run(new));
            let one = |items: &[(PathElement, &'_ Value)]| items.len() < 2;
            let (old_first, new_first) =
                (old_run.first().map(|it| it.1), new_run.first().map(|it| it.1));
            let name = || element.clone();
            match (one(old_run), one(new_run)) {
                (true, true) => {
                    self.child(list.element, name, old_first, new_first, out, depth);
                }
                // Duplicates before and after count as one atomic thing.
                (false, false) => {
                    let same = old_run.len() == new_run.len()
                        && old_run.iter().zip(new_run).all(|(a, b)| values_equal(a.1, b.1));
                    if !same {
                        out.modified.insert_member(name());
                    }
                }
                (false, true) => {
                    if new_first.is_some() {
                        self.child(list.element, name, None, new_first, out, depth);
                    }
                    out.removed.insert_member(name());
                }
                (true, false) => {
                    if old_first.is_some() {
                        self.child(list.element, name, old_first, None, out, depth);
                    }
                    out.added.insert_member(name());
                }
            }
            (old, new) = (old_rest, new_rest);
        }
    }

    /// Items by name, equal names in list order. Items that cannot be named have no owner.
    fn items<'v>(&self, list: &ListType, items: Option<&'v List>) -> Vec<(PathElement, &'v Value)> {
        let mut named: Vec<(PathElement, &Value)> = items
            .map(|it| it.as_slice())
            .unwrap_or_default()
            .iter()
            .filter_map(|it| Some((list_item(self.types, list, it).ok()?, it)))
            .collect();
        named.sort_by(|a, b| a.0.cmp(&b.0));
        named
    }
}

fn entries(map: Option<&Map>) -> &[(ordain_value::Text, Value)] {
    map.map(Map::entries).unwrap_or_default()
}

fn leaf(old: Option<&Value>, new: Option<&Value>) -> Own {
    match (old, new) {
        (None, _) => Own::Added,
        (_, None) => Own::Removed,
        (Some(old), Some(new)) if !values_equal(old, new) => Own::Modified,
        _ => Own::Nothing,
    }
}
