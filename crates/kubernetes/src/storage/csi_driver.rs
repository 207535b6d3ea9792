//! CSIDriver: what a driver of volumes can do and asks for.

use ordain_meta::name;
use ordain_strategy::typed::{Hooks, printer};
use ordain_strategy::{Change, Part, Policy, Warnings, object};
use ordain_value::Value;
use ordain_value::field;

use crate::native::Native;
use crate::shared::access::{differs, drop_field, flag, items, part, some, text, texts};
use crate::shared::{fields, metadata, table};

pub(crate) fn native() -> Native {
    let mut hooks = Hooks::new(validate);
    hooks.prepare_for_create = |driver| drop_disabled(driver, None);
    hooks.prepare_for_update = prepare_for_update;
    hooks.warn = warn;
    hooks.cells = cells;
    Native {
        policy: Policy { returns_deleted: true, ..Policy::default() },
        hooks,
        columns: table::columns(
            &[
                ("AttachRequired", "boolean", "Whether volumes are attached to nodes."),
                ("PodInfoOnMount", "boolean", "Whether the driver wants to know the pod."),
                ("StorageCapacity", "boolean", "Whether the scheduler asks for capacity."),
                ("TokenRequests", "string", "Audiences of the tokens that the driver gets."),
                ("RequiresRepublish", "boolean", "Whether volumes are published repeatedly."),
                ("Modes", "string", "Which volumes the driver serves."),
            ],
            &[],
        ),
        ..Native::new("storage.k8s.io", "CSIDriver")
    }
}

/// Fields of gates that are off stay only where the old object has them.
fn drop_disabled(driver: &mut Value, old: Option<&Value>) {
    let path = ["spec", "preventPodSchedulingIfMissing"];
    if old.is_none_or(|old| fields::at(old, &path).is_none()) {
        drop_field(driver, &path);
    }
}

fn prepare_for_update(_part: Part, driver: &mut Value, old: &Value) {
    drop_disabled(driver, Some(old));
    if differs(driver, old, &["spec"]) {
        object::set_generation(driver, object::generation(old).saturating_add(1));
    }
}

fn validate(change: &Change<'_>) -> field::ErrorList {
    metadata::either(change, false, name::subdomain_rule)
}

fn warn(change: &Change<'_>, warnings: &mut Warnings) {
    let spec = part(change.object, "spec");
    let old = change.old.map(|old| items(part(old, "spec"), "tokenRequests"));
    let requests = items(spec, "tokenRequests");
    if !requests.is_empty()
        && old != Some(requests)
        && some(spec, "serviceAccountTokenInSecrets").is_none()
    {
        warnings.add(
            "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to \
             true to prevent possible logging of tokens in volume attributes",
        );
    }
}

fn cells(driver: &Value, now: i64) -> Vec<Value> {
    let spec = part(driver, "spec");
    let modes = texts(spec, "volumeLifecycleModes").join(",");
    let audiences = match some(spec, "tokenRequests") {
        None => "<unset>".to_owned(),
        Some(_) => {
            let requests = items(spec, "tokenRequests").iter();
            requests.map(|it| text(it, "audience")).collect::<Vec<_>>().join(",")
        }
    };
    vec![
        object::name(driver).into(),
        flag(spec, "attachRequired").into(),
        flag(spec, "podInfoOnMount").into(),
        flag(spec, "storageCapacity").into(),
        audiences.into(),
        flag(spec, "requiresRepublish").into(),
        if modes.is_empty() { "<none>".into() } else { modes.into() },
        printer::age(driver, now),
    ]
}
