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
use ordain_value::Text;
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::app::App;
use crate::holdings::{Beyond, Holding};
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

/// The next piece of these bytes, taken from them.
pub(crate) fn next_piece(bytes: &mut VecDeque<Bytes>) -> Option<Bytes> {
    while let Some(first) = bytes.front_mut() {
        if !first.is_empty() {
            return Some(first.split_to(first.len().min(PIECE_BYTES)));
        }
        bytes.pop_front();
    }
    None
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
        account: Option<Account>,
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
        Held { body, rest: Bytes::new(), is_cut: false, account, _place: place, _sent: sent }
            .boxed_unsync()
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

/// Where bytes are counted that are made for one answer.
pub(crate) struct Account {
    app: Arc<App>,
    user: Text,
    /// Told when there is no room for more of the answer.
    cut: Arc<Notify>,
    /// Most answers have nothing to count.
    holding: Option<Holding>,
}

impl Account {
    pub(crate) fn new(app: &Arc<App>, user: &Text, cut: &Arc<Notify>) -> Self {
        let (app, user, cut) = (Arc::clone(app), user.clone(), Arc::clone(cut));
        Self { app, user, cut, holding: None }
    }

    /// Counts bytes; false when there is no room for them.
    pub(crate) fn counts(&mut self, bytes: u64, beyond: Beyond) -> bool {
        let Self { app, user, cut, holding } = self;
        let holding = holding.get_or_insert_with(|| app.holdings.begin(user, Arc::clone(cut)));
        holding.grow(bytes, app.limits.held_bytes_max, beyond)
    }

    /// Counts a piece, if it is large and this answer's own; whether there is room for it.
    fn takes(&mut self, data: &Bytes) -> bool {
        let own = if data.is_unique() { data.len() as u64 } else { 0 };
        let takes = own == 0 || self.counts(own, Beyond::Refuse);
        if !takes {
            self.cut.notify_one();
        }
        takes
    }
}

/// A body with what it holds.
struct Held {
    body: Body,
    /// What is left of a large piece. It is handed on bit by bit, because what a connection has is
    /// no longer counted.
    rest: Bytes,
    /// There was no room for a piece: the connection ends before the answer does.
    is_cut: bool,
    account: Option<Account>,
    _place: Option<Place>,
    _sent: Sent,
}

impl Held {
    /// The next bit of a large piece.
    fn bit(&mut self) -> Frame<Bytes> {
        let len = self.rest.len().min(PIECE_BYTES);
        let bit = self.rest.split_to(len);
        if self.rest.is_empty()
            && let Some(account) = &mut self.account
        {
            account.holding = None;
        }
        Frame::data(bit)
    }
}

impl hyper::body::Body for Held {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.is_cut {
            return Poll::Pending;
        }
        if !self.rest.is_empty() {
            return Poll::Ready(Some(Ok(self.bit())));
        }
        let frame = match Pin::new(&mut self.body).poll_frame(context) {
            Poll::Ready(Some(Ok(frame))) => frame,
            other => return other,
        };
        match frame.into_data() {
            Ok(data) if data.len() > 2 * PIECE_BYTES => {
                self.is_cut = self.account.as_mut().is_some_and(|account| !account.takes(&data));
                if self.is_cut {
                    return Poll::Pending;
                }
                self.rest = data;
                Poll::Ready(Some(Ok(self.bit())))
            }
            Ok(data) => Poll::Ready(Some(Ok(Frame::data(data)))),
            Err(frame) => Poll::Ready(Some(Ok(frame))),
        }
    }

    fn is_end_stream(&self) -> bool {
        // What is cut off must not be taken for whole.
        !self.is_cut && self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (body, rest) = (self.body.size_hint(), self.rest.len() as u64);
        let mut hint = SizeHint::new();
        hint.set_lower(body.lower() + rest);
        if let Some(upper) = body.upper() {
            hint.set_upper(upper + rest);
        }
        hint
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
