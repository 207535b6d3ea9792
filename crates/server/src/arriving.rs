//! The body of a request: read where it is needed, or before its request takes a place for which
//! others wait. A client that sends slowly keeps nobody else from working.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::{Body as _, Incoming};
use ordain_meta::Status;
use ordain_value::Text;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

use crate::app::App;
use crate::holdings::{Beyond, Holding};
use crate::pool::HEAVY_BODY_BYTES;

/// A body that is on its way or has arrived.
pub(crate) enum Posted {
    Coming(Incoming),
    Arrived {
        read: Result<Bytes, Status>,
        /// Given back when the bytes are taken.
        _held: Option<Holding>,
    },
}

/// What is read of a body that nobody needs, and for how long.
const SKIPPED_BYTES_MAX: usize = 256 * 1024;
const SKIP_TIMEOUT: Duration = Duration::from_millis(500);

/// There is no room for a body.
pub(crate) struct NoRoom;

impl Posted {
    /// Waits until the body is there, or it is known why it does not come. Until it is used it
    /// counts among what its user holds.
    pub(crate) async fn arrive(
        self,
        app: &App,
        user: &Text,
        deadline: Instant,
    ) -> Result<Self, NoRoom> {
        let body = match self {
            Self::Coming(body) => body,
            arrived @ Self::Arrived { .. } => return Ok(arrived),
        };
        let limit = app.limits.body_bytes_max;
        if body.size_hint().upper().is_some_and(|len| len <= HEAVY_BODY_BYTES) {
            // A request may hold as much besides, which is not counted either.
            let read = Self::Coming(body).read(limit, Some(deadline)).await;
            return Ok(Self::Arrived { read, _held: None });
        }
        let announced = usize::try_from(body.size_hint().lower()).unwrap_or(limit).min(limit);
        let mut bytes = Vec::with_capacity(announced);
        let gives_up = Arc::new(Notify::new());
        let mut holding = app.holdings.begin(user, Arc::clone(&gives_up));
        let mut body = Limited::new(body, limit);
        loop {
            let frame = tokio::select! {
                frame = timeout_at(deadline, body.frame()) => frame,
                () = gives_up.notified() => return Err(NoRoom),
            };
            let frame = match frame {
                Err(_) => return Ok(Self::refused(too_late())),
                Ok(None) => {
                    return Ok(Self::Arrived { read: Ok(bytes.into()), _held: Some(holding) });
                }
                Ok(Some(Err(error))) => return Ok(Self::refused(unreadable(&*error, limit))),
                Ok(Some(Ok(frame))) => frame,
            };
            let Ok(data) = frame.into_data() else { continue };
            let room = app.limits.held_bytes_max;
            if !holding.grow(data.len() as u64, room, Beyond::Refuse) {
                return Err(NoRoom);
            }
            bytes.extend_from_slice(&data);
        }
    }

    /// Whether some of it may still be on its way.
    pub(crate) fn is_coming(&self) -> bool {
        matches!(self, Self::Coming(_))
    }

    /// Whether it is known that it does not come.
    pub(crate) fn is_refused(&self) -> bool {
        matches!(self, Self::Arrived { read: Err(_), .. })
    }

    /// Reads the rest of a body that the answer did not need, as Go does if it is small: its client
    /// comes to read the answer then, and may use the connection again.
    pub(crate) async fn skip(self) {
        let Self::Coming(body) = self else { return };
        if body.is_end_stream() || body.size_hint().lower() > SKIPPED_BYTES_MAX as u64 {
            return;
        }
        take_rest(body, SKIPPED_BYTES_MAX, SKIP_TIMEOUT).await;
    }

    fn refused(status: Status) -> Self {
        Self::Arrived { read: Err(status), _held: None }
    }

    /// The whole body, within the limit.
    pub(crate) async fn read(
        self,
        limit: usize,
        deadline: Option<Instant>,
    ) -> Result<Bytes, Status> {
        let body = match self {
            Self::Coming(body) => body,
            Self::Arrived { read, .. } => return read,
        };
        let reading = Limited::new(body, limit).collect();
        let read = match deadline {
            Some(deadline) => timeout_at(deadline, reading).await.map_err(|_| too_late())?,
            None => reading.await,
        };
        match read {
            Ok(collected) => Ok(collected.to_bytes()),
            Err(error) => Err(unreadable(&*error, limit)),
        }
    }
}

/// Takes what is left of a body that nobody needs: only so much of it, and not for longer.
pub(crate) async fn take_rest(body: Incoming, bytes_max: usize, timeout: Duration) {
    let mut body = Limited::new(body, bytes_max);
    let rest = async { while let Some(Ok(_)) = body.frame().await {} };
    let _ = tokio::time::timeout(timeout, rest).await;
}

fn too_late() -> Status {
    Status::timeout("request did not complete within the allotted timeout", 0)
}

fn unreadable(error: &(dyn std::error::Error + Send + Sync + 'static), limit: usize) -> Status {
    if error.is::<LengthLimitError>() {
        return Status::request_entity_too_large(&format!("limit is {limit}"));
    }
    Status::bad_request(format!("error reading the body: {error}"))
}
