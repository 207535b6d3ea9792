//! Tables of cases against a definition: valid objects, refused ones with what they are refused
//! for, changes, and objects with their defaults; and which constraints the cases touched.
//!
//! ```yaml
//! definition: widgets.yaml          # beside the table; or types: v1, a folder of Go types
//! base: {apiVersion: …, kind: …}    # every object is merged over it
//! cases:
//! - name: a size within bounds
//!   object: {spec: {size: 3}}
//!   stored: {spec: {size: 3, mode: careful}}
//! - name: too large
//!   object: {spec: {size: 30}}
//!   errors:
//!   - {field: spec.size, reason: FieldValueInvalid, message: less than or equal to 10}
//! - name: the serial stays
//!   old: {spec: {serial: a}}
//!   object: {spec: {serial: b}}
//!   errors: [{field: spec.serial}]
//! - name: ready is a word
//!   subresource: status
//!   old: {}
//!   object: {status: {ready: 1}}
//!   errors: [{field: status.ready}]
//! ```
//!
//! With `policies: [files]` admission policies judge every object too; what they look at may be in
//! the same files. A case may name who writes and who is to refuse:
//!
//! ```yaml
//! policies: [limits.yaml]
//! cases:
//! - name: too many replicas
//!   as: {user: ann, groups: [devs]}
//!   object: {spec: {replicas: 9}}
//!   denied: [{policy: limits, message: at most 5}]
//! ```

use std::path::Path;

use ordain_meta::gvk::GroupVersion;
use ordain_strategy::{Admission, NoAdmission, User};
use ordain_value::{Map, Text, Value, json};

use crate::catalog::{Catalog, Missing};
use crate::coverage::Coverage;
use crate::finding::{Finding, Location, Severity};
use crate::kind::{Verdict, distinct, is_rules_unchecked};
use crate::manifest;
use crate::outcome::{Outcome, Tool};
use crate::policy::{Policies, Reported};
use crate::source::Source;

/// What came of one table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    pub table: String,
    pub cases: Vec<Case>,
    /// Constraints never seen to pass, and never seen to fail.
    pub coverage: Vec<crate::coverage::Line>,
}

/// What came of one case.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    pub name: String,
    /// Line of the case in the table.
    pub line: usize,
    /// What is not as expected; empty when the case holds.
    pub failures: Vec<String>,
}

impl Run {
    #[must_use]
    pub fn failed(&self) -> usize {
        self.cases.iter().filter(|case| !case.failures.is_empty()).count()
    }
}

const TABLE_KEYS: [&str; 7] =
    ["definition", "definitions", "types", "featureGates", "policies", "base", "cases"];
const CASE_KEYS: [&str; 9] =
    ["name", "as", "object", "old", "subresource", "errors", "denied", "warnings", "stored"];
const ERROR_KEYS: [&str; 3] = ["field", "reason", "message"];
const DENIED_KEYS: [&str; 3] = ["policy", "binding", "message"];
const AS_KEYS: [&str; 2] = ["user", "groups"];

/// What tables name, relative to their folder.
pub struct Files<'a> {
    /// The text of a file.
    pub read: &'a dyn Fn(&Path) -> Result<Vec<u8>, String>,
    /// The kinds that a folder of Go types declares, or none yet; judged with feature gates that
    /// the table sets.
    pub kinds: &'a dyn Fn(Option<&Path>, &[String]) -> Result<Declared, String>,
}

/// What Go types declare.
#[derive(Debug, Default)]
pub struct Declared {
    pub catalog: Catalog,
    /// Definitions that are made of them, not yet in the catalog.
    pub definitions: Vec<Value>,
}

