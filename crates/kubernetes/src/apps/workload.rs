//! What the workloads of this group have in common: a selector, a template, counts of replicas.

use ordain_meta::name;
use ordain_strategy::typed::{COUNT_SPEC, Hooks, rules};
use ordain_strategy::{Change, Part, Scale, Warnings, object};
use ordain_value::Value;
use ordain_value::field::{self, Path};

use crate::core::pod::template::{self, PodOptions};
use crate::native::Native;
use crate::shared::{fields, selector};

type Errors = field::ErrorList;

const TEMPLATE: [&str; 2] = ["spec", "template"];

/// A workload that follows the conventions of the group.
pub(super) fn native(kind: &'static str, validate: fn(&Change<'_>) -> Errors) -> Native {
    let mut hooks = Hooks::new(validate);
    hooks.default = default_template;
    hooks.prepare_for_create = drop_disabled;
    hooks.prepare_for_update = drop_disabled_in_update;
    hooks.lifecycle = COUNT_SPEC;
    hooks.warn = warn_of_template;
    Native { hooks, ..Native::new("apps", kind) }
}

/// The scale of workloads that have one.
pub(crate) fn scale() -> Scale {
    Scale {
        spec_replicas_path: ".spec.replicas".into(),
        status_replicas_path: ".status.replicas".into(),
        label_selector_path: Some(".spec.selector".into()),
    }
}

pub(crate) fn default_template(workload: &mut Value) {
    if let Some(template) = workload.get_mut("spec").and_then(|spec| spec.get_mut("template")) {
        template::default(template);
    }
}

pub(crate) fn drop_disabled(workload: &mut Value) {
    if let Some(template) = workload.get_mut("spec").and_then(|spec| spec.get_mut("template")) {
        template::drop_disabled(template, None);
    }
}

pub(crate) fn drop_disabled_in_update(part: Part, workload: &mut Value, old: &Value) {
    let template = workload.get_mut("spec").and_then(|spec| spec.get_mut("template"));
    if part != Part::Status
        && let Some(template) = template
    {
        template::drop_disabled(template, old.get_path(&TEMPLATE));
    }
}

/// What an old template lets a new one do.
pub(crate) fn options(change: &Change<'_>) -> PodOptions {
    PodOptions::of(
        fields::at(change.object, &TEMPLATE),
        change.old.and_then(|old| fields::at(old, &TEMPLATE)),
    )
}

/// Advice on the template; on updates only of a workload whose desired state changed.
pub(super) fn warn_of_template(change: &Change<'_>, warnings: &mut Warnings) {
    if change.part == Part::Status || is_unchanged(change) {
        return;
    }
    if let Some(template) = fields::at(change.object, &TEMPLATE) {
        let old = change.old.and_then(|old| fields::at(old, &TEMPLATE));
        template::warn(template, &Path::new("spec.template"), old, warnings);
    }
}

fn is_unchanged(change: &Change<'_>) -> bool {
    change.old.is_some_and(|old| object::generation(old) == object::generation(change.object))
}

/// Advice on a workload whose name becomes part of names of pods.
pub(crate) fn warn_of_name_and_template(change: &Change<'_>, warnings: &mut Warnings) {
    if change.old.is_none() {
        warn_of_name(object::name(change.object), warnings);
    }
    warn_of_template(change, warnings);
}

/// Advice on a name that becomes part of names of pods.
pub(crate) fn warn_of_name(given: &str, warnings: &mut Warnings) {
    let problems = name::dns_1123_label(given);
    if !problems.is_empty() {
        warnings.add(format!(
            "metadata.name: this is used in Pod names and hostnames, which can result in \
             surprising behavior; a DNS label is recommended: [{}]",
            problems.join(" ")
        ));
    }
}

