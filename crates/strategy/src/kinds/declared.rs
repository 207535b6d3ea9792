//! The strategy of declared kinds: everything that follows from a schema, and hooks for the rest.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use ordain_merge::set::Set;
use ordain_merge::types::Types;
use ordain_merge::{FieldManager, FieldManagerConfig, UnknownVersion};
use ordain_meta::{GroupVersion, GroupVersionKind, object_meta};
use ordain_schema::Schema;
use ordain_value::{Map, Text, Value, field};

use super::codec;
use crate::decode::{DecodeError, Decoded, typed_metadata_error};
use crate::object;
use crate::request::{FieldValidation, Warnings};
use crate::strategy::{Change, Part, Policy, Strategy};

/// What a kind does beyond its declaration. Every hook has a neutral default.
pub(crate) struct Hooks {
    pub(crate) default: fn(&mut Value),
    pub(crate) prepare_for_create: fn(&mut Value),
    pub(crate) prepare_for_update: fn(Part, &mut Value, &Value),
    pub(crate) validate: fn(&Change<'_>) -> field::ErrorList,
    pub(crate) warn: fn(&Value, &mut Warnings),
    /// Fields that may be selected by, besides name and namespace.
    pub(crate) field: fn(&Value, &str) -> Option<Text>,
    /// Whether unknown selectors are refused in the words of kinds with selectable fields.
    pub(crate) selectable: bool,
    /// The cells of its row in a table, for a present time in seconds.
    pub(crate) cells: fn(&Value, i64) -> Vec<Value>,
    pub(crate) mark_deleted: fn(&Value, &str) -> Option<Value>,
    /// Between the stored form and the served one, for kinds that share a store.
    pub(crate) from_stored: Option<fn(Value) -> Value>,
    pub(crate) to_stored: Option<fn(Value) -> Value>,
}

impl Hooks {
    pub(crate) fn new(validate: fn(&Change<'_>) -> field::ErrorList) -> Self {
        Self {
            default: |_| {},
            prepare_for_create: |_| {},
            prepare_for_update: |_, _, _| {},
            validate,
            warn: |_, _| {},
            field: |_, _| None,
            selectable: false,
            cells: |object, now| {
                vec![object::name(object).into(), super::printer::age(object, now)]
            },
            mark_deleted: |_, _| None,
            from_stored: None,
            to_stored: None,
        }
    }
}

/// The fixed part of a declared kind.
pub(crate) struct Declaration {
    pub(crate) gvk: GroupVersionKind,
    pub(crate) namespaced: bool,
    pub(crate) schema: Schema,
    pub(crate) policy: Policy,
    /// Fields that the main endpoint does not take from requests.
    pub(crate) reset: &'static [&'static [&'static str]],
    /// Fields that the status endpoint does not take; `None` without one.
    pub(crate) status_reset: &'static [&'static [&'static str]],
    /// The subresources of the kind's own.
    pub(crate) others: &'static [&'static str],
    pub(crate) hooks: Hooks,
}

pub(crate) struct DeclaredStrategy {
    declaration: Declaration,
    api_version: Text,
    empty: Value,
    main: FieldManager,
    status: FieldManager,
    others: Vec<FieldManager>,
}

impl fmt::Debug for DeclaredStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DeclaredStrategy").field(&self.declaration.gvk).finish()
    }
}

const TYPED: [&str; 3] = ["apiVersion", "kind", "metadata"];

impl DeclaredStrategy {
    pub(crate) fn new(declaration: Declaration) -> Self {
        let gvk = declaration.gvk.clone();
        let api_version =
            Text::from(GroupVersion::new(gvk.group.clone(), gvk.version.clone()).to_string());
        let types = Arc::new(Types::compile(&declaration.schema));
        let manager = |subresource: &str, reset: &[&[&str]]| {
            FieldManager::new(FieldManagerConfig {
                gvk: gvk.clone(),
                subresource: subresource.into(),
                versions: BTreeMap::from([(api_version.clone(), Arc::clone(&types))]).into(),
                reset_fields: BTreeMap::from([(api_version.clone(), Set::of_fields(reset))]).into(),
                unknown_version: UnknownVersion::Forgotten,
            })
        };
        let main = manager("", declaration.reset);
        let status = manager("status", declaration.status_reset);
        let others =
            declaration.others.iter().map(|name| manager(name, declaration.reset_of(name)));
        let others = others.collect();
        let mut empty = codec::empty(&declaration.schema, &TYPED);
        empty.insert("apiVersion", Value::Str(api_version.clone()));
        empty.insert("kind", Value::Str(gvk.kind.clone()));
        empty.insert("metadata", Value::Map(Map::new()));
        Self { declaration, api_version, empty: Value::Map(empty), main, status, others }
    }

