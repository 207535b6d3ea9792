//! ResourceSlice: devices of a pool that a driver offers.

use ordain_meta::name as names;
use ordain_strategy::typed::{Hooks, printer, rules};
use ordain_strategy::{Change, Part, Warnings, object};
use ordain_value::field::{self, Path};
use ordain_value::{Value, go_quote};

use super::{device, name, request};
use crate::native::Native;
use crate::shared::access::{entries, flag_of, int, items, items_mut, part, some, text, text_of};
use crate::shared::fields::IMMUTABLE;
use crate::shared::internal;
use crate::shared::net;
use crate::shared::node_selector;
use crate::shared::selector::Values;

const DEVICES_MAX: usize = 128;
/// Devices of slices in which a device takes more room.
const ADVANCED_DEVICES_MAX: usize = 64;
const COUNTER_SETS_MAX: usize = 8;

pub(crate) fn native() -> Native {
    let mut native = Native::new("resource.k8s.io", "ResourceSlice");
    native.policy.returns_deleted = true;
    native.reset = &[];
    native.selectable_fields = &["spec.nodeName", "spec.driver"];
    native.columns = printer::columns(&[
        ("Node", "The node that has the devices."),
        ("Driver", "The driver that offers the devices."),
        ("Pool", "The pool that the devices belong to."),
    ]);
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
            "spec.nodeName" | "spec.driver" => {
                let value = object.get_path(&field.split('.').collect::<Vec<_>>());
                Some(value.and_then(Value::as_text).cloned().unwrap_or_default())
            }
            _ => None,
        },
        cells,
        ..Hooks::new(validate)
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

fn cells(object: &Value, now: i64) -> Vec<Value> {
    let spec = part(object, "spec");
    vec![
        object::name(object).into(),
        text(spec, "nodeName").into(),
        text(spec, "driver").into(),
        text(part(spec, "pool"), "name").into(),
        printer::age(object, now),
    ]
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

fn validate(change: &Change<'_>) -> field::ErrorList {
    let mut errors = rules::metadata(change, false, names::subdomain_rule);
    let (spec, path) = (part(change.object, "spec"), Path::new("spec"));
    let old = change.old.map(|it| part(it, "spec"));
    let pool = part(spec, "pool");
    name::driver(text(spec, "driver"), &path.child("driver"), &mut errors);
    validate_pool(pool, &path.child("pool"), &mut errors);
    if let Some(old) = old {
        unchanged(spec, old, &path, &mut errors);
    }
    nodes(spec, &path, &mut errors);
    if some(spec, "sharedCounters").is_some() && some(spec, "devices").is_some() {
        let why = "only one of `sharedCounters` or `devices` is allowed";
        errors.push(field::Error::invalid(&path, "", why));
    }
    devices(spec, old, &path.child("devices"), &mut errors);
    counters(spec, &path.child("sharedCounters"), &mut errors);
    errors
}

fn validate_pool(pool: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    name::pool(text(pool, "name"), &path.child("name"), errors);
    let (slices, generation) = (int(pool, "resourceSliceCount"), int(pool, "generation"));
    if slices <= 0 {
        let path = path.child("resourceSliceCount");
        errors.push(field::Error::invalid(&path, slices, "must be greater than zero"));
    }
    if generation < 0 {
        let path = path.child("generation");
        let why = "must be greater than or equal to zero";
        errors.push(field::Error::invalid(&path, generation, why));
    }
}

fn unchanged(spec: &Value, old: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    let pool = |it| text(part(it, "pool"), "name");
    if pool(spec) != pool(old) {
        let at = path.child("pool");
        errors.push(field::Error::invalid(&at.child("name"), pool(spec), IMMUTABLE));
    }
    if text(spec, "driver") != text(old, "driver") {
        let at = path.child("driver");
        errors.push(field::Error::invalid(&at, text(spec, "driver"), IMMUTABLE));
    }
    if some(spec, "nodeName") != some(old, "nodeName") {
        let shown = internal::given(spec, "nodeName");
        errors.push(field::Error::invalid(&path.child("nodeName"), shown, IMMUTABLE));
    }
}

/// Which nodes can use the devices: exactly one way to say it.
fn nodes(spec: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    const ONE_OF: &str = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, \
                          `perDeviceNodeSelection` is required";
    const SET_OR_TRUE: &str = "must be either unset or set to true";
    let mut set = Vec::new();
    match text_of(spec, "nodeName") {
        Some("") => {
            let why = "must be either unset or set to a non-empty string";
            errors.push(field::Error::invalid(&path.child("nodeName"), "", why));
        }
        Some(node) => {
            set.push("`nodeName`");
            errors.extend(net::subdomain(&path.child("nodeName"), node));
        }
        None => {}
    }
    if let Some(selector) = some(spec, "nodeSelector") {
        set.push("`nodeSelector`");
        let path = path.child("nodeSelector");
        node_selector::validate(selector, Values::Checked, &path, errors);
        if items(selector, "nodeSelectorTerms").len() != 1 {
            let shown = device::shown_terms(selector);
            let path = path.child("nodeSelectorTerms");
            let why = "must have exactly one node selector term";
            errors.push(field::Error::invalid(&path, shown, why));
        }
    }
    for (field, quoted) in
        [("allNodes", "`allNodes`"), ("perDeviceNodeSelection", "`perDeviceNodeSelection`")]
    {
        match flag_of(spec, field) {
            Some(true) => set.push(quoted),
            Some(false) => {
                errors.push(field::Error::invalid(&path.child(field), false, SET_OR_TRUE));
            }
            None => {}
        }
    }
    match set.len() {
        0 => errors.push(field::Error::required(path, ONE_OF)),
        1 => {}
        _ => {
            let why = format!("{ONE_OF}, but multiple fields are set");
            let shown = format!("{{{}}}", set.join(", "));
            errors.push(field::Error::invalid(path, shown, why));
        }
    }
}

fn devices(spec: &Value, old: Option<&Value>, path: &Path<'_>, errors: &mut field::ErrorList) {
    let given = items(spec, "devices");
    let advanced = |it: &Value| {
        !items(it, "taints").is_empty()
            || !items(it, "consumesCounters").is_empty()
            || device::has_lists(it)
    };
    let max = if given.iter().any(advanced) { ADVANCED_DEVICES_MAX } else { DEVICES_MAX };
    if !name::fits(given.len(), max, path, errors) {
        return;
    }
    let per_device = flag_of(spec, "perDeviceNodeSelection").unwrap_or(false);
    for (at, one) in given.iter().enumerate() {
        let named = |it: &&Value| text(it, "name") == text(one, "name");
        let before = old.and_then(|it| items(it, "devices").iter().find(named));
        device::validate(one, before, per_device, &path.index(at), errors);
    }
    request::once(given.iter().map(|it| text(it, "name")), path, errors);
}

fn counters(spec: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    let sets = items(spec, "sharedCounters");
    if !name::fits(sets.len(), COUNTER_SETS_MAX, path, errors) {
        return;
    }
    for (at, set) in sets.iter().enumerate() {
        device::counters(set, "name", &path.index(at), errors);
    }
    request::once(sets.iter().map(|it| text(it, "name")), path, errors);
}

/// How many entries a map of the object has.
pub(super) fn count(value: &Value, field: &str) -> usize {
    entries(value, field).count()
}
