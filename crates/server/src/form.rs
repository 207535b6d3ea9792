//! The forms an object can be shown in: itself, its metadata only, or a table.

use ordain_meta::Status;
use ordain_registry::{Family, Listed, Target};
use ordain_value::{Map, Value};

use crate::handlers::list_value;
use crate::negotiate::{Form, MetaVersion};
use crate::router::Exchange;
use crate::table;

/// An object in the accepted form.
pub(crate) fn object(
    exchange: &Exchange<'_>,
    target: &Target,
    object: Value,
) -> Result<Value, Status> {
    match exchange.accepted.form {
        Form::Object => Ok(object),
        Form::Table(version) => table::of_object(exchange, target, &object, version),
        Form::PartialMetadata(version) => Ok(partial(&object, version)),
        Form::PartialMetadataList(_) => {
            let ty = go_type(target, "");
            let why = "you requested PartialObjectMetadataList, but the requested object is not a";
            Err(Status::not_acceptable_form(&format!("{why} list ({ty})")))
        }
    }
}

/// A list in the accepted form.
pub(crate) fn list(
    exchange: &Exchange<'_>,
    target: &Target,
    listed: Listed,
) -> Result<Value, Status> {
    match exchange.accepted.form {
        Form::Object => Ok(list_value(target, listed)),
        Form::Table(version) => table::of_list(exchange, target, listed, version),
        Form::PartialMetadataList(version) => Ok(partial_list(target, listed, version)),
        Form::PartialMetadata(_) => {
            let ty = go_type(target, "List");
            let why = "you requested PartialObjectMetadata, but the requested object is a list";
            Err(Status::not_acceptable_form(&format!("{why} ({ty})")))
        }
    }
}

/// The Go type of an object or list, which upstream names.
fn go_type(target: &Target, list: &str) -> String {
    let resource = &target.resource;
    match resource.family {
        Family::Custom => format!("*unstructured.Unstructured{list}"),
        Family::BuiltIn => {
            let package = resource.group.split('.').next().filter(|it| !it.is_empty());
            format!("*{}.{}{list}", package.unwrap_or("core"), resource.kind)
        }
    }
}

/// Only the metadata of an object.
pub(crate) fn partial(object: &Value, version: MetaVersion) -> Value {
    let mut map = Map::new();
    map.insert("apiVersion", version.api_version().into());
    map.insert("kind", "PartialObjectMetadata".into());
    map.insert("metadata", object.get("metadata").cloned().unwrap_or(Value::Map(Map::new())));
    Value::Map(map)
}

fn partial_list(target: &Target, listed: Listed, version: MetaVersion) -> Value {
    let whole = list_value(target, listed);
    let mut map = Map::new();
    map.insert("apiVersion", version.api_version().into());
    map.insert("kind", "PartialObjectMetadataList".into());
    if let Some(metadata) = whole.get("metadata") {
        map.insert("metadata", list_metadata(metadata));
    }
    let items = whole.get("items").and_then(Value::as_list);
    let items: Vec<Value> = items
        .map(|list| list.iter().map(|item| partial(item, version)).collect())
        .unwrap_or_default();
    map.insert("items", items.into());
    Value::Map(map)
}

/// Typed list metadata leaves out an empty continue token.
pub(crate) fn list_metadata(metadata: &Value) -> Value {
    let mut metadata = metadata.clone();
    if let Value::Map(map) = &mut metadata {
        map.retain(|key, value| key != "continue" || value.as_str() != Some(""));
    }
    metadata
}
