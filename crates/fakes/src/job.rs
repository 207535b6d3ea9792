//! Jobs: pods until enough of them succeeded, or too many failed.

use ordain_value::{Value, value};

use crate::outcome::Outcomes;
use crate::owned::{count, is_ready, phase, pod, reference};
use crate::status::{Wanted, changed, conditions};
use crate::world::{Action, JOBS, PODS, World, holds, int, name, text};

/// How often a pod may fail unless the job says otherwise.
const BACKOFF_LIMIT: i64 = 6;

pub(crate) fn actions(world: &World, _outcomes: &Outcomes) -> Vec<Action> {
    world.live(JOBS).flat_map(|job| of_job(world, job)).collect()
}

fn of_job(world: &World, job: &Value) -> Vec<Action> {
    if holds(job, "Complete") || holds(job, "Failed") {
        return expired(world, job).into_iter().collect();
    }
    let suspended = job.get_path(&["spec", "suspend"]).and_then(Value::as_bool) == Some(true);
    if suspended {
        let wanted = vec![Wanted::new("Suspended", true, "JobSuspended").message("Job suspended")];
        let status = value!({"conditions": (conditions(world, job, wanted, false))});
        return changed(job, status).map(|job| Action::Status(JOBS, job)).into_iter().collect();
    }
    let pods = world.owned(PODS, job);
    let of_phase = |wanted: &str| pods.iter().filter(|it| phase(it) == wanted).count();
    let (succeeded, failed) = (of_phase("Succeeded"), of_phase("Failed"));
    let active = pods.len() - succeeded - failed;
    let parallelism = usize::try_from(int(job, &["spec", "parallelism"], 1)).unwrap_or(1);
    let completions = usize::try_from(int(job, &["spec", "completions"], 1)).unwrap_or(1);
    let limit = int(job, &["spec", "backoffLimit"], BACKOFF_LIMIT);
    let too_many = i64::try_from(failed).unwrap_or(i64::MAX) > limit;
    let is_done = succeeded >= completions;
    let mut actions = Vec::new();
    if !is_done && !too_many {
        let missing = completions.saturating_sub(succeeded + active);
        for at in 0..missing.min(parallelism.saturating_sub(active)) {
            actions.push(Action::Create(PODS, job_pod(job, pods.len() + at)));
        }
    }
    let started = job.get_path(&["status", "startTime"]).cloned();
    let ready = pods.iter().filter(|it| is_ready(it)).count();
    let mut status = value!({
        "active": (count(active)),
        "ready": (count(ready)),
        "succeeded": (count(succeeded)),
        "failed": (count(failed)),
        "startTime": (started.unwrap_or_else(|| world.time()))
    });
    if let Some(wanted) = ended(is_done, too_many) {
        status.set_path(&["active"], Value::Int(0));
        status.set_path(&["ready"], Value::Int(0));
        status.set_path(&["conditions"], conditions(world, job, wanted, false));
        if is_done {
            status.set_path(&["completionTime"], world.time());
        }
    }
    actions.extend(changed(job, status).map(|job| Action::Status(JOBS, job)));
    actions
}

/// The conditions of a job that is over. What is decided is said before what is done.
fn ended(is_done: bool, too_many: bool) -> Option<Vec<Wanted>> {
    if is_done {
        let message = "Reached expected number of succeeded pods";
        let both = ["SuccessCriteriaMet", "Complete"];
        return Some(
            both.map(|ty| Wanted::new(ty, true, "CompletionsReached").message(message)).into(),
        );
    }
    let message = "Job has reached the specified backoff limit";
    let both = ["FailureTarget", "Failed"];
    too_many.then(|| {
        both.map(|ty| Wanted::new(ty, true, "BackoffLimitExceeded").message(message)).into()
    })
}

fn job_pod(job: &Value, number: usize) -> Value {
    let mut made = pod(job, reference("batch/v1", "Job", job));
    made.set_path(&["metadata", "generateName"], format!("{}-", name(job)).into());
    if text(job, &["spec", "completionMode"]) == "Indexed" {
        let index = "batch.kubernetes.io/job-completion-index";
        made.set_path(&["metadata", "annotations", index], number.to_string().into());
    }
    made
}

/// Removes a job whose time after its end is over.
fn expired(world: &World, job: &Value) -> Option<Action> {
    let seconds = job.get_path(&["spec", "ttlSecondsAfterFinished"])?.as_int()?;
    let ended = ["Complete", "Failed"].into_iter().find_map(|ty| {
        let time = text(crate::world::condition(job, ty)?, &["lastTransitionTime"]);
        ordain_meta::time::Time::decode(time).ok()
    })?;
    if world.now.seconds.saturating_sub(ended.seconds) >= seconds {
        return Some(Action::Delete(JOBS, job.clone()));
    }
    Some(Action::Wait)
}
