//! CustomResourceDefinitions: an object kind whose objects are kinds.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, LazyLock};

use ordain_merge::set::Set;
use ordain_merge::types::Types;
use ordain_merge::{FieldManager, FieldManagerConfig, UnknownVersion};
use ordain_meta::{GroupVersionKind, KubeVersion, object_meta};
use ordain_passes::declared::settle::Why;
use ordain_schema::Schema;
use ordain_schema::admission::{self, AdmissionHooks};
use ordain_schema::conditions;
use ordain_schema::crd::Crd;
use ordain_schema::extensions::{self, Extensions, gate_of};
use ordain_schema::formats;
use ordain_schema::raw::Raw;
use ordain_value::{Map, Text, Value, field, json, value};

use crate::context::Caller;
use crate::custom::{CustomOptions, declared_conversion};
use crate::decode::{DecodeError, Decoded, typed_metadata_error};
use crate::gates::Gates;
use crate::object;
use crate::request::{FieldValidation, Warnings};
use crate::rest_config::{Column, Family, RestConfig, Verbs, VersionConfig};
use crate::strategy::{Change, Dropped, Known, Part, Policy, Strategy};

/// The group of definitions.
pub const GROUP: &str = "apiextensions.k8s.io";
/// The name of definitions in paths.
pub const PLURAL: &str = "customresourcedefinitions";
const API_VERSION: &str = "apiextensions.k8s.io/v1";
const KIND: &str = "CustomResourceDefinition";

/// What judging a definition needs from above the schema: patterns, defaults and CEL rules.
pub type Hooks = Arc<dyn AdmissionHooks + Send + Sync>;

/// Gives the declaration of definitions as types, by which they are written in protobuf.
pub type Message = fn() -> Option<Arc<Schema>>;

/// The declaration of CustomResourceDefinitions.
pub fn config(hooks: Hooks, gates: &Gates, message: Message) -> RestConfig {
    RestConfig {
        group: GROUP.into(),
        plural: PLURAL.into(),
        singular: "customresourcedefinition".into(),
        kind: KIND.into(),
        list_kind: "CustomResourceDefinitionList".into(),
        short_names: vec!["crd".into(), "crds".into()],
        categories: vec!["api-extensions".into()],
        namespaced: false,
        family: Family::BuiltIn,
        verbs: Verbs::ALL,
        versions: vec![VersionConfig {
            name: "v1".into(),
            served: true,
            deprecation_warning: None,
            status: true,
            scale: None,
            columns: vec![Column {
                name: "Created At".into(),
                ty: "date".into(),
                format: Text::default(),
                description: crate::typed::printer::AGE.into(),
                priority: 0,
                json_path: ".metadata.creationTimestamp".into(),
            }],
            selectable_fields: Vec::new(),
            outline: Arc::default(),
        }],
        storage_version: "v1".into(),
        key_prefix: format!("/registry/{GROUP}/{PLURAL}"),
        subresources: Vec::new(),
        terminating: false,
        generation: 0,
        strategy: Arc::new(CrdStrategy::new(hooks, gates, message)),
    }
}

struct CrdStrategy {
    hooks: Hooks,
    /// What definitions may have beyond what Kubernetes knows.
    extensions: Extensions,
    release: KubeVersion,
    main: FieldManager,
    status: FieldManager,
    message: LazyLock<Option<Arc<Schema>>, Message>,
}

impl fmt::Debug for CrdStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CrdStrategy")
    }
}

impl CrdStrategy {
    fn new(hooks: Hooks, gates: &Gates, message: Message) -> Self {
        let types = Arc::new(types());
        let manager = |subresource: &str, reset: &[&[&str]]| {
            FieldManager::new(FieldManagerConfig {
                gvk: GroupVersionKind::new(GROUP, "v1", KIND),
                subresource: subresource.into(),
                versions: BTreeMap::from([(Text::from(API_VERSION), Arc::clone(&types))]).into(),
                reset_fields: BTreeMap::from([(Text::from(API_VERSION), Set::of_fields(reset))])
                    .into(),
                unknown_version: UnknownVersion::Forgotten,
            })
        };
        let main = manager("", &[&["status"]]);
        let status = manager("status", &[&["metadata"], &["spec"]]);
        Self {
            hooks,
            extensions: gates.extensions(),
            release: gates.release(),
            main,
            status,
            message: LazyLock::new(message),
        }
    }
}

