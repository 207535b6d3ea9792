//! Findings as an editor shows them.

use ordain_check::{Catalog, Input, Options, PolicyOptions, Severity, Source, validate_inputs};
use ordain_value::{Map, Value};

use crate::text::Text;

/// What the server would say to a text, by the policies of others too.
pub(crate) fn of(catalog: &Catalog, policies: Vec<Source>, name: &str, text: &Text) -> Value {
    let source = Source::new(name, text.content.as_bytes());
    let policies = PolicyOptions { sources: policies, ..PolicyOptions::default() };
    let options = Options { policies, ..Options::default() };
    let (outcome, _) = validate_inputs(&[Input::Text(source)], catalog.clone(), &options);
    let mut list = Vec::new();
    for finding in &outcome.findings {
        let mut map = Map::new();
        map.insert("range", text.range(finding.location.bytes.clone()));
        // A kind that nobody told of is no mistake of the text.
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
        list.push(Value::Map(map));
    }
    list.into()
}
