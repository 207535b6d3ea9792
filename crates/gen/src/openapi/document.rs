//! Documents: definitions under their names, references as each version of OpenAPI has them.

use ordain_value::{List, Map, Text, Value};

use super::{Definition, Output};

const V2_SCHEMA: &str = "x-kubernetes-v2-schema";

impl Output {
    /// The newer document: a reference beside anything else is wrapped in `allOf`.
    #[must_use]
    pub fn v3(&self) -> Value {
        let schemas = self.definitions.iter().map(|(name, definition)| {
            let mut schema = definition.schema.clone();
            schema.remove(V2_SCHEMA);
            (name.clone(), wrap_references(&Value::Map(schema), 0))
        });
        let components =
            Map::from_entries(vec![(Text::new_static("schemas"), Value::Map(schemas.collect()))]);
        Value::Map(Map::from_entries(vec![
            (Text::new_static("components"), Value::Map(components)),
            (Text::new_static("openapi"), Value::from("3.0.0")),
        ]))
    }

    /// The older document: references keep what stands beside them, and a schema that states an
    /// older form has that.
    #[must_use]
    pub fn v2(&self) -> Value {
        let definitions = self.definitions.iter().map(|(name, definition)| {
            let schema = match definition.schema.get(V2_SCHEMA) {
                Some(older) => older.clone(),
                None => Value::Map(definition.schema.clone()),
            };
            (name.clone(), older_references(&schema, 0))
        });
        Value::Map(Map::from_entries(vec![
            (Text::new_static("definitions"), Value::Map(definitions.collect())),
            (Text::new_static("swagger"), Value::from("2.0")),
        ]))
    }

    /// The definitions as they are, with what each refers to.
    #[must_use]
    pub fn raw(&self) -> Value {
        let raw = |definition: &Definition| {
            let names = definition.dependencies.iter().map(|name| Value::from(name.clone()));
            Value::Map(Map::from_entries(vec![
                (Text::new_static("dependencies"), Value::List(names.collect::<List>())),
                (Text::new_static("schema"), Value::Map(definition.schema.clone())),
            ]))
        };
        self.definitions
            .iter()
            .map(|(name, found)| (name.clone(), raw(found)))
            .collect::<Map>()
            .into()
    }
}

/// Schemas nest as deep as the types they were made from, which the generator bounds.
const DEPTH_MAX: u32 = 400;

/// Applies a function to the schemas inside a schema.
fn inside(schema: &Map, depth: u32, each: fn(&Value, u32) -> Value) -> Map {
    let one = |value: &Value| each(value, depth + 1);
    schema
        .iter()
        .map(|(key, value)| {
            let value = match (key.as_str(), value) {
                ("items" | "additionalProperties" | "not", Value::Map(_)) => one(value),
                ("allOf" | "oneOf" | "anyOf" | "items", Value::List(list)) => {
                    Value::List(list.iter().map(one).collect())
                }
                ("properties" | "patternProperties" | "definitions", Value::Map(map)) => {
                    Value::Map(map.iter().map(|(key, value)| (key.clone(), one(value))).collect())
                }
                _ => value.clone(),
            };
            (key.clone(), value)
        })
        .collect()
}

fn wrap_references(schema: &Value, depth: u32) -> Value {
    let Value::Map(map) = schema else { return schema.clone() };
    if depth > DEPTH_MAX {
        return schema.clone();
    }
    let mut out = inside(map, depth, wrap_references);
    if out.len() > 1
        && let Some(reference) = out.remove("$ref")
    {
        let wrapped = Map::from_entries(vec![(Text::new_static("$ref"), reference)]);
        out.insert("allOf", Value::from(vec![Value::Map(wrapped)]));
    }
    Value::Map(out)
}

fn older_references(schema: &Value, depth: u32) -> Value {
    let Value::Map(map) = schema else { return schema.clone() };
    if depth > DEPTH_MAX {
        return schema.clone();
    }
    let mut out = inside(map, depth, older_references);
    if let Some(name) = out
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|it| it.strip_prefix("#/components/schemas/"))
    {
        let reference = format!("#/definitions/{name}");
        out.insert("$ref", Value::from(reference));
    }
    Value::Map(out)
}

/// Takes out the values of enumerations, and what descriptions say of them.
pub(super) fn prune_enums(schema: &mut Map) {
    if let Value::Map(pruned) = without_enums(&Value::Map(schema.clone()), 0) {
        *schema = pruned;
    }
}

fn without_enums(schema: &Value, depth: u32) -> Value {
    let Value::Map(map) = schema else { return schema.clone() };
    if depth > DEPTH_MAX {
        return schema.clone();
    }
    let mut out = inside(map, depth, without_enums);
    out.remove("enum");
    let kept = out
        .get("description")
        .and_then(Value::as_str)
        .and_then(|text| text.split_once("Possible enum values:"))
        .map(|(kept, _)| kept.trim().to_string());
    match kept {
        Some(kept) if kept.is_empty() => drop(out.remove("description")),
        Some(kept) => drop(out.insert("description", Value::from(kept))),
        None => {}
    }
    Value::Map(out)
}
