//! CSIDriver: what a driver of volumes can do and asks for.

use ordain_meta::name;
use ordain_strategy::typed::Hooks;
use ordain_strategy::{Change, Part, Policy, Warnings, object};
use ordain_value::Value;

use crate::native::Native;
use crate::shared::access::{differs, drop_field, items, part, some, text, texts};
use crate::shared::table::Cell::{Flag, Of};
use crate::shared::table::{self, AGE, Described, NAME};
use crate::shared::{fields, metadata};

const COLUMNS: &[Described] = &[
    NAME,
    ("AttachRequired", "boolean", 0, ATTACH, Flag("spec.attachRequired")),
    ("PodInfoOnMount", "boolean", 0, POD, Flag("spec.podInfoOnMount")),
    ("StorageCapacity", "boolean", 0, CAPACITY, Flag("spec.storageCapacity")),
    ("TokenRequests", "string", 0, TOKENS, Of(audiences)),
    ("RequiresRepublish", "boolean", 0, REPUBLISH, Flag("spec.requiresRepublish")),
    ("Modes", "string", 0, "Which volumes the driver serves.", Of(modes)),
    AGE,
];
const ATTACH: &str = "Whether volumes are attached to nodes.";
const POD: &str = "Whether the driver wants to know the pod.";
const CAPACITY: &str = "Whether the scheduler asks for capacity.";
const TOKENS: &str = "Audiences of the tokens that the driver gets.";
const REPUBLISH: &str = "Whether volumes are published repeatedly.";

pub(crate) fn native() -> Native {
    let mut hooks = Hooks::new(|change| metadata::either(change, false, name::subdomain_rule));
    hooks.prepare_for_create = |driver| drop_disabled(driver, None);
    hooks.prepare_for_update = prepare_for_update;
    hooks.warn = warn;
    Native {
        policy: Policy { returns_deleted: true, ..Policy::default() },
        hooks,
        columns: COLUMNS,
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

fn modes(driver: &Value) -> Value {
    table::text_or(&texts(part(driver, "spec"), "volumeLifecycleModes").join(","), "<none>")
}

fn audiences(driver: &Value) -> Value {
    let spec = part(driver, "spec");
    if some(spec, "tokenRequests").is_none() {
        return "<unset>".into();
    }
    let requests = items(spec, "tokenRequests").iter();
    requests.map(|it| text(it, "audience")).collect::<Vec<_>>().join(",").into()
}
