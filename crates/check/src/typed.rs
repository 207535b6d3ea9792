//! Objects of typed kinds, read as Go reads them into its types.
//!
//! Null is absent, numbers must fit, times, quantities and base64 must parse, and names that a
//! type does not have are unknown. What does not fit is told in the words of Go's decoder.

use ordain_meta::quantity::Quantity;
use ordain_meta::time::Time;
use ordain_meta::{ObjectMeta, name, object_meta};
use ordain_schema::{Additional, Node, NodeId, Schema, Type, base64};
use ordain_value::field::{ErrorList, Path};
use ordain_value::go_format::json_type;
use ordain_value::{Map, Text, Value, json};

/// Objects of recursive types are read down to here.
const DEPTH_MAX: usize = 200;

/// What came of reading an object.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Read {
    pub(crate) object: Value,
    /// Paths of fields that the types do not have.
    pub(crate) unknown: Vec<String>,
    /// Why Go cannot decode the object, and where.
    pub(crate) failure: Option<Failure>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) field: String,
    pub(crate) message: String,
}

/// Reads an object.
pub(crate) fn read(schema: &Schema, object: &Value) -> Read {
    let mut reader = Reader { schema, unknown: Vec::new(), failure: None, trail: Vec::new() };
    let object = reader.value(object, schema.root(), "", &Path::root(), 0).unwrap_or_default();
    Read { object, unknown: reader.unknown, failure: reader.failure }
}

struct Reader<'s> {
    schema: &'s Schema,
    unknown: Vec<String>,
    failure: Option<Failure>,
    /// Names of the fields on the way, as Go's errors list them.
    trail: Vec<Text>,
}

fn go_type(node: &Node) -> &str {
    node.declared.as_ref().and_then(|it| it.go_type.as_deref()).unwrap_or("interface {}")
}

fn short(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

impl Reader<'_> {
    /// What Go keeps of a value; nothing of null. `structure` is the type that holds the field.
    fn value(
        &mut self,
        value: &Value,
        id: NodeId,
        structure: &str,
        path: &Path<'_>,
        depth: usize,
    ) -> Option<Value> {
        let schema = self.schema;
        let node = schema.node(id);
        if value.is_null() {
            return None;
        }
        let go = go_type(node);
        match go {
            "resource.Quantity" => return self.parsed(value, quantity(value), path),
            "intstr.IntOrString" => return self.parsed(value, int_or_string(value), path),
            "v1.Time" | "v1.MicroTime" => return self.parsed(value, time(value, go), path),
            "[]uint8" if matches!(value, Value::Str(_)) => {
                return self.parsed(value, bytes(value), path);
            }
            _ => {}
        }
        if depth > DEPTH_MAX {
            self.fail(path, format!("exceeded max depth {DEPTH_MAX}"));
            return None;
        }
        match (node.ty, value) {
            (Type::Any, _) => Some(value.clone()),
            (Type::Object, Value::Map(map)) => {
                Some(Value::Map(self.map(map, node, go, structure, path, depth)))
            }
            (Type::Array, Value::List(list)) => {
                let Some(items) = node.items else { return Some(value.clone()) };
                let kept = list.iter().enumerate().map(|(at, item)| {
                    let read = self.value(item, items, structure, &path.index(at), depth + 1);
                    read.unwrap_or(Value::Null)
                });
                Some(Value::from(kept.collect::<Vec<Value>>()))
            }
            (Type::String, Value::Str(_)) | (Type::Boolean, Value::Bool(_)) => Some(value.clone()),
            (Type::Number, Value::Int(_) | Value::Float(_)) => Some(value.clone()),
            (Type::IntOrString, Value::Int(_) | Value::Str(_)) => Some(value.clone()),
            (Type::Integer, Value::Int(number)) => {
                if go != "int32" || i32::try_from(*number).is_ok() {
                    return Some(value.clone());
                }
                self.mismatch(&format!("number {number}"), structure, go, path)
            }
            (Type::Integer, Value::Float(_)) => {
                let shown = format!("number {}", json::encode_string(value));
                self.mismatch(&shown, structure, go, path)
            }
            _ => self.mismatch(json_type(value), structure, go, path),
        }
    }

    fn map(
        &mut self,
        map: &Map,
        node: &Node,
        go: &str,
        structure: &str,
        path: &Path<'_>,
        depth: usize,
    ) -> Map {
        if node.preserve_unknown && node.properties.is_empty() {
            return map.clone();
        }
        let mut kept = Vec::with_capacity(map.len());
        for (key, value) in map.iter() {
            let place = path.child(key);
            let read = if let Some(id) = node.property(key) {
                self.trail.push(key.clone());
                let read = self.value(value, id, short(go), &place, depth + 1);
                self.trail.pop();
                read
            } else {
                match node.additional {
                    Additional::Node(id) => {
                        self.value(value, id, structure, &path.key(key), depth + 1)
                    }
                    Additional::Any => Some(value.clone()),
                    Additional::Absent if node.preserve_unknown => Some(value.clone()),
                    Additional::Absent | Additional::Forbidden => {
                        self.unknown.push(place.to_string());
                        None
                    }
                }
            };
            if let Some(read) = read {
                kept.push((key.clone(), read));
            }
        }
        Map::from_sorted(kept)
    }

    fn parsed(
        &mut self,
        value: &Value,
        parsed: Result<(), String>,
        path: &Path<'_>,
    ) -> Option<Value> {
        match parsed {
            Ok(()) => Some(value.clone()),
            Err(why) => {
                self.fail(path, why);
                None
            }
        }
    }

    fn mismatch(
        &mut self,
        found: &str,
        structure: &str,
        go: &str,
        path: &Path<'_>,
    ) -> Option<Value> {
        let message = if structure.is_empty() {
            format!("json: cannot unmarshal {found} into Go value of type {go}")
        } else {
            let trail: Vec<&str> = self.trail.iter().map(Text::as_str).collect();
            let trail = trail.join(".");
            format!(
                "json: cannot unmarshal {found} into Go struct field {structure}.{trail} of type {go}"
            )
        };
        self.fail(path, message);
        None
    }

    /// The first failure is the one that is told.
    fn fail(&mut self, path: &Path<'_>, message: String) {
        if self.failure.is_none() {
            self.failure = Some(Failure { field: path.to_string(), message });
        }
    }
}