/// Runs a table.
///
/// # Errors
/// When the table, or a definition it names, cannot be used.
pub fn run(table: &Source, files: &Files<'_>) -> Result<Run, String> {
    let documents = ordain_value::yaml::decode_documents(
        &table.text,
        ordain_value::yaml::Options { marks: true },
    )
    .map_err(|error| error.to_string())?;
    let [document] = documents.as_slice() else {
        return Err("a table is one document".to_owned());
    };
    let root = document.value.as_ref().map_err(ToString::to_string)?;
    only(root, &TABLE_KEYS, "the table")?;
    let catalog = catalog(table, root, files)?;
    let policies = policies(table, root, files, &catalog)?;
    let cases = root.get("cases").and_then(Value::as_list).ok_or("the table has no cases")?;
    let base = root.get("base").cloned().unwrap_or(Value::Map(Map::new()));
    let mut run = Run { table: table.name.clone(), ..Run::default() };
    let mut coverage = Coverage::default();
    for kind in catalog.kinds() {
        coverage.add(&kind);
    }
    for (index, case) in cases.iter().enumerate() {
        let place = document.marks.find(&format!("cases[{index}]"));
        let line = place.map_or(1, |place| place.mark.value.line.max(1));
        only(case, &CASE_KEYS, &format!("the case on line {line}"))?;
        let name = case.get("name").and_then(Value::as_str);
        let name = name.map_or_else(|| format!("case {}", index + 1), ToOwned::to_owned);
        let judge = Judge { catalog: &catalog, policies: policies.as_ref(), base: &base };
        let failures = judge
            .case(case, &mut coverage)
            .map_err(|why| format!("{name} (line {line}): {why}"))?;
        run.cases.push(Case { name, line, failures });
    }
    run.coverage = coverage.lines();
    Ok(run)
}

fn only(value: &Value, known: &[&str], what: &str) -> Result<(), String> {
    let Value::Map(map) = value else { return Err(format!("{what} is no mapping")) };
    match map.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => Err(format!("{what} has an unknown key \"{key}\"")),
        None => Ok(()),
    }
}

fn catalog(table: &Source, root: &Value, files: &Files<'_>) -> Result<Catalog, String> {
    let mut names: Vec<&str> = root.get("definition").and_then(Value::as_str).into_iter().collect();
    names.extend(root.items("definitions").iter().filter_map(Value::as_str));
    let types = root.get("types").and_then(Value::as_str);
    let with_policies = root.get("policies").is_some();
    if names.is_empty() && types.is_none() && !with_policies {
        return Err("the table names no definition".to_owned());
    }
    let folder = Path::new(&table.name).parent().unwrap_or(Path::new(""));
    let gates: Vec<String> = match root.get("featureGates") {
        Some(Value::List(list)) => {
            list.iter().filter_map(Value::as_str).map(ToOwned::to_owned).collect()
        }
        Some(Value::Str(text)) => vec![text.to_string()],
        Some(_) => return Err("featureGates is a list of A=true".to_owned()),
        None => Vec::new(),
    };
    let place = types.map(|name| folder.join(name));
    let about = types.unwrap_or("featureGates");
    let declared =
        (files.kinds)(place.as_deref(), &gates).map_err(|why| format!("{about}: {why}"))?;
    let mut catalog = declared.catalog;
    for definition in &declared.definitions {
        usable(about, definition, &mut catalog)?;
    }
    for name in names {
        let text = (files.read)(&folder.join(name)).map_err(|why| format!("{name}: {why}"))?;
        let contents = manifest::read(0, &Source::new(name, text));
        if let Some(broken) = contents.broken.first() {
            return Err(format!("{name}: {}", broken.message));
        }
        for manifest in contents.manifests.iter().filter(|it| it.is_definition()) {
            usable(name, &manifest.value, &mut catalog)?;
        }
    }
    if catalog.is_empty() && !with_policies {
        return Err("no definition found".to_owned());
    }
    Ok(catalog)
}

