//! The rules of a pod's status, which nodes and the scheduler write.

use std::collections::BTreeSet;

use ordain_value::Value;
use ordain_value::field::{Error, ErrorList, Path};

use super::check::between;
use super::restart;
use crate::shared::access::{entries, int, items, part, some, text, text_of};
use crate::shared::net;

const LISTS: [&str; 3] =
    ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"];
const NOT_NEGATIVE: &str = "must be a non-negative integer";

/// The rules of a status.
pub(super) fn check(new: &Value, old: &Value, errors: &mut ErrorList) {
    let path = Path::new("status");
    let (spec, old_spec) = (part(new, "spec"), part(old, "spec"));
    let (status, old_status) = (part(new, "status"), part(old, "status"));
    check_conditions(status, &path.child("conditions"), errors);
    check_nominated_node(status, old_status, old_spec, &path, errors);
    let observed = int(status, "observedGeneration");
    if observed < 0 {
        errors.push(Error::invalid(&path.child("observedGeneration"), observed, NOT_NEGATIVE));
    }
    if text(status, "qosClass") != text(old_status, "qosClass") {
        let class = text(status, "qosClass");
        errors.push(Error::invalid(&path.child("qosClass"), class, "field is immutable"));
    }
    for list in LISTS {
        check_transitions(status, old_status, old_spec, list, &path.child(list), errors);
    }
    check_claims(status, spec, &path.child("resourceClaimStatuses"), errors);
    let extended = path.child("extendedResourceClaimStatus");
    check_extended_claim(status, spec, &extended, errors);
    check_ips(status, old_status, "podIPs", &path.child("podIPs"), errors);
    check_host_ip(status, &path.child("hostIPs"), errors);
    check_ips(status, old_status, "hostIPs", &path.child("hostIPs"), errors);
    for list in LISTS {
        check_users(status, spec, list, &path.child(list), errors);
    }
    for (list, of) in [(LISTS[0], "containers"), (LISTS[1], "initContainers"), (LISTS[2], "")] {
        check_health(status, spec, (list, of), &path.child(list), errors);
    }
}

fn check_conditions(status: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    for (at, condition) in items(status, "conditions").iter().enumerate() {
        let path = path.index(at);
        let observed = int(condition, "observedGeneration");
        if observed < 0 {
            let path = path.child("observedGeneration");
            errors.push(Error::invalid(&path, observed, NOT_NEGATIVE));
        }
        let ty = text(condition, "type");
        if !matches!(ty, "PodScheduled" | "Ready" | "Initialized") {
            errors.extend(net::qualified_name(&path.child("Type"), ty));
        }
    }
}

fn check_nominated_node(
    status: &Value,
    old: &Value,
    old_spec: &Value,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let name = text(status, "nominatedNodeName");
    if name.is_empty() || name == text(old, "nominatedNodeName") {
        return;
    }
    let path = path.child("nominatedNodeName");
    errors.extend(net::subdomain(&path, name));
    if !text(old_spec, "nodeName").is_empty() {
        let problem = "may not be set on pods that are already bound to a node";
        errors.push(Error::forbidden(&path, problem));
    }
}

/// A container that has ended runs again only where it is restarted.
fn check_transitions(
    new: &Value,
    old: &Value,
    spec: &Value,
    list: &str,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let ephemeral = list == LISTS[2];
    if !ephemeral && restart::all_could(spec) {
        return;
    }
    let containers = if list == LISTS[0] { "containers" } else { "initContainers" };
    for (at, before) in items(old, list).iter().enumerate() {
        let Some(ended) = some(part(before, "state"), "terminated") else { continue };
        let name = text(before, "name");
        let same = |it: &&Value| text(it, "name") == name;
        let mut again = items(new, list)
            .iter()
            .filter(same)
            .filter(|it| some(part(it, "state"), "terminated").is_none());
        if again.next().is_none() {
            continue;
        }
        let container = items(spec, containers).iter().find(same);
        let allowed = !ephemeral
            && container.is_some_and(|it| restart::should(it, spec, int(ended, "exitCode")));
        if !allowed {
            let problem = "may not be transitioned to non-terminated state";
            errors.push(Error::forbidden(&path.index(at).child("state"), problem));
        }
    }
}

