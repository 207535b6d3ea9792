//! Empties namespaces that are going, and lets them go when they are empty.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use ordain_meta::status::Status;
use ordain_storage::Expect;
use ordain_value::{List, Text, Value, value};
use tokio::time::Instant;

use crate::object;
use crate::registry::{Registry, Target};
use crate::request::{DeleteOptions, ListOptions, Warnings};
use ordain_strategy::RestConfig;

const PREFIX: &str = "/registry/namespaces/";
/// Even without news a namespace is looked at again after this.
const CHECK_EVERY: Duration = Duration::from_secs(60);
const RETRY: Duration = Duration::from_millis(500);

/// The namespaces that are going, with the time to look at each.
#[derive(Debug, Default)]
pub(super) struct Terminating {
    names: BTreeMap<Text, Instant>,
}

impl Terminating {
    /// Takes in the new state of an object, if it is a namespace.
    pub(super) fn note_object(&mut self, key: &str, bytes: Option<&Bytes>) {
        let Some(name) = key.strip_prefix(PREFIX) else { return };
        let going = bytes.and_then(|bytes| std::str::from_utf8(bytes).ok());
        if going.is_some_and(|text| text.contains("\"deletionTimestamp\"")) {
            self.names.entry(name.into()).or_insert_with(Instant::now);
        } else if bytes.is_none() {
            self.names.remove(name);
        }
    }

    /// A change inside a namespace that is going may be the last one needed.
    pub(super) fn note_change(&mut self, key: &str) {
        if self.names.is_empty() {
            return;
        }
        let mut segments = key.rsplit('/').skip(1);
        if let Some(due) = segments.next().and_then(|name| self.names.get_mut(name)) {
            *due = Instant::now();
        }
    }

    pub(super) fn due(&self) -> Option<Instant> {
        self.names.values().min().copied()
    }

    pub(super) fn is_due(&self) -> bool {
        self.due().is_some_and(|due| due <= Instant::now())
    }

    pub(super) fn take_due(&self) -> Vec<Text> {
        let now = Instant::now();
        let due = self.names.iter().filter(|(_, due)| **due <= now);
        due.map(|(name, _)| name.clone()).collect()
    }

    pub(super) fn done(&mut self, name: &str) {
        self.names.remove(name);
    }

    pub(super) fn wait(&mut self, name: &str) {
        self.set(name, CHECK_EVERY);
    }

    pub(super) fn retry(&mut self, name: &str) {
        self.set(name, RETRY);
    }

    fn set(&mut self, name: &str, pause: Duration) {
        if let Some(due) = self.names.get_mut(name) {
            *due = Instant::now() + pause;
        }
    }
}

/// What is left in a namespace after everything was deleted.
#[derive(Debug, Default)]
struct Remaining {
    resources: Vec<String>,
    finalizers: BTreeMap<Text, usize>,
}

impl Registry {
    /// Empties a namespace that is going. True when nothing more is to be done about it.
    pub(super) async fn finalize_namespace(&self, name: &str) -> Result<bool, Status> {
        let Some(namespaces) = self.catalog().get("", "namespaces").cloned() else {
            return Ok(true);
        };
        let key = namespaces.key("", name);
        let Some(current) = self.read(&namespaces, &key).await? else { return Ok(true) };
        if !object::is_deleting(&current.object) {
            return Ok(true);
        }
        let remaining = self.empty_namespace(name).await?;
        let mut object = current.object.clone();
        let changed = set_conditions(&mut object, &remaining, &self.now());
        let mut revision = current.revision;
        if changed {
            let encoded = self.encode(&namespaces, &namespaces.storage_version, &object).await?;
            let expect = Expect::Exact(revision);
            match self.commit(&namespaces, &key, expect, encoded).await? {
                Some(stored) => revision = stored.revision,
                None => return Ok(false),
            }
        }
        if !remaining.resources.is_empty() {
            return Ok(false);
        }
        let expect = Expect::Exact(revision);
        if object::finalizers(&object).is_empty() {
            self.remove(&key, expect).await?;
            return Ok(true);
        }
        if object.remove_path(&["spec", "finalizers"]).is_some() {
            let encoded = self.encode(&namespaces, &namespaces.storage_version, &object).await?;
            self.commit(&namespaces, &key, expect, encoded).await?;
        }
        Ok(false)
    }

    /// Deletes everything in a namespace, pods first: as long as one runs, it keeps what guards and
    /// feeds it, network policies above all.
    async fn empty_namespace(&self, name: &str) -> Result<Remaining, Status> {
        let mut remaining = Remaining::default();
        let catalog = self.catalog();
        let pods = catalog.get("", "pods");
        if let Some(pods) = pods {
            self.empty(pods, name, &mut remaining).await?;
        }
        if !remaining.resources.is_empty() {
            return Ok(remaining);
        }
        for resource in catalog.iter() {
            // Kinds that only show what another one stores are emptied with it.
            let stored = resource.version(&resource.storage_version).is_some();
            let is_done = pods.is_some_and(|pods| Arc::ptr_eq(pods, resource));
            if resource.namespaced && resource.verbs.delete && stored && !is_done {
                self.empty(resource, name, &mut remaining).await?;
            }
        }
        Ok(remaining)
    }

