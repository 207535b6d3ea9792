//! Messages to values.

use std::collections::BTreeMap;

use ordain_go::time as go_time;
use ordain_meta::time::Time;
use ordain_schema::{Additional, Node, Schema, Type, base64};
use ordain_value::{List, Map, Text, Value, json};

use super::choice::Choice;
use super::wire::{Input, Wire, WireError, malformed, text};
use super::{DEPTH_MAX, numbered};
use crate::typed::codec;
use crate::typed::special::Special;

/// Reads the message of a structure. Fields that the declaration does not have are skipped.
pub(super) fn message(
    schema: &Schema,
    node: &Node,
    bytes: &[u8],
    depth: usize,
) -> Result<Map, WireError> {
    let mut fields = Fields::default();
    part(schema, node, &[], bytes, &mut fields, depth)?;
    Ok(fields.finish())
}

/// The fields of a message that were read so far. Entries of maps come one by one and in any order;
/// they are sorted once, so that reading stays linear.
#[derive(Default)]
struct Fields {
    map: Map,
    entries: BTreeMap<Text, Vec<(Text, Value)>>,
}

impl Fields {
    fn finish(mut self) -> Map {
        for (name, entries) in self.entries {
            self.map.insert(name, Value::Map(Map::from_entries(entries)));
        }
        self.map
    }
}

/// Reads a message whose fields lie below `through` in the structure: embedded structs have
/// messages of their own.
fn part(
    schema: &Schema,
    node: &Node,
    through: &[u32],
    bytes: &[u8],
    fields: &mut Fields,
    depth: usize,
) -> Result<(), WireError> {
    if depth > DEPTH_MAX {
        return Err(malformed("proto: message nested too deep"));
    }
    let mut input = Input(bytes);
    while let Some((number, wire)) = input.next()? {
        if let Some((name, field)) = by_number(schema, node, through, number) {
            read_field(schema, field, name, wire, fields, depth)?;
        } else if let Wire::Bytes(inner) = wire {
            let deeper = [through, &[number]].concat();
            let embedded = node.properties.iter().any(|(_, id)| {
                numbered(schema.node(*id)).is_some_and(|(_, around)| around.starts_with(&deeper))
            });
            if embedded {
                part(schema, node, &deeper, inner, fields, depth + 1)?;
            }
        }
    }
    Ok(())
}

fn by_number<'a>(
    schema: &'a Schema,
    node: &'a Node,
    through: &[u32],
    number: u32,
) -> Option<(&'a Text, &'a Node)> {
    let fields = node.properties.iter().map(|(name, id)| (name, schema.node(*id)));
    fields.into_iter().find(|(_, field)| numbered(field) == Some((number, through)))
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
        let items = schema.node(items);
        let slot = fields.map.get_or_insert_null(name);
        if !matches!(slot, Value::List(_)) {
            *slot = Value::List(List::new());
        }
        let Some(list) = slot.as_list_mut() else { return Ok(()) };
        match wire {
            // Numbers may come packed.
            Wire::Bytes(bytes) if matches!(items.ty, Type::Integer | Type::Boolean) => {
                let mut input = Input(bytes);
                while !input.0.is_empty() {
                    let number = input.varint()?;
                    list.push(single(schema, items, Wire::Number(number), depth)?);
                }
            }
            wire => list.push(single(schema, items, wire, depth)?),
        }
        return Ok(());
    }
    if let Additional::Node(element) = field.additional {
        let Wire::Bytes(bytes) = wire else { return Err(wrong_wire(name)) };
        let (key, value) = entry(schema, schema.node(element), bytes, depth)?;
        fields.entries.entry(name.clone()).or_default().push((key.into(), value));
        return Ok(());
    }
    let value = single(schema, field, wire, depth)?;
    fields.map.insert(name.clone(), value);
    Ok(())
}

