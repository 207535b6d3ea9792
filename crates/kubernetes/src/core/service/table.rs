//! The row of a Service in a table.

use std::collections::BTreeSet;

use ordain_value::Value;

use super::read::Service;
use crate::shared::access::{int, items, part, text, texts};
use crate::shared::table::Cell::{Of, Text};
use crate::shared::table::{AGE, Described, NAME, labels};

/// What is shown of the addresses of a load balancer, where space is short.
const BALANCER_WIDTH: usize = 16;

pub(super) const COLUMNS: &[Described] = &[
    NAME,
    ("Type", "string", 0, "How the service is exposed.", Text("spec.type")),
    ("Cluster-IP", "string", 0, "The address of the service inside of the cluster.", Of(internal)),
    ("External-IP", "string", 0, OUTSIDE, Of(|it| external(Service::of(it)).into())),
    ("Port(s)", "string", 0, PORTS, Of(|it| ports(Service::of(it)).into())),
    AGE,
    ("Selector", "string", 1, "The labels of the pods that the service stands for.", Of(selector)),
];
const OUTSIDE: &str = "The addresses of the service outside of the cluster.";
const PORTS: &str = "The ports of the service, with their node ports.";

fn internal(object: &Value) -> Value {
    Service::of(object).cluster_ips().first().copied().unwrap_or("<none>").into()
}

fn external(service: Service<'_>) -> String {
    let ips = texts(service.spec, "externalIPs");
    match service.ty() {
        "ClusterIP" | "NodePort" if ips.is_empty() => "<none>".to_owned(),
        "ClusterIP" | "NodePort" => ips.join(","),
        "LoadBalancer" => {
            let status = part(service.object, "status");
            let balancer = balancer(part(status, "loadBalancer"));
            let mut all: Vec<&str> = ips;
            if !balancer.is_empty() {
                all.insert(0, &balancer);
            }
            if all.is_empty() { "<pending>".to_owned() } else { all.join(",") }
        }
        "ExternalName" => text(service.spec, "externalName").to_owned(),
        _ => "<unknown>".to_owned(),
    }
}

/// The addresses of a load balancer, shortened.
pub(crate) fn balancer(status: &Value) -> String {
    let shown: BTreeSet<&str> = items(status, "ingress")
        .iter()
        .map(|entry| match text(entry, "ip") {
            "" => text(entry, "hostname"),
            ip => ip,
        })
        .filter(|it| !it.is_empty())
        .collect();
    let joined = shown.into_iter().collect::<Vec<_>>().join(",");
    if joined.len() <= BALANCER_WIDTH {
        return joined;
    }
    let cut = joined.char_indices().map(|it| it.0).take_while(|it| *it <= BALANCER_WIDTH - 3);
    let end = cut.last().unwrap_or(0);
    format!("{}...", joined.get(..end).unwrap_or_default())
}

fn ports(service: Service<'_>) -> String {
    let one = |port: &Value| {
        let (number, protocol) = (int(port, "port"), text(port, "protocol"));
        match int(port, "nodePort") {
            node_port if node_port > 0 => format!("{number}:{node_port}/{protocol}"),
            _ => format!("{number}/{protocol}"),
        }
    };
    match service.ports() {
        [] => "<none>".to_owned(),
        ports => ports.iter().map(one).collect::<Vec<_>>().join(","),
    }
}

fn selector(object: &Value) -> Value {
    labels(part(part(object, "spec"), "selector").as_map()).into()
}
