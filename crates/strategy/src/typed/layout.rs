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

/// Places for the layouts of a structure that are met first.
pub(super) type Layouts = [OnceLock<Box<Layout>>];

/// Places that are free.
pub(super) fn none_yet() -> Box<Layouts> {
    (0..LAYOUTS_MAX).map(|_| OnceLock::new()).collect()
}

/// Runs something with the layout of an object.
#[inline]
pub(super) fn with<R>(
    known: &Layouts,
    (node, form, fills): (&Node, &Form, bool),
    given: &Map,
    skip: &[&str],
    run: impl FnOnce(&Layout) -> R,
) -> R {
    let mut slots = known.iter();
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
        drop(slot.set(Box::new(layout.remembered(given, skip))));
    }
    done
}
