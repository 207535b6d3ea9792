//! Role-based access: who may do what, by the roles and bindings that are stored.
//!
//! [`Rbac`] holds the policy of a moment and answers from it without asking the store. It is
//! brought up to date by [`Rbac::refresh`], after every write through this server and whenever
//! [`Rbac::follow`] hears of a write by another.

mod bootstrap;
mod escalation;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use ordain_meta::status::{Status, aggregate_texts};
use ordain_value::{Text, Value, json, value};

pub use escalation::NoEscalation;
use ordain_admission::roles::Policy;
pub use ordain_admission::roles::{GROUP, Rule};

use ordain_registry::access::{Attributes, Authorizer, Decision};
use ordain_registry::admission::Verdict;
use ordain_registry::caller::User;
use ordain_registry::dynamic::Roles;
use ordain_registry::request::{ListOptions, Warnings, WriteOptions};
use ordain_registry::strategy::Part;
use ordain_registry::{Registry, Target};
use ordain_strategy::PatchType;

/// The policy in force.
#[derive(Debug, Default)]
pub struct Rbac {
    policy: ArcSwap<Policy>,
    /// Held from reading to storing, so that no older policy replaces a newer one.
    reading: tokio::sync::Mutex<()>,
}

impl Authorizer for Rbac {
    fn authorize(&self, user: &User, request: &Attributes<'_>) -> Decision {
        self.policy.load().authorize(user, request)
    }
}

impl Roles for Rbac {
    fn refresh<'a>(&'a self, registry: &'a Registry) -> Verdict<'a> {
        Box::pin(Rbac::refresh(self, registry))
    }
}

impl Rbac {
    /// All rules that apply to a user in a namespace, and what was wrong on the way.
    pub fn rules_for(&self, user: &User, namespace: &str) -> (Vec<Rule>, String) {
        let policy = self.policy.load();
        let mut rules = Vec::new();
        let lost = policy.visit(user, namespace, |applied| {
            rules.push(applied.rule.clone());
            true
        });
        (rules, aggregate_texts(&lost))
    }

    /// Reads the stored roles and bindings.
    pub async fn refresh(&self, registry: &Registry) -> Result<(), Status> {
        self.read(registry).await.map(|_| ())
    }

    /// Reads the policy and puts it in force. Returns it with the versions it was read at.
    async fn read(&self, registry: &Registry) -> Result<(Arc<Policy>, Vec<(Target, u64)>), Status> {
        let _reading = self.reading.lock().await;
        let (policy, versions) = read(registry).await?;
        let policy = Arc::new(policy);
        self.policy.store(Arc::clone(&policy));
        Ok((policy, versions))
    }

    /// Creates the roles and bindings that every server begins with, where they are missing.
    pub async fn bootstrap(&self, registry: &Registry) -> Result<(), Status> {
        bootstrap::create_missing(registry).await?;
        self.refresh(registry).await
    }

    /// Keeps the policy up to date as long as the server runs, and the rules of gathering roles
    /// as well.
    pub async fn follow(&self, registry: &Arc<Registry>) {
        const PAUSE: Duration = Duration::from_secs(1);
        loop {
            if self.follow_once(registry).await.is_err() {
                tokio::time::sleep(PAUSE).await;
            }
        }
    }

    async fn follow_once(&self, registry: &Arc<Registry>) -> Result<(), Status> {
        let (policy, versions) = self.read(registry).await?;
        if !policy.stale.is_empty() {
            for (name, rules) in &policy.stale {
                write_rules(registry, name, rules).await?;
            }
            return Ok(());
        }
        let mut watchers = Vec::new();
        for (target, version) in versions {
            let options = ListOptions {
                resource_version: version.to_string().into(),
                watch: true,
                ..ListOptions::default()
            };
            watchers.push(registry.watch(&target, &options).await?);
        }
        let heard = watchers.iter_mut().map(|watcher| Box::pin(watcher.next()));
        futures_util::future::select_all(heard).await;
        Ok(())
    }
}

/// The resources that make up the policy.
const RESOURCES: [&str; 4] = ["clusterroles", "roles", "clusterrolebindings", "rolebindings"];

async fn read(registry: &Registry) -> Result<(Policy, Vec<(Target, u64)>), Status> {
    let catalog = registry.catalog();
    let mut lists: Vec<Vec<Value>> = Vec::new();
    let mut versions = Vec::new();
    for plural in RESOURCES {
        let Some(config) = catalog.get(GROUP, plural).cloned() else {
            return Err(Status::internal(&format!("{plural} are not served")));
        };
        let target = Target {
            version: config.storage_version.clone(),
            resource: config,
            namespace: Text::default(),
            name: Text::default(),
        };
        let listed = registry.list(&target, &ListOptions::default()).await?;
        versions.push((target, listed.resource_version));
        lists.push(listed.items);
    }
    Ok((Policy::new(&lists[0], &lists[1], &lists[2], &lists[3]), versions))
}

/// Writes the gathered rules into a role.
async fn write_rules(registry: &Registry, name: &Text, rules: &[Rule]) -> Result<(), Status> {
    let Some(config) = registry.catalog().get(GROUP, "clusterroles").cloned() else {
        return Ok(());
    };
    let target = Target {
        version: config.storage_version.clone(),
        resource: config,
        namespace: Text::default(),
        name: name.clone(),
    };
    let rules: Vec<Value> = rules.iter().map(Rule::encode).collect();
    let role = value!({
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": (name.as_str())},
        "rules": (Value::from(rules))
    });
    let options = WriteOptions {
        field_manager: "clusterrole-aggregation-controller".into(),
        force: Some(true),
        ..WriteOptions::default()
    };
    let bytes = json::encode(&role);
    let mut warnings = Warnings::default();
    registry
        .patch(&target, Part::Main, PatchType::Apply, &bytes, &options, &mut warnings)
        .await
        .map(|_| ())
}
