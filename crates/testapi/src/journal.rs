//! What happened: every request with its answer, in order, as far back as memory is given for it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use ordain_meta::time::Time;
use ordain_server::seam::{Answered, Asked};
use ordain_storage::Revision;

const EXCHANGES_MAX: usize = 20_000;
const BYTES_MAX: usize = 64 * 1024 * 1024;

/// One request.
#[derive(Debug, Clone)]
pub(crate) struct Exchange {
    pub(crate) asked: Arc<Asked>,
    /// None while it is worked on, or when its client left.
    pub(crate) answered: Option<Answered>,
    pub(crate) began: Time,
    /// The store's revision before and after; all that the request wrote lies between.
    pub(crate) before: Revision,
    pub(crate) after: Revision,
    /// The lines that a watch sent.
    pub(crate) events: Vec<Bytes>,
    /// What rules and schedule did to it.
    pub(crate) faults: Vec<String>,
}

impl Exchange {
    fn bytes_len(&self) -> usize {
        let answered = self.answered.as_ref();
        let answered = answered.map_or(0, |it| it.body.len() + it.request_body.len());
        answered + self.events.iter().map(Bytes::len).sum::<usize>() + self.asked.path.len()
    }
}

/// The last exchanges.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    exchanges: VecDeque<Exchange>,
    bytes: usize,
    /// How many there were before the first that is kept.
    forgotten: u64,
}

impl Kept {
    fn find(&mut self, number: u64) -> Option<&mut Exchange> {
        // They begin nearly in the order of their numbers.
        self.exchanges.iter_mut().rev().find(|it| it.asked.number == number)
    }

    fn forget(&mut self) {
        while self.exchanges.len() > EXCHANGES_MAX || self.bytes > BYTES_MAX {
            let Some(oldest) = self.exchanges.pop_front() else { return };
            self.bytes = self.bytes.saturating_sub(oldest.bytes_len());
            self.forgotten += 1;
        }
    }
}

impl Journal {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn begin(&self, exchange: Exchange) {
        let mut kept = self.kept();
        kept.bytes += exchange.bytes_len();
        kept.exchanges.push_back(exchange);
        kept.forget();
    }

    pub(crate) fn end(&self, number: u64, answered: Option<Answered>, after: Revision) {
        let mut kept = self.kept();
        let Some(found) = kept.find(number) else { return };
        let before = found.bytes_len();
        found.answered = answered;
        found.after = after;
        let grown = found.bytes_len() - before;
        kept.bytes += grown;
        kept.forget();
    }

    pub(crate) fn fault(&self, number: u64, what: String) {
        if let Some(found) = self.kept().find(number) {
            found.faults.push(what);
        }
    }

    pub(crate) fn streamed(&self, number: u64, bytes: &Bytes) {
        let mut kept = self.kept();
        let Some(found) = kept.find(number) else { return };
        found.events.push(bytes.clone());
        kept.bytes += bytes.len();
        kept.forget();
    }

    /// All that is kept, and how many were forgotten before.
    pub(crate) fn all(&self) -> (Vec<Exchange>, u64) {
        let kept = self.kept();
        (kept.exchanges.iter().cloned().collect(), kept.forgotten)
    }

    pub(crate) fn clear(&self) {
        *self.kept() = Kept::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_is_forgotten_first() {
        let journal = Journal::default();
        for number in 0..EXCHANGES_MAX as u64 + 5 {
            let asked = Arc::new(Asked { number, ..Asked::default() });
            let zero = Time::from_unix(0, 0);
            journal.begin(Exchange {
                asked,
                answered: None,
                began: zero,
                before: 0,
                after: 0,
                events: Vec::new(),
                faults: Vec::new(),
            });
        }
        let (kept, forgotten) = journal.all();
        assert_eq!((kept.len(), forgotten), (EXCHANGES_MAX, 5));
        assert_eq!(kept[0].asked.number, 5);
    }
}
