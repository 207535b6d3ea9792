//! Work that upstream's costs do not count: searches with patterns of many states, and what functions
//! do with long lists and texts of whose type nothing is declared. Some of it is free, and so is work
//! that is in proportion to the costs; the rest is paid for out of the budget of the evaluation, so
//! that none takes longer, or makes more, than that allows.
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
    /// Units of searches.
    pub(crate) searched: u64,
    /// Units of all other work.
    pub(crate) done: u64,
    /// What evaluations cost, without what was paid for work.
    pub(crate) cost: u64,
    /// Units that were paid for.
    pub(crate) settled: u64,
}

impl Effort {
    /// This, and what another evaluation did since both began.
    #[must_use]
    pub fn beside(self, began: Self, other: Self) -> Self {
        let sum =
            |own: u64, began: u64, other: u64| own.saturating_add(other.saturating_sub(began));
        Self {
            compiled: sum(self.compiled, began.compiled, other.compiled),
            searched: sum(self.searched, began.searched, other.searched),
            done: sum(self.done, began.done, other.done),
            cost: sum(self.cost, began.cost, other.cost),
            settled: sum(self.settled, began.settled, other.settled),
        }
    }
}

/// Units that are free: some tens of milliseconds at worst.
const FREE: u64 = 16_000_000;
/// Units beyond that which cost one.
const UNITS_PER_COST: u64 = 32;
/// Units of work, but not of searches, for which each of the costs pays that upstream counts. Its
/// tests of costs have up to five hundred.
const COVERED_PER_COST: u64 = 1024;
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
    searched: Cell<u64>,
    done: Cell<u64>,
    /// Of what was done, the part that was paid for.
    settled: Cell<u64>,
    /// What evaluations before this one cost.
    cost_before: u64,
    /// What this one paid for work.
    charged: Cell<u64>,
    /// Units of work that the costs so far pay for.
    covered: Cell<u64>,
    /// Units that are left of what is free and of the budget.
    room: Cell<u64>,
}

impl Default for Meter {
    /// Without a bound, for what is no part of an evaluation.
    fn default() -> Self {
        Self { room: Cell::new(u64::MAX), ..Self::after(Effort::default()) }
    }
}

fn units(count: usize, each: u64) -> u64 {
    (count as u64).saturating_mul(each)
}

impl Meter {
    /// Goes on from what was done before.
    pub(crate) fn after(effort: Effort) -> Self {
        Self {
            searched: Cell::new(effort.searched),
            done: Cell::new(effort.done),
            settled: Cell::new(effort.settled),
            cost_before: effort.cost,
            charged: Cell::new(0),
            covered: Cell::new(0),
            room: Cell::new(0),
        }
    }

    /// What was done in all, now that this evaluation has cost so much.
    pub(crate) fn effort(&self, cost: u64, compiled: u64) -> Effort {
        Effort {
            compiled,
            searched: self.searched.get(),
            done: self.done.get(),
            cost: self.counted(cost),
            settled: self.settled.get(),
        }
    }

    /// What all evaluations cost without what was paid for work.
    #[inline]
    fn counted(&self, cost: u64) -> u64 {
        self.cost_before.saturating_add(cost.saturating_sub(self.charged.get()))
    }

    /// Units that have to be free or paid for: searches, and what costs do not cover of the rest.
    #[inline]
    fn uncovered(&self) -> u64 {
        let beyond = self.done.get().saturating_sub(self.covered.get());
        self.searched.get().saturating_add(beyond)
    }

    /// Allows as much as is left of a limit when so much has been spent.
    #[inline]
    pub(crate) fn open(&self, cost: u64, limit: u64) {
        self.covered.set(self.counted(cost).saturating_mul(COVERED_PER_COST));
        let paid = FREE.saturating_add(self.settled.get());
        let budget = limit.saturating_sub(cost).saturating_mul(UNITS_PER_COST);
        self.room.set(paid.saturating_sub(self.uncovered()).saturating_add(budget));
    }

