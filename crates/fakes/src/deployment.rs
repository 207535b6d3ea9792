//! Deployments: a replica set for each template, the newest with all replicas once it is ready.

use ordain_value::{Value, value};

use crate::outcome::Outcomes;
use crate::owned::{count, generation, reference};
use crate::status::{Wanted, changed, conditions};
use crate::world::{
    Action, DEPLOYMENTS, REPLICA_SETS, World, int, name, namespace, short_hash, text,
};

const HASH_LABEL: &str = "pod-template-hash";
const REVISION: &str = "deployment.kubernetes.io/revision";

pub(crate) fn actions(world: &World, _outcomes: &Outcomes) -> Vec<Action> {
    world.live(DEPLOYMENTS).flat_map(|it| of_deployment(world, it)).collect()
}

fn of_deployment(world: &World, deployment: &Value) -> Vec<Action> {
    let template = deployment.get_path(&["spec", "template"]).cloned().unwrap_or(Value::Null);
    let hash = short_hash(&template);
    let wanted = int(deployment, &["spec", "replicas"], 1);
    let sets = world.owned(REPLICA_SETS, deployment);
    let is_new = |set: &&&Value| text(set, &["metadata", "labels", HASH_LABEL]) == hash;
    let current = sets.iter().find(is_new).copied();
    let mut actions = Vec::new();
    let revision = match current {
        None => {
            let revision = sets.iter().map(|it| revision(it)).max().unwrap_or(0) + 1;
            actions.push(Action::Create(REPLICA_SETS, set(deployment, &hash, wanted, revision)));
            revision
        }
        Some(set) => {
            actions.extend(scaled(set, wanted));
            revision(set)
        }
    };
    let ready = |set: &Value| int(set, &["status", "readyReplicas"], 0);
    if current.is_some_and(|set| ready(set) >= wanted) {
        let old = sets.iter().filter(|it| !is_new(it));
        actions.extend(old.filter_map(|set| scaled(set, 0)));
    }
    actions.extend(revised(deployment, revision));
    actions.extend(status(world, deployment, &sets, current));
    actions
}

fn revision(set: &Value) -> i64 {
    text(set, &["metadata", "annotations", REVISION]).parse().unwrap_or(0)
}

fn scaled(set: &Value, replicas: i64) -> Option<Action> {
    if int(set, &["spec", "replicas"], 1) == replicas {
        return None;
    }
    let mut set = set.clone();
    set.set_path(&["spec", "replicas"], Value::Int(replicas));
    Some(Action::Update(REPLICA_SETS, set))
}

/// The deployment with the number of its newest replica set, if that is news.
fn revised(deployment: &Value, revision: i64) -> Option<Action> {
    let revision = revision.to_string();
    if text(deployment, &["metadata", "annotations", REVISION]) == revision {
        return None;
    }
    let mut deployment = deployment.clone();
    deployment.set_path(&["metadata", "annotations", REVISION], revision.into());
    Some(Action::Update(DEPLOYMENTS, deployment))
}

fn set(deployment: &Value, hash: &str, replicas: i64, revision: i64) -> Value {
    let spec =
        |name: &str| deployment.get_path(&["spec", name]).cloned().unwrap_or_else(|| value!({}));
    let mut template = spec("template");
    template.set_path(&["metadata", "labels", HASH_LABEL], hash.into());
    let mut selector = spec("selector");
    selector.set_path(&["matchLabels", HASH_LABEL], hash.into());
    let labels = template.get_path(&["metadata", "labels"]).cloned().unwrap_or(Value::Null);
    let mut annotations = value!({});
    annotations.set_path(&[REVISION], revision.to_string().into());
    value!({
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {
            "name": (format!("{}-{hash}", name(deployment))),
            "namespace": (namespace(deployment)),
            "labels": labels,
            "annotations": annotations,
            "ownerReferences": [(reference("apps/v1", "Deployment", deployment))]
        },
        "spec": {"replicas": replicas, "selector": selector, "template": template}
    })
}

fn status(
    world: &World,
    deployment: &Value,
    sets: &[&Value],
    current: Option<&Value>,
) -> Option<Action> {
    let sum = |field: &str| -> i64 { sets.iter().map(|it| int(it, &["status", field], 0)).sum() };
    let wanted = int(deployment, &["spec", "replicas"], 1);
    let updated = current.map_or(0, |it| int(it, &["status", "replicas"], 0));
    let current_ready = current.map_or(0, |it| int(it, &["status", "readyReplicas"], 0));
    let (replicas, ready) = (sum("replicas"), sum("readyReplicas"));
    let is_available = ready >= wanted;
    let is_done = current_ready >= wanted && replicas == wanted && updated == wanted;
    let set = current.map_or("", |it| name(it));
    let (name, has) = (name(deployment), if is_available { "has" } else { "does not have" });
    let available =
        if is_available { "MinimumReplicasAvailable" } else { "MinimumReplicasUnavailable" };
    let available = Wanted::new("Available", is_available, available)
        .message(format!("Deployment {has} minimum availability."));
    let progress = if is_done {
        Wanted::new("Progressing", true, "NewReplicaSetAvailable")
            .message(format!("ReplicaSet \"{set}\" has successfully progressed."))
    } else {
        let reason = if sets.is_empty() { "NewReplicaSetCreated" } else { "ReplicaSetUpdated" };
        Wanted::new("Progressing", true, reason)
            .message(format!("Deployment \"{name}\" is progressing."))
    };
    let number = |it: i64| count(usize::try_from(it).unwrap_or(0));
    let status = value!({
        "observedGeneration": (generation(deployment)),
        "replicas": (number(replicas)),
        "updatedReplicas": (number(updated)),
        "readyReplicas": (number(ready)),
        "availableReplicas": (number(ready)),
        "unavailableReplicas": (number((wanted - ready).max(0))),
        "conditions": (conditions(world, deployment, vec![available, progress], true))
    });
    changed(deployment, status).map(|it| Action::Status(DEPLOYMENTS, it))
}
