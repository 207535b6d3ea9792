//! The compiled form of one kind in one version: everything the passes look up, laid out for walking.

use ordain_schema::{ListType, Type};
use ordain_value::{Text, Value};

use crate::validate::Checks;

/// Schema-guided walks stop here. Schemas of CRDs are trees that are never this deep; only values of recursive
/// declared kinds reach it, and validation refuses those.
pub(crate) const DEPTH_MAX: usize = 256;

/// Index of a [`PlanNode`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Id(pub(crate) u32);

/// The compiled form of one kind in one version. Immutable; share it behind an `Arc`.
#[derive(Debug)]
pub struct Plan {
    pub(crate) nodes: Box<[PlanNode]>,
    pub(crate) root: Id,
    /// The schema of `status`, when the root declares it.
    pub(crate) status: Option<Id>,
}

impl Plan {
    pub(crate) fn node(&self, id: Id) -> &PlanNode {
        &self.nodes[id.0 as usize]
    }

    /// Whether any place of the schema has a default.
    #[must_use]
    pub fn has_defaults(&self) -> bool {
        self.node(self.root).below.defaults
    }

    /// Whether any place of the schema embeds another resource.
    #[must_use]
    pub fn has_embedded_resources(&self) -> bool {
        self.node(self.root).below.embedded
    }
}

/// One place of a schema, compiled.
#[derive(Debug)]
pub(crate) struct PlanNode {
    pub(crate) ty: Type,
    pub(crate) nullable: bool,
    pub(crate) preserve_unknown: bool,
    pub(crate) embedded: bool,
    pub(crate) below: Below,
    pub(crate) additional: Additional,
    pub(crate) items: Option<Id>,
    pub(crate) properties: Properties,
    /// Positions of properties that have a default or hold one somewhere, and whether the default is their own.
    pub(crate) defaulting: Box<[Defaulting]>,
    pub(crate) list_type: Option<ListType>,
    pub(crate) list_map_keys: Box<[Text]>,
    /// The default, pruned and completed with the defaults inside it.
    pub(crate) default: Option<Value>,
    pub(crate) checks: Option<Box<Checks>>,
}

/// What a subtree of the schema holds, so that passes skip the rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Below {
    /// A default, here or deeper.
    pub(crate) defaults: bool,
    /// An embedded resource, here or deeper.
    pub(crate) embedded: bool,
    /// A set or map list, here or deeper.
    pub(crate) list_types: bool,
    /// Anything that validation looks at, here or deeper.
    pub(crate) checks: bool,
}

impl Below {
    pub(crate) fn join(self, other: Below) -> Below {
        Below {
            defaults: self.defaults || other.defaults,
            embedded: self.embedded || other.embedded,
            list_types: self.list_types || other.list_types,
            checks: self.checks || other.checks,
        }
    }
}

/// A property that the default pass looks at.
#[derive(Clone, Debug)]
pub(crate) struct Defaulting {
    /// Position in [`Properties`].
    pub(crate) property: usize,
    pub(crate) prefix: u64,
}

/// What further keys of an object are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Additional {
    /// Unknown fields.
    Absent,
    /// Allowed, without a schema.
    Any,
    /// Refused.
    Forbidden,
    /// Values of this schema.
    Node(Id),
}

/// Declared properties in key order, with the first eight bytes of each name as a number: a search compares
/// numbers and touches a name once.
#[derive(Debug, Default)]
pub(crate) struct Properties {
    prefixes: Box<[u64]>,
    entries: Box<[Property]>,
}

#[derive(Debug)]
pub(crate) struct Property {
    pub(crate) name: Text,
    pub(crate) node: Id,
    pub(crate) required: bool,
}

/// Up to this many neighbours are scanned before a search halves the rest.
const SCAN_MAX: usize = 12;

impl Properties {
    /// `entries` are in key order.
    pub(crate) fn new(entries: Vec<Property>) -> Self {
        let prefixes = entries.iter().map(|it| prefix(&it.name)).collect();
        Properties { prefixes, entries: entries.into() }
    }

    pub(crate) fn entries(&self) -> &[Property] {
        &self.entries
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Property> {
        self.seek(&mut 0, name)
    }

    /// Finds `key` at or after the cursor and leaves the cursor where the next greater key may be.
    /// Keys come in ascending order, so walking an object and its schema together is one sweep over both.
    pub(crate) fn seek(&self, cursor: &mut usize, key: &str) -> Option<&Property> {
        let wanted = prefix(key);
        let rest = self.prefixes.get(*cursor..).unwrap_or_default();
        let mut skipped = rest.iter().take(SCAN_MAX).take_while(|it| **it < wanted).count();
        if skipped == SCAN_MAX {
            skipped += rest[SCAN_MAX..].partition_point(|it| *it < wanted);
        }
        let mut at = *cursor + skipped;
        while let Some(property) = self.entries.get(at).filter(|_| self.prefixes[at] == wanted) {
            match property.name.as_str().cmp(key) {
                std::cmp::Ordering::Less => at += 1,
                std::cmp::Ordering::Equal => {
                    *cursor = at + 1;
                    return Some(property);
                }
                std::cmp::Ordering::Greater => break,
            }
        }
        *cursor = at;
        None
    }
}

/// The first eight bytes as a number that sorts like the text.
pub(crate) fn prefix(key: &str) -> u64 {
    let bytes = key.as_bytes();
    match bytes.first_chunk::<8>() {
        Some(chunk) => u64::from_be_bytes(*chunk),
        None => {
            let mut chunk = [0; 8];
            chunk[..bytes.len()].copy_from_slice(bytes);
            u64::from_be_bytes(chunk)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_sort_like_the_texts() {
        let texts =
            ["", "\u{1}", "a", "a\u{1}", "aa", "aaaaaaaa", "aaaaaaaab", "aaaaaaab", "b", "é"];
        for (a, b) in texts.iter().zip(&texts[1..]) {
            assert!(prefix(a) <= prefix(b), "{a:?} {b:?}");
        }
    }

    #[test]
    fn a_sweep_finds_every_property() {
        let names: Vec<String> = (0..100).map(|i| format!("property{i:03}")).collect();
        let properties = Properties::new(
            (0..)
                .zip(&names)
                .map(|(i, name)| Property { name: name.into(), node: Id(i), required: false })
                .collect(),
        );
        let mut cursor = 0;
        for name in names.iter().step_by(7) {
            assert!(properties.seek(&mut cursor, &format!("{name}-")).is_none() || cursor > 0);
        }
        let mut cursor = 0;
        for (i, name) in names.iter().enumerate().step_by(3) {
            let found = properties.seek(&mut cursor, name).map(|it| it.node.0 as usize);
            assert_eq!(found, Some(i));
        }
        assert!(properties.get("property0").is_none());
        assert!(properties.get("zz").is_none());
    }
}
