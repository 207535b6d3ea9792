//! Tags of other families beside what openapi-gen writes: see [`crate::declared`].

use ordain_idl::graph::{Field, NamedId, TypeId};
use ordain_schema::raw::{BoolOr, Items, Raw};
use ordain_value::{Map, Text, Value};

pub(super) use crate::declared::{Tags, Target};

use super::Generator;

impl Generator<'_> {
    /// Adds what the tags of a field say about its value.
    pub(super) fn declare_field(&mut self, parent: TypeId, field: &Field, schema: &mut Map) {
        let Some(owner) = self.universe.as_named(parent) else { return };
        let mut raw = outline(schema, 0);
        self.tags.declare_field(owner, field, &mut raw);
        merge(schema, raw.encode());
    }

    /// Adds what the tags of a struct say. Its unions are written apart.
    pub(super) fn declare_type(&mut self, id: NamedId, schema: &mut Map) {
        let mut raw = outline(schema, 0);
        self.tags.declare_type(id, &mut raw);
        merge(schema, raw.encode());
    }
}

/// Lists in lists and maps in maps.
const DEPTH_MAX: u32 = 64;

/// As much of a schema as limits are added to.
fn outline(schema: &Map, depth: u32) -> Raw {
    let text = |key: &str| schema.get(key).and_then(Value::as_str).map(Text::from);
    let size = |key: &str| schema.get(key).and_then(Value::as_int);
    #[expect(clippy::cast_precision_loss, reason = "JSON has the same numbers")]
    let number = |key: &str| match schema.get(key) {
        Some(Value::Int(it)) => Some(*it as f64),
        Some(Value::Float(it)) => Some(*it),
        _ => None,
    };
    let below = |key: &str| match schema.get(key) {
        Some(Value::Map(map)) if depth < DEPTH_MAX => Some(Box::new(outline(map, depth + 1))),
        _ => None,
    };
    Raw {
        ty: text("type").unwrap_or_default(),
        format: text("format").unwrap_or_default(),
        pattern: text("pattern").unwrap_or_default(),
        list_type: text("x-kubernetes-list-type"),
        maximum: number("maximum"),
        minimum: number("minimum"),
        max_length: size("maxLength"),
        min_length: size("minLength"),
        max_items: size("maxItems"),
        min_items: size("minItems"),
        max_properties: size("maxProperties"),
        min_properties: size("minProperties"),
        items: below("items").map(Items::One),
        additional_properties: below("additionalProperties").map(BoolOr::Schema),
        properties: schema.contains_key("properties").then(Default::default),
        ..Raw::default()
    }
}

/// Puts what was added into a schema; what is there already stays as it is.
fn merge(schema: &mut Map, added: Value) {
    let Value::Map(added) = added else { return };
    for (key, value) in added.iter() {
        match (schema.get_mut(key), value) {
            (Some(Value::Map(own)), Value::Map(_))
                if key == "items" || key == "additionalProperties" =>
            {
                let refers = own.get("$ref").cloned();
                merge(own, value.clone());
                if let (Some(target), true) = (refers, own.len() > 1) {
                    // Readers pass over what stands beside a reference.
                    own.remove("$ref");
                    let target = [(Text::new_static("$ref"), target)].into_iter().collect();
                    own.insert("allOf", Value::from(vec![Value::Map(target)]));
                }
            }
            (Some(Value::List(own)), Value::List(more)) if key == "x-kubernetes-validations" => {
                let rules = own.iter().chain(more.iter()).cloned().collect::<Vec<_>>();
                schema.insert(key.clone(), Value::from(rules));
            }
            (Some(own), value) if own == value => {}
            (Some(_), Value::Map(map)) if map.is_empty() => {}
            _ => {
                schema.insert(key.clone(), value.clone());
            }
        }
    }
}
