//! One machine: verdicts on files and answers of a server are the same.
//!
//! Recorded writes and random objects go through the offline verdicts of this crate and through a
//! registry, and everything is compared: accepted or refused, causes in their order, warnings, and
//! the object. There is no list of exceptions.
//!
//! `ORDAIN_DIFFERENTIAL` says how many random writes there are (a few seconds' worth when it is not
//! set; `just differential` makes 100,000). `ORDAIN_DIFFERENTIAL_SEED` makes others. Of the recorded
//! cases one in `ORDAIN_DIFFERENTIAL_EVERY` is played, all of them with 1.
//! `ORDAIN_DIFFERENTIAL_SETS=native,crd` plays these sets only.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a test reports and fails loudly")]

mod both;
mod random;
mod recorded;

use std::collections::BTreeMap;
use std::sync::Arc;

use both::{Both, Judged, Verb, Write};
use ordain_check::Kind;
use ordain_conventions::{Fill, stub};
use ordain_registry::{PatchType, RestConfig, WriteOptions};
use ordain_testkit::transcript;
use ordain_value::{Value, value};
use random::Random;

/// Random writes without `ORDAIN_DIFFERENTIAL`.
const WRITES: u64 = 2_000;
/// One recorded case of so many without `ORDAIN_DIFFERENTIAL_EVERY`.
const EVERY: u64 = 120;
/// Differences that are printed.
const SHOWN_MAX: usize = 20;

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|it| it.parse().ok()).unwrap_or(default)
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn path_text<'a>(value: &'a Value, path: &[&str]) -> &'a str {
    value.get_path(path).and_then(Value::as_str).unwrap_or_default()
}

/// What came of the writes of a test.
#[derive(Debug, Default)]
struct Tally {
    judged: u64,
    accepted: u64,
    /// Creates that a look was enough for.
    surely: u64,
    left_out: u64,
    different: Vec<String>,
}

impl Tally {
    fn add(&mut self, place: &str, judged: Judged) {
        match judged {
            Judged::LeftOut => self.left_out += 1,
            Judged::Same { accepted, surely } => {
                self.judged += 1;
                self.accepted += u64::from(accepted);
                self.surely += u64::from(surely);
            }
            Judged::Different(shown) => {
                self.judged += 1;
                self.different.push(format!("{place}: {shown}"));
            }
        }
    }

    fn check(&self, what: &str) {
        let Tally { judged, accepted, surely, left_out, different } = self;
        println!(
            "{what}: {judged} writes, {accepted} accepted ({surely} at a look), {left_out} are not \
             about an object"
        );
        let shown = different.iter().take(SHOWN_MAX).cloned().collect::<Vec<_>>().join("\n");
        assert!(different.is_empty(), "{} differ:\n{shown}", different.len());
        assert!(accepted * 5 > *judged, "too few are accepted for objects to be compared");
        assert!(surely * 50 > *judged, "too few are accepted at a look for that to be compared");
    }
}

/// Definitions of the recordings that are part of the repository, one for each kind.
fn definitions() -> Vec<Value> {
    let mut found: BTreeMap<String, Value> = BTreeMap::new();
    for (_, case) in transcript::cases(&transcript::vendored().join("crd"), "").unwrap() {
        for step in case.get("steps").and_then(Value::as_list).unwrap().iter() {
            let body = step.get("body").filter(|it| text(it, "kind") == "CustomResourceDefinition");
            let is_created = step.get("code").and_then(Value::as_int) == Some(201);
            if let Some(body) = body.filter(|_| is_created && text(step, "method") == "POST") {
                let name = path_text(body, &["metadata", "name"]).to_owned();
                found.entry(name).or_insert_with(|| body.clone());
            }
        }
    }
    found.into_values().step_by(7).take(60).collect()
}

/// What random objects of a kind are made from: the least that its schema asks for, and everything
/// that it knows.
struct Seeds {
    resource: Arc<RestConfig>,
    kind: Arc<Kind>,
    least: Value,
    all: Value,
}

impl Seeds {
    fn of((resource, kind): (Arc<RestConfig>, Arc<Kind>)) -> Self {
        let made = |fill| {
            let schema = kind.schema();
            let mut object = stub(schema, schema.root(), fill);
            object.set_path(&["apiVersion"], kind.api_version().into());
            object.set_path(&["kind"], kind.kind.as_str().into());
            object.set_path(&["metadata"], value!({"name": "a"}));
            object
        };
        let (least, all) = (made(Fill::Least), made(Fill::All));
        Seeds { resource, kind, least, all }
    }

