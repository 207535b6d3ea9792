//! Namespaces: their declaration, their life, and the rule that objects live in existing ones.

use ordain_merge::FieldManager;
use ordain_meta::status::{Cause, Status};
use ordain_meta::{GroupResource, object_meta};
use ordain_value::field::Path;
use ordain_value::{Map, Text, Value, field, value};

use crate::admission::{Attributes, Operation, Plugin, Verdict};
use crate::decode::{DecodeError, Decoded};
use crate::object;
use crate::request::{FieldValidation, Warnings};
use crate::rest_config::{Family, RestConfig, Verbs, VersionConfig};
use crate::strategy::{Change, GarbageCollection, Part, Policy, Strategy};

/// Namespaces that exist from the start and cannot be deleted, or may be.
const INITIAL: [&str; 4] = ["default", "kube-node-lease", "kube-public", "kube-system"];
const IMMORTAL: [&str; 3] = ["default", "kube-system", "kube-public"];
const NAME_LABEL: &str = "kubernetes.io/metadata.name";

/// The declaration of namespaces.
pub fn config() -> RestConfig {
    RestConfig {
        group: Text::default(),
        plural: "namespaces".into(),
        singular: "namespace".into(),
        kind: "Namespace".into(),
        list_kind: "NamespaceList".into(),
        short_names: vec!["ns".into()],
        categories: Vec::new(),
        namespaced: false,
        family: Family::BuiltIn,
        verbs: Verbs::ALL,
        versions: vec![VersionConfig {
            name: "v1".into(),
            served: true,
            deprecation_warning: None,
            status: true,
            scale: None,
            columns: Vec::new(),
            selectable_fields: vec!["status.phase".into()],
        }],
        storage_version: "v1".into(),
        key_prefix: "/registry/namespaces".to_owned(),
        subresources: vec!["finalize".into()],
        terminating: false,
        generation: 0,
        strategy: std::sync::Arc::new(NamespaceStrategy),
    }
}

/// The namespaces that a new store begins with.
pub(crate) fn initial() -> impl Iterator<Item = Value> {
    INITIAL
        .into_iter()
        .map(|name| value!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}))
}

#[derive(Debug)]
struct NamespaceStrategy;

impl Strategy for NamespaceStrategy {
    fn policy(&self) -> Policy {
        Policy {
            unconditional_update: true,
            returns_deleted: true,
            delete_marks: true,
            garbage_collection: GarbageCollection::DeleteDependents,
            ..Policy::default()
        }
    }

    fn decode(
        &self,
        _version: &str,
        mut body: Value,
        _validation: FieldValidation,
    ) -> Result<Decoded, DecodeError> {
        let metadata = body.get("metadata").cloned().unwrap_or(Value::Map(Map::new()));
        let coerced = object_meta::coerce(&metadata).map_err(DecodeError)?;
        let mut unknown: Vec<String> = coerced
            .unknown
            .iter()
            .map(|path| format!("unknown field \"metadata.{path}\""))
            .collect();
        if let Value::Map(map) = &mut body {
            map.insert("metadata", coerced.metadata);
            map.insert("apiVersion", "v1".into());
            map.insert("kind", "Namespace".into());
            let known = ["apiVersion", "kind", "metadata", "spec", "status"];
            for key in map.keys().filter(|key| !known.contains(&key.as_str())) {
                unknown.push(format!("unknown field \"{key}\""));
            }
            map.retain(|key, _| known.contains(&key.as_str()));
            for key in ["spec", "status"] {
                let slot = map.get_or_insert_null(key);
                if !matches!(slot, Value::Map(_)) {
                    *slot = Value::Map(Map::new());
                }
            }
        }
        label(&mut body);
        default_phase(&mut body);
        Ok(Decoded { object: body, unknown })
    }

    fn default_applied(&self, _version: &str, object: Value) -> Value {
        object
    }

    fn read(&self, stored: Value) -> Value {
        stored
    }

    fn convert(&self, object: &Value, _version: &str) -> Value {
        object.clone()
    }

    fn prepare_for_create(&self, _version: &str, object: &mut Value) {
        label(object);
        object.set_path(&["status"], value!({"phase": "Active"}));
        let finalizers = object.get_path(&["spec", "finalizers"]).and_then(Value::as_list);
        let mut finalizers = finalizers.cloned().unwrap_or_default();
        if !finalizers.iter().any(|name| name.as_str() == Some("kubernetes")) {
            finalizers.push("kubernetes".into());
        }
        object.set_path(&["spec", "finalizers"], Value::List(finalizers));
    }

