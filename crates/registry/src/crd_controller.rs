//! What follows a change of a CustomResourceDefinition: its names are accepted, its kind is
//! served, and when it is deleted its objects go first.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ordain_meta::GroupResource;
use ordain_meta::status::Status;
use ordain_schema::conditions::{self, Cleanup};
use ordain_schema::crd::{CLEANUP_FINALIZER, Crd};
use ordain_storage::{Expect, Revision};
use ordain_value::{Text, Value};

use crate::aggregate;
use crate::cache::Change;
use crate::caller;
use crate::changes::Changes;
use crate::crd;
use crate::delete::Reason;
use crate::flow_schemas;
use crate::known_definitions::{KnownDefinitions, is_going};
use crate::object;
use crate::registry::{Defined, Definition, Registry, Target};
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
        if resource.group == flow_schemas::GROUP {
            self.flows.note_change();
        }
        let defines = resource.group == crd::GROUP && resource.plural == crd::PLURAL;
        if defines || resource.terminating {
            // Most writes change no definition and should not carry the room for it.
            return Box::pin(self.settle_definitions()).await;
        }
        Ok(())
    }

    /// Brings all definitions and what is served in step. This is work of the server's own: what is
    /// committed is served, even if the request that did it is out of time by now.
    pub async fn settle_definitions(&self) -> Result<(), Status> {
        caller::as_server(async {
            let mut known = self.known_definitions.lock().await;
            for _ in 0..SETTLE_TRIES {
                if self.settle_once(&mut known).await? {
                    return Ok(());
                }
            }
            Err(Status::internal("definitions change faster than they can be served"))
        })
        .await
    }

    /// One round; false if definitions changed meanwhile, by others or by the round itself.
    async fn settle_once(&self, known: &mut KnownDefinitions) -> Result<bool, Status> {
        let Some(target) = self.definitions() else { return Ok(true) };
        let News { definitions, read, beside } = self.news(&target, known).await?;
        for (name, definition) in &definitions {
            known.note(name, definition.as_ref());
        }
        // Those that go free their names for the others.
        let (going, kept): (Vec<_>, Vec<_>) =
            definitions.into_iter().partition(|(_, it)| it.as_ref().is_none_or(is_going));
        let mut settled = Vec::new();
        for (name, definition) in going.into_iter().chain(kept) {
            let definition = match definition {
                Some(definition) => self.settle(&target, known, definition).await?,
                None => None,
            };
            known.note(&name, definition.as_ref());
            settled.push((name, definition));
        }
        // What was committed before is still delivered to the watches that end now.
        self.cache.reach(self.revision().await?).await?;
        let collection = self.cache.collection(&target.resource).await?;
        let (is_settled, read) = match collection.since(read) {
            // The round knows what it wrote itself; others may have waited for that.
            Some((later, reached)) if are_noted(&later, &settled) && !known.has_waiting() => {
                (true, reached)
            }
            _ => (collection.changed() <= read, read),
        };
        self.serve(&target, settled, known, read);
        (known.read, known.beside) = (read, beside);
        Ok(is_settled)
    }

    /// The definitions that have to be looked at: those that changed since the last time, and those
    /// that a change may concern.
    async fn news(&self, target: &Target, known: &KnownDefinitions) -> Result<News, Status> {
        let beside = self.catalog().beside();
        let is_known = known.read > 0 && known.beside == beside;
        let changes = self.changes_since(target, known.read).await?;
        let Some(Changes { objects, revision: read }) = changes.filter(|_| is_known) else {
            return self.all_definitions(target, known, beside).await;
        };
        let resource = &target.resource;
        let mut definitions: BTreeMap<Text, Option<Crd>> = objects
            .into_iter()
            .map(|it| (it.name, it.object.as_ref().and_then(readable)))
            .collect();
        let changed: BTreeSet<Text> = definitions.keys().cloned().collect();
        for name in known.concerned(&changed) {
            let object = self.read(resource, &resource.key("", &name)).await?;
            definitions.insert(name, object.and_then(|it| readable(&it.object)));
        }
        Ok(News { definitions, read, beside })
    }

    /// All definitions, read anew, and those that are gone.
    async fn all_definitions(
        &self,
        target: &Target,
        known: &KnownDefinitions,
        beside: u64,
    ) -> Result<News, Status> {
        let listed = self.list(target, &ListOptions::default()).await?;
        let mut definitions: BTreeMap<Text, Option<Crd>> =
            known.names().chain(known.served.keys()).map(|name| (name.clone(), None)).collect();
        for item in &listed.items {
            definitions.insert(object::name(item).into(), readable(item));
        }
        Ok(News { definitions, read: listed.resource_version, beside })
    }

    /// Brings one definition up to date; `None` when it is gone.
    async fn settle(
        &self,
        target: &Target,
        known: &KnownDefinitions,
        mut definition: Crd,
    ) -> Result<Option<Crd>, Status> {
        if is_going(&definition) {
            return self.clean_up(target, definition).await;
        }
        let patterns = |pattern: &str| self.crd_hooks().check_pattern(pattern);
        // Only who waits for a name looks at the neighbours, of which there may be thousands.
        let neighbours: Vec<&Crd> = match known.is_waiting(&definition) {
            true => known.neighbours(&definition).collect(),
            false => Vec::new(),
        };
        let now = self.now();
        if conditions::settle(&mut definition, neighbours.into_iter(), &patterns, &now)
            && let Some(revision) = self.store_definition(target, &definition).await?
        {
            definition.metadata.insert("resourceVersion", revision.to_string().into());
        }
        Ok(Some(definition))
    }

    /// Deletes the objects of a definition, and the definition once none is left.
    async fn clean_up(&self, target: &Target, mut definition: Crd) -> Result<Option<Crd>, Status> {
        let (group, names) = (&definition.spec.group, &definition.status.accepted_names);
        let config = self.catalog().get(group, &names.plural).cloned();
        let held = definition.metadata.get("finalizers").and_then(Value::as_list);
        let ours =
            held.is_some_and(|list| list.iter().any(|it| it.as_str() == Some(CLEANUP_FINALIZER)));
        if !ours {
            return Ok(Some(definition));
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
                return Ok(Some(definition));
            }
        };
        if left > 0 {
            conditions::set_cleanup(&mut definition, &Cleanup::InProgress, &now);
            self.store_definition(target, &definition).await?;
            return Ok(Some(definition));
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
            return Ok(Some(definition));
        }
        let key = target.resource.key("", definition.name());
        if let Some(current) = self.read(&target.resource, &key).await? {
            self.remove(&key, Expect::Exact(current.revision)).await?;
        }
        Ok(None)
    }

    /// Deletes all objects of a kind and counts those that stay behind.
    async fn delete_objects(&self, config: &Arc<RestConfig>) -> Result<usize, Status> {
        let target = Target::stored(config, "", "");
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

    /// Stores what the server itself says about a definition; gives the revision at which it did,
    /// unless there was nothing to change or another writer changed it first: then another round
    /// follows.
    async fn store_definition(
        &self,
        target: &Target,
        definition: &Crd,
    ) -> Result<Option<Revision>, Status> {
        let resource = &target.resource;
        let key = resource.key("", definition.name());
        let current = self.read(resource, &key).await?;
        let looked_at = revision_of(definition);
        let Some(current) = current.filter(|it| it.revision == looked_at) else { return Ok(None) };
        let mut object = crd::write(definition);
        if let Some(manager) = resource.strategy.field_manager(&target.version, Part::Status) {
            object::copy(&mut object, &current.object, "managedFields");
            object = manager.update(&current.object, object, CONTROLLER, self.clock.now());
        }
        let encoded = self.encode(resource, &resource.storage_version, &object).await?;
        if encoded.bytes == current.bytes {
            return Ok(None);
        }
        let expect = Expect::Exact(current.revision);
        let stored = self.commit(resource, &key, expect, encoded).await?;
        Ok(stored.map(|stored| stored.revision))
    }

    /// Serves the custom kinds that these definitions define, and those of the others as before.
    fn serve(
        &self,
        target: &Target,
        definitions: Vec<(Text, Option<Crd>)>,
        known: &mut KnownDefinitions,
        settled: Revision,
    ) {
        let mut changes = Vec::new();
        for (name, definition) in definitions {
            let kind = definition.and_then(|definition| self.defined(target, &definition));
            let former = match &kind {
                Some(kind) => known.served.insert(name, kind.name.clone()),
                None => known.served.remove(&name),
            };
            changes.push((former, kind));
        }
        self.redefine(&changes, settled);
    }

    /// The kind that a definition defines; none if its names are not accepted or not free.
    fn defined(&self, target: &Target, definition: &Crd) -> Option<Defined> {
        if !definition.is_true("NamesAccepted") && !definition.is_true("Established") {
            return None;
        }
        let catalog = self.catalog();
        let names = &definition.status.accepted_names;
        let current = catalog.get(&definition.spec.group, &names.plural);
        // What is declared as types is not given away to a definition of the same name.
        if current.is_some_and(|it| is_lasting(it)) {
            return None;
        }
        let stamp = stamp(definition);
        let revision = revision_of(definition);
        let key = target.resource.key("", definition.name());
        let config = match current.filter(|config| config.generation == stamp) {
            Some(config) => Some(Arc::clone(config)),
            None => self.compile(definition, stamp).map(Arc::new),
        };
        let name = GroupResource::new(definition.spec.group.clone(), names.plural.clone());
        Some(Defined { name, definition: Definition { key, revision }, config })
    }

    pub(crate) fn compile(&self, definition: &Crd, stamp: u64) -> Option<RestConfig> {
        let options = self.gates.custom_options();
        let names = &definition.status.accepted_names;
        let config = custom::config(definition, names, &options).ok()??;
        Some(RestConfig { generation: stamp, ..config })
    }
}

/// Definitions that have to be looked at.
struct News {
    /// By name; `None` for those that are gone.
    definitions: BTreeMap<Text, Option<Crd>>,
    /// All changes up to here are among them.
    read: Revision,
    beside: u64,
}

/// The revision at which a definition was read.
fn revision_of(definition: &Crd) -> Revision {
    let revision = definition.metadata.get("resourceVersion").and_then(Value::as_str);
    revision.and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// Whether all changes are such that a definition is noted as it was after them.
fn are_noted(changes: &[Arc<Change>], noted: &[(Text, Option<Crd>)]) -> bool {
    let noted: BTreeMap<Revision, &str> = noted
        .iter()
        .filter_map(|(_, definition)| definition.as_ref())
        .map(|it| (revision_of(it), it.name()))
        .collect();
    let names = |change: &Change| noted.get(&change.revision).copied();
    changes.iter().all(|it| names(it).is_some_and(|name| it.key().ends_with(name)))
}

/// A stored definition; none if it cannot be read.
fn readable(object: &Value) -> Option<Crd> {
    Some(crd::read(object)).filter(|definition| !definition.name().is_empty())
}

/// Whether a resource is served whatever the definitions say.
pub(crate) fn is_lasting(resource: &RestConfig) -> bool {
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
