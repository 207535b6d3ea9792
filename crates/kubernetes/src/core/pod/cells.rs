//! A pod's row in the table form: what its containers are doing, in a word.

use ordain_meta::time::Time;
use ordain_strategy::object;
use ordain_strategy::typed::printer;
use ordain_value::Value;

use super::containers::restarts_always;
use crate::shared::access::{flag, flag_of, int, items, part, some, text};
use crate::shared::table::Cell::Row;
use crate::shared::table::{AGE, Described, NAME};

pub(super) const COLUMNS: &[Described] = &[
    NAME,
    ("Ready", "string", 0, "How many of the pod's containers are ready for traffic.", Row),
    ("Status", "string", 0, "What the containers of the pod are doing.", Row),
    ("Restarts", "string", 0, "How often containers were restarted, and when that was last.", Row),
    AGE,
    ("IP", "string", 1, "The first address of the pod.", Row),
    ("Node", "string", 1, "The node that the pod runs on.", Row),
    ("Nominated Node", "string", 1, "The node that room is being made on for the pod.", Row),
    ("Readiness Gates", "string", 1, GATES, Row),
];
const GATES: &str = "How many of the conditions are met that the pod waits for.";

/// What is counted while looking at the containers.
#[derive(Default)]
struct Tally {
    reason: String,
    ready: usize,
    restarts: i64,
    last_restart: Option<Time>,
}

impl Tally {
    fn count_restarts(&mut self, status: &Value) {
        self.restarts += int(status, "restartCount");
        let last = part(part(status, "lastState"), "terminated");
        if let Ok(ended) = Time::decode(text(last, "finishedAt"))
            && self.last_restart.is_none_or(|it| it.seconds < ended.seconds)
        {
            self.last_restart = Some(ended);
        }
    }
}

/// The cells of a pod.
pub(super) fn of(pod: &Value, now: i64) -> Vec<Value> {
    let (spec, status) = (part(pod, "spec"), part(pod, "status"));
    let phase = text(status, "phase");
    let mut tally = Tally { reason: phase.to_owned(), ..Tally::default() };
    if !text(status, "reason").is_empty() {
        tally.reason = text(status, "reason").to_owned();
    }
    let conditions = items(status, "conditions");
    let gated =
        |it: &Value| text(it, "type") == "PodScheduled" && text(it, "reason") == "SchedulingGated";
    if conditions.iter().any(gated) {
        tally.reason = "SchedulingGated".to_owned();
    }
    let beside = look_at_init_containers(spec, status, &mut tally);
    if let Some(beside) = beside {
        (tally.restarts, tally.last_restart) = (beside.restarts, beside.last_restart);
        look_at_containers(status, &mut tally);
    }
    if object::is_deleting(pod) {
        if text(status, "reason") == "NodeLost" {
            tally.reason = "Unknown".to_owned();
        } else if !matches!(phase, "Succeeded" | "Failed") {
            tally.reason = "Terminating".to_owned();
        }
    }
    let restarts = match tally.last_restart {
        Some(last) if tally.restarts != 0 => {
            let ago = printer::human(now.saturating_sub(last.seconds));
            format!("{} ({ago} ago)", tally.restarts)
        }
        _ => tally.restarts.to_string(),
    };
    let sidecars = items(spec, "initContainers").iter().filter(|it| restarts_always(it)).count();
    let total = items(spec, "containers").len() + sidecars;
    let mut cells: Vec<Value> = vec![
        object::name(pod).into(),
        format!("{}/{total}", tally.ready).into(),
        tally.reason.into(),
        restarts.into(),
        printer::age(pod, now),
    ];
    cells.extend(wide(spec, status));
    cells
}

/// Looks at the init containers in order, up to the first that is not done. Gives what counts
/// once all are done, or when the pod says that it is initialized; else nothing.
fn look_at_init_containers(spec: &Value, status: &Value, tally: &mut Tally) -> Option<Tally> {
    let mut beside = Tally::default();
    let total = items(spec, "initContainers").len();
    let mut initializing = false;
    for (at, container) in items(status, "initContainerStatuses").iter().enumerate() {
        tally.count_restarts(container);
        let name = text(container, "name");
        let declared = items(spec, "initContainers").iter().find(|it| text(it, "name") == name);
        let sidecar = declared.is_some_and(restarts_always);
        if sidecar {
            beside.count_restarts(container);
        }
        let state = part(container, "state");
        let ended = some(state, "terminated");
        if ended.is_some_and(|it| int(it, "exitCode") == 0) {
            continue;
        }
        if sidecar && flag_of(container, "started") == Some(true) {
            tally.ready += usize::from(flag(container, "ready"));
            continue;
        }
        let waiting = text(part(state, "waiting"), "reason");
        tally.reason = match ended {
            Some(ended) => format!("Init:{}", end_reason(ended)),
            None if !waiting.is_empty() && waiting != "PodInitializing" => {
                format!("Init:{waiting}")
            }
            None => format!("Init:{at}/{total}"),
        };
        initializing = true;
        break;
    }
    (!initializing || has_condition(status, "Initialized")).then_some(beside)
}

fn look_at_containers(status: &Value, tally: &mut Tally) {
    let mut running = false;
    let mut failure = None;
    for container in items(status, "containerStatuses").iter().rev() {
        tally.count_restarts(container);
        let state = part(container, "state");
        let waiting = text(part(state, "waiting"), "reason");
        if !waiting.is_empty() {
            tally.reason = waiting.to_owned();
        } else if let Some(ended) = some(state, "terminated") {
            tally.reason = end_reason(ended);
            if int(ended, "exitCode") != 0 {
                failure = Some(tally.reason.clone());
            }
        } else if flag(container, "ready") && some(state, "running").is_some() {
            running = true;
            tally.ready += 1;
        }
    }
    if tally.reason == "Completed" {
        if running && has_condition(status, "Ready") {
            tally.reason = "Running".to_owned();
        } else if let Some(failure) = failure {
            tally.reason = failure;
        } else if running {
            tally.reason = "NotReady".to_owned();
        }
    }
}

fn end_reason(ended: &Value) -> String {
    match (text(ended, "reason"), int(ended, "signal")) {
        ("", 0) => format!("ExitCode:{}", int(ended, "exitCode")),
        ("", signal) => format!("Signal:{signal}"),
        (reason, _) => reason.to_owned(),
    }
}

fn has_condition(status: &Value, ty: &str) -> bool {
    let found = items(status, "conditions").iter().find(|it| text(it, "type") == ty);
    found.is_some_and(|it| text(it, "status") == "True")
}

fn wide(spec: &Value, status: &Value) -> [Value; 4] {
    let or_none = |text: &str| Value::from(if text.is_empty() { "<none>" } else { text });
    let gates = items(spec, "readinessGates");
    let met = gates.iter().filter(|it| has_condition(status, text(it, "conditionType"))).count();
    let gates = match gates.len() {
        0 => "<none>".to_owned(),
        all => format!("{met}/{all}"),
    };
    [
        or_none(items(status, "podIPs").first().map_or("", |it| text(it, "ip"))),
        or_none(text(spec, "nodeName")),
        or_none(text(status, "nominatedNodeName")),
        gates.into(),
    ]
}
