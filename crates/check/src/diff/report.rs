//! The report of `ordain diff`, for people and for machines.

use ordain_value::{Value, value};

use super::{Change, Report, Safety};
use crate::finding::{Finding, Location, Severity, location};
use crate::locate::{Aim, locate};
use crate::manifest::Manifest;
use crate::outcome::{Outcome, Tool};
use crate::source::Source;

/// A definition with the text that it stands in, for the places of findings.
#[derive(Clone, Debug)]
pub struct Defined {
    pub source: Source,
    pub manifest: Manifest,
}

/// The report as findings at the places of the new definitions: what breaks as errors, what is
/// ratcheted as warnings.
#[must_use]
pub fn outcome(report: &Report, defined: &[Defined]) -> Outcome {
    let findings = report.changes.iter().filter_map(|it| finding(it, defined)).collect();
    Outcome { findings, judged: defined.len(), tool: Tool::Diff, ..Outcome::default() }
}

fn finding(change: &Change, defined: &[Defined]) -> Option<Finding> {
    let (severity, id) = match change.safety {
        Safety::Compatible => return None,
        Safety::Ratcheted => (Severity::Warning, "ratcheted"),
        Safety::Breaking => (Severity::Error, "breaking"),
    };
    let (name, version) = change.subject.split_once('/').unwrap_or((&change.subject, ""));
    let found = defined.iter().find(|it| it.manifest.name() == name);
    let message = match change.why.as_str() {
        "" => change.what.clone(),
        why => format!("{} ({why})", change.what),
    };
    let example = change.example.as_ref().map(ordain_value::json::encode_string);
    let help = example.map(|it| format!("for example: {it}"));
    let place = found.map_or_else(Location::default, |it| place(it, version, &change.path));
    Some(Finding { field: change.id(), help, ..Finding::new(severity, id, message, place) })
}

/// The place of a field in the text of a definition; the nearest place above it when it is gone.
fn place(defined: &Defined, version: &str, path: &str) -> Location {
    let Defined { source, manifest } = defined;
    let versions = manifest.value.get_path(&["spec", "versions"]).and_then(Value::as_list);
    let named = |it: &Value| it.get("name").and_then(Value::as_str) == Some(version);
    let at = versions.and_then(|it| it.iter().position(named));
    let full = match at {
        None => "spec".to_owned(),
        Some(at) => format!("spec.versions[{at}].schema.openAPIV3Schema{}", in_schema(path)),
    };
    location(source, &locate(manifest, &source.text, &full, Aim::Key).span)
}

/// `spec.ports[].name` as a way through a schema.
fn in_schema(path: &str) -> String {
    let spelled = path.replace("[]", ".[]").replace("[*]", ".[*]");
    let steps = spelled.split('.').filter(|it| !it.is_empty()).map(|step| match step {
        "[]" => ".items".to_owned(),
        "[*]" => ".additionalProperties".to_owned(),
        name => format!(".properties.{name}"),
    });
    steps.collect()
}

/// A report as text.
#[must_use]
pub fn text(report: &Report) -> String {
    let mut out = String::new();
    for change in &report.changes {
        let place = match change.path.as_str() {
            "" => change.subject.clone(),
            path => format!("{} {path}", change.subject),
        };
        out.push_str(&format!("{:10} {place}: {}\n", change.safety.name(), change.what));
        if !change.why.is_empty() {
            out.push_str(&format!("           {}\n", change.why));
        }
        if let Some(example) = &change.example {
            for line in ordain_value::yaml::encode(example).lines() {
                out.push_str(&format!("           | {line}\n"));
            }
        }
    }
    let count = |safety: Safety| report.changes.iter().filter(|it| it.safety == safety).count();
    out.push_str(&format!(
        "{} breaking, {} ratcheted, {} compatible\n",
        count(Safety::Breaking),
        count(Safety::Ratcheted),
        count(Safety::Compatible)
    ));
    out
}

/// A report as a value.
#[must_use]
pub fn value(report: &Report) -> Value {
    let change = |it: &Change| {
        value!({
            "subject"?: (&it.subject),
            "path"?: (&it.path),
            "change"?: (&it.what),
            "verdict": (it.safety.name()),
            "reason"?: (&it.why),
            "example"?: (it.example.as_ref())
        })
    };
    let changes: Value = report.changes.iter().map(change).collect();
    value!({"changes": changes, "breaking": (report.is_breaking())})
}
