//! Typed kinds: objects are read, defaulted and written as Go structs are.
//!
//! A [`TypedStrategy`] is a declaration (schemas with Go types, the program of `+k8s:` rules, CEL
//! rules) and [`Hooks`] for the rest. The declaration is opened and compiled at its first use.
//!
//! Invariant: an object that left [`codec`] has exactly the fields that Go would write for it, and the
//! empty lists and maps that were sent, until it is written ([`Strategy::written`]) or stored.

pub mod codec;
mod converter;
pub mod form;
mod hooks;
mod internal;
mod layout;
mod managers;
pub mod printer;
pub mod protobuf;
pub mod rules;
pub mod special;
mod stored;

use std::fmt;
use std::sync::{Arc, OnceLock};

use ordain_merge::FieldManager;
use ordain_meta::status::Status;
use ordain_meta::{GroupVersion, object_meta};
use ordain_passes::declared::encoded;
use ordain_passes::declared::native::{self, Operation};
use ordain_passes::declared::written::{Code, Write, WrittenRules};
use ordain_passes::{RuleOptions, RuleSet, Rules};
use ordain_schema::Schema;
use ordain_schema::declared::Native;
use ordain_value::{Map, Text, Value, field, json};

use crate::context::{Caller, Context};
use crate::decode::{DecodeError, Decoded, typed_metadata_error};
use crate::hooks::DeleteStrategy;
use crate::object;
use crate::pool::Pool;
use crate::request::{FieldValidation, Warnings};
use crate::strategy::{Change, Known, Part, Policy, Strategy};
use form::Forms;
pub use hooks::{COUNT_SPEC, Hooks, Lifecycle};
use managers::Managers;
use stored::Empty;

/// Paths of fields, step by step.
pub type Fields = &'static [&'static [&'static str]];

/// One version of a typed kind as its declaration has it.
pub struct TypedVersion {
    /// Its name.
    pub name: Text,
    /// Its declaration.
    pub schema: Arc<Schema>,
    /// The rules of its `+k8s:` tags.
    pub native: Option<Native>,
}

/// A typed kind: what is fixed, and where its versions come from.
pub struct TypedKind {
    /// The API group.
    pub group: Text,
    /// The kind.
    pub kind: Text,
    /// Whether objects live in namespaces.
    pub namespaced: bool,
    /// The version in which objects are stored.
    pub storage_version: Text,
    /// Its fixed properties.
    pub policy: Policy,
    /// Fields that the main endpoint does not take from requests.
    pub reset: Fields,
    /// Fields that the status endpoint does not take.
    pub status_reset: Fields,
    /// The subresources of the kind's own, each with the fields it does not take.
    pub subresources: &'static [(&'static str, Fields)],
    /// What it does beyond its declaration.
    pub hooks: Hooks,
    /// The cells of an object's row in a table, for a present time in seconds.
    pub cells: Box<dyn Fn(&Value, i64) -> Vec<Value> + Send + Sync>,
    /// The rules in code that the declaration names.
    pub code: fn(&str) -> Option<Code>,
    /// Opens the declaration.
    pub open: Box<dyn Fn() -> Vec<TypedVersion> + Send + Sync>,
}

/// The behaviour of a typed kind.
pub struct TypedStrategy {
    kind: TypedKind,
    versions: OnceLock<Vec<Compiled>>,
    /// By the place of their version; files are judged without them.
    managers: OnceLock<Vec<Managers>>,
    grace: Option<Grace>,
}

/// A version, compiled.
struct Compiled {
    name: Text,
    api_version: Text,
    schema: Arc<Schema>,
    forms: Forms,
    native: Option<Native>,
    /// Its CEL rules; their environment is not set up for kinds that have none.
    rules: Option<RuleSet>,
    written: Option<Arc<WrittenRules>>,
    empty: Value,
}

impl fmt::Debug for TypedStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TypedStrategy").field(&self.kind.group).field(&self.kind.kind).finish()
    }
}

/// The metadata that a write to the status may not change, where a kind says so.
const STATUS_KEEPS: [&str; 7] = [
    "deletionTimestamp",
    "generation",
    "selfLink",
    "labels",
    "annotations",
    "finalizers",
    "ownerReferences",
];
/// What weighs at most so much when it is read, and has metadata of no more, is not near the limit
/// either ([`object::BYTES_MAX`]) once defaults in code are filled in: these repeat no more than was
/// sent, and add some words to each part.
const WEIGHT_MAX: usize = object::BYTES_MAX / 8;
const TYPED: [&str; 3] = ["apiVersion", "kind", "metadata"];

