//! Garbage collection by owner references: background, foreground and orphaning.

use ordain_meta::gvk::GroupVersion;
use ordain_meta::status::{Reason, Status};
use ordain_storage::Key;
use ordain_value::{List, Text, Value, json, value};

use super::graph::{Graph, Task};
use crate::delete::{FINALIZER_FOREGROUND, FINALIZER_ORPHAN};
use crate::object;
use crate::registry::{Registry, Target};
use crate::request::{DeleteOptions, Warnings, WriteOptions};
use crate::strategy::Part;
use ordain_strategy::PatchType;

/// The manager of what the controllers write.
pub(super) const CONTROLLER: &str = "kube-controller-manager";

/// How an owner is, seen from its dependent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OwnerState {
    /// It exists and keeps the dependent.
    Solid,
    /// It is not there, or another object has its name now.
    Absent,
    /// It waits for its dependents to go.
    Waiting,
    /// Unknown: its kind is not served, or cannot own this object.
    Unknown,
}

impl Registry {
    pub(super) async fn collect(&self, graph: &Graph, task: &Task) -> Result<(), Status> {
        let done = match task {
            Task::Examine(key) => self.examine(graph, key).await,
            Task::Foreground(key) => self.finish_foreground(graph, key).await,
            Task::Orphan(key) => self.finish_orphan(graph, key).await,
        };
        match done {
            Err(status) if status.reason == Reason::NotFound => Ok(()),
            other => other,
        }
    }

    /// Deletes an object whose owners are all gone or going, and drops links to gone ones.
    async fn examine(&self, graph: &Graph, key: &Key) -> Result<(), Status> {
        let Some((target, object)) = self.locate(key).await? else { return Ok(()) };
        if object::is_deleting(&object) && !graph.waits(key) {
            return Ok(());
        }
        let owners = owner_references(&object);
        let mut states = Vec::with_capacity(owners.len());
        for owner in &owners {
            states.push(self.owner_state(graph, &target, owner).await?);
        }
        if owners.is_empty() || states.contains(&OwnerState::Unknown) {
            return Ok(());
        }
        if states.contains(&OwnerState::Solid) {
            if states.iter().all(|state| *state == OwnerState::Solid) {
                return Ok(());
            }
            let kept = owners.iter().zip(&states).filter(|(_, state)| **state == OwnerState::Solid);
            let kept: Vec<Value> = kept.map(|(owner, _)| owner.clone()).collect();
            return self.set_owners(&target, &object, kept).await;
        }
        if object::is_deleting(&object) {
            return Ok(());
        }
        let uid = object::uid(&object);
        let waiting = states.contains(&OwnerState::Waiting);
        let policy = if waiting && graph.dependents(uid).next().is_some() {
            if graph.dependents(uid).any(|dependent| graph.waits(dependent)) {
                // A circle would wait for itself for ever.
                let freed = owners.iter().map(unblocked).collect();
                self.set_owners(&target, &object, freed).await?;
            }
            "Foreground"
        } else {
            let finalizers = object::finalizers(&object);
            let has = |name: &str| finalizers.iter().any(|it| it == name);
            if has(FINALIZER_ORPHAN) {
                "Orphan"
            } else if has(FINALIZER_FOREGROUND) {
                "Foreground"
            } else {
                "Background"
            }
        };
        let options = DeleteOptions {
            uid: Some(uid.into()),
            propagation_policy: Some(policy.into()),
            ..DeleteOptions::default()
        };
        match self.delete(&target, &options, &mut Warnings::default()).await {
            // Another object has the name now.
            Err(status) if status.reason == Reason::Conflict => Ok(()),
            other => other.map(|_| ()),
        }
    }

    /// Removes an object that waited for its dependents when none of them holds it any more.
    async fn finish_foreground(&self, graph: &Graph, key: &Key) -> Result<(), Status> {
        let Some((target, object)) = self.locate(key).await? else { return Ok(()) };
        if !object::is_deleting(&object) || graph.blocking(object::uid(&object)).next().is_some() {
            return Ok(());
        }
        self.drop_finalizer(&target, &object, FINALIZER_FOREGROUND).await
    }

    /// Takes an owner out of all its dependents, then lets it go.
    async fn finish_orphan(&self, graph: &Graph, key: &Key) -> Result<(), Status> {
        let Some((target, object)) = self.locate(key).await? else { return Ok(()) };
        if !object::is_deleting(&object) {
            return Ok(());
        }
        let uid = object::uid(&object);
        for dependent in graph.dependents(uid) {
            let Some((target, object)) = self.locate(dependent).await? else { continue };
            let mut owners = owner_references(&object);
            owners.retain(|owner| owner.get("uid").and_then(Value::as_str) != Some(uid));
            match self.set_owners(&target, &object, owners).await {
                Err(status) if status.reason == Reason::NotFound => {}
                other => other?,
            }
        }
        self.drop_finalizer(&target, &object, FINALIZER_ORPHAN).await
    }

