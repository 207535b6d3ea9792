//! PodTopologyLabels: a pod on a node shows the zone and region of the node.

use ordain_value::{Text, Value};

use super::{Plugin, Query, Request, Verdict};
use crate::shared::access::{label, part, text};

const LABELS: [&str; 2] = ["topology.kubernetes.io/zone", "topology.kubernetes.io/region"];

#[derive(Debug)]
pub(super) struct PodTopologyLabels;

/// The node that a pod is made on, or that a binding gives it to.
fn node<'a>(request: &Request<'_>, object: &'a Value) -> &'a str {
    let target = part(object, "target");
    match (request.group, request.plural, request.subresource) {
        ("", "pods", "binding") if text(target, "kind") == "Node" => text(target, "name"),
        ("", "pods", "") => text(part(object, "spec"), "nodeName"),
        _ => "",
    }
}

impl Plugin for PodTopologyLabels {
    fn name(&self) -> &'static str {
        "PodTopologyLabels"
    }

    fn needs(&self, request: &Request<'_>, object: &Value) -> Vec<Query> {
        match node(request, object) {
            "" => Vec::new(),
            name => vec![Query::one("", "nodes", "", name)],
        }
    }

    fn mutate(&self, request: &Request<'_>, object: &mut Value) -> Verdict {
        if node(request, object).is_empty() {
            return Ok(());
        }
        let Some(node) = request.found("nodes").next() else { return Ok(()) };
        for key in LABELS {
            if let Some(value) = label(node, key) {
                object.set_path(&["metadata", "labels", key], Value::Str(Text::from(value)));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::NOTHING;
    use super::*;
    use crate::admission::Operation;
    use ordain_value::value;

    fn labelled(subresource: &str, mut object: Value) -> Value {
        let request = Request {
            group: "",
            plural: "pods",
            subresource,
            namespace: "default",
            name: "p",
            operation: Operation::Create,
            old: None,
            user: None,
            suffix: "",
            found: &NOTHING,
        };
        let node = value!({"metadata": {"name": "n", "labels": {
            "topology.kubernetes.io/zone": "a",
            "topology.kubernetes.io/region": "b",
            "other": "c"
        }}});
        let needs = PodTopologyLabels.needs(&request, &object);
        let found = needs.into_iter().map(|query| (query, vec![node.clone()])).collect();
        PodTopologyLabels.mutate(&Request { found: &found, ..request }, &mut object).unwrap();
        object.get_path(&["metadata", "labels"]).cloned().unwrap_or(Value::Null)
    }

    #[test]
    fn a_pod_on_a_node_shows_where_the_node_is() {
        let where_it_is =
            value!({"topology.kubernetes.io/zone": "a", "topology.kubernetes.io/region": "b"});
        let pod = value!({"metadata": {"name": "p"}, "spec": {"nodeName": "n"}});
        assert_eq!(labelled("", pod), where_it_is);
        let binding =
            |kind: &str| value!({"metadata": {"name": "p"}, "target": {"kind": kind, "name": "n"}});
        assert_eq!(labelled("binding", binding("Node")), where_it_is);
        assert_eq!(labelled("binding", binding("Pod")), Value::Null);
        assert_eq!(labelled("", value!({"metadata": {"name": "p"}, "spec": {}})), Value::Null);
    }
}
