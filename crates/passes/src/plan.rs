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
    /// What validation can tell about a value at a glance.
    pub(crate) glance: Glance,
    /// Without junctors, enum and format: a value of the right type is looked into directly.
    pub(crate) plain: bool,
    /// Integers from and up to which pass; none when the first is greater.
    pub(crate) ints: (i64, i64),
    pub(crate) additional: Additional,
    pub(crate) items: Option<Id>,
    pub(crate) properties: Properties,
    /// Positions of properties that have a default or hold one somewhere.
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
#[derive(Clone, Copy, Debug)]
pub(crate) struct Defaulting {
    pub(crate) head: u64,
    /// Position in [`Properties`].
    pub(crate) property: usize,
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

/// Declared properties in key order. A search compares numbers made of the ends of names and touches
/// a name only when it is longer than both ends together.
#[derive(Debug, Default)]
pub(crate) struct Properties(Box<[Property]>);

#[derive(Debug)]
pub(crate) struct Property {
    ends: Ends,
    pub(crate) node: Id,
    /// What validation can tell about a value here without the node.
    pub(crate) glance: Glance,
    pub(crate) required: bool,
    pub(crate) name: Text,
}

impl Property {
    pub(crate) fn new(name: Text, node: Id, required: bool) -> Self {
        Property { ends: Ends::of(&name), node, glance: Glance::default(), required, name }
    }
}

impl Properties {
    /// `entries` are in key order.
    pub(crate) fn new(entries: Vec<Property>) -> Self {
        Properties(entries.into())
    }

    pub(crate) fn entries(&self) -> &[Property] {
        &self.0
    }

    pub(crate) fn entries_mut(&mut self) -> &mut [Property] {
        &mut self.0
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Property> {
        self.sweep().find_ahead(name)
    }

    /// Keys come in ascending order, so walking an object and its schema together is one sweep.
    #[inline]
    pub(crate) fn sweep(&self) -> Sweep<'_> {
        Sweep(&self.0)
    }

    /// Goes on after some of them.
    pub(crate) fn sweep_from(&self, swept: usize) -> Sweep<'_> {
        Sweep(self.0.get(swept..).unwrap_or_default())
    }
}

/// Properties that the keys to come may name.
pub(crate) struct Sweep<'a>(&'a [Property]);

/// With more properties than this ahead a search halves them.
const SCAN_MAX: usize = 24;

impl<'a> Sweep<'a> {
    /// How many properties are ahead.
    pub(crate) fn ahead(&self) -> usize {
        self.0.len()
    }

    /// The property of a key that is greater than all asked for before.
    #[inline]
    pub(crate) fn find(&mut self, key: &Text) -> Option<&'a Property> {
        let (first, after) = self.0.split_first()?;
        if first.name == *key {
            self.0 = after;
            return Some(first);
        }
        self.find_ahead(key)
    }

    fn find_ahead(&mut self, key: &str) -> Option<&'a Property> {
        let wanted = Ends::of(key);
        if self.0.len() > SCAN_MAX {
            let ahead = self.0.partition_point(|it| it.ends.head < wanted.head);
            self.0 = self.0.get(ahead..).unwrap_or_default();
        }
        loop {
            let (first, after) = self.0.split_first()?;
            if first.ends.head > wanted.head {
                return None;
            }
            if first.ends == wanted && (wanted.len <= 16 || first.name == key) {
                self.0 = after;
                return Some(first);
            }
            if first.ends.head == wanted.head && first.name.as_str() > key {
                return None;
            }
            self.0 = after;
        }
    }
}

/// The first eight bytes as a number that sorts like the text.
#[inline]
pub(crate) fn head(bytes: &[u8]) -> u64 {
    if let Some(chunk) = bytes.first_chunk::<8>() {
        return u64::from_be_bytes(*chunk);
    }
    // Two loads that overlap in the middle make up every shorter length.
    let unused = 8_u32.wrapping_sub(bytes.len() as u32).wrapping_mul(8);
    if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        let (first, last) = (u32::from_be_bytes(*first), u32::from_be_bytes(*last));
        return u64::from(first) << 32 | u64::from(last).wrapping_shl(unused);
    }
    if let (Some(first), Some(last)) = (bytes.first_chunk::<2>(), bytes.last_chunk::<2>()) {
        let (first, last) = (u16::from_be_bytes(*first), u16::from_be_bytes(*last));
        return u64::from(first) << 48 | u64::from(last).wrapping_shl(unused);
    }
    bytes.first().map_or(0, |it| u64::from(*it) << 56)
}