impl TypedStrategy {
    /// The strategy of a kind; its versions are opened when first used.
    pub fn new(kind: TypedKind) -> Self {
        let grace = kind.hooks.grace_period.map(Grace);
        Self { kind, versions: OnceLock::new(), managers: OnceLock::new(), grace }
    }

    fn versions(&self) -> &[Compiled] {
        self.versions.get_or_init(|| compile(&self.kind))
    }

    fn version(&self, name: &str) -> Option<&Compiled> {
        self.versions().iter().find(|it| it.name == name)
    }

    fn converted(&self, object: &Value, version: &str) -> Value {
        match self.kind.hooks.convert {
            Some(convert) => convert(object, version),
            None => object.clone(),
        }
    }

    /// The version of a request; objects say which one they are of.
    fn version_of(&self, body: &Value, requested: &str) -> Option<&Compiled> {
        let text = |field| body.get(field).and_then(Value::as_str);
        let asked = self.version(requested);
        if let Some(version) = asked
            && text("apiVersion") == Some(version.api_version.as_str())
            && text("kind") == Some(self.kind.kind.as_str())
        {
            return asked;
        }
        let named = object::gvk(body);
        let own = named.group == self.kind.group && named.kind == self.kind.kind;
        let named = own.then_some(named.version).filter(|it| !it.is_empty());
        named.and_then(|name| self.version(&name)).or(asked)
    }

    fn shape(&self, version: &Compiled, body: &Value) -> Result<Decoded, DecodeError> {
        let no_fields = Map::new();
        let fields = body.as_map().unwrap_or(&no_fields);
        let (metadata, mut unknown, known) = self.metadata(body)?;
        let (mut map, findings) = codec::decode_filled(&version.forms, fields, &TYPED)?;
        // Upstream meets fields in the order of the text; metadata mostly comes first.
        unknown.extend(findings.unknown);
        map.insert("apiVersion", Value::Str(version.api_version.clone()));
        map.insert("kind", Value::Str(self.kind.kind.clone()));
        let read = metadata.clone();
        map.insert("metadata", metadata);
        let mut object = Value::Map(map);
        (self.kind.hooks.default)(&mut object);
        // What was known of the metadata says nothing about labels that a default has added.
        let kept = object.get("metadata") == Some(&read);
        let known = if kept { known } else { Known::default() };
        let weight = findings.weight.filter(|_| known.metadata);
        let plain = weight.is_some_and(|it| it <= WEIGHT_MAX) && json::fits(&read, WEIGHT_MAX);
        let known = Known { nothing_empty: !findings.has_empty, plain, ..known };
        Ok(Decoded { known, ..Decoded::new(object, unknown) })
    }

    /// The metadata in its shape, its unknown fields, and what is known of it.
    fn metadata(&self, body: &Value) -> Result<(Value, Vec<String>, Known), String> {
        let given = body.get("metadata");
        if let Some(Value::Map(map)) = given
            && object_meta::is_usual(map, self.kind.namespaced)
        {
            let known = Known { metadata: true, ..Known::default() };
            return Ok((Value::Map(map.clone()), Vec::new(), known));
        }
        let metadata = given.cloned().unwrap_or(Value::Map(Map::new()));
        let coerced = object_meta::coerce(&metadata)
            .map_err(|why| typed_metadata_error(&self.kind.kind, &why))?;
        let unknown = coerced.unknown.iter();
        let unknown = unknown.map(|path| format!("unknown field \"metadata.{path}\"")).collect();
        Ok((coerced.metadata, unknown, Known::default()))
    }

    /// The object without empty lists and maps; nothing if it has none.
    fn plain(&self, version: &str, object: &Value) -> Option<Value> {
        stored::without(Empty::Any, &self.version_of(object, version)?.forms, object)
    }

    /// What an update of a part keeps from the old object, and what it counts.
    fn prepare(&self, part: Part, object: &mut Value, old: &Value) {
        (self.kind.hooks.prepare_for_update)(part, object, old);
        let lifecycle = self.kind.hooks.lifecycle;
        if lifecycle == Lifecycle::Manual {
            return;
        }
        let reset = match part {
            Part::Main | Part::Scale => self.kind.reset,
            Part::Status => self.kind.status_reset,
            Part::Other(at) => self.kind.subresources.get(at).map_or(&[] as Fields, |it| it.1),
        };
        take_from(reset, object, old);
        if let Some(fields) = lifecycle.counted()
            && part != Part::Status
            && fields.iter().any(|path| object.get_path(path) != old.get_path(path))
        {
            object::set_generation(object, object::generation(old).saturating_add(1));
        }
    }

