//! The row of a Node in a table.

use std::collections::BTreeSet;

use ordain_value::Value;

use crate::shared::access::{entries, flag, items, part, text};
use crate::shared::table::Cell::{Of, Text};
use crate::shared::table::{AGE, Described, NAME, text_or};

const ROLE_PREFIX: &str = "node-role.kubernetes.io/";
const ROLE: &str = "kubernetes.io/role";

pub(super) const COLUMNS: &[Described] = &[
    NAME,
    ("Status", "string", 0, "Whether the node is ready and may get pods.", Of(state)),
    ("Roles", "string", 0, "The roles of the node.", Of(roles)),
    AGE,
    ("Version", "string", 0, "The version of the kubelet.", Text("status.nodeInfo.kubeletVersion")),
    ("Internal-IP", "string", 1, INSIDE, Of(|node| address(node, "InternalIP"))),
    ("External-IP", "string", 1, OUTSIDE, Of(|node| address(node, "ExternalIP"))),
    ("OS-Image", "string", 1, "The operating system.", Of(|node| info(node, "osImage"))),
    ("Kernel-Version", "string", 1, KERNEL, Of(|node| info(node, "kernelVersion"))),
    ("Container-Runtime", "string", 1, RUNTIME, Of(|node| info(node, "containerRuntimeVersion"))),
];
const INSIDE: &str = "The address inside of the cluster.";
const OUTSIDE: &str = "The address outside of the cluster.";
const KERNEL: &str = "The version of the kernel.";
const RUNTIME: &str = "The container runtime and its version.";

fn info(node: &Value, field: &str) -> Value {
    text_or(text(part(part(node, "status"), "nodeInfo"), field), "<unknown>")
}

fn state(node: &Value) -> Value {
    let conditions = items(part(node, "status"), "conditions");
    let ready = conditions.iter().rfind(|it| text(it, "type") == "Ready");
    let ready = match ready.map(|it| text(it, "status")) {
        None => "Unknown",
        Some("True") => "Ready",
        Some(_) => "NotReady",
    };
    if flag(part(node, "spec"), "unschedulable") {
        return format!("{ready},SchedulingDisabled").into();
    }
    ready.into()
}

fn roles(node: &Value) -> Value {
    let mut roles = BTreeSet::new();
    for (key, value) in entries(part(node, "metadata"), "labels") {
        let value = value.as_str().unwrap_or("");
        match key.strip_prefix(ROLE_PREFIX) {
            Some("") => {}
            Some(role) => drop(roles.insert(role)),
            None if key == ROLE && !value.is_empty() => drop(roles.insert(value)),
            None => {}
        }
    }
    text_or(&roles.into_iter().collect::<Vec<_>>().join(","), "<none>")
}

fn address(node: &Value, ty: &str) -> Value {
    let addresses = items(part(node, "status"), "addresses");
    let found = addresses.iter().find(|it| text(it, "type") == ty);
    found.map_or("<none>", |it| text(it, "address")).into()
}
