//! The report as a value, for JSON and YAML.

use ordain_value::{Map, Value, value};

use crate::finding::{Finding, ObjectRef, PolicyRef};
use crate::foreign::Other;
use crate::outcome::Outcome;
use crate::policy::Annotation;

fn int(number: usize) -> Value {
    Value::Int(i64::try_from(number).unwrap_or(i64::MAX))
}

pub(super) fn report(outcome: &Outcome) -> Value {
    let findings: Vec<Value> = outcome.findings.iter().map(finding).collect();
    let others: Vec<Value> = outcome.others.iter().map(other).collect();
    let notes: Vec<Value> = outcome.notes.iter().map(|it| Value::str(it.as_str())).collect();
    let mut report = value!({
        "findings": Value::from(findings),
        "notManifests": Value::from(others),
        "notes": Value::from(notes),
        "summary": {
            "files": int(outcome.files),
            "objects": int(outcome.judged),
            "updates": int(outcome.updates),
            "skipped": int(outcome.skipped),
            "missingSchemas": int(outcome.missing),
            "patches": int(outcome.patches),
            "encrypted": int(outcome.encrypted),
            "notManifests": int(outcome.others.len()),
            "errors": int(outcome.errors()),
            "warnings": int(outcome.warnings())
        }
    });
    if let (Value::Map(map), false) = (&mut report, outcome.annotations.is_empty()) {
        let annotations: Vec<Value> = outcome.annotations.iter().map(annotation).collect();
        map.insert("auditAnnotations", annotations.into());
    }
    report
}

fn annotation(annotation: &Annotation) -> Value {
    value!({
        "file": (annotation.location.file.as_str()),
        "line": int(annotation.location.line),
        "object": object(&annotation.object),
        "key": (annotation.key.as_str()),
        "value": (annotation.value.as_str())
    })
}

fn other(other: &Other) -> Value {
    let mut map = Map::new();
    map.insert("file", other.file.as_str().into());
    map.insert("what", other.what.name().into());
    if let Some(line) = other.line {
        map.insert("line", int(line));
    }
    Value::Map(map)
}

fn object(object: &ObjectRef) -> Value {
    let mut about = Map::new();
    for (key, text) in [
        ("apiVersion", &object.api_version),
        ("kind", &object.kind),
        ("namespace", &object.namespace),
        ("name", &object.name),
    ] {
        if !text.is_empty() {
            about.insert(key, text.as_str().into());
        }
    }
    Value::Map(about)
}

fn policy(policy: &PolicyRef) -> Value {
    let at = &policy.location;
    let mut map = Map::new();
    for (key, text) in [
        ("name", &policy.name),
        ("binding", &policy.binding),
        ("expression", &policy.expression),
        ("file", &at.file),
    ] {
        if !text.is_empty() {
            map.insert(key, text.as_str().into());
        }
    }
    map.insert("line", int(at.line));
    map.insert("column", int(at.column));
    Value::Map(map)
}

fn finding(finding: &Finding) -> Value {
    let at = &finding.location;
    let mut map = Map::new();
    let mut set = |key: &str, text: &str| {
        if !text.is_empty() {
            map.insert(key, text.into());
        }
    };
    set("severity", finding.severity.name());
    set("rule", finding.id);
    set("reason", finding.reason);
    set("field", &finding.field);
    set("message", &finding.message);
    set("help", finding.help.as_deref().unwrap_or_default());
    set("file", &at.file);
    for (key, number) in [
        ("line", at.line),
        ("column", at.column),
        ("endLine", at.end_line),
        ("endColumn", at.end_column),
    ] {
        map.insert(key, int(number));
    }
    if let Some(about) = &finding.object {
        map.insert("object", object(about));
    }
    if let Some(by) = &finding.policy {
        map.insert("policy", policy(by));
    }
    Value::Map(map)
}
