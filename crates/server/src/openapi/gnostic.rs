//! The v2 document in the protobuf form of gnostic, which clients of the command line ask for.
//!
//! Only what such clients read is written: info, operations with their parameters and extensions,
//! and definitions.

use ordain_registry::typed::protobuf::{put_bytes, put_tag, put_varint};
use ordain_value::{Map, Value, yaml};

const VARINT: u8 = 0;
const FIXED64: u8 = 1;
/// Deeper parts of a schema are left out.
const DEPTH_MAX: usize = 256;

pub(super) fn encode(document: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    text(1, document.get("swagger"), &mut out);
    if let Some(info) = document.get("info") {
        let mut message = Vec::new();
        text(1, info.get("title"), &mut message);
        text(2, info.get("version"), &mut message);
        put_bytes(2, &message, &mut out);
    }
    let mut paths = Vec::new();
    for (name, item) in entries(document.get("paths")) {
        named(2, name, &path_item(item), &mut paths);
    }
    put_bytes(8, &paths, &mut out);
    let mut definitions = Vec::new();
    for (name, schema) in entries(document.get("definitions")) {
        named(1, name, &self::schema(schema, 0), &mut definitions);
    }
    put_bytes(9, &definitions, &mut out);
    out
}

fn entries(value: Option<&Value>) -> impl Iterator<Item = (&str, &Value)> {
    let map = value.and_then(Value::as_map);
    map.into_iter().flat_map(Map::iter).map(|(key, value)| (key.as_str(), value))
}

fn items(value: Option<&Value>) -> impl Iterator<Item = &Value> {
    value.and_then(Value::as_list).into_iter().flat_map(|list| list.iter())
}

fn text(number: u32, value: Option<&Value>, out: &mut Vec<u8>) {
    let text = value.and_then(Value::as_str).unwrap_or("");
    if !text.is_empty() {
        put_bytes(number, text.as_bytes(), out);
    }
}

fn texts(number: u32, value: Option<&Value>, out: &mut Vec<u8>) {
    for text in items(value).filter_map(Value::as_str) {
        put_bytes(number, text.as_bytes(), out);
    }
}

fn flag(number: u32, value: Option<&Value>, out: &mut Vec<u8>) {
    if value.and_then(Value::as_bool) == Some(true) {
        put_tag(number, VARINT, out);
        out.push(1);
    }
}

fn double(number: u32, value: Option<&Value>, out: &mut Vec<u8>) {
    if let Some(value) = value.and_then(Value::as_float) {
        put_tag(number, FIXED64, out);
        out.extend_from_slice(&value.to_le_bytes());
    }
}

fn long(number: u32, value: Option<&Value>, out: &mut Vec<u8>) {
    if let Some(value) = value.and_then(Value::as_int).filter(|value| *value != 0) {
        put_tag(number, VARINT, out);
        put_varint(value.cast_unsigned(), out);
    }
}

/// A pair of name and message.
fn named(number: u32, name: &str, message: &[u8], out: &mut Vec<u8>) {
    let mut pair = Vec::new();
    put_bytes(1, name.as_bytes(), &mut pair);
    put_bytes(2, message, &mut pair);
    put_bytes(number, &pair, out);
}

/// A value of any kind, as YAML text.
fn any(value: &Value) -> Vec<u8> {
    message(2, yaml::encode(value).as_bytes())
}

/// A message with one field.
fn message(number: u32, bytes: &[u8]) -> Vec<u8> {
    let mut message = Vec::new();
    put_bytes(number, bytes, &mut message);
    message
}

fn extensions(number: u32, value: &Value, out: &mut Vec<u8>) {
    for (name, value) in entries(Some(value)).filter(|(name, _)| name.starts_with("x-")) {
        named(number, name, &any(value), out);
    }
}

