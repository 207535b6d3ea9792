//! The protobuf form of declared kinds, driven by the field numbers of their schema.
//!
//! An object travels in an envelope: four magic bytes and a message with its type and its bytes.

use std::collections::BTreeMap;

use ordain_meta::time::Time;
use ordain_schema::{Additional, Node, Schema, Type, base64};
use ordain_value::{List, Map, Text, Value, json};

use super::codec;

pub const MAGIC: [u8; 4] = *b"k8s\0";

/// Messages within messages; nothing declared comes near.
const DEPTH_MAX: usize = 64;

const VARINT: u8 = 0;
const FIXED64: u8 = 1;
const BYTES: u8 = 2;
const FIXED32: u8 = 5;

/// Why bytes are no message of the kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct WireError(pub String);

/// An object in its envelope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Envelope<'a> {
    pub api_version: String,
    pub kind: String,
    pub raw: &'a [u8],
    pub content_type: String,
}

fn malformed(why: &str) -> WireError {
    WireError(why.to_owned())
}

/// One field of a message as it stands in the bytes.
enum Wire<'a> {
    Number(u64),
    Bytes(&'a [u8]),
    /// A fixed width that no declared field has.
    Skipped,
}

struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn varint(&mut self) -> Result<u64, WireError> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.0.split_first().ok_or_else(|| malformed("unexpected EOF"))?;
            self.0 = rest;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return Err(malformed("proto: integer overflow"));
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(malformed("proto: integer overflow"))
    }

    fn take(&mut self, len: u64) -> Result<&'a [u8], WireError> {
        let len = usize::try_from(len).map_err(|_| malformed("proto: invalid length"))?;
        if len > self.0.len() {
            return Err(malformed("unexpected EOF"));
        }
        let (taken, rest) = self.0.split_at(len);
        self.0 = rest;
        Ok(taken)
    }

    fn next(&mut self) -> Result<Option<(u32, Wire<'a>)>, WireError> {
        if self.0.is_empty() {
            return Ok(None);
        }
        let tag = self.varint()?;
        let number = u32::try_from(tag >> 3).map_err(|_| malformed("proto: illegal tag"))?;
        if number == 0 {
            return Err(malformed("proto: illegal tag 0"));
        }
        let wire = match u8::try_from(tag & 7).unwrap_or(7) {
            VARINT => Wire::Number(self.varint()?),
            FIXED64 => self.take(8).map(|_| Wire::Skipped)?,
            BYTES => {
                let len = self.varint()?;
                Wire::Bytes(self.take(len)?)
            }
            FIXED32 => self.take(4).map(|_| Wire::Skipped)?,
            other => return Err(WireError(format!("proto: illegal wireType {other}"))),
        };
        Ok(Some((number, wire)))
    }
}

fn text(bytes: &[u8]) -> Result<String, WireError> {
    let text = std::str::from_utf8(bytes).map_err(|_| malformed("proto: invalid UTF-8"))?;
    Ok(text.to_owned())
}

/// Opens an envelope.
///
/// # Errors
/// When the magic bytes are missing or the envelope is malformed.
pub fn open(bytes: &[u8]) -> Result<Envelope<'_>, WireError> {
    let Some(body) = bytes.strip_prefix(&MAGIC) else {
        return Err(malformed(
            "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]",
        ));
    };
    let mut envelope = Envelope {
        api_version: String::new(),
        kind: String::new(),
        raw: &[],
        content_type: String::new(),
    };
    let mut input = Input(body);
    while let Some((number, wire)) = input.next()? {
        match (number, wire) {
            (1, Wire::Bytes(bytes)) => {
                let mut inner = Input(bytes);
                while let Some((number, wire)) = inner.next()? {
                    match (number, wire) {
                        (1, Wire::Bytes(bytes)) => envelope.api_version = text(bytes)?,
                        (2, Wire::Bytes(bytes)) => envelope.kind = text(bytes)?,
                        _ => {}
                    }
                }
            }
            (2, Wire::Bytes(bytes)) => envelope.raw = bytes,
            (4, Wire::Bytes(bytes)) => envelope.content_type = text(bytes)?,
            _ => {}
        }
    }
    Ok(envelope)
}