fn check_claims(status: &Value, spec: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let mut seen = BTreeSet::new();
    for (at, claim) in items(status, "resourceClaimStatuses").iter().enumerate() {
        let path = path.index(at);
        let name = text(claim, "name");
        if !items(spec, "resourceClaims").iter().any(|it| text(it, "name") == name) {
            let problem = "must match the name of an entry in `spec.resourceClaims`";
            errors.push(Error::invalid(&path.child("name"), name, problem));
        }
        if !seen.insert(name) {
            errors.push(Error::duplicate(&path.child("name"), name));
        }
        if let Some(name) = text_of(claim, "resourceClaimName") {
            errors.extend(net::subdomain(&path.child("resourceClaimName"), name));
        }
    }
}

/// Extended resources that a claim of devices stands for.
fn check_extended_claim(status: &Value, spec: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let Some(claim) = some(status, "extendedResourceClaimStatus") else { return };
    let list = path.child("requestMappings");
    let mappings = items(claim, "requestMappings");
    if mappings.is_empty() {
        errors.push(Error::required(&list, "at least one request mapping is required"));
    }
    let mut seen = BTreeSet::new();
    for (at, mapping) in mappings.iter().enumerate() {
        let item = list.index(at);
        let of = |field: &str| text(mapping, field).to_owned();
        let key = (of("containerName"), of("resourceName"), of("requestName"));
        let container = ["containers", "initContainers"]
            .iter()
            .find_map(|kind| items(spec, kind).iter().rfind(|it| text(it, "name") == key.0));
        match container {
            Some(container) => {
                let requests = part(part(container, "resources"), "requests");
                if requests.get(&key.1).is_none() {
                    let problem = "must match the extended resource name of an entry in \
                        spec.initContainers.resources.requests or spec.containers.resources.requests";
                    let path = item.child("resourceName");
                    errors.push(Error::invalid(&path, key.1.as_str(), problem));
                }
            }
            None => {
                let problem = "must match the name of an entry in spec.initContainers.name or \
                               spec.containers.name";
                let path = item.child("containerName");
                errors.push(Error::invalid(&path, key.0.as_str(), problem));
            }
        }
        errors.extend(net::label(&path.child("requestName"), &key.2));
        if seen.contains(&key) {
            for field in ["containerName", "resourceName", "requestName"] {
                errors.push(Error::duplicate(&item.child(field), text(mapping, field)));
            }
        }
        seen.insert(key);
    }
    match text(claim, "resourceClaimName") {
        "" => errors.push(Error::required(&path.child("resourceClaimName"), "")),
        name => errors.extend(net::subdomain(&path.child("resourceClaimName"), name)),
    }
}

fn check_host_ip(status: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    if let Some(first) = items(status, "hostIPs").first()
        && text(first, "ip") != text(status, "hostIP")
    {
        let path = path.index(0);
        let problem = "must be equal to `hostIP`";
        errors.push(Error::invalid(&path.child("ip"), text(first, "ip"), problem));
    }
}

/// At most one address of each family.
fn check_ips(status: &Value, old: &Value, field: &str, path: &Path<'_>, errors: &mut ErrorList) {
    let known: Vec<&str> = items(old, field).iter().map(|it| text(it, "ip")).collect();
    let given: Vec<&str> = items(status, field).iter().map(|it| text(it, "ip")).collect();
    for (at, ip) in given.iter().enumerate() {
        errors.extend(net::legacy_ip(&path.index(at), ip, &known));
    }
    if given.len() < 2 {
        return;
    }
    let mut families = BTreeSet::new();
    for (at, ip) in given.iter().enumerate() {
        match net::parse_ip(ip) {
            Some(ip) => {
                families.insert(ip.is_ipv6());
            }
            None => {
                let problem =
                    format!("failed to check for dual stack with error:invalid IP[{at}]: {ip}");
                errors.push(Error::internal(path, problem));
                families.clear();
                break;
            }
        }
    }
    if families.len() != 2 || given.len() > 2 {
        let problem = "may specify no more than one IP for each IP family";
        errors.push(Error::invalid(path, super::shown::ips(items(status, field)), problem));
    }
}

