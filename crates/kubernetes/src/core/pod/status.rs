//! Rules of a pod's status that compare states and addresses; the others are declared.

use std::collections::BTreeSet;

use ordain_value::Value;
use ordain_value::field::{Error, ErrorList, Path};

use super::restart;
use crate::shared::access::{int, items, part, some, text};
use crate::shared::net;

const LISTS: [&str; 3] =
    ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"];

/// The rules of a status.
pub(super) fn check(new: &Value, old: &Value, errors: &mut ErrorList) {
    let path = Path::new("status");
    let (status, old_status) = (part(new, "status"), part(old, "status"));
    for list in LISTS {
        let path = path.child(list);
        check_transitions(status, old_status, part(old, "spec"), list, &path, errors);
    }
    check_ips(status, old_status, "podIPs", &path.child("podIPs"), errors);
    check_ips(status, old_status, "hostIPs", &path.child("hostIPs"), errors);
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
