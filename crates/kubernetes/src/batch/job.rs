//! Job: pods that run until enough of them have succeeded.

use ordain_meta::{name, time::Time};
use ordain_strategy::strategy::GarbageCollection;
use ordain_strategy::typed::{COUNT_SPEC, Hooks, printer, rules};
use ordain_strategy::{Change, Part, Warnings, object};
use ordain_value::field::{self, Path};
use ordain_value::{Map, Value};

use super::{job_spec, job_status, job_update};
use crate::apps;
use crate::core::pod::template::{self, PodOptions};
use crate::native::Native;
use crate::shared::fields;
use crate::shared::table::Cell::{At, Of};
use crate::shared::table::{AGE, CONTAINERS, IMAGES, NAME, SELECTOR};

type Errors = field::ErrorList;

const TEMPLATE: [&str; 2] = ["spec", "template"];
const LABELS: [&str; 2] = ["metadata", "labels"];
const TEMPLATE_LABELS: [&str; 4] = ["spec", "template", "metadata", "labels"];
const NAME_LABELS: [&str; 2] = ["job-name", "batch.kubernetes.io/job-name"];
const UID_LABELS: [&str; 2] = ["controller-uid", "batch.kubernetes.io/controller-uid"];

pub(crate) fn native() -> Native {
    let mut hooks = Hooks::new(validate);
    hooks.default = default;
    hooks.prepare_for_create = prepare_for_create;
    hooks.prepare_for_update = prepare_for_update;
    hooks.canonicalize = default_labels;
    hooks.lifecycle = COUNT_SPEC;
    hooks.warn = warn;
    hooks.field = |object, field| {
        let is_count = field == "status.successful";
        is_count.then(|| fields::count(object, &["status", "succeeded"]).to_string().into())
    };
    hooks.selectable = true;
    let mut native = Native {
        hooks,
        selectable_fields: &["status.successful"],
        columns: &[
            NAME,
            ("Status", "string", 0, "How the job stands.", Of(|job| standing(job).into())),
            ("Completions", "string", 0, "Pods that succeeded, of those needed.", Of(completions)),
            ("Duration", "string", 0, "How long it has run.", At(duration)),
            AGE,
            CONTAINERS,
            IMAGES,
            SELECTOR,
        ],
        ..Native::new("batch", "Job")
    };
    native.policy.garbage_collection = GarbageCollection::OrphanDependents;
    native.policy.orphaning_warning = "child pods are preserved by default when jobs are \
        deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan \
        to suppress this warning";
    native
}

fn default(job: &mut Value) {
    if fields::at(job, &["spec", "parallelism"]).is_none()
        && fields::at(job, &["spec", "completions"]).is_none()
    {
        fields::default(job, &["spec", "completions"], 1);
    }
    let has = |job: &Value, name: &str| fields::at(job, &["spec", name]).is_some();
    let limit = if has(job, "backoffLimitPerIndex") { i64::from(i32::MAX) } else { 6 };
    let replacement = if has(job, "podFailurePolicy") { "Failed" } else { "TerminatingOrFailed" };
    fields::default(job, &["spec", "parallelism"], 1);
    fields::default(job, &["spec", "backoffLimit"], limit);
    fields::default(job, &["spec", "completionMode"], "NonIndexed");
    fields::default(job, &["spec", "suspend"], false);
    fields::default(job, &["spec", "podReplacementPolicy"], replacement);
    fields::default(job, &["spec", "manualSelector"], false);
    default_labels(job);
    if let Some(template) = job.get_mut("spec").and_then(|spec| spec.get_mut("template")) {
        template::default(template);
    }
}

/// A job without labels has those of its template. The map is the same one, which
/// [`generate_selector`] recognises, so that the labels it adds show up in both places.
fn default_labels(job: &mut Value) {
    let labels = fields::map(job, &TEMPLATE_LABELS).filter(|map| !map.is_empty()).cloned();
    if let Some(labels) = labels
        && fields::map(job, &LABELS).is_none_or(Map::is_empty)
    {
        job.set_path(&LABELS, Value::Map(labels));
    }
}

fn prepare_for_create(job: &mut Value) {
    if !fields::flag(job, &["spec", "manualSelector"]) {
        generate_selector(job);
    }
    if let Some(template) = job.get_mut("spec").and_then(|spec| spec.get_mut("template")) {
        template::drop_disabled(template, None);
    }
}

