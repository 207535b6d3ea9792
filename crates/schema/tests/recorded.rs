//! Admission judged by answers that a real kube-apiserver gave.
//!
//! The recordings are looked for in `$ORDAIN_SHARED`, in `fixtures/transcripts` and in a folder
//! `shared` beside the repository; without them these tests say so and pass.
#![expect(clippy::print_stderr, reason = "tests say what they skip and show")]

use std::collections::BTreeMap;
use std::io::Read;
use std::path::PathBuf;

use ordain_meta::KubeVersion;
use ordain_schema::admission::{
    AdmissionHooks, Expressions, RuleSession, RulesAt, validate_create, validate_update,
};
use ordain_schema::crd::Crd;
use ordain_schema::model::Schema;
use ordain_schema::{conditions, formats};
use ordain_value::field::{ErrorList, Path};
use ordain_value::{Value, json};

/// Answers "all is well" to everything that needs a compiled plan, except patterns.
struct Hooks;

impl AdmissionHooks for Hooks {
    fn check_pattern(&self, pattern: &str) -> Result<(), String> {
        regex::Regex::new(pattern).map(|_| ()).map_err(|e| e.to_string())
    }

    fn validate_defaults(&self, _: &Schema, _: &Path<'_>, _: bool) -> ErrorList {
        ErrorList::new()
    }

    fn has_unpruned_defaults(&self, _: &Schema) -> bool {
        false
    }

    fn rules<'s>(&'s self, _: &'s Schema, _: &'s Expressions) -> Box<dyn RuleSession + 's> {
        Box::new(NoRules)
    }
}

struct NoRules;

impl RuleSession for NoRules {
    fn check(&mut self, at: &RulesAt<'_>) -> ErrorList {
        assert!(!at.raw.rules().is_empty(), "called only where rules are");
        ErrorList::new()
    }

    fn finish(&mut self, _: &Path<'_>) -> ErrorList {
        ErrorList::new()
    }
}

fn transcripts(set: &str) -> Option<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let shared = std::env::var_os("ORDAIN_SHARED").map_or(root.join("../shared"), PathBuf::from);
    let places =
        [shared.join("transcripts").join(set), root.join("fixtures/transcripts").join(set)];
    places.into_iter().find(|p| p.is_dir())
}

fn lines(file: &PathBuf) -> Vec<Value> {
    let mut text = String::new();
    let bytes = std::fs::read(file).expect("the recording can be read");
    flate2::read::MultiGzDecoder::new(bytes.as_slice())
        .read_to_string(&mut text)
        .expect("the recording is gzipped text");
    text.lines().map(|l| json::decode(l.as_bytes()).expect("a line is JSON")).collect()
}

