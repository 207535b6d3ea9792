//! The row of a Service in a table.

use std::collections::BTreeSet;

use ordain_strategy::typed::printer::{self, column};
use ordain_strategy::{Column, object};
use ordain_value::Value;

use super::read::Service;
use crate::shared::access::{entries, int, items, part, text, texts};

/// What is shown of the addresses of a load balancer, where space is short.
const BALANCER_WIDTH: usize = 16;

pub(super) fn columns() -> Vec<Column> {
    let mut columns = printer::columns(&[
        ("Type", "How the service is exposed."),
        ("Cluster-IP", "The address of the service inside of the cluster."),
        ("External-IP", "The addresses of the service outside of the cluster."),
        ("Port(s)", "The ports of the service, with their node ports."),
    ]);
    columns.push(column("Selector", "The labels of the pods that the service stands for.", 1));
    columns
}

pub(super) fn cells(object: &Value, now: i64) -> Vec<Value> {
    let service = Service::of(object);
    let internal = service.cluster_ips().first().copied().unwrap_or("<none>");
    vec![
        object::name(object).into(),
        service.ty().into(),
        internal.into(),
        external(service).into(),
        ports(service).into(),
        printer::age(object, now),
        selector(service.spec).into(),
    ]
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

fn selector(spec: &Value) -> String {
    let pairs: Vec<String> = entries(spec, "selector")
        .map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or("")))
        .collect();
    if pairs.is_empty() { "<none>".to_owned() } else { pairs.join(",") }
}
