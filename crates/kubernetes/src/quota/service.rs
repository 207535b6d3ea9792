//! What services take of quotas.

use ordain_value::Value;

use super::{Amounts, number, one};
use crate::shared::access::{flag_of, int, items, part, text};

const NAMES: [&str; 4] =
    ["count/services", "services", "services.nodeports", "services.loadbalancers"];

pub(super) fn counts(name: &str) -> bool {
    NAMES.contains(&name)
}

pub(super) fn usage(service: &Value) -> Amounts {
    let spec = part(service, "spec");
    let ports = items(spec, "ports").len();
    let asked = items(spec, "ports").iter().filter(|port| int(port, "nodePort") != 0);
    let suppressed = flag_of(spec, "allocateLoadBalancerNodePorts") == Some(false);
    let (node_ports, balancers) = match text(spec, "type") {
        "NodePort" => (ports, 0),
        "LoadBalancer" if suppressed => (asked.count(), 1),
        "LoadBalancer" => (ports, 1),
        _ => (0, 0),
    };
    let [all, named, nodes, balanced] = NAMES.map(str::to_owned);
    Amounts::from([
        (all, one()),
        (named, one()),
        (nodes, number(node_ports)),
        (balanced, number(balancers)),
    ])
}
