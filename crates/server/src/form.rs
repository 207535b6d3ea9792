//! The forms an object can be shown in: itself, its metadata only, or a table.

use ordain_meta::Status;
use ordain_registry::{Family, Listed, Records, Target};
use ordain_value::{Map, Value, value};

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

/// A list that is written item by item: what is around the items, and how each is shown.
pub(crate) struct Shape {
    /// The list without items.
    pub(crate) envelope: Value,
    /// Where they go.
    pub(crate) key: &'static str,
    /// None for the objects as they are stored.
    pub(crate) show: Option<Show>,
}

pub(crate) type Show = Box<dyn Fn(&Value) -> Value + Send + Sync>;

/// How a page of a list is written item by item in the accepted form; none where it is not.
pub(crate) fn shape(
    exchange: &Exchange<'_>,
    target: &Target,
    page: &Records,
) -> Result<Option<Shape>, Status> {
    let empty = Listed::empty_of(page);
    Ok(Some(match exchange.accepted.form {
        Form::Object => Shape { envelope: list_value(target, empty), key: "items", show: None },
        // Rows that are sorted are known when all of them are.
        Form::Table(_) if target.resource.strategy.sorts_rows() => return Ok(None),
        Form::Table(version) => {
            let (envelope, tables) = table::without_rows(exchange, target, empty, version)?;
            let show: Show = Box::new(move |object| tables.row(object, version));
            Shape { envelope, key: "rows", show: Some(show) }
        }
        Form::PartialMetadataList(version) => {
            let envelope = partial_list(target, empty, version);
            let show: Show = Box::new(move |object| partial(object, version));
            Shape { envelope, key: "items", show: Some(show) }
        }
        Form::PartialMetadata(_) => return Ok(None),
    }))
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
    value!({
        "apiVersion": (version.api_version()),
        "kind": "PartialObjectMetadata",
        "metadata": (object.get("metadata").cloned().unwrap_or(Value::Map(Map::new())))
    })
}

fn partial_list(target: &Target, listed: Listed, version: MetaVersion) -> Value {
    let whole = list_value(target, listed);
    let items = whole.items("items").iter();
    value!({
        "apiVersion": (version.api_version()),
        "kind": "PartialObjectMetadataList",
        "metadata"?: (whole.get("metadata").map(list_metadata)),
        "items": (items.map(|item| partial(item, version)).collect::<Value>())
    })
}

/// Typed list metadata leaves out an empty continue token.
pub(crate) fn list_metadata(metadata: &Value) -> Value {
    let mut metadata = metadata.clone();
    if let Value::Map(map) = &mut metadata {
        map.retain(|key, value| key != "continue" || value.as_str() != Some(""));
    }
    metadata
}
