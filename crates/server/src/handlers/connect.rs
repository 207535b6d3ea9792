//! Connections to what runs behind an object.

use ordain_registry::{Part, Target};

use super::Answer;
use crate::router::Exchange;

/// Asks for a connection, which no server without kubelets can make.
pub(crate) async fn connect(exchange: &mut Exchange<'_>, target: &Target, part: Part) -> Answer {
    let path = subpath(&exchange.info.segments, &exchange.info.subresource);
    let query = exchange.query.pairs();
    let registry = &exchange.app.registry;
    Err(registry.connect(target, part, query, &path, &mut exchange.warnings).await)
}

/// What follows the subresource in the path, with its slash.
fn subpath(segments: &[ordain_value::Text], subresource: &str) -> String {
    let at = segments.iter().rposition(|segment| segment == subresource);
    let behind = at.and_then(|at| segments.get(at + 1..)).unwrap_or_default();
    if behind.is_empty() { String::new() } else { format!("/{}", behind.join("/")) }
}
