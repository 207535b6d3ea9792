//! JSON of typed kinds: reads a value as a Go type would, names what it does not know, and gives
//! it back in the form in which that type writes itself.
//!
//! There are two readers: Go's JSON decoder, and the converter that takes the result of a
//! strategic merge patch. In the decoder a type with a reader of its own ends the reading with its
//! error, while a value of the wrong type is remembered, the first of them, and reading goes on.
//! The converter ends with its first error, and bends numbers to the type.

use ordain_schema::{Additional, Node, NodeId, Schema, Type, base64};
use ordain_value::go_format::json_type;
use ordain_value::{List, Map, Text, Value};

use super::converter;
use super::special::{self, Refusal, Special};

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
    /// Names of the fields from the root, joined by dots, those of embedded structures included.
    field: String,
    /// With the indices of lists, for unknown fields.
    path: String,
}

/// Who reads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Decoder,
    Converter,
}

struct Reader<'a> {
    mode: Mode,
    schema: &'a Schema,
    findings: Findings,
    /// The first value of the wrong type.
    mismatch: Option<String>,
}

/// Nothing declared is deeper than this; the limit is for declarations that are recursive.
const DEPTH_MAX: usize = 64;

/// Reads all fields of an object but `apiVersion`, `kind` and `metadata`.
///
/// # Errors
/// In the words of Go's decoder.
pub fn decode(schema: &Schema, body: &Map, known: &[&str]) -> Result<(Map, Findings), String> {
    read(Mode::Decoder, schema, body, known)
}

/// Reads all fields of a patched object but `apiVersion` and `kind`, as Go's converter from
/// unstructured content does.
///
/// # Errors
/// In the words of the converter.
pub fn convert(schema: &Schema, body: &Map, known: &[&str]) -> Result<(Map, Findings), String> {
    read(Mode::Converter, schema, body, known)
}

fn read(
    mode: Mode,
    schema: &Schema,
    body: &Map,
    known: &[&str],
) -> Result<(Map, Findings), String> {
    let mut reader = Reader { mode, schema, findings: Findings::default(), mismatch: None };
    let root = schema.root_node();
    let place = Place { structure: go_name(root), field: String::new(), path: String::new() };
    let map = reader.structure(root, body, &place, known, 0)?;
    match reader.mismatch {
        Some(why) => Err(why),
        None => Ok((map, reader.findings)),
    }
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
            let value = match given.get(name) {
                None | Some(Value::Null) => None,
                Some(value) => {
                    let outer =
                        embedded(field).iter().fold(place.field.clone(), |at, it| join(&at, it));
                    let (field_path, path) = (join(&outer, name), join(&place.path, name));
                    let inner = Place { structure, field: field_path, path };
                    Some(self.value(field, value, &inner, depth + 1)?)
                }
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
        let Some(declared) = field.declared.as_deref() else { return Ok(value) };
        if declared.pointer {
            return Ok(value);
        }
        let value = match value {
            Some(value) => value,
            None if declared.strip_zero && !is_struct_value(field) => return Ok(None),
            None if is_bytes(field) => Value::Null,
            None => self.zero(field, depth)?,
        };
        let left_out = match is_struct_value(field) {
            true => declared.omit_zero && value.is_null(),
            false => declared.strip_zero && is_left_out(&value),
        };
        Ok((!left_out).then_some(value))
    }

    /// The zero value of a place as it is written.
    fn zero(&mut self, node: &Node, depth: usize) -> Result<Value, String> {
        if let Some(special) = Special::of(node) {
            return Ok(special.zero());
        }
        if is_structure(node) {
            let place = Place { structure: "", field: String::new(), path: String::new() };
            return self.structure(node, &Map::new(), &place, &[], depth + 1).map(Value::Map);
        }
        Ok(match node.ty {
            Type::String => Value::str(""),
            Type::Boolean => Value::Bool(false),
            Type::Integer | Type::Number | Type::IntOrString => Value::Int(0),
            Type::Object | Type::Array | Type::Any => Value::Null,
        })
    }

    fn value(
        &mut self,
        node: &Node,
        value: &Value,
        place: &Place<'_>,
        depth: usize,
    ) -> Result<Value, String> {
        if let Some(special) = Special::of(node) {
            return self.special(special, value, place);
        }
        match (node.ty, value) {
            (Type::Object, Value::Map(map)) if is_structure(node) => {
                self.structure(node, map, place, &[], depth).map(Value::Map)
            }
            (Type::Object, Value::Map(map)) => self.map(node, map, place, depth),
            (Type::Array, Value::List(list)) => self.list(node, list, place, depth),
            (Type::String, _) if is_bytes(node) => self.bytes(value, place),
            (Type::Integer, Value::Int(number)) if in_range(go_type(node), *number) => {
                Ok(value.clone())
            }
            (Type::String, Value::Str(_))
            | (Type::Boolean, Value::Bool(_))
            | (Type::Number, Value::Int(_) | Value::Float(_))
            | (Type::Any | Type::IntOrString, _) => Ok(value.clone()),
            _ if self.mode == Mode::Converter => converter::converted(node, value),
            _ => {
                let found = match value {
                    Value::Int(_) | Value::Float(_) if node.ty == Type::Integer => {
                        format!("number {}", special::number_text(value))
                    }
                    other => json_type(other).to_owned(),
                };
                self.wrong_type(&found, place, go_type(node));
                self.zero(node, depth)
            }
        }
    }

    fn special(&self, special: Special, value: &Value, place: &Place<'_>) -> Result<Value, String> {
        special.read(value).map_err(|refusal| match refusal {
            Refusal::Type { found, expected } if self.mode == Mode::Decoder => {
                in_field(&found, place, expected)
            }
            other => other.to_string(),
        })
    }

    fn map(
        &mut self,
        node: &Node,
        map: &Map,
        place: &Place<'_>,
        depth: usize,
    ) -> Result<Value, String> {
        let Additional::Node(id) = node.additional else { return Ok(Value::Map(map.clone())) };
        let mut out = Vec::with_capacity(map.len());
        for (key, value) in map.iter() {
            let inner = Place { path: join(&place.path, key), ..place.clone() };
            out.push((key.clone(), self.element(id, value, &inner, depth)?));
        }
        Ok(Value::Map(Map::from_entries(out)))
    }

    fn list(
        &mut self,
        node: &Node,
        list: &List,
        place: &Place<'_>,
        depth: usize,
    ) -> Result<Value, String> {
        let Some(id) = node.items else { return Ok(Value::List(list.clone())) };
        let mut out = Vec::with_capacity(list.len());
        for (at, value) in list.iter().enumerate() {
            let inner = Place { path: format!("{}[{at}]", place.path), ..place.clone() };
            out.push(self.element(id, value, &inner, depth)?);
        }
        Ok(Value::List(List::from(out)))
    }

    fn element(
        &mut self,
        id: NodeId,
        value: &Value,
        place: &Place<'_>,
        depth: usize,
    ) -> Result<Value, String> {
        let node = self.schema.node(id);
        match value {
            Value::Null => self.zero(node, depth + 1),
            value => self.value(node, value, place, depth + 1),
        }
    }

    /// `[]byte`: base64 text, or a list of numbers.
    fn bytes(&mut self, value: &Value, place: &Place<'_>) -> Result<Value, String> {
        let bytes: Vec<u8> = match value {
            Value::Str(text) => match base64::decode(text) {
                Ok(bytes) => bytes,
                Err(at) => {
                    let why = format!("illegal base64 data at input byte {at}");
                    if self.mode == Mode::Converter {
                        return Err(format!("error decoding from json: {why}"));
                    }
                    self.mismatch.get_or_insert(why);
                    return Ok(Value::Null);
                }
            },
            Value::List(list) => list.iter().filter_map(|item| self.byte(item, place)).collect(),
            other if self.mode == Mode::Converter => return Err(converter::no_slice(other)),
            other => {
                self.wrong_type(json_type(other), place, "[]uint8");
                return Ok(Value::Null);
            }
        };
        Ok(Value::from(base64::encode(&bytes)))
    }

    fn byte(&mut self, value: &Value, place: &Place<'_>) -> Option<u8> {
        let found = match value {
            Value::Null => return Some(0),
            Value::Int(number) => match u8::try_from(*number) {
                Ok(byte) => return Some(byte),
                Err(_) => format!("number {number}"),
            },
            Value::Float(_) => format!("number {}", special::number_text(value)),
            other => json_type(other).to_owned(),
        };
        self.wrong_type(&found, place, "uint8");
        None
    }

    fn wrong_type(&mut self, found: &str, place: &Place<'_>, expected: &str) {
        self.mismatch.get_or_insert_with(|| in_field(found, place, expected));
    }
}

