//! The admission plugins of a default server, run against the store.
//!
//! Most plugins are pure ([`ordain_kubernetes::admission`]); here is the fetching of what they look
//! up. The others ask who may do what.

use std::sync::Arc;
use std::time::Duration;

use ordain_kubernetes::admission::{self as native, Configuration, Found, Query, Remarks};
use ordain_meta::status::Status;
use ordain_strategy::Target;
use ordain_value::Value;

use crate::admission::{Attributes, Operation, Plugin, Verdict};
use crate::certificates::{CertificateApproval, CertificateSigning};
use crate::flow_schemas::{self, FlowSchemas};
use crate::owner_references::OwnerReferences;
use crate::quota::ResourceQuota;
use crate::registry::Registry;
use crate::request::{ListOptions, Warnings};

/// The plugins that are switched on, in their order.
#[derive(Debug)]
pub struct DefaultAdmission {
    plugins: Vec<Member>,
    counts_quotas: bool,
    schemas: FlowSchemas,
}

/// A plugin that judges by what is looked up for it, or one that asks who may do what.
#[derive(Debug)]
enum Member {
    Pure(Box<dyn native::Plugin>),
    Asking(Box<dyn Plugin>),
}

impl Member {
    fn name(&self) -> &'static str {
        match self {
            Self::Pure(plugin) => plugin.name(),
            Self::Asking(plugin) => plugin.name(),
        }
    }
}

/// Refuses pods as long as nobody makes the accounts that they run as.
pub const SERVICE_ACCOUNT: &str = "ServiceAccount";
/// Comes last, behind what users bring.
const RESOURCE_QUOTA: &str = "ResourceQuota";

impl Default for DefaultAdmission {
    /// The default plugins but ServiceAccount, which needs a controller beside it.
    fn default() -> Self {
        let mut plugins = members(&Configuration::default());
        plugins.retain(|it| it.name() != SERVICE_ACCOUNT && !is_optional(it.name()));
        Self { plugins, counts_quotas: true, schemas: FlowSchemas::default() }
    }
}

/// All plugins in their order, those that are off by default included.
fn members(configuration: &Configuration) -> Vec<Member> {
    let native = native::plugins(configuration);
    let mut members: Vec<Member> = native.into_iter().map(Member::Pure).collect();
    members.push(Member::Asking(Box::new(OwnerReferences)));
    members.push(Member::Asking(Box::new(CertificateApproval)));
    members.push(Member::Asking(Box::new(CertificateSigning)));
    members
}

impl DefaultAdmission {
    /// The default plugins, with some switched off and others on, set up like this.
    ///
    /// # Errors
    /// A name that no plugin of kube-apiserver has, and one to switch on that is not here.
    pub fn choose(
        enabled: &[String],
        disabled: &[String],
        configuration: &Configuration,
    ) -> Result<Self, String> {
        let mut plugins = members(configuration);
        let is_here =
            |name: &str| name == RESOURCE_QUOTA || plugins.iter().any(|it| it.name() == name);
        for name in enabled.iter().chain(disabled) {
            if !is_here(name) && !ELSEWHERE.contains(&name.as_str()) {
                return Err(format!("there is no admission plugin {name:?}"));
            }
        }
        if let Some(name) = enabled.iter().find(|it| !is_here(it) && !ALWAYS.contains(&it.as_str()))
        {
            return Err(format!("admission plugin {name} is not built in"));
        }
        let named = |list: &[String], name: &str| list.iter().any(|it| it == name);
        let is_on =
            |name: &str| !named(disabled, name) && (!is_optional(name) || named(enabled, name));
        plugins.retain(|plugin| is_on(plugin.name()));
        let counts_quotas = is_on(RESOURCE_QUOTA);
        Ok(Self { plugins, counts_quotas, schemas: FlowSchemas::default() })
    }

    /// The plugin that comes behind those of users, if it is on.
    pub fn quotas(&self) -> Option<Arc<dyn Plugin>> {
        self.counts_quotas.then(|| Arc::new(ResourceQuota::default()) as Arc<dyn Plugin>)
    }
}

/// Whether a plugin runs only if it is asked for.
fn is_optional(name: &str) -> bool {
    name == OwnerReferences::NAME || native::OPTIONAL.contains(&name)
}

/// Plugins that always run here.
const ALWAYS: [&str; 5] = [
    "NamespaceLifecycle",
    "MutatingAdmissionPolicy",
    "MutatingAdmissionWebhook",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionWebhook",
];

