//! Where tests take part in what a server does: each request may be delayed, refused, answered from
//! the past or cut off, each event of a watch held back, and all of it is reported.
//!
//! A server without a [`Seam`] does not come by here: the gate looks at one `Option`. The seam sees
//! requests in words of its own and knows no HTTP. It cannot change an object, only when, whether
//! and how old something arrives.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, USER_AGENT, WARNING};
use http::request::Parts;
use http::{HeaderName, Response};
use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;
use ordain_meta::Status;
use ordain_registry::caller::{MASTERS, User};
use ordain_value::{Value, json};
use ring::digest::{SHA256, digest};

use crate::access::Access;
use crate::app::App;
use crate::record::Record;
use crate::request_info::Verb;
use crate::response::{self, Body, ObjectName};
use crate::router::Arrival;
use crate::serve::Peer;
use crate::work;

pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The header that carries the seam's own secret.
const TOKEN_HEADER: HeaderName = HeaderName::from_static("x-ordain-test-token");

/// What takes part in a server's work.
pub trait Seam: Send + Sync + 'static {
    /// Whether a path is the seam's own; the API never sees a request for one.
    fn owns(&self, path: &str) -> bool;

    /// What callers of the seam's own paths have to know.
    fn token(&self) -> &str;

    /// Answers a request for one of its own paths.
    fn call<'a>(&'a self, call: Call) -> BoxFuture<'a, Reply>;

    /// A request is about to be worked on. It goes on when this is done.
    fn enter<'a>(&'a self, asked: &'a Asked) -> BoxFuture<'a, Passage>;

    /// At which pace the events of a watch go out; at once if there is none.
    fn pace(&self, asked: &Arc<Asked>) -> Option<Box<dyn Pace>>;

    /// A request was answered, or its client left (no answer).
    fn left<'a>(&'a self, asked: &'a Arc<Asked>, answer: Option<Answered>) -> BoxFuture<'a, ()>;

    /// A watch sent some bytes.
    fn streamed(&self, asked: &Asked, bytes: &Bytes);
}

impl fmt::Debug for dyn Seam {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Seam")
    }
}

/// A request of the API.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    /// Tells requests of one server apart.
    pub number: u64,
    pub method: String,
    /// With its query.
    pub path: String,
    pub verb: Verb,
    pub group: String,
    pub version: String,
    pub resource: String,
    pub subresource: String,
    pub namespace: String,
    pub name: String,
    /// The `resourceVersion` of the query.
    pub resource_version: String,
    pub user: String,
    pub user_agent: String,
    pub content_type: String,
    pub accept: String,
}

/// What becomes of a request.
#[derive(Debug, Clone)]
pub enum Passage {
    Go,
    /// A list is answered with the state at this revision.
    At(u64),
    Refuse(Status),
    /// The connection ends without an answer.
    Cut,
}

/// How a request was answered.
#[derive(Debug, Clone, Default)]
pub struct Answered {
    pub code: u16,
    pub content_type: String,
    pub warnings: Vec<String>,
    /// Empty for watches, whose bytes are reported as they go.
    pub body: Bytes,
    /// The body of the request, as far as it was read.
    pub request_body: Bytes,
    /// The name of the object that was answered with.
    pub name: String,
}

/// How fast the events of one watch go out.
pub trait Pace: Send {
    /// Whether the stream may begin.
    fn open(&mut self) -> Step;

    /// What becomes of the next event. It is kept back until this is done; the order stays.
    fn next<'a>(&'a mut self) -> BoxFuture<'a, Step>;
}

/// What becomes of an event.
#[derive(Debug, Clone)]
pub enum Step {
    Send,
    /// The stream ends before it.
    End,
    /// The stream ends with this in its place.
    Fail(Status),
}

/// A request for a path of the seam's own.
#[derive(Debug, Clone)]
pub struct Call {
    pub method: String,
    /// Without its query.
    pub path: String,
    /// Null if there is no body.
    pub body: Value,
}

/// The answer to it.
#[derive(Debug, Clone)]
pub enum Reply {
    Json(u16, Value),
    Text(String),
}

/// A request on its way through the seam.
pub(crate) struct Tap {
    seam: Arc<dyn Seam>,
    asked: Arc<Asked>,
    pub(crate) body: OnceLock<Bytes>,
}

impl Tap {
    pub(crate) fn pace(&self) -> Option<Box<dyn Pace>> {
        self.seam.pace(&self.asked)
    }
}

/// Tells the seam that a client left before its answer.
struct Leaving {
    tap: Option<Arc<Tap>>,
}

impl Drop for Leaving {
    fn drop(&mut self) {
        if let Some(tap) = self.tap.take() {
            tokio::spawn(async move { tap.seam.left(&tap.asked, None).await });
        }
    }
}

/// Leads a request that may be done through the seam.
pub(crate) async fn through(
    app: &Arc<App>,
    peer: &Peer,
    user: Arc<User>,
    mut arrival: Box<Arrival>,
    record: Box<Record>,
    seam: &Arc<dyn Seam>,
) -> Response<Body> {
    let asked = Arc::new(asked(app, &arrival, &user));
    let tap = Arc::new(Tap { seam: Arc::clone(seam), asked, body: OnceLock::new() });
    arrival.tap = Some(Arc::clone(&tap));
    let mut leaving = Leaving { tap: Some(Arc::clone(&tap)) };
    let response = match seam.enter(&tap.asked).await {
        Passage::Go => work::answer(app, peer, user, arrival, record).await,
        Passage::At(revision) => {
            arrival.query.set("resourceVersion", &revision.to_string());
            arrival.query.set("resourceVersionMatch", "Exact");
            work::answer(app, peer, user, arrival, record).await
        }
        Passage::Refuse(status) => record.finish(response::plain_status(&status)),
        Passage::Cut => {
            peer.cut.notify_one();
            std::future::pending().await
        }
    };
    let response = report(&tap, response).await;
    leaving.tap = None;
    response
}

