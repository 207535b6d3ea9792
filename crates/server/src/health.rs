//! Health: named checks behind `/healthz`, `/livez` and `/readyz`.

use std::fmt;
use std::time::Duration;

use http::Response;
use ordain_value::go_quote;

use crate::app::App;
use crate::metrics;
use crate::response::{self, Body};
use crate::router::Exchange;

/// A store that does not answer within this time is not well.
const STORE_TIMEOUT: Duration = Duration::from_secs(2);

/// What was done at start, besides the checks that every server has.
#[derive(Clone, Default)]
pub struct Health {
    /// Steps of the start that are done; they are shown by the names that operators know.
    pub started: Vec<&'static str>,
}

impl fmt::Debug for Health {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Health").field("started", &self.started).finish()
    }
}

/// How often the store is asked how it is.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Tells when the store begins to fail and when it is well again, without being asked. Done when it
/// fails and the server is to exit then.
pub(crate) async fn follow_store(app: &App) {
    let mut well = true;
    metrics::STORE_READY.set(&[], 1);
    loop {
        tokio::time::sleep(LOOK_EVERY).await;
        let answer = check(app, "etcd").await;
        if answer.is_ok() == well {
            continue;
        }
        well = answer.is_ok();
        metrics::STORE_READY.set(&[], i64::from(well));
        match answer {
            Ok(()) => app.log.error("the store is well again", &[]),
            Err(why) => {
                metrics::STORE_FAILURES.add(&[], 1);
                app.log.error("the store fails", &[("error", &why)]);
                if app.exit_on_store_failure {
                    return;
                }
            }
        }
    }
}

/// What is done before the first request is answered, by the names that operators know: plugins,
/// caches and definitions, flow control, namespaces, the authority of clients, tokens, addresses.
const STARTED_FIRST: [&str; 12] = [
    "poststarthook/start-apiserver-admission-initializer",
    "poststarthook/generic-apiserver-start-informers",
    "poststarthook/priority-and-fairness-config-consumer",
    "poststarthook/storage-object-count-tracker-hook",
    "poststarthook/start-apiextensions-informers",
    "poststarthook/start-apiextensions-controllers",
    "poststarthook/crd-informer-synced",
    "poststarthook/start-system-namespaces-controller",
    "poststarthook/start-cluster-authentication-info-controller",
    "poststarthook/storage-readiness",
    "poststarthook/start-legacy-token-tracking-controller",
    "poststarthook/start-service-ip-repair-controllers",
];
/// And behind the steps of the transport: objects of the system, the service of the server, group
/// versions of this and of other servers with their documents.
const STARTED_THEN: [&str; 13] = [
    "poststarthook/scheduling/bootstrap-system-priority-classes",
    "poststarthook/priority-and-fairness-config-producer",
    "poststarthook/bootstrap-controller",
    "poststarthook/start-kubernetes-service-cidr-controller",
    "poststarthook/start-kube-aggregator-informers",
    "poststarthook/apiservice-status-local-available-controller",
    "poststarthook/apiservice-status-remote-available-controller",
    "poststarthook/apiservice-registration-controller",
    "poststarthook/apiservice-discovery-controller",
    "poststarthook/kube-apiserver-autoregistration",
    "autoregister-completion",
    "poststarthook/apiservice-openapi-controller",
    "poststarthook/apiservice-openapiv3-controller",
];

/// The checks of each path, in the order in which they are shown.
fn checks(app: &App, path: &str) -> Vec<&'static str> {
    let mut names = vec!["ping", "log", "etcd"];
    if path == "readyz" {
        names.extend(["etcd-readiness", "informer-sync"]);
    }
    names.extend(STARTED_FIRST);
    names.extend(&app.health.started);
    names.extend(STARTED_THEN);
    if path == "readyz" {
        names.push("shutdown");
    }
    names
}

/// Whether a check passes, or why not.
async fn check(app: &App, name: &str) -> Result<(), String> {
    match name {
        // The store, whichever it is: operators know the check by this name.
        "etcd" | "etcd-readiness" => {
            match tokio::time::timeout(STORE_TIMEOUT, app.registry.ping()).await {
                Ok(Ok(())) => Ok(()),
                Ok(Err(status)) => Err(status.message),
                Err(_) => Err("the store does not answer".to_owned()),
            }
        }
        "shutdown" if *app.closing.borrow() => Err("process is shutting down".to_owned()),
        // Definitions, namespaces and roles are there before the first request is answered.
        _ => Ok(()),
    }
}

/// How all checks are at this moment, as service level indicators (`/metrics/slis`).
pub(crate) async fn slis(app: &App) -> Response<Body> {
    let mut text = String::from(
        "# HELP kubernetes_healthcheck Whether a check passes.\n\
         # TYPE kubernetes_healthcheck gauge\n",
    );
    for path in ["healthz", "livez", "readyz"] {
        for name in checks(app, path) {
            let passes = i32::from(check(app, name).await.is_ok());
            let line =
                format!("kubernetes_healthcheck{{name=\"{name}\",type=\"{path}\"}} {passes}");
            text.push_str(&line);
            text.push('\n');
        }
    }
    metrics::page(&text)
}

/// Answers `/livez` and the like, or `/livez/NAME`. `None` for a check that does not exist.
pub(crate) async fn answer(exchange: &Exchange<'_>, segments: &[&str]) -> Option<Response<Body>> {
    let (path, rest) = segments.split_first()?;
    if !rest.is_empty() {
        return one(exchange.app, path, &rest.join("/")).await;
    }
    Some(all(exchange, path).await)
}

async fn one(app: &App, path: &str, name: &str) -> Option<Response<Body>> {
    checks(app, path).contains(&name).then_some(())?;
    Some(match check(app, name).await {
        Ok(()) => response::bare_text(200, "ok"),
        Err(why) => response::text(500, &format!("internal server error: {why}\n")),
    })
}

async fn all(exchange: &Exchange<'_>, path: &str) -> Response<Body> {
    let app = exchange.app;
    let query = &exchange.query;
    let mut unknown: Vec<&str> = query.all("exclude").collect();
    unknown.sort_unstable();
    unknown.dedup();
    let excluded = unknown.clone();
    let (mut text, mut failed) = (String::new(), Vec::new());
    for name in checks(app, path) {
        if excluded.contains(&name) {
            unknown.retain(|it| *it != name);
            text.push_str(&format!("[+]{name} excluded: ok\n"));
            continue;
        }
        match check(app, name).await {
            Ok(()) => text.push_str(&format!("[+]{name} ok\n")),
            Err(why) => {
                // Everybody may ask: the reason is for the log alone.
                text.push_str(&format!("[-]{name} failed: reason withheld\n"));
                app.log.error("health check failed", &[("check", &name), ("error", &why)]);
                failed.push(name);
            }
        }
    }
    if !unknown.is_empty() {
        let quoted: Vec<String> = unknown.iter().map(|name| go_quote(name)).collect();
        text.push_str(&format!(
            "warn: some health checks cannot be excluded: no matches for {}\n",
            quoted.join(",")
        ));
    }
    if !failed.is_empty() {
        return response::text(500, &format!("{text}{path} check failed\n"));
    }
    if query.get("verbose").is_none() {
        return response::text(200, "ok");
    }
    response::text(200, &format!("{text}{path} check passed\n"))
}
