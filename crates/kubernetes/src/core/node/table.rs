//! The row of a Node in a table.

use std::collections::BTreeSet;

use ordain_strategy::typed::printer::{self, column};
use ordain_strategy::{Column, object};
use ordain_value::Value;

use crate::shared::access::{entries, flag, items, part, text};

const ROLE_PREFIX: &str = "node-role.kubernetes.io/";
const ROLE: &str = "kubernetes.io/role";

pub(super) fn columns() -> Vec<Column> {
    let mut columns = printer::columns(&[
        ("Status", "Whether the node is ready and may get pods."),
        ("Roles", "The roles of the node."),
    ]);
    columns.push(column("Version", "The version of the kubelet.", 0));
    columns.push(column("Internal-IP", "The address inside of the cluster.", 1));
    columns.push(column("External-IP", "The address outside of the cluster.", 1));
    columns.push(column("OS-Image", "The operating system.", 1));
    columns.push(column("Kernel-Version", "The version of the kernel.", 1));
    columns.push(column("Container-Runtime", "The container runtime and its version.", 1));
    columns
}

pub(super) fn cells(object: &Value, now: i64) -> Vec<Value> {
    let status = part(object, "status");
    let info = part(status, "nodeInfo");
    let known = |field: &str| match text(info, field) {
        "" => Value::from("<unknown>"),
        text => text.into(),
    };
    vec![
        object::name(object).into(),
        state(object).into(),
        roles(object).into(),
        printer::age(object, now),
        text(info, "kubeletVersion").into(),
        address(status, "InternalIP").into(),
        address(status, "ExternalIP").into(),
        known("osImage"),
        known("kernelVersion"),
        known("containerRuntimeVersion"),
    ]
}

fn state(node: &Value) -> String {
    let conditions = items(part(node, "status"), "conditions");
    let ready = conditions.iter().rfind(|it| text(it, "type") == "Ready");
    let ready = match ready.map(|it| text(it, "status")) {
        None => "Unknown",
        Some("True") => "Ready",
        Some(_) => "NotReady",
    };
    if flag(part(node, "spec"), "unschedulable") {
        return format!("{ready},SchedulingDisabled");
    }
    ready.to_owned()
}

fn roles(node: &Value) -> String {
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
    if roles.is_empty() {
        return "<none>".to_owned();
    }
    roles.into_iter().collect::<Vec<_>>().join(",")
}

fn address<'a>(status: &'a Value, ty: &str) -> &'a str {
    let found = items(status, "addresses").iter().find(|it| text(it, "type") == ty);
    found.map_or("<none>", |it| text(it, "address"))
}
