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

use std::path::Path;

use ordain_meta::gvk::GroupVersion;
use ordain_value::{Map, Text, Value, json};

use crate::catalog::Catalog;
use crate::coverage::Coverage;
use crate::finding::{Finding, Location, Severity};
use crate::kind::{Verdict, is_rules_unchecked};
use crate::manifest;
use crate::outcome::{Outcome, Tool};
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

const TABLE_KEYS: [&str; 6] =
    ["definition", "definitions", "types", "featureGates", "base", "cases"];
const CASE_KEYS: [&str; 7] =
    ["name", "object", "old", "subresource", "errors", "warnings", "stored"];
const ERROR_KEYS: [&str; 3] = ["field", "reason", "message"];

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
        let failures = judge(case, &base, &catalog, &mut coverage)
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
    let more = root.get("definitions").and_then(Value::as_list);
    names.extend(more.into_iter().flat_map(|list| list.iter()).filter_map(Value::as_str));
    let types = root.get("types").and_then(Value::as_str);
    if names.is_empty() && types.is_none() {
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
    if catalog.is_empty() { Err("no definition found".to_owned()) } else { Ok(catalog) }
}

/// Takes a definition in that the server would take too.
fn usable(name: &str, definition: &Value, catalog: &mut Catalog) -> Result<(), String> {
    let verdict = crate::definition::judge(definition, None, catalog.features());
    if let Some(error) = verdict.errors.iter().next() {
        return Err(format!("{name}: {error}"));
    }
    catalog.add_definition(definition).map_err(|why| format!("{name}: {why}"))
}

fn judge(
    case: &Value,
    base: &Value,
    catalog: &Catalog,
    coverage: &mut Coverage,
) -> Result<Vec<String>, String> {
    let object = merged(base, case.get("object").ok_or("there is no object")?, 0);
    let text = |field: &str| object.get(field).and_then(Value::as_str).unwrap_or_default();
    let group_version = GroupVersion::decode(text("apiVersion")).map_err(|it| it.to_string())?;
    let gvk = group_version.with_kind(text("kind"));
    let kind = catalog
        .find(&gvk)
        .map_err(|_| format!("no definition of {} in {}", gvk.kind, text("apiVersion")))?;
    let old = case.get("old").map(|old| merged(base, old, 0));
    let verdict = match (case.get("subresource").and_then(Value::as_str), old) {
        (None, Some(old)) => kind.judge_update(&object, &old),
        (None, None) => kind.judge_create(&object),
        (Some("status"), Some(old)) if kind.has_status => kind.judge_status(&object, &old),
        (Some("status"), Some(_)) => {
            return Err(format!("{} has no status subresource", kind.kind));
        }
        (Some("status"), None) => return Err("a write to the status needs old".to_owned()),
        (Some(other), _) => return Err(format!("{other} is no subresource that can be tested")),
    };
    coverage.note(&kind, &verdict);
    let mut failures = compare_errors(case, &verdict)?;
    if let Some(wanted) = case.get("warnings").and_then(Value::as_list) {
        let told: Vec<String> = verdict
            .ratcheted
            .iter()
            .map(ToString::to_string)
            .chain(verdict.warnings.iter().cloned())
            .collect();
        for wanted in wanted.iter().filter_map(Value::as_str) {
            if !told.iter().any(|it| it.contains(wanted)) {
                failures.push(format!("no warning has \"{wanted}\"; told: {}", listed(&told)));
            }
        }
    }
    if let Some(wanted) = case.get("stored") {
        let stored = verdict.object.clone().unwrap_or(Value::Null);
        differences(wanted, &stored, "", 0, &mut failures);
    }
    Ok(failures)
}

fn listed(told: &[String]) -> String {
    if told.is_empty() { "nothing".to_owned() } else { told.join("; ") }
}

fn compare_errors(case: &Value, verdict: &Verdict) -> Result<Vec<String>, String> {
    let mut told: Vec<(String, String, String)> = Vec::new();
    if let Some(why) = &verdict.unreadable {
        told.push((String::new(), "BadRequest".to_owned(), why.clone()));
    }
    for path in &verdict.unknown {
        let message = format!("unknown field \"{path}\"");
        told.push((path.clone(), "BadRequest".to_owned(), message));
    }
    for error in verdict.errors.iter().filter(|it| !is_rules_unchecked(it)) {
        told.push((error.path.clone(), error.kind.reason().to_owned(), error.body()));
    }
    let mut failures = Vec::new();
    let wanted = case.get("errors").and_then(Value::as_list);
    for wanted in wanted.into_iter().flat_map(|list| list.iter()) {
        only(wanted, &ERROR_KEYS, "an expected error")?;
        let part = |key: &str| wanted.get(key).and_then(Value::as_str).unwrap_or_default();
        let fits = |(field, reason, message): &(String, String, String)| {
            (part("field").is_empty() || part("field") == field)
                && (part("reason").is_empty() || part("reason") == reason)
                && message.contains(part("message"))
        };
        match told.iter().position(fits) {
            Some(at) => drop(told.remove(at)),
            None => failures.push(format!("expected {}", json::encode_string(wanted))),
        }
    }
    for (field, reason, message) in told {
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

/// Runs as findings, for the reports that other tools read.
#[must_use]
pub fn outcome(runs: &[Run], with_coverage: bool) -> Outcome {
    let mut outcome = Outcome { tool: Tool::Test, ..Outcome::default() };
    let at = |file: &str, line: usize| Location {
        file: file.to_owned(),
        line,
        column: 1,
        end_line: line,
        end_column: 1,
        ..Location::default()
    };
    let finding = |severity, id, message, location| Finding {
        severity,
        id,
        reason: "",
        field: String::new(),
        message,
        help: None,
        object: None,
        location,
    };
    for run in runs {
        outcome.files += 1;
        outcome.judged += run.cases.len();
        outcome.sources.push(run.table.clone());
        for case in run.cases.iter().filter(|case| !case.failures.is_empty()) {
            let message = format!("{}: {}", case.name, case.failures.join("; "));
            let place = at(&run.table, case.line);
            outcome.findings.push(finding(Severity::Error, "case-failed", message, place));
        }
        for line in run.coverage.iter().filter(|it| with_coverage && !(it.passed && it.failed)) {
            let place = at(&run.table, 1);
            outcome.findings.push(finding(Severity::Warning, "uncovered", line.to_string(), place));
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
