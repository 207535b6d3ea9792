//! Values to HTTP answers. The only place that turns refusals into wire form.

use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER, WARNING};
use http::{Response, StatusCode};
use ordain_meta::Status;
use ordain_registry::Warnings;
use ordain_value::{Value, json, yaml};

use crate::audit::bodies::Shown;
use crate::held;
use crate::negotiate::{Accepted, Encoding};

/// Answers of at most this are bounded by how many there may be.
const SMALL_BYTES: u64 = 64 * 1024;

/// The body of an answer: bytes, or a stream of events.
pub type Body = http_body_util::combinators::UnsyncBoxBody<Bytes, Infallible>;

pub fn full(bytes: impl Into<Bytes>) -> Body {
    held::pieces(bytes.into())
}

/// An answer of bytes of some type.
pub fn bytes(code: u16, bytes: Bytes, media_type: &'static str) -> Response<Body> {
    let own = Some(bytes.len() as u64).filter(|len| *len > SMALL_BYTES && bytes.is_unique());
    let mut response = Response::new(full(bytes));
    if let Some(len) = own {
        response.extensions_mut().insert(OwnBytes(len));
    }
    *response.status_mut() = StatusCode::from_u16(code).unwrap_or(StatusCode::OK);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, private"));
    response
}

/// An answer in JSON that is encoded already.
pub fn json(code: u16, bytes: Vec<u8>, warnings: &Warnings) -> Response<Body> {
    encoded(code, bytes, Encoding::Json.media_type(), warnings)
}

/// An answer with a value in the accepted encoding.
pub fn value(code: u16, value: &Value, accepted: Accepted, warnings: &Warnings) -> Response<Body> {
    let bytes = match accepted.encoding {
        Encoding::Yaml => yaml::encode(value).into_bytes(),
        Encoding::Json | Encoding::Protobuf if accepted.pretty => {
            let mut text = json::encode_pretty(value);
            text.push('\n');
            text.into_bytes()
        }
        Encoding::Json | Encoding::Protobuf => {
            let mut bytes = json::encode(value);
            bytes.push(b'\n');
            bytes
        }
    };
    let media_type = match accepted.encoding {
        Encoding::Yaml => Encoding::Yaml.media_type(),
        Encoding::Json | Encoding::Protobuf => Encoding::Json.media_type(),
    };
    encoded(code, bytes, media_type, warnings)
}

fn encoded(
    code: u16,
    bytes: Vec<u8>,
    media_type: &'static str,
    warnings: &Warnings,
) -> Response<Body> {
    let mut response = self::bytes(code, bytes.into(), media_type);
    let headers = response.headers_mut();
    for header in warning_headers(warnings) {
        headers.append(WARNING, header);
    }
    response
}

/// An answer in protobuf.
pub fn message(code: u16, bytes: Vec<u8>, warnings: &Warnings) -> Response<Body> {
    encoded(code, bytes, Encoding::Protobuf.media_type(), warnings)
}

/// A refusal, or a success without object.
pub fn status(status: &Status, accepted: Accepted, warnings: &Warnings) -> Response<Body> {
    let code = status.http_code();
    let mut response = match accepted.encoding {
        Encoding::Protobuf => message(code, crate::message::status(status), warnings),
        Encoding::Json | Encoding::Yaml => value(code, &status.encode(), accepted, warnings),
    };
    response.extensions_mut().insert(Refusal(Arc::new(status.clone())));
    response.extensions_mut().insert(Shown::Value(status.encode()));
    let retry = status.retry_after_seconds().filter(|_| !status.success);
    if let Some(seconds) = retry
        && let Ok(header) = HeaderValue::from_str(&seconds.to_string())
    {
        response.headers_mut().insert(RETRY_AFTER, header);
    }
    response
}

/// Rides along with an answer: how many bytes were made for it alone.
#[derive(Clone, Copy)]
pub(crate) struct OwnBytes(pub(crate) u64);

/// Rides along with an answer: the refusal it is, for those who keep records.
#[derive(Clone)]
pub(crate) struct Refusal(pub(crate) Arc<Status>);

/// Rides along with an answer: the name of the object it shows.
#[derive(Clone)]
pub(crate) struct ObjectName(pub(crate) ordain_value::Text);

/// A refusal before it is known what the client accepts.
pub fn plain_status(refusal: &Status) -> Response<Body> {
    status(refusal, Accepted::default(), &Warnings::default())
}

/// A refusal of requests that were never understood: upstream's filters leave out its type.
pub fn untyped_status(refusal: &Status) -> Response<Body> {
    let mut body = refusal.encode();
    if let Some(map) = body.as_map_mut() {
        map.remove("apiVersion");
        map.remove("kind");
    }
    let mut response = value(refusal.http_code(), &body, Accepted::default(), &Warnings::default());
    response.extensions_mut().insert(Refusal(Arc::new(refusal.clone())));
    response
}

/// A plain text answer.
pub fn text(code: u16, text: &str) -> Response<Body> {
    let mut response = Response::new(full(text.to_owned()));
    *response.status_mut() = StatusCode::from_u16(code).unwrap_or(StatusCode::OK);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, private"));
    headers.insert(
        HeaderName::from_static("x-content-type-options"),
        HeaderValue::from_static("nosniff"),
    );
    response
}

/// A plain text answer whose form nobody insists on.
pub(crate) fn bare_text(code: u16, content: &str) -> Response<Body> {
    let mut response = text(code, content);
    response.headers_mut().remove("x-content-type-options");
    response
}

/// A path that nothing knows.
pub fn page_not_found() -> Response<Body> {
    text(404, "404 page not found\n")
}

/// Warnings as headers. Once there is too much of them each is cut and no more are added; those
/// that no header can carry are left out.
pub(crate) fn warning_headers(warnings: &Warnings) -> Vec<HeaderValue> {
    let mut headers = Vec::new();
    let (mut written, mut truncating) = (0, false);
    for (at, text) in warnings.texts().iter().enumerate() {
        if truncating && written >= Warnings::RUNES_MAX {
            break;
        }
        let mut cut = cut_warning(text, truncating);
        if !truncating && written + cut.chars().count() > Warnings::RUNES_MAX {
            truncating = true;
            written = 0;
            headers.clear();
            for earlier in &warnings.texts()[..at] {
                let earlier = cut_warning(earlier, true);
                written += earlier.chars().count();
                headers.extend(warning_header(&earlier));
            }
            cut = cut_warning(text, true);
        }
        if let Some(header) = warning_header(&cut) {
            written += cut.chars().count();
            headers.push(header);
        }
    }
    headers
}

fn cut_warning(text: &str, truncating: bool) -> String {
    if truncating { text.chars().take(Warnings::TEXT_RUNES_MAX).collect() } else { text.to_owned() }
}

fn warning_header(text: &str) -> Option<HeaderValue> {
    if text.chars().any(char::is_control) {
        return None;
    }
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    HeaderValue::from_bytes(format!("299 - \"{escaped}\"").as_bytes()).ok()
}
