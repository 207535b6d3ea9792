//! Models of kinds that are declared as types: their definitions with references between them.

use ordain_registry::RestConfig;
use ordain_schema::publish::Options;
use ordain_value::{Map, Text, Value};

use super::model::{self, Dialect};

/// Adds the models of a declared kind and returns the name of its own; `None` for other kinds.
pub(super) fn add(
    resource: &RestConfig,
    version: &str,
    dialect: Dialect,
    schemas: &mut Map,
) -> Option<Text> {
    let options = match dialect {
        Dialect::V2 => Options::V2,
        Dialect::V3 => Options::V3,
    };
    let published = resource.strategy.published(version, options)?;
    for (name, mut model) in published.definitions {
        if name == published.root {
            own(resource, version, dialect, &mut model);
        }
        schemas.insert(name, model);
    }
    Some(published.root)
}

fn own(resource: &RestConfig, version: &str, dialect: Dialect, model: &mut Value) {
    model::add_object_fields(model, dialect);
    let Value::Map(map) = model else { return };
    let kinds = model::gvk_list(resource, version, &resource.kind);
    map.insert("x-kubernetes-group-version-kind", kinds);
    model::add_selectable(resource, version, map);
}
