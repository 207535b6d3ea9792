//! The gate: what every request passes before any work is done for it. Who is it, whom does it act
//! as, is it allowed.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use http::header::{
    CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderName, HeaderValue, ORIGIN, TRANSFER_ENCODING,
};
use http::request::Parts;
use http::{Request, Response, Version};
use hyper::body::Incoming;
use ordain_meta::{GroupResource, Status};
use ordain_registry::access::{self, Authorizer as _};
use ordain_registry::caller::{UNAUTHENTICATED, User};

use crate::access::Access;
use crate::app::App;
use crate::arriving::{Posted, take_rest};
use crate::authz::Wanted;
use crate::impersonation;
use crate::metrics;
use crate::negotiate;
use crate::record::{self, Record};
use crate::request_info::{Query, RequestInfo, percent_decode};
use crate::response::{self, Body};
use crate::router::{Arrival, Found};
use crate::seam;
use crate::serve::Peer;
use crate::tls::ClientCertificate;
use crate::ui::{self, Ui};
use crate::work;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
/// What is read of the body of a stranger.
const DRAIN_BYTES_MAX: usize = 3 * 1024 * 1024;
const DRAIN_TIMEOUT: Duration = Duration::from_secs(2);

/// Answers a request.
pub(crate) async fn handle(
    app: &Arc<App>,
    peer: &Peer,
    request: Request<Incoming>,
) -> Response<Body> {
    metrics::register();
    let (parts, body) = request.into_parts();
    if parts.headers.get_all(HOST).iter().nth(1).is_some() {
        // A proxy may have looked at another one.
        return response::text(400, "400 Bad Request: too many Host headers");
    }
    let query = Query::new(parts.uri.query().unwrap_or(""));
    let info = Arc::new(RequestInfo::new(parts.method.as_str(), parts.uri.path(), &query));
    if let Some(seam) = app.seam.as_ref().filter(|seam| seam.owns(parts.uri.path())) {
        return match check_open(app, &parts) {
            Ok(()) => Box::pin(seam::endpoint(app, peer, seam, parts, body)).await,
            Err(status) => refuse(&status),
        };
    }
    let found = Found::new(app, &info);
    let served = found.resource.as_deref();
    let mut record = Record::new(app, peer.address, &parts, &query, &info, served);
    if app.ui != Ui::Off
        && let Some(file) = ui::file(&parts, &info)
    {
        record.user = Some(Arc::new(User::anonymous()));
        return record.finish(file);
    }
    match admit(app, peer, &parts, &query, &info, &mut record).await {
        Ok(user) => {
            record.received();
            let heard = record.heard();
            let (deadline, tap, body) = (None, None, Posted::Coming(body));
            let arrival = Arrival { parts, body, query, info, found, deadline, tap, heard };
            let arrival = Box::new(arrival);
            match &app.seam {
                None => work::answer(app, peer, user, arrival, record).await,
                Some(seam) => Box::pin(seam::through(app, peer, user, arrival, record, seam)).await,
            }
        }
        Err(mut refusal) => {
            if refusal.extensions_mut().remove::<Unknown>().is_some() {
                drain(parts.version, body).await;
                hang_up(peer, parts.version);
            } else {
                Posted::Coming(body).skip().await;
            }
            record.finish(*refusal)
        }
    }
}

/// Marks the refusal of an unauthenticated request.
#[derive(Clone, Copy)]
struct Unknown;

/// Takes what is left of a body, so that its sender comes to read the answer: a stream of HTTP/2
/// that is closed early may be reset before it is. Only a little, and not for long.
async fn drain(version: Version, body: Incoming) {
    if version == Version::HTTP_2 {
        take_rest(body, DRAIN_BYTES_MAX, DRAIN_TIMEOUT).await;
    }
}

