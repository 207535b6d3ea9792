//! Answers that are sent in pieces. A request counts as being answered until its last piece is
//! taken: what it holds is given back then, and a client that does not read is disconnected.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::{Body as _, Frame, SizeHint};
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::holdings::Holding;
use crate::limits::Place;
use crate::response::Body;

/// Bytes that are handed to a connection at a time. What is not handed over yet waits here, where
/// it is shared and counted, and not in the buffers of the connection.
const PIECE_BYTES: usize = 64 * 1024;

/// Bytes that are known already, piece by piece.
struct Pieces {
    first: Bytes,
    /// What comes after them.
    others: VecDeque<Bytes>,
    len: u64,
}

/// A body of these bytes.
pub(crate) fn pieces(bytes: Bytes) -> Body {
    let len = bytes.len() as u64;
    Pieces { first: bytes, others: VecDeque::new(), len }.boxed_unsync()
}

/// A body of all these bytes, one after the other.
pub(crate) fn all_pieces(bytes: impl IntoIterator<Item = Bytes>) -> Body {
    let others: VecDeque<Bytes> = bytes.into_iter().filter(|it| !it.is_empty()).collect();
    let len = others.iter().map(|it| it.len() as u64).sum();
    Pieces { first: Bytes::new(), others, len }.boxed_unsync()
}

impl hyper::body::Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.first.is_empty() {
            let Some(next) = self.others.pop_front() else { return Poll::Ready(None) };
            self.first = next;
        }
        let len = self.first.len().min(PIECE_BYTES);
        self.len -= len as u64;
        Poll::Ready(Some(Ok(Frame::data(self.first.split_to(len)))))
    }

    fn is_end_stream(&self) -> bool {
        self.len == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.len)
    }
}

/// A body whose pieces cost work: others are answered between any two of them.
pub(crate) struct Yielding<B> {
    body: B,
    /// Whether a piece was made since others had their turn.
    busy: bool,
}

impl<B> Yielding<B> {
    pub(crate) fn new(body: B) -> Self {
        Self { body, busy: false }
    }
}

impl<B> hyper::body::Body for Yielding<B>
where
    B: hyper::body::Body<Data = Bytes, Error = Infallible> + Unpin,
{
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if std::mem::take(&mut self.busy) {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let piece = Pin::new(&mut self.body).poll_frame(context);
        self.busy = piece.is_ready();
        piece
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The answers of a connection that are being sent, by the time they must be done.
#[derive(Debug, Default)]
pub(crate) struct Sending {
    deadlines: Arc<Mutex<Deadlines>>,
    began: Arc<Notify>,
}

#[derive(Debug, Default)]
struct Deadlines {
    /// In order. Mostly there is one, whose place is used again.
    open: Vec<(Instant, u64)>,
    last: u64,
}

/// One answer that is being sent.
#[derive(Debug)]
struct Sent {
    deadlines: Arc<Mutex<Deadlines>>,
    key: (Instant, u64),
}

fn lock(deadlines: &Mutex<Deadlines>) -> MutexGuard<'_, Deadlines> {
    deadlines.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Sending {
    /// Lets an answer hold its place until it is sent, which must be by a deadline.
    pub(crate) fn hold(
        &self,
        body: Body,
        place: Option<Place>,
        holding: Option<Holding>,
        deadline: Instant,
    ) -> Body {
        if body.size_hint().exact() == Some(0) {
            return body;
        }
        let key = {
            let mut deadlines = lock(&self.deadlines);
            deadlines.last += 1;
            let key = (deadline, deadlines.last);
            let at = deadlines.open.partition_point(|open| *open < key);
            deadlines.open.insert(at, key);
            key
        };
        self.began.notify_one();
        let sent = Sent { deadlines: Arc::clone(&self.deadlines), key };
        Held { body, _place: place, _holding: holding, _sent: sent }.boxed_unsync()
    }

    /// Done when an answer was not taken in time.
    pub(crate) async fn overdue(&self) {
        loop {
            let first = lock(&self.deadlines).open.first().map(|(deadline, _)| *deadline);
            match first {
                None => self.began.notified().await,
                Some(deadline) if deadline <= Instant::now() => return,
                Some(deadline) => tokio::time::sleep_until(deadline).await,
            }
        }
    }
}

impl Drop for Sent {
    fn drop(&mut self) {
        let mut deadlines = lock(&self.deadlines);
        if let Ok(at) = deadlines.open.binary_search(&self.key) {
            deadlines.open.remove(at);
        }
    }
}

/// A body with what it holds.
struct Held {
    body: Body,
    _place: Option<Place>,
    _holding: Option<Holding>,
    _sent: Sent,
}

impl hyper::body::Body for Held {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn pieces_add_up() {
        let bytes = Bytes::from(vec![7; 3 * PIECE_BYTES + 1]);
        let mut body = pieces(bytes.clone());
        assert_eq!(body.size_hint().exact(), Some(bytes.len() as u64));
        let mut lens = Vec::new();
        while let Some(frame) = body.frame().await {
            lens.push(frame.unwrap().into_data().unwrap().len());
        }
        assert_eq!(lens, [PIECE_BYTES, PIECE_BYTES, PIECE_BYTES, 1]);
        let parts = [Bytes::from_static(b"head"), Bytes::new(), bytes, Bytes::from_static(b"tail")];
        let mut body = all_pieces(parts.clone());
        assert_eq!(body.size_hint().exact(), Some(parts.concat().len() as u64));
        let mut all = Vec::new();
        while let Some(frame) = body.frame().await {
            all.extend(frame.unwrap().into_data().unwrap());
        }
        assert_eq!(all, parts.concat());
        assert!(body.is_end_stream());
    }

    #[tokio::test]
    async fn others_have_their_turn_between_pieces() {
        let mut body = Yielding::new(pieces(Bytes::from(vec![7; 2 * PIECE_BYTES])));
        let waits = |body: &mut Yielding<Body>| {
            let mut context = Context::from_waker(std::task::Waker::noop());
            Pin::new(body).poll_frame(&mut context).is_pending()
        };
        assert_eq!([(); 4].map(|()| waits(&mut body)), [false, true, false, true]);
        let mut body = Yielding::new(pieces(Bytes::from(vec![7; 3 * PIECE_BYTES])));
        let mut count = 0;
        while body.frame().await.is_some() {
            count += 1;
        }
        assert_eq!(count, 3);
    }

    #[tokio::test]
    async fn an_answer_that_nobody_takes_is_overdue() {
        let sending = Sending::default();
        let soon = Instant::now() + Duration::from_millis(10);
        let taken = sending.hold(pieces(Bytes::from_static(b"a")), None, None, soon);
        drop(taken);
        let wait = |millis| tokio::time::timeout(Duration::from_millis(millis), sending.overdue());
        assert!(wait(50).await.is_err());
        let _stuck = sending.hold(pieces(Bytes::from_static(b"a")), None, None, Instant::now());
        assert!(wait(5000).await.is_ok());
    }
}
