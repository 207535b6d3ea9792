//! The rules of changing what a running pod may use.

use ordain_passes::declared::written::Write;
use ordain_value::field::{Error, ErrorList, Path};
use ordain_value::{Map, Value};

use super::{containers, qos};
use crate::shared::access::{entries, items, keep, part, some, text};
use crate::shared::written;

const ONLY: &str = "only cpu and memory resources are mutable";

/// The rules of a resize, with what was found against the pod before.
pub(super) fn check(new: &Value, old: &Value, errors: &mut ErrorList) {
    let path = Path::new("spec");
    let (new_spec, old_spec) = (part(new, "spec"), part(old, "spec"));
    let class = match text(part(old, "status"), "qosClass") {
        "" => qos::class(old_spec),
        class => class,
    };
    if class != qos::class(new_spec) {
        let problem = "Pod QOS Class may not change as a result of resizing";
        let shown = text(part(new, "status"), "qosClass");
        errors.push(Error::invalid(&path, shown, problem));
    }
    let statuses = items(part(old, "status"), "containerStatuses");
    let running = statuses.iter().find(|it| some(part(it, "state"), "running").is_some());
    if running.is_some_and(|it| some(it, "resources").is_none()) {
        errors.push(Error::forbidden(&path, "Pod running on node without support for resize"));
    }
    let mut rest = new_spec.clone();
    check_pod_level(new_spec, old_spec, &mut rest, &path, errors);
    let claims = "nodeAllocatableResourceClaimStatuses";
    if !items(part(old, "status"), claims).is_empty() {
        let problem = "pods with node allocatable resource claims cannot be resized";
        errors.push(Error::forbidden(&path, problem));
    }
    if !check_order(new_spec, old_spec, &path, errors) {
        return;
    }
    for list in ["initContainers", "containers"] {
        check_containers(new_spec, old_spec, list, &path, errors);
    }
    check_rest(new_spec, old_spec, rest, &path, errors);
}

/// A whole pod keeps what it asked for, with other amounts.
fn check_pod_level(
    new: &Value,
    old: &Value,
    rest: &mut Value,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let is_set = |spec: &Value| {
        let own = part(spec, "resources");
        entries(own, "requests").next().is_some() || entries(own, "limits").next().is_some()
    };
    if !is_set(new) && !is_set(old) {
        return;
    }
    let resources = path.child("resources");
    let (new_own, old_own) = (some(new, "resources"), some(old, "resources"));
    if old_own.is_some() && new_own.is_none() {
        errors.push(Error::forbidden(&resources, "pod-level resources cannot be removed"));
        return;
    }
    if let (Some(new), Some(old)) = (new_own, old_own) {
        for kind in ["requests", "limits"] {
            if is_removed(new, old, kind) {
                let problem = format!("pod-level resource {kind} cannot be removed");
                errors.push(Error::forbidden(&resources.child(kind), problem));
            }
        }
    }
    if let Some(own) = rest.get_mut("resources") {
        take_back_amounts(own, old_own.unwrap_or(&Value::Null));
        let empty = own.as_map().is_some_and(Map::is_empty);
        if old_own.is_none() && empty {
            rest.remove_path(&["resources"]);
        }
    }
    if part(rest, "resources") != part(old, "resources") {
        let problem = "only cpu and memory resources are mutable at pod-level";
        errors.push(Error::forbidden(path, problem));
    }
}

/// The containers are the same ones in the same order.
fn check_order(new: &Value, old: &Value, path: &Path<'_>, errors: &mut ErrorList) -> bool {
    let before = errors.len();
    for list in ["containers", "initContainers"] {
        let path = path.child(list);
        let (new, old) = (items(new, list), items(old, list));
        if new.len() != old.len() {
            let problem = format!("{list} may not be added or removed on resize");
            errors.push(Error::forbidden(&path, problem));
            continue;
        }
        for (at, (new, old)) in new.iter().zip(old).enumerate() {
            if text(new, "name") != text(old, "name") {
                let problem = format!("{list} may not be renamed or reordered on resize");
                errors.push(Error::forbidden(&path.index(at).child("name"), problem));
            }
        }
    }
    errors.len() == before
}

fn check_containers(new: &Value, old: &Value, list: &str, path: &Path<'_>, errors: &mut ErrorList) {
    let path = path.child(list);
    for (at, (new, old)) in items(new, list).iter().zip(items(old, list)).enumerate() {
        let path = path.index(at);
        let path = path.child("resources");
        for kind in ["requests", "limits"] {
            if is_removed(part(new, "resources"), part(old, "resources"), kind) {
                let problem = format!("resource {kind} cannot be removed");
                errors.push(Error::forbidden(&path.child(kind), problem));
            }
        }
    }
}

/// Nothing but amounts of CPU and memory has changed.
fn check_rest(new: &Value, old: &Value, mut rest: Value, path: &Path<'_>, errors: &mut ErrorList) {
    for list in ["containers", "initContainers"] {
        let olds = items(old, list);
        for container in crate::shared::access::items_mut(&mut rest, list).zip(olds) {
            let (container, old) = container;
            let mut own = part(container, "resources").clone();
            own.remove_path(&["claims"]);
            take_back_amounts(&mut own, part(old, "resources"));
            container.set_path(&["resources"], own);
        }
    }
    for (container, old) in items(&rest, "containers").iter().zip(items(old, "containers")) {
        if container != old {
            errors.push(Error::forbidden(path, ONLY));
        }
    }
    let list = path.child("initContainers");
    let olds = items(old, "initContainers");
    for (at, (container, old)) in items(&rest, "initContainers").iter().zip(olds).enumerate() {
        let path = list.index(at);
        if container != old {
            let problem =
                "only cpu and memory resources for init or sidecar containers are mutable";
            errors.push(Error::forbidden(&path, problem));
        }
        let modified = items(new, "initContainers").get(at) != Some(old);
        if modified && !containers::restarts_always(container) {
            let policies = items(container, "resizePolicy").iter();
            for _ in policies.filter(|it| text(it, "restartPolicy") == "RestartContainer") {
                let problem = "non-sidecar init containers with a resize policy of \
                               RestartContainer cannot be resized";
                errors.push(Error::forbidden(&path, problem));
            }
        }
    }
    // What else has changed is only reported of a pod that is valid otherwise.
    let write = Write { kind: "Pod", old: Some(old), part: "resize" };
    let is_sound = || written::structure("v1.PodSpec", new, write, path).is_empty();
    if errors.is_empty() && rest != *old && is_sound() {
        errors.push(Error::forbidden(path, ONLY));
    }
}

/// Whether a resource that was asked for no longer is.
fn is_removed(new: &Value, old: &Value, kind: &str) -> bool {
    entries(old, kind).any(|(name, _)| part(new, kind).get(name).is_none())
}

/// Takes back the amounts of CPU and memory.
fn take_back_amounts(new: &mut Value, old: &Value) {
    for kind in ["limits", "requests"] {
        let mut list = part(new, kind).clone();
        if !matches!(list, Value::Map(_)) {
            list = Value::Map(Map::new());
        }
        for name in ["cpu", "memory"] {
            keep(&mut list, part(old, kind), name);
        }
        let Some(map) = new.as_map_mut() else { continue };
        match list.as_map().is_some_and(Map::is_empty) {
            true => map.remove(kind),
            false => map.insert(kind, list),
        };
    }
}