/// The last eight bytes as a number; nothing for texts that [`head`] covers.
#[inline]
fn tail(bytes: &[u8]) -> u64 {
    if bytes.len() <= 8 {
        return 0;
    }
    bytes.last_chunk::<8>().map_or(0, |it| u64::from_be_bytes(*it))
}

/// The ends and the length of a text: all of it, up to 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ends {
    head: u64,
    tail: u64,
    /// Texts too long for this number are told apart by their bytes.
    len: u32,
}

impl Ends {
    #[inline]
    pub(crate) fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        Ends { head: head(bytes), tail: tail(bytes), len: bytes.len() as u32 }
    }
}

/// What can be determined about a value from its kind and its length alone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Glance {
    /// Kinds of values that need not be looked at.
    pub(crate) free: Kinds,
    /// Texts of at least this many bytes …
    pub(crate) text_from: u32,
    /// … and fewer than this many pass.
    pub(crate) text_below: u32,
}

impl Default for Glance {
    fn default() -> Self {
        Glance { free: Kinds::NONE, text_from: u32::MAX, text_below: 0 }
    }
}

impl Glance {
    /// Whether a value surely passes; false means that it has to be looked at.
    #[inline]
    pub(crate) fn passes(self, value: &Value) -> bool {
        match value {
            Value::Str(text) => {
                let len = text.len();
                (self.text_from as usize) <= len && len < self.text_below as usize
            }
            _ => self.free.has(value),
        }
    }
}

/// A set of kinds of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kinds(u8);

impl Kinds {
    pub(crate) const NONE: Kinds = Kinds(0);
    pub(crate) const ALL: Kinds = Kinds(0x7f);
    pub(crate) const NULL: Kinds = Kinds(1);
    pub(crate) const BOOL: Kinds = Kinds(2);
    pub(crate) const INT: Kinds = Kinds(4);
    pub(crate) const FLOAT: Kinds = Kinds(8);
    pub(crate) const STR: Kinds = Kinds(16);
    pub(crate) const LIST: Kinds = Kinds(32);
    pub(crate) const MAP: Kinds = Kinds(64);

    pub(crate) fn with(self, other: Kinds, wanted: bool) -> Kinds {
        if wanted { Kinds(self.0 | other.0) } else { self }
    }

    #[inline]
    pub(crate) fn has(self, value: &Value) -> bool {
        let kind = match value {
            Value::Null => Kinds::NULL,
            Value::Bool(_) => Kinds::BOOL,
            Value::Int(_) => Kinds::INT,
            Value::Float(_) => Kinds::FLOAT,
            Value::Str(_) => Kinds::STR,
            Value::List(_) => Kinds::LIST,
            Value::Map(_) => Kinds::MAP,
        };
        self.0 & kind.0 != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_sort_like_the_texts() {
        let texts =
            ["", "\u{1}", "a", "a\u{1}", "aa", "aaaaaaaa", "aaaaaaaab", "aaaaaaab", "b", "é"];
        for (a, b) in texts.iter().zip(&texts[1..]) {
            assert!(head(a.as_bytes()) <= head(b.as_bytes()), "{a:?} {b:?}");
        }
    }

    #[test]
    fn a_sweep_finds_every_property() {
        let mut names: Vec<String> = (0..100).map(|i| format!("property{i:03}")).collect();
        names.extend((0..40).map(|i| format!("property-with-a-long-name-{i:03}")));
        names.extend(["a", "ab", "abc", "abcd", "abcde", "abcdef", "abcdefg"].map(str::to_owned));
        names.sort();
        let properties = Properties::new(
            (0..).zip(&names).map(|(i, name)| Property::new(name.into(), Id(i), false)).collect(),
        );
        let mut sweep = properties.sweep();
        for name in names.iter().step_by(7) {
            assert!(sweep.find(&format!("{name}!").into()).is_none());
        }
        let mut sweep = properties.sweep();
        for (i, name) in names.iter().enumerate().step_by(3) {
            let found = sweep.find(&name.into()).map(|it| it.node.0 as usize);
            assert_eq!(found, Some(i));
        }
        assert!(properties.get("property0").is_none());
        assert!(properties.get("zz").is_none());
    }
}