/// Reads the message of a kind. Type and metadata come out as any other field.
///
/// # Errors
/// When the bytes are no such message.
pub fn decode(schema: &Schema, envelope: &Envelope<'_>) -> Result<Value, WireError> {
    let mut map = message(schema, schema.root_node(), envelope.raw, 0)?;
    map.insert("apiVersion", envelope.api_version.as_str().into());
    map.insert("kind", envelope.kind.as_str().into());
    Ok(Value::Map(map))
}

/// The resourceVersion of a list.
///
/// # Errors
/// When the bytes are no list.
pub fn list_version(envelope: &Envelope<'_>) -> Result<String, WireError> {
    let mut input = Input(envelope.raw);
    while let Some((number, wire)) = input.next()? {
        let (1, Wire::Bytes(metadata)) = (number, wire) else { continue };
        let mut metadata = Input(metadata);
        while let Some((number, wire)) = metadata.next()? {
            if let (2, Wire::Bytes(version)) = (number, wire) {
                return text(version);
            }
        }
    }
    Ok(String::new())
}

fn message(schema: &Schema, node: &Node, bytes: &[u8], depth: usize) -> Result<Map, WireError> {
    if depth > DEPTH_MAX {
        return Err(malformed("proto: message nested too deep"));
    }
    let mut fields = Fields::default();
    let mut input = Input(bytes);
    while let Some((number, wire)) = input.next()? {
        let Some((name, field)) = by_number(schema, node, number) else { continue };
        read_field(schema, field, name, wire, &mut fields, depth)?;
    }
    Ok(fields.finish())
}

fn by_number<'a>(schema: &'a Schema, node: &'a Node, number: u32) -> Option<(&'a Text, &'a Node)> {
    node.properties.iter().map(|(name, id)| (name, schema.node(*id))).find(|(_, field)| {
        field.declared.as_ref().and_then(|declared| declared.protobuf) == Some(number)
    })
}

/// The fields of a message that were read so far. Members of maps come one by one and in any order.
#[derive(Default)]
struct Fields {
    map: Map,
    members: BTreeMap<Text, Vec<(Text, Value)>>,
}

impl Fields {
    fn finish(mut self) -> Map {
        for (name, members) in self.members {
            self.map.insert(name, Value::Map(Map::from_entries(members)));
        }
        self.map
    }
}

fn read_field(
    schema: &Schema,
    field: &Node,
    name: &Text,
    wire: Wire<'_>,
    fields: &mut Fields,
    depth: usize,
) -> Result<(), WireError> {
    if field.ty == Type::Array {
        let Some(items) = field.items else { return Ok(()) };
        let value = single(schema, schema.node(items), wire, depth)?;
        let slot = fields.map.get_or_insert_null(name);
        if !matches!(slot, Value::List(_)) {
            *slot = Value::List(List::new());
        }
        if let Some(list) = slot.as_list_mut() {
            list.push(value);
        }
        return Ok(());
    }
    if let Additional::Node(element) = field.additional {
        let Wire::Bytes(bytes) = wire else { return Err(wrong_wire(name)) };
        let (mut key, mut value) = (String::new(), None);
        let mut input = Input(bytes);
        while let Some((number, wire)) = input.next()? {
            match (number, wire) {
                (1, Wire::Bytes(bytes)) => key = text(bytes)?,
                (2, wire) => value = Some(single(schema, schema.node(element), wire, depth)?),
                _ => {}
            }
        }
        let members = fields.members.entry(name.clone()).or_default();
        members.push((key.into(), value.unwrap_or(Value::Null)));
        return Ok(());
    }
    let value = single(schema, field, wire, depth)?;
    fields.map.insert(name.clone(), value);
    Ok(())
}

