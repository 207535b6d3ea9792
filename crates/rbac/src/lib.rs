//! Role-based access: who may do what, by the roles and bindings that are stored.
//!
//! [`Rbac`] holds the policy of a moment and answers from it without asking the store. It is
//! brought up to date by [`Rbac::refresh`], after every write through this server and whenever
//! [`Rbac::follow`] hears of a write by another.

mod bootstrap;
mod escalation;
#[cfg(test)]
mod tests;

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use ordain_meta::status::{Status, aggregate_texts};
use ordain_value::{Text, Value, json, value};

pub use escalation::NoEscalation;
pub use ordain_admission::roles::{GROUP, Rule};
use ordain_admission::roles::{Part as PolicyPart, Policy};

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
    policy: RwLock<Policy>,
    /// Up to where each resource was read. Held while changes are taken up, so that none of them is
    /// overtaken by an older one.
    read: tokio::sync::Mutex<[u64; 4]>,
}

impl Authorizer for Rbac {
    fn authorize(&self, user: &User, request: &Attributes<'_>) -> Decision {
        self.policy().authorize(user, request)
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
        let policy = self.policy();
        let mut rules = Vec::new();
        let lost = policy.visit(user, namespace, |applied| {
            rules.push(applied.rule.clone());
            true
        });
        (rules, aggregate_texts(&lost))
    }

    pub(crate) fn policy(&self) -> RwLockReadGuard<'_, Policy> {
        self.policy.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes up what changed among the stored roles and bindings.
    pub async fn refresh(&self, registry: &Registry) -> Result<(), Status> {
        self.take_up(registry).await.map(|_| ())
    }

    /// The same; gives the resources with the versions they were read at.
    async fn take_up(&self, registry: &Registry) -> Result<Vec<(Target, u64)>, Status> {
        let mut read = self.read.lock().await;
        let mut versions = Vec::new();
        let (mut changes, mut known) = (Vec::new(), true);
        for (at, (plural, part)) in RESOURCES.into_iter().enumerate() {
            let target = target(registry, plural, "")?;
            match registry.changes_since(&target, read[at]).await? {
                Some(changed) if read[at] > 0 => {
                    versions.push((target, changed.revision));
                    changes.extend(changed.objects.into_iter().map(|it| (part, it)));
                }
                _ => {
                    known = false;
                    versions.push((target, 0));
                }
            }
        }
        if known {
            let mut policy = self.policy.write().unwrap_or_else(PoisonError::into_inner);
            for (part, changed) in changes {
                policy.note(part, &changed.namespace, &changed.name, changed.object.as_ref());
            }
        } else {
            let mut lists: Vec<Vec<Value>> = Vec::new();
            for (target, version) in &mut versions {
                // No field that decides has a default.
                let (objects, revision) = registry.stored_objects(target).await?;
                *version = revision;
                lists.push(objects);
            }
            let policy = Policy::new(&lists[0], &lists[1], &lists[2], &lists[3]);
            *self.policy.write().unwrap_or_else(PoisonError::into_inner) = policy;
        }
        for (at, (_, version)) in versions.iter().enumerate() {
            read[at] = *version;
        }
        Ok(versions)
    }

    /// Creates the roles and bindings that every server begins with, where they are missing.
    pub async fn bootstrap(&self, registry: &Registry) -> Result<(), Status> {
        bootstrap::create_missing(registry).await?;
        self.refresh(registry).await
    }

    /// Keeps the policy up to date as long as the server runs, and the rules of gathering roles
    /// as well.
    pub async fn follow(&self, registry: &Arc<Registry>) {
        ordain_registry::follow(|| self.follow_once(registry)).await;
    }

    async fn follow_once(&self, registry: &Arc<Registry>) -> Result<(), Status> {
        let versions = self.take_up(registry).await?;
        let stale = self.policy().stale();
        if !stale.is_empty() {
            for (name, rules) in &stale {
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
const RESOURCES: [(&str, PolicyPart); 4] = [
    ("clusterroles", PolicyPart::ClusterRole),
    ("roles", PolicyPart::Role),
    ("clusterrolebindings", PolicyPart::ClusterRoleBinding),
    ("rolebindings", PolicyPart::RoleBinding),
];

fn target(registry: &Registry, plural: &str, name: &str) -> Result<Target, Status> {
    let Some(resource) = registry.catalog().get(GROUP, plural).cloned() else {
        return Err(Status::internal(&format!("{plural} are not served")));
    };
    Ok(Target::stored(&resource, "", name))
}

/// Writes the gathered rules into a role.
async fn write_rules(registry: &Registry, name: &Text, rules: &[Rule]) -> Result<(), Status> {
    let target = target(registry, "clusterroles", name)?;
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
