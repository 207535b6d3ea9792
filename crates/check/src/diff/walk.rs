//! Two schemas side by side: every place and keyword in which they differ.

use std::collections::{BTreeMap, BTreeSet};

use ordain_value::{Map, Text, Value};

use super::keyword::{Effect, KEYWORDS, effect, probes};
use super::{rule, shown};

/// One step into a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Field(Text),
    Item,
    Entry,
}

/// One difference, with values that may show what it does.
#[derive(Clone, Debug, Default)]
pub(super) struct Difference {
    /// Where probes are put.
    pub(super) steps: Vec<Step>,
    pub(super) path: String,
    pub(super) what: String,
    pub(super) effect: Effect,
    /// What to put at the place.
    pub(super) probes: Vec<Probe>,
    /// The field that refusals because of this change name.
    pub(super) blamed: String,
    /// What refusals because of this change say, when that is known.
    pub(super) words: Option<String>,
    /// Whether the change is a constraint on values, which stored objects are forgiven.
    pub(super) is_value: bool,
    /// Whether it is about fields that are new, which no stored object has.
    pub(super) is_about_new: bool,
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

impl Difference {
    /// A difference at a place, which is also the place that errors blame.
    fn at(steps: &[Step], what: impl Into<String>, effect: Effect) -> Difference {
        let (path, what, steps) = (text_of(steps), what.into(), steps.to_vec());
        Difference { steps, blamed: path.clone(), path, what, effect, ..Difference::default() }
    }
}

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
        let effect = effect(keyword, from, to);
        let mut probes: Vec<Probe> = match effect {
            Effect::Loosens => Vec::new(),
            _ => distinct(probes(keyword, old, new)),
        };
        let mut at = steps.clone();
        // A default shows where the field is not written.
        if keyword == "default"
            && let Some((Step::Field(name), above)) = steps.split_last()
        {
            probes = vec![Probe::Without(name.clone())];
            at = above.to_vec();
        }
        let what = format!("{keyword} was {} and is {}", words(from), words(to));
        let is_value = is_value(keyword);
        let found = Difference::at(steps, what, effect);
        out.push(Difference { steps: at, probes, is_value, ..found });
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
    let effect = if sort(old) == 0 { Effect::Loosens } else { Effect::Tightens };
    let found = Difference::at(steps, "additionalProperties changed its form", effect);
    out.push(Difference { probes: vec![Probe::Value(value)], ..found });
}

fn names(value: &Value, key: &str) -> BTreeSet<Text> {
    value.items(key).iter().filter_map(Value::as_text).cloned().collect()
}

fn required(old: &Value, new: &Value, steps: &[Step], out: &mut Vec<Difference>) {
    let (before, after) = (names(old, "required"), names(new, "required"));
    for name in after.difference(&before) {
        // With a default it is never missing.
        let has_default = new.get_path(&["properties", name, "default"]).is_some();
        let effect = if has_default { Effect::Loosens } else { Effect::Tightens };
        out.push(Difference {
            probes: vec![Probe::Without(name.clone())],
            blamed: text_of(&[steps, &[Step::Field(name.clone())]].concat()),
            is_value: true,
            ..Difference::at(steps, format!("{name} is required now"), effect)
        });
    }
    for name in before.difference(&after) {
        let what = format!("{name} is no longer required");
        out.push(Difference::at(steps, what, Effect::Loosens));
    }
}

fn rules(old: &Value, new: &Value, steps: &[Step], out: &mut Vec<Difference>) {
    let list = |value: &Value| -> BTreeMap<Text, Value> {
        let rules = value.items("x-kubernetes-validations").iter();
        rules.filter_map(|it| Some((it.get("rule")?.as_text()?.clone(), it.clone()))).collect()
    };
    let (before, after) = (list(old), list(new));
    let gone: BTreeSet<Text> =
        before.keys().filter(|it| !after.contains_key(*it)).cloned().collect();
    for (rule, about) in after.iter().filter(|it| !before.contains_key(it.0)) {
        let (looser, about_new) =
            (rule::is_looser(rule, &gone), rule::is_about_new(rule, old, new));
        let text = |key: &str| about.get(key).and_then(Value::as_str).map(str::trim);
        let reported = text("message").filter(|it| !it.is_empty());
        let words =
            reported.map_or_else(|| format!("failed rule: {}", rule.trim()), ToOwned::to_owned);
        let samples = || (0..64).map(|at| super::sample::value(old, at, 0)).collect();
        let effect = if looser { Effect::Loosens } else { Effect::Tightens };
        out.push(Difference {
            probes: if looser { Vec::new() } else { distinct(samples()) },
            words: text("messageExpression").is_none().then_some(words),
            is_value: true,
            is_about_new: about_new,
            ..Difference::at(steps, format!("a rule is new: {rule}"), effect)
        });
    }
    for rule in gone {
        out.push(Difference::at(steps, format!("a rule is gone: {rule}"), Effect::Loosens));
    }
}

/// Whether a keyword limits values of a type, and says nothing about what is stored of them.
fn is_value(keyword: &str) -> bool {
    !matches!(keyword, "type" | "default" | "nullable") && !keyword.starts_with("x-kubernetes-")
}

/// Probes for values, each once.
fn distinct(values: Vec<Value>) -> Vec<Probe> {
    let mut seen = BTreeSet::new();
    let fresh = values.into_iter().filter(|it| seen.insert(ordain_value::json::encode_string(it)));
    fresh.map(Probe::Value).collect()
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
                probes: distinct((0..4).map(|at| super::sample::value(property, at, 0)).collect()),
                ..Difference::at(steps, "the field is gone", Effect::Tightens)
            }),
        }
        steps.pop();
    }
    for (name, _) in after.iter().filter(|(name, _)| before.get(name).is_none()) {
        steps.push(Step::Field(name.clone()));
        out.push(Difference::at(steps, "the field is new", Effect::Loosens));
        steps.pop();
    }
}
