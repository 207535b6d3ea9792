//! What calls cost, as an API server's cost tracker counts them.

use super::Machine;
use crate::plan::{CallCost, Charge, tenth_of};
use crate::value::{Error, Result, Val};

impl<'a> Machine<'a, '_> {
    #[inline]
    pub(super) fn pair_cost(&self, cost: &CallCost, left: &Val<'a>, right: &Val<'a>) -> u64 {
        if cost.custom.is_some() {
            return self.custom_pair_cost(cost, left, right);
        }
        match (cost.default, left, right) {
            (Charge::One, ..)
            | (
                Charge::Shorter,
                Val::Int(_) | Val::Bool(_) | Val::Double(_) | Val::Uint(_),
                Val::Int(_) | Val::Bool(_) | Val::Double(_) | Val::Uint(_),
            ) => 1,
            (Charge::Shorter, Val::Str(left), Val::Str(right)) => {
                shorter_cost(left.as_str(), right.as_str())
            }
            _ => default_cost(cost.default, &[left, right]),
        }
    }

    #[cold]
    pub(super) fn custom_pair_cost(&self, cost: &CallCost, left: &Val<'a>, right: &Val<'a>) -> u64 {
        let args = [left.clone(), right.clone()];
        cost.custom
            .and_then(|custom| custom(&args, None))
            .unwrap_or_else(|| default_cost(cost.default, &[left, right]))
    }

    /// Charges a call of one argument that may have failed.
    #[inline]
    pub(super) fn charge_one(&mut self, cost: &CallCost, arg: &Result<Val<'a>>) -> Result<()> {
        if let Err(error) = arg
            && error.is_cancelled()
        {
            return Err(error.clone());
        }
        if cost.is_one() {
            return self.charge(1);
        }
        self.charge_call(cost, std::slice::from_ref(arg), |_| None)
    }

    /// Charges a call whose arguments may have failed; a failed one counts as size one.
    pub(super) fn charge_call(
        &mut self,
        cost: &CallCost,
        args: &[Result<Val<'a>>],
        result: impl FnOnce(&[Result<Val<'a>>]) -> Option<Val<'a>>,
    ) -> Result<()> {
        if let Some(Err(error)) =
            args.iter().find(|arg| arg.as_ref().is_err_and(Error::is_cancelled))
        {
            return Err(error.clone());
        }
        if cost.is_one() {
            return self.charge(1);
        }
        let vals: Vec<Val<'a>> =
            args.iter().map(|arg| arg.as_ref().cloned().unwrap_or(Val::Bool(false))).collect();
        let result = result(args);
        let charge = call_cost(cost, &vals, result.as_ref());
        self.charge(charge)
    }
}

pub(super) fn call_cost(cost: &CallCost, vals: &[Val<'_>], result: Option<&Val<'_>>) -> u64 {
    let custom = cost.custom.and_then(|custom| custom(vals, result));
    custom.unwrap_or_else(|| match vals {
        [] => default_cost(cost.default, &[]),
        [one] => default_cost(cost.default, &[one]),
        // No default looks at more than two.
        [one, two, ..] => default_cost(cost.default, &[one, two]),
    })
}

/// A tenth of a size, rounded up.
pub(super) fn tenth(size: u64) -> u64 {
    size.div_ceil(10)
}

pub(super) fn shorter_cost(left: &str, right: &str) -> u64 {
    tenth_of(left).min(tenth_of(right))
}

pub(super) fn default_cost(charge: Charge, args: &[&Val<'_>]) -> u64 {
    let size = |index: usize| args.get(index).map_or(1, |value| value.size());
    match charge {
        Charge::One => 1,
        Charge::Traverse => tenth(size(0)),
        Charge::Items => size(1),
        Charge::Shorter => tenth(size(0).min(size(1))),
        Charge::Both => tenth(size(0).saturating_add(size(1))),
        Charge::Matches => tenth(1 + size(0)).saturating_mul(size(1).div_ceil(4)),
        Charge::Search => tenth(size(0)).saturating_mul(tenth(size(1))),
    }
}
