//! How large a value is when it is written out. In an evaluation, parts are shared: a list whose
//! items are one and the same list takes up little, and each level of such lists doubles what is
//! written.

use ordain_value::Value as Tree;

use super::Val;

/// What an item, an entry or a single value counts, beside its text.
const VALUE: usize = 16;
/// More than an object may hold that is sent to an API server.
const MAX: usize = 32 << 20;

/// What is nested deeper is not counted: whoever writes values out refuses it or cuts it off.
const DEPTH_MAX: usize = 1_000;

/// Whether the value, written out as a tree, could be part of an object: the bytes of its texts, and
/// a few for each value in it, are no more than any may have. No more than that is looked at.
#[must_use]
pub fn fits(value: &Val<'_>) -> bool {
    is_within(value, MAX)
}

fn is_within(value: &Val<'_>, max: usize) -> bool {
    Walk { left: max, depth: 0 }.value(value).is_some()
}

struct Walk {
    left: usize,
    depth: usize,
}

impl Walk {
    fn pay(&mut self, text: usize) -> Option<()> {
        self.left = self.left.checked_sub(text.saturating_add(VALUE))?;
        Some(())
    }

    /// Pays for a list, a map or an optional value, and goes on with what is inside.
    fn inside(&mut self, go_on: impl FnOnce(&mut Self) -> Option<()>) -> Option<()> {
        self.pay(0)?;
        if self.depth >= DEPTH_MAX {
            return Some(());
        }
        self.depth += 1;
        let outcome = go_on(self);
        self.depth -= 1;
        outcome
    }

    fn value(&mut self, value: &Val<'_>) -> Option<()> {
        match value {
            Val::Str(text) | Val::Type(text) => self.pay(text.as_str().len()),
            Val::Bytes(bytes) => self.pay(bytes.as_slice().len()),
            Val::Optional(Some(inner)) => self.inside(|walk| walk.value(inner)),
            Val::List(list) => {
                self.inside(|walk| list.iter().flatten().try_for_each(|item| walk.value(&item)))
            }
            Val::Map(map) => self.inside(|walk| {
                map.keys().iter().try_for_each(|key| {
                    walk.value(key)?;
                    map.find(key).ok().flatten().map_or(Some(()), |below| walk.value(&below))
                })
            }),
            Val::Preserved(tree) => self.tree(tree),
            _ => self.pay(0),
        }
    }

    fn tree(&mut self, tree: &Tree) -> Option<()> {
        match tree {
            Tree::Str(text) => self.pay(text.len()),
            Tree::List(list) => {
                self.inside(|walk| list.iter().try_for_each(|item| walk.tree(item)))
            }
            Tree::Map(map) => self.inside(|walk| {
                map.iter().try_for_each(|(key, below)| {
                    walk.pay(key.len())?;
                    walk.tree(below)
                })
            }),
            _ => self.pay(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shared_part_counts_as_often_as_it_is_written() {
        let mut value = Val::list(vec![Val::Int(1); 4]);
        assert!(is_within(&value, 5 * VALUE));
        assert!(!is_within(&value, 5 * VALUE - 1));
        for _ in 0..200 {
            value = Val::list(vec![value.clone(), value]);
        }
        assert!(!fits(&value));
        let text = Val::string("0123456789".repeat(100));
        assert!(is_within(&Val::list(vec![text.clone(); 10]), 11_000));
        assert!(!is_within(&Val::list(vec![text; 11]), 11_000));
    }
}
