//! Requests for group versions that other servers serve: passed on in the name of their user.

use bytes::Bytes;
use futures_util::StreamExt;
use http::header::{HeaderName, HeaderValue};
use http::{Response, StatusCode};
use http_body_util::{BodyExt, StreamBody};
use hyper::body::Frame;
use ordain_registry::aggregate::{Outgoing, Remote};

use crate::response::{self, Body};
use crate::router::Exchange;

/// Headers of one connection, and those by which the next server knows whom it serves: a client
/// that sends them itself is not believed.
const DROPPED: [&str; 11] = [
    "authorization",
    "connection",
    "content-length",
    "cookie",
    "host",
    "keep-alive",
    "proxy-authorization",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];
const USER: &str = "x-remote-user";
const IDENTITY: &str = "x-remote-";

const REDIRECTED: &str = "the backend attempted to redirect this request, which is not permitted";

fn has_location(headers: &[(String, Vec<u8>)]) -> bool {
    headers.iter().any(|(name, value)| name.eq_ignore_ascii_case("location") && !value.is_empty())
}

/// Passes a request on and its answer back, bit by bit.
pub(crate) async fn forward(exchange: &mut Exchange<'_>, remote: &Remote) -> Response<Body> {
    let body = match exchange.read_body().await {
        Ok(body) => body,
        Err(status) => return response::plain_status(&status),
    };
    let request = Outgoing {
        method: exchange.method.to_string(),
        path: exchange.uri.path_and_query().map(ToString::to_string).unwrap_or_default(),
        headers: headers(exchange),
        body,
    };
    let answer = match exchange.app.registry.relay(remote, request).await {
        Ok(answer) => answer,
        Err(status) => return response::text(status.http_code(), &format!("{}\n", status.message)),
    };
    // A redirect would lead the client, with its credentials, to wherever that server likes.
    if (300..400).contains(&answer.status) && has_location(&answer.headers) {
        return response::text(502, REDIRECTED);
    }
    // A body that breaks off ends the answer, which its client notices.
    let pieces = answer.body.take_while(|piece| std::future::ready(piece.is_ok()));
    let frames =
        pieces.map(|piece: Result<Bytes, String>| Ok(Frame::data(piece.unwrap_or_default())));
    let mut response = Response::new(StreamBody::new(frames).boxed_unsync());
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::BAD_GATEWAY);
    for (name, value) in answer.headers {
        let name = HeaderName::from_bytes(name.as_bytes());
        if let (Ok(name), Ok(value)) = (name, HeaderValue::from_bytes(&value))
            && !DROPPED.contains(&name.as_str())
        {
            response.headers_mut().append(name, value);
        }
    }
    response
}

/// The headers of a request, with its user.
fn headers(exchange: &Exchange<'_>) -> Vec<(String, Vec<u8>)> {
    let is_kept = |name: &HeaderName| {
        let name = name.as_str();
        !DROPPED.contains(&name) && !name.starts_with(IDENTITY) && !name.starts_with("impersonate-")
    };
    let kept = exchange.headers.iter().filter(|(name, _)| is_kept(name));
    let mut headers: Vec<(String, Vec<u8>)> =
        kept.map(|(name, value)| (name.to_string(), value.as_bytes().to_vec())).collect();
    let user = &exchange.user;
    let mut add = |name: String, text: &str| headers.push((name, text.as_bytes().to_vec()));
    add(USER.to_owned(), &user.name);
    if !user.uid.is_empty() {
        add("x-remote-uid".to_owned(), &user.uid);
    }
    for group in &user.groups {
        add("x-remote-group".to_owned(), group);
    }
    for (key, values) in &user.extra {
        for value in values {
            add(format!("x-remote-extra-{}", escaped(key)), value);
        }
    }
    headers
}

/// A key in the form that headers can hold: what is no letter of a name is escaped as in a URL.
fn escaped(key: &str) -> String {
    let mut out = String::with_capacity(key.len());
    for byte in key.bytes() {
        if byte.is_ascii_alphanumeric() || b"!#$&'*+-.^_`|~".contains(&byte) {
            out.push(byte.to_ascii_lowercase() as char);
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}
