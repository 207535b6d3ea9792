//! What reading, defaulting and storing ask of each node of a schema, found out once when a kind is
//! opened: names of Go types are compared here and never again.
//!
//! Invariant: a [`Forms`] runs parallel to the nodes of its schema.

use std::sync::Arc;

use ordain_schema::{Node, NodeId, Schema, Type};
use ordain_value::{Map, Text, Value};

use super::codec::{go_type, is_bytes, is_structure};
use super::layout::Layouts;
use super::special::Special;

/// Declarations may be recursive; no object that is read is deeper than this.
pub(super) const DEPTH_MAX: usize = 64;

/// A schema with the forms of its nodes.
#[derive(Debug)]
pub struct Forms {
    schema: Arc<Schema>,
    forms: Vec<Form>,
}

/// How a value of a node is read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Shape {
    Special(Special),
    Structure,
    /// A map, with the node of its values where they have one.
    Map(Option<NodeId>),
    List(Option<NodeId>),
    /// `[]byte`: base64 text.
    Bytes,
    /// A whole number between these.
    Integer(i64, i64),
    Text,
    Boolean,
    Number,
    Any,
}

/// What is known of one node.
#[derive(Debug)]
pub(super) struct Form {
    pub(super) shape: Shape,
    /// A pointer is written as it is.
    pointer: bool,
    /// The zero value of a field that is no struct is left out.
    strip_zero: bool,
    /// The default, with the defaults inside of it.
    default: Option<Value>,
    /// Of a structure: what is written for fields that were not sent, by place among its properties.
    zeros: Box<[(usize, Value)]>,
    /// The same with defaults.
    filled: Box<[(usize, Value)]>,
    /// Of a structure: where its properties are.
    names: Names,
    /// Of a structure: what becomes of objects by their keys, without defaults and with them.
    layouts: [Layouts; 2],
}

/// Finds properties of a structure by name: their places in a table that is at least half empty,
/// each where the hash of its name says or in the next free slot.
#[derive(Debug, Default)]
struct Names(Box<[u16]>);

impl Names {
    const FREE: u16 = u16::MAX;

    fn of(properties: &[(Text, NodeId)]) -> Self {
        if properties.len() >= usize::from(Self::FREE) {
            return Self::default();
        }
        let mut slots = vec![Self::FREE; (properties.len() * 2).next_power_of_two()];
        let mask = slots.len() - 1;
        for (place, (name, _)) in (0..).zip(properties) {
            let mut at = hash(name.as_bytes()) & mask;
            while slots[at] != Self::FREE {
                at = (at + 1) & mask;
            }
            slots[at] = place;
        }
        Self(slots.into())
    }

    /// The place of a property; the properties are those that this was made of.
    #[inline]
    fn find<N>(&self, properties: &[(Text, NodeId)], name: &N) -> Option<usize>
    where
        N: AsRef<str> + ?Sized,
        Text: PartialEq<N>,
    {
        if self.0.is_empty() {
            return properties.binary_search_by(|it| it.0.as_str().cmp(name.as_ref())).ok();
        }
        let mask = self.0.len() - 1;
        let mut at = hash(name.as_ref().as_bytes()) & mask;
        loop {
            let place = self.0[at];
            if place == Self::FREE {
                return None;
            }
            let place = usize::from(place);
            if properties[place].0 == *name {
                return Some(place);
            }
            at = (at + 1) & mask;
        }
    }
}

/// Length, ends and middle of a name tell those of one structure apart well enough.
#[inline]
fn hash(name: &[u8]) -> usize {
    let byte = |at: usize| name.get(at).map_or(0, |it| usize::from(*it));
    let last = name.len().saturating_sub(1);
    let mixed = byte(0) ^ (byte(last) << 3) ^ (byte(name.len() / 2) << 6) ^ (name.len() << 4);
    mixed ^ (mixed >> 5)
}