    /// What all rules have against a change.
    fn errors(&self, change: &Change<'_>) -> field::ErrorList {
        let mut errors = (self.kind.hooks.validate)(change);
        let Some(version) = self.version(change.version) else { return errors };
        errors.extend(self.written_errors(version, change));
        for error in self.declared_errors(version, change) {
            // A rule may stand in code and in the declaration at the same time.
            let same = |it: &field::Error| it.path == error.path && it.body() == error.body();
            if !errors.iter().any(same) {
                errors.push(error);
            }
        }
        errors
    }

    /// What the rules that upstream writes by hand have against a change.
    fn written_errors(&self, version: &Compiled, change: &Change<'_>) -> field::ErrorList {
        let (Some(native), Some(written)) = (&version.native, &version.written) else {
            return field::ErrorList::new();
        };
        let part = match change.part {
            Part::Main => "main",
            Part::Status => "status",
            Part::Scale => "scale",
            Part::Other(at) => self.kind.subresources.get(at).map_or("", |it| it.0),
        };
        let write = Write { kind: &native.root, old: change.old, part };
        let found = written.validate(change.object, write);
        found.into_iter().map(|error| show(native, error, change.object)).collect()
    }

    /// What tags and CEL rules have against a change.
    fn declared_errors(&self, version: &Compiled, change: &Change<'_>) -> field::ErrorList {
        let mut errors = field::ErrorList::new();
        if let Some(native) = &version.native {
            let subresource = match change.part {
                Part::Status => "/status",
                _ => "/",
            };
            let known = native.program.root(&native.root);
            if known.is_some_and(|root| root.subresources.iter().any(|it| it == subresource)) {
                let operation = Operation { old: change.old, subresource, options: &[] };
                let found =
                    native::validate(&native.program, &native.root, change.object, operation);
                let decided = found.into_iter().filter(|it| it.level.is_none());
                // Tags leave the value of a changed field out; hand-written rules show it.
                errors.extend(decided.map(|it| show(native, it.error, change.object)));
            }
        }
        if let Some(rules) = version.rules.as_ref().filter(|_| change.part == Part::Main) {
            let found = rules.evaluate(change.object, change.old).errors;
            errors.extend(found.into_iter().map(|error| rules::with_value(error, change.object)));
        }
        errors
    }
}

/// Errors of an object without its empty lists and maps, which count as missing wherever values are
/// compared, with what the same errors show of the object as it was sent.
fn shown_as_sent(errors: field::ErrorList, sent: field::ErrorList) -> field::ErrorList {
    let mut sent: Vec<field::Error> = sent.into_iter().collect();
    let shown = errors.into_iter().map(|error| {
        let same = |it: &field::Error| it.path == error.path && it.kind == error.kind;
        let exact = sent.iter().position(|it| same(it) && it.detail() == error.detail());
        match exact.or_else(|| sent.iter().position(same)) {
            Some(at) => sent.remove(at),
            None => error,
        }
    });
    shown.collect()
}

/// An error that leaves its value out, with the value at its place.
fn show(native: &Native, error: field::Error, object: &Value) -> field::Error {
    match error.bad_value {
        field::BadValue::Value(Value::Null) => internal::with_value(native, error, object),
        _ => error,
    }
}

/// Gives fields the values that they have in another object.
fn take_from(fields: Fields, object: &mut Value, other: &Value) {
    for path in fields {
        if *path == ["metadata"] {
            for field in STATUS_KEEPS {
                object::copy(object, other, field);
            }
            continue;
        }
        match other.get_path(path) {
            Some(value) => object.set_path(path, value.clone()),
            None => drop(object.remove_path(path)),
        }
    }
}

