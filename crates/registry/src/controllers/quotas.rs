//! The usage of resource quotas, counted: of a new or changed quota at once, and of all quotas in a
//! namespace when something in it goes or a pod ends. What is created is charged by admission.

use std::collections::BTreeMap;

use ordain_kubernetes::quota::{self, Evaluator};
use ordain_meta::status::Status;
use ordain_storage::Event;
use ordain_value::Value;

use super::follow::{Keeper, place};
use crate::caller;
use crate::registry::{Registry, Stored, Target};

const QUOTAS: &str = "/registry/resourcequotas/";

/// Counts what quotas are about.
struct Quotas;

/// Whether a status is that of the quota as it is now.
fn is_counted(quota: &Value) -> bool {
    quota.get_path(&["status", "hard"]) == quota.get_path(&["spec", "hard"])
        && quota.get_path(&["status", "used"]).is_some()
}

impl Keeper for Quotas {
    fn concerned<'a>(&self, event: &'a Event) -> Option<&'a str> {
        if let Some((namespace, _)) = place(&event.key, QUOTAS) {
            let quota = event.value.as_ref()?;
            let quota = ordain_value::json::decode(quota).ok()?;
            return (!is_counted(&quota)).then_some(namespace);
        }
        // What goes gives room, and so does a pod that ends, a service or claim that changes.
        let gives_room = event.value.is_none()
            || ["/registry/pods/", "/registry/services/", "/registry/persistentvolumeclaims/"]
                .iter()
                .any(|prefix| event.key.starts_with(prefix) && event.previous.is_some());
        let mut segments = event.key.rsplit('/').skip(1);
        segments.next().filter(|_| gives_room)
    }

    async fn keep<'a>(&'a self, registry: &'a Registry, namespace: &'a str) -> Result<(), Status> {
        registry.count_quotas(namespace).await
    }
}

impl Registry {
    /// Keeps the usage of quotas counted, until the store ends.
    ///
    /// # Errors
    /// When the store fails; starting again goes on.
    pub async fn run_quotas(&self) -> Result<(), Status> {
        self.run_keeper(&Quotas).await
    }

    async fn count_quotas(&self, namespace: &str) -> Result<(), Status> {
        let quotas = self.quotas(namespace).await?;
        if quotas.is_empty() {
            return Ok(());
        }
        let config = self.quota_config()?;
        // Objects and usage are read at one moment: a charge in between fails the write below,
        // and the namespace is counted again.
        let mut counted: Vec<BTreeMap<String, _>> = vec![BTreeMap::new(); quotas.len()];
        let now = self.clock.now().seconds;
        let catalog = self.catalog();
        for resource in catalog.iter().filter(|it| it.namespaced && it.verbs.read) {
            let Some(evaluator) = Evaluator::of(&resource.group, &resource.plural) else {
                continue;
            };
            if !quotas.iter().any(|it| quota::is_about(&evaluator, &it.object)) {
                continue;
            }
            let objects: Vec<Stored> = self.known(resource, namespace).await?;
            for (sum, quota) in counted.iter_mut().zip(&quotas) {
                let objects = objects.iter().map(|stored| &stored.object);
                sum.extend(quota::count(&evaluator, &quota.object, objects, now));
            }
        }
        for (stored, sum) in quotas.iter().zip(&counted) {
            let status = quota::status(&stored.object, sum);
            if stored.object.get("status") == Some(&status) {
                continue;
            }
            let mut next = stored.object.clone();
            next.set_path(&["status"], status);
            let target = Target::of(&config, &next);
            let written = caller::as_server(self.replace(&target, stored, &next, false)).await?;
            if written.is_none() {
                return Err(Status::modified(&target.group_resource(), &target.name));
            }
        }
        Ok(())
    }
}