/// The rules of metadata and, for the main endpoint, of what a function adds.
pub(super) fn validate(
    change: &Change<'_>,
    rule: fn(&str, bool) -> Vec<String>,
    spec: fn(&Change<'_>, &Value, &Path<'_>, &mut Errors),
    status: fn(&Value, &Path<'_>, &mut Errors),
) -> Errors {
    let mut errors = rules::metadata(change, true, rule);
    let part = if change.part == Part::Status { "status" } else { "spec" };
    let value = fields::at(change.object, &[part]).unwrap_or(&Value::Null);
    if change.part == Part::Status {
        status(value, &Path::new(part), &mut errors);
        collisions(change, &mut errors);
    } else {
        spec(change, value, &Path::new(part), &mut errors);
    }
    errors
}

/// The rules of a selector that is needed and selects something.
pub(super) fn needed_selector(spec: &Value, kind: &str, path: &Path<'_>, errors: &mut Errors) {
    let path = path.child("selector");
    let given = fields::at(spec, &["selector"]);
    if given.is_none() {
        return errors.push(field::Error::required(&path, ""));
    }
    selector::validate(given, selector::Values::Checked, &path, errors);
    not_empty(given, kind, &path, errors);
}

/// Refuses a selector that would select everything.
pub(super) fn not_empty(given: Option<&Value>, kind: &str, path: &Path<'_>, errors: &mut Errors) {
    let Some(value) = given else { return };
    let is_empty = fields::map(value, &["matchLabels"]).is_none_or(ordain_value::Map::is_empty)
        && fields::list(value, &["matchExpressions"]).is_empty();
    if is_empty {
        let why = format!("empty selector is invalid for {kind}");
        errors.push(field::Error::invalid(path, selector::shown(given), why));
    }
}

/// Refuses a template whose labels the selector does not select.
pub(super) fn selects_template(
    chosen: Option<&ordain_meta::selector::LabelSelector>,
    template: &Value,
    path: &Path<'_>,
    errors: &mut Errors,
) {
    let labels = fields::map(template, &["metadata", "labels"]);
    if !chosen.is_some_and(|it| it.matches(labels)) {
        let value = labels.map_or(Value::Null, |map| Value::Map(map.clone()));
        let why = "`selector` does not match template `labels`";
        errors.push(field::Error::invalid(&path.child("metadata.labels"), value, why));
    }
}

/// Pods of this kind of workload are started again whenever they end.
pub(crate) fn restarts_always(template: &Value, kind: &str, path: &Path<'_>, errors: &mut Errors) {
    let path = path.child("spec");
    let policy = fields::text(template, &["spec", "restartPolicy"]);
    if policy != "Always" {
        let path = path.child("restartPolicy");
        errors.push(field::Error::not_supported(&path, policy, &["Always"]));
    }
    if fields::at(template, &["spec", "activeDeadlineSeconds"]).is_some() {
        let why = format!("activeDeadlineSeconds in {kind} is not Supported");
        errors.push(field::Error::forbidden(&path.child("activeDeadlineSeconds"), why));
    }
}

/// The selector and template of a Deployment or ReplicaSet.
pub(super) fn replicated(change: &Change<'_>, spec: &Value, path: &Path<'_>, errors: &mut Errors) {
    needed_selector(spec, "deployment", path, errors);
    let given = fields::at(spec, &["selector"]);
    let template_path = path.child("template");
    match selector::parse(given) {
        Err(_) => {
            let value = selector::shown(given);
            let path = path.child("selector");
            errors.push(field::Error::invalid(&path, value, "invalid label selector"));
        }
        Ok(chosen) => {
            let template = fields::at(spec, &["template"]).unwrap_or(&Value::Null);
            if !chosen.as_ref().is_some_and(|it| it.is_everything()) {
                selects_template(chosen.as_ref(), template, &template_path, errors);
            }
            errors.extend(template::validate(template, &template_path, &options(change)));
            restarts_always(template, "ReplicaSet", &template_path, errors);
        }
    }
    if let Some(old) = change.old {
        let path = path.child("selector");
        selector::immutable(change.object, old, &["spec", "selector"], &path, errors);
    }
}

/// Reports counts that are greater than another one of the status.
pub(crate) fn at_most(
    status: &Value,
    pairs: &[(&str, &str, &str)],
    path: &Path<'_>,
    errors: &mut Errors,
) {
    for (name, limit, why) in pairs {
        let (count, most) = (fields::count(status, &[name]), fields::count(status, &[limit]));
        if count > most {
            errors.push(field::Error::invalid(&path.child(name), count, *why));
        }
    }
}

/// Reports a count of name collisions that went down.
fn collisions(change: &Change<'_>, errors: &mut Errors) {
    let steps = ["status", "collisionCount"];
    let Some(old) = change.old.and_then(|old| fields::int(old, &steps)) else { return };
    let new = fields::int(change.object, &steps).unwrap_or(0);
    let gone = fields::at(change.object, &steps).is_none();
    if gone || new < old {
        let path = Path::new("status.collisionCount");
        errors.push(field::Error::invalid(&path, new, "cannot be decremented"));
    }
}
