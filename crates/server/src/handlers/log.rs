//! `pods/log`: what a pod said.

use http::Response;
use http::header::{CONTENT_TYPE, HeaderValue};
use ordain_registry::Target;

use super::Answer;
use crate::response;
use crate::router::Exchange;

/// A pod that is on no node has said nothing yet; no other can be asked.
pub(crate) async fn log(exchange: &mut Exchange<'_>, target: &Target) -> Answer {
    let container = exchange.query.get("container").unwrap_or("");
    exchange.app.registry.log(target, container).await?;
    let mut response = Response::new(response::full(""));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain"));
    Ok(response)
}
