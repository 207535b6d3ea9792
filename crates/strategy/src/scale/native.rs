//! Scales of built-in kinds: read as their Go type reads them, and validated.

use std::sync::{Arc, LazyLock};

use ordain_meta::status::Status;
use ordain_meta::{GroupKind, object_meta};
use ordain_schema::{Declared, Node, NodeId, Schema, Type};
use ordain_value::field::{self, Path};
use ordain_value::go_format::{cannot_unmarshal, json_type};
use ordain_value::{Map, Value, json};

use super::ScaleObject;
use crate::decode::{self, Body, Media, yaml_value};
use crate::meta_v1::declare::Builder;
use crate::request::{FieldValidation, Warnings};
use crate::typed::form::Forms;
use crate::typed::{codec, protobuf};

static FORMS: LazyLock<Forms> = LazyLock::new(|| Forms::new(Arc::new(declare())));
static MESSAGE: LazyLock<Schema> = LazyLock::new(declare_message);

/// The declaration of what a Scale has beside its metadata.
pub(super) fn schema() -> &'static Schema {
    FORMS.schema()
}

/// The declaration of Scale as it is written in protobuf.
pub fn message() -> &'static Schema {
    &MESSAGE
}

fn declare_message() -> Schema {
    let published = |name: &str| format!("io.k8s.api.autoscaling.v1.{name}");
    let mut b = Builder::default();
    let (count, text) = (b.int32(), b.string());
    let wanted = vec![b.field("replicas", 1, count).omit()];
    let spec = b.structure("v1.ScaleSpec", &published("ScaleSpec"), wanted);
    let there = vec![b.field("replicas", 1, count), b.field("selector", 2, text).omit()];
    let status = b.structure("v1.ScaleStatus", &published("ScaleStatus"), there);
    let fields = vec![b.field("spec", 2, spec).omit(), b.field("status", 3, status).omit()];
    b.kind("v1.Scale", &published("Scale"), "The replicas of an object.", fields)
}

fn declare() -> Schema {
    let declared = |go_type: &str, number: u32, omit: bool| {
        let (go_type, protobuf) = (Some(go_type.into()), Some(number));
        Some(Box::new(Declared { go_type, protobuf, strip_zero: omit, ..Declared::default() }))
    };
    let mut nodes = Vec::new();
    let mut add = |ty: Type, declared, properties: Vec<(&str, NodeId)>| {
        let mut node = Node { ty, declared, ..Node::default() };
        for (name, id) in properties {
            node.set_property(name.into(), id);
        }
        nodes.push(node);
        NodeId(u32::try_from(nodes.len() - 1).unwrap_or(0))
    };
    let wanted = add(Type::Integer, declared("int32", 1, true), Vec::new());
    let spec = add(Type::Object, declared("v1.ScaleSpec", 2, true), vec![("replicas", wanted)]);
    let there = add(Type::Integer, declared("int32", 1, false), Vec::new());
    let selector = add(Type::String, declared("string", 2, true), Vec::new());
    let parts = vec![("replicas", there), ("selector", selector)];
    let status = add(Type::Object, declared("v1.ScaleStatus", 3, true), parts);
    let parts = vec![("spec", spec), ("status", status)];
    let root = add(Type::Object, declared("v1.Scale", 0, false), parts);
    Schema::new(nodes, root).expect("invariant: the nodes refer to each other")
}

/// Reads the body of a PUT.
pub(super) fn read(body: &Body<'_>, validation: FieldValidation) -> Result<ScaleObject, Status> {
    let (value, duplicates) = match body.media {
        Media::Json => {
            let read = json::decode_merging(body.bytes, json::Limits::default());
            let (value, duplicates) = read.map_err(|error| Status::bad_request(error.message))?;
            let texts = duplicates.iter().map(|it| format!("duplicate field \"{}\"", it.path));
            (value, texts.collect())
        }
        Media::Yaml => yaml_value(body.bytes).map_err(Status::bad_request)?,
        Media::Protobuf => {
            let refuse = |error: protobuf::WireError| Status::bad_request(error.0);
            let envelope = protobuf::open(body.bytes).map_err(refuse)?;
            (protobuf::decode(&MESSAGE, &envelope).map_err(refuse)?, Vec::new())
        }
    };
    let cannot_handle = |why: &str| {
        Status::bad_request(format!("Scale in version \"v1\" cannot be handled as a Scale: {why}"))
    };
    let (scale, unknown) = decoded(&value).map_err(|why| cannot_handle(&why))?;
    let findings: Vec<String> = duplicates.into_iter().chain(unknown).collect();
    decode::report(findings, validation, &mut Warnings::default())
        .map_err(|why| cannot_handle(&why))?;
    Ok(scale)
}

/// Reads the result of a patch.
pub(super) fn read_patched(value: &Value) -> Result<ScaleObject, Status> {
    decoded(value).map(|(scale, _)| scale).map_err(|why| {
        let text = json::encode_string(value);
        let error = field::Error::invalid(&Path::new("patch"), text, why);
        Status::invalid(&GroupKind::default(), "", &error.into())
    })
}

fn decoded(value: &Value) -> Result<(ScaleObject, Vec<String>), String> {
    let no_fields = Map::new();
    let fields = value.as_map().unwrap_or(&no_fields);
    let (mut map, mut findings) =
        codec::decode(&FORMS, fields, &["apiVersion", "kind", "metadata"])
            .map_err(|error| error.why)?;
    map.insert("apiVersion", "autoscaling/v1".into());
    map.insert("kind", "Scale".into());
    let metadata = value.get("metadata").cloned().unwrap_or(Value::Map(Map::new()));
    let read = object_meta::coerce(&metadata)
        .map_err(|why| decode::typed_metadata_error("Scale", &why))?;
    let unknown = read.unknown.iter().map(|path| format!("unknown field \"metadata.{path}\""));
    findings.unknown.extend(unknown);
    map.insert("metadata", read.metadata);
    let scale = ScaleObject::decode(&Value::Map(map));
    let scale = scale.ok_or_else(|| cannot_unmarshal(json_type(value), "v1.Scale"))?;
    Ok((scale, findings.unknown))
}

/// Refuses a scale that no object could have.
pub(super) fn validate(scale: &ScaleObject) -> Result<(), Status> {
    if scale.replicas >= 0 {
        return Ok(());
    }
    let spec = Path::new("spec");
    let path = spec.child("replicas");
    let value = Value::Int(scale.replicas);
    let error = field::Error::invalid(&path, value, "must be greater than or equal to 0");
    Err(Status::invalid(&GroupKind::new("autoscaling", "Scale"), &scale.name, &error.into()))
}
