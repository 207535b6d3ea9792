//! Mutating policies and webhooks over a request, with a second round for those that want one.

use std::collections::BTreeSet;
use std::sync::Arc;

use ordain_admission::policy::{Binding, MutatingPolicy, Params, Policy, Surroundings};
use ordain_admission::state::Bound;
use ordain_admission::{Addressed, FailurePolicy, Request};
use ordain_merge::Managed;
use ordain_meta::status::{Cause, Reason, Status};
use ordain_strategy::scale::{paths, scaled};
use ordain_value::{Text, Value};

use super::request::{request, shown_name};
use super::validating::Scene;
use super::{Dynamic, params};
use crate::admission::Attributes;
use crate::caller;
use crate::request::Warnings;
use crate::strategy::Part;

/// Which mutations run again because others changed the object after them.
#[derive(Debug, Default)]
pub(super) struct Reinvocation<K> {
    /// Those that want to, so far.
    candidates: BTreeSet<K>,
    /// Those that have to.
    due: BTreeSet<K>,
}

impl<K: Ord + Clone> Reinvocation<K> {
    /// The object changed: everyone who ran before and wants to has to run again.
    pub(super) fn changed(&mut self) {
        self.due.append(&mut self.candidates);
    }

    pub(super) fn ran(&mut self, key: K) {
        self.candidates.insert(key);
    }

    pub(super) fn is_due(&self, key: &K) -> bool {
        self.due.contains(key)
    }
}

/// Policy, binding, and namespace and name of the parameters.
type Key = (Text, Text, Text, Text);

/// One evaluation of a policy.
struct Invocation {
    policy: Arc<MutatingPolicy>,
    binding: Arc<Binding>,
    matched: Addressed,
    param: Option<Value>,
}

impl Invocation {
    fn key(&self) -> Key {
        let text = |field: &str| {
            let param = self.param.as_ref();
            Text::from(param.map_or("", |param| crate::object::text(param, field)))
        };
        let policy = self.policy.policy.name.clone();
        (policy, self.binding.name.clone(), text("namespace"), text("name"))
    }
}

/// What a policy refused, and why.
struct Refusal {
    message: String,
    reason: Option<Reason>,
}

impl Refusal {
    fn new(policy: &Policy, binding: Option<&Binding>, why: &str, reason: Option<Reason>) -> Self {
        let by = match binding {
            Some(binding) => format!("'{}' with binding '{}'", policy.name, binding.name),
            None => ordain_value::go_quote(&policy.name),
        };
        Self { message: format!("policy {by} denied request: {why}"), reason }
    }
}

impl Dynamic {
    /// Lets mutating policies, then mutating webhooks change the object; if they did, those that
    /// ran before a change and want to run once more.
    pub(super) async fn mutate_object(
        &self,
        attributes: &Attributes<'_>,
        object: Option<&mut Value>,
        warnings: &mut Warnings,
    ) -> Result<(), Status> {
        let plural = &attributes.target.resource.plural;
        let (policies, webhooks) = {
            let state = self.state();
            (state.mutating(plural), state.mutating_webhooks(plural))
        };
        let Some(user) = caller::current() else { return Ok(()) };
        if policies.is_empty() && webhooks.is_empty() {
            return Ok(());
        }
        let mut request = request(attributes, object.as_deref(), &user)?;
        let scene = Scene::new(self, attributes.registry, &request, &user).await?;
        let with_policies = !policies.is_empty() && !request.is_exempt_from_policies();
        let with_webhooks = !webhooks.is_empty() && !request.is_exempt_from_webhooks();
        let before = request.object.clone();
        let (mut by_policies, mut by_webhooks) = (Reinvocation::default(), Reinvocation::default());
        for round in 0..2 {
            let (at_start, mut again) = (request.object.clone(), false);
            if with_policies {
                let patched = mutate(&scene, &mut request, &policies, &mut by_policies, round);
                again |= patched.await?;
            }
            if with_webhooks {
                // What policies changed counts for webhooks that ran before them.
                if round > 0 && at_start != request.object {
                    by_webhooks.changed();
                }
                let between = request.object.clone();
                let asked =
                    self.ask_mutating(&scene, &mut request, &webhooks, &mut by_webhooks, round);
                for warning in asked.await? {
                    warnings.add(warning.as_str());
                }
                if between != request.object {
                    by_policies.changed();
                    again = true;
                }
            }
            if !again {
                break;
            }
        }
        if before != request.object {
            take_back(attributes, object, request.object)?;
        }
        Ok(())
    }
}

/// Hands a changed object back to the write.
fn take_back(
    attributes: &Attributes<'_>,
    object: Option<&mut Value>,
    changed: Option<Value>,
) -> Result<(), Status> {
    let (Some(object), Some(changed)) = (object, changed) else { return Ok(()) };
    let before = object.clone();
    *object = match attributes.part {
        Part::Scale => scaled(object, &changed, paths(attributes.target)?),
        _ => attributes.target.resource.strategy.shape_mutated(&attributes.target.version, changed),
    };
    keep_owners(object, before);
    Ok(())
}

