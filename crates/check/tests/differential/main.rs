//! One machine: what files are told and what a server answers are the same.
//!
//! Recorded writes and objects made at random go through the offline verdicts of this crate and
//! through a registry, and everything that is said is compared: accepted or refused, causes in
//! their order, warnings, and the object. There is no list of exceptions.
//!
//! `ORDAIN_DIFFERENTIAL` says how many random objects there are (2,000 when it is not set, a few
//! seconds; `just differential` takes 100,000). `ORDAIN_DIFFERENTIAL_SEED` gives others. Of the
//! recorded cases one in so many is played, `ORDAIN_DIFFERENTIAL_EVERY`, all with 1.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a test tells and fails loudly")]

mod both;
mod random;

use std::collections::BTreeMap;
use std::sync::Arc;

use both::{Both, Write};
use ordain_check::Kind;
use ordain_conventions::{Fill, stub};
use ordain_testkit::transcript;
use ordain_value::{Value, json};
use random::Random;

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|it| it.parse().ok()).unwrap_or(default)
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// Definitions of the recordings that are part of the repository, one for each kind.
fn definitions() -> Vec<Value> {
    let mut found: BTreeMap<String, Value> = BTreeMap::new();
    let cases = transcript::cases(&transcript::vendored().join("crd"), "").unwrap();
    for (_, case) in cases {
        for step in case.get("steps").and_then(Value::as_list).unwrap().iter() {
            let body = step.get("body").filter(|it| text(it, "kind") == "CustomResourceDefinition");
            let is_created = step.get("code").and_then(Value::as_int) == Some(201);
            if let Some(body) = body.filter(|_| is_created && text(step, "method") == "POST") {
                let name = body.get_path(&["metadata", "name"]).and_then(Value::as_str).unwrap();
                found.entry(name.to_owned()).or_insert_with(|| body.clone());
            }
        }
    }
    found.into_values().step_by(7).take(60).collect()
}

/// What random objects of a kind are made from: the least that its schema asks for, and everything
/// that it knows.
struct Seeds {
    kind: Arc<Kind>,
    least: Value,
    all: Value,
}

impl Seeds {
    fn of(kind: Arc<Kind>) -> Self {
        let made = |fill| {
            let schema = kind.schema();
            let mut object = stub(schema, schema.root(), fill);
            object.set_path(&["apiVersion"], kind.api_version().into());
            object.set_path(&["kind"], kind.kind.as_str().into());
            object.set_path(&["metadata"], ordain_value::value!({"name": "a"}));
            object
        };
        let (least, all) = (made(Fill::Least), made(Fill::All));
        Seeds { kind, least, all }
    }

    fn object(&self, random: &mut Random) -> Value {
        let mut object = if random.one_in(3) { self.all.clone() } else { self.least.clone() };
        for _ in 0..random.below(5) {
            random.change(&mut object, &self.all);
        }
        object
    }
}

#[test]
fn random_objects_are_judged_alike_offline_and_by_the_server() {
    let count = number("ORDAIN_DIFFERENTIAL", 2_000);
    let seed = number("ORDAIN_DIFFERENTIAL_SEED", 1);
    let definitions = definitions();
    let mut both = Both::new(&definitions);
    let kinds: Vec<Seeds> = both.kinds().into_iter().map(Seeds::of).collect();
    assert!(kinds.len() > 60, "{} kinds", kinds.len());
    let mut random = Random::new(seed);
    let (mut accepted, mut wrong) = (0_u64, Vec::new());
    let mut judged = 0_u64;
    while judged < count {
        for seeds in &kinds {
            let object = seeds.object(&mut random);
            judged += 1;
            let create = Write::Create { dry_run: !random.one_in(10) };
            let (told, stored) = both.judge(&seeds.kind, &create, &object, &mut wrong);
            accepted += u64::from(told);
            let Some(stored) = stored else { continue };
            let mut next = stored.clone();
            for _ in 0..random.below(4) {
                random.change(&mut next, &seeds.all);
            }
            judged += 1;
            let update = Write::Update { old: &stored, status: false };
            accepted += u64::from(both.judge(&seeds.kind, &update, &next, &mut wrong).0);
            if seeds.kind.has_status {
                judged += 1;
                let update = Write::Update { old: &stored, status: true };
                accepted += u64::from(both.judge(&seeds.kind, &update, &next, &mut wrong).0);
            }
        }
        both.refresh(&definitions);
    }
    println!("{judged} writes of {} kinds, {accepted} accepted, seed {seed}", kinds.len());
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(20)].join("\n")
    );
    assert!(accepted * 10 > judged, "too few are accepted to tell much");
}

