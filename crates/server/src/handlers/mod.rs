//! One handler for each verb: reads the request, calls the registry, writes the answer.

pub(crate) mod aggregate;
pub(crate) mod connect;
mod items;
pub(crate) mod log;
pub(crate) mod nonresource;
pub(crate) mod posted;
mod review;
mod token;
pub(crate) mod watch;

use std::sync::Arc;

use http::Response;
use ordain_meta::Status;
use ordain_registry::decode::{Body as RequestBody, Media};
use ordain_registry::typed::protobuf;
use ordain_registry::{Deleted, Family, Listed, Part, PatchType, Target, object};
use ordain_schema::Schema;
use ordain_value::{Map, Value};

use crate::audit::bodies::Shown;
use crate::form;
use crate::handlers::items::Items;
use crate::negotiate::{self, Encoding, Form, MEDIA_TYPES};
use crate::options;
use crate::response::{self, Body};
use crate::router::Exchange;

type Answer = Result<Response<Body>, Status>;

pub(crate) async fn get(exchange: &mut Exchange<'_>, target: &Target, part: Part) -> Answer {
    let version = exchange.query.get("resourceVersion").unwrap_or("").to_owned();
    if part != Part::Scale
        && exchange.accepted.is_plain_json()
        && let Some(mut bytes) = exchange.app.registry.get_json(target, &version).await?
    {
        bytes.push(b'\n');
        let shown = exchange.is_shown().then(|| Shown::Json(bytes.clone().into()));
        return Ok(showing(response::json(200, bytes, &exchange.warnings), shown));
    }
    // What is not copied from the store is kept apart, so that the future of most reads is small.
    let object = match part {
        Part::Scale => Box::pin(exchange.app.registry.get_scale(target)).await?,
        _ => Box::pin(exchange.app.registry.get(target, &version)).await?,
    };
    answer(exchange, target, part, 200, object)
}

pub(crate) async fn create(exchange: &mut Exchange<'_>, target: &Target) -> Answer {
    let media = media(exchange)?;
    let bytes = exchange.read_body().await?;
    let options = options::write_options(&exchange.query, exchange.user_agent());
    let body = RequestBody { bytes: &bytes, media };
    if !target.resource.verbs.read {
        let object = Box::pin(review::answer(exchange, target, &body, &options)).await?;
        return answer(exchange, target, Part::Main, 201, object);
    }
    let registry = &exchange.app.registry;
    let created = registry.create_shown(target, &body, &options, &mut exchange.warnings).await?;
    if exchange.accepted.is_plain_json()
        && !exchange.is_shown()
        && let Some(mut bytes) = created.json()
    {
        bytes.push(b'\n');
        let response = response::json(201, bytes, &exchange.warnings);
        return Ok(naming(response, &created.object));
    }
    answer(exchange, target, Part::Main, 201, created.object)
}

pub(crate) async fn update(exchange: &mut Exchange<'_>, target: &Target, part: Part) -> Answer {
    require_name(target)?;
    let bytes = exchange.read_body().await?;
    let options = options::write_options(&exchange.query, exchange.user_agent());
    let media = media(exchange)?;
    let body = RequestBody { bytes: &bytes, media };
    let registry = &exchange.app.registry;
    let written = match part {
        Part::Scale => {
            registry.update_scale(target, &body, &options, &mut exchange.warnings).await?
        }
        _ => registry.update(target, part, &body, &options, &mut exchange.warnings).await?,
    };
    answer(exchange, target, part, if written.created { 201 } else { 200 }, written.object)
}

pub(crate) async fn patch(exchange: &mut Exchange<'_>, target: &Target, part: Part) -> Answer {
    let ty = patch_type(exchange, target)?;
    require_name(target)?;
    let bytes = exchange.read_body().await?;
    let options = options::write_options(&exchange.query, exchange.user_agent());
    let registry = &exchange.app.registry;
    let written = match part {
        Part::Scale => {
            registry.patch_scale(target, ty, &bytes, &options, &mut exchange.warnings).await?
        }
        _ => registry.patch(target, part, ty, &bytes, &options, &mut exchange.warnings).await?,
    };
    answer(exchange, target, part, if written.created { 201 } else { 200 }, written.object)
}

