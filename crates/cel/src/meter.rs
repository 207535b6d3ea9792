//! Work that upstream's costs do not count: searches with patterns of many states, and what functions
//! do with long lists and texts of whose type nothing is declared. Some of it is free; the rest is paid
//! for out of the budget of the evaluation, so that none takes longer, or makes more, than that allows.
//!
//! A unit is about the time in which one byte of a text keeps one state of a pattern busy: a
//! nanosecond or two.

use std::cell::Cell;

use crate::value::{Bytes, Error, List, Result, Str, Val};

/// The work that belongs together, such as that of all rules about an object.
#[derive(Clone, Copy, Debug, Default)]
pub struct Effort {
    /// States of patterns that were compiled.
    pub(crate) compiled: u64,
    /// Units of all other work.
    pub(crate) done: u64,
}

impl Effort {
    /// This, and what another evaluation did since both began.
    #[must_use]
    pub fn beside(self, began: Self, other: Self) -> Self {
        let sum =
            |own: u64, began: u64, other: u64| own.saturating_add(other.saturating_sub(began));
        Self {
            compiled: sum(self.compiled, began.compiled, other.compiled),
            done: sum(self.done, began.done, other.done),
        }
    }
}

/// Units that are free: some tens of milliseconds at worst.
const FREE: u64 = 16_000_000;
/// Units beyond that which cost one.
const UNITS_PER_COST: u64 = 32;
/// To look at an item of a list or an entry of a map.
const ITEM: u64 = 8;
/// To make an item, which takes room besides.
const MADE_ITEM: u64 = 64;
/// Bytes of a text that are gone through in a unit.
const BYTES_PER_UNIT: u64 = 4;
/// To make a byte of a text, which takes room besides.
const MADE_BYTE: u64 = 4;

/// What was done in an evaluation, and what may still be done.
#[derive(Debug)]
pub struct Meter {
    done: Cell<u64>,
    /// Of what was done, the part that was paid for.
    settled: Cell<u64>,
    room: Cell<u64>,
}

impl Default for Meter {
    /// Without a bound, for what is no part of an evaluation.
    fn default() -> Self {
        Self { done: Cell::new(0), settled: Cell::new(0), room: Cell::new(u64::MAX) }
    }
}

fn cost(done: u64) -> u64 {
    done.saturating_sub(FREE) / UNITS_PER_COST
}

fn units(count: usize, each: u64) -> u64 {
    (count as u64).saturating_mul(each)
}

impl Meter {
    /// Goes on from what was done before.
    pub(crate) fn after(effort: Effort) -> Self {
        Self { done: Cell::new(effort.done), settled: Cell::new(effort.done), room: Cell::new(0) }
    }

    pub(crate) fn done(&self) -> u64 {
        self.done.get()
    }

    /// Allows as much as this budget pays for.
    #[inline]
    pub(crate) fn open(&self, budget: u64) {
        let free = FREE.saturating_sub(self.done.get());
        self.room.set(free.saturating_add(budget.saturating_mul(UNITS_PER_COST)));
    }

    /// What is to be paid since the last call.
    #[inline]
    pub(crate) fn settle(&self) -> u64 {
        let (done, settled) = (self.done.get(), self.settled.replace(self.done.get()));
        if done <= FREE { 0 } else { cost(done) - cost(settled) }
    }

    /// Pays for so many units before they are done.
    ///
    /// # Errors
    /// When that is more than is left.
    #[inline]
    pub(crate) fn pay(&self, units: u64) -> Result<()> {
        let room = self.room.get();
        self.done.set(self.done.get().saturating_add(units));
        self.room.set(room.saturating_sub(units));
        if units > room { Err(spent(&self.done)) } else { Ok(()) }
    }

    /// Pays for looking at so many items of a list or entries of a map.
    ///
    /// # Errors
    /// When that is more than is left.
    #[inline]
    pub fn items(&self, count: usize) -> Result<()> {
        self.pay(units(count, ITEM))
    }

    /// Pays for going through a text of so many bytes.
    ///
    /// # Errors
    /// When that is more than is left.
    #[inline]
    pub fn text(&self, bytes: usize) -> Result<()> {
        self.pay(bytes as u64 / BYTES_PER_UNIT)
    }

    /// Pays for so many bytes of text that are to be made.
    ///
    /// # Errors
    /// When that is more than is left.
    pub fn made_text(&self, bytes: usize) -> Result<()> {
        self.pay(units(bytes, MADE_BYTE))
    }

    /// Pays for so many items of a list that are to be made.
    ///
    /// # Errors
    /// When that is more than is left.
    pub fn made_items(&self, count: usize) -> Result<()> {
        self.pay(units(count, MADE_ITEM))
    }

    /// Pays for a value that was made.
    ///
    /// # Errors
    /// When that is more than is left.
    #[inline]
    pub(crate) fn made(&self, value: &Val<'_>) -> Result<()> {
        match value {
            Val::Str(Str::Owned(text)) => self.made_text(text.len()),
            Val::Bytes(Bytes::Owned(bytes)) => self.made_text(bytes.len()),
            Val::List(List::Owned(items)) => self.made_items(items.len()),
            Val::List(List::Typed(typed)) => self.made_items(typed.len()),
            _ => Ok(()),
        }
    }
}

/// Nothing is left: whatever comes of the error, the evaluation costs too much.
#[cold]
fn spent(done: &Cell<u64>) -> Error {
    done.set(done.get().saturating_add(UNITS_PER_COST));
    Error::cost_limit()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_work_is_free_and_the_rest_is_paid_for() {
        let meter = Meter::after(Effort::default());
        meter.open(10);
        assert!(meter.pay(FREE).is_ok());
        assert_eq!(meter.settle(), 0);
        meter.open(10);
        assert!(meter.pay(9 * UNITS_PER_COST).is_ok());
        assert_eq!(meter.settle(), 9);
        meter.open(1);
        assert!(meter.pay(2 * UNITS_PER_COST).is_err_and(|it| it.is_cancelled()));
        assert!(meter.settle() > 1, "what was cancelled costs more than was left");
    }

    #[test]
    fn work_goes_on_from_what_was_done() {
        let meter = Meter::after(Effort { compiled: 0, done: FREE });
        meter.open(1);
        assert!(meter.items(4).is_ok());
        assert_eq!(meter.settle(), 1);
        assert_eq!(meter.done(), FREE + 32);
        let began = Effort { compiled: 3, done: 5 };
        let both = Effort { compiled: 4, done: 7 }.beside(began, Effort { compiled: 6, done: 5 });
        assert_eq!((both.compiled, both.done), (7, 7));
    }
}
