//! The explorer in front of another server: the page here, the API there.
//!
//! Requests go on with the credentials of whoever started the proxy, so it listens on loopback,
//! answers no page of others and no foreign name, passes on the paths of the API alone, and of the
//! browser's headers only those that say what is asked. Streams into containers are not passed on.

use std::convert::Infallible;
use std::future::Future;
use std::io::Read;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt;
use http::header::{ACCEPT, CONTENT_TYPE, HeaderName, HeaderValue, WARNING};
use http::request::Parts;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Limited, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use ordain_explorer::Question;
use ordain_meta::Status;
use ordain_value::{Value, value};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use crate::limits::Limits;
use crate::request_info::{Query, RequestInfo};
use crate::response::{self, Body};
use crate::{gate, serve, ui};

/// Requests at a time, watches counted; each has a thread while it is answered.
const ONWARD_MAX: usize = 128;
const CHUNK_BYTES: usize = 64 * 1024;
/// Chunks on their way to a browser that reads slowly.
const CHUNKS_MAX: usize = 4;

/// The server behind the proxy. Calls block: they run on threads of their own.
pub trait Upstream: Send + Sync + 'static {
    /// How the server is called, for the page.
    fn name(&self) -> String;

    /// Sends a request on.
    ///
    /// # Errors
    /// When there is no answer, in words.
    fn send(&self, request: Onward) -> Result<Returned, String>;
}

/// A request on its way to the other server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Onward {
    pub method: String,
    /// Path and query, still encoded.
    pub path: String,
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
}

/// What the other server answered.
pub struct Returned {
    pub code: u16,
    pub content_type: String,
    pub warnings: Vec<String>,
    pub body: Box<dyn Read + Send>,
}

struct Proxy {
    upstream: Arc<dyn Upstream>,
    limits: Limits,
    room: Arc<Semaphore>,
}

/// Serves the explorer for another server until `shutdown` is done.
///
/// # Errors
/// When the address is none of this machine alone.
pub async fn serve_proxy(
    upstream: Arc<dyn Upstream>,
    listener: TcpListener,
    shutdown: impl Future<Output = ()>,
) -> std::io::Result<()> {
    if !listener.local_addr()?.ip().is_loopback() {
        return Err(std::io::Error::other("a proxy with credentials serves this machine alone"));
    }
    let room = Arc::new(Semaphore::new(ONWARD_MAX));
    let proxy = Arc::new(Proxy { upstream, limits: Limits::default(), room });
    let mut shutdown = std::pin::pin!(shutdown);
    loop {
        let stream = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                Err(_) => {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                    continue;
                }
            },
            () = &mut shutdown => return Ok(()),
        };
        let _ = stream.set_nodelay(true);
        tokio::spawn(talk(Arc::clone(&proxy), stream));
    }
}

async fn talk(proxy: Arc<Proxy>, stream: TcpStream) {
    let builder = serve::connection_builder(&proxy.limits);
    let service = service_fn(move |request| {
        let proxy = Arc::clone(&proxy);
        async move {
            let handled = AssertUnwindSafe(answer(&proxy, request)).catch_unwind().await;
            let failed = |_| response::plain_status(&Status::internal("the handler failed"));
            Ok::<_, Infallible>(handled.unwrap_or_else(failed))
        }
    });
    // A broken connection concerns its client only.
    let _ = builder.serve_connection(TokioIo::new(stream), service).await;
}

async fn answer(proxy: &Proxy, request: Request<Incoming>) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let query = Query::new(parts.uri.query().unwrap_or(""));
    let info = RequestInfo::new(parts.method.as_str(), parts.uri.path(), &query);
    if let Some(file) = ui::file(&parts, &info) {
        return file;
    }
    if let Err(status) = gate::check_foreign(&parts) {
        return gate::refuse(&status);
    }
    let body = match Limited::new(body, proxy.limits.body_bytes_max).collect().await {
        Ok(body) => body.to_bytes(),
        Err(error) => {
            let why = format!("error reading the body: {error}");
            return response::plain_status(&Status::bad_request(why));
        }
    };
    match info.segments.iter().map(|it| it.as_str()).collect::<Vec<_>>().as_slice() {
        ["ui", "api", "about"] => ui::give(&about(proxy)),
        ["ui", "api", name] => match Question::named(name) {
            Some(question) => ask(question, body).await,
            None => response::page_not_found(),
        },
        segments if passes(segments, &parts) => onward(proxy, &parts, body).await,
        _ => response::page_not_found(),
    }
}

fn about(proxy: &Proxy) -> Value {
    value!({
        "mode": "cluster",
        "open": true,
        "server": (proxy.upstream.name()),
        "version": (env!("CARGO_PKG_VERSION"))
    })
}

async fn ask(question: Question, posted: Bytes) -> Response<Body> {
    let asked = tokio::task::spawn_blocking(move || ui::ask(question, &posted, &|_, _| None)).await;
    asked.unwrap_or_else(|_| response::plain_status(&Status::internal("the handler failed")))
}