async fn report(tap: &Arc<Tap>, response: Response<Body>) -> Response<Body> {
    let (parts, body) = response.into_parts();
    let text = |name: HeaderName| header(&parts.headers, name);
    let mut answered = Answered {
        code: parts.status.as_u16(),
        content_type: text(CONTENT_TYPE),
        request_body: tap.body.get().cloned().unwrap_or_default(),
        name: parts.extensions.get::<ObjectName>().map(|it| it.0.to_string()).unwrap_or_default(),
        ..Answered::default()
    };
    let warnings = parts.headers.get_all(WARNING).iter();
    answered.warnings =
        warnings.map(|it| String::from_utf8_lossy(it.as_bytes()).into_owned()).collect();
    let body = if tap.asked.verb == Verb::Watch && answered.code == 200 {
        let tap = Arc::clone(tap);
        let watched = body.map_frame(move |frame| {
            if let Some(bytes) = frame.data_ref() {
                tap.seam.streamed(&tap.asked, bytes);
            }
            frame
        });
        watched.boxed_unsync()
    } else {
        let Ok(collected) = body.collect().await;
        answered.body = collected.to_bytes();
        response::full(answered.body.clone())
    };
    tap.seam.left(&tap.asked, Some(answered)).await;
    Response::from_parts(parts, body)
}

fn asked(app: &App, arrival: &Arrival, user: &User) -> Asked {
    let (parts, info) = (&arrival.parts, &arrival.info);
    let path = parts.uri.path_and_query().map_or("", |it| it.as_str());
    Asked {
        number: app.seam_requests.fetch_add(1, std::sync::atomic::Ordering::Relaxed),
        method: parts.method.as_str().to_owned(),
        path: path.to_owned(),
        verb: info.verb,
        group: info.group.to_string(),
        version: info.version.to_string(),
        resource: info.resource.to_string(),
        subresource: info.subresource.to_string(),
        namespace: info.namespace.to_string(),
        name: info.name.to_string(),
        resource_version: arrival.query.get("resourceVersion").unwrap_or("").to_owned(),
        user: user.name.to_string(),
        user_agent: header(&parts.headers, USER_AGENT),
        content_type: header(&parts.headers, CONTENT_TYPE),
        accept: header(&parts.headers, ACCEPT),
    }
}

fn header(headers: &HeaderMap, name: HeaderName) -> String {
    let value = headers.get(name).map(|it| String::from_utf8_lossy(it.as_bytes()).into_owned());
    value.unwrap_or_default()
}

/// Answers a request for a path of the seam's own.
pub(crate) async fn endpoint(
    app: &App,
    peer: &Peer,
    seam: &Arc<dyn Seam>,
    parts: Parts,
    body: Incoming,
) -> Response<Body> {
    if let Err(status) = check_caller(app, peer, seam.as_ref(), &parts).await {
        return response::plain_status(&status);
    }
    let body = match read(app, body).await {
        Ok(body) => body,
        Err(status) => return response::plain_status(&status),
    };
    let path = parts.uri.path().to_owned();
    let method = parts.method.as_str().to_owned();
    match seam.call(Call { method, path, body }).await {
        Reply::Json(code, value) => {
            let mut bytes = json::encode(&value);
            bytes.push(b'\n');
            response::bytes(code, bytes.into(), "application/json")
        }
        Reply::Text(text) => response::text(200, &text),
    }
}

async fn read(app: &App, body: Incoming) -> Result<Value, Status> {
    /// How long a caller may take to send its body.
    const TIMEOUT: Duration = Duration::from_secs(10);
    let reading = Limited::new(body, app.limits.body_bytes_max).collect();
    let read = tokio::time::timeout(TIMEOUT, reading).await;
    let read = read.map_err(|_| Status::bad_request("the body did not come"))?;
    let bytes = read.map_err(|error| Status::bad_request(error.to_string()))?.to_bytes();
    if bytes.is_empty() {
        return Ok(Value::Null);
    }
    json::decode(&bytes).map_err(|error| Status::bad_request(error.to_string()))
}

/// Who knows the token may do everything here, and so may an administrator who proves to be one.
async fn check_caller(
    app: &App,
    peer: &Peer,
    seam: &dyn Seam,
    parts: &Parts,
) -> Result<(), Status> {
    let mut given = header(&parts.headers, TOKEN_HEADER);
    if given.is_empty() {
        let bearer = header(&parts.headers, AUTHORIZATION);
        given = bearer.strip_prefix("Bearer ").unwrap_or("").trim().to_owned();
    }
    let hash = |text: &str| digest(&SHA256, text.as_bytes());
    if !given.is_empty() && hash(&given).as_ref() == hash(seam.token()).as_ref() {
        return Ok(());
    }
    let unknown = || Status::unauthorized("the test API wants its token in X-Ordain-Test-Token");
    if matches!(app.access, Access::Open) {
        return Err(unknown());
    }
    let (accounts, path) = (app.service_accounts.as_deref(), parts.uri.path());
    let user = app.access.authenticate(accounts, peer, &parts.headers, path).await;
    if user.is_ok_and(|user| user.is_in(MASTERS)) { Ok(()) } else { Err(unknown()) }
}
