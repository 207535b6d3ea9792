//! Estimates recorded rules and compares with the estimates that were found by search.
//!
//! Only rules without functions of further libraries are taken: their costs are not this
//! crate's business.

#![allow(
    clippy::panic,
    clippy::print_stderr,
    reason = "tests fail by panicking and tell what they counted"
)]

mod support;

use ordain_cel::cost::{CallEstimate, CostOptions, Estimator, Node, Size, estimate};
use serde_json::Value;
use support::{base_env, node_env, recorded_in};

const REQUEST_BYTES_MAX: u64 = 3 * 1024 * 1024;

/// Sizes by the bounds of a schema.
struct Bounds<'a>(&'a Value);

impl Estimator for Bounds<'_> {
    fn estimate_size(&self, node: &Node<'_>) -> Option<Size> {
        let path = node.path();
        let (_, steps) = path.split_first()?;
        let mut schema = self.0;
        for (index, step) in steps.iter().enumerate() {
            schema = match step.as_str() {
                "@items" => schema.get("items")?,
                "@values" => schema.get("additionalProperties")?,
                "@keys" => {
                    schema.get("additionalProperties")?;
                    return (index + 1 == steps.len()).then_some(Size::default());
                }
                name => schema["properties"].get(name)?,
            };
        }
        let max = max_elements(schema)?;
        Some(Size { min: 0, max })
    }

    fn estimate_call(
        &self,
        _: &str,
        _: &str,
        _: Option<&Node<'_>>,
        _: &[Node<'_>],
    ) -> Option<CallEstimate> {
        None
    }
}

fn max_elements(schema: &Value) -> Option<u64> {
    let bound = |key: &str| schema[key].as_u64();
    if schema["x-kubernetes-int-or-string"] == true {
        let length = bound("maxLength").map(|length| length * 4);
        return Some(length.unwrap_or(REQUEST_BYTES_MAX - 2));
    }
    Some(match schema["type"].as_str()? {
        "string" => match schema["format"].as_str() {
            Some("byte") => bound("maxLength").unwrap_or(REQUEST_BYTES_MAX - 2),
            Some("duration" | "date-time") => 32,
            Some("date") => 12,
            _ => match (bound("maxLength"), schema["enum"].as_array()) {
                (Some(length), _) => length * 4,
                (None, Some(values)) => {
                    let longest = values.iter().filter_map(Value::as_str).map(str::len).max();
                    longest.unwrap_or_default() as u64
                }
                (None, None) => REQUEST_BYTES_MAX - 2,
            },
        },
        "array" => bound("maxItems")?,
        "object" if schema["additionalProperties"].is_object() => bound("maxProperties")?,
        _ => 0,
    })
}

fn find_rule<'a>(schema: &'a Value, text: &str) -> Option<&'a Value> {
    let rules = schema["x-kubernetes-validations"].as_array();
    if rules.into_iter().flatten().any(|rule| rule["rule"] == text) {
        return Some(schema);
    }
    let properties = schema["properties"].as_object();
    let mut children = properties.into_iter().flatten().map(|(_, child)| child);
    children
        .find_map(|child| find_rule(child, text))
        .or_else(|| find_rule(schema.get("items")?, text))
        .or_else(|| find_rule(schema.get("additionalProperties")?, text))
}

#[test]
fn recorded_rules_have_the_recorded_estimates() {
    const CORE: [&str; 33] = [
        "size",
        "startsWith",
        "endsWith",
        "contains",
        "matches",
        "string",
        "int",
        "uint",
        "double",
        "bytes",
        "bool",
        "dyn",
        "type",
        "duration",
        "timestamp",
        "has",
        "all",
        "exists",
        "exists_one",
        "map",
        "filter",
        "getFullYear",
        "getHours",
        "getMonth",
        "hasValue",
        "value",
        "of",
        "none",
        "orValue",
        "or",
        "optMap",
        "optFlatMap",
        "transformList",
    ];
    let base = base_env();
    let (mut total, mut equal) = (0, 0);
    for case in recorded_in("cel", "compile-staticcost") {
        let (Some(text), Some(expected)) = (case["expr"].as_str(), case["estimatedCost"].as_f64())
        else {
            continue;
        };
        let mut calls = text.split('(').map(|before| {
            let name = before.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            &before[name.map_or(0, |at| at + 1)..]
        });
        // Large estimates were read off rounded messages; `sets` has costs of its own.
        if expected.fract() != 0.0
            || expected > 100_000.0
            || text.contains("sets.")
            || calls
                .by_ref()
                .take(text.matches('(').count())
                .any(|name| !name.is_empty() && !CORE.contains(&name))
        {
            continue;
        }
        let schema = &case["steps"][0]["body"]["spec"]["versions"][0]["schema"];
        let Some(node) = find_rule(&schema["openAPIV3Schema"], text) else {
            continue;
        };
        let env = node_env(&base, node, false, false).expect("rules see the node");
        let Ok(checked) = env.compile(text) else {
            continue;
        };
        let options = CostOptions { presence_test_has_cost: false };
        let found = estimate(&checked, &Bounds(node), options).max;
        total += 1;
        if found as f64 == expected {
            equal += 1;
        } else {
            eprintln!("{} `{text}`: recorded {expected}, found {found}", case["id"]);
        }
    }
    eprintln!("{total} rules, {equal} estimates as recorded");
    assert_eq!(equal, total, "estimates as recorded");
}
