//! Compiles every rule of the recorded definitions and compares with what was answered.

mod support;

use ordain_testkit::tally::Tally;
use serde_json::Value;
use support::{base_env, node_env, recorded_in};

/// A rule or message expression with its place and the recorded complaint.
struct Case {
    id: String,
    text: String,
    schema: Value,
    is_root: bool,
    optional_old: bool,
    expected: Option<String>,
}

fn cases(folder: &str, prefix: &str) -> Vec<Case> {
    let mut cases = Vec::new();
    for case in recorded_in(folder, prefix) {
        let id = case["id"].as_str().unwrap_or_default();
        for step in case["steps"].as_array().into_iter().flatten() {
            let code = step["code"].as_i64().unwrap_or_default();
            let versions = step["body"]["spec"]["versions"].as_array();
            let [version] = versions.map(Vec::as_slice).unwrap_or_default() else {
                continue;
            };
            let schema = &version["schema"]["openAPIV3Schema"];
            let prefix = "spec.validation.openAPIV3Schema";
            collect(id, schema, prefix, true, code, &step["response"], &mut cases);
        }
    }
    cases
}

fn collect(
    id: &str,
    schema: &Value,
    path: &str,
    is_root: bool,
    code: i64,
    response: &Value,
    cases: &mut Vec<Case>,
) {
    let rules = schema["x-kubernetes-validations"].as_array();
    for (index, rule) in rules.into_iter().flatten().enumerate() {
        for (key, marker) in [
            ("rule", ": compilation failed: "),
            ("messageExpression", ": messageExpression compilation failed: "),
        ] {
            let Some(text) = rule[key].as_str().filter(|text| !text.trim().is_empty()) else {
                continue;
            };
            let field = format!("{path}.x-kubernetes-validations[{index}].{key}");
            let causes = response["details"]["causes"].as_array();
            let mut complaint = None;
            let mut others = false;
            for cause in causes.into_iter().flatten() {
                let message = cause["message"].as_str().unwrap_or_default();
                if cause["field"] == field.as_str()
                    && let Some((_, after)) = message.split_once(marker)
                {
                    complaint = Some(after.to_owned());
                } else if !message.contains("estimated") && !message.contains("exceed") {
                    others = true;
                }
            }
            if complaint.is_none() && (others || (code != 201 && code != 422)) {
                continue;
            }
            cases.push(Case {
                id: id.to_owned(),
                text: text.to_owned(),
                schema: schema.clone(),
                is_root: is_root || schema["x-kubernetes-embedded-resource"] == true,
                optional_old: rule["optionalOldSelf"] == true,
                expected: complaint,
            });
        }
    }
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let path = format!("{path}.properties[{name}]");
        collect(id, property, &path, false, code, response, cases);
    }
    let nested = [("items", ".items"), ("additionalProperties", ".additionalProperties")];
    for (key, step) in nested {
        if schema[key].is_object() {
            let path = format!("{path}{step}");
            collect(id, &schema[key], &path, false, code, response, cases);
        }
    }
}

/// Compiles rules and compares the words of refusals.
fn compile_all(cases: Vec<Case>, tally: &mut Tally) {
    let base = base_env();
    for (at, case) in cases.into_iter().enumerate() {
        let Some(env) = node_env(&base, &case.schema, case.is_root, case.optional_old) else {
            continue;
        };
        let answer = env.compile(&case.text).err().map(|error| error.to_string());
        let shown = |text: &Option<String>| {
            let text = text.as_deref().unwrap_or("(compiles)");
            text.chars().take(1500).collect::<String>()
        };
        let place = format!("{} {at}", case.id);
        match answer == case.expected {
            true => tally.agrees(&place),
            false => tally.differs(
                &place,
                format!(
                    "`{}`\n  got    {}\n  wanted {}",
                    case.text,
                    shown(&answer),
                    shown(&case.expected)
                ),
            ),
        }
    }
}

#[test]
fn recorded_rules_compile_with_the_recorded_verdicts() {
    let mut tally = Tally::new("cel-compile");
    compile_all(cases("cel", "compile-"), &mut tally);
    tally.check(1000);
}

#[test]
fn rules_of_served_kinds_compile() {
    for (name, set, prefix) in
        [("cel-value", "cel", "value-"), ("cel-runtime", "cel", "runtime-"), ("cel-crd", "crd", "")]
    {
        let mut tally = Tally::new(name);
        compile_all(cases(set, prefix), &mut tally);
        tally.check(10);
    }
}
