//! Judging the rules of a definition before it is accepted: do they compile, what can they cost.

use std::cell::{Cell, OnceCell};
use std::sync::Arc;

use ordain_schema::admission::{Expressions, RuleSession, RulesAt};
use ordain_schema::{Schema, gojson};
use ordain_value::field::{BadValue, Error, ErrorList, Path};

use super::compile::{Compiled, Compiler, Expression};
use super::types::Types;
use crate::cel_library::Environment;

/// The most that one expression may cost, estimated.
pub const EXPRESSION_COST_MAX: u64 = 10_000_000;
/// The most that all expressions of one schema may cost, estimated.
pub const SCHEMA_COST_MAX: u64 = 100_000_000;
/// How many of the most expensive rules are named when the sum is too high.
const NAMED_MAX: usize = 4;

/// The environments of new and of stored expressions.
#[derive(Clone, Copy)]
pub(crate) struct Environments {
    pub(crate) new: &'static Environment,
    pub(crate) stored: &'static Environment,
}

/// Judges the rules of one schema.
pub(crate) struct Session<'s> {
    schema: &'s Schema,
    preexisting: &'s Expressions,
    environments: Environments,
    types: OnceCell<Arc<Types>>,
    total: u64,
    /// About how many states the constant patterns have so far.
    patterns: Cell<usize>,
    /// Places and costs of the most expensive expressions, the worst first.
    expensive: Vec<(String, u64)>,
}

impl<'s> Session<'s> {
    pub(crate) fn new(
        schema: &'s Schema,
        preexisting: &'s Expressions,
        environments: Environments,
    ) -> Self {
        Session {
            schema,
            preexisting,
            environments,
            types: OnceCell::new(),
            total: 0,
            patterns: Cell::default(),
            expensive: Vec::new(),
        }
    }

    fn compile(&self, at: &RulesAt<'_>) -> Option<Vec<Compiled>> {
        let types = self.types.get_or_init(|| Arc::new(Types::new(self.schema)));
        let environment = |expression: Expression<'_>| {
            let stored = match expression {
                Expression::Rule(text) => self.preexisting.rules.contains(text),
                Expression::Message(text) => self.preexisting.messages.contains(text),
            };
            if stored { self.environments.stored } else { self.environments.new }
        };
        let compiler = Compiler {
            schema: self.schema,
            types: Arc::clone(types),
            environment: &environment,
            with_cost: true,
            patterns: Cell::new(self.patterns.get()),
        };
        let compiled = compiler.compile(at.node, at.raw.rules());
        self.patterns.set(compiler.patterns.get());
        compiled
    }

    fn observe(&mut self, path: &Path<'_>, cost: u64) {
        self.total = self.total.saturating_add(cost);
        if cost < SCHEMA_COST_MAX / 100 {
            return;
        }
        self.expensive.push((path.to_string(), cost));
        self.expensive.sort_by_key(|(_, cost)| std::cmp::Reverse(*cost));
        self.expensive.truncate(NAMED_MAX);
    }

    fn judge(
        &mut self,
        at: &RulesAt<'_>,
        index: usize,
        compiled: &Compiled,
        errors: &mut ErrorList,
    ) {
        let Some(rule) = at.raw.rules().get(index) else { return };
        let path = at.path.child("x-kubernetes-validations");
        let path = path.index(index);
        let rule_path = path.child("rule");
        let cost =
            compiled.cost_max.saturating_mul(at.cardinality.unwrap_or(compiled.cardinality_max));
        if !at.suppress_cost && cost > EXPRESSION_COST_MAX {
            let text = too_expensive("estimated rule cost", cost, EXPRESSION_COST_MAX);
            errors.push(Error::forbidden(&rule_path, text));
        }
        self.observe(&rule_path, cost);
        let shown = || BadValue::Json(gojson::rule(rule));
        if let Some(error) = &compiled.error {
            errors.push(Error::invalid(&rule_path, shown(), error));
        }
        let message_path = path.child("messageExpression");
        if let Some(error) = &compiled.message_error {
            errors.push(Error::invalid(&message_path, shown(), error));
        } else if compiled.message.is_some() {
            let cost = compiled.message_cost_max;
            if !at.suppress_cost && cost > EXPRESSION_COST_MAX {
                let text =
                    too_expensive("estimated messageExpression cost", cost, EXPRESSION_COST_MAX);
                errors.push(Error::forbidden(&message_path, text));
            }
            self.observe(&message_path, cost);
        }
        if compiled.uses_old_self {
            if let Some(place) = at.uncorrelatable {
                let text = format!(
                    "oldSelf cannot be used on the uncorrelatable portion of the schema within {place}"
                );
                errors.push(Error::invalid(&rule_path, rule.rule.clone(), text));
            }
        } else if let Some(optional) = rule.optional_old_self {
            let text = "may not be set if oldSelf is not used in rule";
            errors.push(Error::invalid(&path.child("optionalOldSelf"), optional, text));
        }
    }
}

impl RuleSession for Session<'_> {
    fn check(&mut self, at: &RulesAt<'_>) -> ErrorList {
        let mut errors = ErrorList::new();
        let Some(compiled) = self.compile(at) else {
            let text = "internal error: failed to construct type information for x-kubernetes-validations \
                        rules: unable to convert structural schema to CEL declarations";
            errors.push(Error::internal(&at.path.child("x-kubernetes-validations"), text));
            return errors;
        };
        for (index, compiled) in compiled.iter().enumerate() {
            self.judge(at, index, compiled, &mut errors);
        }
        errors
    }

    fn finish(&mut self, path: &Path<'_>) -> ErrorList {
        let mut errors = ErrorList::new();
        if self.total <= SCHEMA_COST_MAX {
            return errors;
        }
        for (path, _) in &self.expensive {
            let text = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
            errors.push(Error::forbidden(&Path::new(path), text));
        }
        let what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
        errors.push(Error::forbidden(path, too_expensive(what, self.total, SCHEMA_COST_MAX)));
        errors
    }
}

#[expect(clippy::cast_precision_loss, reason = "the factor is shown with one digit")]
fn too_expensive(what: &str, cost: u64, max: u64) -> String {
    let factor = cost as f64 / max as f64;
    let factor = if factor > 100.0 {
        "more than 100x".to_owned()
    } else if factor < 1.5 {
        format!("{factor:.6}x")
    } else {
        format!("{factor:.1}x")
    };
    format!(
        "{what} exceeds budget by factor of {factor} (try simplifying the rule, or adding maxItems, \
         maxProperties, and maxLength where arrays, maps, and strings are declared)"
    )
}
