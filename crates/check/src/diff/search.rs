//! Looks for an object that the old schema takes and the new one does not.

use ordain_value::field::Error;
use ordain_value::{List, Value, value};

use super::keyword::Effect;
use super::walk::{Difference, Probe, Step};
use super::{Safety, sample};
use crate::coverage::general;
use crate::kind::{Kind, Verdict, is_rules_unchecked};

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

/// Objects that are tried for one change: what is not found among these is rarely found at all.
const TRIED_MAX: usize = 240;

impl Search {
    pub(super) fn new(old: Kind, new: Kind) -> Search {
        Search { old, new }
    }

    /// Tries every probe in several surroundings; the engine confirms. `root` is what both schemas
    /// ask for, so that an example breaks nothing but the change in question.
    pub(super) fn counter_example(&self, root: &Value, change: &Difference) -> Option<Found> {
        let mut left = TRIED_MAX;
        for around in 0..AROUND {
            let mut seen = None;
            for probe in &change.probes {
                left = left.checked_sub(1)?;
                let mut object = match (&seen, probe) {
                    (Some(frame), Probe::Value(value)) => put(frame, &change.steps, value),
                    _ => place(root, &change.steps, probe, around, 0),
                };
                self.old.frame(&mut object);
                match self.shows(&object, change) {
                    Shown::Evidence(found) => return Some(found),
                    // What stands around the place is refused already.
                    Shown::Hopeless => break,
                    Shown::Nothing => seen = Some(object),
                }
            }
        }
        None
    }

    fn shows(&self, object: &Value, change: &Difference) -> Shown {
        let before = judged(&self.old, object, change);
        if !before.is_accepted() {
            return if concerns(&before, change, false) { Shown::Nothing } else { Shown::Hopeless };
        }
        let after = judged(&self.new, object, change);
        if after.is_accepted() {
            let at = |verdict: &Verdict| {
                verdict.object.as_ref().and_then(|it| read(it, &change.blamed)).cloned()
            };
            if change.effect != Effect::Changes || at(&before) == at(&after) {
                return Shown::Nothing;
            }
            let why = "the object is accepted, but kept as something else".to_owned();
            return Shown::Evidence(Found {
                object: object.clone(),
                safety: Safety::Breaking,
                why,
            });
        }
        if !concerns(&after, change, true) {
            return Shown::Nothing;
        }
        // What is stored is changed elsewhere: does the server forgive the rest?
        let mut touched = object.clone();
        touched.set_path(&["metadata", "labels"], value!({"touched": "yes"}));
        let update = self.new.judge_update(&touched, object);
        let safety = if update.is_accepted() { Safety::Ratcheted } else { Safety::Breaking };
        let why = match safety {
            Safety::Ratcheted => format!("new objects: {}; stored ones may stay", reported(&after)),
            _ => reported(&update),
        };
        Shown::Evidence(Found { object: object.clone(), safety, why })
    }
}

/// The verdict on a new object; on its status when the change is there and has an endpoint of its
/// own.
fn judged(kind: &Kind, object: &Value, change: &Difference) -> Verdict {
    let in_status = matches!(change.steps.first(), Some(Step::Field(name)) if name == "status");
    if !(in_status && kind.has_status) {
        return kind.judge_create(object);
    }
    let mut before = object.clone();
    before.remove_path(&["status"]);
    kind.judge_status(object, &before)
}

/// What an object shows.
enum Shown {
    Evidence(Found),
    /// It was refused before, or is accepted still, or is refused for something else.
    Nothing,
    /// It was refused before for what stands around the place.
    Hopeless,
}

/// Whether all that a verdict refuses is at the place of a change, and in its words.
fn concerns(verdict: &Verdict, change: &Difference, in_its_words: bool) -> bool {
    if verdict.unreadable.is_some() || verdict.refusal.is_some() {
        return false;
    }
    let inside = |path: &str| {
        let path = shape(path);
        path.strip_prefix(change.blamed.as_str()).is_some_and(|rest| {
            rest.is_empty() || rest.starts_with(['.', '[']) || change.blamed.is_empty()
        })
    };
    let fits = |error: &Error| {
        let words = change.words.as_ref().filter(|_| in_its_words);
        inside(&error.path) && words.is_none_or(|it| error.detail().contains(it.as_str()))
    };
    let errors = verdict.errors.iter().filter(|it| !is_rules_unchecked(it));
    errors.into_iter().all(fits) && verdict.unknown.iter().all(|it| inside(it))
}

/// A path of an object as one of a schema: `spec.a[0].m[key0]` is `spec.a[].m[*]`.
fn shape(path: &str) -> String {
    general(path.trim_start_matches('.')).replace(&format!(".{ENTRY}"), "[*]")
}

/// The value at a place of a schema in an object: of lists the first item, of maps the entry that
/// probes are put in.
fn read<'v>(object: &'v Value, place: &str) -> Option<&'v Value> {
    let spelled = place.replace("[]", ".[]").replace("[*]", ".[*]");
    spelled.split('.').filter(|it| !it.is_empty()).try_fold(object, |at, step| match step {
        "[]" => at.as_list()?.as_slice().first(),
        "[*]" => at.get(ENTRY),
        name => at.get(name),
    })
}

/// An object with another value at the place of a probe. What is around it is shared.
fn put(object: &Value, steps: &[Step], probe: &Value) -> Value {
    let Some((step, rest)) = steps.split_first() else { return probe.clone() };
    let mut out = object.clone();
    match (step, &mut out) {
        (Step::Field(name), Value::Map(map)) => {
            let inner = map.get(name).map(|it| put(it, rest, probe));
            inner.map(|it| map.insert(name.clone(), it));
        }
        (Step::Entry, Value::Map(map)) => {
            let inner = map.get(ENTRY).map(|it| put(it, rest, probe));
            inner.map(|it| map.insert(ENTRY, it));
        }
        (Step::Item, Value::List(list)) => {
            let mut items = list.to_vec();
            if let Some(first) = items.first_mut() {
                *first = put(first, rest, probe);
            }
            out = List::from(items).into();
        }
        _ => {}
    }
    out
}

/// The key of a map's entry that probes are put in.
const ENTRY: &str = "key0";

/// What a verdict says, in one line.
fn reported(verdict: &Verdict) -> String {
    if let Some(why) = &verdict.unreadable {
        return why.clone();
    }
    if let Some(status) = &verdict.refusal {
        return status.message.clone();
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
            value.set_path(&[name.as_str()], place(&inner, rest, probe, around, depth + 1));
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
            value.set_path(&[ENTRY], place(&inner, rest, probe, around, depth + 1));
            value
        }
    }
}
