//! The watch verb: a stream of lines, one for each event.

use std::convert::Infallible;
use std::time::Duration;

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue, WARNING};
use http::{Response, StatusCode};
use http_body_util::{BodyExt, StreamBody};
use hyper::body::Frame;
use ordain_meta::Status;
use ordain_registry::{EventType, Part, Target, WatchEvent, Watcher, encode_line};
use tokio::time::Instant;

use crate::form;
use crate::message;
use crate::negotiate::{Accepted, Encoding, Form, MetaVersion};
use crate::options;
use crate::response::{self, Body};
use crate::router::Exchange;
use crate::seam::{Pace, Step};
use crate::table::{IncludeObject, Tables};

/// A watch without timeout ends after this, and up to as long again, so that not all clients
/// come back at once.
const WATCH_SECONDS_MIN: u64 = 1800;
/// Nothing is watched for longer than a year at a time.
const WATCH_SECONDS_MAX: u64 = 366 * 24 * 3600;
const BOOKMARK_EVERY: Duration = Duration::from_secs(60);
/// The last bookmark comes this long before the end.
const BOOKMARK_BEFORE_END: Duration = Duration::from_secs(2);
/// What a watch can be sent as.
const STREAM_TYPES: [&str; 2] =
    ["application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"];

/// Rides along with the answer: when the stream ends by itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EndsAt(pub(crate) Instant);

pub(crate) async fn watch(
    exchange: &mut Exchange<'_>,
    target: &Target,
) -> Result<Response<Body>, Status> {
    if exchange.accepted.encoding == Encoding::Yaml {
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
        Some(seconds) if seconds > 0 => seconds.min(WATCH_SECONDS_MAX),
        _ => WATCH_SECONDS_MIN + exchange.app.registry.spread(WATCH_SECONDS_MIN),
    };
    let bookmarks = list.allow_watch_bookmarks;
    let watcher = exchange.app.registry.watch(&collection, &list).await?;
    let end = Instant::now() + Duration::from_secs(timeout);
    let now = exchange.app.registry.time().seconds;
    let as_message = message::schema(&collection, Part::Main, exchange.accepted).is_some();
    let shown = Shown {
        accepted: exchange.accepted,
        as_message,
        tables: Tables::new(&collection, IncludeObject::read(exchange)?, now),
        columns_sent: false,
    };
    let stream = Stream {
        watcher,
        shown,
        end,
        next_bookmark: bookmarks.then(|| bookmark_time(end)),
        pace: exchange.tap.as_ref().and_then(|tap| tap.pace()),
        opened: false,
    };
    Ok(respond(exchange, stream))
}

fn respond(exchange: &Exchange<'_>, stream: Stream) -> Response<Body> {
    let media_type = if stream.shown.as_message { STREAM_TYPES[1] } else { "application/json" };
    let ends_at = EndsAt(stream.end);
    let lines = futures_util::stream::unfold(stream, |mut stream| async move {
        let line = stream.next().await?;
        Some((Ok::<_, Infallible>(Frame::data(line)), stream))
    });
    let mut answer = Response::new(StreamBody::new(lines).boxed_unsync());
    *answer.status_mut() = StatusCode::OK;
    answer.extensions_mut().insert(ends_at);
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
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
    /// Holds events back, in tests.
    pace: Option<Box<dyn Pace>>,
    opened: bool,
}

impl Stream {
    async fn next(&mut self) -> Option<Bytes> {
        if let Some(pace) =
            self.pace.as_mut().filter(|_| !std::mem::replace(&mut self.opened, true))
            && let Step::Fail(status) = pace.open()
        {
            return Some(self.line(&WatchEvent::error(&status)));
        }
        let far = self.end + BOOKMARK_EVERY;
        let next_bookmark = self.next_bookmark.unwrap_or(far);
        let event = tokio::select! {
            biased;
            () = tokio::time::sleep_until(self.end) => return None,
            event = self.watcher.next() => event?,
            () = tokio::time::sleep_until(next_bookmark) => {
                self.next_bookmark = Some(bookmark_time(self.end));
                self.watcher.bookmark()
            }
        };
        match self.paced().await {
            Step::Send => Some(self.line(&event)),
            Step::End => None,
            Step::Fail(status) => Some(self.line(&WatchEvent::error(&status))),
        }
    }

    /// Waits until the event at hand may go.
    async fn paced(&mut self) -> Step {
        let Some(pace) = &mut self.pace else { return Step::Send };
        tokio::select! {
            step = pace.next() => step,
            () = tokio::time::sleep_until(self.end) => Step::End,
        }
    }

    /// The line of an event. An error is the last one.
    fn line(&mut self, event: &WatchEvent) -> Bytes {
        let line = match event.ty {
            EventType::Error => self.shown.error(&self.watcher, event),
            _ => self.shown.line(&self.watcher, event),
        };
        if event.ty == EventType::Error || line.is_err() {
            self.end = Instant::now();
        }
        line.unwrap_or_else(|status| self.shown.refusal(&status))
    }
}

/// How the objects of a stream are shown.
struct Shown {
    accepted: Accepted,
    /// In protobuf.
    as_message: bool,
    tables: Tables,
    columns_sent: bool,
}

impl Shown {
    fn line(&mut self, watcher: &Watcher, event: &WatchEvent) -> Result<Bytes, Status> {
        let target = watcher.target();
        let schema = message::schema(target, Part::Main, self.accepted).filter(|_| self.as_message);
        let number = match self.accepted.form {
            Form::Object => OBJECT,
            Form::PartialMetadata(MetaVersion::V1) | Form::PartialMetadataList(MetaVersion::V1) => {
                PARTIAL_V1
            }
            _ => PARTIAL_V1_BETA1,
        };
        match (self.accepted.form, schema) {
            (Form::Object, None) => watcher.line(event),
            (Form::Object, Some(schema)) => {
                watcher.encoded(event, MESSAGE + number, |ty, object| {
                    message::frame(ty.as_str(), schema, object).into()
                })
            }
            (Form::PartialMetadata(version) | Form::PartialMetadataList(version), None) => watcher
                .encoded(event, number, |ty, object| {
                    encode_line(ty, &form::partial(object, version))
                }),
            (Form::PartialMetadata(version) | Form::PartialMetadataList(version), Some(schema)) => {
                watcher.encoded(event, MESSAGE + number, |ty, object| {
                    message::frame(ty.as_str(), schema, &form::partial(object, version)).into()
                })
            }
            (Form::Table(version), _) => {
                // Rows have ages in them and cannot be shared.
                let columns = !std::mem::replace(&mut self.columns_sent, true);
                let object = watcher.object(event)?;
                self.tables.set_now(watcher.time().seconds);
                let table = self.tables.of_object(&object, version, columns);
                Ok(encode_line(event.ty, &table))
            }
        }
    }

    /// The line of an error that came as an event.
    fn error(&self, watcher: &Watcher, event: &WatchEvent) -> Result<Bytes, Status> {
        if !self.as_message {
            return watcher.line(event);
        }
        Ok(message::error_object_frame(&watcher.object(event)?).into())
    }

    fn refusal(&self, status: &Status) -> Bytes {
        if self.as_message {
            return message::error_object_frame(&status.encode()).into();
        }
        encode_line(EventType::Error, &status.encode())
    }
}

/// Numbers of the forms whose bytes are shared.
const OBJECT: u8 = 0;
const PARTIAL_V1: u8 = 1;
const PARTIAL_V1_BETA1: u8 = 2;
/// Added for those in protobuf.
const MESSAGE: u8 = 16;
