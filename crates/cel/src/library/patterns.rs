//! Patterns as work. To compile one that is known only when it is met, and to search with one of many
//! states, is work that upstream's costs do not count: evaluations have some for free, keep what they
//! compiled, and pay for the rest.

use crate::value::{Error, Result};
use ordain_go::regex::{GoPattern, GoRegex};

/// The work with patterns that belongs together, such as that of all rules about an object.
#[derive(Clone, Copy, Debug, Default)]
pub struct Effort {
    /// States of patterns that were compiled.
    compiled: u64,
    /// States that bytes of texts may have kept busy.
    searched: u64,
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
        }
    }
}

/// Patterns that an evaluation keeps compiled.
const KEPT_MAX: usize = 16;
/// States that are compiled for free: what honest rules need.
const FREE_STATES: u64 = 10_000;
/// What a state beyond that costs.
const STATE_COST: u64 = 10;
/// Searches with fewer states are not counted: upstream's costs are about right for them.
pub(crate) const LIGHT_STATES: usize = 64;
/// What may be searched for free, in states times bytes: some tens of milliseconds at worst.
const FREE_SEARCH: u64 = 16_000_000;
/// Bytes that a table of states passes in the time in which one byte keeps one state busy.
const BYTES_PER_STATE: u64 = 8;
/// States times bytes beyond that which cost one.
const SEARCHED_PER_COST: u64 = 32;

/// The patterns of one evaluation.
#[derive(Default)]
pub(crate) struct Patterns {
    kept: Vec<(String, GoRegex)>,
    effort: Effort,
    charge: u64,
}

impl Patterns {
    /// Goes on from what was done before.
    pub(crate) fn after(effort: Effort) -> Self {
        Self { effort, ..Self::default() }
    }

    /// What was done, before and since.
    pub(crate) fn effort(&self) -> Effort {
        self.effort
    }

    /// Pays for a search in a text of so many bytes before it is done.
    ///
    /// # Errors
    /// When it would cost more than is left.
    pub(crate) fn search(&mut self, regex: &GoRegex, len: usize, budget: u64) -> Result<()> {
        if regex.size() <= LIGHT_STATES {
            return Ok(());
        }
        // What can be under way at a byte began at one before it.
        let busy = regex.size().min(len.saturating_mul(2));
        self.work((busy as u64).saturating_mul(len as u64), budget)
    }

    /// Pays for so many bytes of a search that goes on.
    pub(crate) fn look(&mut self, bytes: usize, budget: u64) -> Result<()> {
        self.work(bytes as u64 / BYTES_PER_STATE, budget)
    }

    fn work(&mut self, work: u64, budget: u64) -> Result<()> {
        let cost = |searched: u64| searched.saturating_sub(FREE_SEARCH) / SEARCHED_PER_COST;
        let before = cost(self.effort.searched);
        self.effort.searched = self.effort.searched.saturating_add(work);
        self.charge = self.charge.saturating_add(cost(self.effort.searched) - before);
        if self.charge > budget { Err(Error::cost_limit()) } else { Ok(()) }
    }

    /// The compiled pattern. `budget` is what the evaluation may still cost.
    ///
    /// # Errors
    /// When it does not compile, or would cost more than is left.
    pub(crate) fn get(&mut self, pattern: &str, budget: u64) -> Result<GoRegex> {
        if let Some((_, regex)) = self.kept.iter().find(|(kept, _)| kept == pattern) {
            return Ok(regex.clone());
        }
        let read = GoPattern::read(pattern);
        let before = self.effort.compiled.saturating_sub(FREE_STATES);
        self.effort.compiled = self.effort.compiled.saturating_add(read.weight() as u64 + 16);
        let beyond = self.effort.compiled.saturating_sub(FREE_STATES) - before;
        self.charge = self.charge.saturating_add(beyond.saturating_mul(STATE_COST));
        if self.charge > budget {
            return Err(Error::cost_limit());
        }
        let regex = read.compile().map_err(|error| Error::new(error.to_string()))?;
        if self.kept.len() == KEPT_MAX {
            self.kept.remove(0);
        }
        self.kept.push((pattern.to_owned(), regex.clone()));
        Ok(regex)
    }

    /// What is to be paid since the last call.
    pub(crate) fn take_charge(&mut self) -> u64 {
        std::mem::take(&mut self.charge)
    }
}
