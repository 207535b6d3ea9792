//! What the workloads of this group have in common: a selector, a template, counts of replicas.

use ordain_meta::name;
use ordain_strategy::typed::{COUNT_SPEC, Hooks, rules};
use ordain_strategy::{Change, Part, Scale, Warnings, object};
use ordain_value::field::{self, BadValue, Path};
use ordain_value::{Text, Value};

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

/// How many pods are ready, of those wanted.
pub(super) fn ready(workload: &Value) -> Value {
    let ready = fields::count(workload, &["status", "readyReplicas"]);
    format!("{ready}/{}", fields::count(workload, &["spec", "replicas"])).into()
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

/// The rules of metadata and, for the main endpoint, of the template.
pub(super) fn validate(change: &Change<'_>) -> Errors {
    let mut errors = rules::metadata(change, true, name::subdomain_rule);
    if change.part != Part::Status {
        let template = fields::at(change.object, &TEMPLATE).unwrap_or(&Value::Null);
        errors.extend(template::validate(template, &Path::new("spec.template"), &options(change)));
    }
    errors
}

/// The same for workloads whose template is not judged while nothing can be selected.
pub(super) fn validate_selected(change: &Change<'_>) -> Errors {
    if selector::parse(fields::at(change.object, &["spec", "selector"])).is_err() {
        return rules::metadata(change, true, name::subdomain_rule);
    }
    validate(change)
}

/// The number of pods that exist, which workloads of one number may be selected by.
pub(crate) fn pods_field(object: &Value, field: &str) -> Option<Text> {
    let is_count = field == "status.replicas";
    is_count.then(|| fields::count(object, &["status", "replicas"]).to_string().into())
}

/// Pods of this kind of workload are started again whenever they end.
pub(crate) fn restarts_always(template: &Value, kind: &str, path: &Path<'_>, errors: &mut Errors) {
    let path = path.child("spec");
    let policy = fields::text(template, &["spec", "restartPolicy"]);
    if policy != "Always" {
        let path = path.child("restartPolicy");
        errors.push(field::Error::not_supported(&path, BadValue::named(policy), &["Always"]));
    }
    if fields::at(template, &["spec", "activeDeadlineSeconds"]).is_some() {
        let why = format!("activeDeadlineSeconds in {kind} is not Supported");
        errors.push(field::Error::forbidden(&path.child("activeDeadlineSeconds"), why));
    }
}
