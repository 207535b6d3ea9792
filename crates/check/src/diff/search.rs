//! Looks for an object that the old schema takes and the new one does not.

use ordain_value::{List, Map, Value, value};

use super::keyword::Effect;
use super::walk::{Difference, Probe, Step};
use super::{Safety, sample};
use crate::kind::{Kind, Verdict};

/// Both versions of a kind, compiled.
pub(super) struct Search {
    old: Kind,
    new: Kind,
}

/// An object that shows what a change does.
pub(super) struct Found {
    pub(super) object: Value,
    pub(super) safety: Safety,
    pub(super) why: String,
}

/// Ways to fill what stands around a place.
const AROUND: u32 = 12;

impl Search {
    pub(super) fn new(old: Kind, new: Kind) -> Search {
        Search { old, new }
    }

    /// Tries every probe in several surroundings; the engine confirms.
    pub(super) fn counter_example(&self, root: &Value, change: &Difference) -> Option<Found> {
        for around in 0..AROUND {
            for probe in &change.probes {
                let mut object = place(root, &change.steps, probe, around, 0);
                self.frame(&mut object);
                if let Some(found) = self.shows(object, change.effect) {
                    return Some(found);
                }
            }
        }
        None
    }

    /// Type and metadata.
    fn frame(&self, object: &mut Value) {
        if !matches!(object, Value::Map(_)) {
            *object = Value::Map(Map::new());
        }
        object.set_path(&["apiVersion"], self.old.api_version().into());
        object.set_path(&["kind"], self.old.kind.as_str().into());
        object.set_path(&["metadata"], value!({"name": "example"}));
    }

    fn shows(&self, object: Value, effect: Effect) -> Option<Found> {
        let before = self.old.judge_create(&object);
        if !before.is_accepted() {
            return None;
        }
        let after = self.new.judge_create(&object);
        if after.is_accepted() {
            let kept = before.object != after.object;
            if effect != Effect::Changes || !kept {
                return None;
            }
            let why = "the object is accepted, but kept as something else".to_owned();
            return Some(Found { object, safety: Safety::Breaking, why });
        }
        // What is stored is changed elsewhere: does the server forgive the rest?
        let mut touched = object.clone();
        touched.set_path(&["metadata", "labels"], value!({"touched": "yes"}));
        let update = self.new.judge_update(&touched, &object);
        let safety = if update.is_accepted() { Safety::Ratcheted } else { Safety::Breaking };
        let why = match safety {
            Safety::Ratcheted => format!("new objects: {}; stored ones may stay", told(&after)),
            _ => told(&update),
        };
        Some(Found { object, safety, why })
    }
}

/// What a verdict says, in one line.
fn told(verdict: &Verdict) -> String {
    if let Some(why) = &verdict.unreadable {
        return why.clone();
    }
    let unknown = verdict.unknown.iter().map(|it| format!("unknown field \"{it}\""));
    unknown.chain(verdict.errors.iter().map(ToString::to_string)).next().unwrap_or_default()
}

/// A value for a schema with the probe at a place inside it.
fn place(schema: &Value, steps: &[Step], probe: &Probe, around: u32, depth: usize) -> Value {
    let Some((step, rest)) = steps.split_first() else {
        return match probe {
            Probe::Value(value) => value.clone(),
            Probe::Without(name) => {
                let mut value = sample::value(schema, around, depth);
                if let Value::Map(map) = &mut value {
                    map.remove(name);
                }
                value
            }
        };
    };
    let mut value = sample::value(schema, around, depth);
    match step {
        Step::Field(name) => {
            let inner = schema.get_path(&["properties", name]).cloned().unwrap_or_default();
            let inner = place(&inner, rest, probe, around, depth + 1);
            if !matches!(value, Value::Map(_)) {
                value = Value::Map(Map::new());
            }
            if let Value::Map(map) = &mut value {
                map.insert(name.clone(), inner);
            }
            value
        }
        Step::Item => {
            let inner = schema.get("items").cloned().unwrap_or_default();
            let item = place(&inner, rest, probe, around, depth + 1);
            let mut list = match value {
                Value::List(list) => list.to_vec(),
                _ => Vec::new(),
            };
            match list.first_mut() {
                Some(first) => *first = item,
                None => list.push(item),
            }
            List::from(list).into()
        }
        Step::Entry => {
            let inner = schema.get("additionalProperties").cloned().unwrap_or_default();
            let inner = place(&inner, rest, probe, around, depth + 1);
            let mut map = match value {
                Value::Map(map) => map,
                _ => Map::new(),
            };
            map.insert("key0", inner);
            Value::Map(map)
        }
    }
}