fn schema(value: &Value, depth: usize) -> Vec<u8> {
    let mut out = Vec::new();
    if depth > DEPTH_MAX {
        return out;
    }
    let get = |name: &str| value.get(name);
    text(1, get("$ref"), &mut out);
    text(2, get("format"), &mut out);
    text(3, get("title"), &mut out);
    text(4, get("description"), &mut out);
    if let Some(default) = get("default") {
        put_bytes(5, &any(default), &mut out);
    }
    double(6, get("multipleOf"), &mut out);
    double(7, get("maximum"), &mut out);
    flag(8, get("exclusiveMaximum"), &mut out);
    double(9, get("minimum"), &mut out);
    flag(10, get("exclusiveMinimum"), &mut out);
    long(11, get("maxLength"), &mut out);
    long(12, get("minLength"), &mut out);
    text(13, get("pattern"), &mut out);
    long(14, get("maxItems"), &mut out);
    long(15, get("minItems"), &mut out);
    flag(16, get("uniqueItems"), &mut out);
    long(17, get("maxProperties"), &mut out);
    long(18, get("minProperties"), &mut out);
    texts(19, get("required"), &mut out);
    for value in items(get("enum")) {
        put_bytes(20, &any(value), &mut out);
    }
    parts(value, depth, &mut out);
    extensions(31, value, &mut out);
    out
}

/// What a schema is made of: its type and the schemas within.
fn parts(value: &Value, depth: usize, out: &mut Vec<u8>) {
    match value.get("additionalProperties") {
        Some(Value::Bool(allowed)) => {
            let mut message = Vec::new();
            put_tag(2, VARINT, &mut message);
            message.push(u8::from(*allowed));
            put_bytes(21, &message, out);
        }
        Some(inner) => put_bytes(21, &message(1, &schema(inner, depth + 1)), out),
        None => {}
    }
    if let Some(ty) = value.get("type").and_then(Value::as_str) {
        put_bytes(22, &message(1, ty.as_bytes()), out);
    }
    if let Some(inner) = value.get("items") {
        put_bytes(23, &message(1, &schema(inner, depth + 1)), out);
    }
    if let Some(properties) = value.get("properties") {
        let mut message = Vec::new();
        for (name, inner) in entries(Some(properties)) {
            named(1, name, &schema(inner, depth + 1), &mut message);
        }
        put_bytes(25, &message, out);
    }
}

fn path_item(item: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    let methods = [
        ("get", 2),
        ("put", 3),
        ("post", 4),
        ("delete", 5),
        ("options", 6),
        ("head", 7),
        ("patch", 8),
    ];
    for (method, number) in methods {
        if let Some(value) = item.get(method) {
            put_bytes(number, &operation(value), &mut out);
        }
    }
    for parameter in items(item.get("parameters")) {
        put_bytes(9, &parameter_item(parameter), &mut out);
    }
    out
}

fn operation(value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    texts(1, value.get("tags"), &mut out);
    text(3, value.get("description"), &mut out);
    text(5, value.get("operationId"), &mut out);
    texts(6, value.get("produces"), &mut out);
    texts(7, value.get("consumes"), &mut out);
    for parameter in items(value.get("parameters")) {
        put_bytes(8, &parameter_item(parameter), &mut out);
    }
    let mut responses = Vec::new();
    for (code, response) in entries(value.get("responses")) {
        let mut inner = Vec::new();
        text(1, response.get("description"), &mut inner);
        if let Some(body) = response.get("schema") {
            put_bytes(2, &message(1, &schema(body, 0)), &mut inner);
        }
        named(1, code, &message(1, &inner), &mut responses);
    }
    put_bytes(9, &responses, &mut out);
    texts(10, value.get("schemes"), &mut out);
    extensions(13, value, &mut out);
    out
}

/// A parameter in the body, the query or the path.
fn parameter_item(value: &Value) -> Vec<u8> {
    let place = value.text("in");
    let mut inner = Vec::new();
    let parameter = if place == "body" {
        text(2, value.get("name"), &mut inner);
        text(3, value.get("in"), &mut inner);
        flag(4, value.get("required"), &mut inner);
        if let Some(body) = value.get("schema") {
            put_bytes(5, &schema(body, 0), &mut inner);
        }
        message(1, &inner)
    } else {
        flag(1, value.get("required"), &mut inner);
        text(2, value.get("in"), &mut inner);
        text(3, value.get("description"), &mut inner);
        text(4, value.get("name"), &mut inner);
        let (ty, unique, choice) = if place == "path" { (5, 19, 4) } else { (6, 20, 3) };
        text(ty, value.get("type"), &mut inner);
        flag(unique, value.get("uniqueItems"), &mut inner);
        message(2, &message(choice, &inner))
    };
    message(1, &parameter)
}