fn wrong_wire(name: &str) -> WireError {
    WireError(format!("proto: wrong wireType for field {name}"))
}

fn single(schema: &Schema, node: &Node, wire: Wire<'_>, depth: usize) -> Result<Value, WireError> {
    match (node.ty, wire) {
        (Type::Boolean, Wire::Number(number)) => Ok(Value::Bool(number != 0)),
        (Type::Integer, Wire::Number(number)) => Ok(Value::Int(number.cast_signed())),
        (Type::String, Wire::Bytes(bytes)) if codec::is_time(node) => time(node, bytes),
        (Type::String, Wire::Bytes(bytes)) if codec::is_bytes(node) => {
            Ok(base64::encode(bytes).into())
        }
        (Type::String, Wire::Bytes(bytes)) => text(bytes).map(Value::from),
        (Type::IntOrString, Wire::Bytes(bytes)) => int_or_string(bytes),
        (Type::Array, Wire::Bytes(bytes)) => {
            let mut items = Vec::new();
            let mut input = Input(bytes);
            while let Some((number, wire)) = input.next()? {
                if let (1, Wire::Bytes(bytes)) = (number, wire) {
                    items.push(Value::from(text(bytes)?));
                }
            }
            Ok(items.into())
        }
        (Type::Object, Wire::Bytes(bytes)) if node.properties.is_empty() => raw_json(bytes),
        (Type::Object, Wire::Bytes(bytes)) => {
            message(schema, node, bytes, depth + 1).map(Value::Map)
        }
        _ => Err(wrong_wire("value")),
    }
}

fn time(node: &Node, bytes: &[u8]) -> Result<Value, WireError> {
    if bytes.is_empty() {
        return Ok(Value::Null);
    }
    let (mut seconds, mut nanos) = (0_i64, 0_u32);
    let mut input = Input(bytes);
    while let Some((number, wire)) = input.next()? {
        match (number, wire) {
            (1, Wire::Number(number)) => seconds = number.cast_signed(),
            (2, Wire::Number(number)) => nanos = u32::try_from(number).unwrap_or(0),
            _ => {}
        }
    }
    if codec::is_micro_time(node) {
        return Ok(Time::from_unix(seconds, nanos / 1000 * 1000).encode_micro().into());
    }
    Ok(Time::from_unix(seconds, 0).encode().into())
}

fn int_or_string(bytes: &[u8]) -> Result<Value, WireError> {
    let (mut is_text, mut number, mut string) = (false, 0, String::new());
    let mut input = Input(bytes);
    while let Some(field) = input.next()? {
        match field {
            (1, Wire::Number(ty)) => is_text = ty == 1,
            (2, Wire::Number(value)) => number = value.cast_signed(),
            (3, Wire::Bytes(bytes)) => string = text(bytes)?,
            _ => {}
        }
    }
    Ok(if is_text { string.into() } else { Value::Int(number) })
}

/// A message whose only field is JSON.
fn raw_json(bytes: &[u8]) -> Result<Value, WireError> {
    let mut input = Input(bytes);
    while let Some((number, wire)) = input.next()? {
        if let (1, Wire::Bytes(raw)) = (number, wire) {
            return json::decode(raw).map_err(|error| WireError(error.to_string()));
        }
    }
    Ok(Value::Null)
}

/// Writes a number of variable length.
pub fn put_varint(mut number: u64, out: &mut Vec<u8>) {
    loop {
        let byte = u8::try_from(number & 0x7f).unwrap_or(0);
        number >>= 7;
        if number == 0 {
            out.push(byte);
            return;
        }
        out.push(byte | 0x80);
    }
}

/// Writes the tag of a field.
pub fn put_tag(number: u32, wire: u8, out: &mut Vec<u8>) {
    put_varint(u64::from(number) << 3 | u64::from(wire), out);
}