    /// Deletes the objects of a kind in a namespace and notes those that are still there.
    async fn empty(
        &self,
        resource: &Arc<RestConfig>,
        namespace: &str,
        remaining: &mut Remaining,
    ) -> Result<(), Status> {
        let all = Target::stored(resource, namespace, "");
        let found = self.list(&all, &ListOptions::default()).await?.items;
        if found.is_empty() {
            return Ok(());
        }
        for item in found.iter().filter(|item| !object::is_deleting(item)) {
            let target = Target::stored(resource, namespace, object::name(item));
            let options = DeleteOptions {
                propagation_policy: Some("Background".into()),
                ..DeleteOptions::default()
            };
            match self.delete(&target, &options, &mut Warnings::default()).await {
                Ok(_) => {}
                Err(status) if status.http_code() == 404 => {}
                Err(status) => return Err(status),
            }
        }
        let left: Vec<Value> = self.list(&all, &ListOptions::default()).await?.items;
        if !left.is_empty() {
            let (plural, group, count) = (&resource.plural, &resource.group, left.len());
            remaining.resources.push(format!("{plural}.{group} has {count} resource instances"));
        }
        for finalizer in left.iter().flat_map(object::finalizers) {
            *remaining.finalizers.entry(finalizer).or_default() += 1;
        }
        Ok(())
    }
}

/// Says in the status how far the namespace is. True if that is news.
fn set_conditions(namespace: &mut Value, remaining: &Remaining, now: &str) -> bool {
    let known = namespace.get_path(&["status", "conditions"]).and_then(Value::as_list);
    let mut conditions: Vec<Value> = known.map(|list| list.to_vec()).unwrap_or_default();
    let before = conditions.clone();
    for (ty, problem, ok_reason, ok_message) in states(remaining) {
        let (status, reason, message) = match problem {
            Some((reason, message)) => ("True", reason, message),
            None => ("False", ok_reason, ok_message.to_owned()),
        };
        let is_type = |it: &&mut Value| it.get("type").and_then(Value::as_str) == Some(ty);
        let Some(known) = conditions.iter_mut().find(is_type) else {
            conditions.push(value!({
                "type": ty, "status": status, "lastTransitionTime": now, "reason": reason,
                "message": message
            }));
            continue;
        };
        if known.get("status").and_then(Value::as_str) != Some(status) {
            known.set_path(&["lastTransitionTime"], now.into());
        }
        known.set_path(&["status"], status.into());
        known.set_path(&["reason"], reason.into());
        known.set_path(&["message"], message.into());
    }
    if conditions == before {
        return false;
    }
    namespace.set_path(&["status", "conditions"], Value::List(List::from(conditions)));
    true
}

/// A condition: its type, the problem with its reason, and what is said without one.
type State = (&'static str, Option<(&'static str, String)>, &'static str, &'static str);

/// The conditions of a namespace that goes.
fn states(remaining: &Remaining) -> [State; 5] {
    let mut resources = remaining.resources.clone();
    resources.sort();
    let holders = remaining.finalizers.iter();
    let mut finalizers: Vec<String> =
        holders.map(|(name, count)| format!("{name} in {count} resource instances")).collect();
    finalizers.sort();
    let content = (!resources.is_empty()).then(|| {
        let text = format!("Some resources are remaining: {}", resources.join(", "));
        ("SomeResourcesRemain", text)
    });
    let held = (!finalizers.is_empty()).then(|| {
        let list = finalizers.join(", ");
        let text = format!("Some content in the namespace has finalizers remaining: {list}");
        ("SomeFinalizersRemain", text)
    });
    [
        (
            "NamespaceDeletionDiscoveryFailure",
            None,
            "ResourcesDiscovered",
            "All resources successfully discovered",
        ),
        (
            "NamespaceDeletionGroupVersionParsingFailure",
            None,
            "ParsedGroupVersions",
            "All legacy kube types successfully parsed",
        ),
        (
            "NamespaceDeletionContentFailure",
            None,
            "ContentDeleted",
            "All content successfully deleted, may be waiting on finalization",
        ),
        (
            "NamespaceContentRemaining",
            content,
            "ContentRemoved",
            "All content successfully removed",
        ),
        (
            "NamespaceFinalizersRemaining",
            held,
            "ContentHasNoFinalizers",
            "All content-preserving finalizers finished",
        ),
    ]
}