    fn prepare_for_update(&self, _version: &str, part: Part, object: &mut Value, old: &Value) {
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

    fn validate(&self, change: &Change<'_>, _warnings: &mut Warnings) -> field::ErrorList {
        let meta = ordain_meta::ObjectMeta::of(change.object);
        let path = Path::new("metadata");
        match change.old {
            None => object_meta::validate(meta, false, ordain_meta::name::label_rule, &path),
            Some(old) => {
                object_meta::validate_update(meta, ordain_meta::ObjectMeta::of(old), &path)
            }
        }
    }

    fn warn(&self, _change: &Change<'_>, _warnings: &mut Warnings) {}

    fn field_manager(&self, _version: &str, _part: Part) -> Option<&FieldManager> {
        None
    }

    fn field(&self, _version: &str, object: &Value, field: &str) -> Option<Text> {
        match field {
            "metadata.name" => Some(object::name(object).into()),
            "name" => Some(object::name(object).into()),
            "status.phase" => {
                let phase = object.get_path(&["status", "phase"]).and_then(Value::as_text);
                Some(phase.cloned().unwrap_or_default())
            }
            _ => None,
        }
    }

    fn mark_deleted(&self, object: &Value, now: &str) -> Option<Value> {
        let held = object.get_path(&["spec", "finalizers"]).and_then(Value::as_list);
        if held.is_none_or(|list| list.is_empty()) && object::finalizers(object).is_empty() {
            return None;
        }
        let mut object = object.clone();
        if !object::is_deleting(&object) {
            object::set(&mut object, "deletionTimestamp", now.into());
        }
        object.set_path(&["status", "phase"], "Terminating".into());
        Some(object)
    }
}

/// Every namespace carries its name as a label.
fn label(object: &mut Value) {
    let name = Text::from(object::name(object));
    if !name.is_empty() {
        object.set_path(&["metadata", "labels", NAME_LABEL], Value::Str(name));
    }
}

fn default_phase(object: &mut Value) {
    if object.get_path(&["status", "phase"]).is_none() {
        object.set_path(&["status", "phase"], "Active".into());
    }
}

/// Objects live in namespaces that exist, and no new ones come into those that are going.
#[derive(Debug, Default)]
pub struct NamespaceLifecycle;

impl Plugin for NamespaceLifecycle {
    fn name(&self) -> &'static str {
        "NamespaceLifecycle"
    }

    fn mutate<'a>(
        &'a self,
        attributes: &'a Attributes<'a>,
        _object: Option<&'a mut Value>,
        _warnings: &'a mut Warnings,
    ) -> Verdict<'a> {
        Box::pin(check(attributes))
    }
}

async fn check(attributes: &Attributes<'_>) -> Result<(), Status> {
    let target = attributes.target;
    let resource = target.group_resource();
    let is_namespace = resource.group.is_empty() && resource.resource == "namespaces";
    if attributes.operation == Operation::Delete {
        if is_namespace && IMMORTAL.contains(&target.name.as_str()) {
            return Err(Status::forbidden(
                &resource,
                &target.name,
                "this namespace may not be deleted",
            ));
        }
        return Ok(());
    }
    if is_namespace || !target.resource.namespaced {
        return Ok(());
    }
    let registry = attributes.registry;
    let Some(config) = registry.catalog().get("", "namespaces").cloned() else { return Ok(()) };
    let key = config.key("", &target.namespace);
    let namespace = registry.read(&config, &key).await?;
    let Some(namespace) = namespace else {
        return Err(Status::not_found(&GroupResource::new("", "namespaces"), &target.namespace));
    };
    let phase = namespace.object.get_path(&["status", "phase"]).and_then(Value::as_str);
    if attributes.operation == Operation::Create && phase == Some("Terminating") {
        return Err(terminating(&resource, attributes.name, &target.namespace));
    }
    Ok(())
}

fn terminating(resource: &GroupResource, name: &str, namespace: &str) -> Status {
    let why = format!(
        "unable to create new content in namespace {namespace} because it is being terminated"
    );
    let mut status = Status::forbidden(resource, name, &why);
    if let Some(details) = &mut status.details {
        details.causes.push(Cause {
            reason: "NamespaceTerminating".into(),
            message: format!("namespace {namespace} is being terminated"),
            field: "metadata.namespace".to_owned(),
        });
    }
    status
}
