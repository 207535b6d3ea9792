//! Replica sets and replication controllers: as many pods as they ask for.

use ordain_value::{Value, value};

use crate::outcome::Outcomes;
use crate::owned::{count, generation, is_over, is_ready, pod, reference};
use crate::status::changed;
use crate::world::{
    Action, PODS, REPLICA_SETS, REPLICATION_CONTROLLERS, Resource, World, int, name,
};

/// A kind that keeps a number of pods.
struct Kind {
    resource: Resource,
    api_version: &'static str,
    name: &'static str,
}

const SET: Kind = Kind { resource: REPLICA_SETS, api_version: "apps/v1", name: "ReplicaSet" };
const CONTROLLER: Kind =
    Kind { resource: REPLICATION_CONTROLLERS, api_version: "v1", name: "ReplicationController" };

pub(crate) fn actions(world: &World, _outcomes: &Outcomes) -> Vec<Action> {
    of_kind(world, &SET)
}

pub(crate) fn controller_actions(world: &World, _outcomes: &Outcomes) -> Vec<Action> {
    of_kind(world, &CONTROLLER)
}

fn of_kind(world: &World, kind: &Kind) -> Vec<Action> {
    world.live(kind.resource).flat_map(|set| of_set(world, kind, set)).collect()
}

fn of_set(world: &World, kind: &Kind, set: &Value) -> Vec<Action> {
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
        let mut made = pod(set, reference(kind.api_version, kind.name, set));
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
    actions.extend(changed(set, status).map(|set| Action::Status(kind.resource, set)));
    actions
}