/// The policies that a table names, with what they look at.
fn policies(
    table: &Source,
    root: &Value,
    files: &Files<'_>,
    catalog: &Catalog,
) -> Result<Option<Policies>, String> {
    let Some(named) = root.get("policies") else { return Ok(None) };
    let folder = Path::new(&table.name).parent().unwrap_or(Path::new(""));
    let mut sources = Vec::new();
    for name in texts(named) {
        let text = (files.read)(&folder.join(name)).map_err(|why| format!("{name}: {why}"))?;
        sources.push(Source::new(name, text));
    }
    let policies = Policies::gather(catalog, &sources).ok_or("no policy found in policies")?;
    match policies.notes.first() {
        Some(note) => Err(note.clone()),
        None => Ok(Some(policies)),
    }
}

/// A text, or the texts of a list.
fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::List(list) => list.iter().filter_map(Value::as_str).collect(),
        other => other.as_str().into_iter().collect(),
    }
}

/// In whose name the object of a case is written.
fn writer(case: &Value) -> Result<User, String> {
    let Some(given) = case.get("as") else { return Ok(User::everybody()) };
    only(given, &AS_KEYS, "as")?;
    let name = given.get("user").and_then(Value::as_str).ok_or("as has no user")?;
    let groups = given.get("groups").map(texts).unwrap_or_default();
    let groups = groups.into_iter().map(Text::from).collect();
    Ok(User { name: name.into(), groups, ..User::default() }.authenticated())
}

/// Takes a definition in that the server would take too.
fn usable(name: &str, definition: &Value, catalog: &mut Catalog) -> Result<(), String> {
    let verdict = crate::definition::judge(definition, None, catalog.gates());
    if let Some(error) = verdict.errors.iter().next() {
        return Err(format!("{name}: {error}"));
    }
    catalog.add_definition(definition).map_err(|why| format!("{name}: {why}"))
}

/// What judges the cases of a table.
struct Judge<'a> {
    catalog: &'a Catalog,
    policies: Option<&'a Policies>,
    base: &'a Value,
}

impl Judge<'_> {
    fn case(&self, case: &Value, coverage: &mut Coverage) -> Result<Vec<String>, String> {
        let object = merged(self.base, case.get("object").ok_or("there is no object")?, 0);
        let text = |field: &str| object.text(field);
        let version = GroupVersion::decode(text("apiVersion")).map_err(|it| it.to_string())?;
        let gvk = version.with_kind(text("kind"));
        let kind = self.catalog.find(&gvk).map_err(|missing| match missing {
            Missing::Broken(why) => why,
            _ => format!("no definition of {} in {}", gvk.kind, text("apiVersion")),
        })?;
        let old = case.get("old").map(|old| merged(self.base, old, 0));
        let mut review = match self.policies {
            Some(policies) => Some(policies.review(&writer(case)?)),
            None if case.get("denied").is_some() => {
                return Err("the table names no policies that could deny".to_owned());
            }
            None => None,
        };
        let mut none = NoAdmission;
        let admission: &mut dyn Admission = match &mut review {
            Some(review) => review,
            None => &mut none,
        };
        let verdict = match (case.get("subresource").and_then(Value::as_str), old) {
            (None, Some(old)) => kind.admit_update(&object, &old, admission),
            (None, None) => kind.admit_create(&object, admission),
            (Some("status"), Some(old)) if kind.has_status => {
                kind.admit_status(&object, &old, admission)
            }
            (Some("status"), Some(_)) => {
                return Err(format!("{} has no status subresource", kind.kind));
            }
            (Some("status"), None) => return Err("a write to the status needs old".to_owned()),
            (Some(other), _) => {
                return Err(format!("{other} is no subresource that can be tested"));
            }
        };
        coverage.note(&kind, &verdict);
        let reported = review.map(|it| it.reported).unwrap_or_default();
        let mut failures = compare_errors(case, &verdict)?;
        failures.extend(compare_denials(case, &reported)?);
        failures.extend(compare_warnings(case, &verdict, &reported));
        if let Some(wanted) = case.get("stored") {
            let stored = verdict.object.clone().unwrap_or(Value::Null);
            differences(wanted, &stored, "", 0, &mut failures);
        }
        Ok(failures)
    }
}

