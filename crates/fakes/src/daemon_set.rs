//! Daemon sets: a pod for each node that is registered.

use ordain_value::{Value, value};

use crate::outcome::Outcomes;
use crate::owned::{count, generation, is_over, is_ready, pod, reference};
use crate::status::changed;
use crate::world::{Action, DAEMON_SETS, NODES, PODS, World, name, text};

pub(crate) fn actions(world: &World, _outcomes: &Outcomes) -> Vec<Action> {
    world.live(DAEMON_SETS).flat_map(|set| of_set(world, set)).collect()
}

fn of_set(world: &World, set: &Value) -> Vec<Action> {
    let nodes: Vec<&str> = world.live(NODES).map(name).collect();
    let pods = world.owned(PODS, set);
    let node = |pod: &Value| text(pod, &["spec", "nodeName"]).to_owned();
    let mut actions = Vec::new();
    for wanted in &nodes {
        if !pods.iter().any(|it| node(it) == *wanted) {
            let mut made = pod(set, reference("apps/v1", "DaemonSet", set));
            made.set_path(&["metadata", "generateName"], format!("{}-", name(set)).into());
            made.set_path(&["spec", "nodeName"], (*wanted).into());
            actions.push(Action::Create(PODS, made));
        }
    }
    let gone = pods.iter().filter(|it| is_over(it) || !nodes.contains(&node(it).as_str()));
    actions.extend(gone.map(|it| Action::Delete(PODS, Value::clone(it))));
    let ready = pods.iter().filter(|it| is_ready(it)).count();
    let status = value!({
        "observedGeneration": (generation(set)),
        "desiredNumberScheduled": (count(nodes.len())),
        "currentNumberScheduled": (count(pods.len())),
        "updatedNumberScheduled": (count(pods.len())),
        "numberReady": (count(ready)),
        "numberAvailable": (count(ready)),
        "numberUnavailable": (count(nodes.len().saturating_sub(ready)))
    });
    actions.extend(changed(set, status).map(|set| Action::Status(DAEMON_SETS, set)));
    actions
}
