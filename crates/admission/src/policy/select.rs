//! Which evaluations a request leads to: policies that match it, under bindings that do.
//!
//! Matching needs no store. Parameters do, so they are looked up between this and evaluation, by a
//! server in its store and by a validator of files among them.

use std::sync::Arc;

use super::Binding;
use crate::kinds::Kinds;
use crate::matching::Namespace;
use crate::request::{Addressed, Request};
use crate::state::{Bound, Compiled};

/// A policy that is to be evaluated under one of its bindings.
#[derive(Debug)]
pub struct Selected<P> {
    pub policy: Arc<P>,
    pub binding: Arc<Binding>,
    /// As what the policy matches the request.
    pub matched: Addressed,
}

/// A policy or binding that cannot be applied to a request, and why.
#[derive(Debug)]
pub struct Misfit<P> {
    pub policy: Arc<P>,
    /// None if it is the policy that does not fit.
    pub binding: Option<Arc<Binding>>,
    pub why: String,
}

impl<P> Selected<P> {
    /// The evaluation cannot take place: its parameters are not there, or the object is not in the
    /// version that the policy sees.
    pub fn misfit(&self, why: String) -> Misfit<P> {
        let (policy, binding) = (Arc::clone(&self.policy), Arc::clone(&self.binding));
        Misfit { policy, binding: Some(binding), why }
    }
}

impl<P> Misfit<P> {
    /// What refusals say.
    pub(crate) fn message(&self) -> String {
        let what = if self.binding.is_some() { "binding" } else { "policy" };
        format!("failed to configure {what}: {}", self.why)
    }
}

/// What becomes of one policy under one binding.
pub type Step<P> = Result<Selected<P>, Misfit<P>>;

/// The evaluations that a request leads to, in the order of policies and bindings.
pub fn select<P: Compiled>(
    policies: &[Bound<P>],
    request: &Request,
    namespace: Namespace<'_>,
    kinds: &dyn Kinds,
) -> Vec<Step<P>> {
    let mut steps = Vec::new();
    for bound in policies {
        select_bindings(bound, request, namespace, kinds, &mut steps);
    }
    steps
}

fn select_bindings<P: Compiled>(
    bound: &Bound<P>,
    request: &Request,
    namespace: Namespace<'_>,
    kinds: &dyn Kinds,
    steps: &mut Vec<Step<P>>,
) {
    let policy = bound.policy.policy();
    let misfit = |binding: Option<&Arc<Binding>>, why: String| {
        let policy = Arc::clone(&bound.policy);
        Err(Misfit { policy, binding: binding.map(Arc::clone), why })
    };
    let matched = match policy.constraints.matches(request, namespace, kinds) {
        Ok(Some(matched)) => matched,
        Ok(None) => return,
        Err(why) => return steps.push(misfit(None, why)),
    };
    if let Some(kind) = policy.param_kind.as_ref().filter(|kind| !kinds.is_served(&kind.gvk())) {
        return steps.push(misfit(None, kind.not_found()));
    }
    for binding in &bound.bindings {
        let constraints = binding.constraints.as_ref();
        match constraints.map(|it| it.matches(request, namespace, kinds)) {
            Some(Ok(None)) => {}
            Some(Err(why)) => steps.push(misfit(Some(binding), why)),
            None | Some(Ok(Some(_))) => steps.push(Ok(Selected {
                policy: Arc::clone(&bound.policy),
                binding: Arc::clone(binding),
                matched: matched.clone(),
            })),
        }
    }
}
