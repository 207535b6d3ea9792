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
use crate::negotiate::{Encoding, Form};
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
                    if event.ty == EventType::Error {
                        self.end = Instant::now();
                        return Some(event.encode());
                    }
                    if let Some(line) = self.shown.line(&event) {
                        return Some(line);
                    }
                }
                () = tokio::time::sleep_until(next_bookmark) => {
                    self.next_bookmark = Some(bookmark_time(self.end));
                    let event = self.watcher.bookmark();
                    if let Some(line) = self.shown.line(&event) {
                        return Some(line);
                    }
                }
            }
        }
    }
}

/// How the objects of a stream are shown.
struct Shown {
    form: Form,
    tables: Tables,
    columns_sent: bool,
}

impl Shown {
    fn line(&mut self, event: &WatchEvent) -> Option<Bytes> {
        match self.form {
            Form::Object => Some(event.encode()),
            Form::PartialMetadata(version) | Form::PartialMetadataList(version) => {
                Some(encode_line(event.ty, &form::partial(&event.object, version)))
            }
            Form::Table(version) => {
                let columns = !std::mem::replace(&mut self.columns_sent, true);
                let table = self.tables.of_object(&event.object, version, columns);
                Some(encode_line(event.ty, &table))
            }
        }
    }
}
