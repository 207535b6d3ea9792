//! Pods without kubelets: they run, are ready and end as declared, on a node where one is registered.

use ordain_value::{Value, value};

use crate::node;
use crate::outcome::{Outcome, Outcomes, containers};
use crate::owned::is_over;
use crate::status::{Wanted, changed, conditions};
use crate::world::{Action, PODS, World, hash, int, list, text};

const DEBUGGERS: &str = "ephemeralContainerStatuses";

pub(crate) fn actions(world: &World, outcomes: &Outcomes) -> Vec<Action> {
    world.all(PODS).iter().filter_map(|pod| action(world, outcomes, pod)).collect()
}

fn action(world: &World, outcomes: &Outcomes, pod: &Value) -> Option<Action> {
    if !text(pod, &["metadata", "deletionTimestamp"]).is_empty() {
        // A kubelet would have stopped it by now; finalizers are the business of others.
        let is_stopped = int(pod, &["metadata", "deletionGracePeriodSeconds"], 0) == 0;
        let is_held = !list(pod, &["metadata", "finalizers"]).is_empty();
        return (!is_stopped || !is_held).then(|| Action::Delete(PODS, pod.clone()));
    }
    if is_over(pod) {
        return None;
    }
    let (outcome, due) = outcomes.of(world, "Pod", pod);
    if !due {
        return Some(Action::Wait);
    }
    let is_given = !text(pod, &["spec", "nodeName"]).is_empty();
    if outcome != Outcome::Pending
        && !is_given
        && let Some(node) = node::of_pod(world, pod)
    {
        return Some(Action::Bind(pod.clone(), node.to_owned()));
    }
    let restarts = text(pod, &["spec", "restartPolicy"]);
    let ends = matches!(restarts, "Never" | "OnFailure");
    let state = match outcome {
        Outcome::Success if ends => State::ended("Succeeded", 0),
        Outcome::Success => State::running(true),
        Outcome::NeverReady => State::running(false),
        Outcome::Fail if restarts == "OnFailure" => State::crashing(),
        Outcome::Fail => State::ended("Failed", 1),
        Outcome::CrashLoop => State::crashing(),
        Outcome::ImagePull => State::waiting("ErrImagePull"),
        Outcome::Pending => State::unscheduled(),
    };
    let status = state.status(world, pod);
    changed(pod, status).map(|pod| Action::Status(PODS, pod))
}

/// What a pod is to show.
struct State {
    phase: &'static str,
    scheduled: bool,
    ready: bool,
    container: Container,
}

enum Container {
    None,
    Running,
    Waiting(&'static str),
    Terminated(i64),
}

impl State {
    fn running(ready: bool) -> Self {
        Self { phase: "Running", scheduled: true, ready, container: Container::Running }
    }

    fn ended(phase: &'static str, code: i64) -> Self {
        Self { phase, scheduled: true, ready: false, container: Container::Terminated(code) }
    }

    fn crashing() -> Self {
        let container = Container::Waiting("CrashLoopBackOff");
        Self { phase: "Running", scheduled: true, ready: false, container }
    }

    fn waiting(reason: &'static str) -> Self {
        let container = Container::Waiting(reason);
        Self { phase: "Pending", scheduled: true, ready: false, container }
    }

    fn unscheduled() -> Self {
        Self { phase: "Pending", scheduled: false, ready: false, container: Container::None }
    }

    fn status(&self, world: &World, pod: &Value) -> Value {
        let ready_reason = match self.container {
            _ if self.ready => "",
            Container::Terminated(0) => "PodCompleted",
            Container::Terminated(_) => "PodFailed",
            _ => "ContainersNotReady",
        };
        let wanted = if self.scheduled {
            vec![
                Wanted::new("PodScheduled", true, ""),
                Wanted::new("Initialized", true, ""),
                Wanted::new("ContainersReady", self.ready, ready_reason),
                Wanted::new("Ready", self.ready, ready_reason),
            ]
        } else {
            let none = Wanted::new("PodScheduled", false, "Unschedulable");
            vec![none.message("0/0 nodes are available.")]
        };
        let mut status = value!({
            "phase": (self.phase),
            "conditions": (conditions(world, pod, wanted, false))
        });
        if self.scheduled {
            let kept = |name: &str| pod.get_path(&["status", name]).cloned();
            let ip = kept("podIP").unwrap_or_else(|| address(pod).into());
            status.set_path(&["podIPs"], value!([{"ip": (ip.clone())}]));
            status.set_path(&["podIP"], ip);
            status.set_path(&["startTime"], kept("startTime").unwrap_or_else(|| world.time()));
            for (statuses, field) in
                [("containerStatuses", "containers"), (DEBUGGERS, "ephemeralContainers")]
            {
                status.set_path(&[statuses], self.containers(world, pod, field));
            }
        }
        status
    }

    fn containers(&self, world: &World, pod: &Value, field: &str) -> Value {
        let started = pod.get_path(&["status", "startTime"]).cloned();
        let started = started.unwrap_or_else(|| world.time());
        let (state, restarts) = match self.container {
            Container::None => (value!({}), 0),
            Container::Running => (value!({"running": {"startedAt": (started)}}), 0),
            Container::Waiting(reason) => {
                (value!({"waiting": {"reason": reason}}), i64::from(reason == "CrashLoopBackOff"))
            }
            Container::Terminated(code) => {
                let reason = if code == 0 { "Completed" } else { "Error" };
                let state = value!({"terminated": {
                    "exitCode": code,
                    "reason": reason,
                    "startedAt": (started.clone()),
                    "finishedAt": (started)
                }});
                (state, 0)
            }
        };
        let made = containers(pod, field).into_iter().map(|(name, image)| {
            value!({
                "name": name,
                "image": image,
                "imageID": "",
                "ready": (self.ready),
                "started": (matches!(self.container, Container::Running)),
                "restartCount": restarts,
                "state": (state.clone())
            })
        });
        made.collect::<Vec<Value>>().into()
    }
}

/// An address that follows from the uid, so that two pods hardly share one.
fn address(pod: &Value) -> String {
    let hash = hash(text(pod, &["metadata", "uid"]).as_bytes());
    format!("10.{}.{}.{}", 128 + hash % 64, hash / 64 % 256, hash / 16_384 % 250 + 2)
}