/// Writes a field of bytes.
pub fn put_bytes(number: u32, bytes: &[u8], out: &mut Vec<u8>) {
    put_tag(number, BYTES, out);
    put_varint(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

/// Puts a message into its envelope.
#[must_use]
pub fn seal(api_version: &str, kind: &str, raw: &[u8]) -> Vec<u8> {
    let mut ty = Vec::new();
    put_bytes(1, api_version.as_bytes(), &mut ty);
    put_bytes(2, kind.as_bytes(), &mut ty);
    let mut out = MAGIC.to_vec();
    put_bytes(1, &ty, &mut out);
    put_bytes(2, raw, &mut out);
    put_bytes(3, b"", &mut out);
    put_bytes(4, b"", &mut out);
    out
}

/// An object of the kind in its envelope.
#[must_use]
pub fn encode(schema: &Schema, object: &Value) -> Vec<u8> {
    let text = |name: &str| object.get(name).and_then(Value::as_str).unwrap_or("");
    seal(text("apiVersion"), text("kind"), &encode_message(schema, object))
}

/// A list of objects of the kind in its envelope.
#[must_use]
pub fn encode_list(schema: &Schema, list: &Value) -> Vec<u8> {
    let text = |name: &str| list.get(name).and_then(Value::as_str).unwrap_or("");
    let mut raw = Vec::new();
    let mut metadata = Vec::new();
    let given = |name: &str| list.get_path(&["metadata", name]);
    let string = |name: &str| given(name).and_then(Value::as_str).unwrap_or("").as_bytes();
    put_bytes(1, string("selfLink"), &mut metadata);
    put_bytes(2, string("resourceVersion"), &mut metadata);
    put_bytes(3, string("continue"), &mut metadata);
    if let Some(remaining) = given("remainingItemCount").and_then(Value::as_int) {
        put_tag(4, VARINT, &mut metadata);
        put_varint(remaining.cast_unsigned(), &mut metadata);
    }
    put_bytes(1, &metadata, &mut raw);
    for item in list.get("items").and_then(Value::as_list).into_iter().flat_map(|it| it.iter()) {
        put_bytes(2, &encode_message(schema, item), &mut raw);
    }
    seal(text("apiVersion"), text("kind"), &raw)
}

/// One event of a watch stream: its length and a message with its type and the object in its
/// envelope.
#[must_use]
pub fn watch_frame(ty: &str, object: &[u8]) -> Vec<u8> {
    let mut raw = Vec::with_capacity(object.len() + 8);
    put_bytes(1, object, &mut raw);
    let mut event = Vec::with_capacity(raw.len() + 24);
    put_bytes(1, ty.as_bytes(), &mut event);
    put_bytes(2, &raw, &mut event);
    let mut frame = u32::try_from(event.len()).unwrap_or(u32::MAX).to_be_bytes().to_vec();
    frame.append(&mut event);
    frame
}

/// The bytes of an object without envelope.
#[must_use]
pub fn encode_message(schema: &Schema, object: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    write_message(schema, schema.root_node(), object, &mut out, 0);
    out
}

fn write_message(schema: &Schema, node: &Node, value: &Value, out: &mut Vec<u8>, depth: usize) {
    if depth > DEPTH_MAX {
        return;
    }
    let mut fields: Vec<(u32, &Text, &Node)> = Vec::with_capacity(node.properties.len());
    for (name, id) in &node.properties {
        let field = schema.node(*id);
        if let Some(number) = field.declared.as_ref().and_then(|declared| declared.protobuf) {
            fields.push((number, name, field));
        }
    }
    fields.sort_by_key(|(number, _, _)| *number);
    for (number, name, field) in fields {
        write_field(schema, field, number, value.get(name), out, depth);
    }
}

fn write_field(
    schema: &Schema,
    field: &Node,
    number: u32,
    value: Option<&Value>,
    out: &mut Vec<u8>,
    depth: usize,
) {
    if field.ty == Type::Array {
        let Some(items) = field.items else { return };
        for item in value.and_then(Value::as_list).into_iter().flat_map(|list| list.iter()) {
            write_single(schema, schema.node(items), number, item, out, depth);
        }
        return;
    }
    if let Additional::Node(element) = field.additional {
        for (key, value) in value.and_then(Value::as_map).into_iter().flat_map(Map::iter) {
            let mut entry = Vec::new();
            put_bytes(1, key.as_bytes(), &mut entry);
            write_single(schema, schema.node(element), 2, value, &mut entry, depth);
            put_bytes(number, &entry, out);
        }
        return;
    }
    let pointer = field.declared.as_ref().is_some_and(|declared| declared.pointer);
    match value {
        None | Some(Value::Null) if pointer => {}
        // What is no pointer is always written, its zero value included.
        value => write_single(schema, field, number, value.unwrap_or(&Value::Null), out, depth),
    }
}

fn write_single(
    schema: &Schema,
    node: &Node,
    number: u32,
    value: &Value,
    out: &mut Vec<u8>,
    depth: usize,
) {
    match node.ty {
        Type::Boolean => {
            put_tag(number, VARINT, out);
            out.push(u8::from(value.as_bool().unwrap_or(false)));
        }
        Type::Integer | Type::Number => {
            put_tag(number, VARINT, out);
            put_varint(value.as_int().unwrap_or(0).cast_unsigned(), out);
        }
        Type::String if codec::is_time(node) => put_bytes(number, &time_bytes(node, value), out),
        Type::String if codec::is_bytes(node) => {
            let bytes = base64::decode(value.as_str().unwrap_or("")).unwrap_or_default();
            put_bytes(number, &bytes, out);
        }
        Type::String => put_bytes(number, value.as_str().unwrap_or("").as_bytes(), out),
        Type::IntOrString => {
            let mut inner = Vec::new();
            put_tag(1, VARINT, &mut inner);
            inner.push(u8::from(matches!(value, Value::Str(_))));
            put_tag(2, VARINT, &mut inner);
            put_varint(value.as_int().unwrap_or(0).cast_unsigned(), &mut inner);
            put_bytes(3, value.as_str().unwrap_or("").as_bytes(), &mut inner);
            put_bytes(number, &inner, out);
        }
        Type::Array => {
            let mut inner = Vec::new();
            for item in value.as_list().into_iter().flat_map(|list| list.iter()) {
                put_bytes(1, item.as_str().unwrap_or("").as_bytes(), &mut inner);
            }
            put_bytes(number, &inner, out);
        }
        Type::Object if node.properties.is_empty() => {
            let mut inner = Vec::new();
            if is_json(node) {
                put_bytes(1, &json::encode(value), &mut inner);
            }
            put_bytes(number, &inner, out);
        }
        Type::Object => {
            let mut inner = Vec::new();
            write_message(schema, node, value, &mut inner, depth + 1);
            put_bytes(number, &inner, out);
        }
        Type::Any => {}
    }
}

fn is_json(node: &Node) -> bool {
    let declared = node.declared.as_ref();
    declared.and_then(|declared| declared.go_type.as_deref()) == Some("v1.FieldsV1")
}

fn time_bytes(node: &Node, value: &Value) -> Vec<u8> {
    let Some(text) = value.as_str() else { return Vec::new() };
    let time =
        if codec::is_micro_time(node) { Time::decode_micro(text) } else { Time::decode(text) };
    let Ok(time) = time else { return Vec::new() };
    let mut out = Vec::new();
    put_tag(1, VARINT, &mut out);
    put_varint(time.seconds.cast_unsigned(), &mut out);
    put_tag(2, VARINT, &mut out);
    put_varint(u64::from(time.nanos), &mut out);
    out
}