/// How parts of a definition merge: maps by key, lists whole, conditions by their type.
fn types() -> Types {
    let schema = value!({
        "type": "object",
        "properties": {
            "spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
            "status": {
                "type": "object",
                "x-kubernetes-preserve-unknown-fields": true,
                "properties": {
                    "conditions": {
                        "type": "array",
                        "x-kubernetes-list-type": "map",
                        "x-kubernetes-list-map-keys": ["type"],
                        "items": {
                            "type": "object",
                            "x-kubernetes-preserve-unknown-fields": true,
                            "properties": {"type": {"type": "string"}}
                        }
                    }
                }
            }
        }
    });
    let raw = Raw::decode(&schema).map(|(raw, _)| raw);
    let schema = raw.ok().and_then(|raw| ordain_schema::resolve(&raw).ok());
    schema.map_or_else(Types::deduced, |schema| Types::compile(&schema))
}

/// Reads a definition that was accepted before; what cannot be read is an empty one.
pub fn read(object: &Value) -> Crd {
    Crd::decode_accepted(object).unwrap_or_default()
}

/// Writes a definition.
pub fn write(crd: &Crd) -> Value {
    let mut object = crd.encode();
    if let Value::Map(map) = &mut object {
        map.insert("apiVersion", API_VERSION.into());
        map.insert("kind", KIND.into());
    }
    object
}

impl CrdStrategy {
    /// The extensions that an object may have, and the fields of others.
    fn switched_off(&self, object: &Value, old: Option<&Value>) -> (Extensions, Vec<String>) {
        let found = unknown_fields(object);
        if found.is_empty() {
            return (self.extensions, found);
        }
        let in_use = old.map(unknown_fields).unwrap_or_default();
        let extensions = self.extensions.or_in_use(&in_use);
        let off = found.into_iter().filter(|path| !extensions.know(path));
        (extensions, off.collect())
    }
}

/// What is wrong with the conversion that a definition declares.
fn conversion_errors(
    definition: &Crd,
    extensions: Extensions,
    release: KubeVersion,
) -> field::ErrorList {
    let options = CustomOptions { extensions, release, ..CustomOptions::default() };
    declared_conversion(definition, &options).err().unwrap_or_default()
}

/// The extensions of a definition, by the paths of their fields.
fn unknown_fields(object: &Value) -> Vec<String> {
    if !extensions::may_be_in(object) {
        return Vec::new();
    }
    let Ok((_, findings)) = Crd::decode(object) else { return Vec::new() };
    findings.unknown_fields.into_iter().filter(|path| gate_of(path).is_some()).collect()
}

impl Strategy for CrdStrategy {
    fn policy(&self) -> Policy {
        Policy { returns_deleted: true, delete_marks: true, ..Policy::default() }
    }

    fn decode(
        &self,
        _version: &str,
        mut body: Value,
        _validation: FieldValidation,
    ) -> Result<Decoded, DecodeError> {
        let metadata = body.get("metadata").cloned().unwrap_or(Value::Map(Map::new()));
        let coerced =
            object_meta::coerce(&metadata).map_err(|why| typed_metadata_error(KIND, &why))?;
        let mut unknown: Vec<String> = coerced
            .unknown
            .iter()
            .map(|path| format!("unknown field \"metadata.{path}\""))
            .collect();
        if let Value::Map(map) = &mut body {
            map.insert("metadata", coerced.metadata);
        }
        let (mut crd, findings) = Crd::decode(&body).map_err(|error| error.0)?;
        // Extensions whose gate is off are unknown to new definitions only.
        let reported = findings.unknown_fields.iter().filter(|path| gate_of(path).is_none());
        unknown.extend(reported.map(|path| format!("unknown field \"{path}\"")));
        crd.set_defaults();
        Ok(Decoded::new(write(&crd), unknown))
    }

    fn default_applied(&self, _version: &str, object: Value) -> Result<Value, DecodeError> {
        // What a client applied is looked at as what it posts.
        let mut crd = Crd::decode(&object).map(|(crd, _)| crd).unwrap_or_default();
        crd.set_defaults();
        Ok(write(&crd))
    }

