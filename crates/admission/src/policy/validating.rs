//! Validating policies: what a policy says about one request with one parameter object.

use std::sync::Arc;

use ordain_cel::value::Val;
use ordain_meta::status::Reason;
use ordain_passes::cel_library::PER_CALL_LIMIT;
use ordain_passes::cel_library::authz::{Authorizer, ResourceCheck};
use ordain_value::{Text, Value};

use super::Policy;
use crate::condition::FailurePolicy;
use crate::environment::{Age, Given, NAMESPACE};
use crate::evaluate::{BUDGET, Evaluation, Inputs};
use crate::expression::{Expression, Returns};
use crate::matching::items;
use crate::reads;
use crate::request::{Addressed, Request};

/// Longer messages of a `messageExpression` are not used.
const MESSAGE_BYTES_MAX: usize = 5 * 1024;
/// Longer values of audit annotations are cut.
const ANNOTATION_BYTES_MAX: usize = 10 * 1024;

/// A policy that refuses.
#[derive(Debug)]
pub struct ValidatingPolicy {
    pub policy: Policy,
    validations: Vec<Validation>,
    annotations: Vec<(Text, Expression)>,
}

#[derive(Debug)]
struct Validation {
    expression: Expression,
    message: Text,
    message_expression: Option<Expression>,
    reason: Option<Text>,
}

/// A validation of a policy that a request fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Which validation it is; none if the policy failed as a whole.
    pub index: Option<usize>,
    pub message: String,
    /// How the refusal is classified.
    pub reason: Reason,
}

/// What a policy says about a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Judged {
    /// What follows from these is for the binding to say.
    pub violations: Vec<Violation>,
    /// Failures that refuse the request whatever the binding says.
    pub failures: Vec<String>,
    /// For the audit log: keys and values.
    pub annotations: Vec<(Text, String)>,
}

impl Judged {
    fn failed(policy: &Policy, message: String) -> Self {
        if policy.failure == FailurePolicy::Ignore {
            return Self::default();
        }
        let violation = Violation { index: None, message, reason: Reason::Invalid };
        Self { violations: vec![violation], ..Self::default() }
    }
}

/// One parameter object, the namespace, and who may do what.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    pub matched: &'a Addressed,
    pub params: Option<&'a Value>,
    pub namespace: Option<&'a Value>,
    pub authorizer: &'a Arc<dyn Authorizer>,
}

/// What `authorizer.requestResource` asks about.
pub(crate) fn requested(request: &Request) -> ResourceCheck {
    let resource = &request.addressed.resource;
    ResourceCheck {
        group: resource.group.clone(),
        resource: resource.resource.clone(),
        subresource: request.subresource.clone(),
        namespace: request.namespace.clone(),
        name: request.name.clone(),
        ..ResourceCheck::default()
    }
}

impl ValidatingPolicy {
    /// Compiles a policy as it is stored.
    pub fn compile(object: &Value) -> Self {
        let (policy, given) = Policy::compile(object);
        let null = Value::Null;
        let spec = object.get("spec").unwrap_or(&null);
        let types = policy.variables.types();
        let compile = |text: &str, returns: Returns, given: Given| {
            Expression::compile(text, returns, Age::Stored, given, Some(types))
        };
        let validation = |value: &Value| {
            let text = |field: &str| value.get(field).and_then(Value::as_str).unwrap_or("");
            let message = text("messageExpression");
            let unauthorized = Given { authorizer: false, ..given };
            Validation {
                expression: compile(text("expression"), Returns::Bool, given),
                message: text("message").into(),
                message_expression: (!message.is_empty())
                    .then(|| compile(message, Returns::Text, unauthorized)),
                reason: value.get("reason").and_then(Value::as_text).cloned(),
            }
        };
        let annotation = |value: &Value| {
            let text = |field: &str| value.get(field).and_then(Value::as_str).unwrap_or("");
            let expression = compile(text("valueExpression"), Returns::TextOrNull, given);
            (text("key").into(), expression)
        };
        let validations = items(spec, "validations").map(validation).collect();
        let annotations = items(spec, "auditAnnotations").map(annotation).collect();
        Self { policy, validations, annotations }
    }

