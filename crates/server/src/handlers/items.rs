//! Lists that are written while they are sent: a piece at a time, copied from objects that all
//! readers share, or made of them one by one. A list costs its client's connection a piece, however long it is, and no other
//! request more than the time of a piece.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::Response;
use http_body_util::BodyExt;
use hyper::body::Frame;
use ordain_meta::Status;
use ordain_registry::{Records, Registry, Target, Warnings, discard};
use ordain_value::{Map, Value, json};

use crate::form::{Shape, Show};
use crate::held::{self, Yielding};
use crate::response::{self, Body};

/// A list of at most this is written at once: its length is known then.
const WHOLE_BYTES: usize = 256 * 1024;
const PIECE_BYTES: usize = 64 * 1024;

/// A list in JSON on its way.
pub(super) struct Items {
    registry: Arc<Registry>,
    target: Target,
    page: Records,
    show: Option<Show>,
    /// What is next: what stands before the items, an item, what stands behind them, or nothing.
    next: Next,
    head: Vec<u8>,
    tail: Vec<u8>,
    /// What is left of a large object, which is not copied.
    large: VecDeque<Bytes>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    Head,
    Item(usize),
    End,
}

impl Items {
    /// The items of a page in the shape of their list.
    pub(super) fn new(
        registry: Arc<Registry>,
        target: Target,
        page: Records,
        shape: Shape,
    ) -> Self {
        let Shape { envelope, key: place, show } = shape;
        let (mut head, mut tail) = (vec![b'{'], Vec::new());
        let mut before = true;
        for (key, value) in envelope.as_map().into_iter().flat_map(Map::iter) {
            let out = if before { &mut head } else { &mut tail };
            if out.as_slice() != b"{" {
                out.push(b',');
            }
            json::encode_string_to(key, out);
            out.push(b':');
            if key == place {
                head.push(b'[');
                tail.push(b']');
                before = false;
            } else {
                json::encode_to(value, out);
            }
        }
        tail.extend_from_slice(b"}\n");
        Self { registry, target, page, show, next: Next::Head, head, tail, large: VecDeque::new() }
    }

    /// The answer with this list.
    pub(super) async fn answer(mut self, warnings: &Warnings) -> Result<Response<Body>, Status> {
        if self.show.is_none() {
            let shared = self.registry.shared_items(&self.target, &self.page, PIECE_BYTES).await?;
            if let Some(pieces) = shared {
                return Ok(self.shared(pieces, warnings));
            }
        }
        let len = self.page.bytes_len();
        if len > WHOLE_BYTES {
            let mut response = response::json(200, Vec::new(), warnings);
            *response.body_mut() = Yielding::new(self).boxed_unsync();
            return Ok(response);
        }
        let mut bytes = Vec::with_capacity(self.head.len() + len + self.tail.len());
        while self.next != Next::End {
            self.write(usize::MAX, &mut bytes)?;
        }
        Ok(response::json(200, bytes, warnings))
    }

    /// The answer with items that others are sent as well.
    fn shared(&mut self, pieces: Vec<Bytes>, warnings: &Warnings) -> Response<Body> {
        let (head, tail) = (std::mem::take(&mut self.head), std::mem::take(&mut self.tail));
        let all = [head.into()].into_iter().chain(pieces).chain([tail.into()]);
        let mut response = response::json(200, Vec::new(), warnings);
        *response.body_mut() = held::all_pieces(all);
        response
    }

    /// The first piece of the next object, if that is a large one as it is stored.
    fn begin_large(&mut self) -> Option<Bytes> {
        let Next::Item(at) = self.next else { return None };
        if self.show.is_some() {
            return None;
        }
        let pieces = self.registry.large_item(&self.target, &self.page, at, PIECE_BYTES);
        self.large = pieces.ok()??.into();
        self.next = Next::Item(at + 1);
        if at > 0 {
            self.large.push_front(Bytes::from_static(b","));
        }
        held::next_piece(&mut self.large)
    }

    /// Writes what is next, until there are enough bytes.
    fn write(&mut self, bytes: usize, out: &mut Vec<u8>) -> Result<(), Status> {
        let from = match self.next {
            Next::End => return Ok(()),
            Next::Head => {
                out.append(&mut self.head);
                0
            }
            Next::Item(at) => at,
        };
        let show = self.show.as_deref().map(|show| show as &dyn Fn(&Value) -> Value);
        let next = self.registry.write_items(&self.target, &self.page, show, from, bytes, out)?;
        self.next = Next::Item(next);
        if next >= self.page.records.len() {
            out.append(&mut self.tail);
            self.next = Next::End;
        }
        Ok(())
    }
}

impl Drop for Items {
    fn drop(&mut self) {
        let records = std::mem::take(&mut self.page.records);
        let len = records.len();
        discard(records, len);
    }
}

impl hyper::body::Body for Items {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if let Some(piece) = held::next_piece(&mut self.large) {
            return Poll::Ready(Some(Ok(Frame::data(piece))));
        }
        if self.next == Next::End {
            return Poll::Ready(None);
        }
        if let Some(piece) = self.begin_large() {
            return Poll::Ready(Some(Ok(Frame::data(piece))));
        }
        let mut out = Vec::with_capacity(PIECE_BYTES + PIECE_BYTES / 4);
        if self.write(PIECE_BYTES, &mut out).is_err() {
            // All objects were looked at before: this cannot be. A list that breaks off is not
            // taken for a whole one.
            self.next = Next::End;
        }
        Poll::Ready(Some(Ok(Frame::data(Bytes::from(out)))))
    }

    fn is_end_stream(&self) -> bool {
        self.next == Next::End && self.large.is_empty()
    }
}
