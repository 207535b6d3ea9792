//! The scale subresource: the replicas of an object, shown as `autoscaling/v1 Scale`.
//!
//! Two servers stand behind one address in Kubernetes: that of custom resources cannot read a
//! Scale that is malformed, that of built-in kinds says what is wrong with it.

pub mod native;

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use ordain_merge::patch::json::JsonPatch;
use ordain_merge::patch::{Strictness, apply, json_merge, strategic};
use ordain_merge::path::PathElement;
use ordain_merge::types::Types;
use ordain_merge::{FieldManager, FieldManagerConfig, ManagedError, ScaleHandler, UnknownVersion};
use ordain_meta::GroupVersionKind;
use ordain_meta::selector::LabelSelector;
use ordain_meta::status::Status;
use ordain_passes::scale::{nested_int, nested_text, steps};
use ordain_value::{Map, Text, Value, json, value};

use crate::apply::{not_applied, not_converted};
use crate::context::Context;
use crate::decode::{Body, Media, yaml_value};
use crate::object;
use crate::patch::{PatchType, refused};
use crate::request::{FieldValidation, Warnings, WriteOptions};
use crate::rest_config::{Family, Scale};
use crate::strategy::Part;
use crate::target::Target;
use crate::update::{Source, check_name};

/// The answer of upstream to every Scale it cannot read; its scheme does not know the kind.
const UNREADABLE: &str = "no kind is registered for the type v1.Scale in scheme \
                          \"pkg/apiserver/customresource_handler.go:781\"";

impl ScaleChange {
    /// Reads the body of a PUT.
    pub fn replace(
        target: &Target,
        body: &Body<'_>,
        options: &WriteOptions,
    ) -> Result<Self, Status> {
        let scale = match target.resource.family {
            Family::Custom => {
                let value = read_body(body, options)?;
                ScaleObject::decode(&value).ok_or_else(unreadable)?
            }
            Family::BuiltIn => native::read(body, options.field_validation())?,
        };
        check_scale_namespace(target, &scale)?;
        check_name(target, &scale.metadata_only())?;
        Ok(ScaleChange::Replace(scale))
    }

    /// Reads a patch.
    pub fn patch(
        target: &Target,
        ty: PatchType,
        bytes: &[u8],
        options: &WriteOptions,
    ) -> Result<Self, Status> {
        match ty {
            // A scale has no lists, so that nothing merges by key.
            PatchType::Strategic if target.resource.family == Family::BuiltIn => {
                let read = strategic::decode(bytes, strictness(options)).map_err(refused)?;
                Ok(ScaleChange::Strategic(read.0))
            }
            PatchType::Json => {
                let (patch, _) = JsonPatch::decode(bytes, strictness(options)).map_err(refused)?;
                Ok(ScaleChange::Json(patch))
            }
            PatchType::Merge => {
                let (patch, _) = json_merge::decode(bytes, strictness(options)).map_err(refused)?;
                Ok(ScaleChange::Merge(patch))
            }
            PatchType::Apply if target.resource.family == Family::BuiltIn => {
                let (config, _) = apply::decode(bytes).map_err(refused)?;
                Ok(ScaleChange::Apply(config))
            }
            PatchType::Strategic | PatchType::Apply => Err(not_applicable(bytes)),
        }
    }
}

/// The Scale that a GET answers with.
pub fn current_scale(object: &Value, paths: &Scale) -> Result<Value, Status> {
    let scale = scale_of(object, paths).map_err(Status::unclassified)?;
    if !scale.has_replicas {
        let path = ordain_value::go_quote(&paths.spec_replicas_path);
        let why = format!("the spec replicas field {path} does not exist");
        return Err(Status::internal(&why));
    }
    Ok(scale.encode())
}

/// The Scale that a write answers with.
pub fn scale_answer(object: &Value, paths: &Scale) -> Result<Value, Status> {
    Ok(scale_of(object, paths).map_err(Status::bad_request)?.encode())
}

fn strictness(options: &WriteOptions) -> Strictness {
    match options.field_validation() {
        FieldValidation::Ignore => Strictness::Ignore,
        _ => Strictness::Report,
    }
}