/// Go's words for a value of the wrong type in a field.
fn in_field(found: &str, place: &Place<'_>, expected: &str) -> String {
    let (structure, field) = (place.structure, &place.field);
    format!(
        "json: cannot unmarshal {found} into Go struct field {structure}.{field} of type {expected}"
    )
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

pub(super) fn go_type(node: &Node) -> &str {
    let declared = node.declared.as_ref();
    declared.and_then(|declared| declared.go_type.as_deref()).unwrap_or("interface {}")
}

/// The Go type without its package.
fn go_name(node: &Node) -> &str {
    let name = go_type(node);
    name.rsplit_once('.').map_or(name, |(_, name)| name)
}

/// The structures that hold the field and that its JSON does not show.
fn embedded(field: &Node) -> &[Text] {
    field.declared.as_ref().map_or(&[], |declared| &declared.embedded)
}

pub fn is_structure(node: &Node) -> bool {
    node.ty == Type::Object && !node.properties.is_empty()
}

/// Whether Go holds the value as a struct, which `omitempty` never leaves out.
fn is_struct_value(node: &Node) -> bool {
    is_structure(node) || Special::of(node).is_some()
}

pub fn is_time(node: &Node) -> bool {
    matches!(Special::of(node), Some(Special::Time | Special::MicroTime))
}

pub fn is_micro_time(node: &Node) -> bool {
    Special::of(node) == Some(Special::MicroTime)
}

pub fn is_bytes(node: &Node) -> bool {
    go_type(node) == "[]uint8"
}

/// Whether a whole number fits the Go type.
fn in_range(go_type: &str, number: i64) -> bool {
    match go_type {
        "int32" => i32::try_from(number).is_ok(),
        "int16" => i16::try_from(number).is_ok(),
        "int8" => i8::try_from(number).is_ok(),
        "uint8" => u8::try_from(number).is_ok(),
        "uint16" => u16::try_from(number).is_ok(),
        "uint32" => u32::try_from(number).is_ok(),
        "uint" | "uint64" => number >= 0,
        _ => true,
    }
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
