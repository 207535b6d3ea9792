//! What a server looks up for those who judge a request, and validating policies over it.

use std::sync::Arc;

use ordain_admission::policy::{Step, Surroundings, ValidatingPolicy, Verdict, select};
use ordain_admission::roles::Rights;
use ordain_admission::state::Bound;
use ordain_admission::{Addressed, Namespace, Request, Resources, Served};
use ordain_meta::status::Status;
use ordain_passes::cel_library::authz::Authorizer;
use ordain_strategy::RestConfig;
use ordain_value::Value;

use super::request::request;
use super::{Dynamic, params};
use crate::access;
use crate::admission::Attributes;
use crate::caller::{self, User};
use crate::registry::{Catalog, Registry};
use crate::request::Warnings;

/// The resources of a server at the time of a request.
pub(super) struct Configured(pub(super) Arc<Catalog>);

impl Resources for Configured {
    fn by_resource(&self, group: &str, plural: &str) -> Option<Arc<RestConfig>> {
        self.0.get(group, plural).cloned()
    }

    fn by_kind(&self, group: &str, kind: &str) -> Option<Arc<RestConfig>> {
        self.0.by_kind(group, kind).cloned()
    }
}

/// What is looked up once for all that judge a request.
pub(super) struct Scene<'a> {
    pub(super) registry: &'a Registry,
    pub(super) served: Served<Configured>,
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
        let roles = dynamic.roles.clone().map(|it| it as Arc<dyn access::Authorizer>);
        let rights = Rights { roles, user: user.clone() };
        Ok(Self {
            registry,
            served: Served(Configured(catalog)),
            namespace,
            authorizer: Arc::new(rights),
        })
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

    /// What the expressions of a policy see besides the request; parameters are added to it.
    pub(super) fn around<'s>(
        &'s self,
        request: &Request,
        matched: &'s Addressed,
    ) -> Surroundings<'s> {
        Surroundings {
            matched,
            params: None,
            namespace: self.seen(request),
            authorizer: &self.authorizer,
        }
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
        let config = self.served.0.by_resource(&resource.group, &resource.resource);
        match (object, config) {
            (Some(object), Some(config)) => {
                let version = &resource.version;
                self.registry.convert_unshaped(&config, &object, version).await.map(Some)
            }
            (object, _) => Ok(object),
        }
    }
}

/// Why a policy cannot judge an object that it cannot see.
pub(super) fn unconverted(why: &str) -> String {
    format!("failed to convert object version: {why}")
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
            let json = attributes.encoded.zip(request.object.as_ref());
            let json = json.and_then(|(encoded, object)| encoded.json_of(object));
            let asked = (&request, json);
            self.ask_validating(&scene, asked, &webhooks, warnings).await?;
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
    for step in select(policies, request, scene.selected(request), &scene.served) {
        judge_by(scene, request, step, &mut verdict).await;
        caller::check_deadline()?;
    }
    for warning in verdict.warnings() {
        warnings.add(warning.as_str());
    }
    for (key, text) in verdict.annotations() {
        caller::annotate(&key, &text);
    }
    verdict.status(request).map_or(Ok(()), Err)
}

/// What one policy says under one of its bindings.
async fn judge_by(
    scene: &Scene<'_>,
    request: &Request,
    step: Step<ValidatingPolicy>,
    verdict: &mut Verdict,
) {
    let selected = match step {
        Ok(selected) => selected,
        Err(misfit) => return verdict.misconfigured(misfit),
    };
    let (policy, binding) = (&selected.policy.policy, &selected.binding);
    let params = match params::collect(scene.registry, policy, binding, request).await {
        Ok(params) => params,
        Err(why) => return verdict.misconfigured(selected.misfit(why)),
    };
    let converted = match scene.converted(request, &selected.matched).await {
        Ok(converted) => converted,
        Err(why) => return verdict.misconfigured(selected.misfit(unconverted(&why))),
    };
    let around = scene.around(request, &selected.matched);
    verdict.judge(&selected, &params, &converted, around, &|| caller::check_deadline().is_ok());
}
