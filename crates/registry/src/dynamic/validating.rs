//! Validating policies over a request, and what their verdicts lead to.

use std::collections::BTreeMap;
use std::sync::Arc;

use ordain_admission::policy::{
    Action, Binding, Judged, Policy, Surroundings, ValidatingPolicy, Violation,
};
use ordain_admission::state::Bound;
use ordain_admission::{Addressed, FailurePolicy, Namespace, Request};
use ordain_meta::status::{Cause, Reason, Status};
use ordain_passes::cel_library::authz::Authorizer;
use ordain_value::{Text, Value, value};

use super::authorizer::Rights;
use super::kinds::Served;
use super::request::{request, shown_name};
use super::{Dynamic, params};
use crate::admission::Attributes;
use crate::caller::{self, User};
use crate::registry::Registry;
use crate::request::Warnings;

/// What is looked up once for all that judge a request.
pub(super) struct Scene<'a> {
    pub(super) registry: &'a Registry,
    pub(super) served: Served,
    /// The namespace of the request, as an object.
    pub(super) namespace: Option<Value>,
    pub(super) authorizer: Arc<dyn Authorizer>,
}

impl<'a> Scene<'a> {
    pub(super) async fn new(
        dynamic: &Dynamic,
        registry: &'a Registry,
        request: &Request,
        user: &User,
    ) -> Result<Self, Status> {
        let catalog = registry.catalog();
        let namespace = match (catalog.get("", "namespaces"), request.namespace_seen()) {
            (Some(config), Some(name)) => {
                let read = registry.read(config, &config.key("", name)).await?;
                read.map(|stored| stored.object)
            }
            _ => request.old.clone().filter(|_| request.is_namespace()),
        };
        let rights = Rights { rbac: dynamic.rbac.clone(), user: user.clone() };
        Ok(Self { registry, served: Served(catalog), namespace, authorizer: Arc::new(rights) })
    }

    /// The namespace for selectors.
    pub(super) fn selected(&self, request: &Request) -> Namespace<'_> {
        match &self.namespace {
            Some(namespace) => Namespace::Found(namespace),
            None if request.namespace.is_empty() => Namespace::Absent,
            None => Namespace::Missing,
        }
    }

    /// The namespace for expressions: a request about a namespace has none.
    pub(super) fn seen(&self, request: &Request) -> Option<&Value> {
        self.namespace.as_ref().filter(|_| !request.is_namespace())
    }

    /// The request with its objects in the version of a match.
    ///
    /// # Errors
    /// When an object cannot be converted, in words.
    pub(super) async fn converted(
        &self,
        request: &Request,
        matched: &Addressed,
    ) -> Result<Request, String> {
        let mut converted = request.clone();
        if matched.kind == request.addressed.kind {
            return Ok(converted);
        }
        converted.object = self.in_version(converted.object, matched).await?;
        converted.old = self.in_version(converted.old, matched).await?;
        Ok(converted)
    }

    /// A changed object back in the version of the request.
    ///
    /// # Errors
    /// When it cannot be converted, in words.
    pub(super) async fn restored(
        &self,
        request: &Request,
        matched: &Addressed,
        object: Option<Value>,
    ) -> Result<Option<Value>, String> {
        if matched.kind == request.addressed.kind {
            return Ok(object);
        }
        self.in_version(object, &request.addressed).await
    }

    async fn in_version(
        &self,
        object: Option<Value>,
        addressed: &Addressed,
    ) -> Result<Option<Value>, String> {
        let resource = &addressed.resource;
        let config = self.served.0.get(&resource.group, &resource.resource);
        match (object, config) {
            (Some(object), Some(config)) => {
                let version = &resource.version;
                self.registry.convert_unshaped(config, &object, version).await.map(Some)
            }
            (object, _) => Ok(object),
        }
    }
}

/// A refusal and who refused.
struct Denial {
    policy: Text,
    binding: Option<Text>,
    message: String,
    reason: Reason,
}

/// What policies said so far.
#[derive(Default)]
struct Verdict {
    denials: Vec<Denial>,
    warnings: Vec<String>,
    annotations: Vec<(String, String)>,
}

impl Verdict {
    /// A fault of the configuration counts unless the policy ignores failures.
    fn misconfigured(&mut self, policy: &Policy, binding: Option<&Binding>, why: &str) {
        if policy.failure == FailurePolicy::Ignore {
            return;
        }
        let what = if binding.is_some() { "binding" } else { "policy" };
        self.denials.push(Denial {
            policy: policy.name.clone(),
            binding: binding.map(|binding| binding.name.clone()),
            message: format!("failed to configure {what}: {why}"),
            reason: Reason::Invalid,
        });
    }

    fn add(&mut self, policy: &Policy, binding: &Binding, judged: Judged) {
        for violation in &judged.violations {
            for action in &binding.actions {
                self.act(*action, policy, binding, violation);
            }
        }
        for message in judged.failures {
            self.denials.push(Denial {
                policy: policy.name.clone(),
                binding: Some(binding.name.clone()),
                message,
                reason: Reason::Invalid,
            });
        }
    }

