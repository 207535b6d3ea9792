//! Mutating policies and webhooks over a request, with a second round for those that want one.

use ordain_admission::policy::{
    Invocation, Misfit, MutatingPolicy, Params, Round, Selected, Step, select,
};
use ordain_admission::state::Bound;
use ordain_admission::{Reinvocation, Request};
use ordain_merge::Managed;
use ordain_meta::status::Status;
use ordain_strategy::scale::{paths, scaled};
use ordain_value::Value;

use super::request::request;
use super::validating::{Scene, unconverted};
use super::webhooks::Invoked;
use super::{Dynamic, params};
use crate::admission::{Attributes, meanwhile};
use crate::caller;
use crate::request::Warnings;
use crate::strategy::Part;

impl Dynamic {
    /// Lets mutating policies, then mutating webhooks change the object; if they did, those that
    /// ran before a change and want to run once more.
    pub(super) async fn mutate_object(
        &self,
        attributes: &Attributes<'_>,
        mut object: Option<&mut Value>,
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
        let (mut by_policies, mut by_webhooks) = (Reinvocation::default(), Invoked::default());
        for round in 0..2 {
            if round > 0
                && again_by_others(attributes, object.as_deref_mut(), &mut request, warnings)
                    .await?
            {
                by_policies.changed();
                by_webhooks.reinvocation.changed();
            }
            let (at_start, mut again) = (request.object.clone(), false);
            if with_policies {
                let round = Round::new(&mut by_policies, round == 0);
                again |= mutate(&scene, &mut request, &policies, round).await?;
            }
            if with_webhooks {
                // What policies changed counts for webhooks that ran before them.
                if round > 0 && at_start != request.object {
                    by_webhooks.reinvocation.changed();
                }
                let is_untouched = round == 0 && before == request.object;
                let invoked = &mut by_webhooks;
                let asked =
                    self.ask_mutating(&scene, &mut request, &webhooks, invoked, round, warnings);
                let ahead = || match object.as_deref() {
                    Some(object) if is_untouched => attributes.go_ahead(object),
                    _ => {}
                };
                meanwhile(asked, ahead).await?;
                if by_webhooks.changed {
                    by_policies.changed();
                    again = true;
                }
            }
            if !again {
                break;
            }
        }
        if before != request.object {
            take_back(attributes, object, request.object, warnings)?;
        }
        Ok(())
    }
}

/// Lets the server's own plugins see what was made of the object, before anybody is asked a second
/// time. Returns whether they changed it.
async fn again_by_others(
    attributes: &Attributes<'_>,
    object: Option<&mut Value>,
    request: &mut Request,
    warnings: &mut Warnings,
) -> Result<bool, Status> {
    let (Some(object), Some(changed)) = (object, request.object.clone()) else { return Ok(false) };
    take_back(attributes, Some(&mut *object), Some(changed), warnings)?;
    let before = object.clone();
    let chain = &attributes.registry.admission;
    chain.mutate_again(super::NAME, attributes, object, warnings).await?;
    if *object == before {
        return Ok(false);
    }
    request.object = super::request::request(attributes, Some(object), &request.user)?.object;
    Ok(true)
}

/// Hands a changed object back to the write.
fn take_back(
    attributes: &Attributes<'_>,
    object: Option<&mut Value>,
    changed: Option<Value>,
    warnings: &mut Warnings,
) -> Result<(), Status> {
    let (Some(object), Some(changed)) = (object, changed) else { return Ok(()) };
    let before = object.clone();
    *object = match attributes.part {
        Part::Scale => scaled(object, &changed, paths(attributes.target)?),
        _ => attributes.target.resource.strategy.shape_mutated(&attributes.target.version, changed),
    };
    keep_owners(object, &before, warnings);
    Ok(())
}

/// Puts the record of owners back, with a warning, if what admission left of it cannot be read.
fn keep_owners(object: &mut Value, before: &Value, warnings: &mut Warnings) {
    let owners = |object: &Value| object.get_path(&["metadata", "managedFields"]).cloned();
    let changed = owners(object);
    if changed == owners(before) {
        return;
    }
    let list = changed.as_ref().and_then(Value::as_list).cloned().unwrap_or_default();
    if let Err(why) = Managed::decode(list.as_slice(), false) {
        crate::object::copy(object, before, "managedFields");
        warnings.add(format!(
            ".metadata.managedFields was in an invalid state after admission; this could be caused \
             by an outdated mutating admission controller; please fix your requests: {why}"
        ));
    }
}

async fn mutate(
    scene: &Scene<'_>,
    request: &mut Request,
    policies: &[Bound<MutatingPolicy>],
    mut round: Round<'_>,
) -> Result<bool, Status> {
    // They are chosen by the object as it is before any of them.
    let mut invocations = Vec::new();
    for step in select(policies, request, scene.selected(request), &scene.served) {
        match found(scene, request, step).await {
            Ok((selected, params)) => invocations.extend(Invocation::all(selected, params)),
            Err(misfit) => round.misconfigured(misfit),
        }
    }
    for invocation in &invocations {
        caller::check_deadline()?;
        let matched = &invocation.selected.matched;
        let converted = match scene.converted(request, matched).await {
            Ok(converted) => converted,
            Err(why) => {
                round.misconfigured(invocation.selected.misfit(unconverted(&why)));
                continue;
            }
        };
        let around = scene.around(request, matched);
        let changed = round.invoke(invocation, converted, around, &scene.served);
        if let Some(object) = changed.map_err(|status| *status)? {
            let restored = scene.restored(request, matched, Some(object)).await;
            request.object = restored.map_err(|why| Status::internal(&why))?;
        }
    }
    round.finish(request).map_err(|status| *status)
}

/// A policy with the parameters that its binding gives it.
async fn found(
    scene: &Scene<'_>,
    request: &Request,
    step: Step<MutatingPolicy>,
) -> Result<(Selected<MutatingPolicy>, Params), Misfit<MutatingPolicy>> {
    let selected = step?;
    let (policy, binding) = (&selected.policy.policy, &selected.binding);
    match params::collect(scene.registry, policy, binding, request).await {
        Ok(params) if params::are_native(scene.registry, policy) => {
            Ok((selected, params.without_type()))
        }
        Ok(params) => Ok((selected, params)),
        Err(why) => Err(selected.misfit(why)),
    }
}
