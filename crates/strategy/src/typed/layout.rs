//! What becomes of a structure by the keys that were sent of it.
//!
//! Objects of one structure come in few sets of keys. From such a set follows which property each key
//! is, which keys are unknown and what is written for those that were not sent, so that this is found
//! out once, and reading another object with the same keys only looks at its values.

use std::sync::OnceLock;

use ordain_schema::{Node, NodeId};
use ordain_value::{Map, Text, Value};

use super::form::Form;

/// So many sets of keys of a structure are remembered; others are laid out each time.
const LAYOUTS_MAX: usize = 8;

/// Larger objects are not remembered.
const KEYS_MAX: usize = 64;

/// A set of keys, and what becomes of an object that has them.
#[derive(Debug)]
pub(super) struct Layout {
    /// Each with whether its value is null.
    keys: Box<[(Text, bool)]>,
    /// The fields that are read elsewhere.
    skip: Box<[Text]>,
    /// In the order in which the structure is written.
    pub(super) steps: Vec<Step>,
    /// How many fields are written that were not sent.
    pub(super) added: usize,
    /// At least the bytes of the keys, and of what is written for fields that were not sent.
    pub(super) weight: usize,
}

/// What becomes of one entry, or what comes between two.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// The entry is read as this node.
    Sent(usize, NodeId),
    /// The entry goes: it is null, or read elsewhere.
    Gone(usize),
    /// The entry is no property.
    Unknown(usize),
    /// A field that was not sent is written before the entry with this place.
    Absent(usize, Text, Value),
    /// A null gets the value of a field that was not sent.
    Unset(usize, Value),
}

impl Layout {
    /// Lays out an object of a structure.
    fn of(node: &Node, form: &Form, fills: bool, given: &Map, skip: &[&str]) -> Self {
        let mut absent = form.absent_fields(fills).iter().peekable();
        let name = |at: usize| &node.properties[at].0;
        let is_skipped = |name: &str| skip.contains(&name);
        let mut steps = Vec::with_capacity(given.len() + absent.len());
        let mut added = 0;
        let mut add = |steps: &mut Vec<Step>, at: usize, (property, zero): &(usize, Value)| {
            if !is_skipped(name(*property)) {
                steps.push(Step::Absent(at, name(*property).clone(), zero.clone()));
                added += 1;
            }
        };
        for (at, (key, value)) in given.iter().enumerate() {
            let found = form.property(node, key);
            let (Some(property), false) = (found, is_skipped(key)) else {
                let unknown = found.is_none() && !is_skipped(key);
                steps.push(if unknown { Step::Unknown(at) } else { Step::Gone(at) });
                continue;
            };
            while let Some(before) = absent.next_if(|it| it.0 < property) {
                add(&mut steps, at, before);
            }
            let unsent = absent.next_if(|it| it.0 == property).map(|it| it.1.clone());
            steps.push(match (value.is_null(), unsent) {
                (false, _) => Step::Sent(at, node.properties[property].1),
                (true, Some(zero)) => Step::Unset(at, zero),
                (true, None) => Step::Gone(at),
            });
        }
        absent.for_each(|it| add(&mut steps, given.len(), it));
        let bytes = |step: &Step| match step {
            Step::Sent(at, _) => given.entries()[*at].0.len() + 4,
            Step::Absent(_, name, value) => (name.len() + 4).saturating_add(weight_of(value)),
            Step::Gone(_) | Step::Unknown(_) | Step::Unset(..) => 0,
        };
        let weight = steps.iter().map(bytes).fold(2, usize::saturating_add);
        Self { keys: Box::default(), skip: Box::default(), steps, added, weight }
    }

    /// With what it is found by.
    fn remembered(self, given: &Map, skip: &[&str]) -> Self {
        let keys = given.iter().map(|(key, value)| (key.clone(), value.is_null())).collect();
        Self { keys, skip: skip.iter().map(|it| Text::from(*it)).collect(), ..self }
    }

    fn has_unknown(&self) -> bool {
        self.steps.iter().any(|it| matches!(it, Step::Unknown(_)))
    }

    /// Whether an object has just these keys.
    #[inline]
    fn fits(&self, given: &Map, skip: &[&str]) -> bool {
        let entries = given.entries();
        entries.len() == self.keys.len()
            && entries
                .iter()
                .zip(&self.keys)
                .all(|(it, key)| it.0 == key.0 && it.1.is_null() == key.1)
            && skip.len() == self.skip.len()
            && skip.iter().zip(&self.skip).all(|(it, own)| own == it)
    }
}

/// The bytes of what a declaration writes, as [`ordain_value::json::fits`] counts them; none are enough
/// for a float, which is never weighed.
fn weight_of(value: &Value) -> usize {
    let sum = |bytes: &mut dyn Iterator<Item = usize>| bytes.fold(2, usize::saturating_add);
    match value {
        Value::Null | Value::Bool(_) | Value::Int(_) => 4,
        Value::Float(_) => usize::MAX,
        Value::Str(text) => text.len() + 2,
        Value::List(list) => sum(&mut list.iter().map(|it| weight_of(it).saturating_add(1))),
        Value::Map(map) => {
            let entry = |(key, it): (&Text, &Value)| weight_of(it).saturating_add(key.len() + 4);
            sum(&mut map.iter().map(entry))
        }
    }
}

/// The layouts of a structure that were met first. Most structures of a kind are never met.
#[derive(Debug, Default)]
pub(super) struct Layouts(OnceLock<Box<[OnceLock<Layout>; LAYOUTS_MAX]>>);

