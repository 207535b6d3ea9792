//! JSON of typed kinds: reads a value as a Go type would, names what it does not know, and gives
//! it back in the form in which that type writes itself.

use ordain_meta::time::Time;
use ordain_schema::{Additional, Node, Schema, Type, base64};
use ordain_value::{List, Map, Text, Value, json};

/// What is not understood in one body.
#[derive(Debug, Default)]
pub struct Findings {
    /// `unknown field "…"`
    pub unknown: Vec<String>,
}

/// Where reading stands, for the texts of refusals.
#[derive(Clone)]
struct Place<'a> {
    /// The structure that the field belongs to, without its package.
    structure: &'a str,
    /// Names of the fields from the root, joined by dots.
    field: String,
    /// With the indices of lists, for unknown fields.
    path: String,
}

struct Reader<'a> {
    schema: &'a Schema,
    findings: Findings,
}

/// Nothing declared is deeper than this; the limit is for declarations that are recursive.
const DEPTH_MAX: usize = 64;

/// Reads all fields of an object but `apiVersion`, `kind` and `metadata`.
pub fn decode(schema: &Schema, body: &Map, known: &[&str]) -> Result<(Map, Findings), String> {
    let mut reader = Reader { schema, findings: Findings::default() };
    let root = schema.root_node();
    let kind = go_name(root);
    let place = Place { structure: kind, field: String::new(), path: String::new() };
    let map = reader.structure(root, body, &place, known, 0)?;
    Ok((map, reader.findings))
}

impl Reader<'_> {
    fn structure(
        &mut self,
        node: &Node,
        given: &Map,
        place: &Place<'_>,
        skip: &[&str],
        depth: usize,
    ) -> Result<Map, String> {
        if depth > DEPTH_MAX {
            return Err("json: exceeded max depth".to_owned());
        }
        let structure = go_name(node);
        for key in given.keys() {
            if node.property(key).is_none() && !skip.contains(&key.as_str()) {
                let path = join(&place.path, key);
                self.findings.unknown.push(format!("unknown field \"{path}\""));
            }
        }
        let mut out = Map::new();
        for (name, id) in &node.properties {
            if skip.contains(&name.as_str()) {
                continue;
            }
            let field = self.schema.node(*id);
            let inner =
                Place { structure, field: join(&place.field, name), path: join(&place.path, name) };
            let value = match given.get(name) {
                None | Some(Value::Null) => None,
                Some(value) => Some(self.value(field, value, &inner, depth + 1)?),
            };
            if let Some(value) = self.written(field, value, depth)? {
                out.insert(name.clone(), value);
            }
        }
        Ok(out)
    }

    /// How the field is written, or nothing when it is left out.
    fn written(
        &mut self,
        field: &Node,
        value: Option<Value>,
        depth: usize,
    ) -> Result<Option<Value>, String> {
        let declared = field.declared.as_deref();
        let (pointer, omit) = declared.map_or((false, false), |it| (it.pointer, it.strip_zero));
        match value {
            Some(value) if pointer => Ok(Some(value)),
            Some(value) if omit && is_left_out(&value) && !is_structure(field) => Ok(None),
            Some(value) => Ok(Some(value)),
            None if pointer => Ok(None),
            None if is_structure(field) => {
                let place = Place { structure: "", field: String::new(), path: String::new() };
                let zero = self.structure(field, &Map::new(), &place, &[], depth + 1)?;
                Ok(Some(Value::Map(zero)))
            }
            None if is_time(field) => Ok(Some(Value::Null)),
            None if omit => Ok(None),
            None => Ok(Some(zero(field))),
        }
    }

    fn value(
        &mut self,
        node: &Node,
        value: &Value,
        place: &Place<'_>,
        depth: usize,
    ) -> Result<Value, String> {
        match node.ty {
            Type::Object if !node.properties.is_empty() => match value {
                Value::Map(map) => self.structure(node, map, place, &[], depth).map(Value::Map),
                other => Err(mismatch(other, place, go_type(node))),
            },
            Type::Object => self.map(node, value, place, depth),
            Type::Array => self.list(node, value, place, depth),
            Type::String if is_time(node) => time(node, value),
            Type::String if is_bytes(node) => bytes(value, place),
            Type::String => match value {
                Value::Str(_) => Ok(value.clone()),
                other => Err(mismatch(other, place, go_type(node))),
            },
            Type::Boolean => match value {
                Value::Bool(_) => Ok(value.clone()),
                other => Err(mismatch(other, place, go_type(node))),
            },
            Type::Integer => integer(node, value, place),
            Type::IntOrString => match value {
                Value::Str(_) | Value::Int(_) => Ok(value.clone()),
                other => Err(mismatch(other, place, "string")),
            },
            Type::Number | Type::Any => Ok(value.clone()),
        }
    }

    fn map(
        &mut self,
        node: &Node,
        value: &Value,
        place: &Place<'_>,
        depth: usize,
    ) -> Result<Value, String> {
        let Value::Map(map) = value else {
            return Err(mismatch(value, place, go_type(node)));
        };
        let Additional::Node(id) = node.additional else { return Ok(value.clone()) };
        let element = self.schema.node(id);
        let mut out = Vec::with_capacity(map.len());
        for (key, value) in map.iter() {
            let inner = Place { path: join(&place.path, key), ..place.clone() };
            let value = match value {
                Value::Null => zero(element),
                value => self.value(element, value, &inner, depth + 1)?,
            };
            out.push((key.clone(), value));
        }
        Ok(Value::Map(Map::from_entries(out)))
    }

    fn list(
        &mut self,
        node: &Node,
        value: &Value,
        place: &Place<'_>,
        depth: usize,
    ) -> Result<Value, String> {
        let Value::List(list) = value else {
            return Err(mismatch(value, place, go_type(node)));
        };
        let Some(id) = node.items else { return Ok(value.clone()) };
        let element = self.schema.node(id);
        let mut out = Vec::with_capacity(list.len());
        for (at, value) in list.iter().enumerate() {
            let inner = Place { path: format!("{}[{at}]", place.path), ..place.clone() };
            let value = match value {
                Value::Null if is_structure(element) => {
                    Value::Map(self.structure(element, &Map::new(), &inner, &[], depth + 1)?)
                }
                Value::Null => zero(element),
                value => self.value(element, value, &inner, depth + 1)?,
            };
            out.push(value);
        }
        Ok(Value::List(List::from(out)))
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

fn go_type(node: &Node) -> &str {
    let declared = node.declared.as_ref();
    declared.and_then(|declared| declared.go_type.as_deref()).unwrap_or("interface {}")
}

/// The Go type without its package.
fn go_name(node: &Node) -> &str {
    let name = go_type(node);
    name.rsplit_once('.').map_or(name, |(_, name)| name)
}

pub fn is_structure(node: &Node) -> bool {
    node.ty == Type::Object && !node.properties.is_empty()
}

pub fn is_time(node: &Node) -> bool {
    matches!(go_type(node), "v1.Time" | "v1.MicroTime")
}

pub fn is_micro_time(node: &Node) -> bool {
    go_type(node) == "v1.MicroTime"
}

pub fn is_bytes(node: &Node) -> bool {
    go_type(node) == "[]uint8"
}

/// Whether `omitempty` leaves the value out.
fn is_left_out(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(flag) => !flag,
        Value::Int(number) => *number == 0,
        Value::Float(number) => *number == 0.0,
        Value::Str(text) => text.is_empty(),
        Value::List(list) => list.is_empty(),
        Value::Map(map) => map.is_empty(),
    }
}

