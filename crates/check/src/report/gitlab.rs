//! GitLab's code quality report.

use ordain_value::{Value, json, value};

use crate::finding::{Finding, Severity};
use crate::outcome::Outcome;

pub(super) fn write(outcome: &Outcome) -> String {
    let issue = |finding: &Finding| {
        let (at, int) = (&finding.location, Value::count::<usize>);
        let severity = match finding.severity {
            Severity::Error => "major",
            Severity::Warning => "minor",
        };
        value!({
            "description": (finding.text()),
            "check_name": (finding.id),
            "fingerprint": (fingerprint(finding)),
            "severity": severity,
            "location": {
                "path": (at.file.as_str()),
                "lines": {"begin": int(at.line), "end": int(at.end_line)}
            }
        })
    };
    json::encode_pretty(&outcome.findings.iter().map(issue).collect()) + "\n"
}

/// What stays the same when lines move: file, rule, object, field and message.
pub(super) fn fingerprint(finding: &Finding) -> String {
    let object = finding.object.as_ref().map(ToString::to_string).unwrap_or_default();
    let parts = [&finding.location.file, finding.id, &object, &finding.field, &finding.message];
    let mut hash = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d_u128;
    for byte in parts.iter().flat_map(|it| it.bytes().chain([0])) {
        hash = (hash ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
    }
    format!("{hash:032x}")
}