fn compile(kind: &TypedKind) -> Vec<Compiled> {
    let opened = (kind.open)().into_iter();
    let compiled = opened.map(|version| {
        let api_version = api_version(kind, &version.name);
        let forms = Forms::new(Arc::clone(&version.schema));
        let mut empty = codec::empty(&forms, &TYPED);
        empty.insert("apiVersion", Value::Str(api_version.clone()));
        empty.insert("kind", Value::Str(kind.kind.clone()));
        empty.insert("metadata", Value::Map(Map::new()));
        Compiled {
            api_version,
            rules: has_rules(&version.schema)
                .then(|| RuleSet::compile(&version.schema, RuleOptions::declared(), None)),
            written: version
                .native
                .as_ref()
                .filter(|it| it.program.written.root(&it.root).is_some())
                .map(|it| WrittenRules::of(&it.program, kind.code)),
            empty: Value::Map(empty),
            name: version.name,
            schema: version.schema,
            forms,
            native: version.native,
        }
    });
    compiled.collect()
}

fn has_rules(schema: &Schema) -> bool {
    schema.nodes().iter().any(|node| !node.rules.is_empty())
}

fn api_version(kind: &TypedKind, version: &str) -> Text {
    Text::from(GroupVersion::new(kind.group.clone(), version).to_string())
}

impl Strategy for TypedStrategy {
    fn policy(&self) -> Policy {
        self.kind.policy
    }

    fn decode(
        &self,
        version: &str,
        body: Value,
        _validation: FieldValidation,
    ) -> Result<Decoded, DecodeError> {
        let Some(version) = self.version_of(&body, version) else {
            return Err(format!("version {version} is not served").into());
        };
        self.shape(version, &body)
    }

    fn convert_patched(&self, version: &str, object: &Value) -> Result<Decoded, DecodeError> {
        let unchanged = || Decoded::new(object.clone(), Vec::new());
        let Some(version) = self.version(version) else { return Ok(unchanged()) };
        let Value::Map(body) = object else { return Ok(unchanged()) };
        let (mut map, findings) = codec::convert(&version.forms, body, &TYPED[..2])?;
        for name in &TYPED[..2] {
            map.insert(*name, body.get(name).cloned().unwrap_or_default());
        }
        let mut unknown = findings.unknown;
        unknown.sort();
        Ok(Decoded::new(Value::Map(map), unknown))
    }

    fn default_applied(&self, version: &str, object: Value) -> Result<Value, DecodeError> {
        let converted = self.convert_patched(version, &object)?.object;
        match self.version(version) {
            Some(version) => Ok(self.shape(version, &converted)?.object),
            None => Ok(converted),
        }
    }

    fn read(&self, stored: Value) -> Value {
        let version = object::gvk(&stored).version;
        if self.kind.hooks.convert.is_some() && version != self.kind.storage_version {
            return self.converted(&stored, &self.kind.storage_version);
        }
        stored
    }

    fn convert(&self, object: &Value, version: &str) -> Result<Value, String> {
        Ok(self.converted(object, version))
    }

    fn allocate(
        &self,
        object: &mut Value,
        old: Option<&Value>,
        pool: &mut dyn Pool,
    ) -> Result<(), Status> {
        self.kind.hooks.allocate.map_or(Ok(()), |allocate| allocate(object, old, pool))
    }

    fn allocates(&self) -> bool {
        self.kind.hooks.allocate.is_some()
    }

    fn warn_unprepared(&self, object: &Value, warnings: &mut Warnings) {
        (self.kind.hooks.warn_unprepared)(object, warnings);
    }

    fn prepare_for_create(&self, version: &str, object: &mut Value, _caller: &Caller<'_>) {
        (self.kind.hooks.prepare_for_create)(object);
        if self.kind.hooks.lifecycle == Lifecycle::Manual {
            return;
        }
        let no_fields = Value::Null;
        let empty = self.version(version).map_or(&no_fields, |it| &it.empty);
        take_from(self.kind.reset, object, empty);
        if self.kind.hooks.lifecycle.counted().is_some() {
            object::set_generation(object, 1);
        }
    }

    fn prepare_for_update(
        &self,
        version: &str,
        part: Part,
        object: &mut Value,
        old: &Value,
        _caller: &Caller<'_>,
    ) {
        let sent = object.clone();
        self.prepare(part, object, old);
        let counted = object::generation(object) != object::generation(old);
        if counted
            && !matches!(self.kind.hooks.lifecycle, Lifecycle::CountedExactly(_))
            && let Some(mut plain) = self.plain(version, &sent)
        {
            // An empty list in place of a missing one is no change.
            self.prepare(part, &mut plain, old);
            object::copy(object, &plain, "generation");
            object::copy(object, &plain, "annotations");
        }
    }