    fn write(&self, verb: Verb, name: &str, body: Value) -> Write {
        Write {
            verb,
            group: self.kind.group.to_string(),
            version: self.kind.version.to_string(),
            plural: self.resource.plural.to_string(),
            namespace: if self.kind.namespaced { "default".to_owned() } else { String::new() },
            name: name.to_owned(),
            is_status: false,
            body,
            options: WriteOptions { field_manager: "test".into(), ..WriteOptions::default() },
        }
    }

    fn object(&self, name: &str, random: &mut Random) -> Value {
        let mut object = if random.one_in(3) { self.all.clone() } else { self.least.clone() };
        object.set_path(&["metadata", "name"], name.into());
        self.change(object, 5, random)
    }

    fn change(&self, mut object: Value, most: usize, random: &mut Random) -> Value {
        for _ in 0..random.below(most) {
            random.change(&mut object, &self.all);
        }
        object
    }

    /// A change of a stored object, by one of the ways there are.
    fn next(&self, stored: &Value, random: &mut Random) -> Write {
        let name = path_text(stored, &["metadata", "name"]);
        let mut next = self.change(stored.clone(), 4, random);
        let verb = match random.below(6) {
            0 => Verb::Patch(PatchType::Merge),
            1 => Verb::Patch(PatchType::Strategic),
            2 => Verb::Patch(PatchType::Apply),
            _ => Verb::Replace,
        };
        if verb != Verb::Replace {
            for field in ["managedFields", "resourceVersion", "uid", "creationTimestamp"] {
                next.remove_path(&["metadata", field]);
            }
        }
        let mut write = self.write(verb, name, next);
        write.is_status = self.kind.has_status && random.one_in(3);
        write
    }
}

#[test]
fn random_objects_are_judged_alike_offline_and_by_the_server() {
    let count = number("ORDAIN_DIFFERENTIAL", WRITES);
    let seed = number("ORDAIN_DIFFERENTIAL_SEED", 1);
    let definitions = definitions();
    let mut random = Random::new(seed);
    let mut tally = Tally::default();
    while tally.judged < count {
        let mut both = Both::new();
        for definition in &definitions {
            let mut write = recorded::of_definition(Verb::Create, definition);
            write.body.remove_path(&["metadata", "resourceVersion"]);
            tally.add("definition", both.judge(&write));
        }
        let kinds: Vec<Seeds> = both.kinds().into_iter().map(Seeds::of).collect();
        assert!(kinds.len() > 100, "{} kinds", kinds.len());
        for round in 0..10 {
            for seeds in &kinds {
                let name = format!("a{round}");
                let object = seeds.object(&name, &mut random);
                let place = format!("seed {seed} write {}", tally.judged);
                tally.add(&place, both.judge(&seeds.write(Verb::Create, "", object)));
                let named = seeds.write(Verb::Replace, &name, Value::Null);
                let Some(stored) = both.stored(&named) else { continue };
                let place = format!("seed {seed} write {}", tally.judged);
                tally.add(&place, both.judge(&seeds.next(&stored, &mut random)));
            }
            if tally.judged >= count {
                break;
            }
        }
    }
    tally.check("random objects");
}

#[test]
fn recorded_writes_are_judged_alike_offline_and_by_the_server() {
    let every = usize::try_from(number("ORDAIN_DIFFERENTIAL_EVERY", EVERY)).unwrap();
    let asked = std::env::var("ORDAIN_DIFFERENTIAL_SETS").unwrap_or_default();
    let mut tally = Tally::default();
    for set in ["crd", "api", "cel", "native", "ratchet", "corpus"] {
        if !asked.is_empty() && !asked.split(',').any(|it| it == set) {
            continue;
        }
        let Some(folder) = transcript::set(set) else { continue };
        // Files of projects begin with the definition that all their cases are about.
        let by_file = matches!(set, "ratchet" | "corpus");
        let (files, cases) = if by_file { (every, 1) } else { (1, every) };
        let mut both = Both::new();
        for file in transcript::files(&folder).unwrap().iter().step_by(files) {
            let name = file.strip_prefix(folder.parent().unwrap()).unwrap_or(file);
            recorded::play(&mut both, file, &name.to_string_lossy(), cases, &mut tally);
            if by_file {
                both = Both::new();
            }
        }
    }
    tally.check("recorded writes");
}
