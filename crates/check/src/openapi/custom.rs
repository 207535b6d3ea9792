//! The definition that a published custom resource was made from, as far as its document says.

use ordain_value::{Map, Value, value};

use super::Entry;

/// Schemas deeper than this are not published.
const DEPTH_MAX: usize = 512;

pub(super) fn definition(entry: &Entry, model: &Value) -> Result<Value, String> {
    let mut schema = written(model, 0)?;
    schema.set_path(&["properties", "metadata"], value!({"type": "object"}));
    let gvk = &entry.gvk;
    let plural = entry.plural.as_ref().map_or_else(|| gvk.kind.to_lowercase(), ToString::to_string);
    let scope = if entry.namespaced.unwrap_or(true) { "Namespaced" } else { "Cluster" };
    let mut version = Map::new();
    version.insert("name", gvk.version.as_str().into());
    version.insert("served", true.into());
    version.insert("storage", true.into());
    version.insert("schema", value!({"openAPIV3Schema": schema}));
    if entry.has_status {
        version.insert("subresources", value!({"status": {}}));
    }
    Ok(value!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": (format!("{plural}.{}", gvk.group))},
        "spec": {
            "group": (gvk.group.as_str()),
            "scope": scope,
            "names": {
                "kind": (gvk.kind.as_str()),
                "listKind": (format!("{}List", gvk.kind)),
                "plural": (plural.as_str()),
                "singular": (gvk.kind.to_lowercase())
            },
            "versions": [Value::Map(version)]
        }
    }))
}

/// A place as its author wrote it: what the server adds when it publishes is taken away again.
fn written(place: &Value, depth: usize) -> Result<Value, String> {
    let Value::Map(given) = place else { return Ok(place.clone()) };
    if depth > DEPTH_MAX {
        return Err(format!("the schema is nested deeper than {DEPTH_MAX} levels"));
    }
    let is = |key: &str| given.get(key).and_then(Value::as_bool) == Some(true);
    let embedded = is("x-kubernetes-embedded-resource");
    let mut map = Map::new();
    for (key, value) in given.iter() {
        let value = match key.as_str() {
            "x-kubernetes-group-version-kind" | "x-kubernetes-selectable-fields" => continue,
            "$ref" => return Ok(value!({"type": "object"})),
            "anyOf" if is("x-kubernetes-int-or-string") => continue,
            "required" if embedded => continue,
            "properties" => {
                let mut properties = Map::new();
                for (name, property) in value.as_map().into_iter().flat_map(Map::iter) {
                    properties.insert(name.clone(), written(property, depth + 1)?);
                }
                Value::Map(properties)
            }
            "items" | "additionalProperties" | "not" => written(value, depth + 1)?,
            "allOf" | "anyOf" | "oneOf" => {
                let list = value.as_list().into_iter().flat_map(|list| list.iter());
                let list: Result<Vec<Value>, String> =
                    list.map(|it| written(it, depth + 1)).collect();
                list?.into()
            }
            _ => value.clone(),
        };
        map.insert(key.clone(), value);
    }
    Ok(Value::Map(map))
}