/// Puts the record of owners back if what admission left of it cannot be read.
fn keep_owners(object: &mut Value, before: Value) {
    let owners = |object: &Value| object.get_path(&["metadata", "managedFields"]).cloned();
    let changed = owners(object);
    if changed == owners(&before) {
        return;
    }
    let list = changed.as_ref().and_then(Value::as_list).cloned().unwrap_or_default();
    if Managed::decode(list.as_slice(), false).is_err() {
        crate::object::copy(object, &before, "managedFields");
    }
}

async fn mutate(
    scene: &Scene<'_>,
    request: &mut Request,
    policies: &[Bound<MutatingPolicy>],
    reinvocation: &mut Reinvocation<Key>,
    round: usize,
) -> Result<bool, Status> {
    let mut refusals = Vec::new();
    let mut invocations = Vec::new();
    for bound in policies {
        select(scene, request, bound, &mut invocations, &mut refusals).await;
    }
    let mut patched = false;
    for invocation in &invocations {
        patched |= invoke(scene, request, invocation, reinvocation, round, &mut refusals).await?;
    }
    if patched {
        // Every patch counts as a change, for the policy that made it too.
        reinvocation.changed();
    }
    refused(request, &refusals).map_or(Ok(patched), Err)
}

/// The invocations of one policy. They are chosen by the object as it is before any of them.
async fn select(
    scene: &Scene<'_>,
    request: &Request,
    bound: &Bound<MutatingPolicy>,
    invocations: &mut Vec<Invocation>,
    refusals: &mut Vec<Refusal>,
) {
    let policy = &bound.policy.policy;
    let namespace = scene.selected(request);
    let mut refuse = |binding: Option<&Binding>, why: &str| {
        if policy.failure == FailurePolicy::Fail {
            let what = if binding.is_some() { "binding" } else { "policy" };
            let why = format!("failed to configure {what}: {why}");
            refusals.push(Refusal::new(policy, binding, &why, None));
        }
    };
    let matched = match policy.constraints.matches(request, namespace, &scene.served) {
        Ok(Some(matched)) => matched,
        Ok(None) => return,
        Err(why) => return refuse(None, &why),
    };
    let place = match params::place(scene.registry, policy) {
        Ok(place) => place,
        Err(why) => return refuse(None, &why),
    };
    for binding in &bound.bindings {
        let constraints = binding.constraints.as_ref();
        match constraints.map(|it| it.matches(request, namespace, &scene.served)) {
            None | Some(Ok(Some(_))) => {}
            Some(Ok(None)) => continue,
            Some(Err(why)) => {
                refuse(Some(binding), &why);
                continue;
            }
        }
        let found = params::collect(scene.registry, place.as_ref(), binding, request).await;
        let found: Params = match found {
            Ok(found) if place.as_ref().is_some_and(|it| it.is_native) => params::untyped(found),
            Ok(found) => found,
            Err(why) => {
                refuse(Some(binding), &why);
                continue;
            }
        };
        invocations.extend(found.0.into_iter().map(|param| Invocation {
            policy: Arc::clone(&bound.policy),
            binding: Arc::clone(binding),
            matched: matched.clone(),
            param,
        }));
    }
}

async fn invoke(
    scene: &Scene<'_>,
    request: &mut Request,
    invocation: &Invocation,
    reinvocation: &mut Reinvocation<Key>,
    round: usize,
    refusals: &mut Vec<Refusal>,
) -> Result<bool, Status> {
    let policy = &invocation.policy;
    let unconverted = |why: String| {
        let why = format!("failed to convert object version: {why}");
        Refusal::new(&policy.policy, Some(&invocation.binding), &why, Some(Reason::Invalid))
    };
    let mut converted = match scene.converted(request, &invocation.matched).await {
        Ok(converted) => converted,
        Err(why) => {
            if policy.policy.failure == FailurePolicy::Fail {
                refusals.push(unconverted(why));
            }
            return Ok(false);
        }
    };
    let around = Surroundings {
        matched: &invocation.matched,
        params: invocation.param.as_ref(),
        namespace: scene.seen(request),
        authorizer: &scene.authorizer,
    };
    let key = invocation.key();
    let should_run = round == 0 || reinvocation.is_due(&key);
    let mutated = policy
        .mutate(&mut converted, around, &scene.served, should_run)
        .map_err(|status| *status)?;
    if policy.policy.failure == FailurePolicy::Fail {
        let refuse = |why: &String| {
            Refusal::new(&policy.policy, Some(&invocation.binding), why, Some(Reason::Invalid))
        };
        refusals.extend(mutated.errors.iter().map(refuse));
    }
    if mutated.changed {
        reinvocation.changed();
        let restored = scene.restored(request, &invocation.matched, converted.object).await;
        request.object = restored.map_err(|why| Status::internal(&why))?;
    }
    if mutated.invoked && policy.reinvoked {
        reinvocation.ran(key);
    }
    Ok(mutated.patched)
}

/// All refusals in one answer: the first in its message, each as a cause.
fn refused(request: &Request, refusals: &[Refusal]) -> Option<Status> {
    let first = refusals.first()?;
    let resource = request.addressed.resource.group_resource();
    let mut status = Status::forbidden(&resource, &shown_name(request), "");
    status.message.clone_from(&first.message);
    status.reason = first.reason.unwrap_or(status.reason);
    if let Some(details) = &mut status.details {
        let cause = |it: &Refusal| Cause { message: it.message.clone(), ..Cause::default() };
        details.causes.extend(refusals.iter().map(cause));
    }
    Some(status)
}