/// Whether a path is one of the API that the page needs.
fn passes(segments: &[&str], parts: &Parts) -> bool {
    let reads = matches!(parts.method.as_str(), "GET" | "HEAD");
    let known = match segments.first() {
        Some(&"api" | &"apis") => true,
        Some(&"openapi" | &"version" | &"metrics" | &"healthz" | &"livez" | &"readyz") => reads,
        _ => false,
    };
    let climbs = segments.iter().any(|it| matches!(*it, "." | "..") || it.contains(['/', '\\']));
    let enters = ["exec", "attach", "portforward", "proxy"];
    known && !climbs && !segments.iter().skip(4).any(|it| enters.contains(it))
}

async fn onward(proxy: &Proxy, parts: &Parts, body: Bytes) -> Response<Body> {
    let Ok(permit) = Arc::clone(&proxy.room).try_acquire_owned() else {
        return response::text(429, "Too many requests, please try again later.\n");
    };
    let mut headers = Vec::new();
    for (name, header) in [("Accept", ACCEPT), ("Content-Type", CONTENT_TYPE)] {
        if let Some(value) = parts.headers.get(header).and_then(|it| it.to_str().ok()) {
            headers.push((name, value.to_owned()));
        }
    }
    let path = parts.uri.path_and_query().map_or("/", |it| it.as_str()).to_owned();
    let request = Onward { method: parts.method.to_string(), path, headers, body: body.into() };
    let upstream = Arc::clone(&proxy.upstream);
    let (answered, chunks) = (tokio::sync::oneshot::channel(), mpsc::channel(CHUNKS_MAX));
    let (sender, receiver) = (answered.0, chunks.0);
    tokio::task::spawn_blocking(move || match upstream.send(request) {
        Ok(returned) => {
            let Returned { code, content_type, warnings, body } = returned;
            if sender.send(Ok((code, content_type, warnings))).is_ok() {
                pump(body, &receiver, permit);
            }
        }
        Err(why) => drop(sender.send(Err(why))),
    });
    match answered.1.await {
        Ok(Ok((code, content_type, warnings))) => {
            returned(code, &content_type, &warnings, chunks.1)
        }
        Ok(Err(why)) => response::text(502, &format!("{why}\n")),
        Err(_) => response::plain_status(&Status::internal("the request was lost")),
    }
}

/// Moves the answer on as it comes, until it ends or nobody listens.
fn pump(mut body: Box<dyn Read + Send>, to: &mpsc::Sender<Bytes>, permit: OwnedSemaphorePermit) {
    let mut chunk = vec![0; CHUNK_BYTES];
    while let Ok(length @ 1..) = body.read(&mut chunk) {
        let piece = Bytes::copy_from_slice(chunk.get(..length).unwrap_or_default());
        if to.blocking_send(piece).is_err() {
            break;
        }
    }
    drop(permit);
}

fn returned(
    code: u16,
    content_type: &str,
    warnings: &[String],
    mut chunks: mpsc::Receiver<Bytes>,
) -> Response<Body> {
    let frames = futures_util::stream::poll_fn(move |context| {
        chunks.poll_recv(context).map(|it| it.map(|it| Ok::<_, Infallible>(Frame::data(it))))
    });
    let mut response = Response::new(StreamBody::new(frames).boxed_unsync());
    *response.status_mut() = StatusCode::from_u16(code).unwrap_or(StatusCode::BAD_GATEWAY);
    let headers = response.headers_mut();
    if let Ok(value) = HeaderValue::from_str(content_type) {
        headers.insert(CONTENT_TYPE, value);
    }
    headers.insert(
        HeaderName::from_static("x-content-type-options"),
        HeaderValue::from_static("nosniff"),
    );
    for warning in warnings {
        if let Ok(value) = HeaderValue::from_str(warning) {
            headers.append(WARNING, value);
        }
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passes_on(method: &str, path: &str) -> bool {
        let request = Request::builder().method(method).uri(path).body(()).unwrap();
        let (parts, ()) = request.into_parts();
        let info = RequestInfo::new(method, path, &Query::default());
        let segments: Vec<&str> = info.segments.iter().map(|it| it.as_str()).collect();
        passes(&segments, &parts)
    }

    #[test]
    fn only_the_api_is_passed_on() {
        assert!(passes_on("GET", "/api/v1/namespaces/default/pods"));
        assert!(passes_on("PATCH", "/apis/apps/v1/namespaces/default/deployments/web"));
        assert!(passes_on("GET", "/openapi/v3/apis/apps/v1"));
        assert!(passes_on("GET", "/readyz"));
        assert!(!passes_on("POST", "/openapi/v3"));
        assert!(!passes_on("GET", "/"));
        assert!(!passes_on("GET", "/debug/pprof"));
        assert!(!passes_on("GET", "/api/../secret"));
        assert!(!passes_on("GET", "/api/%2e%2e/secret"));
        assert!(!passes_on("GET", "/api/v1/namespaces/default/pods/a%2F..%2Fb"));
    }

    #[test]
    fn streams_into_containers_are_not() {
        for entrance in ["exec", "attach", "portforward", "proxy"] {
            assert!(!passes_on("POST", &format!("/api/v1/namespaces/default/pods/web/{entrance}")));
        }
        assert!(!passes_on("GET", "/api/v1/nodes/one/proxy/metrics"));
    }
}
