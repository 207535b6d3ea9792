//! ResourceSlice: devices of a pool that a driver offers.

use ordain_meta::name as names;
use ordain_strategy::typed::Hooks;
use ordain_strategy::{Change, Part, Warnings, object};
use ordain_value::{Value, go_quote};

use super::device;
use crate::native::Native;
use crate::shared::access::{items, items_mut, part, text};
use crate::shared::fields;
use crate::shared::metadata;
use crate::shared::table::Cell::Text;
use crate::shared::table::{AGE, NAME};

pub(crate) fn native() -> Native {
    let mut native = Native::new("resource.k8s.io", "ResourceSlice");
    native.policy.returns_deleted = true;
    native.reset = &[];
    native.selectable_fields = &["spec.nodeName", "spec.driver"];
    native.columns = &[
        NAME,
        ("Node", "string", 0, "The node that has the devices.", Text("spec.nodeName")),
        ("Driver", "string", 0, "The driver that offers the devices.", Text("spec.driver")),
        ("Pool", "string", 0, "The pool that the devices belong to.", Text("spec.pool.name")),
        AGE,
    ];
    native.hooks = Hooks {
        prepare_for_create: |object| {
            object::set_generation(object, 1);
            let now = object::text(object, "creationTimestamp").to_owned();
            date_taints(object, &now);
            drop_gated(object, None);
        },
        prepare_for_update: |_: Part, object, old| {
            let now = last_write(object);
            date_taints(object, &now);
            // What is dropped below counts as a change, too.
            if part(object, "spec") != part(old, "spec") {
                object::set_generation(object, object::generation(old).saturating_add(1));
            }
            drop_gated(object, Some(old));
        },
        warn,
        selectable: true,
        field: |object, field| match field {
            "spec.nodeName" | "spec.driver" => fields::selected(object, field),
            _ => None,
        },
        ..Hooks::new(|change| metadata::either(change, false, names::subdomain_rule))
    };
    native
}

/// When the write happens, as its entry among the managed fields says.
fn last_write(object: &Value) -> String {
    let entries = object.get_path(&["metadata", "managedFields"]).and_then(Value::as_list);
    let times = entries.into_iter().flat_map(|it| it.iter()).map(|it| text(it, "time"));
    times.max().unwrap_or("").to_owned()
}

/// Taints get the time at which they came.
fn date_taints(object: &mut Value, now: &str) {
    let Some(spec) = object.get_mut("spec") else { return };
    let undated = items_mut(spec, "devices").flat_map(|it| items_mut(it, "taints"));
    for taint in undated.filter(|it| text(it, "timeAdded").is_empty() && !now.is_empty()) {
        taint.set_path(&["timeAdded"], now.into());
    }
}

/// Fields of gates that are off are dropped, unless the old object has some.
fn drop_gated(object: &mut Value, old: Option<&Value>) {
    let Some(spec) = object.get_mut("spec") else { return };
    let old = old.map(|it| part(it, "spec"));
    let uses =
        |used: fn(&Value) -> bool| old.is_some_and(|it| items(it, "devices").iter().any(used));
    let (lists, mappings) = (uses(device::has_lists), uses(device::has_mappings));
    for device in items_mut(spec, "devices") {
        if !lists {
            device::drop_lists(device);
        }
        if !mappings {
            device.remove_path(&["nodeAllocatableResourceMappings"]);
        }
    }
}

fn warn(change: &Change<'_>, warnings: &mut Warnings) {
    let driver = text(part(change.object, "spec"), "driver");
    if driver != driver.to_lowercase() {
        warnings.add(format!(
            "spec.driver: driver names should be lowercase; {} contains uppercase characters",
            go_quote(driver)
        ));
    }
}
