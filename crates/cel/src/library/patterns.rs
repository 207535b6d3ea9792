//! Patterns as work. To compile one that is known only when it is met, and to search with one of many
//! states, is work that upstream's costs do not count: evaluations have some for free, keep what they
//! compiled, and pay for the rest.

use crate::meter::Meter;
use crate::value::{Error, Result};
use ordain_go::regex::{GoPattern, GoRegex};

/// Patterns that an evaluation keeps compiled.
const KEPT_MAX: usize = 16;
/// States that are compiled for free: what honest rules need.
const FREE_STATES: u64 = 10_000;
/// What a state beyond that costs.
const STATE_COST: u64 = 10;
/// Searches with fewer states are not counted: upstream's costs are about right for them.
pub(crate) const LIGHT_STATES: usize = 64;
/// Bytes that a table of states passes in the time in which one byte keeps one state busy.
const BYTES_PER_STATE: u64 = 8;

/// The patterns of one evaluation.
#[derive(Default)]
pub(crate) struct Patterns {
    kept: Vec<(String, GoRegex)>,
    /// States that were compiled.
    compiled: u64,
    charge: u64,
}

impl Patterns {
    /// Goes on after so many states were compiled.
    pub(crate) fn after(compiled: u64) -> Self {
        Self { compiled, ..Self::default() }
    }

    /// The states that were compiled, before and since.
    pub(crate) fn compiled(&self) -> u64 {
        self.compiled
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
        let before = self.compiled.saturating_sub(FREE_STATES);
        self.compiled = self.compiled.saturating_add(read.weight() as u64 + 16);
        let beyond = self.compiled.saturating_sub(FREE_STATES) - before;
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

/// Pays for a search in a text of so many bytes before it is done.
///
/// # Errors
/// When it would cost more than is left.
pub(crate) fn search(regex: &GoRegex, len: usize, meter: &Meter) -> Result<()> {
    if regex.size() <= LIGHT_STATES {
        return Ok(());
    }
    // What can be under way at a byte began at one before it.
    let busy = regex.size().min(len.saturating_mul(2));
    meter.search((busy as u64).saturating_mul(len as u64))
}

/// Pays for so many bytes of a search that goes on.
///
/// # Errors
/// When that is more than is left.
pub(crate) fn look(bytes: usize, meter: &Meter) -> Result<()> {
    meter.search(bytes as u64 / BYTES_PER_STATE)
}