/// Scales of custom kinds cannot be applied: no conversion knows them.
fn not_applicable(bytes: &[u8]) -> Status {
    let named = yaml_value(bytes).map(|(value, _)| value).unwrap_or(Value::Null);
    let version = object::gvk(&named).group_version();
    not_converted(&named, &format!("request to convert CR to an invalid group/version: {version}"))
}

/// What a write asks of the replicas.
#[derive(Debug)]
pub enum ScaleChange {
    /// A whole Scale.
    Replace(ScaleObject),
    /// A JSON patch of the Scale.
    Json(JsonPatch),
    /// A merge patch of the Scale.
    Merge(Value),
    /// A strategic merge patch of the Scale.
    Strategic(Value),
    /// An applied Scale.
    Apply(Value),
}

/// A change of the replicas as a source of change for the object.
#[derive(Debug)]
pub struct Scaling<'a> {
    /// What is written.
    pub change: &'a ScaleChange,
    /// Where the object keeps its replicas.
    pub paths: &'a Scale,
    /// What the request asks for besides.
    pub options: &'a WriteOptions,
}

impl Source for Scaling<'_> {
    fn updated(
        &self,
        context: Context<'_>,
        target: &Target,
        old: Option<&Value>,
        _warnings: &mut Warnings,
    ) -> Result<Value, Status> {
        let Some(old) = old else { return Err(target.not_found()) };
        let current = scale_of(old, self.paths).map_err(Status::unclassified)?;
        let owners = owners(target, old)?;
        let patched = match self.change {
            ScaleChange::Replace(_) => None,
            ScaleChange::Apply(config) => {
                Some(applied(context, &owners, &current, config, self.options)?)
            }
            ScaleChange::Json(patch) => Some(patch.apply(&current.encode()).map_err(refused)?),
            ScaleChange::Merge(patch) => Some(json_merge::apply(&current.encode(), patch)),
            ScaleChange::Strategic(patch) => {
                Some(strategic::apply(&SCALE_TYPES, &current.encode(), patch).map_err(refused)?)
            }
        };
        let scale = match (self.change, &patched) {
            (ScaleChange::Replace(scale), _) => scale.clone(),
            (_, Some(patched)) if target.resource.family == Family::BuiltIn => {
                let scale = native::read_patched(patched)?;
                check_name(target, &scale.metadata_only())?;
                scale
            }
            (_, patched) => read_patched(patched.as_ref().unwrap_or(&Value::Null))?,
        };
        if target.resource.family == Family::BuiltIn {
            native::validate(&scale)?;
        }
        let new_scale = scale.encode();
        let mut object = old.clone();
        let keys: Vec<&str> = steps(&self.paths.spec_replicas_path);
        object.set_path(&keys, Value::Int(scale.replicas));
        if !scale.resource_version.is_empty() {
            object::set(&mut object, "resourceVersion", Value::Str(scale.resource_version));
        }
        let recorded = match (self.change, patched) {
            (ScaleChange::Apply(_), Some(applied)) => applied,
            _ => {
                let live = live_scale(&owners, &current);
                SCALE_MANAGER.update(&live, new_scale, &self.options.manager(), context.now())
            }
        };
        record_owners(&owners, &recorded, &mut object)?;
        Ok(object)
    }

    /// Built-in kinds are written as by an update of the object; admission sees a scale.
    fn admitted_part(&self, _part: Part) -> Part {
        Part::Scale
    }

    fn expected_uid(&self) -> Option<&str> {
        match self.change {
            ScaleChange::Replace(scale) => Some(scale.uid.as_str()).filter(|uid| !uid.is_empty()),
            _ => None,
        }
    }
}

fn entries(object: &Value) -> ordain_value::List {
    let list = object::metadata(object).and_then(|map| map.get("managedFields"));
    list.and_then(Value::as_list).cloned().unwrap_or_default()
}

fn not_tracked(why: ManagedError) -> Status {
    Status::unclassified(why.to_string())
}