fn check_users(status: &Value, spec: &Value, list: &str, path: &Path<'_>, errors: &mut ErrorList) {
    let os = some(spec, "os").map_or("linux", |os| text(os, "name"));
    for (at, status) in items(status, list).iter().enumerate() {
        let Some(user) = some(part(status, "user"), "linux") else { continue };
        let path = path.index(at);
        let path = path.child("user.linux");
        if os == "windows" {
            errors.push(Error::forbidden(&path, "cannot be set for a windows pod"));
        } else if os == "linux" {
            let ids = (0, i64::from(i32::MAX));
            between(user, "uid", ids, &path, errors);
            between(user, "gid", ids, &path, errors);
            let groups = path.child("supplementalGroups");
            for (at, group) in items(user, "supplementalGroups").iter().enumerate() {
                let id = group.as_int().unwrap_or(0);
                if !(ids.0..=ids.1).contains(&id) {
                    let problem = "must be between 0 and 2147483647, inclusive";
                    errors.push(Error::invalid(&groups.index(at), id, problem));
                }
            }
        }
    }
}

/// The health of devices that a container was given.
fn check_health(
    status: &Value,
    spec: &Value,
    (list, containers): (&str, &str),
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    for (at, status) in items(status, list).iter().enumerate() {
        let path = path.index(at);
        let path = path.child("allocatedResourcesStatus");
        let resources = items(status, "allocatedResourcesStatus");
        if containers.is_empty() {
            if !resources.is_empty() {
                let problem = "must not be specified in container status";
                errors.push(Error::forbidden(&path, problem));
            }
            continue;
        }
        let name = text(status, "name");
        let container = items(spec, containers).iter().find(|it| text(it, "name") == name);
        for (at, resource) in resources.iter().enumerate() {
            let path = path.index(at);
            if let Some(container) = container
                && let Some(problem) = unknown_resource(container, text(resource, "name"))
            {
                let name = text(resource, "name");
                errors.push(Error::invalid(&path.child("name"), name, problem));
            }
            check_devices(resource, &path.child("resources"), errors);
        }
    }
}

fn unknown_resource(container: &Value, name: &str) -> Option<&'static str> {
    let own = part(container, "resources");
    if let Some(claim) = name.strip_prefix("claim:") {
        let known = items(own, "claims").iter().any(|it| match text(it, "request") {
            "" => text(it, "name") == claim,
            request => format!("{}/{request}", text(it, "name")) == claim,
        });
        return (!known).then_some(
            "must match one of the container's resource claims in a format \
             'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty",
        );
    }
    let known = entries(own, "requests").any(|(it, _)| it == name);
    (!known).then_some("must match one of the container's resource requests")
}

fn check_devices(resource: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    const STATES: [&str; 3] = ["Healthy", "Unhealthy", "Unknown"];
    const MESSAGE_BYTES_MAX: i64 = 1024;
    let mut seen = BTreeSet::new();
    for (at, device) in items(resource, "resources").iter().enumerate() {
        let path = path.index(at);
        let health = text(device, "health");
        if !STATES.contains(&health) {
            errors.push(Error::not_supported(&path.child("health"), health, &STATES));
        }
        if let Some(message) = text_of(device, "message") {
            let path = path.child("message");
            if message.is_empty() {
                errors.push(Error::required(&path, "must be non-empty if specified"));
            } else if i64::try_from(message.len()).is_ok_and(|it| it > MESSAGE_BYTES_MAX) {
                errors.push(Error::too_long(&path, MESSAGE_BYTES_MAX));
            }
        }
        let id = text(device, "resourceID");
        if !seen.insert(id) {
            errors.push(Error::duplicate(&path.child("resourceID"), id));
        }
    }
}

/// Advice on addresses in unusual forms.
pub(super) fn warn(status: &Value, warnings: &mut ordain_strategy::Warnings) {
    let path = Path::new("status");
    for field in ["podIPs", "hostIPs"] {
        let list = path.child(field);
        for (at, ip) in items(status, field).iter().enumerate() {
            let item = list.index(at);
            if let Some(warning) = net::ip_warning(&item.child("ip"), text(ip, "ip")) {
                warnings.add(warning);
            }
        }
    }
}
