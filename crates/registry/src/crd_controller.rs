//! What follows a change of a CustomResourceDefinition: its names are accepted, its kind is
//! served, and when it is deleted its objects go first.

use std::collections::BTreeMap;
use std::sync::Arc;

use ordain_meta::GroupResource;
use ordain_meta::status::Status;
use ordain_schema::conditions::{self, Cleanup};
use ordain_schema::crd::{CLEANUP_FINALIZER, Crd};
use ordain_storage::{Expect, Revision};
use ordain_value::{Text, Value};

use crate::aggregate;
use crate::caller;
use crate::crd;
use crate::delete::Reason;
use crate::object;
use crate::registry::{Definition, Registry, Stored, Target};
use crate::request::{DeleteOptions, ListOptions, Warnings};
use crate::strategy::Part;
use ordain_strategy::custom;
use ordain_strategy::{Family, RestConfig};

/// How often definitions are looked at again because they changed meanwhile.
const SETTLE_TRIES: usize = 64;

/// The manager of what the server itself writes.
const CONTROLLER: &str = "kube-apiserver";

impl Registry {
    /// Called after an object was written or removed: keeps what is served in step with the
    /// definitions.
    pub(crate) async fn after_commit(&self, target: &Target) -> Result<(), Status> {
        self.admission.committed(self, target).await?;
        let resource = &target.resource;
        if resource.group == aggregate::GROUP {
            self.aggregation.note_change();
        }
        let defines = resource.group == crd::GROUP && resource.plural == crd::PLURAL;
        if defines || resource.terminating {
            return self.settle_definitions().await;
        }
        Ok(())
    }

    /// Brings all definitions and what is served in step. This is work of the server's own: what is
    /// committed is served, even if the request that did it is out of time by now.
    pub async fn settle_definitions(&self) -> Result<(), Status> {
        caller::as_server(async {
            let _guard = self.crd_lock.lock().await;
            for _ in 0..SETTLE_TRIES {
                if self.settle_once().await? {
                    return Ok(());
                }
            }
            Err(Status::internal("definitions change faster than they can be served"))
        })
        .await
    }

    /// One round; false if definitions changed meanwhile, by others or by the round itself.
    async fn settle_once(&self) -> Result<bool, Status> {
        let Some(target) = self.definitions() else { return Ok(true) };
        let listed = self.list(&target, &ListOptions::default()).await?;
        let mut definitions: Vec<Crd> = listed.items.iter().map(crd::read).collect();
        // Those that go free their names for the others.
        let is_kept = |at: &usize| definitions[*at].metadata.get("deletionTimestamp").is_none();
        let (kept, going): (Vec<usize>, Vec<usize>) = (0..definitions.len()).partition(is_kept);
        for at in going.into_iter().chain(kept) {
            let settled = self.settle(&target, &definitions, at).await?;
            definitions[at] = settled;
        }
        definitions.retain(|definition| !definition.name().is_empty());
        // What was committed before is still delivered to the watches that end now.
        self.cache.reach(self.revision().await?).await?;
        let collection = self.cache.collection(&target.resource).await?;
        let is_settled = collection.changed() <= listed.resource_version;
        self.serve(&target, &definitions, listed.resource_version);
        Ok(is_settled)
    }

    /// Brings one definition up to date; an empty one when it is gone.
    async fn settle(&self, target: &Target, definitions: &[Crd], at: usize) -> Result<Crd, Status> {
        let mut definition = definitions[at].clone();
        let group = definition.spec.group.clone();
        let neighbours = definitions
            .iter()
            .enumerate()
            .filter(|(index, other)| *index != at && other.spec.group == group)
            .map(|(_, other)| other);
        let deleting = definition.metadata.get("deletionTimestamp").is_some();
        let patterns = |pattern: &str| self.crd_hooks().check_pattern(pattern);
        let mut changed = false;
        if !deleting {
            changed = conditions::settle(&mut definition, neighbours, &patterns, &self.now());
        }
        if deleting {
            return self.clean_up(target, definition).await;
        }
        if changed {
            self.store_definition(target, &definition).await?;
        }
        Ok(definition)
    }

    /// Deletes the objects of a definition, and the definition once none is left.
    async fn clean_up(&self, target: &Target, mut definition: Crd) -> Result<Crd, Status> {
        let (group, names) = (&definition.spec.group, &definition.status.accepted_names);
        let config = self.catalog().get(group, &names.plural).cloned();
        let held = definition.metadata.get("finalizers").and_then(Value::as_list);
        let ours =
            held.is_some_and(|list| list.iter().any(|it| it.as_str() == Some(CLEANUP_FINALIZER)));
        if !ours {
            return Ok(definition);
        }
        let left = match config.filter(|config| config.family == Family::Custom) {
            Some(config) => self.delete_objects(&config).await,
            None => Ok(0),
        };
        let now = self.now();
        let left = match left {
            Ok(left) => left,
            // A conversion webhook that is gone keeps its own definition, and no other one.
            Err(status) => {
                let why = format!("could not list instances: {}", status.message);
                conditions::set_cleanup(&mut definition, &Cleanup::Failed(why), &now);
                self.store_definition(target, &definition).await?;
                return Ok(definition);
            }
        };
        if left > 0 {
            conditions::set_cleanup(&mut definition, &Cleanup::InProgress, &now);
            self.store_definition(target, &definition).await?;
            return Ok(definition);
        }
        conditions::set_cleanup(&mut definition, &Cleanup::Completed, &now);
        let mut object = crd::write(&definition);
        let mut finalizers = object::finalizers(&object);
        finalizers.retain(|finalizer| finalizer != CLEANUP_FINALIZER);
        let last = finalizers.is_empty();
        object::set_finalizers(&mut object, finalizers);
        if !last {
            let definition = crd::read(&object);
            self.store_definition(target, &definition).await?;
            return Ok(definition);
        }
        let key = target.resource.key("", definition.name());
        if let Some(current) = self.read(&target.resource, &key).await? {
            self.remove(&key, Expect::Exact(current.revision)).await?;
        }
        Ok(Crd::default())
    }

