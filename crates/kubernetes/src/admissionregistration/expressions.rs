//! The seam to the compiler of CEL expressions, which needs kinds and lies in a crate of its own.
//!
//! Invariant: without a compiler no expression is refused; whether one is missing is judged here.

use std::sync::OnceLock;

use ordain_strategy::Change;
use ordain_value::Value;
use ordain_value::field;

/// Judges all expressions of a policy or webhook configuration; errors carry full paths.
pub type Check = fn(&Value) -> field::ErrorList;

static CHECK: OnceLock<Check> = OnceLock::new();

/// Sets the compiler, once; returns whether it was the first.
pub fn check_with(check: Check) -> bool {
    CHECK.set(check).is_ok()
}

/// What the compiler reports about the expressions of an object. Match conditions are left alone
/// where they and their variables did not change.
pub(super) fn validate(change: &Change<'_>, keep: impl Fn(&str) -> bool) -> field::ErrorList {
    let Some(check) = CHECK.get() else { return field::ErrorList::new() };
    check(change.object).into_iter().filter(|error| keep(&error.path)).collect()
}
