//! Patterns that are known only when they are met. Compiling one is work that upstream's costs do
//! not count, so an evaluation has some for free, keeps what it compiled, and pays for the rest.

use crate::value::{Error, Result};
use ordain_go::regex::{GoRegex, weight};

/// Patterns that an evaluation keeps compiled.
const KEPT_MAX: usize = 16;
/// The weight of patterns that is not charged: what honest rules need.
const FREE_WEIGHT: u64 = 4_000;
/// What a unit of weight beyond that costs.
const WEIGHT_COST: u64 = 3;

/// The patterns of one evaluation.
#[derive(Default)]
pub(crate) struct Patterns {
    kept: Vec<(String, GoRegex)>,
    weight: u64,
    charge: u64,
}

impl Patterns {
    /// The compiled pattern. `budget` is what the evaluation may still cost.
    ///
    /// # Errors
    /// When it does not compile, or would cost more than is left.
    pub(crate) fn get(
        &mut self,
        pattern: &str,
        budget: u64,
        compile: impl FnOnce(&str) -> Result<GoRegex>,
    ) -> Result<GoRegex> {
        if let Some((_, regex)) = self.kept.iter().find(|(kept, _)| kept == pattern) {
            return Ok(regex.clone());
        }
        let before = self.weight.saturating_sub(FREE_WEIGHT);
        self.weight = self.weight.saturating_add(weight(pattern) as u64 + 16);
        let beyond = self.weight.saturating_sub(FREE_WEIGHT) - before;
        self.charge = self.charge.saturating_add(beyond.saturating_mul(WEIGHT_COST));
        if self.charge > budget {
            return Err(Error::cost_limit());
        }
        let regex = compile(pattern)?;
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