    /// The text of a validation.
    pub fn expression(&self, index: usize) -> Option<&str> {
        self.validations.get(index).map(|it| it.expression.text.as_str())
    }

    /// The fields of the object that a validation reads, as paths.
    pub fn fields_read(&self, index: usize) -> Vec<String> {
        let text = self.expression(index).unwrap_or_default();
        reads::fields(text, &self.policy.variables)
    }

    /// Whether what the policy says depends on the namespace of a request.
    pub fn reads_namespace(&self) -> bool {
        let of = |it: &Validation| {
            let message = it.message_expression.as_ref();
            it.expression.reads(NAMESPACE) || message.is_some_and(|it| it.reads(NAMESPACE))
        };
        self.policy.variables.read(NAMESPACE)
            || self.validations.iter().any(of)
            || self.annotations.iter().any(|(_, it)| it.reads(NAMESPACE))
    }

    /// What the policy says about a request. `request` has its objects in the matched version.
    pub fn judge(&self, request: &Request, around: Surroundings<'_>) -> Judged {
        let policy = &self.policy;
        let check = requested(request);
        let described = Value::Map(request.describe(around.matched, ""));
        // Conditions see the resource as it was asked for, and no namespace.
        let literal = Addressed {
            resource: request.addressed.resource.clone(),
            kind: around.matched.kind.clone(),
        };
        let literal = Value::Map(request.describe(&literal, ""));
        let shown = around.namespace.map(shown_namespace);
        let inputs = Inputs {
            object: request.object.as_ref(),
            old: request.old.as_ref(),
            request: &described,
            namespace: shown.as_ref(),
            params: around.params,
            authorizer: Some((around.authorizer, &check)),
        };
        let conditional = Inputs { request: &literal, namespace: None, ..inputs };
        match policy.conditions.matches(&conditional, &policy.variables, policy.failure) {
            Ok(true) => {}
            Ok(false) => return Judged::default(),
            Err(why) => return Judged::failed(policy, why),
        }
        let mut judged = match self.validate(&inputs) {
            Ok(violations) => Judged { violations, ..Judged::default() },
            Err(why) => return Judged::failed(policy, why),
        };
        let unauthorized = Inputs { authorizer: None, namespace: around.namespace, ..inputs };
        if let Err(why) = self.annotate(&unauthorized, &mut judged) {
            return Judged::failed(policy, why);
        }
        judged
    }

