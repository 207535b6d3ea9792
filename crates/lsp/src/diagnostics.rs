//! Findings as an editor shows them.

use ordain_check::{
    Catalog, Finding, Input, Options, PolicyOptions, Severity, Source, validate_inputs,
};
use ordain_value::{Map, Value};

use crate::text::Text;

/// What is found in a text, by the policies of others too.
pub(crate) fn findings(catalog: &Catalog, policies: Vec<Source>, input: Input) -> Vec<Finding> {
    let policies = PolicyOptions { sources: policies, ..PolicyOptions::default() };
    let options = Options { policies, ..Options::default() };
    validate_inputs(&[input], catalog.clone(), &options).0.findings
}

/// What the server would say to a text.
pub(crate) fn of(catalog: &Catalog, policies: Vec<Source>, input: Input, text: &Text) -> Value {
    let findings = findings(catalog, policies, input);
    findings.iter().map(|it| shown(text, it)).collect::<Vec<Value>>().into()
}

/// A finding as the protocol has it.
pub(crate) fn shown(text: &Text, finding: &Finding) -> Value {
    let mut map = Map::new();
    map.insert("range", text.range(finding.location.bytes.clone()));
    // A kind without a definition is no mistake of the text.
    let level = match (finding.severity, finding.id) {
        (_, "no-schema") => 3,
        (Severity::Error, _) => 1,
        (Severity::Warning, _) => 2,
    };
    map.insert("severity", Value::Int(level));
    map.insert("source", "ordain".into());
    map.insert("code", finding.id.into());
    let mut message = finding.text();
    if let Some(help) = &finding.help {
        message.push_str("\nhelp: ");
        message.push_str(help);
    }
    map.insert("message", message.into());
    Value::Map(map)
}