    fn act(&mut self, action: Action, policy: &Policy, binding: &Binding, violation: &Violation) {
        let Violation { index, message, reason } = violation;
        match action {
            Action::Deny => self.denials.push(Denial {
                policy: policy.name.clone(),
                binding: Some(binding.name.clone()),
                message: message.clone(),
                reason: *reason,
            }),
            Action::Warn => self.warnings.push(format!(
                "Validation failed for ValidatingAdmissionPolicy '{}' with binding '{}': {message}",
                policy.name, binding.name
            )),
            Action::Audit => {
                let actions = binding.actions.iter().map(|action| format!("{action:?}").into());
                let failure = value!([{
                    "message": (message.as_str()),
                    "policy": (binding.policy.as_str()),
                    "binding": (binding.name.as_str()),
                    "expressionIndex": (Value::Int(i64::try_from(*index).unwrap_or(i64::MAX))),
                    "validationActions": (Value::from(actions.collect::<Vec<Value>>()))
                }]);
                let key = "validation.policy.admission.k8s.io/validation_failure".to_owned();
                self.annotations.push((key, ordain_value::json::encode_string(&failure)));
            }
        }
    }

    /// The first refusal as the answer to the request.
    fn status(&self, request: &Request) -> Option<Status> {
        let denial = self.denials.first()?;
        let by = match &denial.binding {
            Some(binding) => format!("'{}' with binding '{binding}'", denial.policy),
            None => format!("'{}'", denial.policy),
        };
        let message = format!("ValidatingAdmissionPolicy {by} denied request: {}", denial.message);
        let resource = request.addressed.resource.group_resource();
        let mut status = Status::forbidden(&resource, &shown_name(request), &message);
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

impl Dynamic {
    /// Asks validating policies, then validating webhooks.
    pub(super) async fn validate_object(
        &self,
        attributes: &Attributes<'_>,
        object: Option<&Value>,
        warnings: &mut Warnings,
    ) -> Result<(), Status> {
        let plural = &attributes.target.resource.plural;
        let (policies, webhooks) = {
            let state = self.state();
            (state.validating(plural), state.validating_webhooks(plural))
        };
        let Some(user) = caller::current() else { return Ok(()) };
        if policies.is_empty() && webhooks.is_empty() {
            return Ok(());
        }
        let request = request(attributes, object, &user)?;
        let scene = Scene::new(self, attributes.registry, &request, &user).await?;
        if !policies.is_empty() && !request.is_exempt_from_policies() {
            judge(&scene, &request, &policies, warnings).await?;
        }
        if !webhooks.is_empty() && !request.is_exempt_from_webhooks() {
            self.ask_validating(&scene, &request, &webhooks, warnings).await?;
        }
        Ok(())
    }
}

async fn judge(
    scene: &Scene<'_>,
    request: &Request,
    policies: &[Bound<ValidatingPolicy>],
    warnings: &mut Warnings,
) -> Result<(), Status> {
    let mut verdict = Verdict::default();
    for bound in policies {
        judge_by(scene, request, bound, &mut verdict).await;
    }
    for warning in &verdict.warnings {
        warnings.add(warning.as_str());
    }
    for (key, text) in &verdict.annotations {
        caller::annotate(key, text);
    }
    verdict.status(request).map_or(Ok(()), Err)
}

/// What one policy says, under each of its bindings.
async fn judge_by(
    scene: &Scene<'_>,
    request: &Request,
    bound: &Bound<ValidatingPolicy>,
    verdict: &mut Verdict,
) {
    let (validating, policy) = (&bound.policy, &bound.policy.policy);
    let namespace = scene.selected(request);
    let matched = match policy.constraints.matches(request, namespace, &scene.served) {
        Ok(Some(matched)) => matched,
        Ok(None) => return,
        Err(why) => return verdict.misconfigured(policy, None, &why),
    };
    let place = match params::place(scene.registry, policy) {
        Ok(place) => place,
        Err(why) => return verdict.misconfigured(policy, None, &why),
    };
    let mut converted = None;
    let mut annotations: BTreeMap<Text, Vec<String>> = BTreeMap::new();
    for binding in &bound.bindings {
        let constraints = binding.constraints.as_ref();
        match constraints.map(|it| it.matches(request, namespace, &scene.served)) {
            None | Some(Ok(Some(_))) => {}
            Some(Ok(None)) => continue,
            Some(Err(why)) => {
                verdict.misconfigured(policy, Some(binding), &why);
                continue;
            }
        }
        let found = params::collect(scene.registry, place.as_ref(), binding, request).await;
        let found = match found {
            Ok(found) => found,
            Err(why) => {
                verdict.misconfigured(policy, Some(binding), &why);
                continue;
            }
        };
        if converted.is_none() {
            converted = match scene.converted(request, &matched).await {
                Ok(request) => Some(request),
                Err(why) => {
                    let why = format!("failed to convert object version: {why}");
                    verdict.misconfigured(policy, Some(binding), &why);
                    continue;
                }
            };
        }
        let Some(request) = &converted else { continue };
        for param in &found.0 {
            let around = Surroundings {
                matched: &matched,
                params: param.as_ref(),
                namespace: scene.seen(request),
                authorizer: &scene.authorizer,
            };
            let mut judged = validating.judge(request, around);
            for (key, text) in std::mem::take(&mut judged.annotations) {
                let texts = annotations.entry(key).or_default();
                if !texts.contains(&text) {
                    texts.push(text);
                }
            }
            verdict.add(policy, binding, judged);
        }
    }
    for (key, texts) in annotations {
        verdict.annotations.push((format!("{}/{key}", policy.name), texts.join(", ")));
    }
}
