//! Evaluation of a policy's expressions over one request, within a budget.
//!
//! Variables are computed when an expression first reads them and once per [`Evaluation`]; what
//! they cost counts against the budget of the expression that read them.

use std::cell::{Cell, OnceCell};
use std::collections::BTreeMap;
use std::sync::Arc;

use ordain_cel::program::{DEPTH_MAX, Effort, EvalOptions, Outcome, Program};
use ordain_cel::value::{Error, Result as CelResult, Val, ViewRef};
use ordain_passes::cel_library::PER_CALL_LIMIT;
use ordain_passes::cel_library::authz::{self, Authorizer, ResourceCheck};
use ordain_value::{Text, Value, go_quote};

use crate::environment::{
    AUTHORIZER, Age, Given, NAMESPACE, OBJECT, OLD_OBJECT, PARAMS, REQUEST, REQUEST_RESOURCE,
    VARIABLES, VariableTypes, variable_type,
};
use crate::expression::{Expression, Returns};

/// What all expressions of one evaluation of a policy may cost together.
pub(crate) const BUDGET: u64 = 10_000_000;
/// What all match conditions may cost together.
pub(crate) const MATCH_BUDGET: u64 = 2_500_000;

/// Computing a variable inside an expression takes so much more of the stack than its own nesting.
const VARIABLE_DEPTH: usize = 4;

const OUT_OF_BUDGET: &str =
    "validation failed due to running out of cost budget, no further validation rules will be run";

/// The variables that a policy declares, in order.
#[derive(Debug, Default)]
pub(crate) struct Variables {
    list: Vec<Variable>,
    /// Where a name was declared last.
    places: BTreeMap<Text, usize>,
    types: VariableTypes,
}

#[derive(Debug)]
struct Variable {
    name: Text,
    expression: Expression,
    /// How deep computing it can nest, other variables included.
    depth: usize,
}

impl Variables {
    /// Adds a variable, which sees those before it, and returns how it compiled.
    pub(crate) fn add(&mut self, name: &str, text: &str, age: Age, given: Given) -> &Expression {
        let expression =
            Expression::compile(text, Returns::Anything, age, given, Some(&self.types));
        let ty = variable_type(&expression.ty);
        let depth = expression.program.as_ref().map_or(0, |program| {
            let read = program.variables().iter().filter_map(|name| self.depth_of(name));
            program.depth() + VARIABLE_DEPTH + read.max().unwrap_or(0)
        });
        // A name that is declared again takes the place of the one before.
        Arc::make_mut(&mut self.types).insert(name.into(), ty);
        self.places.insert(name.into(), self.list.len());
        self.list.push(Variable { name: name.into(), expression, depth });
        &self.list[self.list.len() - 1].expression
    }

    /// Names and types for the expressions that follow.
    pub(crate) fn types(&self) -> &VariableTypes {
        &self.types
    }

    /// The expression of a variable.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        let at = self.places.get(name)?;
        self.list.get(*at).map(|it| it.expression.text.as_str())
    }

    /// Whether a variable reads a name.
    pub(crate) fn read(&self, name: &str) -> bool {
        self.list.iter().any(|it| it.expression.reads(name))
    }

    fn position(&self, name: &str) -> Option<usize> {
        let name = name.strip_prefix(VARIABLES)?.strip_prefix('.')?;
        self.places.get(name).copied()
    }

    fn depth_of(&self, name: &str) -> Option<usize> {
        self.position(name).map(|at| self.list[at].depth)
    }
}

/// What expressions see of a request.
pub(crate) struct Inputs<'a> {
    pub(crate) object: Option<&'a Value>,
    pub(crate) old: Option<&'a Value>,
    pub(crate) request: &'a Value,
    pub(crate) namespace: Option<&'a Value>,
    pub(crate) params: Option<&'a Value>,
    /// With what the request itself is about.
    pub(crate) authorizer: Option<(&'a Arc<dyn Authorizer>, &'a ResourceCheck)>,
}

/// The evaluation of expressions that share variables and a budget.
pub(crate) struct Evaluation<'a> {
    inputs: &'a Inputs<'a>,
    variables: &'a Variables,
    computed: Vec<OnceCell<CelResult<Val<'a>>>>,
    /// What computing variables cost since it was last asked.
    spent: Cell<u64>,
    /// The work with patterns so far.
    effort: Cell<Effort>,
    remaining: u64,
}

