//! The report as a value, for JSON and YAML.

use ordain_value::{Value, value};

use crate::finding::{Finding, ObjectRef, PolicyRef};
use crate::foreign::Other;
use crate::outcome::Outcome;
use crate::policy::Annotation;

pub(super) fn report(outcome: &Outcome) -> Value {
    let int = Value::count::<usize>;
    value!({
        "findings": (outcome.findings.iter().map(finding).collect::<Value>()),
        "notManifests": (outcome.others.iter().map(other).collect::<Value>()),
        "notes": (outcome.notes.iter().map(Value::from).collect::<Value>()),
        "auditAnnotations"?: (outcome.annotations.iter().map(annotation).collect::<Vec<_>>()),
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
    })
}

fn annotation(annotation: &Annotation) -> Value {
    value!({
        "file": (annotation.location.file.as_str()),
        "line": (Value::count(annotation.location.line)),
        "object": object(&annotation.object),
        "key": (annotation.key.as_str()),
        "value": (annotation.value.as_str())
    })
}

fn other(other: &Other) -> Value {
    value!({
        "file": (&other.file), "what": (other.what.name()), "line"?: (other.line.map(Value::count))
    })
}

fn object(object: &ObjectRef) -> Value {
    value!({
        "apiVersion"?: (&object.api_version),
        "kind"?: (&object.kind),
        "namespace"?: (&object.namespace),
        "name"?: (&object.name)
    })
}

fn policy(policy: &PolicyRef) -> Value {
    let at = &policy.location;
    value!({
        "name"?: (&policy.name),
        "binding"?: (&policy.binding),
        "expression"?: (&policy.expression),
        "file"?: (&at.file),
        "line": (Value::count(at.line)),
        "column": (Value::count(at.column))
    })
}

fn finding(finding: &Finding) -> Value {
    let (at, int) = (&finding.location, Value::count::<usize>);
    value!({
        "severity": (finding.severity.name()),
        "rule": (finding.id),
        "reason"?: (finding.reason),
        "field"?: (&finding.field),
        "message"?: (&finding.message),
        "help"?: (finding.help.as_deref().unwrap_or_default()),
        "file"?: (&at.file),
        "line": int(at.line),
        "column": int(at.column),
        "endLine": int(at.end_line),
        "endColumn": int(at.end_column),
        "object"?: (finding.object.as_ref().map(object)),
        "policy"?: (finding.policy.as_deref().map(policy))
    })
}
