//! The body of a request: read when it is asked for, or before the work begins.

use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::Incoming;
use ordain_meta::Status;
use tokio::time::{Instant, timeout_at};

pub(crate) enum Posted {
    Coming(Incoming),
    Read(Result<Bytes, Status>),
}

impl Posted {
    /// The whole body, within the limit.
    pub(crate) async fn bytes(
        self,
        limit: usize,
        deadline: Option<Instant>,
    ) -> Result<Bytes, Status> {
        let body = match self {
            Self::Coming(body) => body,
            Self::Read(read) => return read,
        };
        let reading = Limited::new(body, limit).collect();
        let read = match deadline {
            Some(deadline) => timeout_at(deadline, reading).await.map_err(|_| {
                Status::timeout("request did not complete within the allotted timeout", 0)
            })?,
            None => reading.await,
        };
        read.map(http_body_util::Collected::to_bytes).map_err(|error| {
            if error.is::<LengthLimitError>() {
                Status::request_entity_too_large(&format!("limit is {limit}"))
            } else {
                Status::bad_request(format!("error reading the body: {error}"))
            }
        })
    }
}
