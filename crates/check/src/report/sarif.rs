//! SARIF 2.1.0: code scanning of GitHub and others.

use ordain_value::{Value, json, value};

use super::gitlab::fingerprint;
use crate::finding::Finding;
use crate::outcome::Outcome;

pub(super) fn write(outcome: &Outcome) -> String {
    let known = outcome.tool.rules();
    let rule = |it: &(&str, &str)| value!({"id": (it.0), "shortDescription": {"text": (it.1)}});
    let rules: Value = known.iter().map(rule).collect();
    let results: Value = outcome.findings.iter().map(|it| result(it, &known)).collect();
    let report = value!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "ordain",
                "version": (env!("CARGO_PKG_VERSION")),
                "informationUri": "https://github.com/ordain-dev/ordain",
                "rules": rules
            }},
            "columnKind": "unicodeCodePoints",
            "results": results
        }]
    });
    json::encode_pretty(&report) + "\n"
}

fn result(finding: &Finding, known: &[(&str, &str)]) -> Value {
    let at = &finding.location;
    let int = Value::count::<usize>;
    let index = known.iter().position(|(id, _)| *id == finding.id).unwrap_or_default();
    let mut message = finding.text();
    if let Some(help) = &finding.help {
        message.push_str("\nhelp: ");
        message.push_str(help);
    }
    let name = finding.object.as_ref().map(ToString::to_string).unwrap_or_default();
    let logical = match (name.as_str(), finding.field.as_str()) {
        ("", _) => Value::from(Vec::new()),
        (name, field) => {
            value!([{"name": name, "fullyQualifiedName": (format!("{name} {field}").trim_end())}])
        }
    };
    value!({
        "ruleId": (finding.id),
        "ruleIndex": int(index),
        "level": (finding.severity.name()),
        "message": {"text": message},
        "locations": [{
            "physicalLocation": {
                "artifactLocation": {"uri": uri(&at.file)},
                "region": {
                    "startLine": int(at.line),
                    "startColumn": int(at.column),
                    "endLine": int(at.end_line),
                    "endColumn": int(at.end_column)
                }
            },
            "logicalLocations": logical
        }],
        "partialFingerprints": {"ordain/v1": fingerprint(finding)}
    })
}

/// A file name as a relative or absolute reference.
fn uri(file: &str) -> String {
    let mut out = String::new();
    if file.starts_with('/') {
        out.push_str("file://");
    }
    for byte in file.replace('\\', "/").bytes() {
        let plain = byte.is_ascii_alphanumeric() || b"/._-~".contains(&byte);
        if plain {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}
