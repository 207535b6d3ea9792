//! One round of mutating policies over a request: what they change and what they refuse.

use std::sync::Arc;

use ordain_meta::status::{Cause, Reason, Status};
use ordain_strategy::object;
use ordain_value::{Text, Value, go_quote};

use super::mutating::MutatingPolicy;
use super::select::{Misfit, Selected};
use super::validating::Surroundings;
use super::{Binding, Params};
use crate::condition::FailurePolicy;
use crate::kinds::Kinds;
use crate::reinvocation::Reinvocation;
use crate::request::Request;

/// Policy, binding, and namespace and name of the parameters.
pub type InvocationKey = (Text, Text, Text, Text);

/// A policy that is to be evaluated with one parameter object.
#[derive(Debug)]
pub struct Invocation {
    pub selected: Arc<Selected<MutatingPolicy>>,
    param: Option<Value>,
}

impl Invocation {
    /// One for each of the parameters.
    pub fn all(selected: Selected<MutatingPolicy>, params: Params) -> impl Iterator<Item = Self> {
        let selected = Arc::new(selected);
        params.0.into_iter().map(move |param| Self { selected: Arc::clone(&selected), param })
    }

    fn key(&self) -> InvocationKey {
        let text = |field: &str| {
            let param = self.param.as_ref();
            Text::from(param.map_or("", |param| object::text(param, field)))
        };
        let Selected { policy, binding, .. } = &*self.selected;
        (policy.policy.name.clone(), binding.name.clone(), text("namespace"), text("name"))
    }
}

/// What a policy refused, and why.
#[derive(Debug, Clone)]
pub struct Refusal {
    pub policy: Arc<MutatingPolicy>,
    pub binding: Option<Arc<Binding>>,
    pub why: String,
    reason: Option<Reason>,
}

impl Refusal {
    /// The refusal in the words of the API.
    pub fn text(&self) -> String {
        let (name, why) = (&self.policy.policy.name, &self.why);
        let by = match &self.binding {
            Some(binding) => format!("'{name}' with binding '{}'", binding.name),
            None => go_quote(name),
        };
        format!("policy {by} denied request: {why}")
    }
}

/// One round of all policies.
#[derive(Debug)]
pub struct Round<'a> {
    reinvocation: &'a mut Reinvocation<InvocationKey>,
    is_first: bool,
    /// Whether a patch was applied, be it to no effect.
    pub patched: bool,
    pub refusals: Vec<Refusal>,
}

impl<'a> Round<'a> {
    pub fn new(reinvocation: &'a mut Reinvocation<InvocationKey>, is_first: bool) -> Self {
        Self { reinvocation, is_first, patched: false, refusals: Vec::new() }
    }

    /// A fault of the configuration counts unless the policy ignores failures.
    pub fn misconfigured(&mut self, misfit: Misfit<MutatingPolicy>) {
        let why = misfit.message();
        self.refuse(&misfit.policy, misfit.binding.as_ref(), why, None);
    }

    fn refuse(
        &mut self,
        policy: &Arc<MutatingPolicy>,
        binding: Option<&Arc<Binding>>,
        why: String,
        reason: Option<Reason>,
    ) {
        if policy.policy.failure == FailurePolicy::Fail {
            let (policy, binding) = (Arc::clone(policy), binding.map(Arc::clone));
            self.refusals.push(Refusal { policy, binding, why, reason });
        }
    }

    /// Evaluates one policy. `request` has its objects in the version that the policy matched.
    /// Returns the object if it was changed, in that version.
    ///
    /// # Errors
    /// When a patch makes something that is no object of the kind.
    pub fn invoke(
        &mut self,
        invocation: &Invocation,
        mut request: Request,
        around: Surroundings<'_>,
        kinds: &dyn Kinds,
    ) -> Result<Option<Value>, Box<Status>> {
        let Selected { policy, binding, .. } = &*invocation.selected;
        let key = invocation.key();
        let should_run = self.is_first || self.reinvocation.is_due(&key);
        let around = Surroundings { params: invocation.param.as_ref(), ..around };
        let mutated = policy.mutate(&mut request, around, kinds, should_run)?;
        for why in mutated.errors {
            self.refuse(policy, Some(binding), why, Some(Reason::Invalid));
        }
        if mutated.changed {
            self.reinvocation.changed();
        }
        if mutated.invoked && policy.reinvoked {
            self.reinvocation.ran(key);
        }
        self.patched |= mutated.patched;
        Ok(request.object.filter(|_| mutated.changed))
    }

    /// Ends the round and returns whether another one may be needed.
    ///
    /// # Errors
    /// All refusals in one answer: the first in its message, each as a cause.
    pub fn finish(self, request: &Request) -> Result<bool, Box<Status>> {
        if self.patched {
            // Every patch counts as a change, for the policy that made it too.
            self.reinvocation.changed();
        }
        let Some(first) = self.refusals.first() else { return Ok(self.patched) };
        let resource = request.addressed.resource.group_resource();
        let mut status = Status::forbidden(&resource, &request.shown_name(), "");
        status.message = first.text();
        status.reason = first.reason.unwrap_or(status.reason);
        if let Some(details) = &mut status.details {
            let cause = |it: &Refusal| Cause { message: it.text(), ..Cause::default() };
            details.causes.extend(self.refusals.iter().map(cause));
        }
        Err(Box::new(status))
    }
}
