//! `anyOf`, `oneOf`, `allOf`, `not`.
//!
//! Their own errors have no place, only a message that quotes it. Of several failed branches the one with most
//! matches shows its errors. Inside a branch nothing is ratcheted.

use ordain_value::{Value, go_quote};

use super::checks::Junctors;
use super::place::Place;
use super::{Counting, Mode, Plainly, Walk};
use crate::plan::Id;

/// What probing a list of branches found.
struct Probe {
    valid: usize,
    /// Matches of the first valid branch.
    first_valid: u64,
    /// The failed branch with most matches, and their number.
    best: Option<(Id, u64)>,
}

impl Walk<'_> {
    /// Returns the matches of the branches that count.
    pub(super) fn check_junctors<M: Mode>(
        &mut self,
        junctors: &Junctors,
        value: &Value,
        place: &Place<'_>,
        depth: usize,
    ) -> u64 {
        let mut count = 0;
        self.may_repeat = true;
        if !junctors.any_of.is_empty() {
            let probe = self.probe(&junctors.any_of, true, value, place, depth);
            count += probe.first_valid;
            if probe.valid == 0 {
                self.plain(|| {
                    let place = go_quote(&place.text());
                    format!("{place} must validate at least one schema (anyOf)")
                });
                count += self.show_best(&probe, value, place, depth);
            }
        }
        if !junctors.one_of.is_empty() {
            let probe = self.probe(&junctors.one_of, false, value, place, depth);
            if probe.valid == 1 {
                count += probe.first_valid;
            } else {
                self.plain(|| {
                    let place = go_quote(&place.text());
                    let found = match probe.valid {
                        0 => "Found none valid".to_owned(),
                        valid => format!("Found {valid} valid alternatives"),
                    };
                    format!("{place} must validate one and only one schema (oneOf). {found}")
                });
                if probe.valid == 0 {
                    count += self.show_best(&probe, value, place, depth);
                }
            }
        }
        if !junctors.all_of.is_empty() {
            count += self.check_all_of::<M>(&junctors.all_of, value, place, depth);
        }
        if let Some(not) = junctors.not {
            let (valid, _) = self.probe_one(not, value, place, depth);
            if valid {
                self.plain(|| {
                    let place = go_quote(&place.text());
                    format!("{place} must not validate the schema (not)")
                });
            }
        }
        count
    }

    fn check_all_of<M: Mode>(
        &mut self,
        branches: &[Id],
        value: &Value,
        place: &Place<'_>,
        depth: usize,
    ) -> u64 {
        let mut count = 0;
        let mut valid = 0;
        for branch in branches {
            let failures = self.failures;
            self.trail.clear();
            count += if M::COUNT {
                self.visit::<Counting>(*branch, value, None, place, depth + 1)
            } else {
                self.visit::<Plainly>(*branch, value, None, place, depth + 1)
            };
            valid += usize::from(self.failures == failures);
        }
        if valid < branches.len() {
            self.plain(|| {
                let place = go_quote(&place.text());
                let none = if valid == 0 { ". None validated" } else { "" };
                format!("{place} must validate all the schemas (allOf){none}")
            });
        }
        count
    }

    fn probe(
        &mut self,
        branches: &[Id],
        stop_at_first: bool,
        value: &Value,
        place: &Place<'_>,
        depth: usize,
    ) -> Probe {
        let mut probe = Probe { valid: 0, first_valid: 0, best: None };
        for branch in branches {
            let (valid, matches) = self.probe_one(*branch, value, place, depth);
            if valid {
                if probe.valid == 0 {
                    probe.first_valid = matches;
                }
                probe.valid += 1;
                if stop_at_first {
                    break;
                }
            } else if probe.best.is_none_or(|(_, best)| matches > best) {
                probe.best = Some((*branch, matches));
            }
        }
        probe
    }

    /// Walks a branch without rendering errors.
    fn probe_one(
        &mut self,
        branch: Id,
        value: &Value,
        place: &Place<'_>,
        depth: usize,
    ) -> (bool, u64) {
        let (recording, failures) = (std::mem::take(&mut self.recording), self.failures);
        let matches = self.visit::<Counting>(branch, value, None, place, depth + 1);
        let valid = self.failures == failures;
        self.recording = recording;
        self.failures = failures;
        (valid, matches)
    }

    fn show_best(&mut self, probe: &Probe, value: &Value, place: &Place<'_>, depth: usize) -> u64 {
        let Some((branch, matches)) = probe.best else {
            return 0;
        };
        if self.recording {
            self.trail.clear();
            self.visit::<Plainly>(branch, value, None, place, depth + 1);
        }
        matches
    }
}