/// One entry of a map.
fn entry(
    schema: &Schema,
    element: &Node,
    bytes: &[u8],
    depth: usize,
) -> Result<(String, Value), WireError> {
    let (mut key, mut value) = (String::new(), None);
    let mut input = Input(bytes);
    while let Some((number, wire)) = input.next()? {
        match (number, wire) {
            (1, Wire::Bytes(bytes)) => key = text(bytes)?,
            (2, wire) => value = Some(single(schema, element, wire, depth)?),
            _ => {}
        }
    }
    Ok((key, value.unwrap_or(Value::Null)))
}

fn wrong_wire(name: &str) -> WireError {
    WireError(format!("proto: wrong wireType for field {name}"))
}

fn single(schema: &Schema, node: &Node, wire: Wire<'_>, depth: usize) -> Result<Value, WireError> {
    if let (Some(special), Wire::Bytes(bytes)) = (Special::of(node), &wire) {
        return read_special(special, bytes);
    }
    match (node.ty, wire) {
        (Type::Boolean, Wire::Number(number)) => Ok(Value::Bool(number != 0)),
        (Type::Integer, Wire::Number(number)) => Ok(Value::Int(number.cast_signed())),
        (Type::Number, Wire::Fixed64(bits)) => Ok(Value::Float(f64::from_bits(bits))),
        (Type::String, Wire::Bytes(bytes)) if codec::is_bytes(node) => {
            Ok(base64::encode(bytes).into())
        }
        (Type::String, Wire::Bytes(bytes)) => text(bytes).map(Value::from),
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
        (Type::Object, Wire::Bytes(bytes)) => {
            let fields = message(schema, node, bytes, depth + 1)?;
            Ok(match Choice::of(node) {
                Some(choice) => choice.unwrap(&fields),
                None => Value::Map(fields),
            })
        }
        (Type::IntOrString, Wire::Bytes(bytes)) => int_or_string(bytes),
        _ => Err(wrong_wire("value")),
    }
}

fn read_special(special: Special, bytes: &[u8]) -> Result<Value, WireError> {
    match special {
        Special::Time | Special::MicroTime => time(special, bytes),
        Special::IntOrString => int_or_string(bytes),
        Special::Quantity => {
            let found = first_bytes(bytes)?.map(text).transpose()?;
            Ok(found.unwrap_or_default().into())
        }
        Special::Duration => {
            let mut input = Input(bytes);
            let mut nanos = 0;
            while let Some(field) = input.next()? {
                if let (1, Wire::Number(number)) = field {
                    nanos = number.cast_signed();
                }
            }
            Ok(go_time::duration_text(nanos).into())
        }
        Special::Raw => match first_bytes(bytes)? {
            Some(raw) => json::decode(raw).map_err(|error| WireError(error.to_string())),
            None => Ok(Value::Null),
        },
    }
}

/// The only field of a message that wraps bytes.
fn first_bytes(bytes: &[u8]) -> Result<Option<&[u8]>, WireError> {
    let mut input = Input(bytes);
    let mut found = None;
    while let Some((number, wire)) = input.next()? {
        if let (1, Wire::Bytes(raw)) = (number, wire) {
            found = Some(raw);
        }
    }
    Ok(found)
}

/// The times that RFC 3339 has a text for, in seconds from 1970.
const SECONDS: std::ops::RangeInclusive<i64> = -62_167_219_200..=253_402_300_799;
const NANOS_MAX: u32 = 999_999_999;

fn time(special: Special, bytes: &[u8]) -> Result<Value, WireError> {
    if bytes.is_empty() {
        return Ok(Value::Null);
    }
    let (mut seconds, mut nanos) = (0_i64, 0_u32);
    let mut input = Input(bytes);
    while let Some((number, wire)) = input.next()? {
        match (number, wire) {
            (1, Wire::Number(number)) => seconds = number.cast_signed(),
            (2, Wire::Number(number)) => nanos = u32::try_from(number).unwrap_or(u32::MAX),
            _ => {}
        }
    }
    // What no text of a time can say could not be read again, and would be lost with the next write.
    if !SECONDS.contains(&seconds) || nanos > NANOS_MAX {
        return Err(malformed("proto: a time is outside of the years 0 to 9999"));
    }
    if special == Special::MicroTime {
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
