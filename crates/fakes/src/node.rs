//! Nodes: which one a pod would be given to. A server without nodes runs its pods nowhere.

use ordain_value::Value;

use crate::world::{NODES, World, condition, hash, holds, list, name, text};

/// A node for a pod: open for pods, with the labels that the pod selects by, and the one it names if
/// it names one. Pods are spread by their uids, so that the same pod always gets the same node.
pub(crate) fn of_pod<'a>(world: &'a World, pod: &Value) -> Option<&'a str> {
    let named = named(pod);
    let fits = |node: &&Value| {
        is_open(node) && has_labels(node, pod) && named.is_none_or(|it| it == name(node))
    };
    let nodes: Vec<&str> = world.live(NODES).filter(fits).map(name).collect();
    let turn = hash(text(pod, &["metadata", "uid"]).as_bytes());
    let turn = turn.checked_rem(u64::try_from(nodes.len()).ok()?)?;
    nodes.get(usize::try_from(turn).ok()?).copied()
}

/// Nodes that tests register often say nothing of their state.
fn is_open(node: &Value) -> bool {
    let is_closed = node.get_path(&["spec", "unschedulable"]).and_then(Value::as_bool);
    let is_ready = condition(node, "Ready").is_none() || holds(node, "Ready");
    is_ready && is_closed != Some(true)
}

fn has_labels(node: &Value, pod: &Value) -> bool {
    let wanted = pod.get_path(&["spec", "nodeSelector"]).and_then(Value::as_map);
    wanted.is_none_or(|wanted| {
        wanted.iter().all(|(key, value)| node.get_path(&["metadata", "labels", key]) == Some(value))
    })
}

/// The node that a daemon set made a pod for.
fn named(pod: &Value) -> Option<&str> {
    let required = "requiredDuringSchedulingIgnoredDuringExecution";
    let path = ["spec", "affinity", "nodeAffinity", required, "nodeSelectorTerms"];
    let fields = list(pod, &path).iter().flat_map(|term| list(term, &["matchFields"]));
    let mut names = fields.filter(|it| text(it, &["key"]) == "metadata.name");
    names.next().and_then(|it| list(it, &["values"]).first()).and_then(Value::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ordain_value::value;

    fn world(nodes: Value) -> World {
        let mut world = World::default();
        world.objects.insert(NODES, nodes.as_list().expect("nodes").to_vec());
        world
    }

    #[test]
    fn a_pod_gets_a_node_that_is_open_and_fits() {
        let world = world(value!([
            {"metadata": {"name": "closed"}, "spec": {"unschedulable": true}},
            {"metadata": {"name": "lost"}, "status": {"conditions": [{"type": "Ready", "status": "Unknown"}]}},
            {"metadata": {"name": "a", "labels": {"disk": "ssd"}}},
            {"metadata": {"name": "b"}, "status": {"conditions": [{"type": "Ready", "status": "True"}]}}
        ]));
        let any = of_pod(&world, &value!({"metadata": {"uid": "1"}}));
        assert!(matches!(any, Some("a" | "b")), "{any:?}");
        assert_eq!(of_pod(&world, &value!({"spec": {"nodeSelector": {"disk": "ssd"}}})), Some("a"));
        assert_eq!(of_pod(&world, &value!({"spec": {"nodeSelector": {"disk": "hdd"}}})), None);
        let terms = value!([{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["b"]}]}]);
        let mut daemon = value!({});
        let required = "requiredDuringSchedulingIgnoredDuringExecution";
        let path = ["spec", "affinity", "nodeAffinity", required, "nodeSelectorTerms"];
        daemon.set_path(&path, terms);
        assert_eq!(of_pod(&world, &daemon), Some("b"));
    }

    #[test]
    fn without_nodes_there_is_none() {
        assert_eq!(of_pod(&World::default(), &value!({})), None);
    }
}
