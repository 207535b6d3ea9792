//! Objects from schemas: the least that is valid, or one with every field.

use ordain_schema::{Additional, Node, NodeId, Schema, Type};
use ordain_value::{Map, Text, Value};

/// How much of an object is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fill {
    /// Only what is required.
    Least,
    /// Every field that no gate stands before.
    All,
}

/// Types in types are filled so deep.
const DEPTH_MAX: usize = 6;

/// A value for a place of a schema. Rules beyond the schema may still refuse it.
#[must_use]
pub fn stub(schema: &Schema, id: NodeId, fill: Fill) -> Value {
    value(schema, id, fill, 0)
}

fn value(schema: &Schema, id: NodeId, fill: Fill, depth: usize) -> Value {
    let node = schema.node(id);
    let validation = node.validation.as_deref();
    if let Some(first) = validation.and_then(|it| it.enumeration.iter().find(|it| !is_empty(it))) {
        return first.clone();
    }
    if let Some(default) = node.default.clone().filter(|it| !is_empty(it)) {
        return default;
    }
    match node.ty {
        Type::String => Value::from(text(node)),
        Type::Integer => Value::Int(integer(node)),
        Type::Number => {
            let least = validation.and_then(|it| it.minimum).unwrap_or(1.0);
            Value::Float(if validation.is_some_and(|it| it.exclusive_minimum) {
                least + 1.0
            } else {
                least.max(0.5)
            })
        }
        Type::Boolean => Value::Bool(true),
        Type::IntOrString => Value::Int(1),
        Type::Array => {
            let least = validation.and_then(|it| it.min_items).unwrap_or(0);
            let least = if fill == Fill::All { least.max(1) } else { least };
            let most = validation.and_then(|it| it.max_items).unwrap_or(8);
            let count = usize::try_from(least.min(most).clamp(0, 8)).unwrap_or(0);
            let Some(items) = node.items.filter(|_| depth < DEPTH_MAX) else {
                return Value::from(Vec::<Value>::new());
            };
            let items = (0..count).map(|_| value(schema, items, fill, depth + 1));
            Value::from(items.collect::<Vec<_>>())
        }
        Type::Object | Type::Any => object(schema, node, fill, depth),
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Str(text) => text.is_empty(),
        Value::Map(map) => map.is_empty(),
        Value::List(list) => list.is_empty(),
        _ => false,
    }
}

fn object(schema: &Schema, node: &Node, fill: Fill, depth: usize) -> Value {
    let mut map = Map::new();
    let required: &[Text] = node.validation.as_deref().map_or(&[], |it| it.required.as_slice());
    let unions = node.declared.as_deref().map_or(&[][..], |it| it.unions.as_slice());
    let unchosen = |name: &str| {
        unions.iter().any(|it| {
            let place = it.members.iter().position(|member| member.field == name);
            place.is_some_and(|place| place > 0)
        })
    };
    for (name, id) in &node.properties {
        let child = schema.node(*id);
        let gated = child.declared.as_deref().is_some_and(|it| !it.gates.is_empty());
        let is_required = required.contains(name);
        let wanted = is_required || (fill == Fill::All && !gated && depth < DEPTH_MAX);
        if !wanted || unchosen(name) {
            continue;
        }
        let filled = value(schema, *id, fill, depth + 1);
        if !is_empty(&filled) || is_required {
            map.insert(name.clone(), filled);
        }
    }
    for union in unions.iter().filter(|_| fill == Fill::All) {
        if let (Some(discriminator), Some(first)) = (&union.discriminator, union.members.first()) {
            map.insert(discriminator.clone(), Value::Str(first.value.clone()));
        }
    }
    if let Additional::Node(id) = node.additional {
        let least = node.validation.as_deref().and_then(|it| it.min_properties).unwrap_or(0);
        let count = if fill == Fill::All { least.max(1) } else { least };
        for at in 0..count.clamp(0, 8) {
            map.insert(format!("key{at}"), value(schema, id, fill, depth + 1));
        }
    }
    Value::Map(map)
}

fn integer(node: &Node) -> i64 {
    let Some(validation) = node.validation.as_deref() else { return 1 };
    #[expect(clippy::cast_possible_truncation, reason = "bounds of integers are whole")]
    let bound = |it: Option<f64>| it.map(|it| it as i64);
    let low = bound(validation.minimum).map(|it| it + i64::from(validation.exclusive_minimum));
    let high = bound(validation.maximum).map(|it| it - i64::from(validation.exclusive_maximum));
    let step = bound(validation.multiple_of).filter(|it| *it > 0).unwrap_or(1);
    let wanted = low.unwrap_or(1).max(1).min(high.unwrap_or(i64::MAX)).max(low.unwrap_or(i64::MIN));
    (wanted + step - 1).div_euclid(step) * step
}

/// Texts that patterns are tried with.
const WORDS: [&str; 16] = [
    "a",
    "abc",
    "a-b",
    "a.b",
    "a.example.com",
    "example.com/a",
    "1",
    "10",
    "1Gi",
    "1h",
    "v1",
    "A",
    "Abc",
    "https://example.com/a",
    "10.0.0.1",
    "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
];

fn text(node: &Node) -> String {
    let Some(validation) = node.validation.as_deref() else { return "a".to_owned() };
    let plain: String = validation.format.chars().filter(|it| *it != '-').collect();
    let example = match plain.to_ascii_lowercase().as_str() {
        "datetime" => Some("2024-01-01T00:00:00Z"),
        "date" => Some("2024-01-01"),
        "duration" => Some("1h"),
        "byte" => Some("YQ=="),
        "uuid" | "uuid4" => Some("9c5b94b1-35ad-49bb-b118-8e8fc24abf80"),
        "ipv4" => Some("10.0.0.1"),
        "ipv6" => Some("::1"),
        "cidr" => Some("10.0.0.0/8"),
        "uri" => Some("https://example.com/a"),
        "email" => Some("a@example.com"),
        "mac" => Some("00:00:5e:00:53:01"),
        "quantity" => Some("1"),
        "apiversion" => Some("v1"),
        "fullyqualifiedname" => Some("a.example.com"),
        "fullyqualifieddomainname" => Some("example.com"),
        "integer" => Some("1"),
        _ => None,
    };
    if let Some(example) = example {
        return example.to_owned();
    }
    if !validation.pattern.is_empty()
        && let Ok(pattern) = ordain_go::regex::GoRegex::new(&validation.pattern)
    {
        let most = usize::try_from(validation.max_length.unwrap_or(i64::MAX)).unwrap_or(usize::MAX);
        let fits = |word: &&&str| word.len() <= most && pattern.is_match(word);
        return WORDS.iter().find(fits).map_or("a", |it| *it).to_owned();
    }
    let least = usize::try_from(validation.min_length.unwrap_or(1).clamp(1, 4096)).unwrap_or(1);
    "a".repeat(least)
}
