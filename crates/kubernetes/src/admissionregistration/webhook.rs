//! Webhooks: the rules of both kinds of configurations.
//!
//! Rules that came after the first release hold for an update only if the old object kept them.

use std::collections::BTreeSet;

use ordain_meta::name;
use ordain_schema::admission::client;
use ordain_schema::crd::Service;
use ordain_strategy::typed::printer;
use ordain_strategy::{Change, object};
use ordain_value::field::{self, Path};
use ordain_value::{Text, Value};

use super::{expressions, matching, metadata};
use crate::native::Native;
use crate::shared::selector::{self, Values};
use crate::shared::{fields, table};

/// Whether a kind of configurations has webhooks that may be called again.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reinvocation {
    Possible,
    Never,
}

const SIDE_EFFECTS: [&str; 4] = ["None", "NoneOnDryRun", "Some", "Unknown"];
const NO_SIDE_EFFECTS: [&str; 2] = ["None", "NoneOnDryRun"];
const NO_VERSION: &str = "must specify one of v1, v1beta1";

pub(super) fn native(kind: &'static str, validate: fn(&Change<'_>) -> field::ErrorList) -> Native {
    let mut native = super::native(kind, &[&["webhooks"]], validate);
    native.hooks.cells = cells;
    native.columns =
        table::columns(&[("Webhooks", "integer", "How many webhooks are configured.")], &[]);
    native
}

fn cells(configuration: &Value, now: i64) -> Vec<Value> {
    let count = fields::list(configuration, &["webhooks"]).len();
    vec![
        object::name(configuration).into(),
        i64::try_from(count).unwrap_or(i64::MAX).into(),
        printer::age(configuration, now),
    ]
}

/// Which of the later rules hold.
struct Options {
    no_side_effects: bool,
    recognized_versions: bool,
    unique_names: bool,
    values: Values,
}

impl Options {
    fn of(old: Option<&Value>) -> Self {
        let old = old.map_or(&[][..], |old| fields::list(old, &["webhooks"]));
        let mut names = BTreeSet::new();
        let selectors = old.iter().flat_map(|webhook| {
            ["namespaceSelector", "objectSelector"].map(|name| fields::at(webhook, &[name]))
        });
        Self {
            no_side_effects: old
                .iter()
                .all(|it| NO_SIDE_EFFECTS.contains(&fields::text(it, &["sideEffects"]))),
            recognized_versions: old.iter().all(|it| {
                let versions = fields::texts(it, &["admissionReviewVersions"]);
                versions.is_empty() || versions.into_iter().any(client::is_recognized)
            }),
            unique_names: old.iter().all(|it| names.insert(fields::text(it, &["name"]))),
            values: if selectors.into_iter().any(selector::is_invalid) {
                Values::Any
            } else {
                Values::Checked
            },
        }
    }
}

/// Whether all webhooks kept their conditions, which are then not judged again.
fn same_conditions(change: &Change<'_>) -> bool {
    let Some(old) = change.old else { return false };
    let conditions = |object| {
        let webhooks = fields::list(object, &["webhooks"]);
        webhooks.iter().map(|it| fields::list(it, &["matchConditions"])).collect::<Vec<_>>()
    };
    conditions(change.object) == conditions(old)
}

pub(super) fn validate(change: &Change<'_>, reinvocation: Reinvocation) -> field::ErrorList {
    let mut errors = metadata(change);
    let options = Options::of(change.old);
    let same_conditions = same_conditions(change);
    let list = Path::new("webhooks");
    let mut names = BTreeSet::new();
    for (at, webhook) in fields::list(change.object, &["webhooks"]).iter().enumerate() {
        let path = list.index(at);
        one(webhook, reinvocation, &options, &path, &mut errors);
        if !same_conditions {
            matching::conditions(webhook, &path, &mut errors);
        }
        let given = fields::text(webhook, &["name"]);
        if options.unique_names && !given.is_empty() && !names.insert(given) {
            errors.push(field::Error::duplicate(&path.child("name"), given));
        }
    }
    if !same_conditions {
        errors.extend(expressions::validate(change, |_| true));
    }
    errors
}

fn one(
    webhook: &Value,
    reinvocation: Reinvocation,
    options: &Options,
    path: &Path<'_>,
    errors: &mut field::ErrorList,
) {
    full_name(fields::text(webhook, &["name"]), &path.child("name"), errors);
    let rules = path.child("rules");
    for (at, rule) in fields::list(webhook, &["rules"]).iter().enumerate() {
        matching::rule(rule, &rules.index(at), errors);
    }
    let mut one_of = |name: &str, known: &[&str]| {
        fields::one_of(webhook, &[name], known, &path.child(name), errors);
    };
    one_of("failurePolicy", &matching::FAILURE_POLICIES);
    one_of("matchPolicy", &matching::MATCH_POLICIES);
    if reinvocation == Reinvocation::Possible {
        one_of("reinvocationPolicy", &matching::REINVOCATION_POLICIES);
    }
    let allowed: &[&str] = if options.no_side_effects { &NO_SIDE_EFFECTS } else { &SIDE_EFFECTS };
    one_of("sideEffects", allowed);
    if fields::at(webhook, &["sideEffects"]).is_none() {
        let why = format!("must specify one of {}", allowed.join(", "));
        errors.push(field::Error::required(&path.child("sideEffects"), why));
    }
    if let Some(seconds) = fields::int(webhook, &["timeoutSeconds"])
        && !(1..=30).contains(&seconds)
    {
        let why = "the timeout value must be between 1 and 30 seconds";
        errors.push(field::Error::invalid(&path.child("timeoutSeconds"), seconds, why));
    }
    for name in ["namespaceSelector", "objectSelector"] {
        let selector = fields::at(webhook, &[name]);
        selector::validate(selector, options.values, &path.child(name), errors);
    }
    client_config(webhook, &path.child("clientConfig"), errors);
    let versions: Vec<Text> =
        fields::texts(webhook, &["admissionReviewVersions"]).into_iter().map(Text::from).collect();
    client::review_versions(
        &versions,
        options.recognized_versions,
        NO_VERSION,
        &path.child("admissionReviewVersions"),
        errors,
    );
}

/// A name with at least three parts.
fn full_name(given: &str, path: &Path<'_>, errors: &mut field::ErrorList) {
    if given.is_empty() {
        return errors.push(field::Error::required(path, ""));
    }
    let problems = name::dns_1123_subdomain(given);
    if !problems.is_empty() {
        errors.push(field::Error::invalid(path, given, problems.join(",")));
    } else if given.split('.').count() < 3 {
        let why = "should be a domain with at least three segments separated by dots";
        errors.push(field::Error::invalid(path, given, why));
    }
}

fn client_config(webhook: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    let config = fields::at(webhook, &["clientConfig"]).unwrap_or(&Value::Null);
    match (fields::at(config, &["url"]), fields::at(config, &["service"])) {
        (Some(url), None) => {
            client::url(url.as_str().unwrap_or(""), &path.child("url"), errors);
        }
        (None, Some(service)) => {
            let text = |name: &str| Text::from(fields::text(service, &[name]));
            let service = Service {
                namespace: text("namespace"),
                name: text("name"),
                path: fields::at(service, &["path"]).and_then(Value::as_text).cloned(),
                port: fields::int(service, &["port"]),
            };
            client::service(&service, &path.child("service"), errors);
        }
        _ => errors.push(field::Error::required(path, "exactly one of url or service is required")),
    }
}
