//! What a job's status may say, and how it may go on.
//!
//! A rule about fields that neither changed is not asked: a status that was let through once does
//! not stand in the way of other writes.

use std::collections::BTreeSet;

use ordain_meta::time::Time;
use ordain_value::Value;
use ordain_value::field::{self, BadValue, Kind, Path};

use super::{indexes, job_spec};
use crate::shared::{fields, internal};

type Errors = field::ErrorList;

/// Whether a condition of the job is true.
pub(super) fn is_true(job: &Value, ty: &str) -> bool {
    has(job, ty, "True")
}

fn has(job: &Value, ty: &str, status: &str) -> bool {
    fields::list(job, &["status", "conditions"])
        .iter()
        .any(|it| fields::text(it, &["type"]) == ty && fields::text(it, &["status"]) == status)
}

/// A job with what it was before.
struct Transition<'a> {
    job: &'a Value,
    old: &'a Value,
}

impl Transition<'_> {
    fn is(&self, ty: &str) -> bool {
        is_true(self.job, ty)
    }

    fn is_finished(&self) -> bool {
        self.is("Complete") || self.is("Failed")
    }

    fn turned(&self, ty: &str) -> bool {
        self.is(ty) != is_true(self.old, ty)
    }

    fn turned_finished(&self) -> bool {
        let before = is_true(self.old, "Complete") || is_true(self.old, "Failed");
        self.is_finished() != before
    }

    fn get(&self, name: &str) -> Option<&Value> {
        fields::at(self.job, &["status", name])
    }

    fn changed(&self, name: &str) -> bool {
        self.get(name) != fields::at(self.old, &["status", name])
    }

    fn count(&self, name: &str) -> i64 {
        fields::count(self.job, &["status", name])
    }

    fn spec(&self, name: &str) -> Option<&Value> {
        fields::at(self.job, &["spec", name])
    }
}

pub(super) fn validate(job: &Value, old: &Value, errors: &mut Errors) {
    let change = Transition { job, old };
    let path = Path::new("status");
    uncounted(&change, &path, errors);
    conditions(&change, &path, errors);
    times(&change, &path, errors);
    pods(&change, &path, errors);
    index_texts(&change, &path, errors);
    counters(&change, &path, errors);
}

/// Pods that ended but are not in the counts yet: named once in both lists together.
fn uncounted(change: &Transition<'_>, path: &Path<'_>, errors: &mut Errors) {
    let Some(pods) = change.get("uncountedTerminatedPods") else { return };
    let path = path.child("uncountedTerminatedPods");
    let mut seen = BTreeSet::new();
    for name in ["succeeded", "failed"] {
        let list = path.child(name);
        for (at, uid) in fields::texts(pods, &[name]).into_iter().enumerate() {
            if uid.is_empty() {
                errors.push(field::Error::invalid(&list.index(at), uid, "must not be empty"));
            } else if !seen.insert(uid) {
                errors.push(field::Error::duplicate(&list.index(at), uid));
            }
        }
    }
}

fn conditions(change: &Transition<'_>, path: &Path<'_>, errors: &mut Errors) {
    let path = path.child("conditions");
    let mut refuse = |fault: bool, why: &str| {
        if fault {
            errors.push(field::Error::new(Kind::Invalid, &path, BadValue::Omitted, why));
        }
    };
    let is = |ty: &str| change.is(ty);
    let turned = |ty: &str| change.turned(ty);
    let (complete, failed) = (is("Complete"), is("Failed"));
    let (target, met) = (is("FailureTarget"), is("SuccessCriteriaMet"));
    refuse(
        (turned("Complete") || turned("Failed")) && complete && failed,
        "cannot set Complete=True and Failed=true conditions",
    );
    refuse(
        (turned("Complete") || turned("FailureTarget")) && complete && target,
        "cannot set Complete=True and FailureTarget=true conditions",
    );
    refuse(
        (turned("Failed") || change.changed("failedIndexes")) && failed && !target,
        "cannot set Failed=True condition without the FailureTarget=true condition",
    );
    refuse(
        (turned("Complete") || turned("SuccessCriteriaMet")) && complete && !met,
        "cannot set Complete=True condition without the SuccessCriteriaMet=true condition",
    );
    refuse(met && failed, "cannot set SuccessCriteriaMet=True and Failed=true conditions");
    refuse(met && target, "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions");
    refuse(
        change.spec("successPolicy").is_some() && !met && complete,
        "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True",
    );
    for ty in ["Failed", "Complete", "FailureTarget"] {
        refuse(
            is_true(change.old, ty) && !is(ty),
            &format!("cannot disable the terminal {ty}=True condition"),
        );
    }
    let was_met = is_true(change.old, "SuccessCriteriaMet");
    refuse(was_met && !met, "cannot disable the SuccessCriteriaMet=True condition");
    refuse(
        is_true(change.old, "Complete") && !was_met && met,
        "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions",
    );
}

