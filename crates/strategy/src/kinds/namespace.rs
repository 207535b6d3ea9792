//! Namespace: its declaration and its life.

use ordain_meta::name;
use ordain_value::{Text, Value, field, value};

use super::Kind;
use super::declare::Builder;
use crate::object;
use crate::rest_config::RestConfig;
use crate::strategy::{Change, Part, Policy};
use crate::typed::Hooks;
use crate::typed::{codec, printer, rules};

const NAME_LABEL: &str = "kubernetes.io/metadata.name";

pub fn config() -> RestConfig {
    let mut b = Builder::default();
    let (text, time) = (b.string(), b.time());
    let (finalizer, phase) = (b.named("v1.FinalizerName"), b.named("v1.NamespacePhase"));
    let (condition_type, condition_status) =
        (b.named("v1.NamespaceConditionType"), b.named("v1.ConditionStatus"));
    let finalizers = b.list(finalizer);
    let spec = b.structure(
        "v1.NamespaceSpec",
        "io.k8s.api.core.v1.NamespaceSpec",
        vec![
            b.field("finalizers", 1, finalizers)
                .omit()
                .atomic()
                .about("What has to be done before the namespace is removed."),
        ],
    );
    b.describe(spec, "Attributes of a namespace.");
    let condition = b.structure(
        "v1.NamespaceCondition",
        "io.k8s.api.core.v1.NamespaceCondition",
        vec![
            b.field("type", 1, condition_type).required().about("What the condition is about."),
            b.field("status", 2, condition_status).required().about("True, False or Unknown."),
            b.field("lastTransitionTime", 4, time).omit().about("When the status last changed."),
            b.field("reason", 5, text).omit().about("Short reason, for machines."),
            b.field("message", 6, text).omit().about("Details, for people."),
        ],
    );
    b.describe(condition, "How far the namespace is.");
    let conditions = b.list(condition);
    let status = b.structure(
        "v1.NamespaceStatus",
        "io.k8s.api.core.v1.NamespaceStatus",
        vec![
            b.field("phase", 1, phase).omit().about("Active or Terminating."),
            b.field("conditions", 2, conditions)
                .omit()
                .merge("type")
                .keyed(&["type"])
                .about("How far the namespace is."),
        ],
    );
    b.describe(status, "How the namespace is.");
    let fields = vec![
        b.field("spec", 2, spec).omit().about("Attributes of the namespace."),
        b.field("status", 3, status).omit().about("How the namespace is."),
    ];
    let about = "A scope for names.";
    let schema = b.kind("Namespace", "io.k8s.api.core.v1.Namespace", about, fields);
    let mut hooks = Hooks::new(validate);
    hooks.default = default;
    hooks.prepare_for_create = prepare_for_create;
    hooks.prepare_for_update = prepare_for_update;
    hooks.field = |object, field| match field {
        "name" => Some(object::name(object).into()),
        "status.phase" => Some(codec::to_text(object, &["status", "phase"])),
        _ => None,
    };
    hooks.selectable = true;
    hooks.cells = |object, now| {
        vec![
            object::name(object).into(),
            codec::text_at(object, &["status", "phase"]).into(),
            printer::age(object, now),
        ]
    };
    hooks.mark_deleted = mark_deleted;
    Kind {
        kind: "Namespace",
        plural: "namespaces",
        short_names: &["ns"],
        namespaced: false,
        policy: Policy {
            unconditional_update: true,
            returns_deleted: true,
            delete_marks: true,
            ..Policy::default()
        },
        columns: printer::columns(&[("Status", "The status of the namespace")]),
        selectable_fields: &["status.phase"],
        status: true,
        reset: &[&["status"]],
        status_reset: &[&["spec"]],
        subresources: &[("finalize", &[&["status"]])],
        ..Kind::core(schema, hooks)
    }
    .config()
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

fn validate(change: &Change<'_>) -> field::ErrorList {
    let mut errors = rules::metadata(change, false, name::label_rule);
    if matches!(change.part, Part::Other(_)) || change.old.is_none() {
        let list = change.object.get_path(&["spec", "finalizers"]).and_then(Value::as_list);
        let path = field::Path::new("spec");
        let path = path.child("finalizers");
        for finalizer in list.into_iter().flat_map(|list| list.iter()) {
            let text = finalizer.as_str().unwrap_or("");
            for problem in name::qualified_name(text) {
                errors.push(field::Error::invalid(&path, text, problem));
            }
            if !rules::is_standard_finalizer(text) {
                errors.push(field::Error::invalid(&path, text, rules::NOT_QUALIFIED));
            }
        }
    }
    if change.part == Part::Status {
        let phase = codec::text_at(change.object, &["status", "phase"]);
        let (expected, when) = if object::is_deleting(change.object) {
            ("Terminating", "not empty")
        } else {
            ("Active", "empty")
        };
        if phase != expected {
            let why = format!("may only be '{expected}' if `deletionTimestamp` is {when}");
            errors.push(field::Error::invalid(&field::Path::new("status.Phase"), phase, why));
        }
    }
    errors
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
