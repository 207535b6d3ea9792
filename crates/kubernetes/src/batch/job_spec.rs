//! What a job does: the rules that jobs and the templates of cron jobs share.

use ordain_meta::name;
use ordain_strategy::Warnings;
use ordain_value::Value;
use ordain_value::field::{self, Path};

use super::{failure_policy, success_policy};
use crate::core::pod::template::{self, PodOptions};
use crate::shared::{amount, fields, internal};

type Errors = field::ErrorList;

const INDEXED_PARALLELISM_MAX: i64 = 100_000;
const FAILED_INDEXES_MAX: i64 = 100_000;
/// Above so many completions with a limit per index, less is allowed.
const MANY_COMPLETIONS: i64 = 100_000;
const MANY_COMPLETIONS_LIMIT: i64 = 10_000;
const MANAGED_BY_BYTES_MAX: i64 = 63;
const COUNTS: [&str; 7] = [
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
];

/// Whether the pods of a job have indexes.
pub(super) fn is_indexed(spec: &Value) -> bool {
    fields::text(spec, &["completionMode"]) == "Indexed"
}

/// Every rule but those of the selector, which the templates of cron jobs do not have.
pub(super) fn validate(spec: &Value, path: &Path<'_>, options: &PodOptions, errors: &mut Errors) {
    for name in COUNTS {
        amount::not_negative(fields::int(spec, &[name]), &path.child(name), errors);
    }
    let is_set = |name: &str| fields::at(spec, &[name]).is_some();
    if is_set("maxFailedIndexes") && !is_set("backoffLimitPerIndex") {
        let why = "when maxFailedIndexes is specified";
        errors.push(field::Error::required(&path.child("backoffLimitPerIndex"), why));
    }
    if let Some(manager) = fields::at(spec, &["managedBy"]).and_then(Value::as_str) {
        managed_by(manager, &path.child("managedBy"), errors);
    }
    let modes = ["NonIndexed", "Indexed"];
    fields::one_of(spec, &["completionMode"], &modes, &path.child("completionMode"), errors);
    match fields::text(spec, &["completionMode"]) {
        "Indexed" => indexed(spec, path, errors),
        "" | "NonIndexed" => {
            for name in ["backoffLimitPerIndex", "maxFailedIndexes"] {
                if let Some(value) = fields::int(spec, &[name]) {
                    let why = "requires indexed completion mode";
                    errors.push(field::Error::invalid(&path.child(name), value, why));
                }
            }
        }
        _ => {}
    }
    if is_set("podFailurePolicy") {
        failure_policy::validate(spec, &path.child("podFailurePolicy"), errors);
    }
    if let Some(policy) = fields::at(spec, &["successPolicy"]) {
        let path = path.child("successPolicy");
        if is_indexed(spec) {
            success_policy::validate(spec, &path, errors);
        } else {
            let why = "requires indexed completion mode";
            errors.push(field::Error::invalid(&path, shown_success_policy(policy), why));
        }
    }
    let known: &[&str] =
        if is_set("podFailurePolicy") { &["Failed"] } else { &["Failed", "TerminatingOrFailed"] };
    let replacement = path.child("podReplacementPolicy");
    fields::one_of(spec, &["podReplacementPolicy"], known, &replacement, errors);
    let template = fields::at(spec, &["template"]).unwrap_or(&Value::Null);
    errors.extend(template::validate(template, &path.child("template"), options));
    restart_policy(spec, path, errors);
}

pub(super) fn shown_success_policy(policy: &Value) -> field::BadValue {
    let rule = |rule: &Value| {
        internal::structure_text(&[
            ("SucceededIndexes", internal::plain(fields::at(rule, &["succeededIndexes"]))),
            ("SucceededCount", internal::plain(fields::at(rule, &["succeededCount"]))),
        ])
    };
    let rules = match fields::at(policy, &["rules"]) {
        None => "null".to_owned(),
        Some(_) => internal::list(fields::list(policy, &["rules"]), rule),
    };
    internal::structure(&[("Rules", rules)])
}

fn managed_by(manager: &str, path: &Path<'_>, errors: &mut Errors) {
    domain_path(manager, path, errors);
    if i64::try_from(manager.len()).unwrap_or(i64::MAX) > MANAGED_BY_BYTES_MAX {
        errors.push(field::Error::too_long(path, MANAGED_BY_BYTES_MAX));
    }
}