    fn validate<'a>(&'a self, inputs: &'a Inputs<'a>) -> Result<Vec<Violation>, String> {
        let policy = &self.policy;
        let mut evaluation = Evaluation::new(inputs, &policy.variables, BUDGET);
        let mut verdicts = Vec::with_capacity(self.validations.len());
        for validation in &self.validations {
            let verdict = evaluation.run(&validation.expression).map_err(|out| out.to_string())?;
            verdicts.push(verdict.map(|value| matches!(value, Val::Bool(true))));
        }
        if verdicts.iter().all(|verdict| *verdict == Ok(true)) {
            return Ok(self.spend_on_messages(inputs, evaluation.remaining()));
        }
        let (messages, out_of_budget) = self.messages(inputs, evaluation.remaining());
        let mut violations = Vec::new();
        for (index, (validation, verdict)) in self.validations.iter().zip(verdicts).enumerate() {
            let failed = |message: String| {
                (policy.failure == FailurePolicy::Fail).then_some(Violation {
                    index: Some(index),
                    message,
                    reason: Reason::Invalid,
                })
            };
            let violation = match (verdict, &out_of_budget) {
                (Err(why), _) => failed(why),
                (Ok(_), Some(why)) => failed(format!("failed messageExpression: {why}")),
                (Ok(true), None) => None,
                (Ok(false), None) => {
                    let own = messages.get(index).cloned().flatten();
                    Some(validation.violation(index, own))
                }
            };
            violations.extend(violation);
        }
        Ok(violations)
    }

    /// Message expressions are evaluated for accepted requests as well, so their cost counts:
    /// running out of budget there is a failure of every validation.
    fn spend_on_messages<'a>(&'a self, inputs: &'a Inputs<'a>, remaining: u64) -> Vec<Violation> {
        // Nothing is evaluated that cannot use up what is left.
        let expressions = self.validations.iter().filter(|it| it.message_expression.is_some());
        let programs = expressions.count() + self.policy.variables.types().len();
        if remaining > PER_CALL_LIMIT.saturating_mul(2 * programs as u64) {
            return Vec::new();
        }
        let (_, Some(why)) = self.messages(inputs, remaining) else { return Vec::new() };
        if self.policy.failure == FailurePolicy::Ignore {
            return Vec::new();
        }
        let message = format!("failed messageExpression: {why}");
        let violation = |index| Violation {
            index: Some(index),
            message: message.clone(),
            reason: Reason::Invalid,
        };
        (0..self.validations.len()).map(violation).collect()
    }

    /// The messages that expressions give, and whether the budget ran out over them.
    fn messages<'a>(
        &'a self,
        inputs: &'a Inputs<'a>,
        budget: u64,
    ) -> (Vec<Option<String>>, Option<String>) {
        let unauthorized = Inputs { authorizer: None, ..*inputs };
        let mut evaluation = Evaluation::new(&unauthorized, &self.policy.variables, budget);
        let mut messages = Vec::with_capacity(self.validations.len());
        for validation in &self.validations {
            let Some(expression) = &validation.message_expression else {
                messages.push(None);
                continue;
            };
            match evaluation.run(expression) {
                Ok(value) => messages.push(value.ok().and_then(|value| usable(&value))),
                Err(out) => return (Vec::new(), Some(out.to_string())),
            }
        }
        (messages, None)
    }

    fn annotate<'a>(&'a self, inputs: &'a Inputs<'a>, judged: &mut Judged) -> Result<(), String> {
        let ignore = self.policy.failure == FailurePolicy::Ignore;
        let mut evaluation = Evaluation::new(inputs, &self.policy.variables, BUDGET);
        for (key, expression) in &self.annotations {
            match evaluation.run(expression).map_err(|out| out.to_string())? {
                Ok(Val::Str(text)) => {
                    let text = text.as_str().trim();
                    if !text.is_empty() {
                        judged.annotations.push((key.clone(), cut(text, ANNOTATION_BYTES_MAX)));
                    }
                }
                Ok(Val::Null) => {}
                Ok(other) => judged.failures.push(format!(
                    "valueExpression '{}' resulted in unsupported return type: {}. Return type \
                     must be either string or null.",
                    expression.text,
                    other.type_name()
                )),
                Err(_) if ignore => {}
                Err(why) => judged.failures.push(why),
            }
        }
        Ok(())
    }
}

impl Validation {
    fn violation(&self, index: usize, own: Option<String>) -> Violation {
        let given = self.message.trim();
        let message = own.unwrap_or_else(|| {
            if given.is_empty() {
                format!("failed expression: {}", self.expression.text.trim())
            } else {
                given.to_owned()
            }
        });
        let reason = match self.reason.as_deref() {
            Some("Forbidden") => Reason::Forbidden,
            Some("Unauthorized") => Reason::Unauthorized,
            Some("RequestEntityTooLarge") => Reason::RequestEntityTooLarge,
            _ => Reason::Invalid,
        };
        Violation { index: Some(index), message, reason }
    }
}

/// A message that can be shown: one line that is not empty and not too long.
fn usable(value: &Val<'_>) -> Option<String> {
    let text = value.as_str()?.trim();
    let usable = !text.is_empty() && text.len() <= MESSAGE_BYTES_MAX && !text.contains('\n');
    usable.then(|| text.to_owned())
}

fn cut(text: &str, bytes_max: usize) -> String {
    let end = (0..=bytes_max.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    text.get(..end.unwrap_or(0)).unwrap_or_default().to_owned()
}

/// The parts of a namespace that expressions may see.
pub(crate) fn shown_namespace(namespace: &Value) -> Value {
    const HIDDEN: [&str; 3] = ["managedFields", "ownerReferences", "selfLink"];
    let mut shown = namespace.clone();
    if let Some(metadata) = shown.get_mut("metadata").and_then(Value::as_map_mut) {
        metadata.retain(|key, _| !HIDDEN.contains(&key.as_str()));
    }
    if let Some(map) = shown.as_map_mut() {
        map.retain(|key, _| matches!(key.as_str(), "metadata" | "spec" | "status"));
    }
    shown
}
