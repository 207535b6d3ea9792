//! Programs: checked expressions that can be evaluated, many times and from many threads.

use std::borrow::Borrow;
use std::cell::{OnceCell, RefCell};
use std::fmt;
use std::sync::atomic::AtomicBool;

use crate::ast::Text;
use crate::check::Checked;
use crate::eval::{Globals, Lazy, Machine};
use crate::library::Functions;
use crate::library::patterns::Patterns;
pub use crate::meter::Effort;
use crate::meter::Meter;
pub use crate::plan::planner::{DEPTH_MAX, PATTERNS_MAX, ProgramError};
use crate::plan::{Plan, Root, same_text};
use crate::value::{Result, Val, ViewRef};

/// So many variables need no room on the heap.
const FEW: usize = 4;

/// A variable, once it was asked for.
type Asked<'a> = OnceCell<Option<Result<Val<'a>>>>;

/// A checked expression with everything resolved.
pub struct Program {
    plan: Plan,
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program").field("variables", &self.plan.globals).finish_non_exhaustive()
    }
}

/// The values of variables.
#[derive(Clone, Debug, Default)]
pub struct Activation<'a> {
    vars: Vec<(Text, Result<Val<'a>>)>,
}

impl<'a> Activation<'a> {
    /// No variable.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// With one more variable.
    #[must_use]
    pub fn bind(mut self, name: &str, value: Val<'a>) -> Self {
        self.set(name, Ok(value));
        self
    }

    /// With one more variable that may be an error, which shows when it is read.
    #[must_use]
    pub fn bind_result(mut self, name: &str, value: Result<Val<'a>>) -> Self {
        self.set(name, value);
        self
    }

    /// Sets a variable.
    pub fn set(&mut self, name: &str, value: Result<Val<'a>>) {
        match self.vars.iter_mut().find(|(known, _)| known == name) {
            Some((_, slot)) => *slot = value,
            None => self.vars.push((Text::from(name), value)),
        }
    }

    #[inline(always)]
    fn get(&self, name: &str) -> Option<&Result<Val<'a>>> {
        match self.vars.first() {
            Some((known, value)) if same_text(known, name) => Some(value),
            _ => self.search(name),
        }
    }

    #[inline(never)]
    fn search(&self, name: &str) -> Option<&Result<Val<'a>>> {
        self.vars.iter().find(|(known, _)| same_text(known, name)).map(|(_, value)| value)
    }
}

/// What is known of a variable before there is an input.
pub enum Partly<'v> {
    /// Its value.
    Is(Val<'v>),
    /// A Go struct of which it is known which keys the input has; none of them is null.
    Record {
        /// The struct.
        ty: ViewRef<'v>,
        /// Whether the input has a key.
        has: &'v dyn Fn(&str) -> bool,
    },
}

/// Bounds of one evaluation.
#[derive(Clone, Copy, Debug, Default)]
pub struct EvalOptions<'e> {
    /// The evaluation ends with an error once it cost more.
    pub cost_limit: Option<u64>,
    /// Ends the evaluation when set, looked at once per item of a comprehension.
    pub interrupt: Option<&'e AtomicBool>,
    /// The work of evaluations that this one belongs to.
    pub effort: Effort,
}

/// What an evaluation gave.
#[derive(Clone, Debug)]
pub struct Outcome<'a> {
    /// The value or why there is none.
    pub value: Result<Val<'a>>,
    /// What it cost.
    pub cost: u64,
    /// The work that costs do not count, that of earlier evaluations included.
    pub effort: Effort,
}

impl Program {
    /// Makes a program of a checked expression.
    ///
    /// # Errors
    /// When a constant part cannot be computed, such as an invalid pattern.
    pub fn new(
        checked: &Checked,
        functions: &Functions,
    ) -> std::result::Result<Self, ProgramError> {
        crate::plan::planner::plan(checked, functions).map(|plan| Self { plan })
    }

    /// The variables that the expression reads.
    #[must_use]
    pub fn variables(&self) -> &[Text] {
        &self.plan.globals
    }

