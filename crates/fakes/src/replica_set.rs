//! Replica sets: as many pods as they ask for.

use ordain_value::{Value, value};

use crate::outcome::Outcomes;
use crate::owned::{count, generation, is_over, is_ready, pod, reference};
use crate::status::changed;
use crate::world::{Action, PODS, REPLICA_SETS, World, int, name};

pub(crate) fn actions(world: &World, _outcomes: &Outcomes) -> Vec<Action> {
    world.live(REPLICA_SETS).flat_map(|set| of_set(world, set)).collect()
}

fn of_set(world: &World, set: &Value) -> Vec<Action> {
    let wanted = usize::try_from(int(set, &["spec", "replicas"], 1)).unwrap_or(0);
    let owned = world.owned(PODS, set);
    let (over, mut pods): (Vec<&Value>, Vec<&Value>) = owned.iter().partition(|it| is_over(it));
    // Those that are not ready go first.
    pods.sort_by_key(|it| (!is_ready(it), name(it).to_owned()));
    let mut actions: Vec<Action> = Vec::new();
    for gone in pods.iter().skip(wanted).chain(&over) {
        actions.push(Action::Delete(PODS, Value::clone(gone)));
    }
    for _ in pods.len()..wanted {
        let mut made = pod(set, reference("apps/v1", "ReplicaSet", set));
        made.set_path(&["metadata", "generateName"], format!("{}-", name(set)).into());
        actions.push(Action::Create(PODS, made));
    }
    let ready = pods.iter().filter(|it| is_ready(it)).count();
    let status = value!({
        "replicas": (count(pods.len())),
        "fullyLabeledReplicas": (count(pods.len())),
        "readyReplicas": (count(ready)),
        "availableReplicas": (count(ready)),
        "observedGeneration": (generation(set))
    });
    actions.extend(changed(set, status).map(|set| Action::Status(REPLICA_SETS, set)));
    actions
}