fn zero(node: &Node) -> Value {
    match node.ty {
        Type::String if is_time(node) => Value::Null,
        Type::String => Value::str(""),
        Type::Boolean => Value::Bool(false),
        Type::Integer | Type::Number | Type::IntOrString => Value::Int(0),
        Type::Object | Type::Array | Type::Any => Value::Null,
    }
}

fn mismatch(value: &Value, place: &Place<'_>, expected: &str) -> String {
    let found = match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Int(_) | Value::Float(_) => "number",
        Value::Str(_) => "string",
        Value::List(_) => "array",
        Value::Map(_) => "object",
    };
    unfit(found, place, expected)
}

fn unfit(found: &str, place: &Place<'_>, expected: &str) -> String {
    let (structure, field) = (place.structure, &place.field);
    format!(
        "json: cannot unmarshal {found} into Go struct field {structure}.{field} of type {expected}"
    )
}

fn integer(node: &Node, value: &Value, place: &Place<'_>) -> Result<Value, String> {
    let expected = go_type(node);
    match value {
        Value::Int(number) if expected != "int32" || i32::try_from(*number).is_ok() => {
            Ok(value.clone())
        }
        Value::Int(_) | Value::Float(_) => {
            Err(unfit(&format!("number {}", json::encode_string(value)), place, expected))
        }
        other => Err(mismatch(other, place, expected)),
    }
}

fn time(node: &Node, value: &Value) -> Result<Value, String> {
    let Value::Str(text) = value else {
        let found = match value {
            Value::Bool(_) => "bool",
            Value::List(_) => "array",
            Value::Map(_) => "object",
            _ => "number",
        };
        return Err(format!("json: cannot unmarshal {found} into Go value of type string"));
    };
    let written = if is_micro_time(node) {
        Time::decode_micro(text).map(|time| time.encode_micro())
    } else {
        Time::decode(text).map(|time| time.encode())
    };
    written.map(Value::from).map_err(|error| error.to_string())
}

fn bytes(value: &Value, place: &Place<'_>) -> Result<Value, String> {
    let Value::Str(text) = value else { return Err(mismatch(value, place, "[]uint8")) };
    match base64::decode(text) {
        Ok(bytes) => Ok(Value::from(base64::encode(&bytes))),
        Err(at) => Err(format!("illegal base64 data at input byte {at}")),
    }
}

/// The declared fields of an object with nothing set.
pub fn empty(schema: &Schema, skip: &[&str]) -> Map {
    decode(schema, &Map::new(), skip).map(|(map, _)| map).unwrap_or_default()
}

pub fn text_at<'a>(object: &'a Value, path: &[&str]) -> &'a str {
    object.get_path(path).and_then(Value::as_str).unwrap_or("")
}

pub fn to_text(object: &Value, path: &[&str]) -> Text {
    Text::from(text_at(object, path))
}
