//! What clients did and were answered, and whether one order of it all explains every answer.
//!
//! Each object is a register of its own: a call takes effect at one moment between its beginning and
//! its end, a read sees what the last write left, and a write is made only on what it was based on. A
//! write without an answer may take effect at any moment after its beginning, or never.

use std::collections::{BTreeMap, HashSet};
use std::sync::Mutex;
use std::time::Instant;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Call {
    Read,
    Replace { from: u64, to: u64 },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Saw(u64),
    Done,
    /// The object was no longer what the write was based on.
    Refused,
    Unknown,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    began: u64,
    /// None if it may still be on its way.
    ended: Option<u64>,
    call: Call,
    outcome: Outcome,
}

pub(crate) struct Recorder {
    start: Instant,
    objects: Mutex<BTreeMap<u64, Vec<Entry>>>,
}

impl Default for Recorder {
    fn default() -> Self {
        Self { start: Instant::now(), objects: Mutex::default() }
    }
}

impl Recorder {
    pub(crate) fn now(&self) -> u64 {
        self.start.elapsed().as_nanos() as u64
    }

    pub(crate) fn note(&self, object: u64, began: u64, call: Call, outcome: Outcome) {
        let ended = (outcome != Outcome::Unknown).then(|| self.now());
        let entry = Entry { began, ended, call, outcome };
        self.objects.lock().unwrap().entry(object).or_default().push(entry);
    }

    pub(crate) fn len(&self) -> usize {
        self.objects.lock().unwrap().values().map(Vec::len).sum()
    }

    /// Whether some order explains the history of each object, which begins at 0.
    pub(crate) fn check(&self) -> Result<(), String> {
        for (object, entries) in self.objects.lock().unwrap().iter() {
            explain(entries).map_err(|why| format!("object {object}: {why}"))?;
        }
        Ok(())
    }
}

/// What an entry makes of a state: none if it cannot take effect there.
fn effect(entry: &Entry, state: u64) -> Option<u64> {
    match (entry.call, entry.outcome) {
        (Call::Read, Outcome::Saw(value)) => (value == state).then_some(state),
        (Call::Replace { from, to }, Outcome::Done | Outcome::Unknown) => {
            (from == state).then_some(to)
        }
        (Call::Replace { from, .. }, Outcome::Refused) => (from != state).then_some(state),
        _ => None,
    }
}

/// Looks for an order: takes one call after the other that may be next, and goes back where that
/// leads nowhere (the search of Wing and Gong, with the places it has been to).
fn explain(entries: &[Entry]) -> Result<(), String> {
    let mut entries = entries.to_vec();
    entries.sort_by_key(|entry| entry.began);
    let mut been = HashSet::new();
    let mut way: Vec<(usize, u64)> = Vec::new();
    let mut taken = vec![false; entries.len()];
    let (mut state, mut from, mut furthest) = (0, 0, 0);
    loop {
        let open = |taken: &[bool]| {
            let left = entries.iter().zip(taken).filter(|(_, taken)| !**taken);
            left.filter_map(|(entry, _)| entry.ended).min()
        };
        let Some(first_end) = open(&taken) else { return Ok(()) };
        let next = (from..entries.len()).find_map(|at| {
            let entry = &entries[at];
            if taken[at] || entry.began > first_end {
                return None;
            }
            effect(entry, state).map(|after| (at, after))
        });
        match next {
            Some((at, after)) => {
                taken[at] = true;
                if been.insert((taken.clone(), after)) {
                    way.push((at, state));
                    (state, from) = (after, 0);
                    furthest = furthest.max(way.len());
                } else {
                    taken[at] = false;
                    from = at + 1;
                }
            }
            None => {
                let Some((at, before)) = way.pop() else {
                    return Err(reported(&entries, furthest));
                };
                taken[at] = false;
                (state, from) = (before, at + 1);
            }
        }
    }
}

fn reported(entries: &[Entry], furthest: usize) -> String {
    let shown = entries.iter().skip(furthest.saturating_sub(6)).take(16);
    let shown: Vec<String> = shown.map(|entry| format!("{entry:?}")).collect();
    format!(
        "no order of {} calls explains their answers; {furthest} of them can be ordered, about \
         here:\n{}",
        entries.len(),
        shown.join("\n")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(began: u64, ended: Option<u64>, call: Call, outcome: Outcome) -> Entry {
        Entry { began, ended, call, outcome }
    }

    const READ: Call = Call::Read;

    fn replace(from: u64, to: u64) -> Call {
        Call::Replace { from, to }
    }

    #[test]
    fn calls_at_the_same_time_have_some_order() {
        let history = [
            entry(0, Some(10), replace(0, 1), Outcome::Done),
            entry(1, Some(3), READ, Outcome::Saw(0)),
            entry(2, Some(9), READ, Outcome::Saw(1)),
            entry(11, Some(12), replace(0, 2), Outcome::Refused),
        ];
        assert_eq!(explain(&history), Ok(()));
    }

    #[test]
    fn stale_reads_and_lost_updates_have_none() {
        let stale = [
            entry(0, Some(1), replace(0, 1), Outcome::Done),
            entry(2, Some(3), READ, Outcome::Saw(0)),
        ];
        assert!(explain(&stale).is_err());
        let lost = [
            entry(0, Some(5), replace(0, 1), Outcome::Done),
            entry(0, Some(5), replace(0, 2), Outcome::Done),
        ];
        assert!(explain(&lost).is_err());
        let back = [
            entry(0, Some(9), replace(0, 1), Outcome::Done),
            entry(1, Some(2), READ, Outcome::Saw(1)),
            entry(3, Some(4), READ, Outcome::Saw(0)),
        ];
        assert!(explain(&back).is_err());
    }

    #[test]
    fn a_write_without_an_answer_may_come_late_or_never() {
        let unknown = entry(0, None, replace(0, 1), Outcome::Unknown);
        let before = entry(5, Some(6), READ, Outcome::Saw(0));
        let after = entry(7, Some(8), READ, Outcome::Saw(1));
        assert_eq!(explain(&[unknown, before]), Ok(()));
        assert_eq!(explain(&[unknown, before, after]), Ok(()));
        let gone = entry(9, Some(10), READ, Outcome::Saw(0));
        assert!(explain(&[unknown, before, after, gone]).is_err());
    }
}