/// Owners are tracked on the scale, and what it says of the replicas goes back to the object.
fn owners(target: &Target, object: &Value) -> Result<ScaleHandler, Status> {
    let replicas = target.resource.versions.iter().map(|version| {
        let api_version = target.resource.group_version(&version.name).to_string();
        let path = version.scale.as_ref().map(|scale| {
            steps(&scale.spec_replicas_path).into_iter().map(PathElement::field).collect()
        });
        (Text::from(api_version), path)
    });
    let api_version = target.group_version().to_string();
    ScaleHandler::new(&entries(object), &api_version, replicas.collect()).map_err(not_tracked)
}

/// The scale of an object with its owners.
fn live_scale(owners: &ScaleHandler, current: &ScaleObject) -> Value {
    let mut live = current.encode();
    if let Some(owners) = owners.to_scale() {
        object::set(&mut live, "managedFields", owners);
    }
    live
}

/// The scale with an applied configuration merged in.
fn applied(
    context: Context<'_>,
    owners: &ScaleHandler,
    current: &ScaleObject,
    config: &Value,
    options: &WriteOptions,
) -> Result<Value, Status> {
    let live = live_scale(owners, current);
    let force = options.force.unwrap_or(false);
    SCALE_MANAGER
        .apply(&live, config, &options.field_manager, force, context.now())
        .map_err(not_applied)
}

/// What the owners of a scale own of the object.
fn record_owners(owners: &ScaleHandler, scale: &Value, object: &mut Value) -> Result<(), Status> {
    match owners.to_parent(&entries(scale)).map_err(not_tracked)? {
        Some(owners) => object::set(object, "managedFields", owners),
        None => object::remove(object, "managedFields"),
    }
    Ok(())
}

/// Who owns what of any scale.
static SCALE_MANAGER: LazyLock<FieldManager> = LazyLock::new(|| {
    let gvk = GroupVersionKind::new("autoscaling", "v1", "Scale");
    FieldManager::new(FieldManagerConfig {
        versions: BTreeMap::from([("autoscaling/v1".into(), Arc::clone(&SCALE_TYPES))]).into(),
        gvk,
        subresource: "scale".into(),
        reset_fields: Arc::default(),
        unknown_version: UnknownVersion::Forgotten,
    })
});

static SCALE_TYPES: LazyLock<Arc<Types>> =
    LazyLock::new(|| Arc::new(Types::compile(native::schema())));

/// What a Scale says.
#[derive(Debug, Clone, Default)]
pub struct ScaleObject {
    name: Text,
    namespace: Text,
    uid: Text,
    resource_version: Text,
    creation: Text,
    replicas: i64,
    has_replicas: bool,
    status_replicas: i64,
    selector: Text,
}

impl ScaleObject {
    /// Reads a Scale; `None` when it is none.
    fn decode(value: &Value) -> Option<Self> {
        let gvk = object::gvk(value);
        if gvk.kind != "Scale" || gvk.group != "autoscaling" || gvk.version != "v1" {
            return None;
        }
        let text = |field: &str| match object::metadata(value).and_then(|map| map.get(field)) {
            None | Some(Value::Null) => Some(Text::default()),
            Some(Value::Str(text)) => Some(text.clone()),
            Some(_) => None,
        };
        let spec = value.get("spec");
        let replicas = match spec.and_then(|spec| spec.get("replicas")) {
            None | Some(Value::Null) => 0,
            Some(Value::Int(count)) => i64::from(i32::try_from(*count).ok()?),
            Some(_) => return None,
        };
        Some(Self {
            name: text("name")?,
            namespace: text("namespace")?,
            uid: text("uid")?,
            resource_version: text("resourceVersion")?,
            replicas,
            has_replicas: true,
            ..Self::default()
        })
    }

    fn encode(&self) -> Value {
        let mut metadata = Map::new();
        for (key, value) in [
            ("name", &self.name),
            ("namespace", &self.namespace),
            ("uid", &self.uid),
            ("resourceVersion", &self.resource_version),
            ("creationTimestamp", &self.creation),
        ] {
            if !value.is_empty() {
                metadata.insert(key, Value::Str(value.clone()));
            }
        }
        let mut spec = Map::new();
        if self.replicas != 0 {
            spec.insert("replicas", Value::Int(self.replicas));
        }
        let mut status = Map::new();
        status.insert("replicas", Value::Int(self.status_replicas));
        if !self.selector.is_empty() {
            status.insert("selector", Value::Str(self.selector.clone()));
        }
        let mut map = Map::new();
        map.insert("apiVersion", "autoscaling/v1".into());
        map.insert("kind", "Scale".into());
        map.insert("metadata", Value::Map(metadata));
        map.insert("spec", Value::Map(spec));
        map.insert("status", Value::Map(status));
        Value::Map(map)
    }

