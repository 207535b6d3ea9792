//! Event: something that happened, in the core form and in that of `events.k8s.io`.
//!
//! Both forms are one stored object: the core form is stored, the other is a view of it.

use ordain_meta::name;
use ordain_strategy::Change;
use ordain_strategy::object;
use ordain_strategy::strategy::GarbageCollection;
use ordain_strategy::typed::Hooks;
use ordain_strategy::typed::{codec, printer, rules};
use ordain_value::{Text, Value, field};

use crate::native::Native;
use crate::shared::table::Cell::Row;
use crate::shared::table::Described;

const GROUP: &str = "events.k8s.io";

/// What both forms have in common.
fn base(group: &'static str, hooks: Hooks) -> Native {
    let mut native = Native { hooks, columns: COLUMNS, ..Native::new(group, "Event") };
    native.policy.create_on_update = true;
    native.policy.garbage_collection = GarbageCollection::Unsupported;
    native
}

/// The fields that have other names in the two forms: core first.
const RENAMED: [(&str, &str); 7] = [
    ("involvedObject", "regarding"),
    ("message", "note"),
    ("source", "deprecatedSource"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("count", "deprecatedCount"),
    ("reportingComponent", "reportingController"),
];

const SELECTABLE: [&str; 11] = [
    "involvedObject.kind",
    "involvedObject.namespace",
    "involvedObject.name",
    "involvedObject.uid",
    "involvedObject.apiVersion",
    "involvedObject.resourceVersion",
    "involvedObject.fieldPath",
    "reason",
    "reportingComponent",
    "source",
    "type",
];

pub(crate) fn core() -> Native {
    let mut hooks = Hooks::new(validate_core);
    hooks.field = |object, field| SELECTABLE.contains(&field).then(|| selected(object, field));
    hooks.selectable = true;
    Native { row: Some(row), selectable_fields: &SELECTABLE, ..base("", hooks) }
}

pub(crate) fn group() -> Native {
    let mut hooks = Hooks::new(validate_group);
    hooks.field = |object, field| {
        let (first, rest) = field.split_once('.').unwrap_or((field, ""));
        let core = match first {
            "regarding" => format!("involvedObject.{rest}"),
            "reportingController" => "reportingComponent".to_owned(),
            _ => field.to_owned(),
        };
        let known = SELECTABLE.contains(&core.as_str()) && core != "source";
        known.then(|| selected(&to_core(object.clone()), &core))
    };
    hooks.selectable = true;
    hooks.convert = Some(|object, version| match version {
        "v1" => from_core(object.clone()),
        _ => to_core(object.clone()),
    });
    Native {
        row: Some(|object, now| row(&to_core(object.clone()), now)),
        key: "/registry/events",
        // No version of this group is stored: everything is converted to and from the core form.
        storage_version: "core",
        ..base(GROUP, hooks)
    }
}

fn renamed(object: Value, pairs: impl Iterator<Item = (&'static str, &'static str)>) -> Value {
    let Value::Map(mut map) = object else { return object };
    for (from, to) in pairs {
        if let Some(value) = map.remove(from) {
            map.insert(to, value);
        }
    }
    Value::Map(map)
}

fn from_core(object: Value) -> Value {
    let mut object = renamed(object, RENAMED.into_iter());
    if let Value::Map(map) = &mut object {
        map.insert("apiVersion", "events.k8s.io/v1".into());
        for field in ["reportingController", "reportingInstance"] {
            if map.get(field).and_then(Value::as_str) == Some("") {
                map.remove(field);
            }
        }
    }
    object
}

fn to_core(object: Value) -> Value {
    let mut object = renamed(object, RENAMED.into_iter().map(|(core, group)| (group, core)));
    if let Value::Map(map) = &mut object {
        map.insert("apiVersion", "v1".into());
        for field in ["reportingComponent", "reportingInstance"] {
            if !map.contains_key(field) {
                map.insert(field, "".into());
            }
        }
    }
    object
}

fn selected(object: &Value, field: &str) -> Text {
    if field == "source" {
        let component = codec::to_text(object, &["source", "component"]);
        if component.is_empty() {
            return codec::to_text(object, &["reportingComponent"]);
        }
        return component;
    }
    codec::to_text(object, &field.split('.').collect::<Vec<_>>())
}

fn validate_core(_: &Change<'_>) -> field::ErrorList {
    field::ErrorList::new()
}

fn validate_group(change: &Change<'_>) -> field::ErrorList {
    rules::metadata(change, true, name::subdomain_rule)
}

const COLUMNS: &[Described] = &[
    (
        "Last Seen",
        "string",
        0,
        "The time at which the most recent occurrence of this event was recorded.",
        Row,
    ),
    (
        "Type",
        "string",
        0,
        "Type of this event (Normal, Warning), new types could be added in the future",
        Row,
    ),
    (
        "Reason",
        "string",
        0,
        "This should be a short, machine understandable string that gives the reason for the \
             transition into the object's current status.",
        Row,
    ),
    ("Object", "string", 0, "The object that this event is about.", Row),
    (
        "Subobject",
        "string",
        1,
        "If referring to a piece of an object instead of an entire object, this string should \
             contain a valid JSON/Go field access statement, such as \
             desiredState.manifest.containers[2]. For example, if the object reference is to a \
             container within a pod, this would take on a value like: \"spec.containers{name}\" \
             (where \"name\" refers to the name of the container that triggered the event) or if \
             no container name is specified \"spec.containers[2]\" (container with index 2 in \
             this pod). This syntax is chosen only to have some well-defined way of referencing a \
             part of an object.",
        Row,
    ),
    (
        "Source",
        "string",
        1,
        "The component reporting this event. Should be a short machine understandable string.",
        Row,
    ),
    ("Message", "string", 0, "A human-readable description of the status of this operation.", Row),
    (
        "First Seen",
        "string",
        1,
        "The time at which the event was first recorded. (Time of server receipt is in TypeMeta.)",
        Row,
    ),
    ("Count", "string", 1, "The number of times this event has occurred.", Row),
    ("Name", "name", 1, printer::NAME, Row),
];

fn row(event: &Value, now: i64) -> Vec<Value> {
    let text = |path: &[&str]| codec::text_at(event, path);
    let event_time = text(&["eventTime"]);
    let mut first = printer::since(text(&["firstTimestamp"]), now);
    if text(&["firstTimestamp"]).is_empty() {
        first = printer::since(event_time, now);
    }
    let mut last = printer::since(text(&["lastTimestamp"]), now);
    if text(&["lastTimestamp"]).is_empty() {
        last = first.clone();
    }
    let mut count = event.get("count").and_then(Value::as_int).unwrap_or(0);
    if let Some(series) = event.get("series").filter(|series| !series.is_null()) {
        last = printer::since(codec::text_at(series, &["lastObservedTime"]), now);
        count = series.get("count").and_then(Value::as_int).unwrap_or(0);
    } else if count == 0 {
        count = 1;
    }
    let kind = text(&["involvedObject", "kind"]).to_lowercase();
    let name = text(&["involvedObject", "name"]);
    let target = if name.is_empty() { kind } else { format!("{kind}/{name}") };
    let mut component = text(&["source", "component"]).to_owned();
    if component.is_empty() {
        text(&["reportingComponent"]).clone_into(&mut component);
    }
    let host = text(&["source", "host"]);
    let host = if host.is_empty() { text(&["reportingInstance"]) } else { host };
    if !host.is_empty() {
        component = format!("{component}, {host}");
    }
    vec![
        last,
        text(&["type"]).into(),
        text(&["reason"]).into(),
        target.into(),
        text(&["involvedObject", "fieldPath"]).into(),
        component.into(),
        text(&["message"]).trim().into(),
        first,
        Value::Int(count),
        object::name(event).into(),
    ]
}