fn prepare_for_update(part: Part, job: &mut Value, old: &Value) {
    if part == Part::Status
        && fields::map(job, &LABELS).is_none_or(Map::is_empty)
        && let Some(labels) = fields::at(old, &TEMPLATE_LABELS)
    {
        job.set_path(&LABELS, labels.clone());
    }
    let template = job.get_mut("spec").and_then(|spec| spec.get_mut("template"));
    if part != Part::Status
        && let Some(template) = template
    {
        template::drop_disabled(template, old.get_path(&TEMPLATE));
    }
}

/// Labels the template by name and uid, and selects by the uid.
fn generate_selector(job: &mut Value) {
    let shared = match (fields::map(job, &LABELS), fields::map(job, &TEMPLATE_LABELS)) {
        (Some(own), Some(labels)) => own.ptr_eq(labels),
        _ => false,
    };
    let mut labels = fields::map(job, &TEMPLATE_LABELS).cloned().unwrap_or_default();
    let (given, uid) = (Value::from(object::name(job)), Value::from(object::uid(job)));
    for (keys, value) in [(NAME_LABELS, given), (UID_LABELS, uid.clone())] {
        for key in keys {
            if !labels.contains_key(key) {
                labels.insert(key, value.clone());
            }
        }
    }
    if shared {
        job.set_path(&LABELS, Value::Map(labels.clone()));
    }
    job.set_path(&TEMPLATE_LABELS, Value::Map(labels));
    fields::default(job, &["spec", "selector", "matchLabels", UID_LABELS[1]], uid);
}

fn validate(change: &Change<'_>) -> Errors {
    if change.part == Part::Status {
        return rules::metadata(change, true, name::subdomain_rule);
    }
    let job = change.object;
    let new_template = fields::at(job, &TEMPLATE);
    let old_template = change.old.and_then(|old| fields::at(old, &TEMPLATE));
    let options = PodOptions::of(new_template, old_template);
    let whole = Change { old: None, ..*change };
    let mut errors = rules::metadata(&whole, true, name::subdomain_rule);
    let spec = Path::new("spec");
    let template = new_template.unwrap_or(&Value::Null);
    let template_errors = template::validate(template, &spec.child("template"), &options);
    if let Some(old) = change.old {
        // An update is judged as a new job first and then as a change, which repeats the spec.
        errors.extend(template_errors.clone());
        errors.extend(rules::metadata(change, true, name::subdomain_rule));
        job_update::validate(job, old, &spec, &mut errors);
    }
    errors.extend(template_errors);
    errors
}

fn warn(change: &Change<'_>, warnings: &mut Warnings) {
    if change.part == Part::Status {
        return;
    }
    if change.old.is_none() {
        apps::warn_of_name(object::name(change.object), warnings);
    } else if change
        .old
        .is_some_and(|old| object::generation(old) == object::generation(change.object))
    {
        return;
    }
    if let Some(spec) = fields::at(change.object, &["spec"]) {
        let old = change.old.and_then(|old| fields::at(old, &["spec"]));
        job_spec::warn(spec, "spec", old, warnings);
    }
}

fn completions(job: &Value) -> Value {
    let succeeded = fields::count(job, &["status", "succeeded"]);
    let parallelism = fields::count(job, &["spec", "parallelism"]);
    let shown = match fields::int(job, &["spec", "completions"]) {
        Some(wanted) => format!("{succeeded}/{wanted}"),
        None if parallelism > 1 => format!("{succeeded}/1 of {parallelism}"),
        None => format!("{succeeded}/1"),
    };
    shown.into()
}

fn duration(job: &Value, now: i64) -> Value {
    let time = |name: &str| Time::decode(fields::text(job, &["status", name])).ok();
    let Some(start) = time("startTime") else { return "".into() };
    let end = time("completionTime").map_or(now, |end| end.seconds);
    printer::human(end.saturating_sub(start.seconds)).into()
}

/// The first of these that holds.
fn standing(job: &Value) -> &'static str {
    let first =
        |types: &[&'static str]| types.iter().copied().find(|ty| job_status::is_true(job, ty));
    if let Some(ty) = first(&["Complete", "Failed"]) {
        return ty;
    }
    if object::is_deleting(job) {
        return "Terminating";
    }
    first(&["Suspended", "FailureTarget", "SuccessCriteriaMet"]).unwrap_or("Running")
}
