//! What the verdicts of validating policies lead to: refusals, warnings and audit annotations.

use std::collections::BTreeMap;
use std::sync::Arc;

use ordain_meta::status::{Cause, Reason, Status};
use ordain_value::{Text, Value, json, value};

use super::select::{Misfit, Selected};
use super::validating::{Judged, Surroundings, ValidatingPolicy};
use super::{Action, Binding, Params};
use crate::condition::FailurePolicy;
use crate::request::Request;

/// One consequence of what a policy said about a request.
#[derive(Debug, Clone)]
pub struct Consequence {
    pub policy: Arc<ValidatingPolicy>,
    /// None if the policy could not be applied under any binding.
    pub binding: Option<Arc<Binding>>,
    /// Which validation it is of, if it is of one.
    pub validation: Option<usize>,
    pub action: Action,
    pub message: String,
    /// How a refusal is classified.
    pub reason: Reason,
}

impl Consequence {
    fn by(&self) -> String {
        let policy = &self.policy.policy.name;
        match &self.binding {
            Some(binding) => format!("'{policy}' with binding '{}'", binding.name),
            None => format!("'{policy}'"),
        }
    }

    /// The consequence in the words of the API: of a refusal or of a warning.
    pub fn text(&self) -> String {
        let (by, message) = (self.by(), &self.message);
        if self.action == Action::Warn {
            format!("Validation failed for ValidatingAdmissionPolicy {by}: {message}")
        } else {
            format!("ValidatingAdmissionPolicy {by} denied request: {message}")
        }
    }

    /// The failure as the audit log shows it.
    fn audited(&self) -> Option<Value> {
        let binding = self.binding.as_ref()?;
        let actions = binding.actions.iter().map(|action| format!("{action:?}").into());
        let index = i64::try_from(self.validation.unwrap_or(0)).unwrap_or(i64::MAX);
        Some(value!([{
            "message": (self.message.as_str()),
            "policy": (binding.policy.as_str()),
            "binding": (binding.name.as_str()),
            "expressionIndex": (Value::Int(index)),
            "validationActions": (Value::from(actions.collect::<Vec<Value>>()))
        }]))
    }
}

/// What policies said so far.
#[derive(Debug, Default)]
pub struct Verdict {
    /// In the order of policies, bindings, parameters, validations and actions.
    pub consequences: Vec<Consequence>,
    /// Values of audit annotations by policy and key, each once.
    annotations: BTreeMap<(Text, Text), Vec<String>>,
}

/// The annotation under which the audit log shows failures.
const FAILURE_KEY: &str = "validation.policy.admission.k8s.io/validation_failure";

impl Verdict {
    /// A fault of the configuration counts unless the policy ignores failures.
    pub fn misconfigured(&mut self, misfit: Misfit<ValidatingPolicy>) {
        if misfit.policy.policy.failure == FailurePolicy::Ignore {
            return;
        }
        let message = misfit.message();
        self.consequences.push(Consequence {
            policy: misfit.policy,
            binding: misfit.binding,
            validation: None,
            action: Action::Deny,
            message,
            reason: Reason::Invalid,
        });
    }

    /// Evaluates a policy with each of its parameters. `request` has its objects in the version
    /// that the policy matched. Once it is not in time any more nothing is evaluated, and whoever
    /// keeps the time has to refuse the request.
    pub fn judge(
        &mut self,
        selected: &Selected<ValidatingPolicy>,
        params: &Params,
        request: &Request,
        around: Surroundings<'_>,
        in_time: &dyn Fn() -> bool,
    ) {
        for param in params.0.iter().take_while(|_| in_time()) {
            let around = Surroundings { params: param.as_ref(), ..around };
            self.add(selected, selected.policy.judge(request, around));
        }
    }

    fn add(&mut self, selected: &Selected<ValidatingPolicy>, judged: Judged) {
        let mut push = |validation, action, message, reason| {
            self.consequences.push(Consequence {
                policy: Arc::clone(&selected.policy),
                binding: Some(Arc::clone(&selected.binding)),
                validation,
                action,
                message,
                reason,
            });
        };
        for violation in &judged.violations {
            for action in &selected.binding.actions {
                push(violation.index, *action, violation.message.clone(), violation.reason);
            }
        }
        for message in judged.failures {
            push(None, Action::Deny, message, Reason::Invalid);
        }
        for (key, text) in judged.annotations {
            let key = (selected.policy.policy.name.clone(), key);
            let texts = self.annotations.entry(key).or_default();
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
    }

    fn of(&self, action: Action) -> impl Iterator<Item = &Consequence> {
        self.consequences.iter().filter(move |it| it.action == action)
    }

    /// The warnings that go with the answer.
    pub fn warnings(&self) -> impl Iterator<Item = String> {
        self.of(Action::Warn).map(Consequence::text)
    }

    /// What goes into the audit log: keys and values.
    pub fn annotations(&self) -> Vec<(String, String)> {
        let failures = self.of(Action::Audit).filter_map(Consequence::audited);
        let failures =
            failures.map(|failure| (FAILURE_KEY.to_owned(), json::encode_string(&failure)));
        let own = self.annotations.iter();
        let own = own.map(|((policy, key), texts)| (format!("{policy}/{key}"), texts.join(", ")));
        failures.chain(own).collect()
    }

    /// The first refusal as the answer to the request.
    pub fn status(&self, request: &Request) -> Option<Status> {
        let denial = self.of(Action::Deny).next()?;
        let message = denial.text();
        let resource = request.addressed.resource.group_resource();
        let mut status = Status::forbidden(&resource, &request.shown_name(), &message);
        status.reason = denial.reason;
        status.code = Some(match denial.reason {
            Reason::Forbidden => 403,
            Reason::Unauthorized => 401,
            Reason::RequestEntityTooLarge => 413,
            _ => 422,
        });
        if let Some(details) = &mut status.details {
            details.causes.push(Cause { message, ..Cause::default() });
        }
        Some(status)
    }
}