pub(crate) async fn delete(exchange: &mut Exchange<'_>, target: &Target) -> Answer {
    let options = delete_options(exchange).await?;
    let registry = &exchange.app.registry;
    match registry.delete(target, &options, &mut exchange.warnings).await? {
        Deleted::Gone(status) => {
            Ok(response::status(&status, exchange.accepted, &exchange.warnings))
        }
        Deleted::Last(object) => answer(exchange, target, Part::Main, 200, object),
        Deleted::Marked(object) => {
            let accepted = options.orphan_dependents == Some(false);
            answer(exchange, target, Part::Main, if accepted { 202 } else { 200 }, object)
        }
    }
}

pub(crate) async fn delete_collection(exchange: &mut Exchange<'_>, target: &Target) -> Answer {
    let list = options::list_options(&exchange.query, false)?;
    let options = delete_options(exchange).await?;
    let registry = &exchange.app.registry;
    let listed =
        registry.delete_collection(target, &list, &options, &mut exchange.warnings).await?;
    let value = list_value(target, listed);
    if exchange.accepted.form == Form::Object
        && let Some(bytes) =
            message(exchange, target, Part::Main, |schema| protobuf::encode_list(schema, &value))
    {
        return Ok(response::message(200, bytes, &exchange.warnings));
    }
    Ok(response::value(200, &value, exchange.accepted, &exchange.warnings))
}

pub(crate) async fn list(exchange: &mut Exchange<'_>, target: &Target) -> Answer {
    let options = options::list_options(&exchange.query, false)?;
    let registry = &exchange.app.registry;
    let page = registry.list_records(target, &options).await?;
    if exchange.accepted.is_short_json()
        && !exchange.is_shown()
        && registry.is_written_as_stored(target, &page).await?
        && let Some(shape) = form::shape(exchange, target, &page)?
    {
        let items = Items::new(Arc::clone(registry), target.clone(), page, shape);
        return items.answer(&exchange.warnings).await;
    }
    let schema = crate::message::schema(target, Part::Main, exchange.accepted);
    if let Some(schema) = schema.filter(|_| exchange.accepted.is_plain_message())
        && !exchange.is_shown()
        && registry.is_written_as_stored(target, &page).await?
    {
        let messages = Box::pin(registry.messages(target, schema, &page)).await?;
        let envelope = list_value(target, Listed::empty_of(&page));
        let bytes = protobuf::encode_messages(&envelope, &messages);
        return Ok(response::message(200, bytes, &exchange.warnings));
    }
    let listed = Box::pin(registry.decode_page(target, page)).await?;
    let value = form::list(exchange, target, listed)?;
    let shown = exchange.is_shown().then(|| Shown::Value(value.clone()));
    if let Some(bytes) =
        message(exchange, target, Part::Main, |schema| protobuf::encode_list(schema, &value))
    {
        return Ok(showing(response::message(200, bytes, &exchange.warnings), shown));
    }
    Ok(showing(response::value(200, &value, exchange.accepted, &exchange.warnings), shown))
}

/// An answer with what it shows, for the audit log.
fn showing(mut response: Response<Body>, shown: Option<Shown>) -> Response<Body> {
    if let Some(shown) = shown {
        response.extensions_mut().insert(shown);
    }
    response
}

async fn delete_options(
    exchange: &mut Exchange<'_>,
) -> Result<ordain_registry::DeleteOptions, Status> {
    let bytes = exchange.read_body().await?;
    if bytes.is_empty() {
        return options::delete_options(&exchange.query, None);
    }
    let value = match media(exchange)? {
        Media::Json => options::delete_value(&bytes)?,
        Media::Yaml => ordain_registry::decode::yaml_value(&bytes).map_err(Status::bad_request)?.0,
        Media::Protobuf => options::delete_message(&bytes)?,
    };
    options::delete_options(&exchange.query, Some(&value))
}