/// Plays the creates and replacements of a recorded case on both sides.
fn play(case: &Value, place: &str, wrong: &mut Vec<String>) -> u64 {
    let mut both: Option<Both> = None;
    let mut definitions = Vec::new();
    let mut stored: Option<Value> = None;
    let mut judged = 0;
    for step in case.get("steps").and_then(Value::as_list).into_iter().flat_map(|it| it.iter()) {
        let Some(body) = step.get("body").filter(|it| it.as_map().is_some()) else { continue };
        let method = text(step, "method");
        if text(body, "kind") == "CustomResourceDefinition" {
            if !matches!((method, step.get("code").and_then(Value::as_int)), ("POST", Some(201))) {
                // A definition that changes is another matter.
                return judged;
            }
            definitions.push(body.clone());
            continue;
        }
        let both = both.get_or_insert_with(|| Both::new(&definitions));
        let Some(kind) = both.kind_of(body) else { continue };
        let mut sent = body.clone();
        sent.remove_path(&["metadata", "resourceVersion"]);
        let path = text(step, "path");
        let mut found = Vec::new();
        let before = stored.clone();
        match (method, &before) {
            ("POST", _) => {
                judged += 1;
                let create = Write::Create { dry_run: false };
                stored = both.judge(&kind, &create, &sent, &mut found).1.or(stored);
            }
            ("PUT", Some(old)) if text(old, "kind") == kind.kind.as_str() => {
                judged += 1;
                let update = Write::Update { old, status: path.contains("/status") };
                both.judge(&kind, &update, &sent, &mut found);
            }
            _ => {}
        }
        wrong.extend(found.into_iter().map(|it| format!("{place}: {it}")));
    }
    judged
}

#[test]
fn recorded_writes_are_judged_alike_offline_and_by_the_server() {
    let every = usize::try_from(number("ORDAIN_DIFFERENTIAL_EVERY", 40)).unwrap();
    let (mut judged, mut wrong) = (0, Vec::new());
    for set in ["crd", "api", "native", "ratchet", "corpus"] {
        let Some(folder) = transcript::set(set) else { continue };
        for file in transcript::files(&folder).unwrap() {
            let lines = transcript::read(&file).unwrap();
            // Files of projects begin with the definition that their cases are about.
            let definition = lines.first().and_then(|it| it.get("crd")).cloned();
            for (at, case) in lines.iter().enumerate().skip(1).step_by(every) {
                let case = match (&definition, case.get("steps")) {
                    (Some(definition), Some(steps)) => with_definition(definition, steps),
                    _ => case.clone(),
                };
                let name = file.strip_prefix(&folder).unwrap().display();
                judged += play(&case, &format!("{set}/{name} {at}"), &mut wrong);
            }
        }
    }
    println!("{judged} recorded writes");
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(20)].join("\n")
    );
    assert!(judged > 10, "{judged} recorded writes were judged");
}

fn with_definition(definition: &Value, steps: &Value) -> Value {
    let first = ordain_value::value!({"method": "POST", "code": 201, "body": (definition.clone())});
    let steps = std::iter::once(first).chain(steps.as_list().unwrap().iter().cloned());
    let steps = Value::from(steps.collect::<Vec<_>>());
    json::decode(&json::encode(&ordain_value::value!({"steps": (steps)}))).unwrap()
}