    fn metadata_only(&self) -> Value {
        let mut value = Value::Map(Map::new());
        object::set_text(&mut value, "name", &self.name);
        value
    }
}

fn read_body(body: &Body<'_>, options: &WriteOptions) -> Result<Value, Status> {
    let (value, findings) = match body.media {
        Media::Json => {
            let read = json::decode_reporting(body.bytes, json::Limits::default());
            let (value, duplicates) = read.map_err(|_| unreadable())?;
            (value, duplicates.len())
        }
        Media::Yaml => {
            let (value, duplicates) = yaml_value(body.bytes).map_err(|_| unreadable())?;
            (value, duplicates.len())
        }
        Media::Protobuf => return Err(unreadable()),
    };
    if options.field_validation() == FieldValidation::Strict
        && (findings > 0 || has_unknown(&value))
    {
        return Err(unreadable());
    }
    Ok(value)
}

fn has_unknown(value: &Value) -> bool {
    let known = ["apiVersion", "kind", "metadata", "spec", "status"];
    value.as_map().is_some_and(|map| map.keys().any(|key| !known.contains(&key.as_str())))
}

fn unreadable() -> Status {
    Status::bad_request(UNREADABLE)
}

fn read_patched(value: &Value) -> Result<ScaleObject, Status> {
    ScaleObject::decode(value).ok_or_else(unreadable)
}

fn check_scale_namespace(target: &Target, scale: &ScaleObject) -> Result<(), Status> {
    if scale.namespace.is_empty() || scale.namespace == target.namespace {
        return Ok(());
    }
    Err(Status::bad_request(
        "the namespace of the provided object does not match the namespace sent on the request",
    ))
}

/// Where an object keeps its replicas.
pub fn paths(target: &Target) -> Result<&Scale, Status> {
    let version = target.version_config();
    version.and_then(|version| version.scale.as_ref()).ok_or_else(|| target.not_found())
}

/// The selector of the pods: custom resources keep its text form, native kinds the selector, or
/// as replication controllers do the labels themselves.
fn selector_text(object: &Value, steps: &[&str]) -> Result<Text, String> {
    match object.get_path(steps) {
        Some(selector @ Value::Map(map)) => {
            let labels = map.values().all(|it| matches!(it, Value::Str(_)));
            let wrapped = labels.then(|| value!({"matchLabels": (selector.clone())}));
            let read = LabelSelector::read(wrapped.as_ref().unwrap_or(selector))
                .map_err(|why| why.to_string())?;
            Ok(read.to_string().into())
        }
        _ => nested_text(object, steps),
    }
}

/// An object with the replicas that a changed scale asks for.
pub fn scaled(object: &Value, scale: &Value, paths: &Scale) -> Value {
    let replicas = scale.get_path(&["spec", "replicas"]).and_then(Value::as_int).unwrap_or(0);
    let mut object = object.clone();
    object.set_path(&steps(&paths.spec_replicas_path), Value::Int(replicas));
    object
}

/// Reads the scale out of an object.
fn scale_of(object: &Value, paths: &Scale) -> Result<ScaleObject, String> {
    let replicas = nested_int(object, &steps(&paths.spec_replicas_path))?;
    let status = nested_int(object, &steps(&paths.status_replicas_path))?;
    let selector = match paths.label_selector_path.as_ref().filter(|path| !path.is_empty()) {
        Some(path) => selector_text(object, &steps(path))?,
        None => Text::default(),
    };
    Ok(ScaleObject {
        name: object::name(object).into(),
        namespace: object::namespace(object).into(),
        uid: object::uid(object).into(),
        resource_version: object::resource_version(object).into(),
        creation: object::text(object, "creationTimestamp").into(),
        replicas: replicas.unwrap_or(0),
        has_replicas: replicas.is_some(),
        status_replicas: status.unwrap_or(0),
        selector,
    })
}