    fn stamp(&self, context: &Context<'_>, part: Part, object: &mut Value, old: Option<&Value>) {
        (self.kind.hooks.stamp)(context, part, object, old);
    }

    fn validate(&self, change: &Change<'_>, _warnings: &mut Warnings) -> field::ErrorList {
        let plain = match change.known.nothing_empty {
            true => None,
            false => self.plain(change.version, change.object),
        };
        let Some(plain) = plain else { return self.errors(change) };
        let errors = self.errors(&Change { object: &plain, ..*change });
        match errors.is_empty() {
            true => errors,
            false => shown_as_sent(errors, self.errors(change)),
        }
    }

    fn row_metadata(&self, metadata: &mut Value) {
        (self.kind.hooks.row_metadata)(metadata);
    }

    fn sort_rows(&self, objects: &mut [Value]) {
        if let Some(order) = self.kind.hooks.row_order {
            objects.sort_by(order);
        }
    }

    fn sorts_rows(&self) -> bool {
        self.kind.hooks.row_order.is_some()
    }

    fn written(&self, version: &str, object: &Value) -> Option<Value> {
        stored::without(Empty::Omitted, &self.version_of(object, version)?.forms, object)
    }

    fn canonicalize(&self, part: Part, object: &mut Value, known: Known) {
        if part == Part::Main {
            (self.kind.hooks.canonicalize)(object);
        }
        // Neither defaults nor preparation bring empty lists and maps in.
        if known.nothing_empty {
            return;
        }
        if let Some(changed) = self.plain(&self.kind.storage_version, object) {
            *object = changed;
        }
    }

    fn warn(&self, change: &Change<'_>, warnings: &mut Warnings) {
        (self.kind.hooks.warn)(change, warnings);
    }

    fn field_manager(&self, version: &str, part: Part) -> Option<&FieldManager> {
        let versions = self.versions();
        let at = versions.iter().position(|it| it.name == version)?;
        let managers = self.managers.get_or_init(|| managers::of(&self.kind, versions)).get(at)?;
        Some(match part {
            Part::Status => &managers.status,
            Part::Other(at) => managers.others.get(at).unwrap_or(&managers.main),
            Part::Main | Part::Scale => &managers.main,
        })
    }

    fn empty_object(&self, version: &str) -> Option<Value> {
        self.version(version).map(|it| it.empty.clone())
    }

    fn field(&self, _version: &str, object: &Value, field: &str) -> Option<Text> {
        match field {
            "metadata.name" => Some(object::name(object).into()),
            "metadata.namespace" if self.kind.namespaced => Some(object::namespace(object).into()),
            _ => (self.kind.hooks.field)(object, field),
        }
    }

    fn unknown_field(&self, field: &str) -> String {
        if self.kind.hooks.selectable {
            return format!("field label not supported: {field}");
        }
        format!(
            "\"{field}\" is not a known field selector: only \"metadata.name\", \
             \"metadata.namespace\""
        )
    }

    fn text(&self, version: &str, object: &Value) -> String {
        let native = self.version(version).and_then(|it| it.native.as_ref());
        let ty = native.and_then(|it| Some((it, it.program.root_type(&it.root)?)));
        match ty {
            Some((native, ty)) => object::struct_text(object, |field, value| {
                encoded::field_text(&native.program, ty, field, value)
            }),
            None => object::struct_text(object, |_, value| json::encode_string(value)),
        }
    }

    fn mark_deleted(&self, object: &Value, now: &str) -> Option<Value> {
        (self.kind.hooks.mark_deleted)(object, now)
    }

    fn delete_strategy(&self) -> Option<&dyn DeleteStrategy> {
        self.grace.as_ref().map(|it| it as &dyn DeleteStrategy)
    }

    fn schema(&self, version: &str) -> Option<&Schema> {
        self.version(version).map(|it| it.schema.as_ref())
    }

    fn cells(&self, object: &Value, now_seconds: i64) -> Option<Vec<Value>> {
        Some((self.kind.cells)(object, now_seconds))
    }
}

/// Graceful deletion by a hook.
struct Grace(fn(&Value, Option<i64>) -> Option<i64>);

impl fmt::Debug for Grace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Grace")
    }
}

impl DeleteStrategy for Grace {
    fn grace_period(&self, object: &Value, asked: Option<i64>) -> Option<i64> {
        (self.0)(object, asked)
    }
}
