//! An example object: what has to be there, with values that keep the constraints, and what the
//! author gave an example or a default for.

use ordain_go::regex::GoRegex;
use ordain_schema::declared::{Kind, Version};
use ordain_schema::{Additional, Node, NodeId, Schema, Type, Validation};
use ordain_value::{List, Map, Text, Value};

/// Objects in objects.
const DEPTH_MAX: u32 = 24;

/// An example of a version's objects.
#[must_use]
pub fn example(kind: &Kind, version: &Version) -> Value {
    let schema = &version.schema;
    let mut out = match value(schema, schema.root(), "", 0) {
        Value::Map(map) => map,
        _ => Map::new(),
    };
    let api_version = match kind.group.as_str() {
        "" => version.name.to_string(),
        group => format!("{group}/{}", version.name),
    };
    out.insert("apiVersion", Value::from(api_version));
    out.insert("kind", Value::from(kind.kind.clone()));
    let mut metadata = Map::new();
    metadata.insert("name", Value::from("example"));
    if kind.namespaced {
        metadata.insert("namespace", Value::from("default"));
    }
    out.insert("metadata", Value::Map(metadata));
    out.remove("status");
    Value::Map(out)
}

fn value(schema: &Schema, id: NodeId, name: &str, depth: u32) -> Value {
    let node = schema.node(id);
    if let Some(example) = node.docs.as_ref().and_then(|docs| docs.example.clone()) {
        return example;
    }
    if let Some(default) = node.default.clone().filter(|it| !crate::is_zero(it)) {
        return default;
    }
    let none = Validation::default();
    let validation = node.validation.as_deref().unwrap_or(&none);
    if let Some(first) = validation.enumeration.first() {
        return first.clone();
    }
    match node.ty {
        Type::Object => object(schema, node, validation, depth),
        Type::Array => {
            let count = validation.min_items.unwrap_or(1).clamp(0, 16);
            let items = node.items.filter(|_| depth < DEPTH_MAX);
            let item = items.map(|items| value(schema, items, name, depth + 1));
            match item {
                Some(item) => {
                    let vary = |index| vary(&item, index, &node.list_map_keys);
                    Value::List((0..count).map(vary).collect::<List>())
                }
                None => Value::List(List::new()),
            }
        }
        Type::String => Value::from(text(validation, name)),
        Type::Integer => crate::number(number(validation, 1.0).ceil()),
        Type::Number => crate::number(number(validation, 1.5)),
        Type::Boolean => Value::Bool(true),
        Type::IntOrString => match validation.pattern.as_str() {
            "" => Value::Int(1),
            _ => Value::from(text(validation, name)),
        },
        Type::Any => Value::Map(Map::new()),
    }
}

/// The item at an index: those of a list differ, for lists that hold no item twice.
fn vary(item: &Value, index: i64, keys: &[Text]) -> Value {
    match item {
        _ if index == 0 => item.clone(),
        Value::Str(text) => Value::from(format!("{text}{}", index + 1)),
        Value::Int(int) => Value::Int(int.saturating_add(index)),
        Value::Map(map) => {
            let mut map = map.clone();
            for key in keys {
                if let Some(value) = map.get(key).map(|value| vary(value, index, &[])) {
                    map.insert(key.clone(), value);
                }
            }
            Value::Map(map)
        }
        other => other.clone(),
    }
}

fn object(schema: &Schema, node: &Node, validation: &Validation, depth: u32) -> Value {
    let mut out = Map::new();
    if depth > DEPTH_MAX {
        return Value::Map(out);
    }
    if let Additional::Node(values) = node.additional {
        let entry = value(schema, values, "key", depth + 1);
        out.insert("key", entry);
        return Value::Map(out);
    }
    for (name, child) in &node.properties {
        let inner = schema.node(*child);
        let reported = inner.docs.as_ref().is_some_and(|docs| docs.example.is_some())
            || inner.default.as_ref().is_some_and(|it| !crate::is_zero(it));
        // The root's own fields stand for the whole object.
        let wanted = depth == 0 && name == "spec";
        if validation.required.contains(name) || reported || wanted {
            out.insert(name.clone(), value(schema, *child, name, depth + 1));
        }
    }
    if let Some(declared) = &node.declared {
        for union in &declared.unions {
            let mut members = union.members.iter().filter(|it| out.contains_key(&it.field));
            let _first = members.next();
            let others: Vec<_> = members.map(|it| it.field.clone()).collect();
            others.iter().for_each(|field| drop(out.remove(field)));
        }
    }
    Value::Map(out)
}

/// A number between the bounds.
fn number(validation: &Validation, usual: f64) -> f64 {
    let mut out = usual;
    if let Some(most) = validation.maximum {
        let most = if validation.exclusive_maximum { most - 1.0 } else { most };
        out = out.min(most);
    }
    if let Some(least) = validation.minimum {
        let least = if validation.exclusive_minimum { least + 1.0 } else { least };
        out = out.max(least);
    }
    match validation.multiple_of {
        Some(factor) if factor > 0.0 => (out / factor).ceil() * factor,
        _ => out,
    }
}

/// A text of the format, pattern and length that are asked for, where one is found.
fn text(validation: &Validation, name: &str) -> String {
    let by_format = match validation.format.as_str() {
        "date-time" => "2026-01-01T00:00:00Z",
        "date" => "2026-01-01",
        "duration" => "1h30m0s",
        "ipv4" | "ip" => "192.0.2.1",
        "ipv6" => "2001:db8::1",
        "cidr" => "192.0.2.0/24",
        "uuid" | "uuid4" => "2f1e4c1a-7d5f-4a5e-8b1a-0c9d8e7f6a5b",
        "uri" | "url" => "https://example.com/",
        "email" => "someone@example.com",
        "hostname" => "host.example.com",
        "byte" => "ZXhhbXBsZQ==",
        "password" => "secret",
        _ => "",
    };
    let lower = name.to_lowercase();
    let candidates = [
        by_format,
        name,
        "example",
        lower.as_str(),
        "a",
        "A",
        "1",
        "1.0.0",
        "v1",
        "10Gi",
        "1h",
        "example.com",
        "example.com/a",
        "https://example.com",
        "192.0.2.1",
        "/",
    ];
    let pattern = GoRegex::new(&validation.pattern).ok();
    let fits = |text: &str| {
        let length = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
        !text.is_empty()
            && validation.min_length.is_none_or(|least| length >= least)
            && validation.max_length.is_none_or(|most| length <= most)
            && pattern.as_ref().is_none_or(|pattern| pattern.is_match(text))
    };
    if let Some(found) = candidates.into_iter().find(|text| fits(text)) {
        return found.to_string();
    }
    let length = validation.min_length.unwrap_or(1).clamp(0, 256);
    let padded = "x".repeat(usize::try_from(length).unwrap_or(1));
    if fits(&padded) { padded } else { name.to_string() }
}