    /// The object under a key, if its kind is served.
    async fn locate(&self, key: &Key) -> Result<Option<(Target, Value)>, Status> {
        let Some(target) = self.target_of(key) else { return Ok(None) };
        let stored = self.read(&target.resource, key).await?;
        Ok(stored.map(|stored| (target, stored.object)))
    }

    /// What a key names, in the storage version.
    pub(super) fn target_of(&self, key: &str) -> Option<Target> {
        let catalog = self.catalog();
        let resource = catalog.iter().find(|it| {
            it.version(&it.storage_version).is_some()
                && key.strip_prefix(&it.key_prefix).is_some_and(|rest| rest.starts_with('/'))
        })?;
        let rest = key.strip_prefix(&resource.key_prefix)?.strip_prefix('/')?;
        let (namespace, name) =
            if resource.namespaced { rest.split_once('/')? } else { ("", rest) };
        Some(Target::stored(resource, namespace, name))
    }

    async fn owner_state(
        &self,
        graph: &Graph,
        dependent: &Target,
        owner: &Value,
    ) -> Result<OwnerState, Status> {
        let text = |field: &str| owner.text(field);
        let uid = text("uid");
        let group = GroupVersion::decode(text("apiVersion")).unwrap_or_default().group;
        let catalog = self.catalog();
        let Some(resource) = catalog.by_kind(&group, text("kind")) else {
            let gone = graph.is_gone(uid);
            return Ok(if gone { OwnerState::Absent } else { OwnerState::Unknown });
        };
        if resource.namespaced && dependent.namespace.is_empty() {
            // An object outside of namespaces cannot be owned by one inside.
            return Ok(OwnerState::Unknown);
        }
        let namespace = if resource.namespaced { dependent.namespace.as_str() } else { "" };
        let key = resource.key(namespace, text("name"));
        let Some(found) = self.read(resource, &key).await? else {
            return Ok(OwnerState::Absent);
        };
        if object::uid(&found.object) != uid {
            return Ok(OwnerState::Absent);
        }
        let waits = object::is_deleting(&found.object)
            && object::finalizers(&found.object).iter().any(|it| it == FINALIZER_FOREGROUND);
        Ok(if waits { OwnerState::Waiting } else { OwnerState::Solid })
    }

    async fn set_owners(
        &self,
        target: &Target,
        object: &Value,
        owners: Vec<Value>,
    ) -> Result<(), Status> {
        let owners = if owners.is_empty() { Value::Null } else { Value::List(List::from(owners)) };
        self.patch_metadata(target, object, "ownerReferences", owners).await
    }

    pub(super) async fn drop_finalizer(
        &self,
        target: &Target,
        object: &Value,
        finalizer: &str,
    ) -> Result<(), Status> {
        let mut finalizers = object::finalizers(object);
        let before = finalizers.len();
        finalizers.retain(|name| name != finalizer);
        if finalizers.len() == before {
            return Ok(());
        }
        let list: Vec<Value> = finalizers.into_iter().map(Value::Str).collect();
        let list = if list.is_empty() { Value::Null } else { Value::from(list) };
        self.patch_metadata(target, object, "finalizers", list).await
    }

    /// Writes one field of the metadata, if the object is still the one that was read.
    async fn patch_metadata(
        &self,
        target: &Target,
        object: &Value,
        field: &str,
        value: Value,
    ) -> Result<(), Status> {
        let mut patch = value!({"metadata": {
            "uid": (object::uid(object)),
            "resourceVersion": (object::resource_version(object))
        }});
        object::set(&mut patch, field, value);
        let options =
            WriteOptions { user_agent: Text::from(CONTROLLER), ..WriteOptions::default() };
        let mut warnings = Warnings::default();
        let body = json::encode(&patch);
        let ty = PatchType::Merge;
        self.patch(target, Part::Main, ty, &body, &options, &mut warnings).await.map(|_| ())
    }
}

fn owner_references(object: &Value) -> Vec<Value> {
    let list = object::metadata(object).and_then(|map| map.get("ownerReferences")?.as_list());
    list.map(|list| list.iter().cloned().collect()).unwrap_or_default()
}

fn unblocked(owner: &Value) -> Value {
    let mut owner = owner.clone();
    if let Value::Map(map) = &mut owner {
        map.insert("blockOwnerDeletion", Value::Bool(false));
    }
    owner
}
