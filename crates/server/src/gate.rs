//! The gate: what every request passes before its handler sees it. Who is it, whom does it act as,
//! is there room, is it allowed, how long may it take.

use std::sync::Arc;

use http::header::{HOST, HeaderName, HeaderValue, RETRY_AFTER};
use http::request::Parts;
use http::{Request, Response, Version};
use hyper::body::Incoming;
use ordain_meta::Status;
use ordain_registry::caller::{self, MASTERS, UNAUTHENTICATED, User};
use ordain_registry::rbac;

use crate::access::Access;
use crate::app::App;
use crate::authz::{self, Wanted};
use crate::impersonation;
use crate::limits;
use crate::metrics;
use crate::record::{self, Record};
use crate::request_info::{Query, RequestInfo, Verb, percent_decode};
use crate::response::{self, Body};
use crate::router::{self, Arrival};
use crate::serve::Peer;

/// Answers a request.
pub(crate) async fn handle(
    app: &Arc<App>,
    peer: &Peer,
    request: Request<Incoming>,
) -> Response<Body> {
    metrics::register();
    let (parts, body) = request.into_parts();
    let query = Query::new(parts.uri.query().unwrap_or(""));
    let info = Arc::new(RequestInfo::new(parts.method.as_str(), parts.uri.path(), &query));
    let mut record = Record::new(app, peer.address, &parts, &query, &info);
    let response = match admit(app, peer, &parts, &query, &info, &mut record) {
        Ok(user) => answer(app, user, Arrival { parts, body, query, info }, &record).await,
        Err(refusal) => *refusal,
    };
    record.finish(response)
}

/// Finds out who makes the request and whether they may. Returns whom it acts as.
fn admit(
    app: &App,
    peer: &Peer,
    parts: &Parts,
    query: &Query,
    info: &RequestInfo,
    record: &mut Record,
) -> Result<Arc<User>, Box<Response<Body>>> {
    let refuse = |status: &Status| Box::new(refuse(status));
    if matches!(app.access, Access::Open) {
        check_host(parts).map_err(|status| refuse(&status))?;
    }
    let path = percent_decode(parts.uri.path(), false);
    let user = app.access.authenticate(peer, &parts.headers, &path).map_err(|status| {
        hang_up(peer, parts.version);
        Box::new(response::plain_status(&status))
    })?;
    if user.is_in(UNAUTHENTICATED) {
        hang_up(peer, parts.version);
    }
    record.user = Some(Arc::clone(&user));
    let wanted = Wanted::new(info, query, &parts.method, &path);
    record.set_verb(&wanted.verb, &wanted.name);
    let request = wanted.attributes();
    let wanted = impersonation::wanted(&parts.headers).map_err(|status| refuse(&status))?;
    let user = match wanted {
        None => user,
        Some(wanted) => {
            let acting = impersonation::impersonate(&app.access, &user, &wanted, &request);
            let acting = acting.map_err(|status| refuse(&status))?;
            record.impersonated = Some(Arc::clone(&acting.user));
            record.constraint = acting.constraint;
            acting.user
        }
    };
    let decision = app.access.authorize(&user, &request);
    let name = if decision.allowed { "allowed" } else { "no-opinion" };
    metrics::AUTHORIZATION_DECISIONS.add(&["RBAC", "rbac", name], 1);
    record.decision = Some((decision.allowed, decision.reason.clone()));
    if !decision.allowed {
        return Err(refuse(&authz::forbidden(&user, &request, &decision.reason)));
    }
    Ok(user)
}

fn refuse(status: &Status) -> Response<Body> {
    let mut response = response::plain_status(status);
    let headers = response.headers_mut();
    headers.insert(
        HeaderName::from_static("x-content-type-options"),
        HeaderValue::from_static("nosniff"),
    );
    response
}

/// Strangers keep no connection of HTTP/2 open: its streams are too cheap to attack with.
fn hang_up(peer: &Peer, version: Version) {
    if version == Version::HTTP_2 {
        peer.hang_up.notify_one();
    }
}

/// Without credentials, a page in a browser must not reach the server under a name of its own.
fn check_host(parts: &Parts) -> Result<(), Status> {
    let header = parts.headers.get(HOST).map(|host| String::from_utf8_lossy(host.as_bytes()));
    let host = match (parts.uri.authority(), header) {
        (Some(authority), _) => authority.as_str().to_owned(),
        (None, Some(host)) => host.into_owned(),
        (None, None) => return Ok(()),
    };
    if record::is_local_host(&host) { Ok(()) } else { Err(record::foreign_host(&host)) }
}

/// Runs the handler, if there is room, for as long as it may take.
async fn answer(
    app: &Arc<App>,
    user: Arc<User>,
    arrival: Arrival,
    record: &Record,
) -> Response<Body> {
    let info = Arc::clone(&arrival.info);
    if info.verb == Verb::Watch {
        return caller::scope(Arc::clone(&user), router::handle(app, user, arrival)).await;
    }
    let asked = match limits::asked_timeout(&arrival.query) {
        Ok(asked) => asked,
        Err(status) => return response::plain_status(&status),
    };
    let reads = matches!(arrival.parts.method.as_str(), "GET" | "HEAD" | "OPTIONS");
    let exempt = user.is_in(MASTERS);
    let Some(_place) = app.in_flight.enter(&app.limits, !reads, exempt) else {
        record.terminated(429);
        return too_many();
    };
    let handled = caller::scope(Arc::clone(&user), router::handle(app, user, arrival));
    let handled = caller::annotated(Arc::clone(&record.annotations), handled);
    let Ok(response) = tokio::time::timeout(app.deadline(asked), handled).await else {
        record.terminated(504);
        let message = "request did not complete within the allotted timeout";
        return response::plain_status(&Status::timeout(message, 0));
    };
    if !reads && info.group == rbac::GROUP && response.status().is_success() {
        follow_policy(app).await;
    }
    response
}

fn too_many() -> Response<Body> {
    let mut response = response::text(429, "Too many requests, please try again later.\n");
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

/// A change of roles counts from its answer on.
async fn follow_policy(app: &App) {
    if let Some(rbac) = app.access.rbac()
        && let Err(status) = rbac.refresh(&app.registry).await
    {
        app.log.error("roles could not be read", &[("error", &status.message)]);
    }
}
