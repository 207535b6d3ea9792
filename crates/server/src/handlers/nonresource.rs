//! Paths that name no resource: health, version, discovery.

use http::Response;
use ordain_meta::Status;
use ordain_registry::Warnings;
use ordain_value::value;

use crate::negotiate::Accepted;
use crate::response::{self, Body};
use crate::router::Exchange;
use crate::{discovery, openapi};

pub(crate) async fn handle(exchange: &mut Exchange<'_>) -> Response<Body> {
    let segments: Vec<&str> = exchange.info.segments.iter().map(String::as_str).collect();
    match segments.as_slice() {
        [which @ ("healthz" | "livez" | "readyz")] => health(exchange, which),
        ["version"] if exchange.method == "GET" => version(),
        ["version"] => response::plain_status(&Status::method_not_allowed()),
        ["healthz" | "livez" | "readyz", "ping" | "etcd" | "log"] => response::text(200, "ok"),
        ["openapi", ..] => openapi::handle(exchange, &segments).await,
        _ => discovery::handle(exchange, &segments),
    }
}

/// How the server is: `ok`, or with `verbose` each check by name.
fn health(exchange: &Exchange<'_>, which: &str) -> Response<Body> {
    const CHECKS: [&str; 3] = ["ping", "log", "etcd"];
    let query = &exchange.query;
    if query.get("verbose").is_none() {
        return response::text(200, "ok");
    }
    let excluded = query.get("exclude").unwrap_or("");
    let mut text = String::new();
    for check in CHECKS {
        let state = if check == excluded { "excluded: ok" } else { "ok" };
        text.push_str(&format!("[+]{check} {state}\n"));
    }
    if !excluded.is_empty() && !CHECKS.contains(&excluded) {
        let quoted = ordain_value::go_quote(excluded);
        text.push_str(&format!(
            "warn: some health checks cannot be excluded: no matches for {quoted}\n"
        ));
    }
    text.push_str(&format!("{which} check passed\n"));
    response::text(200, &text)
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
        "platform": (format!("{}/{}", std::env::consts::OS, architecture()))
    });
    response::value(200, &value, Accepted::default(), &Warnings::default())
}

/// The machine as clients of the reference know it.
fn architecture() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    }
}