fn compare_warnings(case: &Value, verdict: &Verdict, policies: &[Reported]) -> Vec<String> {
    let wanted = case.items("warnings");
    let by_policies = policies.iter().filter(|it| it.severity == Severity::Warning);
    let reported: Vec<String> = verdict
        .ratcheted
        .iter()
        .map(ToString::to_string)
        .chain(verdict.warnings.iter().cloned())
        .chain(by_policies.map(|it| it.message.clone()))
        .collect();
    let wanted = wanted.iter().filter_map(Value::as_str);
    let missing = wanted.filter(|wanted| !reported.iter().any(|it| it.contains(wanted)));
    missing
        .map(|wanted| format!("no warning has \"{wanted}\"; there are: {}", listed(&reported)))
        .collect()
}

/// Every refusal by a policy is expected, and every expected one is there.
fn compare_denials(case: &Value, reported: &[Reported]) -> Result<Vec<String>, String> {
    let mut reported: Vec<&Reported> =
        reported.iter().filter(|it| it.severity == Severity::Error).collect();
    let mut failures = Vec::new();
    for wanted in case.items("denied") {
        only(wanted, &DENIED_KEYS, "an expected denial")?;
        let part = |key: &str| wanted.text(key);
        let fits = |it: &&Reported| {
            (part("policy").is_empty() || part("policy") == it.policy.name)
                && (part("binding").is_empty() || part("binding") == it.policy.binding)
                && it.message.contains(part("message"))
        };
        match reported.iter().position(fits) {
            Some(at) => drop(reported.remove(at)),
            None => failures.push(format!("expected a denial {}", json::encode_string(wanted))),
        }
    }
    failures.extend(reported.iter().map(|it| {
        let help = it.help.as_deref().unwrap_or_default();
        format!("unexpected {}: {} ({help})", it.id, it.message)
    }));
    Ok(failures)
}

fn listed(reported: &[String]) -> String {
    if reported.is_empty() { "nothing".to_owned() } else { reported.join("; ") }
}

fn compare_errors(case: &Value, verdict: &Verdict) -> Result<Vec<String>, String> {
    let mut reported: Vec<(String, String, String)> = Vec::new();
    if let Some(why) = &verdict.unreadable {
        reported.push((String::new(), "BadRequest".to_owned(), why.clone()));
    }
    if let Some(status) = &verdict.refusal {
        reported.push((String::new(), status.reason.as_str().to_owned(), status.message.clone()));
    }
    for path in &verdict.unknown {
        let message = format!("unknown field \"{path}\"");
        reported.push((path.clone(), "BadRequest".to_owned(), message));
    }
    for error in distinct(verdict.errors.clone()).iter().filter(|it| !is_rules_unchecked(it)) {
        reported.push((error.path.clone(), error.kind.reason().to_owned(), error.body()));
    }
    let mut failures = Vec::new();
    for wanted in case.items("errors") {
        only(wanted, &ERROR_KEYS, "an expected error")?;
        let part = |key: &str| wanted.text(key);
        let fits = |(field, reason, message): &(String, String, String)| {
            (part("field").is_empty() || part("field") == field)
                && (part("reason").is_empty() || part("reason") == reason)
                && message.contains(part("message"))
        };
        match reported.iter().position(fits) {
            Some(at) => drop(reported.remove(at)),
            None => failures.push(format!("expected {}", json::encode_string(wanted))),
        }
    }
    for (field, reason, message) in reported {
        failures.push(format!("unexpected {reason} {field}: {message}"));
    }
    Ok(failures)
}