/// Causes as text, sorted, without those that only a compiled plan can find.
fn recorded_causes(response: &Value) -> Vec<String> {
    let causes = response.get_path(&["details", "causes"]).and_then(Value::as_list);
    let text = |cause: &Value, key: &str| {
        cause.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let mut out: Vec<String> = causes
        .into_iter()
        .flat_map(|list| list.iter())
        .map(|c| (text(c, "field"), text(c, "reason"), text(c, "message")))
        .filter(|(field, _, message)| !needs_plan(field, message))
        .map(|(field, reason, message)| format!("{field} | {reason} | {message}"))
        .collect();
    out.sort();
    out
}

fn needs_plan(field: &str, message: &str) -> bool {
    let default = field.contains(".default")
        && !message.contains("must not be set")
        && !message.contains("to be structural");
    let keys = message.contains("x-kubernetes-list-map-keys");
    let rule = field.contains(".x-kubernetes-validations[")
        && (message.contains("Invalid value: {\"Rule\":")
            || message.contains("cost")
            || message.contains("oldSelf")
            || message.contains("must evaluate"));
    let total = message.contains("estimated rule cost") || message.contains("CEL declarations");
    (default && !keys) || rule || total || message.contains("valid regular expression")
}

fn our_causes(errors: &ErrorList) -> Vec<String> {
    let mut out: Vec<String> = errors
        .iter()
        .map(|e| format!("{} | {} | {}", e.path, e.kind.reason(), e.body()))
        .filter(|text| !text.contains("valid regular expression"))
        .collect();
    out.sort();
    out
}

#[derive(Default)]
struct Score {
    steps: usize,
    wrong: Vec<String>,
}

impl Score {
    fn compare(&mut self, what: &str, ours: &[String], theirs: &[String]) {
        self.steps += 1;
        if ours != theirs {
            let show = |list: &[String], other: &[String]| {
                let own = list.iter().filter(|l| !other.contains(l));
                own.map(|l| l.chars().take(900).collect::<String>())
                    .collect::<Vec<_>>()
                    .join("\n      ")
            };
            self.wrong.push(format!(
                "{what}\n  ours:   {}\n  theirs: {}",
                show(ours, theirs),
                show(theirs, ours)
            ));
        }
    }

    fn finish(self, name: &str, allowed: usize) {
        eprintln!("{name}: {} of {} steps agree", self.steps - self.wrong.len(), self.steps);
        assert!(
            self.wrong.len() <= allowed,
            "{name}: {} differences\n{}",
            self.wrong.len(),
            self.wrong.join("\n")
        );
    }
}

/// A small server: what is stored, and its clock.
#[derive(Default)]
struct World {
    stored: BTreeMap<String, Crd>,
    /// A patch or a delete was played, which this test does not follow.
    changed_otherwise: bool,
}

const NOW: &str = "2026-01-01T00:00:00Z";

/// What came of a write.
enum Outcome {
    Stored(Box<Crd>),
    Refused(ErrorList),
    Malformed(String),
}

impl World {
    fn write(&mut self, body: &Value, strict: bool, update: bool) -> (Outcome, Vec<String>) {
        let (mut crd, findings) = match Crd::decode(body) {
            Ok(decoded) => decoded,
            Err(error) => return (Outcome::Malformed(error.to_string()), Vec::new()),
        };
        let unknown: Vec<String> =
            findings.unknown_fields.iter().map(|f| format!("unknown field \"{f}\"")).collect();
        if strict && !unknown.is_empty() {
            let text = format!("strict decoding error: {}", unknown.join(", "));
            return (Outcome::Malformed(text), Vec::new());
        }
        crd.set_defaults();
        let old = self.stored.get(crd.name()).filter(|_| update);
        let mut warnings = unknown;
        warnings.extend(formats::warnings(&crd.spec, old.map(|o| &o.spec), KubeVersion::CURRENT));
        let errors = match old {
            Some(old) => {
                crd.prepare_for_update(old);
                crd.metadata.insert("resourceVersion", Value::str("1"));
                let mut old = old.clone();
                old.metadata.insert("resourceVersion", Value::str("1"));
                validate_update(&mut crd, &old, &Hooks)
            }
            None => {
                crd.prepare_for_create();
                validate_create(&mut crd, &Hooks)
            }
        };
        if !errors.is_empty() {
            return (Outcome::Refused(errors), warnings);
        }
        (Outcome::Stored(Box::new(crd)), warnings)
    }

    fn settle(&mut self) {
        let all: Vec<Crd> = self.stored.values().cloned().collect();
        let patterns = |pattern: &str| Hooks.check_pattern(pattern);
        for crd in self.stored.values_mut() {
            conditions::settle(crd, all.iter(), &patterns, NOW);
        }
    }
}

/// Spec and status of an object without times, as text.
fn object_text(object: &Value) -> Vec<String> {
    // As a client reads it: -0.0 travels as -0 and arrives as 0.
    let mut object = json::decode(&json::encode(object)).expect("our own JSON");
    if let Some(Value::List(list)) = object.get_mut("status").and_then(|s| s.get_mut("conditions"))
    {
        for condition in list.to_mut() {
            condition.remove_path(&["lastTransitionTime"]);
        }
    }
    let part = |key: &str| json::encode_string(object.get(key).unwrap_or(&Value::Null));
    let generation = object.get_path(&["metadata", "generation"]);
    vec![part("spec"), part("status"), json::encode_string(generation.unwrap_or(&Value::Null))]
}

fn play(file: &str, allowed: usize) {
    let Some(folder) = transcripts("crd") else {
        eprintln!("skipped: the folder of recordings is not there");
        return;
    };
    let mut score = Score::default();
    play_file(&folder.join(file), &mut score);
    score.finish(file, allowed);
}

/// Plays every file of a set.
fn play_set(set: &str, allowed: usize) {
    let Some(folder) = transcripts(set) else {
        eprintln!("skipped: the folder of recordings is not there");
        return;
    };
    let mut score = Score::default();
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").path()).collect();
    files.sort();
    for file in files.iter().filter(|f| f.extension().is_some_and(|e| e == "gz")) {
        play_file(file, &mut score);
    }
    score.finish(set, allowed);
}

fn play_file(file: &PathBuf, score: &mut Score) {
    for case in lines(file) {
        let id = case.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
        let mut world = World::default();
        let steps = case.get("steps").and_then(Value::as_list);
        for step in steps.into_iter().flat_map(|list| list.iter()) {
            play_step(&id, step, &mut world, score);
        }
    }
}

fn play_step(id: &str, step: &Value, world: &mut World, score: &mut Score) {
    let text = |key: &str| step.get(key).and_then(Value::as_str).unwrap_or_default();
    let (method, path) = (text("method"), text("path"));
    let response = step.get("response").expect("a step has an answer");
    let code = step.get("code").and_then(Value::as_int).unwrap_or_default();
    if !path.contains("/customresourcedefinitions") {
        return;
    }
    let name = path.split('?').next().unwrap_or_default().rsplit('/').next().unwrap_or_default();
    if method == "GET" {
        let comparable = response.get("spec").is_some() && !world.changed_otherwise;
        if let Some(crd) = world.stored.get(name).filter(|_| comparable) {
            score.compare(
                &format!("{id} GET"),
                &object_text(&crd.encode()),
                &object_text(response),
            );
        }
        return;
    }
    if method == "PATCH" || method == "DELETE" {
        world.changed_otherwise = true;
    }
    if world.changed_otherwise && method == "PUT" {
        return;
    }
    let Some(body) = step.get("body").filter(|b| b.as_map().is_some()) else { return };
    if !matches!(method, "POST" | "PUT") || wrong_api_version(body, response) {
        return;
    }
    let strict = path.contains("fieldValidation=Strict");
    let (outcome, mut warnings) = world.write(body, strict, method == "PUT");
    if code >= 300 {
        warnings.retain(|w| !w.starts_with("unrecognized format"));
    }
    if path.contains("fieldValidation=Ignore") {
        warnings.retain(|w| !w.starts_with("unknown field"));
    }
    let what = format!("{id} {method}");
    match outcome {
        Outcome::Stored(crd) => {
            let theirs = recorded_causes(response);
            // What only a plan finds is no difference here.
            if code < 300 {
                score.compare(&what, &object_text(&crd.encode()), &object_text(response));
                world.stored.insert(crd.name().to_owned(), *crd);
                if !path.contains("dryRun") {
                    world.settle();
                }
            } else if !is_about_metadata(response) {
                score.compare(&what, &[], &theirs);
            }
        }
        Outcome::Refused(errors) => {
            score.compare(&what, &our_causes(&errors), &recorded_causes(response));
        }
        Outcome::Malformed(message) => {
            let theirs = response.get("message").and_then(Value::as_str).unwrap_or_default();
            let prefix = "CustomResourceDefinition in version \"v1\" cannot be handled as a CustomResourceDefinition: ";
            let theirs = theirs.strip_prefix(prefix).unwrap_or(theirs).to_owned();
            score.compare(&what, &[message], &[theirs]);
        }
    }
    let theirs = step.get("warnings").and_then(Value::as_list);
    let mut theirs: Vec<String> = theirs
        .into_iter()
        .flat_map(|l| l.iter())
        .filter_map(|w| w.as_str().map(str::to_owned))
        .collect();
    let mut ours: Vec<String> =
        warnings.iter().map(|w| format!("299 - {}", ordain_value::go_quote(w))).collect();
    ours.sort();
    theirs.sort();
    score.compare(&format!("{what} warnings"), &ours, &theirs);
}

fn wrong_api_version(body: &Value, response: &Value) -> bool {
    body.get("apiVersion").and_then(Value::as_str) != Some("apiextensions.k8s.io/v1")
        || response.get("reason").and_then(Value::as_str) == Some("AlreadyExists")
}

/// Rules of the verbs, which admission does not know.
fn is_about_metadata(response: &Value) -> bool {
    recorded_causes(response).iter().any(|c| c.starts_with("metadata.resourceVersion"))
}

#[test]
fn structure_is_judged_as_recorded() {
    play("crd-structural.jsonl.gz", 0);
}

#[test]
fn defaults_are_judged_as_recorded() {
    play("crd-defaults.jsonl.gz", 0);
}

#[test]
fn names_and_parts_are_judged_as_recorded() {
    play("crd-names.jsonl.gz", 0);
}

#[test]
fn updates_are_judged_as_recorded() {
    play("crd-update.jsonl.gz", 0);
}

#[test]
fn rules_that_need_no_compiler_are_judged_as_recorded() {
    play("crd-cel.jsonl.gz", 0);
}

#[test]
fn definitions_of_real_projects_are_accepted() {
    let Some(corpus) = transcripts("corpus") else {
        eprintln!("skipped: the corpus is not there");
        return;
    };
    let mut score = Score::default();
    let mut folders: Vec<PathBuf> =
        std::fs::read_dir(corpus).expect("a folder").map(|e| e.expect("an entry").path()).collect();
    folders.sort();
    for file in folders.iter().flat_map(|f| std::fs::read_dir(f).expect("a folder")) {
        let file = file.expect("an entry").path();
        let first = first_line(&file);
        let Some(body) = first.get("crd") else { continue };
        let (outcome, _) = World::default().write(body, false, false);
        let ours = match outcome {
            Outcome::Stored(_) => Vec::new(),
            Outcome::Refused(errors) => our_causes(&errors),
            Outcome::Malformed(message) => vec![message],
        };
        let code = first.get("code").and_then(Value::as_int).unwrap_or_default();
        let theirs = if code < 300 { Vec::new() } else { vec![code.to_string()] };
        score.compare(&file.display().to_string(), &ours, &theirs);
    }
    assert!(score.steps > 300, "the corpus holds hundreds of definitions, not {}", score.steps);
    score.finish("corpus", 0);
}

fn first_line(file: &PathBuf) -> Value {
    use std::io::BufRead;
    let bytes = std::fs::read(file).expect("the recording can be read");
    let mut reader = std::io::BufReader::new(flate2::read::MultiGzDecoder::new(bytes.as_slice()));
    let mut line = String::new();
    reader.read_line(&mut line).expect("the recording is gzipped text");
    json::decode(line.as_bytes()).expect("a line is JSON")
}

#[test]
fn definitions_of_the_other_sets_are_judged_as_recorded() {
    for set in ["api", "cel", "crd"] {
        play_set(set, 0);
    }
}

#[test]
fn tightened_definitions_of_real_projects_replace_the_relaxed_ones() {
    let Some(folder) = transcripts("ratchet") else {
        eprintln!("skipped: the ratchet set is not there");
        return;
    };
    let mut score = Score::default();
    for project in std::fs::read_dir(folder).expect("a folder") {
        for file in std::fs::read_dir(project.expect("an entry").path()).expect("a folder") {
            let file = file.expect("an entry").path();
            let mut world = World::default();
            for line in lines(&file) {
                let code = line.get("code").and_then(Value::as_int).unwrap_or_default();
                let created = line.get("crd").map(|body| (body, false));
                let tightened = line.get("tighten").map(|body| (body, true));
                let Some((body, update)) = created.or(tightened) else { continue };
                let (outcome, _) = world.write(body, false, update);
                let ours = match outcome {
                    Outcome::Stored(crd) => {
                        world.stored.insert(crd.name().to_owned(), *crd);
                        world.settle();
                        Vec::new()
                    }
                    Outcome::Refused(errors) => our_causes(&errors),
                    Outcome::Malformed(message) => vec![message],
                };
                let theirs = if code < 300 { Vec::new() } else { vec![code.to_string()] };
                score.compare(&file.display().to_string(), &ours, &theirs);
            }
        }
    }
    score.finish("ratchet", 0);
}