fn quantity(value: &Value) -> Result<(), String> {
    let text = match value {
        Value::Str(text) => text.to_string(),
        Value::Int(_) | Value::Float(_) => json::encode_string(value),
        _ => json::encode_string(value),
    };
    Quantity::parse(&text).map(drop).map_err(|error| error.to_string())
}

fn int_or_string(value: &Value) -> Result<(), String> {
    let wrong =
        |found: &str| Err(format!("json: cannot unmarshal {found} into Go value of type int32"));
    match value {
        Value::Str(_) => Ok(()),
        Value::Int(number) if i32::try_from(*number).is_ok() => Ok(()),
        Value::Int(_) | Value::Float(_) => wrong(&format!("number {}", json::encode_string(value))),
        other => wrong(json_type(other)),
    }
}

fn time(value: &Value, go: &str) -> Result<(), String> {
    let Value::Str(text) = value else {
        let found = json_type(value);
        return Err(format!("json: cannot unmarshal {found} into Go value of type string"));
    };
    let parsed = if go == "v1.MicroTime" { Time::decode_micro(text) } else { Time::decode(text) };
    parsed.map(drop).map_err(|error| error.to_string())
}

fn bytes(value: &Value) -> Result<(), String> {
    let text = value.as_str().unwrap_or_default();
    base64::decode(text).map(drop).map_err(|at| format!("illegal base64 data at input byte {at}"))
}

/// The checks of metadata, with the rule for names that the kind has.
pub(crate) fn validate_meta(
    object: &Value,
    group: &str,
    kind: &str,
    namespaced: bool,
) -> ErrorList {
    object_meta::validate(
        ObjectMeta::of(object),
        namespaced,
        name_rule(group, kind),
        &Path::new("metadata"),
    )
}

fn name_rule(group: &str, kind: &str) -> fn(&str, bool) -> Vec<String> {
    match (group, kind) {
        ("", "Service") => name::label_1035_rule,
        ("", "Namespace") => name::label_rule,
        ("rbac.authorization.k8s.io", _) => name::path_segment_rule,
        ("", _) | ("apps" | "batch" | "policy" | "autoscaling" | "extensions", _) => {
            name::subdomain_rule
        }
        (group, _) if group.ends_with(".k8s.io") => name::subdomain_rule,
        // Of others only what every name must be is known.
        _ => name::path_segment_rule,
    }
}
