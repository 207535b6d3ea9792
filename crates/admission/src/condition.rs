//! Match conditions: expressions that decide whether a policy or webhook is about a request.

use ordain_cel::value::Val;
use ordain_meta::status::aggregate_texts;
use ordain_value::Value;

use crate::environment::{Age, Given};
use crate::evaluate::{Evaluation, Inputs, MATCH_BUDGET, Variables};
use crate::expression::{Expression, Returns};
use crate::matching::items;

/// What becomes of a request when a policy or webhook fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FailurePolicy {
    #[default]
    Fail,
    Ignore,
}

impl FailurePolicy {
    /// Reads the field of that name.
    pub fn read(value: &Value) -> Self {
        match value.get("failurePolicy").and_then(Value::as_str) {
            Some("Ignore") => Self::Ignore,
            _ => Self::Fail,
        }
    }
}

/// The conditions of one policy or webhook, compiled.
#[derive(Debug, Default)]
pub(crate) struct Conditions {
    list: Vec<Expression>,
}

impl Conditions {
    /// Compiles `matchConditions`. Those of policies may read their variables.
    pub(crate) fn compile(spec: &Value, given: Given, variables: Option<&Variables>) -> Self {
        let types = variables.map(Variables::types);
        let compile = |condition: &Value| {
            let text = condition.get("expression").and_then(Value::as_str).unwrap_or("");
            Expression::compile(text, Returns::Bool, Age::Stored, given, types)
        };
        Self { list: items(spec, "matchConditions").map(compile).collect() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether a request is meant: one false condition is enough for no, whatever fails.
    ///
    /// # Errors
    /// When a condition fails that the answer depends on, and failures count.
    pub(crate) fn matches<'a>(
        &'a self,
        inputs: &'a Inputs<'a>,
        variables: &'a Variables,
        failure: FailurePolicy,
    ) -> Result<bool, String> {
        let mut errors: Vec<String> = Vec::new();
        let mut evaluation = Evaluation::new(inputs, variables, MATCH_BUDGET);
        for condition in &self.list {
            match evaluation.run(condition) {
                Ok(Ok(Val::Bool(false))) => return Ok(false),
                Ok(Ok(_)) => {}
                Ok(Err(why)) => errors.push(why),
                Err(out) => {
                    errors = vec![out.to_string()];
                    break;
                }
            }
        }
        match (errors.is_empty(), failure) {
            (true, _) => Ok(true),
            (false, FailurePolicy::Ignore) => Ok(false),
            (false, FailurePolicy::Fail) => Err(aggregate_texts(&errors)),
        }
    }
}