/// Plugins of kube-apiserver that are not among those here: switching them off is always possible.
const ELSEWHERE: [&str; 16] = [
    "AlwaysAdmit",
    "AlwaysDeny",
    "AlwaysPullImages",
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
    "PodNodeSelector",
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
        warnings: &'a mut Warnings,
    ) -> Verdict<'a> {
        Box::pin(async move {
            let deletes = attributes.operation == Operation::Delete;
            let mut nothing = Value::Null;
            let object = object.unwrap_or(&mut nothing);
            let user = crate::caller::current();
            let suffix = attributes.registry.name_suffix();
            let request = request(attributes, user.as_deref(), &suffix);
            for member in &self.plugins {
                match (member, &request) {
                    (Member::Pure(plugin), Some(request)) if !deletes || plugin.sees_deletes() => {
                        let needs = plugin.needs(request, object);
                        let found = fetch(attributes.registry, needs).await?;
                        plugin.mutate(&native::Request { found: &found, ..*request }, object)?;
                    }
                    (Member::Asking(plugin), _) if !deletes => {
                        plugin.mutate(attributes, Some(&mut *object), warnings).await?;
                    }
                    _ => {}
                }
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
            let request = request(attributes, user.as_deref(), "");
            for member in &self.plugins {
                match (member, &request) {
                    (Member::Pure(plugin), Some(request)) => {
                        let needs = plugin.needs(request, object);
                        let found = fetch(attributes.registry, needs).await?;
                        let mut remarks = Remarks { warnings, annotations: Vec::new() };
                        let request = native::Request { found: &found, ..*request };
                        let verdict = plugin.validate(&request, object, &mut remarks);
                        for (key, text) in &remarks.annotations {
                            crate::caller::annotate(key, text);
                        }
                        verdict?;
                    }
                    (Member::Asking(plugin), _) => {
                        plugin.validate(attributes, Some(object), warnings).await?;
                    }
                    (Member::Pure(_), None) => {}
                }
            }
            Ok(())
        })
    }

    fn committed<'a>(&'a self, registry: &'a Registry, target: &'a Target) -> Verdict<'a> {
        if target.resource.group == flow_schemas::GROUP {
            return Box::pin(self.schemas.settle(registry, target));
        }
        Box::pin(async { Ok(()) })
    }
}

/// The request as the plugins see it; `None` for what none of them looks at.
fn request<'a>(
    attributes: &'a Attributes<'a>,
    user: Option<&'a ordain_strategy::User>,
    suffix: &'a str,
) -> Option<native::Request<'a>> {
    let target = attributes.target;
    let resource = &target.resource;
    if resource.family != ordain_strategy::Family::BuiltIn {
        return None;
    }
    let operation = match attributes.operation {
        Operation::Create => native::Operation::Create,
        Operation::Update => native::Operation::Update,
        Operation::Delete => native::Operation::Delete,
        Operation::Connect => return None,
    };
    Some(native::Request {
        group: &resource.group,
        plural: &resource.plural,
        subresource: attributes.subresource(),
        namespace: &target.namespace,
        name: attributes.name,
        operation,
        old: attributes.old,
        user,
        suffix,
        found: &native::NOTHING,
    })
}

/// How often, and after which pause, something is looked up that a controller is about to make.
const PATIENT_TRIES: usize = 10;
const PATIENT_PAUSE: Duration = Duration::from_millis(100);

/// Looks up what a plugin asks for. What is not served has no objects.
async fn fetch(registry: &Registry, queries: Vec<Query>) -> Result<Found, Status> {
    let mut found = Found::new();
    for query in queries {
        let Some(config) = registry.catalog().get(query.group, query.plural).cloned() else {
            continue;
        };
        let target = Target::stored(
            &config,
            query.namespace.clone(),
            query.name.clone().unwrap_or_default(),
        );
        let items = match &query.name {
            Some(_) => {
                let mut read = registry.read(&target.resource, &target.key()).await?;
                for _ in 1..PATIENT_TRIES {
                    if read.is_some() || !query.patient {
                        break;
                    }
                    tokio::time::sleep(PATIENT_PAUSE).await;
                    read = registry.read(&target.resource, &target.key()).await?;
                }
                read.map(|stored| stored.object).into_iter().collect()
            }
            None => registry.list(&target, &ListOptions::default()).await?.items,
        };
        found.insert(query, items);
    }
    Ok(found)
}
