//! Admission policies: the rules that both kinds share.

use std::collections::BTreeSet;

use ordain_meta::name;
use ordain_strategy::typed::printer;
use ordain_strategy::{Change, object};
use ordain_value::Value;
use ordain_value::field::{self, Path};

use super::{expressions, matching};
use crate::native::Native;
use crate::shared::table::Described;
use crate::shared::{fields, table};

type Errors = field::ErrorList;

/// The column of parameters, which both kinds have.
pub(super) const PARAM_KIND: Described =
    ("ParamKind", "string", "The kind of objects that give parameters.");

pub(super) fn native(
    kind: &'static str,
    rules: Described,
    validate: fn(&Change<'_>) -> Errors,
) -> Native {
    let mut native = super::native(kind, &[&["spec"]], validate);
    native.columns = table::columns(&[rules, PARAM_KIND], &[]);
    native
}

/// The cells of a policy whose rules are in the given list.
pub(super) fn cells(policy: &Value, rules: &str, now: i64) -> Vec<Value> {
    let count = fields::list(policy, &["spec", rules]).len();
    let kind = match fields::at(policy, &["spec", "paramKind"]) {
        None => "<unset>".to_owned(),
        Some(kind) => {
            let text = |name: &str| fields::text(kind, &[name]);
            format!("{}/{}", text("apiVersion"), text("kind"))
        }
    };
    vec![
        object::name(policy).into(),
        i64::try_from(count).unwrap_or(i64::MAX).into(),
        kind.into(),
        printer::age(policy, now),
    ]
}

/// The rules of everything but what a policy does.
pub(super) fn validate(change: &Change<'_>, spec: &Value, path: &Path<'_>, errors: &mut Errors) {
    let policy = path.child("failurePolicy");
    if fields::at(spec, &["failurePolicy"]).is_none() {
        errors.push(field::Error::required(&policy, ""));
    }
    fields::one_of(spec, &["failurePolicy"], &matching::FAILURE_POLICIES, &policy, errors);
    if let Some(kind) = fields::at(spec, &["paramKind"]) {
        param_kind(kind, &path.child("paramKind"), errors);
    }
    let constraints = path.child("matchConstraints");
    match fields::at(spec, &["matchConstraints"]) {
        None => errors.push(field::Error::required(&constraints, "")),
        Some(given) => {
            matching::constraints(given, &constraints, errors);
            if fields::list(given, &["resourceRules"]).is_empty() {
                errors.push(field::Error::required(&constraints.child("resourceRules"), ""));
            }
        }
    }
    let same = same_conditions(change);
    if !same {
        matching::conditions(spec, path, errors);
    }
    let variables = path.child("variables");
    for (at, variable) in fields::list(spec, &["variables"]).iter().enumerate() {
        self::variable(variable, &variables.index(at), errors);
    }
    let judged = |path: &str| !same || !path.starts_with("spec.matchConditions");
    errors.extend(expressions::validate(change, judged));
}

/// Whether the conditions and what they are given stayed; they are then not judged again.
fn same_conditions(change: &Change<'_>) -> bool {
    let Some(old) = change.old else { return false };
    let same =
        |name: &str| fields::at(change.object, &["spec", name]) == fields::at(old, &["spec", name]);
    same("paramKind") && same("matchConditions")
}

fn variable(variable: &Value, path: &Path<'_>, errors: &mut Errors) {
    let given = fields::text(variable, &["name"]);
    if given.trim().is_empty() {
        errors.push(field::Error::required(&path.child("name"), "name is not specified"));
    } else if !is_identifier(given) {
        let why = "must be a valid CEL identifier";
        errors.push(field::Error::invalid(&path.child("name"), given, why));
    }
    if fields::text(variable, &["expression"]).trim().is_empty() {
        let why = "expression is not specified";
        errors.push(field::Error::required(&path.child("expression"), why));
    }
}

/// Words that CEL keeps for itself.
const RESERVED: [&str; 21] = [
    "true",
    "false",
    "null",
    "in",
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

fn is_identifier(text: &str) -> bool {
    let head = |byte: u8| byte == b'_' || byte.is_ascii_alphabetic();
    text.bytes().next().is_some_and(head)
        && text.bytes().all(|byte| head(byte) || byte.is_ascii_digit())
        && !RESERVED.contains(&text)
}

fn param_kind(kind: &Value, path: &Path<'_>, errors: &mut Errors) {
    api_version(fields::text(kind, &["apiVersion"]), &path.child("apiVersion"), errors);
    let given = fields::text(kind, &["kind"]);
    let path = path.child("kind");
    if given.is_empty() {
        return errors.push(field::Error::required(&path, ""));
    }
    let problems = name::dns_1035_label(&given.to_lowercase());
    if !problems.is_empty() {
        let why =
            format!("may have mixed case, but should otherwise match: {}", problems.join(","));
        errors.push(field::Error::invalid(&path, given, why));
    }
}

fn api_version(given: &str, path: &Path<'_>, errors: &mut Errors) {
    if given.is_empty() {
        return errors.push(field::Error::required(path, ""));
    }
    let (group, version) = match given.split_once('/') {
        None => ("", given),
        Some((_, version)) if version.contains('/') => {
            let why = format!("unexpected GroupVersion string: {given}");
            return errors.push(field::Error::invalid(path, given, why));
        }
        Some(both) => both,
    };
    if !group.is_empty() {
        let problems = name::dns_1123_subdomain(group);
        if !problems.is_empty() {
            errors.push(field::Error::invalid(path, group, problems.join(",")));
        }
    }
    if version.is_empty() {
        return errors.push(field::Error::invalid(path, given, "version must be specified"));
    }
    let problems = name::dns_1035_label(version);
    if !problems.is_empty() {
        errors.push(field::Error::invalid(path, version, problems.join(",")));
    }
}

/// Reports keys that are there twice.
pub(super) fn unique(list: &[Value], key: &str, path: &Path<'_>, errors: &mut Errors) {
    let mut seen = BTreeSet::new();
    for (at, item) in list.iter().enumerate() {
        let given = fields::text(item, &[key]);
        if !seen.insert(given) {
            errors.push(field::Error::duplicate(&path.index(at).child(key), given));
        }
    }
}