/// A path below a domain: `acme.io/foo`.
fn domain_path(text: &str, path: &Path<'_>, errors: &mut Errors) {
    if text.is_empty() {
        return errors.push(field::Error::required(path, ""));
    }
    let (host, rest) = text.split_once('/').unwrap_or((text, ""));
    if host.is_empty() || rest.is_empty() {
        let why = "must be a domain-prefixed path (such as \"acme.io/foo\")";
        return errors.push(field::Error::invalid(path, text, why));
    }
    for why in name::dns_1123_subdomain(host) {
        errors.push(field::Error::invalid(path, host, why));
    }
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~%!$&'()*+,;=:".contains(&byte);
    if !rest.bytes().all(allowed) {
        let why = name::pattern_message("Invalid path", r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+", &[]);
        errors.push(field::Error::invalid(path, rest, why));
    }
}

fn indexed(spec: &Value, path: &Path<'_>, errors: &mut Errors) {
    let int = |name: &str| fields::int(spec, &[name]);
    let (completions, parallelism) = (int("completions"), int("parallelism"));
    let (failed, per_index) = (int("maxFailedIndexes"), int("backoffLimitPerIndex"));
    if completions.is_none() {
        let why = "when completion mode is Indexed";
        errors.push(field::Error::required(&path.child("completions"), why));
    }
    let mut above = |name: &str, value: Option<i64>, limit: i64, why: &str| {
        if let Some(value) = value.filter(|value| *value > limit) {
            let why = format!("must be less than or equal to {why}");
            errors.push(field::Error::invalid(&path.child(name), value, why));
        }
    };
    above(
        "parallelism",
        parallelism,
        INDEXED_PARALLELISM_MAX,
        &format!("{INDEXED_PARALLELISM_MAX} when completion mode is Indexed"),
    );
    if let Some(completions) = completions {
        above("maxFailedIndexes", failed, completions, "completions");
    }
    above("maxFailedIndexes", failed, FAILED_INDEXES_MAX, &FAILED_INDEXES_MAX.to_string());
    if per_index.is_none() || completions.is_none_or(|it| it <= MANY_COMPLETIONS) {
        return;
    }
    let why = format!(
        "{MANY_COMPLETIONS_LIMIT} when completions are above {MANY_COMPLETIONS} and used with \
         backoff limit per index"
    );
    above("parallelism", parallelism, MANY_COMPLETIONS_LIMIT, &why);
    above("maxFailedIndexes", failed, MANY_COMPLETIONS_LIMIT, &why);
    if failed.is_none() {
        let why = format!("must be specified when completions is above {MANY_COMPLETIONS}");
        errors.push(field::Error::required(&path.child("maxFailedIndexes"), why));
    }
}

fn restart_policy(spec: &Value, path: &Path<'_>, errors: &mut Errors) {
    let path = path.child("template.spec.restartPolicy");
    match fields::text(spec, &["template", "spec", "restartPolicy"]) {
        "Always" | "" => {
            let why = "valid values: \"OnFailure\", \"Never\"";
            errors.push(field::Error::required(&path, why));
        }
        given @ "OnFailure" if fields::at(spec, &["podFailurePolicy"]).is_some() => {
            let why = "only \"Never\" is supported when podFailurePolicy is specified";
            errors.push(field::Error::invalid(&path, given, why));
        }
        "OnFailure" | "Never" => {}
        given => {
            errors.push(field::Error::not_supported(&path, given, &["OnFailure", "Never"]));
        }
    }
}

/// Advice on a spec at a path.
pub(super) fn warn(spec: &Value, path: &str, old: Option<&Value>, warnings: &mut Warnings) {
    let above = |name: &str, limit: i64| fields::count(spec, &[name]) > limit;
    if is_indexed(spec) && above("completions", 100_000) && above("parallelism", 10_000) {
        warnings.add(format!(
            "{path}: In Indexed Jobs with a number of completions higher than 10^5 and a \
             parallelism higher than 10^4, Kubernetes might not be able to track \
             completedIndexes when a big number of indexes fail"
        ));
    }
    if let Some(template) = fields::at(spec, &["template"]) {
        let old = old.and_then(|old| fields::at(old, &["template"]));
        let path = Path::new(path);
        template::warn(template, &path.child("template"), old, warnings);
    }
}
