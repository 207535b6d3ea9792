//! What is posted to a subresource and is no object of its own: bindings and evictions of pods,
//! requests for tokens.

use ordain_meta::Status;
use ordain_registry::admission::Operation;
use ordain_registry::decode::{Body, Media};
use ordain_registry::{Part, Target, object};
use ordain_value::{Map, Value, json};

use super::{Answer, media, token};
use crate::app::App;
use crate::options;
use crate::response;
use crate::router::Exchange;

/// Whether a subresource is posted to.
pub(crate) fn takes(app: &App, subresource: &str) -> bool {
    match subresource {
        "binding" | "eviction" => true,
        "token" => app.service_accounts.is_some(),
        _ => false,
    }
}

/// Whether a target is the collection of bindings, which are asked for and not stored.
pub(crate) fn is_binding(target: &Target) -> bool {
    target.resource.group.is_empty() && target.resource.plural == "bindings"
}

/// A binding outside of its pod: it names the pod.
pub(crate) async fn bind_by_name(exchange: &mut Exchange<'_>, target: &Target) -> Answer {
    let pods = exchange.app.registry.catalog().get("", "pods").cloned();
    let pods = pods.ok_or_else(Status::path_not_found)?;
    let at = pods.subresources.iter().position(|it| it == "binding");
    let part = Part::Other(at.ok_or_else(Status::path_not_found)?);
    bind(exchange, &Target { resource: pods, ..target.clone() }, part).await
}

pub(crate) async fn create(exchange: &mut Exchange<'_>, target: &Target, part: Part) -> Answer {
    match (exchange.info.subresource.as_str(), exchange.app.service_accounts.clone()) {
        ("token", Some(accounts)) => token::create(exchange, target, part, &accounts).await,
        ("binding", _) => bind(exchange, target, part).await,
        ("eviction", _) => evict(exchange, target, part).await,
        _ => Err(Status::method_not_allowed()),
    }
}

async fn bind(exchange: &mut Exchange<'_>, target: &Target, part: Part) -> Answer {
    let media = media(exchange)?;
    let bytes = exchange.read_body().await?;
    let options = options::write_options(&exchange.query, exchange.user_agent());
    let body = Body { bytes: &bytes, media };
    let registry = &exchange.app.registry;
    let warnings = &mut exchange.warnings;
    let (_, binding) = registry.attached("binding", target, &body, &options, warnings)?;
    let mut target = target.clone();
    if target.name.is_empty() {
        target.name = object::name(&binding).into();
    }
    let done = registry.bind(&target, part, &binding, &options, warnings).await?;
    Ok(response::status(&done, exchange.accepted, &exchange.warnings))
}

async fn evict(exchange: &mut Exchange<'_>, target: &Target, part: Part) -> Answer {
    let media = media(exchange)?;
    let bytes = as_v1(exchange.read_body().await?.to_vec(), media);
    let options = options::write_options(&exchange.query, exchange.user_agent());
    let body = Body { bytes: &bytes, media };
    let registry = &exchange.app.registry;
    let warnings = &mut exchange.warnings;
    let (_, eviction) = registry.attached("eviction", target, &body, &options, warnings)?;
    let create = Operation::Create;
    let eviction =
        registry.admit_attached(target, part, create, eviction, &options, warnings).await?;
    let given = eviction.get("deleteOptions").filter(|it| !it.is_null());
    let empty = Value::Map(Map::new());
    let mut deletion = options::delete_options(&exchange.query, Some(given.unwrap_or(&empty)))?;
    if options.is_dry_run() && deletion.dry_run.is_empty() {
        deletion.dry_run = vec!["All".into()];
    }
    let done = registry.evict(target, &eviction, &deletion, warnings).await?;
    Ok(response::status(&done, exchange.accepted, &exchange.warnings))
}

/// Old clients name the version that evictions had before; it had the same fields.
fn as_v1(bytes: Vec<u8>, media: Media) -> Vec<u8> {
    if media != Media::Json || !bytes.windows(7).any(|it| it == b"v1beta1") {
        return bytes;
    }
    match json::decode(&bytes) {
        Ok(mut eviction)
            if eviction.get("apiVersion").and_then(Value::as_str) == Some("policy/v1beta1") =>
        {
            eviction.set_path(&["apiVersion"], "policy/v1".into());
            json::encode(&eviction)
        }
        _ => bytes,
    }
}
