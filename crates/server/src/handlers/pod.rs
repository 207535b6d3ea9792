//! What is posted to a pod: bindings and evictions, which are no objects of their own.

use ordain_meta::Status;
use ordain_registry::decode::{Media, yaml_value};
use ordain_registry::{Part, Target};
use ordain_value::{Value, json};

use super::{Answer, media};
use crate::options;
use crate::response;
use crate::router::Exchange;

/// Whether a subresource is posted to.
pub(crate) fn takes(subresource: &str) -> bool {
    matches!(subresource, "binding" | "eviction")
}

/// Whether a target is the collection of bindings, which are asked for and not stored.
pub(crate) fn is_binding(target: &Target) -> bool {
    target.resource.group.is_empty() && target.resource.plural == "bindings"
}

/// A binding outside of its pod: it names the pod.
pub(crate) async fn bind_by_name(exchange: &mut Exchange<'_>, target: &Target) -> Answer {
    let body = read(exchange).await?;
    let registry = &exchange.app.registry;
    let pods = registry.catalog().get("", "pods").cloned();
    let pods = pods.ok_or_else(Status::path_not_found)?;
    let at = pods.subresources.iter().position(|it| it == "binding");
    let part = Part::Other(at.ok_or_else(Status::path_not_found)?);
    let name = ordain_registry::object::name(&body).into();
    let target = Target { resource: pods, name, ..target.clone() };
    let written = options::write_options(&exchange.query, exchange.user_agent());
    let done = registry.bind(&target, part, &body, &written, &mut exchange.warnings).await?;
    Ok(response::status(&done, exchange.accepted, &exchange.warnings))
}

async fn read(exchange: &mut Exchange<'_>) -> Result<Value, Status> {
    let media = media(exchange)?;
    let bytes = exchange.read_body().await?;
    match media {
        Media::Json => json::decode(&bytes).map_err(|error| Status::bad_request(error.message)),
        Media::Yaml => Ok(yaml_value(&bytes).map_err(Status::bad_request)?.0),
        Media::Protobuf => {
            let accepted = ["application/json", "application/yaml"];
            Err(Status::unsupported_media_type(&accepted))
        }
    }
}

pub(crate) async fn create(exchange: &mut Exchange<'_>, target: &Target, part: Part) -> Answer {
    let body = read(exchange).await?;
    let registry = &exchange.app.registry;
    let written = options::write_options(&exchange.query, exchange.user_agent());
    let done = if exchange.info.subresource == "binding" {
        registry.bind(target, part, &body, &written, &mut exchange.warnings).await?
    } else {
        let given = body.get("deleteOptions").filter(|it| !it.is_null());
        let empty = Value::Map(ordain_value::Map::new());
        let mut deletion = options::delete_options(&exchange.query, Some(given.unwrap_or(&empty)))?;
        if written.is_dry_run() && deletion.dry_run.is_empty() {
            deletion.dry_run = vec!["All".into()];
        }
        registry.evict(target, &body, &deletion, &mut exchange.warnings).await?
    };
    Ok(response::status(&done, exchange.accepted, &exchange.warnings))
}