    /// Whether the expression is true, as far as that follows from what is known of variables (by
    /// their places among [`Program::variables`]) before there is an input.
    #[must_use]
    pub fn decided<'v>(&self, known: impl Fn(usize) -> Option<Partly<'v>>) -> Option<bool> {
        self.plan.chain.as_ref()?.decided(known)
    }

    /// Evaluates the expression.
    #[must_use]
    pub fn eval<'a>(
        &'a self,
        activation: &Activation<'a>,
        options: EvalOptions<'_>,
    ) -> Outcome<'a> {
        match self.plan.globals.as_slice() {
            [] => self.run(&[], options),
            [one] => self.run(&[activation.get(one)], options),
            [one, two] => self.run(&[activation.get(one), activation.get(two)], options),
            names => {
                let globals: Vec<_> = names.iter().map(|name| activation.get(name)).collect();
                self.run(&globals, options)
            }
        }
    }

    /// About how many states its constant patterns have together: what it took to compile them.
    #[must_use]
    pub fn patterns_size(&self) -> usize {
        self.plan.patterns
    }

    /// How deep the expression is nested, at most [`DEPTH_MAX`]: what an evaluation needs of the
    /// stack.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.plan.depth
    }

    /// Evaluates the expression; variables that `find` does not know are asked of `lazy` when,
    /// and each time that, the evaluation reads them.
    #[must_use]
    pub fn eval_lazy<'a>(
        &'a self,
        find: impl Fn(&str) -> Option<Result<Val<'a>>>,
        lazy: &dyn Fn(&str) -> Option<Result<Val<'a>>>,
        options: EvalOptions<'_>,
    ) -> Outcome<'a> {
        let found: Vec<_> = self.plan.globals.iter().map(|name| find(name)).collect();
        let globals: Vec<_> = found.iter().map(Option::as_ref).collect();
        let limit = options.cost_limit.unwrap_or(u64::MAX);
        self.run_general(Globals::Bound(&globals), limit, options, Some(lazy))
    }

    /// Evaluates the expression with variables that are asked for by name, each once.
    #[must_use]
    pub fn eval_with<'a>(
        &'a self,
        find: impl Fn(&str) -> Option<Result<Val<'a>>>,
        options: EvalOptions<'_>,
    ) -> Outcome<'a> {
        match self.plan.globals.as_slice() {
            [] => self.run(&[], options),
            [one] => self.run(&[find(one).as_ref()], options),
            [one, two] => self.run(&[find(one).as_ref(), find(two).as_ref()], options),
            names => {
                let found: Vec<_> = names.iter().map(|name| find(name)).collect();
                let globals: Vec<_> = found.iter().map(Option::as_ref).collect();
                self.run(&globals, options)
            }
        }
    }

    /// Evaluates the expression with variables that are asked for when one is first read, by its
    /// place among [`Program::variables`] and its name. Programs of plain tests keep none of them:
    /// such a one may be asked for again.
    #[must_use]
    pub fn eval_asking<'a>(
        &'a self,
        find: impl Fn(usize, &str) -> Option<Result<Val<'a>>>,
        options: EvalOptions<'_>,
    ) -> Outcome<'a> {
        if let Some(value) = self.plan.constant() {
            return Outcome { value: Ok(value), cost: 0, effort: options.effort };
        }
        let names = self.plan.globals.as_slice();
        let limit = options.cost_limit.unwrap_or(u64::MAX);
        let found = |at: usize| find(at, names.get(at)?)?.ok();
        let mut cost = 0;
        if let Some(way) = &self.plan.way
            && let Root::Global(slot) = way.root
            && let Some(root) = found(slot as usize)
            && let Some(value) = way.read(&root, &mut cost)
            && cost <= limit
        {
            return Outcome { value: Ok(value), cost, effort: options.effort };
        }
        let is_whole = self.plan.chain.as_ref().is_some_and(|it| it.is_whole);
        let by_chain = if is_whole { self.by_chain(found, limit, options) } else { None };
        by_chain.unwrap_or_else(|| self.eval_keeping(find, limit, options))
    }

    /// Whether the expression is true and what that costs, if it is nothing but plain tests that can
    /// tell within the limit; variables are asked for as by [`Program::eval_asking`].
    #[inline]
    #[must_use]
    pub fn answer_asking<'a>(
        &self,
        find: impl Fn(usize, &str) -> Option<Result<Val<'a>>>,
        limit: u64,
    ) -> Option<(bool, u64)> {
        let chain = self.plan.chain.as_ref().filter(|it| it.is_whole)?;
        let mut cost = 0;
        let found = |at: usize| find(at, self.plan.globals.get(at)?)?.ok();
        let is_true = chain.answer(found, &mut cost)?;
        (cost <= limit).then_some((is_true, cost))
    }

    /// The same with variables that are kept once they were asked for.
    fn eval_keeping<'a>(
        &'a self,
        find: impl Fn(usize, &str) -> Option<Result<Val<'a>>>,
        limit: u64,
        options: EvalOptions<'_>,
    ) -> Outcome<'a> {
        let names = self.plan.globals.as_slice();
        // Most expressions read one variable.
        let (one, few, many): ([Asked<'a>; 1], [Asked<'a>; FEW], Vec<Asked<'a>>);
        let found = if names.len() <= 1 {
            one = [OnceCell::new()];
            &one[..names.len()]
        } else if names.len() <= FEW {
            few = std::array::from_fn(|_| OnceCell::new());
            &few[..names.len()]
        } else {
            many = names.iter().map(|_| OnceCell::new()).collect();
            many.as_slice()
        };
        let get = |at: usize| found.get(at)?.get_or_init(|| find(at, &names[at])).as_ref();
        let by_chain = self.by_chain(|at| get(at)?.as_ref().ok(), limit, options);
        by_chain.unwrap_or_else(|| self.run_general(Globals::Asked(&get), limit, options, None))
    }

    #[inline(always)]
    fn run<'a>(
        &'a self,
        globals: &[Option<&Result<Val<'a>>>],
        options: EvalOptions<'_>,
    ) -> Outcome<'a> {
        let limit = options.cost_limit.unwrap_or(u64::MAX);
        let get = |at: usize| globals.get(at)?.as_ref()?.as_ref().ok();
        let by_chain = self.by_chain(get, limit, options);
        by_chain.unwrap_or_else(|| self.run_general(Globals::Bound(globals), limit, options, None))
    }

    /// The outcome by the chain of tests, if the program has one that can tell within the limit.
    #[inline(always)]
    fn by_chain<'a, 'v, R: Borrow<Val<'v>>>(
        &self,
        get: impl Fn(usize) -> Option<R>,
        limit: u64,
        options: EvalOptions<'_>,
    ) -> Option<Outcome<'a>> {
        let mut cost = 0;
        let is_true = self.plan.chain.as_ref()?.answer(get, &mut cost)?;
        let outcome = Outcome { value: Ok(Val::Bool(is_true)), cost, effort: options.effort };
        (cost <= limit).then_some(outcome)
    }

    #[inline(never)]
    fn run_general<'a, 'e>(
        &'a self,
        globals: Globals<'a, 'e>,
        limit: u64,
        options: EvalOptions<'e>,
        lazy: Option<&'e Lazy<'a, 'e>>,
    ) -> Outcome<'a> {
        let plan = &self.plan;
        let mut machine = Machine::new(
            &plan.nodes,
            globals,
            &plan.globals,
            plan.locals,
            limit,
            options.interrupt,
        );
        machine.patterns = RefCell::new(Patterns::after(options.effort.compiled));
        machine.meter = Meter::after(options.effort);
        machine.lazy = lazy;
        let value = if plan.is_logical {
            // Made anew rather than copied: that is faster while the parts are in flight.
            match machine.eval_bool(plan.root) {
                Ok(it) => Ok(Val::Bool(it)),
                Err(error) => Err(error),
            }
        } else {
            machine.eval(plan.root)
        };
        let compiled = machine.patterns.get_mut().compiled();
        let effort = machine.meter.effort(machine.cost, compiled);
        Outcome { value, cost: machine.cost, effort }
    }
}