fn times(change: &Transition<'_>, path: &Path<'_>, errors: &mut Errors) {
    let (start, end) = (change.get("startTime"), change.get("completionTime"));
    let (start_path, end_path) = (path.child("startTime"), path.child("completionTime"));
    let (start_changed, end_changed) =
        (change.changed("startTime"), change.changed("completionTime"));
    let complete = change.is("Complete");
    if change.turned("Complete") || end_changed {
        match end {
            Some(end) if !complete => {
                let why = "cannot set completionTime when there is no Complete=True condition";
                errors.push(field::Error::invalid(&end_path, end.clone(), why));
            }
            None if complete => {
                let why = "completionTime is required for Complete jobs";
                errors.push(field::Error::required(&end_path, why));
            }
            _ => {}
        }
    }
    if let (Some(start), Some(end)) = (start, end)
        && (start_changed || end_changed)
        && is_before(end, start)
    {
        let why = "must be equal to or after `startTime`";
        errors.push(field::Error::invalid(&end_path, end.clone(), why));
    }
    let resumes_empty = fields::flag(change.job, &["spec", "suspend"])
        && change.spec("completions").and_then(Value::as_int) == Some(0);
    if start.is_none()
        && change.is_finished()
        && (change.turned_finished() || start_changed)
        && !resumes_empty
    {
        let why = "startTime is required for finished job";
        errors.push(field::Error::required(&start_path, why));
    }
    if let Some(end) = end
        && end_changed
        && fields::at(change.old, &["status", "completionTime"]).is_some()
    {
        errors.push(field::Error::invalid(&end_path, end.clone(), fields::IMMUTABLE));
    }
    let resuming = is_true(change.old, "Suspended") && has(change.job, "Suspended", "False");
    if start_changed
        && !resuming
        && fields::at(change.old, &["status", "startTime"]).is_some()
        && !fields::flag(change.job, &["spec", "suspend"])
    {
        let why = "field is immutable for unsuspended job once set";
        let value = start.cloned().unwrap_or(Value::Null);
        errors.push(field::Error::invalid(&start_path, value, why));
    }
}

fn is_before(a: &Value, b: &Value) -> bool {
    let time = |value: &Value| Time::decode(value.as_str().unwrap_or("")).ok();
    match (time(a), time(b)) {
        (Some(a), Some(b)) => (a.seconds, a.nanos) < (b.seconds, b.nanos),
        _ => false,
    }
}

fn pods(change: &Transition<'_>, path: &Path<'_>, errors: &mut Errors) {
    let finished = change.is_finished();
    let turned = change.turned_finished();
    for name in ["active", "terminating"] {
        let count = change.count(name);
        if (turned || change.changed(name)) && finished && count > 0 {
            let why = format!("{name}>0 is invalid for finished job");
            errors.push(field::Error::invalid(&path.child(name), count, why));
        }
    }
    if let Some(pods) = change.get("uncountedTerminatedPods")
        && (turned || change.changed("uncountedTerminatedPods"))
        && finished
        && ["succeeded", "failed"].iter().any(|name| !fields::list(pods, &[name]).is_empty())
    {
        let shown = internal::structure(&[
            ("Succeeded", internal::plain(fields::at(pods, &["succeeded"]))),
            ("Failed", internal::plain(fields::at(pods, &["failed"]))),
        ]);
        let path = path.child("uncountedTerminatedPods");
        errors.push(field::Error::invalid(&path, shown, "must be empty for finished job"));
    }
    if let Some(ready) = change.get("ready").and_then(Value::as_int)
        && (change.changed("ready") || change.changed("active"))
        && ready > change.count("active")
    {
        let why = "cannot set more ready pods than active";
        errors.push(field::Error::invalid(&path.child("ready"), ready, why));
    }
}

fn index_texts(change: &Transition<'_>, path: &Path<'_>, errors: &mut Errors) {
    let completions = change.spec("completions").and_then(Value::as_int);
    let completed = fields::text(change.job, &["status", "completedIndexes"]);
    let failed = change.get("failedIndexes").and_then(Value::as_str);
    let per_index = change.spec("backoffLimitPerIndex").is_some();
    let mut invalid = |name: &str, value: &str, why: String| {
        errors.push(field::Error::invalid(&path.child(name), value, why));
    };
    if change.changed("completedIndexes") {
        if let Some(Err(why)) = completions.map(|most| indexes::count(completed, most)) {
            let why = format!("error parsing completedIndexes: {why}");
            invalid("completedIndexes", completed, why);
        }
        let is_indexed =
            job_spec::is_indexed(fields::at(change.job, &["spec"]).unwrap_or(&Value::Null));
        if !completed.is_empty() && !is_indexed {
            let why = "cannot set non-empty completedIndexes when non-indexed completion mode";
            invalid("completedIndexes", completed, why.to_owned());
        }
    }
    let Some(failed) = failed else { return };
    if change.changed("failedIndexes") {
        if per_index && let Some(Err(why)) = completions.map(|most| indexes::count(failed, most)) {
            invalid("failedIndexes", failed, format!("error parsing failedIndexes: {why}"));
        }
        if !per_index {
            let why = "cannot set non-null failedIndexes when backoffLimitPerIndex is null";
            invalid("failedIndexes", failed, why.to_owned());
        }
    }
    if (change.changed("failedIndexes") || change.changed("completedIndexes"))
        && let Some(at) = completions.and_then(|most| indexes::overlap(completed, failed, most))
    {
        let why = format!("failedIndexes and completedIndexes overlap at index: {at}");
        invalid("failedIndexes", failed, why);
    }
}

fn counters(change: &Transition<'_>, path: &Path<'_>, errors: &mut Errors) {
    let spec = fields::at(change.job, &["spec"]).unwrap_or(&Value::Null);
    let scalable = job_spec::is_indexed(spec)
        && fields::int(spec, &["completions"]) == fields::int(spec, &["parallelism"]);
    for (name, judged) in [("failed", true), ("succeeded", !scalable)] {
        let count = change.count(name);
        if judged && count < fields::count(change.old, &["status", name]) {
            let why = format!("cannot decrease the {name} counter");
            errors.push(field::Error::invalid(&path.child(name), count, why));
        }
    }
}