impl Forms {
    /// Looks at every node of a schema.
    #[must_use]
    pub fn new(schema: Arc<Schema>) -> Self {
        let forms = schema.nodes().iter().map(Form::of).collect();
        let mut forms = Self { schema, forms };
        for at in 0..forms.forms.len() {
            let node = &forms.schema.nodes()[at];
            if is_structure(node) {
                let zeros = forms.absent(node, false, 0);
                let filled = forms.absent(node, true, 0);
                let form = &mut forms.forms[at];
                (form.zeros, form.filled) = (zeros.into(), filled.into());
            }
            let node = &forms.schema.nodes()[at];
            let default = node.default.as_ref().filter(|it| !forms.forms[at].is_absent(it));
            let default = default.map(|it| forms.fill(node, it, 0));
            forms.forms[at].default = default;
        }
        forms
    }

    /// The same for a schema that does not tell pointers from values: nothing is written that was
    /// not sent.
    #[must_use]
    pub fn as_sent(schema: Arc<Schema>) -> Self {
        let forms = schema.nodes().iter().map(|node| Form { pointer: true, ..Form::of(node) });
        let forms = forms.collect();
        Self { schema, forms }
    }

    /// The schema itself.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    pub(super) fn form(&self, id: NodeId) -> &Form {
        &self.forms[id.index()]
    }

    /// The zero value of a place as it is written.
    pub(super) fn zero(&self, id: NodeId, fills: bool) -> Value {
        self.zero_within(id, fills, 0)
    }

    fn zero_within(&self, id: NodeId, fills: bool, depth: usize) -> Value {
        match self.form(id).shape {
            Shape::Special(special) => special.zero(),
            Shape::Structure => {
                let node = self.schema.node(id);
                let fields = self.absent(node, fills, depth + 1).into_iter();
                let named = fields.map(|(at, value)| (node.properties[at].0.clone(), value));
                Value::Map(Map::from_sorted(named.collect()))
            }
            Shape::Text => Value::str(""),
            Shape::Boolean => Value::Bool(false),
            Shape::Integer(..) | Shape::Number => Value::Int(0),
            Shape::Bytes => Value::str(""),
            Shape::Any if self.schema.node(id).ty == Type::IntOrString => Value::Int(0),
            Shape::Map(_) | Shape::List(_) | Shape::Any => Value::Null,
        }
    }

    /// What is written for the fields of a structure of which none was sent.
    fn absent(&self, node: &Node, fills: bool, depth: usize) -> Vec<(usize, Value)> {
        if depth > DEPTH_MAX {
            return Vec::new();
        }
        let fields = node.properties.iter().enumerate();
        let written = fields.filter_map(|(at, (_, id))| {
            let field = self.schema.node(*id);
            let form = self.form(*id);
            if let Some(default) = field.default.as_ref().filter(|it| fills && !form.is_absent(it))
                && self.absent_field(*id, false, depth).is_none_or(|zero| form.is_absent(&zero))
            {
                return Some((at, self.fill(field, default, depth + 1)));
            }
            Some((at, self.absent_field(*id, fills, depth)?))
        });
        written.collect()
    }

    /// What is written for one field that was not sent.
    fn absent_field(&self, id: NodeId, fills: bool, depth: usize) -> Option<Value> {
        let declared = self.schema.node(id).declared.as_deref()?;
        let form = self.form(id);
        if declared.pointer {
            return (!declared.strip_zero).then_some(Value::Null);
        }
        if declared.strip_zero && !form.is_struct_value() {
            return None;
        }
        if form.shape == Shape::Bytes {
            return Some(Value::Null);
        }
        let zero = self.zero_within(id, fills, depth);
        let left_out = form.is_struct_value() && declared.omit_zero && zero.is_null();
        (!left_out).then_some(zero)
    }

    /// A value that was read without defaults, with those inside of it.
    pub(super) fn filled(&self, id: NodeId, value: &Value) -> Value {
        self.fill(self.schema.node(id), value, 0)
    }

    fn fill(&self, node: &Node, value: &Value, depth: usize) -> Value {
        if depth > DEPTH_MAX {
            return value.clone();
        }
        match value {
            Value::Map(map) if is_structure(node) => {
                let mut map = map.clone();
                for (name, id) in &node.properties {
                    let (field, form) = (self.schema.node(*id), self.form(*id));
                    let given = map.get(name).filter(|it| !form.is_absent(it)).cloned();
                    let default = field.default.clone().filter(|it| !form.is_absent(it));
                    let inner = given.or(default).or_else(|| map.get(name).cloned());
                    if let Some(inner) = inner {
                        map.insert(name.clone(), self.fill(field, &inner, depth + 1));
                    }
                }
                Value::Map(map)
            }
            Value::Map(map) => match node.additional_node() {
                Some(id) => {
                    let element = self.schema.node(id);
                    let filled = map
                        .iter()
                        .map(|(key, inner)| (key.clone(), self.fill(element, inner, depth + 1)));
                    Value::Map(filled.collect())
                }
                None => value.clone(),
            },
            Value::List(list) => match node.items {
                Some(id) => {
                    let element = self.schema.node(id);
                    Value::List(list.iter().map(|it| self.fill(element, it, depth + 1)).collect())
                }
                None => value.clone(),
            },
            _ => value.clone(),
        }
    }
}

