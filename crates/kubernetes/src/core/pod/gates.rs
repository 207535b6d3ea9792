//! Fields of gates that are off in this release: dropped, unless the old object has them.

use ordain_value::Value;

use super::containers;
use crate::shared::access::{items, items_mut, part, some};

/// Drops what no gate lets pass.
pub(super) fn drop_disabled(spec: &mut Value, old: Option<&Value>) {
    let used = |test: fn(&Value) -> bool| old.is_some_and(test);
    if !used(|old| some(old, "schedulingGroup").is_some()) {
        remove(spec, "schedulingGroup");
    }
    if !used(uses_stop_signals) {
        for container in containers::KINDS {
            items_mut(spec, container).for_each(drop_stop_signal);
        }
    }
    let certificates = used(|old| projects(old, "podCertificate"));
    let bundles = used(|old| projects(old, "clusterTrustBundle"));
    for volume in items_mut(spec, "volumes") {
        let Some(projected) = volume.get_mut("projected") else { continue };
        for source in items_mut(projected, "sources") {
            if !certificates {
                remove(source, "podCertificate");
            }
            if !bundles {
                remove(source, "clusterTrustBundle");
            }
        }
    }
}

/// Drops parts of the status that no gate lets pass.
pub(super) fn drop_disabled_status(status: &mut Value, old: &Value) {
    const CLAIMS: &str = "nodeAllocatableResourceClaimStatuses";
    if items(old, CLAIMS).is_empty() {
        remove(status, CLAIMS);
    }
    let lists = ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"];
    let has_image = |status: &Value| {
        items(status, "volumeMounts")
            .iter()
            .any(|it| some(part(it, "volumeStatus"), "image").is_some())
    };
    if lists.iter().any(|list| items(old, list).iter().any(has_image)) {
        return;
    }
    for list in lists {
        for status in items_mut(status, list) {
            for mount in items_mut(status, "volumeMounts") {
                remove(mount, "volumeStatus");
            }
        }
    }
}

fn remove(value: &mut Value, field: &str) {
    if let Some(map) = value.as_map_mut() {
        map.remove(field);
    }
}

fn uses_stop_signals(spec: &Value) -> bool {
    let mut found = false;
    let root = ordain_value::field::Path::root();
    containers::each(spec, &root, &mut |container, _| {
        found |= some(part(container, "lifecycle"), "stopSignal").is_some();
    });
    found
}

fn drop_stop_signal(container: &mut Value) {
    let Some(lifecycle) = container.get_mut("lifecycle") else { return };
    let had = some(lifecycle, "stopSignal").is_some();
    remove(lifecycle, "stopSignal");
    if had && lifecycle.as_map().is_some_and(|it| it.is_empty()) {
        remove(container, "lifecycle");
    }
}

fn projects(spec: &Value, kind: &str) -> bool {
    items(spec, "volumes").iter().any(|volume| {
        items(part(volume, "projected"), "sources").iter().any(|it| some(it, kind).is_some())
    })
}
