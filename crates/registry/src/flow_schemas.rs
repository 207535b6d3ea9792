//! Flow schemas: which one a request belongs to, and the status of each, whether the priority level
//! that it names is there. The status is reported before the write that it follows from is answered.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;
use ordain_admission::access::Attributes;
use ordain_admission::flows::{Flow, Flows};
use ordain_meta::status::{Reason, Status};
use ordain_strategy::{PatchType, RestConfig, User};
use ordain_value::{Text, Value, go_quote, json, value};

use crate::caller;
use crate::object;
use crate::registry::{Registry, Target};
use crate::request::{Warnings, WriteOptions};
use crate::strategy::Part;

pub(crate) const GROUP: &str = "flowcontrol.apiserver.k8s.io";
const SCHEMAS: &str = "flowschemas";
const LEVELS: &str = "prioritylevelconfigurations";
const MANAGER: &str = "api-priority-and-fairness-config-consumer-v1";
/// Who writes a schema more often than this in a minute is waited for.
const UPDATES_PER_MINUTE_MAX: usize = 5;
const MINUTE: i64 = 60;

/// Keeps the status of flow schemas.
#[derive(Debug, Default)]
pub(crate) struct FlowSchemas {
    /// Which schema was reported when, in seconds since 1970.
    recent: Mutex<VecDeque<(i64, Text)>>,
}

/// The stored schemas, arranged to find the one of a request.
#[derive(Debug, Default)]
pub(crate) struct KnownFlows {
    /// How often schemas or levels were written through this server.
    changes: AtomicU64,
    /// What was read, after how many changes.
    read: ArcSwap<Option<(u64, Flows)>>,
}

impl KnownFlows {
    /// Has the schemas read again before the next request.
    pub(crate) fn note_change(&self) {
        self.changes.fetch_add(1, Ordering::Release);
    }
}

impl Registry {
    /// The flow that a request is part of.
    ///
    /// # Errors
    /// When the schemas cannot be read.
    pub async fn flow(
        &self,
        user: &User,
        request: &Attributes<'_>,
    ) -> Result<Option<Flow>, Status> {
        let changes = self.flows.changes.load(Ordering::Acquire);
        let read = self.flows.read.load_full();
        if let Some((_, flows)) = read.as_ref().as_ref().filter(|it| it.0 == changes) {
            return Ok(flows.classify(user, request).cloned());
        }
        let catalog = self.catalog();
        let configs = (catalog.get(GROUP, SCHEMAS).cloned(), catalog.get(GROUP, LEVELS).cloned());
        let (Some(schemas), Some(levels)) = configs else { return Ok(None) };
        // What was removed a moment ago may still be in the cache.
        self.cache.reach(self.revision().await?).await?;
        let (schemas, levels) = (self.known(&schemas, "").await?, self.known(&levels, "").await?);
        let flows = Flows::new(
            schemas.iter().map(|stored| &stored.object),
            levels.iter().map(|stored| &stored.object),
        );
        let flow = flows.classify(user, request).cloned();
        self.flows.read.store(Arc::new(Some((changes, flows))));
        Ok(flow)
    }
}

impl FlowSchemas {
    /// Brings the status of a written schema up to date, or of all that name a written level.
    pub(crate) async fn settle(&self, registry: &Registry, target: &Target) -> Result<(), Status> {
        let is_level = target.resource.plural == LEVELS;
        let Some(config) = registry.catalog().get(GROUP, SCHEMAS).cloned() else { return Ok(()) };
        for stored in registry.known(&config, "").await? {
            let (name, level) = (object::name(&stored.object), level_of(&stored.object));
            let concerned = if is_level { level == target.name } else { name == target.name };
            if concerned {
                let target = Target {
                    version: "v1".into(),
                    resource: Arc::clone(&config),
                    namespace: Text::default(),
                    name: name.into(),
                };
                self.report(registry, &target, &stored.object).await?;
            }
        }
        Ok(())
    }

    async fn report(
        &self,
        registry: &Registry,
        target: &Target,
        schema: &Value,
    ) -> Result<(), Status> {
        let level = level_of(schema);
        let Some(levels) = registry.catalog().get(GROUP, LEVELS).cloned() else { return Ok(()) };
        let found = registry.read(&levels, &levels.key("", level)).await?.is_some();
        let (status, reason, rest) = if found {
            ("False", "Found", "and it exists")
        } else {
            ("True", "NotFound", "but there is no such object")
        };
        let message = format!(
            "This FlowSchema references the PriorityLevelConfiguration object named {} {rest}",
            go_quote(level)
        );
        let known = dangling(schema);
        let same = |field: &str, wanted: &str| known.is_some_and(|it| it.text(field) == wanted);
        if same("status", status) && same("reason", reason) && same("message", &message) {
            return Ok(());
        }
        let now = registry.clock.now();
        if !self.may_tell(&target.name, now.seconds) {
            return Ok(());
        }
        let since = known.filter(|it| it.text("status") == status);
        let since = since.and_then(|it| it.get("lastTransitionTime")).cloned();
        let condition = value!({
            "type": "Dangling",
            "status": status,
            "reason": reason,
            "message": message,
            "lastTransitionTime": (since.unwrap_or_else(|| now.encode().into()))
        });
        let patch = value!({
            "apiVersion": (format!("{GROUP}/v1")),
            "kind": "FlowSchema",
            "metadata": {"name": (target.name.as_str())},
            "status": {"conditions": [condition]}
        });
        let options = WriteOptions {
            field_manager: MANAGER.into(),
            force: Some(true),
            ..WriteOptions::default()
        };
        let (bytes, mut warnings) = (json::encode(&patch), Warnings::default());
        let (part, ty) = (Part::Status, PatchType::Apply);
        let reported = registry.patch(target, part, ty, &bytes, &options, &mut warnings);
        match caller::as_server(reported).await {
            // It went in the meantime.
            Err(status) if status.reason == Reason::NotFound => Ok(()),
            done => done.map(|_| ()),
        }
    }

    /// Whether a schema may be reported now; notes that it was.
    fn may_tell(&self, name: &str, now: i64) -> bool {
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        while recent.front().is_some_and(|(time, _)| *time < now - MINUTE) {
            recent.pop_front();
        }
        let count = recent.iter().filter(|(_, it)| it == name).count();
        if count > UPDATES_PER_MINUTE_MAX {
            return false;
        }
        recent.push_back((now, name.into()));
        true
    }
}

/// Whether a resource is that of flow schemas.
pub(crate) fn is_schema(resource: &RestConfig) -> bool {
    resource.group == GROUP && resource.plural == SCHEMAS
}

fn level_of(schema: &Value) -> &str {
    let name = schema.get_path(&["spec", "priorityLevelConfiguration", "name"]);
    name.and_then(Value::as_str).unwrap_or("")
}

fn dangling(schema: &Value) -> Option<&Value> {
    let list = schema.get_path(&["status", "conditions"]).and_then(Value::as_list)?;
    list.iter().find(|it| it.text("type") == "Dangling")
}
