//! Namespace: its declaration and its life.

use ordain_meta::name;
use ordain_strategy::Part;
use ordain_strategy::object;
use ordain_strategy::typed::Hooks;
use ordain_strategy::typed::codec;
use ordain_value::{Text, Value, value};

use crate::native::Native;
use crate::shared::metadata;
use crate::shared::table::{AGE, Cell, NAME};

const NAME_LABEL: &str = "kubernetes.io/metadata.name";

pub(crate) fn native() -> Native {
    let mut hooks = Hooks::new(|change| metadata::either(change, false, name::label_rule));
    hooks.default = default;
    hooks.prepare_for_create = prepare_for_create;
    hooks.prepare_for_update = prepare_for_update;
    hooks.field = |object, field| match field {
        "name" => Some(object::name(object).into()),
        "status.phase" => Some(codec::to_text(object, &["status", "phase"])),
        _ => None,
    };
    hooks.selectable = true;
    hooks.mark_deleted = mark_deleted;
    let mut native = Native {
        hooks,
        columns: &[
            NAME,
            ("Status", "string", 0, "The status of the namespace", Cell::Text("status.phase")),
            AGE,
        ],
        selectable_fields: &["status.phase"],
        subresources: &[("finalize", &[&["status"]])],
        ..Native::new("", "Namespace")
    };
    native.policy.returns_deleted = true;
    native.policy.delete_marks = true;
    native
}

/// Every namespace carries its name as a label and is in some phase.
fn default(object: &mut Value) {
    let name = Text::from(object::name(object));
    if !name.is_empty() {
        object.set_path(&["metadata", "labels", NAME_LABEL], Value::Str(name));
    }
    if codec::text_at(object, &["status", "phase"]).is_empty() {
        object.set_path(&["status", "phase"], "Active".into());
    }
}

fn prepare_for_create(object: &mut Value) {
    object.set_path(&["status"], value!({"phase": "Active"}));
    let finalizers = object.get_path(&["spec", "finalizers"]).and_then(Value::as_list);
    let mut finalizers = finalizers.cloned().unwrap_or_default();
    if !finalizers.iter().any(|name| name.as_str() == Some("kubernetes")) {
        finalizers.push("kubernetes".into());
    }
    object.set_path(&["spec", "finalizers"], Value::List(finalizers));
    default(object);
}

fn prepare_for_update(part: Part, object: &mut Value, old: &Value) {
    let keep = |object: &mut Value, path: &[&str]| {
        match old.get_path(path) {
            Some(value) => object.set_path(path, value.clone()),
            None => {
                object.remove_path(path);
            }
        };
    };
    match part {
        Part::Status => keep(object, &["spec"]),
        Part::Other(_) => keep(object, &["status"]),
        Part::Main | Part::Scale => {
            keep(object, &["spec", "finalizers"]);
            keep(object, &["status"]);
        }
    }
}

fn mark_deleted(object: &Value, now: &str) -> Option<Value> {
    let held = object.get_path(&["spec", "finalizers"]).and_then(Value::as_list);
    let is_free = held.is_none_or(|list| list.is_empty()) && object::finalizers(object).is_empty();
    if object::is_deleting(object) && is_free {
        return None;
    }
    let mut object = object.clone();
    if !object::is_deleting(&object) {
        object::set(&mut object, "deletionTimestamp", now.into());
    }
    object.set_path(&["status", "phase"], "Terminating".into());
    Some(object)
}
