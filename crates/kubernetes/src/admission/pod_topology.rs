//! PodTopologyLabels: a pod on a node shows the zone and region of the node.

use ordain_meta::status::Status;
use ordain_value::{Text, Value};

use super::{Found, Plugin, Query, Request, found};
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

    fn mutate(
        &self,
        request: &Request<'_>,
        object: &mut Value,
        looked_up: &Found,
    ) -> Result<(), Status> {
        if node(request, object).is_empty() {
            return Ok(());
        }
        let Some(node) = found(looked_up, "nodes").next() else { return Ok(()) };
        for key in LABELS {
            if let Some(value) = label(node, key) {
                object.set_path(&["metadata", "labels", key], Value::Str(Text::from(value)));
            }
        }
        Ok(())
    }
}
