//! A Service as its rules see it.

use std::collections::BTreeSet;

use ordain_strategy::pool::IpFamily;
use ordain_value::Value;

use crate::shared::access::{flag_of, int, items, part, text, text_of, texts};
use crate::shared::net;

pub(super) const NONE: &str = "None";
pub(super) const SINGLE: &str = "SingleStack";
pub(super) const PREFER: &str = "PreferDualStack";
pub(super) const REQUIRE: &str = "RequireDualStack";

/// Read access to a Service.
#[derive(Clone, Copy)]
pub(super) struct Service<'a> {
    pub(super) object: &'a Value,
    pub(super) spec: &'a Value,
}

impl<'a> Service<'a> {
    pub(super) fn of(object: &'a Value) -> Self {
        Self { object, spec: part(object, "spec") }
    }

    pub(super) fn ty(self) -> &'a str {
        text(self.spec, "type")
    }

    pub(super) fn is(self, ty: &str) -> bool {
        self.ty() == ty
    }

    pub(super) fn cluster_ip(self) -> &'a str {
        text(self.spec, "clusterIP")
    }

    pub(super) fn cluster_ips(self) -> Vec<&'a str> {
        texts(self.spec, "clusterIPs")
    }

    pub(super) fn families(self) -> Vec<&'a str> {
        texts(self.spec, "ipFamilies")
    }

    pub(super) fn policy(self) -> Option<&'a str> {
        text_of(self.spec, "ipFamilyPolicy")
    }

    pub(super) fn ports(self) -> &'a [Value] {
        items(self.spec, "ports")
    }

    /// Its only address is `None`.
    pub(super) fn is_headless(self) -> bool {
        self.cluster_ips() == [NONE]
    }

    /// Headless, and nothing says which pods it stands for.
    pub(super) fn is_headless_without_selector(self) -> bool {
        self.cluster_ip() == NONE
            && part(self.spec, "selector").as_map().is_none_or(|it| it.is_empty())
    }

    pub(super) fn needs_cluster_ip(self) -> bool {
        !self.is("ExternalName")
    }

    /// Node ports make sense for the type, whether or not they are allocated.
    pub(super) fn has_node_ports(self) -> bool {
        self.is("NodePort") || self.is("LoadBalancer")
    }

    /// The server fills in node ports.
    pub(super) fn allocates_node_ports(self) -> bool {
        let wanted = flag_of(self.spec, "allocateLoadBalancerNodePorts").unwrap_or(true);
        self.is("NodePort") || (self.is("LoadBalancer") && wanted)
    }

    pub(super) fn needs_health_check(self) -> bool {
        self.is("LoadBalancer") && text(self.spec, "externalTrafficPolicy") == "Local"
    }

    pub(super) fn health_check_port(self) -> i64 {
        int(self.spec, "healthCheckNodePort")
    }

    /// Traffic may come in from outside of the cluster.
    pub(super) fn is_externally_accessible(self) -> bool {
        self.has_node_ports()
            || (self.is("ClusterIP") && !items(self.spec, "externalIPs").is_empty())
    }

    /// The node ports that are set.
    pub(super) fn node_ports(self) -> BTreeSet<i64> {
        self.ports().iter().map(|port| int(port, "nodePort")).filter(|it| *it != 0).collect()
    }
}

/// The family of an address as the text has it.
pub(super) fn family_of(ip: &str) -> Option<IpFamily> {
    net::parse_ip(ip).map(IpFamily::of)
}
