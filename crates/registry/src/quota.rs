//! ResourceQuota: a write is charged to the quotas of its namespace before it is committed, and
//! refused when they have no room.
//!
//! The new usage is stored by compare and swap, so that writes at the same time, on this server or
//! on another, are never charged to the same room twice. A write that fails afterwards leaves its
//! charge behind until the usage is counted anew, as it does upstream.

use std::sync::Arc;

use ordain_kubernetes::quota::{self, Charge, Evaluator};
use ordain_meta::status::Status;
use ordain_storage::Expect;
use ordain_value::Value;

use crate::admission::{Attributes, Operation, Plugin, Verdict};
use crate::caller;
use crate::registry::{Registry, Stored, Target};
use crate::request::Warnings;
use ordain_strategy::RestConfig;

/// How often a charge is tried against others; one of them succeeds each time.
const TRIES: usize = 100;

/// The plugin. Charges of this server wait for each other, which spares them most of the tries.
#[derive(Debug, Default)]
pub struct ResourceQuota {
    charging: tokio::sync::Mutex<()>,
}

impl Plugin for ResourceQuota {
    fn name(&self) -> &'static str {
        "ResourceQuota"
    }

    fn validate<'a>(
        &'a self,
        attributes: &'a Attributes<'a>,
        object: Option<&'a Value>,
        _warnings: &'a mut Warnings,
    ) -> Verdict<'a> {
        Box::pin(async move {
            let Some(object) = object else { return Ok(()) };
            let (target, registry) = (attributes.target, attributes.registry);
            let resource = &target.resource;
            if attributes.operation == Operation::Delete || target.namespace.is_empty() {
                return Ok(());
            }
            let Some(evaluator) = Evaluator::of(&resource.group, &resource.plural) else {
                return Ok(());
            };
            if registry.quotas(&target.namespace).await?.is_empty() {
                return Ok(());
            }
            let write = Charge {
                object,
                old: attributes.old,
                subresource: attributes.subresource(),
                now: registry.clock.now().seconds,
            };
            let _turn = self.charging.lock().await;
            for _ in 0..TRIES {
                let quotas = registry.quotas(&target.namespace).await?;
                let objects: Vec<Value> = quotas.iter().map(|it| it.object.clone()).collect();
                let charged = quota::charge(&evaluator, &objects, &write)
                    .map_err(|why| attributes.forbidden(&why))?;
                if attributes.options.is_dry_run() || registry.store_usage(&quotas, charged).await?
                {
                    return Ok(());
                }
            }
            Err(Status::internal("resource quota evaluation timed out"))
        })
    }
}

impl Registry {
    pub(crate) fn quota_config(&self) -> Result<Arc<RestConfig>, Status> {
        self.catalog().get("", "resourcequotas").cloned().ok_or_else(Status::path_not_found)
    }

    /// The quotas of a namespace.
    pub(crate) async fn quotas(&self, namespace: &str) -> Result<Vec<Stored>, Status> {
        let config = self.quota_config()?;
        self.known(&config, namespace).await
    }

    /// Stores the usage of all quotas that were charged, or nothing at all when one of them has
    /// changed.
    async fn store_usage(
        &self,
        quotas: &[Stored],
        charged: Vec<(usize, Value)>,
    ) -> Result<bool, Status> {
        if charged.is_empty() {
            return Ok(true);
        }
        let config = self.quota_config()?;
        let mut writes = Vec::new();
        for (at, used) in charged {
            let Some(stored) = quotas.get(at) else { continue };
            let mut quota = stored.object.clone();
            quota.set_path(&["status", "used"], used);
            let target = Target::of(&config, &quota);
            let encoded = self.encode(&config, &config.storage_version, &quota).await?;
            writes.push((target.key(), Expect::Exact(stored.revision), encoded.bytes));
        }
        caller::as_server(self.commit_together(writes)).await
    }
}
