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

pub(crate) async fn create(exchange: &mut Exchange<'_>, target: &Target, part: Part) -> Answer {
    let media = media(exchange)?;
    let bytes = exchange.read_body().await?;
    let body = match media {
        Media::Json => json::decode(&bytes).map_err(|error| Status::bad_request(error.message))?,
        Media::Yaml => yaml_value(&bytes).map_err(Status::bad_request)?.0,
        Media::Protobuf => {
            let accepted = ["application/json", "application/yaml"];
            return Err(Status::unsupported_media_type(&accepted));
        }
    };
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