/// The budget is used up; nothing more is evaluated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OutOfBudget;

impl std::fmt::Display for OutOfBudget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(OUT_OF_BUDGET)
    }
}

impl<'a> Evaluation<'a> {
    pub(crate) fn new(inputs: &'a Inputs<'a>, variables: &'a Variables, budget: u64) -> Self {
        let computed = variables.list.iter().map(|_| OnceCell::new()).collect();
        Self {
            inputs,
            variables,
            computed,
            spent: Cell::new(0),
            effort: Cell::default(),
            remaining: budget,
        }
    }

    /// Runs a program, which may read the variables.
    fn outcome(&self, program: &'a Program) -> Outcome<'a> {
        let began = self.effort.get();
        let cost_limit = Some(PER_CALL_LIMIT);
        let options = EvalOptions { cost_limit, effort: began, ..EvalOptions::default() };
        let outcome =
            program.eval_lazy(|name| self.given(name), &|name| self.variable(name), options);
        // Variables that it read were evaluated meanwhile.
        self.effort.set(outcome.effort.beside(began, self.effort.get()));
        outcome
    }

    /// What is left of the budget.
    pub(crate) fn remaining(&self) -> u64 {
        self.remaining
    }

    /// The value of an expression, or in words why it has none.
    pub(crate) fn run(
        &mut self,
        expression: &'a Expression,
    ) -> Result<Result<Val<'a>, String>, OutOfBudget> {
        let program = match &expression.program {
            Ok(program) => program,
            Err(failure) => return Ok(Err(format!("compilation error: {}", failure.detail))),
        };
        let outcome = self.outcome(program);
        for cost in [self.spent.take(), outcome.cost] {
            self.remaining = self.remaining.checked_sub(cost).ok_or(OutOfBudget)?;
        }
        let failed =
            |error: Error| format!("expression '{}' resulted in error: {error}", expression.text);
        Ok(outcome.value.map_err(failed))
    }

    /// The value of what is known before anything is computed.
    fn given(&self, name: &str) -> Option<CelResult<Val<'a>>> {
        let inputs = self.inputs;
        let read = |value: Option<&'a Value>| {
            Some(value.map_or(Ok(Val::Null), |value| ViewRef::dynamic().read(value)))
        };
        match name {
            OBJECT => read(inputs.object),
            OLD_OBJECT => read(inputs.old),
            REQUEST => read(Some(inputs.request)),
            NAMESPACE => read(inputs.namespace),
            PARAMS => read(inputs.params),
            AUTHORIZER => {
                let (authorizer, _) = inputs.authorizer?;
                Some(Ok(authz::authorizer(Arc::clone(authorizer))))
            }
            REQUEST_RESOURCE => {
                let (authorizer, check) = inputs.authorizer?;
                Some(Ok(authz::resource_check(Arc::clone(authorizer), check.clone())))
            }
            // Only its keys are ever asked for: the fields are variables of their own.
            VARIABLES => {
                let names = self.variables.types.keys();
                let keys = names.map(|name| (Val::string(name.as_str()), Val::Null));
                Some(Ok(Val::map(keys.collect())))
            }
            _ => None,
        }
    }

    /// The value of a variable of the policy, computed at the first time.
    fn variable(&self, name: &str) -> Option<CelResult<Val<'a>>> {
        let at = self.variables.position(name)?;
        let cell = self.computed.get(at)?;
        if let Some(known) = cell.get() {
            return Some(known.clone());
        }
        let value = self.compute(self.variables.list.get(at)?);
        Some(cell.get_or_init(|| value).clone())
    }

    fn compute(&self, variable: &'a Variable) -> CelResult<Val<'a>> {
        let name = go_quote(&variable.name);
        let program = match &variable.expression.program {
            Ok(program) => program,
            Err(failure) => {
                let why = &failure.detail;
                return Err(Error::new(format!(
                    "composited variable {name} fails to compile: {why}"
                )));
            }
        };
        if variable.depth > DEPTH_MAX {
            return Err(Error::new(format!("composited variable {name} is nested too deeply")));
        }
        let outcome = self.outcome(program);
        self.spent.set(self.spent.get().saturating_add(outcome.cost));
        outcome.value.map_err(|error| {
            Error::new(format!("composited variable {name} fails to evaluate: {error}"))
        })
    }
}
