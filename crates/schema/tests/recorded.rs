//! Admission judged by answers that a real kube-apiserver gave.
//! What differs is listed in `fixtures/known-differences.toml`.

use std::collections::BTreeMap;

use ordain_meta::KubeVersion;
use ordain_schema::admission::{
    AdmissionHooks, Expressions, RuleSession, RulesAt, validate_create, validate_update,
};
use ordain_schema::crd::Crd;
use ordain_schema::model::Schema;
use ordain_schema::{conditions, formats};
use ordain_testkit::tally::Tally;
use ordain_testkit::transcript;
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

fn compare(tally: &mut Tally, place: &str, ours: &[String], theirs: &[String]) {
    if ours == theirs {
        return tally.agrees(place);
    }
    let own = |list: &[String], other: &[String]| {
        let own = list.iter().filter(|it| !other.contains(it));
        own.map(|it| it.chars().take(900).collect::<String>()).collect::<Vec<_>>().join("\n      ")
    };
    tally.differs(place, format!("got    {}\n  wanted {}", own(ours, theirs), own(theirs, ours)));
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

/// Plays the files of a vendored set whose names start so.
fn play(set: &str, prefix: &str, mut tally: Tally) {
    let folder = transcript::vendored().join(set);
    for (file, case) in transcript::cases(&folder, prefix).expect("readable recordings") {
        let id = case.get("id").and_then(Value::as_str).unwrap_or_default();
        let mut world = World::default();
        let steps = case.get("steps").and_then(Value::as_list);
        for (at, step) in steps.into_iter().flat_map(|list| list.iter()).enumerate() {
            play_step(&format!("{file} {id}#{at}"), step, &mut world, &mut tally);
        }
    }
    tally.check(1);
}

fn play_step(place: &str, step: &Value, world: &mut World, tally: &mut Tally) {
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
            compare(tally, place, &object_text(&crd.encode()), &object_text(response));
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
    match outcome {
        Outcome::Stored(crd) => {
            let theirs = recorded_causes(response);
            // What only a plan finds is no difference here.
            if code < 300 {
                compare(tally, place, &object_text(&crd.encode()), &object_text(response));
                world.stored.insert(crd.name().to_owned(), *crd);
                if !path.contains("dryRun") {
                    world.settle();
                }
            } else if !is_about_metadata(response) {
                compare(tally, place, &[], &theirs);
            }
        }
        Outcome::Refused(errors) => {
            compare(tally, place, &our_causes(&errors), &recorded_causes(response));
        }
        Outcome::Malformed(message) => {
            let theirs = response.get("message").and_then(Value::as_str).unwrap_or_default();
            let prefix = "CustomResourceDefinition in version \"v1\" cannot be handled as a CustomResourceDefinition: ";
            let theirs = theirs.strip_prefix(prefix).unwrap_or(theirs).to_owned();
            compare(tally, place, &[message], &[theirs]);
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
    compare(tally, &format!("{place} warnings"), &ours, &theirs);
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
    play("crd", "crd-structural", Tally::new("schema-structure"));
}

#[test]
fn defaults_are_judged_as_recorded() {
    play("crd", "crd-defaults", Tally::new("schema-defaults"));
}

#[test]
fn names_and_parts_are_judged_as_recorded() {
    play("crd", "crd-names", Tally::new("schema-names"));
}

#[test]
fn updates_are_judged_as_recorded() {
    play("crd", "crd-update", Tally::new("schema-updates"));
}

#[test]
fn rules_that_need_no_compiler_are_judged_as_recorded() {
    play("crd", "crd-cel", Tally::new("schema-rules"));
}

/// The files of a set beside the repository, by the names of their projects.
fn projects(set: &str) -> Vec<(String, Vec<Value>)> {
    let Some(folder) = transcript::set(set) else { return Vec::new() };
    let files = transcript::files(&folder).expect("a folder of projects");
    let read = |path: std::path::PathBuf| {
        let name = path.strip_prefix(&folder).unwrap_or(&path).to_string_lossy().into_owned();
        (name, transcript::read(&path).expect("a readable recording"))
    };
    files.into_iter().map(read).collect()
}

#[test]
fn definitions_of_real_projects_are_accepted() {
    let projects = projects("corpus");
    if projects.is_empty() {
        return;
    }
    let mut tally = Tally::new("schema-corpus");
    for (name, lines) in projects {
        let Some((first, body)) = lines.first().and_then(|it| Some((it, it.get("crd")?))) else {
            continue;
        };
        let (outcome, _) = World::default().write(body, false, false);
        let ours = match outcome {
            Outcome::Stored(_) => Vec::new(),
            Outcome::Refused(errors) => our_causes(&errors),
            Outcome::Malformed(message) => vec![message],
        };
        let code = first.get("code").and_then(Value::as_int).unwrap_or_default();
        let theirs = if code < 300 { Vec::new() } else { vec![code.to_string()] };
        compare(&mut tally, &name, &ours, &theirs);
    }
    tally.check(300);
}

#[test]
fn definitions_of_the_other_sets_are_judged_as_recorded() {
    for (set, name) in [("api", "schema-api"), ("cel", "schema-cel"), ("crd", "schema-crd")] {
        play(set, "", Tally::new(name));
    }
}

#[test]
fn tightened_definitions_of_real_projects_replace_the_relaxed_ones() {
    let projects = projects("ratchet");
    if projects.is_empty() {
        return;
    }
    let mut tally = Tally::new("schema-ratchet");
    for (name, lines) in projects {
        let mut world = World::default();
        for (at, line) in lines.iter().enumerate() {
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
            compare(&mut tally, &format!("{name}#{at}"), &ours, &theirs);
        }
    }
    tally.check(300);
}