impl Form {
    fn of(node: &Node) -> Self {
        let declared = node.declared.as_deref();
        Self {
            shape: Shape::of(node),
            pointer: declared.is_some_and(|it| it.pointer),
            strip_zero: declared.is_some_and(|it| it.strip_zero),
            default: None,
            zeros: Box::default(),
            filled: Box::default(),
            names: if is_structure(node) { Names::of(&node.properties) } else { Names::default() },
            layouts: Default::default(),
        }
    }

    /// The place of a property among those of the node that this is the form of.
    #[inline]
    pub(super) fn property<N>(&self, node: &Node, name: &N) -> Option<usize>
    where
        N: AsRef<str> + ?Sized,
        Text: PartialEq<N>,
    {
        self.names.find(&node.properties, name)
    }

    /// What was found out of objects of a structure by their keys.
    #[inline]
    pub(super) fn layouts(&self, fills: bool) -> &Layouts {
        &self.layouts[usize::from(fills)]
    }

    /// Whether a value is surely written as it was sent: a scalar of the type other than zero. Most
    /// fields are so.
    #[inline]
    pub(super) fn is_kept(&self, value: &Value) -> bool {
        match (self.shape, value) {
            (Shape::Text, Value::Str(text)) => !text.is_empty(),
            (Shape::Boolean, Value::Bool(flag)) => *flag,
            (Shape::Integer(least, most), Value::Int(number)) => {
                *number != 0 && (least..=most).contains(number)
            }
            _ => false,
        }
    }

    /// What is written for the fields of a structure that were not sent.
    pub(super) fn absent_fields(&self, fills: bool) -> &[(usize, Value)] {
        if fills { &self.filled } else { &self.zeros }
    }

    /// What takes the place of a value that counts as absent.
    pub(super) fn default_for(&self, value: &Value) -> Option<&Value> {
        self.default.as_ref().filter(|_| self.is_absent(value))
    }

    /// Whether it shows only without the defaults inside whether a value counts as absent.
    pub(super) fn is_judged_empty(&self) -> bool {
        self.default.is_some() && self.shape == Shape::Structure
    }

    /// Whether a value that was sent is not written.
    pub(super) fn leaves_out(&self, value: &Value) -> bool {
        !self.pointer && self.strip_zero && !self.is_struct_value() && is_empty(value)
    }

    /// Whether Go holds the value as a struct, which `omitempty` never leaves out.
    pub(super) fn is_struct_value(&self) -> bool {
        matches!(self.shape, Shape::Structure | Shape::Special(_))
    }

    /// Whether reading a stored empty value back gives none: protobuf does not tell them apart.
    pub(super) fn is_forgotten(&self, value: &Value) -> bool {
        match value {
            Value::List(list) => list.is_empty(),
            Value::Map(map) => map.is_empty() && !self.is_struct_value(),
            _ => false,
        }
    }

    /// Whether what is forgotten leaves nothing behind, not even null.
    pub(super) fn is_stripped(&self) -> bool {
        self.strip_zero
    }

    /// Null, or the zero value of a field that is no pointer (KEP-1929). A default that is absent in
    /// this sense changes nothing.
    fn is_absent(&self, value: &Value) -> bool {
        value.is_null() || (!self.pointer && is_empty(value))
    }
}

