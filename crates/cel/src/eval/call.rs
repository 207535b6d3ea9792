//! Calls of functions: their arguments, the overload that fits, and what they cost.

use super::Machine;
use super::cost::call_cost;
use crate::library::arithmetic::{self, Op};
use crate::library::{Args, is_assignable, no_such_overload};
use crate::meter::Meter;
use crate::plan::{CallNode, Target};
use crate::value::{Error, Result, Val};

impl<'a> Machine<'a, '_> {
    pub(super) fn call(&mut self, call: &'a CallNode) -> Result<Val<'a>> {
        match &*call.args {
            [] => self.finish(call, &[]),
            [one] => match self.eval(*one) {
                Ok(one) => self.finish(call, &[one]),
                one => self.strict(call, [one]),
            },
            [one, two] if call.eager => {
                let first = self.eval(*one);
                if let Err(error) = &first
                    && error.is_cancelled()
                {
                    return first;
                }
                match (first, self.eval(*two)) {
                    (Ok(first), Ok(second)) => self.finish(call, &[first, second]),
                    (first, second) => self.strict(call, [first, second]),
                }
            }
            args => {
                let mut vals = Vec::with_capacity(args.len());
                for arg in args {
                    vals.push(self.eval(*arg)?);
                }
                self.finish(call, &vals)
            }
        }
    }

    /// Goes on with arguments that were all evaluated: a failed one is the outcome.
    pub(super) fn strict<const N: usize>(
        &mut self,
        call: &'a CallNode,
        args: [Result<Val<'a>>; N],
    ) -> Result<Val<'a>> {
        if args.iter().any(Result::is_err) {
            let priced = call.priced_list.and_then(|index| args.get(index));
            if let Some(Err(error)) = priced
                && !error.is_cancelled()
            {
                // Upstream's tracker takes the failed argument for the list.
                return Err(Error::internal(
                    "internal error: interface conversion: *types.Err is not traits.Lister: \
                     missing method Add",
                ));
            }
            self.charge_call(&call.cost, &args, |_| None)?;
            for arg in args {
                arg?;
            }
            return Err(Error::no_such_overload());
        }
        let vals: [Val<'a>; N] = args.map(|arg| arg.unwrap_or(Val::Null));
        self.finish(call, &vals)
    }

    /// Does something that is paid for as work.
    pub(super) fn metered<T>(&mut self, run: impl FnOnce(&Meter) -> Result<T>) -> Result<T> {
        self.meter.open(self.cost, self.limit);
        let outcome = run(&self.meter);
        let work = self.meter.settle(self.cost);
        self.charge(work)?;
        outcome
    }

    /// Applies an operator; what it makes is paid for.
    pub(super) fn operate(&mut self, op: Op, left: &Val<'a>, right: &Val<'a>) -> Result<Val<'a>> {
        match (left, right) {
            (Val::Str(_) | Val::Bytes(_) | Val::List(_), _) => self.metered(|meter| {
                if let (Val::List(first), Val::List(second)) = (left, right) {
                    // Before, because a short chain of sums may be longer than any memory.
                    meter.made_items(first.copied(second))?;
                    return arithmetic::apply(op, left, right);
                }
                let value = arithmetic::apply(op, left, right)?;
                meter.made(&value)?;
                Ok(value)
            }),
            _ => arithmetic::apply(op, left, right),
        }
    }

    pub(super) fn finish(&mut self, call: &'a CallNode, vals: &[Val<'a>]) -> Result<Val<'a>> {
        let budget = self.limit.saturating_sub(self.cost);
        self.meter.open(self.cost, self.limit);
        let args = Args::new(vals, &self.meter, budget).with_regex(call.regex.as_deref());
        let outcome = dispatch(call, args.with_patterns(&self.patterns));
        let outcome = outcome.and_then(|value| self.meter.made(&value).map(|()| value));
        let compiled = self.patterns.get_mut().take_charge();
        if let Err(error) = &outcome
            && error.is_cancelled()
        {
            return outcome;
        }
        let charge =
            if call.cost.is_one() { 1 } else { call_cost(&call.cost, vals, outcome.as_ref().ok()) };
        let work = self.meter.settle(self.cost.saturating_add(charge));
        self.charge(charge.saturating_add(compiled).saturating_add(work))?;
        match outcome {
            // Made anew rather than copied: that is faster while the parts are in flight.
            Ok(Val::Bool(it)) => Ok(Val::Bool(it)),
            outcome => outcome,
        }
    }
}

pub(super) fn dispatch<'a>(call: &CallNode, args: Args<'_, 'a>) -> Result<Val<'a>> {
    let vals = args.all();
    let fits = |bound: &crate::library::Bound| {
        bound.params.len() == vals.len()
            && bound.params.iter().zip(vals).all(|(ty, value)| is_assignable(ty, value))
    };
    match &call.target {
        Target::One(bound) => {
            if bound.guarded && !fits(bound) {
                return Err(no_such_overload(&call.function, vals));
            }
            (bound.call)(args)
        }
        Target::Singleton(singleton) => match vals.first() {
            Some(first) if call.regex.is_none() && !(singleton.takes)(first) => {
                Err(arithmetic::mismatch(false, &call.function, first))
            }
            _ => (singleton.call)(args),
        },
        Target::Any(many) => match many.iter().find(|bound| fits(bound)) {
            Some(bound) => (bound.call)(args),
            None => Err(no_such_overload(&call.function, vals)),
        },
        Target::None => Err(Error::new(format!("no such overload: {}", call.function))),
    }
}
