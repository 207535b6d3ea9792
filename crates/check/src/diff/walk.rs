//! Two schemas side by side: every place and keyword in which they differ.

use std::collections::BTreeSet;

use ordain_value::{Map, Text, Value};

use super::keyword::{Effect, KEYWORDS, effect, probes};
use super::shown;

/// One step into a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Field(Text),
    Item,
    Entry,
}

/// One difference, with values that may show what it does.
#[derive(Clone, Debug)]
pub(super) struct Difference {
    pub(super) steps: Vec<Step>,
    pub(super) path: String,
    pub(super) what: String,
    pub(super) effect: Effect,
    /// What to put at the place.
    pub(super) probes: Vec<Probe>,
}

/// Something to try at a place.
#[derive(Clone, Debug)]
pub(super) enum Probe {
    Value(Value),
    /// The object there without this field.
    Without(Text),
}

/// Schemas deeper than this are compared to here.
const DEPTH_MAX: usize = 64;

pub(super) fn differences(old: &Value, new: &Value) -> Vec<Difference> {
    let mut out = Vec::new();
    compare(old, new, &mut Vec::new(), &mut out);
    out
}

fn text_of(steps: &[Step]) -> String {
    let mut path = String::new();
    for step in steps {
        match step {
            Step::Field(name) if path.is_empty() => path.push_str(name),
            Step::Field(name) => path.push_str(&format!(".{name}")),
            Step::Item => path.push_str("[]"),
            Step::Entry => path.push_str("[*]"),
        }
    }
    path
}

fn compare(old: &Value, new: &Value, steps: &mut Vec<Step>, out: &mut Vec<Difference>) {
    if old == new || steps.len() > DEPTH_MAX {
        return;
    }
    let top = steps.is_empty();
    for keyword in KEYWORDS {
        let (from, to) = (old.get(keyword), new.get(keyword));
        if from == to || (top && keyword == "type") {
            continue;
        }
        let words = |value: Option<&Value>| value.map_or_else(|| "nothing".to_owned(), shown);
        let mut probes: Vec<Probe> =
            probes(keyword, old, new).into_iter().map(Probe::Value).collect();
        let mut at = steps.clone();
        // A default shows where the field is not written.
        if keyword == "default"
            && let Some((Step::Field(name), above)) = steps.split_last()
        {
            probes = vec![Probe::Without(name.clone())];
            at = above.to_vec();
        }
        out.push(Difference {
            steps: at,
            path: text_of(steps),
            what: format!("{keyword} was {} and is {}", words(from), words(to)),
            effect: effect(keyword, from, to),
            probes,
        });
    }
    required(old, new, steps, out);
    rules(old, new, steps, out);
    fields(old, new, steps, out);
    for (key, step) in [("items", Step::Item), ("additionalProperties", Step::Entry)] {
        if let (Some(a @ Value::Map(_)), Some(b @ Value::Map(_))) = (old.get(key), new.get(key)) {
            steps.push(step);
            compare(a, b, steps, out);
            steps.pop();
        }
    }
    further(old, new, steps, out);
}

/// `additionalProperties` that comes, goes or changes its sort.
fn further(old: &Value, new: &Value, steps: &[Step], out: &mut Vec<Difference>) {
    let sort = |value: &Value| match value.get("additionalProperties") {
        None => 0,
        Some(Value::Bool(_)) => 1,
        Some(_) => 2,
    };
    if sort(old) == sort(new) {
        return;
    }
    let mut value = super::sample::value(old, 0, 0);
    if let Value::Map(map) = &mut value {
        let further = old.get("additionalProperties").cloned().unwrap_or_default();
        map.insert("somethingElse", super::sample::value(&further, 0, 1));
    }
    out.push(Difference {
        steps: steps.to_vec(),
        path: text_of(steps),
        what: "additionalProperties changed its form".to_owned(),
        effect: if sort(old) == 0 { Effect::Loosens } else { Effect::Tightens },
        probes: vec![Probe::Value(value)],
    });
}

fn names(value: &Value, key: &str) -> BTreeSet<Text> {
    let list = value.get(key).and_then(Value::as_list);
    list.into_iter().flat_map(|it| it.iter()).filter_map(Value::as_text).cloned().collect()
}

fn required(old: &Value, new: &Value, steps: &[Step], out: &mut Vec<Difference>) {
    let (before, after) = (names(old, "required"), names(new, "required"));
    for name in after.difference(&before) {
        // With a default it is never missing.
        let has_default = new.get_path(&["properties", name, "default"]).is_some();
        out.push(Difference {
            steps: steps.to_vec(),
            path: text_of(steps),
            what: format!("{name} is required now"),
            effect: if has_default { Effect::Loosens } else { Effect::Tightens },
            probes: vec![Probe::Without(name.clone())],
        });
    }
    for name in before.difference(&after) {
        out.push(Difference {
            steps: steps.to_vec(),
            path: text_of(steps),
            what: format!("{name} is no longer required"),
            effect: Effect::Loosens,
            probes: Vec::new(),
        });
    }
}

fn rules(old: &Value, new: &Value, steps: &[Step], out: &mut Vec<Difference>) {
    let texts = |value: &Value| -> BTreeSet<Text> {
        let list = value.get("x-kubernetes-validations").and_then(Value::as_list);
        let rules = list.into_iter().flat_map(|it| it.iter());
        rules.filter_map(|it| it.get("rule")?.as_text().cloned()).collect()
    };
    let (before, after) = (texts(old), texts(new));
    for rule in after.difference(&before) {
        let probes = (0..64).map(|at| Probe::Value(super::sample::value(old, at, 0))).collect();
        out.push(Difference {
            steps: steps.to_vec(),
            path: text_of(steps),
            what: format!("a rule is new: {rule}"),
            effect: Effect::Tightens,
            probes,
        });
    }
    for rule in before.difference(&after) {
        out.push(Difference {
            steps: steps.to_vec(),
            path: text_of(steps),
            what: format!("a rule is gone: {rule}"),
            effect: Effect::Loosens,
            probes: Vec::new(),
        });
    }
}

fn fields(old: &Value, new: &Value, steps: &mut Vec<Step>, out: &mut Vec<Difference>) {
    let of = |value: &Value| -> Map {
        value.get("properties").and_then(Value::as_map).cloned().unwrap_or_default()
    };
    let (before, after) = (of(old), of(new));
    for (name, property) in before.iter() {
        steps.push(Step::Field(name.clone()));
        match after.get(name) {
            Some(now) => compare(property, now, steps, out),
            None => out.push(Difference {
                steps: steps.clone(),
                path: text_of(steps),
                what: "the field is gone".to_owned(),
                effect: Effect::Tightens,
                probes: (0..4)
                    .map(|at| Probe::Value(super::sample::value(property, at, 0)))
                    .collect(),
            }),
        }
        steps.pop();
    }
    for (name, _) in after.iter().filter(|(name, _)| before.get(name).is_none()) {
        steps.push(Step::Field(name.clone()));
        out.push(Difference {
            steps: steps.clone(),
            path: text_of(steps),
            what: "the field is new".to_owned(),
            effect: Effect::Loosens,
            probes: Vec::new(),
        });
        steps.pop();
    }
}
