//! Containers: those of the pod, those that run before, and those that are added for debugging.

use std::collections::BTreeSet;

use ordain_passes::declared::written::Asked;
use ordain_value::Value;
use ordain_value::field::{Error, ErrorList, Path};

use crate::shared::access::{int, items, text};

/// The lists of containers: first those that run first, last those for debugging.
pub(super) const KINDS: [&str; 3] = ["initContainers", "containers", "ephemeralContainers"];

/// Runs over all containers of a pod: first those that run first, last those for debugging.
pub(super) fn each(spec: &Value, path: &Path<'_>, run: &mut dyn FnMut(&Value, &Path<'_>)) {
    for kind in KINDS {
        let list = path.child(kind);
        for (at, container) in items(spec, kind).iter().enumerate() {
            run(container, &list.index(at));
        }
    }
}

pub(super) fn restarts_always(container: &Value) -> bool {
    text(container, "restartPolicy") == "Always"
}

/// Ports of the host among all containers that the pod is made for.
pub(crate) fn check_host_ports(asked: &Asked<'_, '_>, path: &Path<'_>, errors: &mut ErrorList) {
    let containers = asked.value();
    let containers = containers.as_list().map_or(&[][..], |it| it.as_slice());
    host_ports(containers, path, errors);
}

/// Ports of the host in one container that runs first, reported as if it were the first of all.
pub(crate) fn check_init_host_ports(
    asked: &Asked<'_, '_>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let list = path.parent().unwrap_or(path);
    host_ports(&[asked.value()], list, errors);
}

/// A port of the host is taken once.
fn host_ports(containers: &[Value], path: &Path<'_>, errors: &mut ErrorList) {
    let mut taken = BTreeSet::new();
    for (at, container) in containers.iter().enumerate() {
        let container_path = path.index(at);
        let list = container_path.child("ports");
        for (at, port) in items(container, "ports").iter().enumerate() {
            let number = int(port, "hostPort");
            if number == 0 {
                continue;
            }
            let key = format!("{}/{}/{number}", text(port, "protocol"), text(port, "hostIP"));
            if taken.contains(&key) {
                errors.push(Error::duplicate(&list.index(at).child("hostPort"), key));
            } else {
                taken.insert(key);
            }
        }
    }
}