impl Shape {
    fn of(node: &Node) -> Self {
        if let Some(special) = Special::of(node) {
            return Self::Special(special);
        }
        match node.ty {
            Type::Object if is_structure(node) => Self::Structure,
            Type::Object => Self::Map(node.additional_node()),
            Type::Array => Self::List(node.items),
            Type::String if is_bytes(node) => Self::Bytes,
            Type::String => Self::Text,
            Type::Boolean => Self::Boolean,
            Type::Number => Self::Number,
            Type::Any | Type::IntOrString => Self::Any,
            Type::Integer => {
                let (least, most) = range(go_type(node));
                Self::Integer(least, most)
            }
        }
    }
}

/// The whole numbers that a Go type holds.
fn range(go_type: &str) -> (i64, i64) {
    match go_type {
        "int32" => (i32::MIN.into(), i32::MAX.into()),
        "int16" => (i16::MIN.into(), i16::MAX.into()),
        "int8" => (i8::MIN.into(), i8::MAX.into()),
        "uint8" => (0, u8::MAX.into()),
        "uint16" => (0, u16::MAX.into()),
        "uint32" => (0, u32::MAX.into()),
        "uint" | "uint64" => (0, i64::MAX),
        _ => (i64::MIN, i64::MAX),
    }
}

/// Whether a value is Go's zero value, or nothing in a list or map.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(flag) => !flag,
        Value::Int(number) => *number == 0,
        Value::Float(number) => *number == 0.0,
        Value::Str(text) => text.is_empty(),
        Value::List(list) => list.is_empty(),
        Value::Map(map) => map.is_empty(),
    }
}

/// The entries of a map that mostly stay as they are: copied only when the first of them changes.
pub(super) struct Edited<'a> {
    given: &'a [(Text, Value)],
    changed: Option<Vec<(Text, Value)>>,
    /// How many fields may come besides.
    more: usize,
}

impl<'a> Edited<'a> {
    pub(super) fn new(given: &'a [(Text, Value)], more: usize) -> Self {
        Self { given, changed: None, more }
    }

    /// The entries up to here, to be changed.
    fn upto(&mut self, at: usize) -> &mut Vec<(Text, Value)> {
        self.changed.get_or_insert_with(|| {
            let mut entries = Vec::with_capacity(self.given.len() + self.more);
            entries.extend_from_slice(&self.given[..at]);
            entries
        })
    }

    pub(super) fn keep(&mut self, at: usize) {
        if let Some(entries) = &mut self.changed {
            entries.push(self.given[at].clone());
        }
    }

    pub(super) fn drop(&mut self, at: usize) {
        self.upto(at);
    }

    pub(super) fn replace(&mut self, at: usize, value: Value) {
        let key = self.given[at].0.clone();
        self.upto(at).push((key, value));
    }

    /// Puts an entry in before the one at this place.
    pub(super) fn insert(&mut self, at: usize, key: Text, value: Value) {
        self.upto(at).push((key, value));
    }

    /// The entries, if any of them changed.
    pub(super) fn finish(self) -> Option<Map> {
        self.changed.map(Map::from_sorted)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use ordain_schema::NodeId;
    use ordain_value::Text;
    use proptest::prelude::*;

    use super::Names;

    proptest! {
        /// The table finds what a search through the sorted names finds.
        #[test]
        fn names_are_found_as_by_search(
            names in prop::collection::btree_set("[a-cA]{0,4}", 1..60),
            others in prop::collection::vec("[a-cA]{0,5}", 0..60),
        ) {
            let root = NodeId(0);
            let properties: Vec<(Text, _)> =
                names.iter().map(|name| (Text::from(name.as_str()), root)).collect();
            let table = Names::of(&properties);
            let all: BTreeSet<&String> = names.iter().chain(&others).collect();
            for name in all {
                let searched = properties.binary_search_by(|it| it.0.as_str().cmp(name)).ok();
                prop_assert_eq!(table.find(&properties, name.as_str()), searched, "{}", name);
                let text = Text::from(name.as_str());
                prop_assert_eq!(table.find(&properties, &text), searched, "{}", name);
            }
        }
    }
}
