//! CronJob: a job that is started again and again by a schedule.

use ordain_meta::name;
use ordain_passes::declared::written::Asked;
use ordain_strategy::typed::{COUNT_SPEC, Hooks, printer, rules};
use ordain_strategy::{Change, Part, Warnings, object};
use ordain_value::Value;
use ordain_value::field::{self, Path};

use super::{job_spec, schedule};
use crate::apps;
use crate::core::pod::template::{self, PodOptions};
use crate::native::Native;
use crate::shared::table::Cell::{At, Len, Of, Text};
use crate::shared::table::{self, AGE, CONTAINERS, IMAGES, NAME, SELECTOR};
use crate::shared::{fields, selector};

type Errors = field::ErrorList;

const POD: [&str; 5] = ["spec", "jobTemplate", "spec", "template", "spec"];
const TEMPLATE: [&str; 4] = ["spec", "jobTemplate", "spec", "template"];
const JOB: [&str; 3] = ["spec", "jobTemplate", "spec"];

pub(crate) fn native() -> Native {
    let mut hooks = Hooks::new(validate);
    hooks.default = |cron| with_template(cron, template::default);
    hooks.prepare_for_create = |cron| with_template(cron, |it| template::drop_disabled(it, None));
    hooks.prepare_for_update = |part, cron, old| {
        if part != Part::Status {
            with_template(cron, |it| template::drop_disabled(it, old.get_path(&TEMPLATE)));
        }
    };
    hooks.lifecycle = COUNT_SPEC;
    hooks.warn = warn;
    Native {
        hooks,
        columns: &[
            NAME,
            ("Schedule", "string", 0, "When jobs are started.", Text("spec.schedule")),
            ("Timezone", "string", 0, "Where the schedule's clock stands.", Of(zone)),
            ("Suspend", "boolean", 0, "Whether no more jobs are started.", Of(suspend)),
            ("Active", "integer", 0, "How many jobs run.", Len("status.active")),
            ("Last Schedule", "string", 0, "When a job was last started.", At(last)),
            AGE,
            const { table::with(CONTAINERS, Of(|cron| containers(cron, "name"))) },
            const { table::with(IMAGES, Of(|cron| containers(cron, "image"))) },
            const { table::with(SELECTOR, Of(selected)) },
        ],
        ..Native::new("batch", "CronJob")
    }
}

fn with_template(cron: &mut Value, run: impl FnOnce(&mut Value)) {
    let mut value = cron;
    for step in TEMPLATE {
        let Some(inner) = value.get_mut(step) else { return };
        value = inner;
    }
    run(value);
}

fn validate(change: &Change<'_>) -> Errors {
    if change.part == Part::Status {
        return Errors::new();
    }
    let mut errors = rules::metadata(change, true, name::subdomain_rule);
    let (new, old) = (
        fields::at(change.object, &TEMPLATE),
        change.old.and_then(|old| fields::at(old, &TEMPLATE)),
    );
    let path = Path::new("spec.jobTemplate.spec.template");
    let options = PodOptions::of(new, old);
    errors.extend(template::validate(new.unwrap_or(&Value::Null), &path, &options));
    errors
}

/// The schedule is parsed.
pub(crate) fn check_schedule(asked: &Asked<'_, '_>, path: &Path<'_>, errors: &mut Errors) {
    let value = asked.value();
    let given = value.as_str().unwrap_or("");
    if let Err(why) = schedule::check(given) {
        errors.push(field::Error::invalid(path, given, why));
    }
}

/// The zone is one that is known.
pub(crate) fn check_zone(asked: &Asked<'_, '_>, path: &Path<'_>, errors: &mut Errors) {
    let value = asked.value();
    let zone = value.as_str().unwrap_or("");
    if let Err(why) = schedule::check_zone(zone) {
        errors.push(field::Error::invalid(path, zone, why));
    }
}

fn warn(change: &Change<'_>, warnings: &mut Warnings) {
    if change.part == Part::Status {
        return;
    }
    let unchanged =
        change.old.is_some_and(|old| object::generation(old) == object::generation(change.object));
    if change.old.is_none() {
        apps::warn_of_name(object::name(change.object), warnings);
    }
    if let Some(spec) = fields::at(change.object, &JOB).filter(|_| !unchanged) {
        let old = change.old.and_then(|old| fields::at(old, &JOB));
        job_spec::warn(spec, "spec.jobTemplate.spec", old, warnings);
    }
    if change.old.is_some() && fields::text(change.object, &["spec", "schedule"]).contains("TZ") {
        warnings.add(
            "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see \
             https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details",
        );
    }
}

fn containers(cron: &Value, field: &str) -> Value {
    table::containers(fields::at(cron, &POD), field)
}

fn selected(cron: &Value) -> Value {
    selector::show(fields::at(cron, &["spec", "jobTemplate", "spec", "selector"])).into()
}

fn zone(cron: &Value) -> Value {
    fields::at(cron, &["spec", "timeZone"]).and_then(Value::as_str).unwrap_or("<none>").into()
}

fn suspend(cron: &Value) -> Value {
    match fields::at(cron, &["spec", "suspend"]).and_then(Value::as_bool) {
        None => "<unset>".into(),
        Some(true) => "True".into(),
        Some(false) => "False".into(),
    }
}

fn last(cron: &Value, now: i64) -> Value {
    match fields::text(cron, &["status", "lastScheduleTime"]) {
        "" => "<none>".into(),
        time => printer::since(time, now),
    }
}
