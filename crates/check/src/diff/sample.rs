//! Values that a schema as written likely accepts; whether it does is for the engine to say.

use std::collections::HashSet;

use ordain_value::{List, Map, Value};

use super::regex_sample::{self, Sampler};

/// Samples of deeper schemas are cut here.
const DEPTH_MAX: usize = 24;

fn text_of<'a>(schema: &'a Value, key: &str) -> &'a str {
    schema.text(key)
}

fn int(schema: &Value, key: &str) -> Option<i64> {
    match schema.get(key) {
        Some(Value::Int(number)) => Some(*number),
        #[expect(clippy::cast_possible_truncation, reason = "a start for a search")]
        Some(Value::Float(number)) => Some(*number as i64),
        _ => None,
    }
}

fn count(schema: &Value, key: &str) -> usize {
    usize::try_from(int(schema, key).unwrap_or(0).clamp(0, 4096)).unwrap_or(0)
}

/// A value for a schema; variants differ in what is optional and in where bounds are touched.
pub(crate) fn value(schema: &Value, variant: u32, depth: usize) -> Value {
    if let Some(list) = schema.get("enum").and_then(Value::as_list).filter(|it| !it.is_empty()) {
        return list[variant as usize % list.len()].clone();
    }
    if let (Some(default), 0) = (schema.get("default"), variant) {
        return default.clone();
    }
    if schema.get("x-kubernetes-int-or-string").is_some() {
        return if variant.is_multiple_of(2) { Value::Int(1) } else { "a".into() };
    }
    match text_of(schema, "type") {
        "object" => object(schema, variant, depth),
        "array" => {
            let more = if variant % 3 == 1 { 1 } else { 0 };
            list(schema, (count(schema, "minItems") + more).max(usize::from(variant % 3 == 2)))
        }
        "string" => {
            let (least, most) = (count(schema, "minLength"), int(schema, "maxLength"));
            let most = usize::try_from(most.unwrap_or(8).clamp(0, 64)).unwrap_or(8);
            match variant % 3 {
                0 => text(schema, least.max(1.min(most))),
                1 => text(schema, least),
                _ => text(schema, most),
            }
        }
        "integer" | "number" => whole(schema, variant),
        "boolean" => Value::Bool(variant % 2 == 1),
        _ if schema.get("properties").is_some() => object(schema, variant, depth),
        _ => Value::Map(Map::new()),
    }
}

fn whole(schema: &Value, variant: u32) -> Value {
    let (low, high) = (int(schema, "minimum"), int(schema, "maximum"));
    let step = int(schema, "multipleOf").filter(|it| *it > 0).unwrap_or(1);
    let picked = match variant % 4 {
        0 => low.unwrap_or(0).max(0).min(high.unwrap_or(i64::MAX)),
        1 => high.unwrap_or(low.unwrap_or(0).saturating_add(1)),
        2 => low.unwrap_or(-1),
        _ => low.unwrap_or(0).saturating_add(2).min(high.unwrap_or(i64::MAX)),
    };
    Value::Int(picked / step * step)
}

fn object(schema: &Value, variant: u32, depth: usize) -> Value {
    let mut map = Map::new();
    if depth > DEPTH_MAX {
        return Value::Map(map);
    }
    let required = schema.get("required").and_then(Value::as_list);
    let required: Option<HashSet<&str>> =
        required.map(|list| list.iter().filter_map(Value::as_str).collect());
    let properties = schema.get("properties").and_then(Value::as_map);
    for (at, (name, property)) in properties.into_iter().flat_map(Map::iter).enumerate() {
        let is_required = required.as_ref().is_some_and(|names| names.contains(name.as_str()));
        let chosen = variant > 2 && depth < 6 && (variant as usize >> (at % 5)) & 1 == 1;
        if is_required || chosen {
            map.insert(name.clone(), value(property, variant, depth + 1));
        }
    }
    if let Some(further) = schema.get("additionalProperties") {
        for at in map.len()..count(schema, "minProperties") {
            map.insert(format!("key{at}"), value(further, variant, depth + 1));
        }
    }
    Value::Map(map)
}