/// Finds out who makes the request and whether they may. Returns whom it acts as.
async fn admit(
    app: &App,
    peer: &Peer,
    parts: &Parts,
    query: &Query,
    info: &RequestInfo,
    record: &mut Record,
) -> Result<Arc<User>, Box<Response<Body>>> {
    let refuse = |status: &Status| Box::new(refuse(status));
    check_open(app, parts).map_err(|status| refuse(&status))?;
    if matches!(peer.certificate, ClientCertificate::Known { .. }) {
        // A browser adds the certificate to requests of any page.
        check_browser(parts, "https").map_err(|status| refuse(&status))?;
    }
    let path = percent_decode(parts.uri.path(), false);
    let accounts = app.service_accounts.as_deref();
    let user = app.access.authenticate(accounts, peer, &parts.headers, &path).await;
    let user = user.map_err(|status| {
        let mut response = response::plain_status(&status);
        response.extensions_mut().insert(Unknown);
        Box::new(response)
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
    // A request that cannot be told apart is answered all the same.
    record.flow = app.registry.flow(&user, &request).await.ok().flatten();
    if ui::is_question(app, info) {
        return Ok(user);
    }
    let decision = app.access.authorize(&user, &request);
    let name = if decision.allowed { "allowed" } else { "no-opinion" };
    metrics::AUTHORIZATION_DECISIONS.add(&["RBAC", "rbac", name], 1);
    let refused = (!decision.allowed).then(|| access::forbidden(&user, &request, &decision.reason));
    record.decision = Some((decision.allowed, decision.reason));
    refused.map_or(Ok(user), |status| Err(refuse(&status)))
}

/// What a server without credentials asks of every request.
fn check_open(app: &App, parts: &Parts) -> Result<(), Status> {
    if matches!(app.access, Access::Open) {
        check_foreign(parts)?;
    }
    Ok(())
}

pub(crate) fn refuse(status: &Status) -> Response<Body> {
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

/// What a server without credentials asks of every request: that it comes from this machine's own
/// user, and not from a foreign page in their browser.
pub(crate) fn check_foreign(parts: &Parts) -> Result<(), Status> {
    check_host(parts)?;
    check_browser(parts, "http")?;
    check_media_type(parts)
}

/// Without credentials, or with those that a browser adds by itself, a foreign page must
/// not reach the server through the browser of a user who can. Browsers say where a request comes
/// from.
fn check_browser(parts: &Parts, scheme: &str) -> Result<(), Status> {
    let site = text(parts, &SEC_FETCH_SITE);
    let foreign_site = site.is_some_and(|site| !matches!(&*site, "same-origin" | "none"));
    let foreign_origin =
        text(parts, &ORIGIN).is_some_and(|origin| !is_own_origin(parts, scheme, &origin));
    if foreign_site || foreign_origin {
        let why = "requests from pages of others are not answered without credentials";
        return Err(Status::forbidden(&GroupResource::new("", ""), "", why));
    }
    Ok(())
}

fn text<'a>(parts: &'a Parts, name: &HeaderName) -> Option<Cow<'a, str>> {
    parts.headers.get(name).map(HeaderValue::as_bytes).map(String::from_utf8_lossy)
}

/// Browsers send no body of a type that is not simple without asking first, but one without any.
fn check_media_type(parts: &Parts) -> Result<(), Status> {
    let text = |name: &HeaderName| text(parts, name);
    let no_body = text(&CONTENT_LENGTH).is_none_or(|length| length == "0")
        && text(&TRANSFER_ENCODING).is_none();
    if !no_body && text(&CONTENT_TYPE).is_none() {
        return Err(Status::unsupported_media_type(&negotiate::MEDIA_TYPES));
    }
    Ok(())
}

/// Whether an origin is the server itself, as the request names it.
fn is_own_origin(parts: &Parts, scheme: &str, origin: &str) -> bool {
    let header = parts.headers.get(HOST).map(|host| String::from_utf8_lossy(host.as_bytes()));
    let authority = parts.uri.authority().map(|it| it.as_str().into()).or(header);
    authority.is_some_and(|own| origin == format!("{scheme}://{own}"))
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