    fn shape(&self, body: &Value) -> Result<Decoded, String> {
        let no_fields = Map::new();
        let fields = body.as_map().unwrap_or(&no_fields);
        let kind = self.declaration.gvk.kind.as_str();
        let metadata = body.get("metadata").cloned().unwrap_or(Value::Map(Map::new()));
        let coerced =
            object_meta::coerce(&metadata).map_err(|why| typed_metadata_error(kind, &why))?;
        let (mut map, findings) = codec::decode(&self.declaration.schema, fields, &TYPED)?;
        // Upstream meets fields in the order of the text; metadata mostly comes first.
        let mut unknown: Vec<String> = coerced
            .unknown
            .iter()
            .map(|path| format!("unknown field \"metadata.{path}\""))
            .collect();
        unknown.extend(findings.unknown);
        map.insert("apiVersion", Value::Str(self.api_version.clone()));
        map.insert("kind", Value::Str(self.declaration.gvk.kind.clone()));
        map.insert("metadata", coerced.metadata);
        let mut object = Value::Map(map);
        (self.declaration.hooks.default)(&mut object);
        Ok(Decoded { object, unknown })
    }
}

impl Declaration {
    fn reset_of(&self, subresource: &str) -> &'static [&'static [&'static str]] {
        if subresource == "finalize" { &[&["status"]] } else { self.reset }
    }
}

impl Strategy for DeclaredStrategy {
    fn policy(&self) -> Policy {
        self.declaration.policy
    }

    fn decode(
        &self,
        _version: &str,
        body: Value,
        _validation: FieldValidation,
    ) -> Result<Decoded, DecodeError> {
        self.shape(&body).map_err(DecodeError)
    }

    fn default_applied(&self, _version: &str, object: Value) -> Value {
        match self.shape(&object) {
            Ok(decoded) => decoded.object,
            Err(_) => object,
        }
    }

    fn read(&self, stored: Value) -> Value {
        stored
    }

    fn convert(&self, object: &Value, version: &str) -> Value {
        let hooks = &self.declaration.hooks;
        let served = version == self.declaration.gvk.version;
        match if served { hooks.from_stored } else { hooks.to_stored } {
            Some(convert) => convert(object.clone()),
            None => object.clone(),
        }
    }

    fn prepare_for_create(&self, _version: &str, object: &mut Value) {
        (self.declaration.hooks.prepare_for_create)(object);
    }

    fn prepare_for_update(&self, _version: &str, part: Part, object: &mut Value, old: &Value) {
        (self.declaration.hooks.prepare_for_update)(part, object, old);
    }

    fn validate(&self, change: &Change<'_>, _warnings: &mut Warnings) -> field::ErrorList {
        (self.declaration.hooks.validate)(change)
    }

    fn warn(&self, change: &Change<'_>, warnings: &mut Warnings) {
        (self.declaration.hooks.warn)(change.object, warnings);
    }

    fn field_manager(&self, _version: &str, part: Part) -> Option<&FieldManager> {
        match part {
            Part::Status => Some(&self.status),
            Part::Other(at) => self.others.get(at).or(Some(&self.main)),
            Part::Main | Part::Scale => Some(&self.main),
        }
    }

    fn empty_object(&self, _version: &str) -> Option<Value> {
        Some(self.empty.clone())
    }

    fn field(&self, _version: &str, object: &Value, field: &str) -> Option<Text> {
        match field {
            "metadata.name" => Some(object::name(object).into()),
            "metadata.namespace" if self.declaration.namespaced => {
                Some(object::namespace(object).into())
            }
            _ => (self.declaration.hooks.field)(object, field),
        }
    }

    fn unknown_field(&self, field: &str) -> String {
        if self.declaration.hooks.selectable {
            return format!("field label not supported: {field}");
        }
        format!(
            "\"{field}\" is not a known field selector: only \"metadata.name\", \
             \"metadata.namespace\""
        )
    }

    fn mark_deleted(&self, object: &Value, now: &str) -> Option<Value> {
        (self.declaration.hooks.mark_deleted)(object, now)
    }

    fn schema(&self, _version: &str) -> Option<&Schema> {
        Some(&self.declaration.schema)
    }

    fn cells(&self, object: &Value, now_seconds: i64) -> Option<Vec<Value>> {
        Some((self.declaration.hooks.cells)(object, now_seconds))
    }
}
