//! CronJob: a job that is started again and again by a schedule.

use ordain_meta::name;
use ordain_strategy::typed::{COUNT_SPEC, Hooks, printer, rules};
use ordain_strategy::{Change, Part, Warnings, object};
use ordain_value::Value;
use ordain_value::field::{self, Path};

use super::{job_spec, schedule};
use crate::apps;
use crate::core::pod::template::{self, PodOptions};
use crate::native::Native;
use crate::shared::table::{CONTAINERS, IMAGES, SELECTOR};
use crate::shared::{fields, selector, table};

type Errors = field::ErrorList;

/// Jobs get the name with a suffix of 11 characters.
const NAME_BYTES_MAX: usize = 52;
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
    hooks.cells = cells;
    Native {
        hooks,
        columns: table::columns(
            &[
                ("Schedule", "string", "When jobs are started."),
                ("Timezone", "string", "Where the schedule's clock stands."),
                ("Suspend", "boolean", "Whether no more jobs are started."),
                ("Active", "integer", "How many jobs run."),
                ("Last Schedule", "string", "When a job was last started."),
            ],
            &[CONTAINERS, IMAGES, SELECTOR],
        ),
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
    let path = Path::new("spec");
    let spec = fields::at(change.object, &["spec"]).unwrap_or(&Value::Null);
    let old = change.old.and_then(|old| fields::at(old, &["spec"]));
    times(spec, old, &path, &mut errors);
    let policies = ["Allow", "Forbid", "Replace"];
    let policy = path.child("concurrencyPolicy");
    fields::one_of(spec, &["concurrencyPolicy"], &policies, &policy, &mut errors);
    job_template(change, &path.child("jobTemplate").child("spec"), &mut errors);
    let given = object::name(change.object);
    if change.old.is_none() && given.len() > NAME_BYTES_MAX {
        let why = format!("must be no more than {NAME_BYTES_MAX} characters");
        errors.push(field::Error::invalid(&Path::new("metadata.name"), given, why));
    }
    errors
}

fn times(spec: &Value, old: Option<&Value>, path: &Path<'_>, errors: &mut Errors) {
    let given = fields::text(spec, &["schedule"]);
    let zone = fields::at(spec, &["timeZone"]);
    if !given.is_empty() {
        let path = path.child("schedule");
        if let Err(why) = schedule::check(given) {
            errors.push(field::Error::invalid(&path, given, why));
        }
        let tolerated = old.is_some_and(|old| fields::text(old, &["schedule"]).contains("TZ"));
        let why = match (given.contains("TZ"), tolerated, zone) {
            (true, true, Some(_)) => "cannot use both timeZone field and TZ or CRON_TZ in schedule",
            (true, false, _) => "cannot use TZ or CRON_TZ in schedule, use timeZone field instead",
            _ => "",
        };
        if !why.is_empty() {
            errors.push(field::Error::invalid(&path, given, why));
        }
    }
    let unchanged = old.is_some_and(|old| fields::at(old, &["timeZone"]) == zone);
    if let Some(zone) = zone.and_then(Value::as_str).filter(|_| !unchanged) {
        time_zone(zone, &path.child("timeZone"), errors);
    }
}

fn time_zone(zone: &str, path: &Path<'_>, errors: &mut Errors) {
    let mut refuse = |why: String| errors.push(field::Error::invalid(path, zone, why));
    if zone.is_empty() {
        return refuse("timeZone must be nil or non-empty string".to_owned());
    }
    let is_part = |part: &str| {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b".-_+".contains(&byte);
        (1..=14).contains(&part.len())
            && part.bytes().all(allowed)
            && !matches!(part, "." | "..")
            && !part.starts_with('-')
    };
    if !zone.split('/').all(is_part) {
        return refuse(format!("unknown time zone {zone}"));
    }
    if zone.eq_ignore_ascii_case("Local") {
        refuse(
            "timeZone must be an explicit time zone as defined in \
             https://www.iana.org/time-zones"
                .to_owned(),
        );
    }
    if let Err(why) = schedule::check_zone(zone) {
        refuse(why);
    }
}

fn job_template(change: &Change<'_>, path: &Path<'_>, errors: &mut Errors) {
    let spec = fields::at(change.object, &JOB).unwrap_or(&Value::Null);
    let options = PodOptions::of(
        fields::at(change.object, &TEMPLATE),
        change.old.and_then(|old| fields::at(old, &TEMPLATE)),
    );
    job_spec::validate(spec, path, &options, errors);
    let given = fields::at(spec, &["selector"]);
    if given.is_some() {
        let why = "`selector` will be auto-generated";
        let path = path.child("selector");
        errors.push(field::Error::invalid(&path, selector::shown(given), why));
    }
    if fields::flag(spec, &["manualSelector"]) {
        let path = path.child("manualSelector");
        errors.push(field::Error::not_supported(&path, true, &["nil", "false"]));
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

fn cells(cron: &Value, now: i64) -> Vec<Value> {
    let zone = match fields::at(cron, &["spec", "timeZone"]).and_then(Value::as_str) {
        None => "<none>",
        Some(zone) => zone,
    };
    let last = match fields::text(cron, &["status", "lastScheduleTime"]) {
        "" => "<none>".into(),
        time => printer::since(time, now),
    };
    let suspend = match fields::at(cron, &["spec", "suspend"]).and_then(Value::as_bool) {
        None => "<unset>",
        Some(true) => "True",
        Some(false) => "False",
    };
    let active = fields::list(cron, &["status", "active"]).len();
    let mut cells = vec![
        object::name(cron).into(),
        fields::text(cron, &["spec", "schedule"]).into(),
        zone.into(),
        suspend.into(),
        i64::try_from(active).unwrap_or(i64::MAX).into(),
        last,
        printer::age(cron, now),
    ];
    cells.extend(table::containers(fields::at(cron, &POD)));
    let given = fields::at(cron, &["spec", "jobTemplate", "spec", "selector"]);
    cells.push(selector::show(given).into());
    cells
}
