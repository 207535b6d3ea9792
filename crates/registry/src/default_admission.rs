//! The admission plugins of a default server, run against the store.
//!
//! The plugins themselves are pure ([`ordain_kubernetes::admission`]); here is only the fetching of
//! what they look up.

use ordain_kubernetes::admission::{self as native, Found, Query};
use ordain_meta::status::Status;
use ordain_strategy::{Part, Target};
use ordain_value::{Text, Value};

use crate::admission::{Attributes, Operation, Plugin, Verdict};
use crate::registry::Registry;
use crate::request::{ListOptions, Warnings};

/// All default plugins that are switched on, in their order.
#[derive(Debug)]
pub struct DefaultAdmission {
    plugins: Vec<Box<dyn native::Plugin>>,
}

impl Default for DefaultAdmission {
    fn default() -> Self {
        Self { plugins: native::plugins() }
    }
}

impl DefaultAdmission {
    /// The default plugins, with some switched off.
    ///
    /// # Errors
    /// A name that no plugin of kube-apiserver has, and one to switch on that is not here.
    pub fn choose(enabled: &[String], disabled: &[String]) -> Result<Self, String> {
        let mut plugins = native::plugins();
        let is_here = |name: &str| plugins.iter().any(|it| it.name() == name);
        for name in enabled.iter().chain(disabled) {
            if !is_here(name) && !ELSEWHERE.contains(&name.as_str()) {
                return Err(format!("there is no admission plugin {name:?}"));
            }
        }
        if let Some(name) = enabled.iter().find(|it| !is_here(it) && !ALWAYS.contains(&it.as_str()))
        {
            return Err(format!("admission plugin {name} is not built in"));
        }
        plugins.retain(|plugin| !disabled.iter().any(|name| name == plugin.name()));
        Ok(Self { plugins })
    }
}

/// Plugins that always run here.
const ALWAYS: [&str; 5] = [
    "NamespaceLifecycle",
    "MutatingAdmissionPolicy",
    "MutatingAdmissionWebhook",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionWebhook",
];

/// Plugins of kube-apiserver that are not among the default ones here: switching them off is
/// always possible.
const ELSEWHERE: [&str; 25] = [
    "AlwaysAdmit",
    "AlwaysDeny",
    "AlwaysPullImages",
    "CertificateApproval",
    "CertificateSigning",
    "CertificateSubjectRestriction",
    "ClusterTrustBundleAttest",
    "DenyServiceExternalIPs",
    "EventRateLimit",
    "ExtendedResourceToleration",
    "ImagePolicyWebhook",
    "MutatingAdmissionPolicy",
    "MutatingAdmissionWebhook",
    "NamespaceAutoProvision",
    "NamespaceExists",
    "NamespaceLifecycle",
    "NodeRestriction",
    "OwnerReferencesPermissionEnforcement",
    "PodNodeSelector",
    "PodSecurity",
    "PodTopologyLabels",
    "ResourceQuota",
    "ServiceAccount",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionWebhook",
];

impl Plugin for DefaultAdmission {
    fn name(&self) -> &'static str {
        "DefaultAdmission"
    }

    fn mutate<'a>(
        &'a self,
        attributes: &'a Attributes<'a>,
        object: Option<&'a mut Value>,
        _warnings: &'a mut Warnings,
    ) -> Verdict<'a> {
        Box::pin(async move {
            let Some(object) = object else { return Ok(()) };
            let user = crate::caller::current();
            let Some(request) = request(attributes, user.as_deref()) else { return Ok(()) };
            for plugin in &self.plugins {
                let found = fetch(attributes.registry, plugin.needs(&request, object)).await?;
                plugin.mutate(&request, object, &found)?;
            }
            Ok(())
        })
    }

    fn validate<'a>(
        &'a self,
        attributes: &'a Attributes<'a>,
        object: Option<&'a Value>,
        warnings: &'a mut Warnings,
    ) -> Verdict<'a> {
        Box::pin(async move {
            let Some(object) = object else { return Ok(()) };
            let user = crate::caller::current();
            let Some(request) = request(attributes, user.as_deref()) else { return Ok(()) };
            for plugin in &self.plugins {
                let found = fetch(attributes.registry, plugin.needs(&request, object)).await?;
                plugin.validate(&request, object, &found, warnings)?;
            }
            Ok(())
        })
    }
}

/// The request as the plugins see it; `None` for what none of them looks at.
fn request<'a>(
    attributes: &'a Attributes<'a>,
    user: Option<&'a ordain_strategy::User>,
) -> Option<native::Request<'a>> {
    let target = attributes.target;
    let resource = &target.resource;
    if resource.family != ordain_strategy::Family::BuiltIn {
        return None;
    }
    let subresource = match attributes.part {
        Part::Main => "",
        Part::Status => "status",
        Part::Scale => "scale",
        Part::Other(at) => resource.subresources.get(at).map_or("", Text::as_str),
    };
    let operation = match attributes.operation {
        Operation::Create => native::Operation::Create,
        Operation::Update => native::Operation::Update,
        Operation::Delete | Operation::Connect => return None,
    };
    Some(native::Request {
        group: &resource.group,
        plural: &resource.plural,
        subresource,
        namespace: &target.namespace,
        name: attributes.name,
        operation,
        old: attributes.old,
        user,
    })
}

/// Looks up what a plugin asks for. What is not served has no objects.
async fn fetch(registry: &Registry, queries: Vec<Query>) -> Result<Found, Status> {
    let mut found = Found::new();
    for query in queries {
        let Some(config) = registry.catalog().get(query.group, query.plural).cloned() else {
            continue;
        };
        let target = Target {
            version: config.storage_version.clone(),
            resource: config,
            namespace: query.namespace.clone(),
            name: query.name.clone().unwrap_or_default(),
        };
        let items = match &query.name {
            Some(_) => {
                let read = registry.read(&target.resource, &target.key()).await?;
                read.map(|stored| stored.object).into_iter().collect()
            }
            None => registry.list(&target, &ListOptions::default()).await?.items,
        };
        found.insert(query, items);
    }
    Ok(found)
}