    /// What is to be paid for work since the last call, now that so much has been spent.
    #[inline]
    pub(crate) fn settle(&self, cost: u64) -> u64 {
        self.covered.set(self.counted(cost).saturating_mul(COVERED_PER_COST));
        let paid = FREE.saturating_add(self.settled.get());
        let due = self.uncovered().saturating_sub(paid) / UNITS_PER_COST;
        if due > 0 {
            self.settled.set(self.settled.get().saturating_add(due * UNITS_PER_COST));
            self.charged.set(self.charged.get().saturating_add(due));
        }
        due
    }

    /// Pays for so many units of a search before they are done.
    ///
    /// # Errors
    /// When that is more than is left.
    #[inline]
    pub(crate) fn search(&self, units: u64) -> Result<()> {
        self.searched.set(self.searched.get().saturating_add(units));
        self.take(units)
    }

    /// Pays for so many units of other work before they are done.
    ///
    /// # Errors
    /// When that is more than is left.
    #[inline]
    fn pay(&self, units: u64) -> Result<()> {
        let slack = self.covered.get().saturating_sub(self.done.get());
        self.done.set(self.done.get().saturating_add(units));
        self.take(units.saturating_sub(slack))
    }

    #[inline]
    fn take(&self, units: u64) -> Result<()> {
        let room = self.room.get();
        self.room.set(room.saturating_sub(units));
        if units > room { Err(self.spent()) } else { Ok(()) }
    }

    /// Nothing is left: whatever comes of the error, the evaluation costs too much.
    #[cold]
    fn spent(&self) -> Error {
        self.searched.set(self.searched.get().saturating_add(2 * UNITS_PER_COST));
        Error::cost_limit()
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

#[cfg(test)]
mod tests {
    use super::*;

    fn is_spent(outcome: Result<()>) -> bool {
        outcome.is_err_and(|it| it.is_cancelled())
    }

    #[test]
    fn some_work_is_free_and_the_rest_is_paid_for() {
        for pay in [Meter::pay, Meter::search] {
            let meter = Meter::after(Effort::default());
            meter.open(0, 10);
            assert!(pay(&meter, FREE).is_ok());
            assert_eq!(meter.settle(0), 0);
            meter.open(0, 10);
            assert!(pay(&meter, 9 * UNITS_PER_COST).is_ok());
            assert_eq!(meter.settle(0), 9);
            meter.open(9, 10);
            assert!(is_spent(pay(&meter, 2 * UNITS_PER_COST)));
            assert!(meter.settle(9) > 1, "what was cancelled costs more than was left");
        }
    }

    #[test]
    fn costs_pay_for_work_in_proportion_but_not_for_searches() {
        let meter = Meter::after(Effort { searched: FREE, ..Effort::default() });
        meter.open(100, 100);
        assert!(meter.pay(100 * COVERED_PER_COST).is_ok());
        assert_eq!(meter.settle(100), 0);
        meter.open(100, 100);
        assert!(is_spent(meter.pay(1)));
        let meter = Meter::after(Effort { searched: FREE, ..Effort::default() });
        meter.open(100, 100);
        assert!(is_spent(meter.search(1)));
    }

    #[test]
    fn work_goes_on_from_what_was_done() {
        let meter = Meter::after(Effort { searched: FREE, cost: 2, ..Effort::default() });
        meter.open(0, 1);
        assert!(meter.pay(2 * COVERED_PER_COST + 32).is_ok());
        assert_eq!(meter.settle(0), 1);
        let effort = meter.effort(1, 7);
        assert_eq!((effort.cost, effort.compiled, effort.settled), (2, 7, 32));
        assert_eq!(effort.done, 2 * COVERED_PER_COST + 32);
        let began = Effort { compiled: 3, done: 5, ..Effort::default() };
        let other = Effort { compiled: 6, ..began };
        let both = Effort { compiled: 4, done: 7, ..Effort::default() }.beside(began, other);
        assert_eq!((both.compiled, both.done), (7, 7));
    }
}