    fn read(&self, stored: Value) -> Value {
        let mut crd = read(&stored);
        crd.set_defaults();
        write(&crd)
    }

    fn convert(&self, object: &Value, _version: &str) -> Result<Value, String> {
        Ok(object.clone())
    }

    fn gated_fields(&self, object: &Value, old: Option<&Value>) -> Vec<String> {
        let off = self.switched_off(object, old).1.into_iter();
        off.map(|path| format!("unknown field \"{path}\"")).collect()
    }

    fn settle(
        &self,
        _version: &str,
        part: Part,
        object: &mut Value,
        old: Option<&Value>,
    ) -> Vec<Dropped> {
        if part != Part::Main {
            return Vec::new();
        }
        let (extensions, off) = self.switched_off(object, old);
        let dropped: Vec<Dropped> =
            off.into_iter().map(|field| (field, Why::GateOff).into()).collect();
        if !dropped.is_empty() {
            let mut crd = read(object);
            extensions.strip(&mut crd);
            *object = write(&crd);
        }
        dropped
    }

    fn prepare_for_create(&self, _version: &str, object: &mut Value, _caller: &Caller<'_>) {
        let mut crd = read(object);
        crd.prepare_for_create();
        *object = write(&crd);
    }

    fn prepare_for_update(
        &self,
        _version: &str,
        part: Part,
        object: &mut Value,
        old: &Value,
        _caller: &Caller<'_>,
    ) {
        let (mut crd, old) = (read(object), read(old));
        if part == Part::Status {
            crd.spec = old.spec;
        } else {
            crd.prepare_for_update(&old);
        }
        *object = write(&crd);
    }

    fn validate(&self, change: &Change<'_>, _warnings: &mut Warnings) -> field::ErrorList {
        let mut crd = read(change.object);
        let mut errors = match (change.old, change.part) {
            (None, _) => admission::validate_create(&mut crd, self.hooks.as_ref()),
            (Some(old), Part::Status) => admission::validate_status_update(&crd, &read(old)),
            (Some(old), _) => admission::validate_update(&mut crd, &read(old), self.hooks.as_ref()),
        };
        if change.part == Part::Main {
            errors.extend(self.extensions.validate(&crd));
            if errors.is_empty() {
                errors.extend(conversion_errors(&crd, self.extensions, self.release));
            }
        }
        errors
    }

    fn message(&self, _version: &str) -> Option<&Schema> {
        self.message.as_deref()
    }

    fn canonicalize(&self, part: Part, object: &mut Value, _known: Known) {
        if part != Part::Main {
            return;
        }
        let mut crd = read(object);
        admission::shape_defaults(&mut crd.spec);
        *object = write(&crd);
    }

    fn warn(&self, change: &Change<'_>, warnings: &mut Warnings) {
        if change.part == Part::Status {
            return;
        }
        let crd = read(change.object);
        let old = change.old.map(read);
        for warning in formats::warnings(&crd.spec, old.as_ref().map(|old| &old.spec), self.release)
        {
            warnings.add(warning);
        }
    }

    fn field_manager(&self, _version: &str, part: Part) -> Option<&FieldManager> {
        Some(if part == Part::Status { &self.status } else { &self.main })
    }

    fn empty_object(&self, _version: &str) -> Option<Value> {
        Some(write(&Crd::default()))
    }

    fn field(&self, _version: &str, object: &Value, field: &str) -> Option<Text> {
        (field == "metadata.name").then(|| object::name(object).into())
    }

    fn text(&self, _version: &str, object: &Value) -> String {
        object::struct_text(object, |_, value| json::encode_string(value))
    }

    fn mark_deleted(&self, object: &Value, now: &str) -> Option<Value> {
        if object::is_deleting(object) {
            return (!object::finalizers(object).is_empty()).then(|| object.clone());
        }
        let mut crd = read(object);
        conditions::mark_for_deletion(&mut crd, now);
        Some(write(&crd))
    }
}

/// Judges definitions by what the passes know.
pub use ordain_passes::Admission as DefinitionHooks;