/// An object laid over another: mappings merge, null removes, all else replaces.
fn merged(base: &Value, over: &Value, depth: usize) -> Value {
    let (Value::Map(base), Value::Map(over), true) = (base, over, depth < 100) else {
        return over.clone();
    };
    let mut map = base.clone();
    for (key, value) in over.iter() {
        match (value, base.get(key)) {
            (Value::Null, _) => drop(map.remove(key)),
            (_, Some(old)) => drop(map.insert(key.clone(), merged(old, value, depth + 1))),
            (_, None) => drop(map.insert(key.clone(), value.clone())),
        }
    }
    Value::Map(map)
}

/// What of `wanted` is not so in `stored`. Mappings may hold more below `metadata` and at the root.
fn differences(wanted: &Value, stored: &Value, path: &str, depth: usize, out: &mut Vec<String>) {
    if let (Value::Map(wanted), Value::Map(stored), true) = (wanted, stored, depth < 100) {
        let loose = path.is_empty() || path == "metadata";
        let join = |key: &Text| {
            if path.is_empty() { key.to_string() } else { format!("{path}.{key}") }
        };
        for (key, value) in wanted.iter() {
            match stored.get(key) {
                Some(found) => differences(value, found, &join(key), depth + 1, out),
                None => out.push(format!("{} is not stored", join(key))),
            }
        }
        for (key, value) in stored.iter().filter(|(key, _)| !loose && !wanted.contains_key(key)) {
            out.push(format!("{} is stored as {}", join(key), json::encode_string(value)));
        }
        return;
    }
    if wanted != stored {
        let (wanted, stored) = (json::encode_string(wanted), json::encode_string(stored));
        out.push(format!("{path} is stored as {stored}, not as {wanted}"));
    }
}

/// The share of constraints that some case saw pass and some case saw fail, in percent; everything
/// is covered where there is nothing to cover.
#[must_use]
pub fn coverage_percent(runs: &[Run]) -> f64 {
    let count = |of: fn(&Run) -> usize| u32::try_from(runs.iter().map(of).sum::<usize>());
    let covered = count(|run| crate::coverage::covered(&run.coverage)).unwrap_or(u32::MAX);
    let all = count(|run| run.coverage.len()).unwrap_or(u32::MAX);
    if all == 0 { 100.0 } else { 100.0 * f64::from(covered) / f64::from(all) }
}

/// Runs as findings, for the reports that other tools read.
#[must_use]
pub fn outcome(runs: &[Run], with_coverage: bool) -> Outcome {
    let mut outcome = Outcome { tool: Tool::Test, ..Outcome::default() };
    for run in runs {
        outcome.files += 1;
        outcome.judged += run.cases.len();
        outcome.sources.push(run.table.clone());
        for case in run.cases.iter().filter(|case| !case.failures.is_empty()) {
            let message = format!("{}: {}", case.name, case.failures.join("; "));
            let place = Location::of_line(&run.table, case.line);
            outcome.findings.push(Finding::new(Severity::Error, "case-failed", message, place));
        }
        for line in run.coverage.iter().filter(|it| with_coverage && !(it.passed && it.failed)) {
            let (severity, place) = (Severity::Warning, Location::of_line(&run.table, 1));
            outcome.findings.push(Finding::new(severity, "uncovered", line.to_string(), place));
        }
    }
    outcome
}

/// Runs as text.
#[must_use]
pub fn text(runs: &[Run], with_coverage: bool) -> String {
    use std::fmt::Write;
    let mut out = String::new();
    let (mut cases, mut failed) = (0, 0);
    for run in runs {
        cases += run.cases.len();
        failed += run.failed();
        for case in run.cases.iter().filter(|case| !case.failures.is_empty()) {
            let _ = writeln!(out, "FAILED {}:{}: {}", run.table, case.line, case.name);
            for failure in &case.failures {
                let _ = writeln!(out, "  {failure}");
            }
        }
        if with_coverage {
            out.push_str(&crate::coverage::text(&run.table, &run.coverage));
        }
    }
    let _ = writeln!(out, "{cases} cases, {failed} failed");
    out
}
