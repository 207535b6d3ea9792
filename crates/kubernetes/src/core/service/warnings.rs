//! Advice on accepted Services.

use ordain_strategy::{Change, Part, Warnings};
use ordain_value::field::Path;

use super::read::{NONE, Service};
use crate::shared::access::{annotation, items, part, text, text_of, texts};
use crate::shared::net;

const TOPOLOGY_HINTS: &str = "service.kubernetes.io/topology-aware-hints";
const TOPOLOGY_MODE: &str = "service.kubernetes.io/topology-mode";

pub(super) fn warn(change: &Change<'_>, warnings: &mut Warnings) {
    let service = Service::of(change.object);
    if change.part == Part::Status {
        balancer(service, warnings);
        return;
    }
    let spec = Path::new("spec");
    if annotation(change.object, TOPOLOGY_HINTS).is_some() {
        warnings.add(format!(
            "annotation {} is deprecated, please use {} instead",
            TOPOLOGY_HINTS, TOPOLOGY_MODE
        ));
    }
    if !matches!(service.cluster_ip(), "" | NONE) {
        each_ip(service, "clusterIPs", warnings);
    }
    let external_ips = items(service.spec, "externalIPs");
    let headless = service.is("ClusterIP") && service.cluster_ip() == NONE;
    if headless {
        let ignored = [
            (!text(service.spec, "loadBalancerIP").is_empty(), "loadBalancerIP"),
            (!external_ips.is_empty(), "externalIPs"),
            (text(service.spec, "sessionAffinity") != "None", "SessionAffinity"),
        ];
        for (_, field) in ignored.into_iter().filter(|it| it.0) {
            warnings.add(format!("spec.{field} is ignored for headless services"));
        }
    }
    each_ip(service, "externalIPs", warnings);
    if !external_ips.is_empty() && !headless && !service.is("ExternalName") {
        let why =
            "spec.externalIPs is deprecated and may no longer be implemented in some clusters";
        warnings.add(why.to_owned());
    }
    let ip = text(service.spec, "loadBalancerIP");
    net::ip_warning(&spec.child("loadBalancerIP"), ip).into_iter().for_each(|it| warnings.add(it));
    let path = spec.child("loadBalancerSourceRanges");
    for (at, range) in texts(service.spec, "loadBalancerSourceRanges").into_iter().enumerate() {
        net::cidr_warnings(&path.index(at), range).into_iter().for_each(|it| warnings.add(it));
    }
    if service.is("ExternalName") && !external_ips.is_empty() {
        let why = "spec.externalIPs is ignored when spec.type is \"ExternalName\"";
        warnings.add(why.to_owned());
    }
    if !service.is("ExternalName") && !text(service.spec, "externalName").is_empty() {
        let why = "spec.externalName is ignored when spec.type is not \"ExternalName\"";
        warnings.add(why.to_owned());
    }
    if text_of(service.spec, "trafficDistribution") == Some("PreferClose") {
        warnings.add(
            "spec.trafficDistribution: \"PreferClose\" is deprecated; use \"PreferSameZone\""
                .to_owned(),
        );
    }
}

fn each_ip(service: Service<'_>, field: &str, warnings: &mut Warnings) {
    let spec = Path::new("spec");
    let path = spec.child(field);
    for (at, ip) in texts(service.spec, field).into_iter().enumerate() {
        net::ip_warning(&path.index(at), ip).into_iter().for_each(|it| warnings.add(it));
    }
}

fn balancer(service: Service<'_>, warnings: &mut Warnings) {
    let status = part(part(service.object, "status"), "loadBalancer");
    let root = Path::new("status");
    let balancer = root.child("loadBalancer");
    let path = balancer.child("ingress");
    for (at, entry) in items(status, "ingress").iter().enumerate() {
        let found = net::ip_warning(&path.index(at), text(entry, "ip"));
        found.into_iter().for_each(|it| warnings.add(it));
    }
}