/// The list object of a resource.
pub(crate) fn list_value(target: &Target, listed: Listed) -> Value {
    let resource = &target.resource;
    let mut metadata = Map::new();
    metadata.insert("resourceVersion", listed.resource_version.to_string().into());
    if !listed.continue_token.is_empty() || resource.family == Family::Custom {
        metadata.insert("continue", listed.continue_token.into());
    }
    if let Some(remaining) = listed.remaining.and_then(|count| i64::try_from(count).ok()) {
        metadata.insert("remainingItemCount", Value::Int(remaining));
    }
    let mut items = listed.items;
    if resource.family == Family::BuiltIn {
        // Items of a typed list do not repeat what the list says already.
        for item in &mut items {
            if let Value::Map(map) = item {
                map.remove("apiVersion");
                map.remove("kind");
            }
        }
    }
    let mut map = Map::new();
    map.insert("apiVersion", target.group_version().to_string().into());
    map.insert("kind", Value::Str(resource.list_kind.clone()));
    map.insert("metadata", Value::Map(metadata));
    map.insert("items", items.into());
    Value::Map(map)
}

fn answer(
    exchange: &Exchange<'_>,
    target: &Target,
    part: Part,
    code: u16,
    object: Value,
) -> Answer {
    let named = object.clone();
    encode(exchange, target, part, code, object).map(|response| naming(response, &named))
}

/// An answer with the name of the object that it shows, for those who keep records.
fn naming(mut response: Response<Body>, object: &Value) -> Response<Body> {
    let name = response::ObjectName(object::name(object).into());
    response.extensions_mut().insert(name);
    response
}

fn encode(
    exchange: &Exchange<'_>,
    target: &Target,
    part: Part,
    code: u16,
    object: Value,
) -> Answer {
    let value = form::object(exchange, target, object)?;
    let shown = exchange.is_shown().then(|| Shown::Value(value.clone()));
    if let Some(bytes) = message(exchange, target, part, |schema| protobuf::encode(schema, &value))
    {
        return Ok(showing(response::message(code, bytes, &exchange.warnings), shown));
    }
    Ok(showing(response::value(code, &value, exchange.accepted, &exchange.warnings), shown))
}

/// The protobuf form of an answer, when it is wanted and the kind has one.
fn message(
    exchange: &Exchange<'_>,
    target: &Target,
    part: Part,
    encode: impl FnOnce(&Schema) -> Vec<u8>,
) -> Option<Vec<u8>> {
    crate::message::schema(target, part, exchange.accepted).map(encode)
}

fn require_name(target: &Target) -> Result<(), Status> {
    if target.name.is_empty() {
        return Err(Status::bad_request("name must be provided"));
    }
    Ok(())
}

/// How the body is written.
fn media(exchange: &Exchange<'_>) -> Result<Media, Status> {
    match negotiate::body_encoding(exchange.content_type()) {
        Some(Encoding::Json) => Ok(Media::Json),
        Some(Encoding::Yaml) => Ok(Media::Yaml),
        Some(Encoding::Protobuf) => Ok(Media::Protobuf),
        None => Err(Status::unsupported_media_type(&MEDIA_TYPES)),
    }
}

fn patch_type(exchange: &Exchange<'_>, target: &Target) -> Result<PatchType, Status> {
    let content_type = exchange.content_type();
    let media = content_type.split(';').next().unwrap_or("");
    let custom = target.resource.family == Family::Custom;
    match media {
        "application/json-patch+json" => Ok(PatchType::Json),
        "application/merge-patch+json" => Ok(PatchType::Merge),
        "application/apply-patch+yaml" => Ok(PatchType::Apply),
        "application/strategic-merge-patch+json" if !custom => Ok(PatchType::Strategic),
        _ if custom => Err(Status::unsupported_media_type(&[
            "application/json-patch+json",
            "application/merge-patch+json",
            "application/apply-patch+yaml",
        ])),
        _ => Err(Status::unsupported_media_type_plain()),
    }
}
