//! How traffic comes to a Service: from outside, from inside, through load balancers.

use ordain_value::Value;
use ordain_value::field::{self, Path};

use super::read::Service;
use crate::shared::access::{annotation, int_of, items, part, some, text, text_of, texts};
use crate::shared::net;

const SOURCE_RANGES: &str = "service.beta.kubernetes.io/load-balancer-source-ranges";
const BALANCED_ONLY: &str = "may only be used when `type` is 'LoadBalancer'";
const CLUSTER_OR_LOCAL: [&str; 2] = ["Cluster", "Local"];
const DISTRIBUTIONS: [&str; 3] = ["PreferClose", "PreferSameZone", "PreferSameNode"];
const AFFINITIES: [&str; 2] = ["ClientIP", "None"];
const IP_MODES: [&str; 2] = ["Proxy", "VIP"];
/// A day.
const AFFINITY_SECONDS_MAX: i64 = 86_400;

pub(super) fn validate(service: Service<'_>, old: Option<Service<'_>>) -> field::ErrorList {
    let mut errors = field::ErrorList::new();
    let spec = Path::new("spec");
    session_affinity(service, &spec, &mut errors);
    external_ips(service, old, &spec, &mut errors);
    source_ranges(service, old, &mut errors);
    if some(service.spec, "allocateLoadBalancerNodePorts").is_some() {
        if !service.is("LoadBalancer") {
            let path = spec.child("allocateLoadBalancerNodePorts");
            errors.push(field::Error::forbidden(&path, BALANCED_ONLY));
        }
    } else if service.is("LoadBalancer") {
        errors.push(field::Error::required(&Path::new("allocateLoadBalancerNodePorts"), ""));
    }
    class(service, &spec, &mut errors);
    external_policy(service, &spec, &mut errors);
    health_check(service, &spec, &mut errors);
    internal_policy(service, &spec, &mut errors);
    if let Some(distribution) = text_of(service.spec, "trafficDistribution")
        && !DISTRIBUTIONS.contains(&distribution)
    {
        let path = spec.child("trafficDistribution");
        errors.push(field::Error::not_supported(&path, distribution, &DISTRIBUTIONS));
    }
    errors
}

pub(super) fn validate_update(service: Service<'_>, old: Service<'_>) -> field::ErrorList {
    let mut errors = field::ErrorList::new();
    let spec = Path::new("spec");
    let class = |it: Service<'_>| some(it.spec, "loadBalancerClass").cloned();
    if service.is("LoadBalancer") && old.is("LoadBalancer") && class(service) != class(old) {
        let shown = class(service).unwrap_or(Value::Null);
        let path = spec.child("loadBalancerClass");
        errors.push(field::Error::invalid(&path, shown, "may not change once set"));
    }
    if service.needs_health_check()
        && old.needs_health_check()
        && service.health_check_port() != old.health_check_port()
    {
        let path = spec.child("healthCheckNodePort");
        errors.push(field::Error::forbidden(&path, "field is immutable"));
    }
    // Formats are looked at by the rules of updates and by those of every write.
    self::class(service, &spec, &mut errors);
    errors
}

fn session_affinity(service: Service<'_>, spec: &Path<'_>, errors: &mut field::ErrorList) {
    let (path, affinity) = (spec.child("sessionAffinity"), text(service.spec, "sessionAffinity"));
    let config = some(service.spec, "sessionAffinityConfig");
    let at = spec.child("sessionAffinityConfig");
    match affinity {
        "" => errors.push(field::Error::required(&path, "")),
        "ClientIP" => client_ip(config, &at, errors),
        "None" if config.is_some() => {
            errors.push(field::Error::forbidden(
                &at,
                "must not be set when session affinity is None",
            ));
        }
        "None" => {}
        other => errors.push(field::Error::not_supported(&path, other, &AFFINITIES)),
    }
}

fn client_ip(config: Option<&Value>, path: &Path<'_>, errors: &mut field::ErrorList) {
    const WHEN: &str = "when session affinity type is ClientIP";
    let Some(config) = config else {
        errors.push(field::Error::required(path, WHEN));
        return;
    };
    let path = path.child("clientIP");
    let Some(client) = some(config, "clientIP") else {
        errors.push(field::Error::required(&path, WHEN));
        return;
    };
    let path = path.child("timeoutSeconds");
    match int_of(client, "timeoutSeconds") {
        None => errors.push(field::Error::required(&path, WHEN)),
        Some(seconds) if !(1..=AFFINITY_SECONDS_MAX).contains(&seconds) => {
            let why = format!("must be greater than 0 and less than {AFFINITY_SECONDS_MAX}");
            errors.push(field::Error::invalid(&path, seconds, why));
        }
        Some(_) => {}
    }
}

fn external_ips(
    service: Service<'_>,
    old: Option<Service<'_>>,
    spec: &Path<'_>,
    errors: &mut field::ErrorList,
) {
    let known = old.map(|it| texts(it.spec, "externalIPs")).unwrap_or_default();
    let path = spec.child("externalIPs");
    for (at, ip) in texts(service.spec, "externalIPs").into_iter().enumerate() {
        let path = path.index(at);
        let found = net::legacy_ip(&path, ip, &known);
        let malformed = !found.is_empty();
        errors.extend(found);
        if !malformed {
            errors.extend(net::endpoint_ip(&path, ip));
        }
    }
}

