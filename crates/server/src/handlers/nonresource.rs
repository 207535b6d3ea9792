//! Paths that name no resource: health, version, discovery.

use http::Response;
use ordain_meta::Status;
use ordain_registry::Warnings;
use ordain_value::value;

use crate::discovery;
use crate::negotiate::Accepted;
use crate::response::{self, Body};
use crate::router::Exchange;

pub(crate) async fn handle(exchange: &mut Exchange<'_>) -> Response<Body> {
    let segments: Vec<&str> = exchange.info.segments.iter().map(String::as_str).collect();
    match segments.as_slice() {
        ["healthz" | "livez" | "readyz"] => response::text(200, "ok"),
        ["version"] if exchange.method == "GET" => version(),
        ["version"] => response::plain_status(&Status::method_not_allowed()),
        _ => discovery::handle(exchange, &segments),
    }
}

/// The Kubernetes version whose behaviour is shown.
fn version() -> Response<Body> {
    let value = value!({
        "major": "1",
        "minor": "36",
        "emulationMajor": "1",
        "emulationMinor": "36",
        "minCompatibilityMajor": "1",
        "minCompatibilityMinor": "35",
        "gitVersion": "v1.36.4",
        "gitCommit": "",
        "gitTreeState": "clean",
        "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": "",
        "compiler": "gc",
        "platform": "linux/amd64"
    });
    response::value(200, &value, Accepted::default(), &Warnings::default())
}
