//! Models of custom resources: the schema as written, with what the server adds and, for v2,
//! without what v2 cannot say.

use ordain_registry::RestConfig;
use ordain_value::{Map, Text, Value, value};

use super::model::{self, Dialect};

/// Schemas are trees, but deep ones are cut here rather than walked without end.
const DEPTH_MAX: usize = 512;

/// Adds the model of a kind without declaration and returns its name.
pub(super) fn add(
    resource: &RestConfig,
    version: &str,
    crd: Option<&Value>,
    dialect: Dialect,
    schemas: &mut Map,
) -> Text {
    let mut labels: Vec<&str> = resource.group.split('.').collect();
    labels.reverse();
    let name = format!("{}.{version}.{}", labels.join("."), resource.kind);
    let written = crd.and_then(|crd| schema_of(crd, version));
    let mut model = match written {
        Some(written) => shape(written, dialect, 0),
        None => value!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}),
    };
    let preserves = |value: &Value| value.is_set("x-kubernetes-preserve-unknown-fields");
    let bare = dialect == Dialect::V2 && written.is_none_or(preserves);
    if bare {
        model = value!({"type": "object"});
    } else {
        model::add_object_fields(&mut model, dialect);
    }
    if let Value::Map(map) = &mut model {
        let kinds = model::gvk_list(resource, version, &resource.kind);
        map.insert("x-kubernetes-group-version-kind", kinds);
        model::add_selectable(resource, version, map);
    }
    schemas.insert(name.clone(), model);
    name.into()
}

fn schema_of<'a>(crd: &'a Value, version: &str) -> Option<&'a Value> {
    let versions = crd.get_path(&["spec", "versions"])?.as_list()?;
    let named = |it: &&Value| it.get("name").and_then(Value::as_str) == Some(version);
    versions.iter().find(named)?.get_path(&["schema", "openAPIV3Schema"])
}

/// A place of the schema as it is published.
fn shape(written: &Value, dialect: Dialect, depth: usize) -> Value {
    let Value::Map(given) = written else { return written.clone() };
    if depth > DEPTH_MAX {
        return Value::Map(Map::new());
    }
    let is = |name: &str| given.get(name).and_then(Value::as_bool) == Some(true);
    let untyped =
        dialect == Dialect::V2 && (is("nullable") || is("x-kubernetes-preserve-unknown-fields"));
    let mut map = Map::new();
    for (key, value) in given.iter() {
        let value = match key.as_str() {
            "allOf" | "anyOf" | "oneOf" | "not" | "nullable" | "default"
                if dialect == Dialect::V2 =>
            {
                continue;
            }
            "type" | "items" | "properties" | "additionalProperties" if untyped => continue,
            "properties" => each(value, dialect, depth),
            "items" | "additionalProperties" | "not" => shape(value, dialect, depth + 1),
            "allOf" | "anyOf" | "oneOf" => {
                let list = value.as_list().into_iter().flatten();
                list.map(|it| shape(it, dialect, depth + 1)).collect()
            }
            _ => value.clone(),
        };
        map.insert(key.clone(), value);
    }
    let mut shaped = Value::Map(map);
    if is("x-kubernetes-int-or-string") {
        unfold_int_or_string(&mut shaped, dialect);
    }
    if is("x-kubernetes-embedded-resource") && !untyped {
        model::add_object_fields(&mut shaped, dialect);
        shaped.set_path(&["required"], value!(["kind", "apiVersion"]));
    }
    shaped
}

fn each(properties: &Value, dialect: Dialect, depth: usize) -> Value {
    let entries = properties.as_map().into_iter().flat_map(Map::iter);
    let shaped = entries.map(|(name, value)| (name.clone(), shape(value, dialect, depth + 1)));
    Value::Map(Map::from_entries(shaped.collect()))
}

fn unfold_int_or_string(place: &mut Value, dialect: Dialect) {
    let Value::Map(map) = place else { return };
    map.remove("type");
    if dialect == Dialect::V3 && !map.contains_key("anyOf") && !map.contains_key("allOf") {
        map.insert("anyOf", value!([{"type": "integer"}, {"type": "string"}]));
    }
}