/// A text of a length, or one that the format or the pattern asks for.
pub(super) fn text(schema: &Value, length: usize) -> Value {
    let by_format = match text_of(schema, "format") {
        "date-time" => "2024-05-06T07:08:09Z",
        "date" => "2024-05-06",
        "duration" => "1h0m0s",
        "ipv4" | "ip" => "192.0.2.1",
        "ipv6" => "2001:db8::1",
        "cidr" => "192.0.2.0/24",
        "mac" => "00:00:5e:00:53:01",
        "uri" | "uri-reference" => "https://example.com/a",
        "email" => "a@example.com",
        "hostname" => "example.com",
        "uuid" | "uuid4" => "6d5a8a3c-1d1c-4b5e-9a57-0242ac120002",
        "uuid3" => "6d5a8a3c-1d1c-3b5e-9a57-0242ac120002",
        "uuid5" => "6d5a8a3c-1d1c-5b5e-9a57-0242ac120002",
        "byte" => "YQ==",
        "bsonobjectid" => "507f1f77bcf86cd799439011",
        "isbn" | "isbn10" => "0306406152",
        "isbn13" => "9780306406157",
        "creditcard" => "4111111111111111",
        "ssn" => "123-45-6789",
        "hexcolor" => "#ffffff",
        "rgbcolor" => "rgb(1,2,3)",
        _ => "",
    };
    if !by_format.is_empty() {
        return by_format.into();
    }
    let pattern = text_of(schema, "pattern");
    let sampler = Some(pattern).filter(|it| !it.is_empty()).and_then(Sampler::new);
    match sampler.and_then(|it| of_length(&it, length)) {
        Some(text) => text.into(),
        None => "a".repeat(length).into(),
    }
}

/// A text for a pattern that has a length, or some text for it.
fn of_length(sampler: &Sampler, length: usize) -> Option<String> {
    let mut first = None;
    for stretch in 0..=u32::try_from(length.min(64)).unwrap_or(0) {
        let made = (0..9).filter_map(|variant| sampler.stretched(variant, stretch));
        for text in made {
            if text.chars().count() == length {
                return Some(text);
            }
            first.get_or_insert(text);
        }
    }
    first
}

/// A list of so many items that differ from each other where they can.
pub(super) fn list(schema: &Value, length: usize) -> Value {
    let items = schema.get("items").cloned().unwrap_or_default();
    let keys = schema.items("x-kubernetes-list-map-keys");
    let mut out: Vec<Value> = Vec::with_capacity(length);
    for at in 0..length {
        let mut item = value(&items, 0, 1);
        match &mut item {
            Value::Map(map) => {
                for key in keys.iter().filter_map(Value::as_str) {
                    let place = items.get_path(&["properties", key]).cloned().unwrap_or_default();
                    map.insert(key, distinct(&place, at));
                }
            }
            Value::Str(_) | Value::Int(_) if at > 0 => item = distinct(&items, at),
            _ => {}
        }
        out.push(item);
    }
    List::from(out).into()
}

fn distinct(schema: &Value, at: usize) -> Value {
    let number = i64::try_from(at).unwrap_or(0);
    match text_of(schema, "type") {
        "integer" | "number" => {
            Value::Int(int(schema, "minimum").unwrap_or(0).max(1).saturating_add(number))
        }
        "boolean" => Value::Bool(at % 2 == 1),
        _ => {
            let variant = u32::try_from(at).unwrap_or(0);
            if schema.get("enum").is_some() {
                return value(schema, variant, 1);
            }
            let pattern = text_of(schema, "pattern");
            match regex_sample::sample(pattern, variant).filter(|_| !pattern.is_empty()) {
                Some(text) => text.into(),
                None => format!("a{at}").into(),
            }
        }
    }
}

/// A map of so many entries.
pub(super) fn entries(schema: &Value, length: usize) -> Value {
    let mut map = match value(schema, 0, 0) {
        Value::Map(map) => map,
        _ => Map::new(),
    };
    let further = schema.get("additionalProperties").cloned().unwrap_or_default();
    let properties = schema.get("properties").and_then(Value::as_map);
    for (name, property) in properties.into_iter().flat_map(Map::iter) {
        if map.len() < length && map.get(name).is_none() {
            map.insert(name.clone(), value(property, 0, 1));
        }
    }
    for at in map.len()..length {
        map.insert(format!("key{at}"), value(&further, 0, 1));
    }
    Value::Map(map)
}