    /// Deletes all objects of a kind and counts those that stay behind.
    async fn delete_objects(&self, config: &Arc<RestConfig>) -> Result<usize, Status> {
        let target = Target {
            resource: Arc::clone(config),
            version: config.storage_version.clone(),
            namespace: Text::default(),
            name: Text::default(),
        };
        let (list, options) = (ListOptions::default(), DeleteOptions::default());
        let mut left = 0;
        for item in self.list(&target, &list).await?.items {
            let member = Target {
                namespace: Text::from(object::namespace(&item)),
                name: Text::from(object::name(&item)),
                ..target.clone()
            };
            match self
                .delete_one(&member, &options, Reason::Undefined, &mut Warnings::default())
                .await
            {
                Ok(crate::Deleted::Marked(_)) => left += 1,
                Ok(_) => {}
                Err(status) if status.http_code() == 404 => {}
                Err(status) => return Err(status),
            }
        }
        Ok(left)
    }

    async fn store_definition(&self, target: &Target, definition: &Crd) -> Result<(), Status> {
        let resource = &target.resource;
        let key = resource.key("", definition.name());
        let Some(current) = self.read(resource, &key).await? else { return Ok(()) };
        let mut object = crd::write(definition);
        if let Some(manager) = resource.strategy.field_manager(&target.version, Part::Status) {
            object::copy(&mut object, &current.object, "managedFields");
            object = manager.update(&current.object, object, CONTROLLER, self.clock.now());
        }
        let bytes = self.encode(resource, &resource.storage_version, &object).await?;
        if bytes != current.bytes {
            let _: Option<Stored> =
                self.commit(resource, &key, Expect::Exact(current.revision), bytes).await?;
        }
        Ok(())
    }

    /// Serves exactly the custom kinds that these definitions define.
    fn serve(&self, target: &Target, definitions: &[Crd], settled: Revision) {
        let catalog = self.catalog();
        let mut behind = BTreeMap::new();
        let mut configs: Vec<Arc<RestConfig>> =
            catalog.iter().filter(|it| is_lasting(it)).cloned().collect();
        for definition in definitions {
            let names = &definition.status.accepted_names;
            // What is declared as types is not given away to a definition of the same name.
            let taken = catalog.get(&definition.spec.group, &names.plural);
            if taken.is_some_and(|it| is_lasting(it)) {
                continue;
            }
            if !definition.is_true("NamesAccepted") && !definition.is_true("Established") {
                continue;
            }
            let names = &definition.status.accepted_names;
            let current = catalog.get(&definition.spec.group, &names.plural);
            let stamp = stamp(definition);
            let revision = definition.metadata.get("resourceVersion").and_then(Value::as_str);
            let revision = revision.and_then(|text| text.parse().ok()).unwrap_or(0);
            let key = target.resource.key("", definition.name());
            let name = GroupResource::new(definition.spec.group.clone(), names.plural.clone());
            behind.insert(name, Definition { key, revision });
            match current.filter(|config| config.generation == stamp) {
                Some(config) => configs.push(Arc::clone(config)),
                None => configs.extend(self.compile(definition, stamp).map(Arc::new)),
            }
        }
        self.replace_definitions_of(configs, behind, settled);
    }

    pub(crate) fn compile(&self, definition: &Crd, stamp: u64) -> Option<RestConfig> {
        let options = self.gates.custom_options();
        let names = &definition.status.accepted_names;
        let config = custom::config(definition, names, &options).ok()??;
        Some(RestConfig { generation: stamp, ..config })
    }
}

/// Whether a resource is served whatever the definitions say.
fn is_lasting(resource: &RestConfig) -> bool {
    resource.family == Family::BuiltIn || resource.strategy.declared().is_some()
}

/// Changes whenever what is served changes: a new definition, a new spec, other names, or the
/// beginning of the end.
fn stamp(definition: &Crd) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    let uid = definition.metadata.get("uid").and_then(Value::as_str).unwrap_or("");
    uid.hash(&mut hasher);
    definition.generation().hash(&mut hasher);
    definition.is_true("Terminating").hash(&mut hasher);
    ordain_value::json::encode(&definition.status.accepted_names.encode()).hash(&mut hasher);
    hasher.finish()
}
