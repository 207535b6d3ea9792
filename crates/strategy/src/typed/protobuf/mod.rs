//! The protobuf form of declared kinds, driven by the field numbers of their schema.
//!
//! An object travels in an envelope: four magic bytes and a message with its type and its bytes.

mod choice;
mod read;
mod wire;
mod write;

use ordain_schema::{Node, Schema};
use ordain_value::Value;

use self::wire::{Input, VARINT, Wire, malformed, text};
pub use self::wire::{WireError, put_bytes, put_tag, put_varint};

/// What every message begins with.
pub const MAGIC: [u8; 4] = *b"k8s\0";

/// Messages within messages; nothing declared comes near but schemas within schemas.
const DEPTH_MAX: usize = 512;

/// An object in its envelope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Envelope<'a> {
    /// The apiVersion of the object.
    pub api_version: String,
    /// The kind of the object.
    pub kind: String,
    /// The message of the object itself.
    pub raw: &'a [u8],
    /// The media type of the content; empty for protobuf.
    pub content_type: String,
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
    let mut map = read::message(schema, schema.root_node(), envelope.raw, 0)?;
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

/// Puts a message into its envelope.
#[must_use]
pub fn seal(api_version: &str, kind: &str, raw: &[u8]) -> Vec<u8> {
    let mut ty = Vec::new();
    put_bytes(1, api_version.as_bytes(), &mut ty);
    put_bytes(2, kind.as_bytes(), &mut ty);
    let mut out = Vec::with_capacity(MAGIC.len() + ty.len() + raw.len() + 24);
    out.extend_from_slice(&MAGIC);
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
    let items = list.get("items").and_then(Value::as_list).into_iter().flat_map(|it| it.iter());
    let messages: Vec<Vec<u8>> = items.map(|item| encode_message(schema, item)).collect();
    encode_messages(list, &messages)
}

/// A list of messages in its envelope; what it says of itself is taken from a list without items.
#[must_use]
pub fn encode_messages(list: &Value, items: &[impl AsRef<[u8]>]) -> Vec<u8> {
    let text = |name: &str| list.get(name).and_then(Value::as_str).unwrap_or("");
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
    /// A tag and a length.
    const AROUND: usize = 6;
    let len = items.iter().map(|item| item.as_ref().len() + AROUND).sum::<usize>();
    let mut raw = Vec::with_capacity(len + metadata.len() + AROUND);
    put_bytes(1, &metadata, &mut raw);
    for item in items {
        put_bytes(2, item.as_ref(), &mut raw);
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
    write::message(schema, schema.root_node(), object, &mut out, 0);
    out
}

/// The number of a field in its message, and those of the messages around it that JSON does not
/// show; none for fields that protobuf does not have.
fn numbered(field: &Node) -> Option<(u32, &[u32])> {
    let declared = field.declared.as_deref()?;
    Some((declared.protobuf?, &declared.protobuf_through))
}
