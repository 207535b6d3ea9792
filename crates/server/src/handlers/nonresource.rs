//! Paths that name no resource: health, metrics, version, discovery.

use std::sync::Arc;

use http::Response;
use ordain_meta::{KubeVersion, Status};
use ordain_registry::Warnings;
use ordain_value::value;

use crate::handlers::aggregate;
use crate::negotiate::Accepted;
use crate::response::{self, Body};
use crate::router::Exchange;
use crate::{discovery, health, metrics, openapi, ui};

pub(crate) async fn handle(exchange: &mut Exchange<'_>) -> Response<Body> {
    let info = Arc::clone(&exchange.info);
    let segments: Vec<&str> = info.segments.iter().map(|it| it.as_str()).collect();
    if let ["apis", group, version] | ["openapi", "v3", "apis", group, version] =
        segments.as_slice()
        && let Some(remote) = exchange.app.registry.remote(group, version)
    {
        return aggregate::forward(exchange, &remote).await;
    }
    match segments.as_slice() {
        ["healthz" | "livez" | "readyz", ..] => {
            let answer = health::answer(exchange, &segments).await;
            answer.unwrap_or_else(response::page_not_found)
        }
        ["metrics"] if exchange.method == "GET" => metrics::answer(exchange.app).await,
        ["metrics", "slis"] if exchange.method == "GET" => health::slis(exchange.app).await,
        ["version"] if exchange.method == "GET" => version(exchange.app.registry.gates().release()),
        ["version"] => response::plain_status(&Status::method_not_allowed()),
        [".well-known", "openid-configuration"] | ["openid", "v1", "jwks"]
            if exchange.method == "GET" =>
        {
            issuer(exchange, segments[0] == "openid").unwrap_or_else(response::page_not_found)
        }
        ["ui", "api", name] => {
            let name = (*name).to_owned();
            ui::answer(exchange, &name).await
        }
        ["openapi", ..] => openapi::handle(exchange, &segments).await,
        _ => discovery::handle(exchange, &segments),
    }
}

/// What others verify tokens of service accounts by.
fn issuer(exchange: &Exchange<'_>, keys: bool) -> Option<Response<Body>> {
    let accounts = exchange.app.service_accounts.as_ref()?;
    if keys { accounts.key_set() } else { accounts.configuration(exchange.host()) }
}

/// The Kubernetes version whose behaviour is shown.
fn version(emulated: KubeVersion) -> Response<Body> {
    let KubeVersion { major, minor } = emulated;
    let value = value!({
        "major": "1",
        "minor": "36",
        "emulationMajor": (major.to_string()),
        "emulationMinor": (minor.to_string()),
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