/// Runs something with the layout of an object.
#[inline]
pub(super) fn with<R>(
    known: &Layouts,
    (node, form, fills): (&Node, &Form, bool),
    given: &Map,
    skip: &[&str],
    run: impl FnOnce(&Layout) -> R,
) -> R {
    let mut slots = known.0.get_or_init(Box::default).iter();
    let free = loop {
        match slots.next().map(|slot| (slot, slot.get())) {
            Some((_, Some(layout))) if layout.fits(given, skip) => return run(layout),
            Some((_, Some(_))) => {}
            Some((slot, None)) => break Some(slot),
            None => break None,
        }
    };
    let layout = Layout::of(node, form, fills, given, skip);
    let done = run(&layout);
    if let Some(slot) = free.filter(|_| given.len() <= KEYS_MAX && !layout.has_unknown()) {
        // Where another thread was first, this one is laid out again when it is met again.
        drop(slot.set(layout.remembered(given, skip)));
    }
    done
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ordain_schema::model::Declared;
    use ordain_schema::{Additional, Schema, Type};
    use proptest::prelude::*;

    use super::*;
    use crate::typed::codec::{self, Findings};
    use crate::typed::form::Forms;

    fn node(ty: Type, go_type: &str, declared: Declared) -> Node {
        let declared = Declared { go_type: Some(go_type.into()), ..declared };
        Node { ty, declared: Some(Box::new(declared)), ..Node::default() }
    }

    /// A structure with fields of all kinds, itself among them.
    fn schema() -> Arc<Schema> {
        let plain = Declared::default;
        let pointer = || Declared { pointer: true, ..plain() };
        let omitted = || Declared { strip_zero: true, ..plain() };
        let with = |default: Value, node: Node| Node { default: Some(default), ..node };
        let number = |it| NodeId(it);
        let texts = Node { items: Some(number(1)), ..node(Type::Array, "[]string", omitted()) };
        let labels = Node {
            additional: Additional::Node(number(1)),
            ..node(Type::Object, "map[string]string", omitted())
        };
        let list = Node { items: Some(number(0)), ..node(Type::Array, "[]v1.A", omitted()) };
        let mut nodes = vec![
            node(Type::Object, "v1.A", Declared { pointer: true, strip_zero: true, ..plain() }),
            node(Type::String, "string", plain()),
            node(Type::String, "string", omitted()),
            with(Value::Int(3), node(Type::Integer, "int32", omitted())),
            node(Type::Boolean, "bool", pointer()),
            texts,
            labels,
            list,
            node(Type::Number, "float64", omitted()),
            node(Type::String, "resource.Quantity", omitted()),
            node(Type::Any, "interface {}", omitted()),
            node(Type::String, "[]uint8", omitted()),
        ];
        let places = ('b'..).zip(1..nodes.len() as u32);
        let fields: Vec<_> =
            places.map(|(name, at)| (Text::from(name.to_string()), NodeId(at))).collect();
        nodes[0].properties = fields;
        nodes[0].properties.insert(0, ("a".into(), NodeId(0)));
        Arc::new(Schema::new(nodes, NodeId(0)).unwrap())
    }

    fn value() -> impl Strategy<Value = Value> {
        let scalar = prop_oneof![
            4 => "[a-z]{0,3}".prop_map(Value::from),
            2 => (-2..200_i64).prop_map(Value::Int),
            2 => any::<bool>().prop_map(Value::Bool),
            1 => Just(Value::Null),
            1 => Just(Value::Float(0.5)),
            1 => Just(Value::from("100m")),
            1 => Just(Value::from("0.5")),
        ];
        scalar.prop_recursive(4, 24, 6, |inner| {
            let fields = prop::collection::btree_map("[a-m]", inner.clone(), 0..6);
            let map = |it: std::collections::BTreeMap<String, Value>| {
                Value::Map(it.into_iter().map(|(key, it)| (Text::from(key), it)).collect())
            };
            prop_oneof![
                3 => fields.prop_map(map),
                1 => prop::collection::vec(inner, 0..3).prop_map(Value::from),
            ]
        })
    }

    fn read(forms: &Forms, body: &Value, fills: bool) -> Result<(Map, Findings), String> {
        let no_fields = Map::new();
        let body = body.as_map().unwrap_or(&no_fields);
        let read = if fills { codec::decode_filled } else { codec::decode };
        read(forms, body, &["m"]).map_err(|error| error.why)
    }

    proptest! {
        /// What was met before changes nothing about what is read, and what was weighed is no
        /// larger and has no float.
        #[test]
        fn objects_are_read_as_if_they_were_the_first(
            bodies in prop::collection::vec(value(), 1..24),
        ) {
            let schema = schema();
            let known = Forms::new(Arc::clone(&schema));
            for body in bodies.iter().chain(&bodies) {
                for fills in [true, false] {
                    let first = read(&Forms::new(Arc::clone(&schema)), body, fills);
                    let later = read(&known, body, fills);
                    let shown = |it: &Result<(Map, Findings), String>| format!("{it:?}");
                    prop_assert_eq!(shown(&first), shown(&later), "{:?}", body);
                    if let Ok((map, Findings { weight: Some(weight), .. })) = later {
                        let object = Value::Map(map);
                        prop_assert!(ordain_value::json::fits(&object, weight), "{:?}", object);
                        let reread = ordain_value::json::reread(&object);
                        prop_assert_eq!(reread, Some(object));
                    }
                }
            }
        }
    }
}
