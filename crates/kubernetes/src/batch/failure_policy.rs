//! Which failures of pods end a job, and which do not count.

use std::collections::BTreeSet;

use ordain_meta::name;
use ordain_value::Value;
use ordain_value::field::{self, BadValue, Kind, Path};

use crate::shared::fields;

type Errors = field::ErrorList;

const ACTIONS: [&str; 4] = ["Count", "FailIndex", "FailJob", "Ignore"];
const OPERATORS: [&str; 2] = ["In", "NotIn"];
const STATUSES: [&str; 3] = ["False", "True", "Unknown"];
const RULES_MAX: i64 = 20;
const PATTERNS_MAX: i64 = 20;
const VALUES_MAX: i64 = 255;

pub(super) fn validate(spec: &Value, path: &Path<'_>, errors: &mut Errors) {
    let path = path.child("rules");
    let rules = fields::list(spec, &["podFailurePolicy", "rules"]);
    at_most(rules.len(), RULES_MAX, &path, errors);
    let pod = |list: &str| fields::list(spec, &["template", "spec", list]);
    let containers = pod("containers").iter().chain(pod("initContainers"));
    let names: BTreeSet<&str> = containers.map(|it| fields::text(it, &["name"])).collect();
    for (at, rule) in rules.iter().enumerate() {
        self::rule(spec, rule, &names, &path.index(at), errors);
    }
}

fn at_most(count: usize, most: i64, path: &Path<'_>, errors: &mut Errors) {
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    if count > most {
        errors.push(field::Error::too_many(path, count, most));
    }
}

fn quoted(values: &[&str]) -> String {
    let texts: Vec<String> = values.iter().map(|it| format!("\"{it}\"")).collect();
    format!("valid values: [{}]", texts.join(" "))
}

/// A text that is needed and one of those known.
fn needed(given: &str, known: &[&str], path: &Path<'_>, errors: &mut Errors) {
    if given.is_empty() {
        errors.push(field::Error::required(path, quoted(known)));
    } else if !known.contains(&given) {
        errors.push(field::Error::not_supported(path, given, known));
    }
}

fn rule(spec: &Value, rule: &Value, names: &BTreeSet<&str>, path: &Path<'_>, errors: &mut Errors) {
    let action = fields::text(rule, &["action"]);
    needed(action, &ACTIONS, &path.child("action"), errors);
    if action == "FailIndex" && fields::at(spec, &["backoffLimitPerIndex"]).is_none() {
        let why = "requires the backoffLimitPerIndex to be set";
        errors.push(field::Error::invalid(&path.child("action"), action, why));
    }
    let codes = fields::at(rule, &["onExitCodes"]);
    let patterns = fields::list(rule, &["onPodConditions"]);
    if let Some(codes) = codes {
        exit_codes(codes, names, &path.child("onExitCodes"), errors);
    }
    conditions(patterns, &path.child("onPodConditions"), errors);
    let why = match (codes.is_some(), patterns.is_empty()) {
        (true, false) => "specifying both OnExitCodes and OnPodConditions is not supported",
        (false, true) => "specifying one of OnExitCodes and OnPodConditions is required",
        _ => return,
    };
    errors.push(field::Error::new(Kind::Invalid, path, BadValue::Omitted, why));
}

fn conditions(patterns: &[Value], path: &Path<'_>, errors: &mut Errors) {
    at_most(patterns.len(), PATTERNS_MAX, path, errors);
    for (at, pattern) in patterns.iter().enumerate() {
        let path = path.index(at);
        let ty = fields::text(pattern, &["type"]);
        for why in name::qualified_name(ty) {
            errors.push(field::Error::invalid(&path.child("type"), ty, why));
        }
        needed(fields::text(pattern, &["status"]), &STATUSES, &path.child("status"), errors);
    }
}

fn exit_codes(codes: &Value, names: &BTreeSet<&str>, path: &Path<'_>, errors: &mut Errors) {
    let operator = fields::text(codes, &["operator"]);
    needed(operator, &OPERATORS, &path.child("operator"), errors);
    if let Some(name) = fields::at(codes, &["containerName"]).and_then(Value::as_str)
        && !names.contains(name)
    {
        let why = "must be one of the container or initContainer names in the pod template";
        errors.push(field::Error::invalid(&path.child("containerName"), name, why));
    }
    let path = path.child("values");
    let values = fields::list(codes, &["values"]);
    let shown = codes.get("values").cloned().unwrap_or(Value::Null);
    if values.is_empty() {
        let why = "at least one value is required";
        errors.push(field::Error::invalid(&path, shown.clone(), why));
    }
    at_most(values.len(), VALUES_MAX, &path, errors);
    let numbers: Vec<i64> = values.iter().map(|it| it.as_int().unwrap_or(0)).collect();
    let mut seen = BTreeSet::new();
    for (at, number) in numbers.iter().enumerate() {
        if operator == "In" && *number == 0 {
            let why = "must not be 0 for the In operator";
            errors.push(field::Error::invalid(&path.index(at), *number, why));
        }
        if !seen.insert(number) {
            errors.push(field::Error::duplicate(&path.index(at), *number));
        }
    }
    if !numbers.is_sorted() {
        errors.push(field::Error::invalid(&path, shown, "must be ordered"));
    }
}
