//! Stateful sets: numbered pods, one after the other.

use ordain_value::{Value, value};

use crate::outcome::Outcomes;
use crate::owned::{count, generation, is_over, is_ready, pod, reference};
use crate::status::changed;
use crate::world::{Action, PODS, STATEFUL_SETS, World, int, name, short_hash, text};

const REVISION_LABEL: &str = "controller-revision-hash";

pub(crate) fn actions(world: &World, _outcomes: &Outcomes) -> Vec<Action> {
    world.live(STATEFUL_SETS).flat_map(|set| of_set(world, set)).collect()
}

fn of_set(world: &World, set: &Value) -> Vec<Action> {
    let wanted = int(set, &["spec", "replicas"], 1);
    let first = int(set, &["spec", "ordinals", "start"], 0);
    let template = set.get_path(&["spec", "template"]).cloned().unwrap_or(Value::Null);
    let revision = format!("{}-{}", name(set), short_hash(&template));
    let parallel = text(set, &["spec", "podManagementPolicy"]) == "Parallel";
    let pods = world.owned(PODS, set);
    let mut actions = Vec::new();
    let named = |number: i64| format!("{}-{number}", name(set));
    for number in first..first.saturating_add(wanted) {
        let found = pods.iter().find(|it| name(it) == named(number));
        match found {
            None => {
                let mut made = pod(set, reference("apps/v1", "StatefulSet", set));
                made.set_path(&["metadata", "name"], named(number).into());
                made.set_path(&["metadata", "labels", REVISION_LABEL], revision.as_str().into());
                let index = "apps.kubernetes.io/pod-index";
                made.set_path(&["metadata", "labels", index], number.to_string().into());
                let label = "statefulset.kubernetes.io/pod-name";
                made.set_path(&["metadata", "labels", label], named(number).into());
                actions.push(Action::Create(PODS, made));
                if !parallel {
                    break;
                }
            }
            Some(pod) if is_over(pod) || is_outdated(pod, &revision) => {
                actions.push(Action::Delete(PODS, Value::clone(pod)));
                break;
            }
            // The next one begins when this one is ready.
            Some(pod) if !is_ready(pod) && !parallel => break,
            Some(_) => {}
        }
    }
    let kept: Vec<String> = (first..first.saturating_add(wanted)).map(named).collect();
    let surplus = pods.iter().filter(|it| !kept.iter().any(|kept| kept == name(it)));
    actions.extend(surplus.map(|it| Action::Delete(PODS, Value::clone(it))));
    let ready = pods.iter().filter(|it| is_ready(it)).count();
    let updated = pods.iter().filter(|it| !is_outdated(it, &revision)).count();
    let status = value!({
        "observedGeneration": (generation(set)),
        "replicas": (count(pods.len())),
        "readyReplicas": (count(ready)),
        "availableReplicas": (count(ready)),
        "currentReplicas": (count(updated)),
        "updatedReplicas": (count(updated)),
        "currentRevision": (revision.as_str()),
        "updateRevision": (revision.as_str())
    });
    actions.extend(changed(set, status).map(|set| Action::Status(STATEFUL_SETS, set)));
    actions
}

fn is_outdated(pod: &Value, revision: &str) -> bool {
    text(pod, &["metadata", "labels", REVISION_LABEL]) != revision
}