fn source_ranges(service: Service<'_>, old: Option<Service<'_>>, errors: &mut field::ErrorList) {
    let ranges = |it: Service<'_>| {
        let texts = texts(it.spec, "loadBalancerSourceRanges").into_iter();
        texts.map(|it| it.trim().to_owned()).collect::<Vec<_>>()
    };
    let given = ranges(service);
    if !given.is_empty() {
        let spec = Path::new("spec");
        let path = spec.child("LoadBalancerSourceRanges");
        if !service.is("LoadBalancer") {
            errors.push(field::Error::forbidden(&path, BALANCED_ONLY));
        }
        let known = old.map(ranges).unwrap_or_default();
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        for (at, range) in given.iter().enumerate() {
            errors.extend(net::legacy_cidr(&path.index(at), range, &known));
        }
        return;
    }
    let Some(text) = annotation(service.object, SOURCE_RANGES) else { return };
    let metadata = Path::new("metadata");
    let annotations = metadata.child("annotations");
    let path = annotations.key(SOURCE_RANGES);
    if !service.is("LoadBalancer") {
        errors.push(field::Error::forbidden(&path, BALANCED_ONLY));
    }
    let kept = old.is_some_and(|it| annotation(it.object, SOURCE_RANGES) == Some(text));
    if !kept && !text.trim().is_empty() {
        for range in text.split(',') {
            errors.extend(net::legacy_cidr(&path, range.trim(), &[]));
        }
    }
}

fn class(service: Service<'_>, spec: &Path<'_>, errors: &mut field::ErrorList) {
    let Some(class) = text_of(service.spec, "loadBalancerClass") else { return };
    let path = spec.child("loadBalancerClass");
    if service.is("LoadBalancer") {
        errors.extend(net::qualified_name(&path, class));
    } else {
        errors.push(field::Error::forbidden(&path, BALANCED_ONLY));
    }
}

fn external_policy(service: Service<'_>, spec: &Path<'_>, errors: &mut field::ErrorList) {
    let path = spec.child("externalTrafficPolicy");
    let policy = text(service.spec, "externalTrafficPolicy");
    if !service.is_externally_accessible() {
        if !policy.is_empty() {
            let why = "may only be set for externally-accessible services";
            errors.push(field::Error::invalid(&path, policy, why));
        }
    } else if policy.is_empty() {
        errors.push(field::Error::required(&path, ""));
    } else if !CLUSTER_OR_LOCAL.contains(&policy) {
        errors.push(field::Error::not_supported(&path, policy, &CLUSTER_OR_LOCAL));
    }
}

fn health_check(service: Service<'_>, spec: &Path<'_>, errors: &mut field::ErrorList) {
    let (path, port) = (spec.child("healthCheckNodePort"), service.health_check_port());
    if !service.needs_health_check() {
        if port != 0 {
            let why = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` \
                       is 'Local'";
            errors.push(field::Error::invalid(&path, port, why));
        }
    } else if port == 0 {
        errors.push(field::Error::required(&path, ""));
    } else if let Some(why) = net::port_number(port) {
        errors.push(field::Error::invalid(&path, port, why));
    }
}

fn internal_policy(service: Service<'_>, spec: &Path<'_>, errors: &mut field::ErrorList) {
    let path = spec.child("internalTrafficPolicy");
    match text_of(service.spec, "internalTrafficPolicy") {
        None if matches!(service.ty(), "NodePort" | "LoadBalancer" | "ClusterIP") => {
            errors.push(field::Error::required(&path, ""));
        }
        Some(policy) if !CLUSTER_OR_LOCAL.contains(&policy) => {
            errors.push(field::Error::not_supported(&path, policy, &CLUSTER_OR_LOCAL));
        }
        _ => {}
    }
}

/// What a load balancer reports about itself.
pub(super) fn status(service: Service<'_>, old: Service<'_>) -> field::ErrorList {
    let mut errors = field::ErrorList::new();
    let balancer = |it: Service<'_>| part(part(it.object, "status"), "loadBalancer").clone();
    let (new, before) = (balancer(service), balancer(old));
    let root = Path::new("status");
    let balancer = root.child("loadBalancer");
    let path = balancer.child("ingress");
    let entries = items(&new, "ingress");
    if !entries.is_empty() && !service.is("LoadBalancer") {
        let why = "may only be used when `spec.type` is 'LoadBalancer'";
        errors.push(field::Error::forbidden(&path, why));
        return errors;
    }
    let known: Vec<&str> = items(&before, "ingress").iter().map(|it| text(it, "ip")).collect();
    for (at, entry) in entries.iter().enumerate() {
        ingress(entry, &known, &path.index(at), &mut errors);
    }
    errors
}

fn ingress(entry: &Value, known: &[&str], path: &Path<'_>, errors: &mut field::ErrorList) {
    let ip = text(entry, "ip");
    errors.extend(balancer_host(entry, known, path));
    let at = path.child("ipMode");
    match text_of(entry, "ipMode") {
        None if !ip.is_empty() => {
            errors.push(field::Error::required(&at, "must be specified when `ip` is set"));
        }
        None => {}
        Some(_) if ip.is_empty() => {
            errors.push(field::Error::forbidden(&at, "may not be specified when `ip` is not set"));
        }
        Some(mode) if !IP_MODES.contains(&mode) => {
            errors.push(field::Error::not_supported(&at, mode, &IP_MODES));
        }
        Some(_) => {}
    }
}

/// Address and name of a load balancer, of services and ingresses alike.
pub(crate) fn balancer_host(entry: &Value, known: &[&str], path: &Path<'_>) -> field::ErrorList {
    let mut errors = field::ErrorList::new();
    let (ip, host) = (text(entry, "ip"), text(entry, "hostname"));
    if !ip.is_empty() {
        errors.extend(net::legacy_ip(&path.child("ip"), ip, known));
    }
    if !host.is_empty() {
        let at = path.child("hostname");
        errors.extend(net::subdomain(&at, host));
        if net::parse_ip(host).is_some() {
            errors.push(field::Error::invalid(&at, host, "must be a DNS name, not an IP address"));
        }
    }
    errors
}
