//! The watch verb: a stream of lines, one for each event.

use std::convert::Infallible;
use std::time::Duration;

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue, WARNING};
use http::{Response, StatusCode};
use http_body_util::{BodyExt, StreamBody};
use hyper::body::Frame;
use ordain_meta::Status;
use ordain_registry::{EventType, Target, WatchEvent, Watcher, encode_line};
use tokio::time::Instant;

use crate::form;
use crate::negotiate::{Encoding, Form, MetaVersion};
use crate::options;
use crate::response::{self, Body};
use crate::router::Exchange;
use crate::table::{IncludeObject, Tables};

/// A watch without timeout ends after this, and up to as long again, so that not all clients
/// come back at once.
const WATCH_SECONDS_MIN: u64 = 1800;
const BOOKMARK_EVERY: Duration = Duration::from_secs(60);
/// The last bookmark comes this long before the end.
const BOOKMARK_BEFORE_END: Duration = Duration::from_secs(2);
/// What a watch can be sent as.
const STREAM_TYPES: [&str; 2] =
    ["application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"];

pub(crate) async fn watch(
    exchange: &mut Exchange<'_>,
    target: &Target,
) -> Result<Response<Body>, Status> {
    if exchange.accepted.encoding != Encoding::Json {
        return Err(Status::not_acceptable(&STREAM_TYPES));
    }
    let mut list = options::list_options(&exchange.query, true)?;
    let mut collection = target.clone();
    if !target.name.is_empty() {
        // The old way to watch one object.
        list.fields.requirements.push(ordain_meta::selector::FieldRequirement {
            field: "metadata.name".into(),
            value: target.name.clone(),
            equal: true,
        });
        collection.name = Default::default();
    }
    let timeout = match list.timeout_seconds.and_then(|seconds| u64::try_from(seconds).ok()) {
        Some(seconds) if seconds > 0 => seconds,
        _ => WATCH_SECONDS_MIN + exchange.app.registry.spread(WATCH_SECONDS_MIN),
    };
    let bookmarks = list.allow_watch_bookmarks;
    let watcher = exchange.app.registry.watch(&collection, &list).await?;
    let end = Instant::now() + Duration::from_secs(timeout);
    let shown = Shown {
        form: exchange.accepted.form,
        tables: Tables::new(&collection, IncludeObject::read(exchange)?),
        columns_sent: false,
    };
    let stream =
        Stream { watcher, shown, end, next_bookmark: bookmarks.then(|| bookmark_time(end)) };
    Ok(respond(exchange, stream))
}

fn respond(exchange: &Exchange<'_>, stream: Stream) -> Response<Body> {
    let lines = futures_util::stream::unfold(stream, |mut stream| async move {
        let line = stream.next().await?;
        Some((Ok::<_, Infallible>(Frame::data(line)), stream))
    });
    let mut answer = Response::new(StreamBody::new(lines).boxed_unsync());
    *answer.status_mut() = StatusCode::OK;
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, private"));
    for warning in response::warning_headers(&exchange.warnings) {
        headers.append(WARNING, warning);
    }
    answer
}

fn bookmark_time(end: Instant) -> Instant {
    let regular = Instant::now() + BOOKMARK_EVERY;
    let last = end.checked_sub(BOOKMARK_BEFORE_END).unwrap_or(end);
    if last > Instant::now() { regular.min(last) } else { regular }
}

struct Stream {
    watcher: Watcher,
    shown: Shown,
    end: Instant,
    next_bookmark: Option<Instant>,
}

impl Stream {
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            let far = self.end + BOOKMARK_EVERY;
            let next_bookmark = self.next_bookmark.unwrap_or(far);
            tokio::select! {
                biased;
                () = tokio::time::sleep_until(self.end) => return None,
                event = self.watcher.next() => {
                    let event = event?;
                    return Some(self.line(&event));
                }
                () = tokio::time::sleep_until(next_bookmark) => {
                    self.next_bookmark = Some(bookmark_time(self.end));
                    let event = self.watcher.bookmark();
                    return Some(self.line(&event));
                }
            }
        }
    }

    /// The line of an event. An error is the last one.
    fn line(&mut self, event: &WatchEvent) -> Bytes {
        let line = match event.ty {
            EventType::Error => self.watcher.line(event),
            _ => self.shown.line(&self.watcher, event),
        };
        if event.ty == EventType::Error || line.is_err() {
            self.end = Instant::now();
        }
        line.unwrap_or_else(|status| encode_line(EventType::Error, &status.encode()))
    }
}

/// How the objects of a stream are shown.
struct Shown {
    form: Form,
    tables: Tables,
    columns_sent: bool,
}

impl Shown {
    fn line(&mut self, watcher: &Watcher, event: &WatchEvent) -> Result<Bytes, Status> {
        match self.form {
            Form::Object => watcher.line(event),
            Form::PartialMetadata(version) | Form::PartialMetadataList(version) => {
                let number = match version {
                    MetaVersion::V1 => PARTIAL_V1,
                    MetaVersion::V1Beta1 => PARTIAL_V1_BETA1,
                };
                watcher.encoded(event, number, |ty, object| {
                    encode_line(ty, &form::partial(object, version))
                })
            }
            Form::Table(version) => {
                // Rows have ages in them and cannot be shared.
                let columns = !std::mem::replace(&mut self.columns_sent, true);
                let object = watcher.object(event)?;
                let table = self.tables.of_object(&object, version, columns);
                Ok(encode_line(event.ty, &table))
            }
        }
    }
}

/// Numbers of the forms whose bytes are shared.
const PARTIAL_V1: u8 = 1;
const PARTIAL_V1_BETA1: u8 = 2;
