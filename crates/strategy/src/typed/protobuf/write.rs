//! Values to messages.

use ordain_go::time as go_time;
use ordain_meta::time::Time;
use ordain_schema::{Additional, Node, Schema, Type, base64};
use ordain_value::{Map, Text, Value, json};

use super::choice::Choice;
use super::wire::{FIXED64, VARINT, put_bytes, put_tag, put_varint};
use super::{DEPTH_MAX, numbered};
use crate::typed::codec;
use crate::typed::special::Special;

/// Writes the fields of a structure in the order of their numbers.
pub(super) fn message(
    schema: &Schema,
    node: &Node,
    value: &Value,
    out: &mut Vec<u8>,
    depth: usize,
) {
    let mut fields: Vec<Numbered<'_>> = Vec::with_capacity(node.properties.len());
    for (name, id) in &node.properties {
        let field = schema.node(*id);
        if let Some((number, through)) = numbered(field) {
            fields.push(Numbered { number, through, name, field });
        }
    }
    part(schema, &fields, value, out, depth);
}

/// A field and its way through the messages of embedded structs.
#[derive(Clone, Copy)]
struct Numbered<'a> {
    number: u32,
    through: &'a [u32],
    name: &'a Text,
    field: &'a Node,
}

/// Writes one message of a structure; embedded structs are messages of their own within it.
fn part(schema: &Schema, fields: &[Numbered<'_>], value: &Value, out: &mut Vec<u8>, depth: usize) {
    if depth > DEPTH_MAX {
        return;
    }
    let mut numbers: Vec<u32> =
        fields.iter().map(|it| it.through.first().copied().unwrap_or(it.number)).collect();
    numbers.sort_unstable();
    numbers.dedup();
    for number in numbers {
        let direct = fields.iter().find(|it| it.through.is_empty() && it.number == number);
        if let Some(it) = direct {
            write_field(schema, it.field, number, value.get(it.name), out, depth);
            continue;
        }
        let embedded: Vec<Numbered<'_>> = fields
            .iter()
            .filter(|it| it.through.first() == Some(&number))
            .map(|it| Numbered { through: &it.through[1..], ..*it })
            .collect();
        let mut inner = Vec::new();
        part(schema, &embedded, value, &mut inner, depth + 1);
        put_bytes(number, &inner, out);
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
        None | Some(Value::Null) if pointer || codec::is_bytes(field) => {}
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
    if let Some(special) = Special::of(node) {
        put_bytes(number, &special_bytes(special, value), out);
        return;
    }
    match node.ty {
        Type::Boolean => {
            put_tag(number, VARINT, out);
            out.push(u8::from(value.as_bool().unwrap_or(false)));
        }
        Type::Integer => {
            put_tag(number, VARINT, out);
            put_varint(value.as_int().unwrap_or(0).cast_unsigned(), out);
        }
        Type::Number => {
            let double = match value {
                #[expect(clippy::cast_precision_loss, reason = "the field is a double")]
                Value::Int(whole) => *whole as f64,
                Value::Float(double) => *double,
                _ => 0.0,
            };
            put_tag(number, FIXED64, out);
            out.extend_from_slice(&double.to_le_bytes());
        }
        Type::String if codec::is_bytes(node) => {
            let bytes = base64::decode(value.as_str().unwrap_or("")).unwrap_or_default();
            put_bytes(number, &bytes, out);
        }
        Type::String => put_bytes(number, value.as_str().unwrap_or("").as_bytes(), out),
        Type::IntOrString => put_bytes(number, &int_or_string(value), out),
        Type::Array => {
            let mut inner = Vec::new();
            for item in value.as_list().into_iter().flat_map(|list| list.iter()) {
                put_bytes(1, item.as_str().unwrap_or("").as_bytes(), &mut inner);
            }
            put_bytes(number, &inner, out);
        }
        Type::Object => {
            let mut inner = Vec::new();
            match Choice::of(node) {
                Some(choice) => {
                    message(schema, node, &choice.wrap(value), &mut inner, depth + 1);
                }
                None => message(schema, node, value, &mut inner, depth + 1),
            }
            put_bytes(number, &inner, out);
        }
        Type::Any => {}
    }
}

fn special_bytes(special: Special, value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    match special {
        Special::Time | Special::MicroTime => time(special, value, &mut out),
        Special::IntOrString => return int_or_string(value),
        Special::Quantity => put_bytes(1, value.as_str().unwrap_or("0").as_bytes(), &mut out),
        Special::Duration => {
            let nanos = value.as_str().and_then(go_time::parse_duration).unwrap_or(0);
            put_tag(1, VARINT, &mut out);
            put_varint(nanos.cast_unsigned(), &mut out);
        }
        Special::Raw if value.is_null() => {}
        Special::Raw => put_bytes(1, &json::encode(value), &mut out),
    }
    out
}

fn int_or_string(value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    put_tag(1, VARINT, &mut out);
    out.push(u8::from(matches!(value, Value::Str(_))));
    put_tag(2, VARINT, &mut out);
    put_varint(value.as_int().unwrap_or(0).cast_unsigned(), &mut out);
    put_bytes(3, value.as_str().unwrap_or("").as_bytes(), &mut out);
    out
}

fn time(special: Special, value: &Value, out: &mut Vec<u8>) {
    let Some(text) = value.as_str() else { return };
    let time = match special {
        Special::MicroTime => Time::decode_micro(text),
        _ => Time::decode(text),
    };
    let Ok(time) = time else { return };
    put_tag(1, VARINT, out);
    put_varint(time.seconds.cast_unsigned(), out);
    put_tag(2, VARINT, out);
    put_varint(u64::from(time.nanos), out);
}
