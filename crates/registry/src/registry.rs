//! The registry: a store, the resources served from it, and what every verb needs.

use std::collections::BTreeMap;
use std::sync::Arc;

use arc_swap::ArcSwap;
use bytes::Bytes;
use ordain_kubernetes::runtime_config::RuntimeConfig;
use ordain_meta::GroupResource;
use ordain_meta::gvk::ResourceName;
use ordain_meta::status::Status;
use ordain_meta::time::Time;
use ordain_storage::{Entry, Expect, MemoryStore, Outcome, Revision, Store, StoreError, Write};
use ordain_value::{Text, Value, json};

use ordain_schema::admission::AdmissionHooks;

use crate::admission::Chain;
use crate::aggregate::{Aggregation, Relay};
use crate::allocation::{Allocator, ServiceRanges};
use crate::cache::{Record, Showing, WatchCache};
use crate::caller;
use crate::crd::{DefinitionHooks, Hooks};
use crate::crd_controller::is_lasting;
use crate::definitions;
use crate::dynamic::WebhookClient;
use crate::flow_schemas::KnownFlows;
use crate::gates::Gates;
use crate::known_definitions::KnownDefinitions;
use crate::namespace::NamespaceLifecycle;
use crate::object;
use crate::source::{Clock, Entropy, FixedClock, SeededEntropy};
pub(crate) use ordain_strategy::Target;
use ordain_strategy::{Context, Conversions, User};
use ordain_strategy::{Family, RestConfig};

/// Everything a verb needs besides its request.
pub struct Registry {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) admission: Chain,
    catalog: ArcSwap<Catalog>,
    pub(crate) cache: WatchCache,
    hooks: Hooks,
    /// Held while definitions and what is served are brought in step.
    pub(crate) known_definitions: tokio::sync::Mutex<KnownDefinitions>,
    options: Options,
    pub(crate) gates: Arc<Gates>,
    pub(crate) allocator: Allocator,
    /// Who calls webhooks; without one none is called.
    pub(crate) webhooks: Option<Arc<dyn WebhookClient>>,
    runtime_config: RuntimeConfig,
    pub(crate) aggregation: Aggregation,
    pub(crate) flows: KnownFlows,
}

/// What may be switched off.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Whether terminating namespaces are emptied and dependents of deleted owners collected.
    pub controllers: bool,
}

/// The resources that are served at one moment.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    resources: BTreeMap<GroupResource, Arc<RestConfig>>,
    /// The stored definitions behind custom kinds.
    definitions: BTreeMap<GroupResource, Arc<Definition>>,
    /// All definitions up to this revision are in it.
    settled: Revision,
    /// Counts how often kinds without a definition came or went.
    beside: u64,
}

/// The definition of a kind as it was when the kind was compiled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Definition {
    pub(crate) key: String,
    pub(crate) revision: Revision,
}

/// A custom kind, with what it was made from.
pub(crate) struct Defined {
    pub(crate) name: GroupResource,
    pub(crate) definition: Definition,
    /// None if it cannot be compiled.
    pub(crate) config: Option<Arc<RestConfig>>,
}

impl Catalog {
    pub fn get(&self, group: &str, plural: &str) -> Option<&Arc<RestConfig>> {
        self.resources.get(&(group, plural) as &dyn ResourceName)
    }

    /// All resources, by group and name.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<RestConfig>> {
        self.resources.values()
    }

    pub(crate) fn settled(&self) -> Revision {
        self.settled
    }

    /// The definition that a configuration was made from, if it is the present one.
    fn definition(&self, resource: &RestConfig) -> Option<Option<&Arc<Definition>>> {
        let name = resource.group_resource();
        let current = self.resources.get(&name)?;
        (current.generation == resource.generation).then(|| self.definitions.get(&name))
    }

    pub fn by_kind(&self, group: &str, kind: &str) -> Option<&Arc<RestConfig>> {
        self.of_group(group).find(|resource| resource.kind == kind)
    }

    fn of_group(&self, group: &str) -> impl Iterator<Item = &Arc<RestConfig>> {
        let from = self.resources.range(GroupResource::new(group, "")..);
        from.take_while(move |(key, _)| key.group == group).map(|(_, resource)| resource)
    }

    pub(crate) fn beside(&self) -> u64 {
        self.beside
    }
}

/// An object as it is in the store, ready to use: pruned and defaulted, with its resourceVersion,
/// in the version that it is stored in.
#[derive(Debug, Clone)]
pub struct Stored {
    pub object: Value,
    pub revision: Revision,
    pub bytes: Bytes,
    /// Whether the bytes show what a read shows.
    pub(crate) showing: Showing,
}

/// An object as it is about to be stored.
#[derive(Debug, Clone)]
pub(crate) struct Encoded {
    pub(crate) bytes: Bytes,
    /// What the bytes are read back as; none for an object of unusual depth.
    pub(crate) tree: Option<Tree>,
}

/// What stored bytes are read back as.
#[derive(Debug, Clone)]
pub(crate) enum Tree {
    /// As they are.
    Stored(Value),
    /// With what reading from the store adds and takes away.
    Usable(Value, Showing),
}

impl Tree {
    /// The tree with what reading from the store adds and takes away, and whether that is nothing.
    pub(crate) fn usable(self, resource: &RestConfig) -> (Value, Showing) {
        match self {
            Self::Stored(tree) => {
                let usable = resource.strategy.read(tree.clone());
                let showing = if usable == tree { Showing::Bytes(None) } else { Showing::Unknown };
                (usable, showing)
            }
            Self::Usable(tree, showing) => (tree, showing),
        }
    }
}

impl Encoded {
    /// The JSON of an object, if it is what will be stored.
    pub(crate) fn json_of(&self, object: &Value) -> Option<&Bytes> {
        let is_it = matches!(&self.tree, Some(Tree::Stored(tree)) if tree == object);
        is_it.then_some(&self.bytes)
    }

    /// Goes as far as one can without knowing at which revision the object is stored.
    pub(crate) fn prepared(self, resource: &RestConfig) -> Self {
        let Self { bytes, tree } = self;
        let tree = tree.map(|tree| {
            let (usable, showing) = tree.usable(resource);
            Tree::Usable(usable, showing.prepared(&bytes))
        });
        Self { bytes, tree }
    }
}

impl Registry {
    pub fn new(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
        admission: Chain,
        hooks: Hooks,
        options: Options,
    ) -> Self {
        Self {
            cache: WatchCache::new(Arc::clone(&store)),
            store,
            clock,
            entropy,
            admission,
            catalog: ArcSwap::from_pointee(Catalog::default()),
            hooks,
            known_definitions: tokio::sync::Mutex::default(),
            options,
            gates: Arc::new(Gates::default()),
            allocator: Allocator::new(ServiceRanges::default()),
            webhooks: None,
            runtime_config: RuntimeConfig::default(),
            aggregation: Aggregation::default(),
            flows: KnownFlows::default(),
        }
    }

    /// A registry in memory that answers the same requests in the same way each time: its clock stands
    /// still, its names come from a seed, and nothing happens beside requests.
    #[must_use]
    pub fn repeatable() -> Self {
        Self::new(
            Arc::new(MemoryStore::default()),
            Arc::new(FixedClock(Time::from_unix(1_700_000_000, 0))),
            Arc::new(SeededEntropy::new(1)),
            Chain::new(vec![
                Arc::new(NamespaceLifecycle),
                Arc::new(crate::DefaultAdmission::default()),
                Arc::new(crate::ResourceQuota::default()),
            ]),
            Arc::new(DefinitionHooks::default()),
            Options { controllers: false },
        )
    }

    /// Serves with these feature gates.
    #[must_use]
    pub fn with_gates(mut self, gates: Arc<Gates>) -> Self {
        self.hooks = Arc::new(gates.definition_hooks());
        self.gates = gates;
        self
    }

    /// Gives services addresses and node ports of these ranges.
    #[must_use]
    pub fn with_service_ranges(mut self, ranges: ServiceRanges) -> Self {
        self.allocator = Allocator::new(ranges);
        self
    }

    /// Serves only what this configuration leaves on.
    #[must_use]
    pub fn with_runtime_config(mut self, config: RuntimeConfig) -> Self {
        self.runtime_config = config;
        self
    }

    /// Converts objects by the webhooks of their definitions, called in this way.
    #[must_use]
    pub fn with_webhooks(mut self, client: Arc<dyn WebhookClient>) -> Self {
        self.webhooks = Some(client);
        self
    }

    /// Passes requests for group versions of other servers on in this way.
    #[must_use]
    pub fn with_relay(mut self, relay: Arc<dyn Relay>) -> Self {
        self.aggregation.relay = Some(relay);
        self
    }

    /// The feature gates.
    pub fn gates(&self) -> &Arc<Gates> {
        &self.gates
    }

    /// Serves what every server serves, and what the stored definitions define.
    pub async fn start(&self) -> Result<(), Status> {
        let native = ordain_kubernetes::all().into_iter();
        let hooks = Arc::clone(&self.hooks);
        let definitions =
            crate::crd::config(hooks, &self.gates, ordain_kubernetes::definition_schema);
        let configs = native.map(|it| self.runtime_config.applied(it)).chain([definitions]);
        self.install_all(configs);
        self.create_namespaces().await?;
        self.repair_allocations().await?;
        self.create_own_service().await?;
        self.settle_definitions().await
    }

    /// Gives up the history before now. A store that was just filled has none worth keeping.
    pub async fn forget_history(&self) -> Result<(), Status> {
        let revision = self.revision().await?;
        self.store.compact(revision).await.map_err(|error| store_failed(&error))
    }

    pub(crate) fn crd_hooks(&self) -> &dyn AdmissionHooks {
        self.hooks.as_ref()
    }

    /// What is switched on.
    pub fn options(&self) -> Options {
        self.options
    }

    /// What is served now.
    pub fn catalog(&self) -> Arc<Catalog> {
        self.catalog.load_full()
    }

    /// Serves a resource from now on, in place of an older configuration of it.
    pub fn install(&self, config: RestConfig) {
        self.install_all([config]);
    }

    fn install_all(&self, configs: impl IntoIterator<Item = RestConfig>) {
        let configs: Vec<_> = configs.into_iter().map(Arc::new).collect();
        self.catalog.rcu(|catalog| {
            let mut next = Catalog::clone(catalog);
            let named = configs.iter().map(|it| (it.group_resource(), Arc::clone(it)));
            next.resources.extend(named);
            next.beside += 1;
            next
        });
    }

    /// Replaces all resources at once.
    pub fn replace_catalog(&self, configs: Vec<Arc<RestConfig>>) {
        let resources: BTreeMap<GroupResource, Arc<RestConfig>> =
            configs.into_iter().map(|config| (config.group_resource(), config)).collect();
        self.catalog.rcu(|catalog| Catalog {
            resources: resources.clone(),
            definitions: catalog.definitions.clone(),
            settled: catalog.settled,
            beside: catalog.beside + 1,
        });
        self.cache.retire(&self.catalog());
    }

    /// Serves custom kinds in the place of what their definitions were served as before. Kinds
    /// without a definition stay.
    pub(crate) fn redefine(
        &self,
        changes: &[(Option<GroupResource>, Option<Defined>)],
        settled: Revision,
    ) {
        self.catalog.rcu(|catalog| {
            let mut next = Catalog::clone(catalog);
            next.settled = settled;
            for former in changes.iter().filter_map(|(former, _)| former.as_ref()) {
                next.definitions.remove(former);
                if next.resources.get(former).is_some_and(|it| !is_lasting(it)) {
                    next.resources.remove(former);
                }
            }
            for kind in changes.iter().filter_map(|(_, kind)| kind.as_ref()) {
                if next.resources.get(&kind.name).is_some_and(|it| is_lasting(it)) {
                    continue;
                }
                next.definitions.insert(kind.name.clone(), Arc::new(kind.definition.clone()));
                if let Some(config) = &kind.config {
                    next.resources.insert(kind.name.clone(), Arc::clone(config));
                }
            }
            next
        });
        self.cache.retire(&self.catalog());
    }

    /// A number below the bound, other for every caller: spreads what should not happen at once.
    pub fn spread(&self, bound: u64) -> u64 {
        self.entropy.next_u64() % bound.max(1)
    }

    /// Letters that make a name one of its own.
    pub(crate) fn name_suffix(&self) -> Text {
        ordain_strategy::source::generate_name(self.entropy.as_ref(), "")
    }

    /// A new identity.
    pub fn new_uid(&self) -> Text {
        ordain_strategy::source::new_uid(self.entropy.as_ref())
    }

    /// Time, randomness and the user, for the spines.
    pub(crate) fn context<'a>(
        &'a self,
        user: Option<&'a User>,
        conversions: Option<&'a Arc<Conversions>>,
    ) -> Context<'a> {
        let (clock, entropy) = (self.clock.as_ref(), self.entropy.as_ref());
        Context { clock, entropy, user, conversions, dry_run: false }
    }

    pub(crate) fn now(&self) -> String {
        self.clock.now().encode()
    }

    /// Reads the object at a key.
    pub(crate) async fn read(
        &self,
        resource: &RestConfig,
        key: &str,
    ) -> Result<Option<Stored>, Status> {
        let record = self.cache.read(resource, key).await?;
        record.map(|record| self.stored_record(resource, &record)).transpose()
    }

    pub(crate) fn stored_record(
        &self,
        resource: &RestConfig,
        record: &Arc<Record>,
    ) -> Result<Stored, Status> {
        let object = self.cache.decoded(resource, record)?;
        let (revision, bytes) = (record.revision, record.bytes.clone());
        Ok(Stored { object, revision, bytes, showing: Showing::Unknown })
    }

    /// The bytes under which an object of some version is stored.
    pub(crate) async fn encode(
        &self,
        resource: &RestConfig,
        version: &str,
        object: &Value,
    ) -> Result<Encoded, Status> {
        let mut stored = object::to_store(object.clone());
        if version != resource.storage_version {
            stored = self.convert(resource, stored, &resource.storage_version).await?;
        }
        let tree = json::reread(&stored).map(Tree::Stored);
        // Copied, so that what is kept for long has no spare room at its end.
        let bytes = Bytes::copy_from_slice(&json::encode(&stored));
        Ok(Encoded { bytes, tree })
    }

    /// Writes an object under a key, if it is still as expected. `None` when it is not.
    pub(crate) async fn commit(
        &self,
        resource: &RestConfig,
        key: &str,
        expect: Expect,
        encoded: Encoded,
    ) -> Result<Option<Stored>, Status> {
        caller::check_deadline()?;
        let bytes = &encoded.bytes;
        let mut writes = vec![Write::put(key, expect, bytes.clone())];
        let definition = self.definition_of(resource)?;
        if let Some(definition) = &definition {
            let expect = Expect::Exact(definition.revision);
            writes.push(Write::check(definition.key.as_str(), expect));
        }
        let outcome = self.cache.changed(self.store.commit_all(writes)).await;
        let outcome = outcome.map_err(|error| store_failed(&error))?;
        let revision = match outcome {
            Outcome::Conflict(conflict)
                if definition.is_some_and(|it| *it.key == *conflict.key) =>
            {
                return Err(definitions::redefined());
            }
            Outcome::Conflict(_) => return Ok(None),
            Outcome::Committed(revision) => revision,
        };
        let record = self.cache.record(resource, &entry(key, bytes.clone(), revision)).await?;
        let (object, showing) = self.cache.written(resource, &record, &encoded)?;
        let (revision, bytes) = (record.revision, record.bytes.clone());
        Ok(Some(Stored { object, revision, bytes, showing }))
    }

    /// Makes all writes, each if its key is still as expected; none of them otherwise.
    pub(crate) async fn commit_together(
        &self,
        writes: Vec<(String, Expect, Bytes)>,
    ) -> Result<bool, Status> {
        let writes = writes.into_iter();
        let writes = writes.map(|(key, expect, bytes)| Write::put(key.as_str(), expect, bytes));
        let outcome = self.cache.changed(self.store.commit_all(writes.collect())).await;
        match outcome.map_err(|error| store_failed(&error))? {
            Outcome::Committed(revision) => {
                self.cache.reach(revision).await?;
                Ok(true)
            }
            Outcome::Conflict(_) => {
                self.cache.reach(self.revision().await?).await?;
                Ok(false)
            }
        }
    }

    /// The definition that an object was judged by and that must still be there when it is
    /// committed: another server may have changed it. None for kinds that have none, and for what
    /// the server does because a definition changed.
    pub(crate) fn definition_of(
        &self,
        resource: &RestConfig,
    ) -> Result<Option<Arc<Definition>>, Status> {
        if resource.family != Family::Custom || caller::is_server() {
            return Ok(None);
        }
        match self.catalog().definition(resource) {
            Some(definition) => Ok(definition.cloned()),
            None => Err(definitions::redefined()),
        }
    }

    /// What reading a key back would give after this was written at the revision.
    pub(crate) fn stored(
        &self,
        resource: &RestConfig,
        key: &str,
        encoded: Encoded,
        revision: Revision,
    ) -> Result<Stored, Status> {
        let record = Record::of(&entry(key, encoded.bytes, revision));
        let object = match encoded.tree {
            Some(tree) => record.usable(tree.usable(resource).0)?,
            None => record.decode(resource)?,
        };
        Ok(Stored { object, revision, bytes: record.bytes, showing: Showing::Unknown })
    }

    /// Removes a key, if it is still as expected. `None` when it is not.
    pub(crate) async fn remove(
        &self,
        key: &str,
        expect: Expect,
    ) -> Result<Option<Revision>, Status> {
        caller::check_deadline()?;
        let write = Write::delete(key, expect);
        let outcome = self.cache.changed(self.store.commit(write)).await;
        let outcome = outcome.map_err(|error| store_failed(&error))?;
        match outcome {
            Outcome::Conflict(_) => Ok(None),
            Outcome::Committed(revision) => Ok(Some(revision)),
        }
    }
}

fn entry(key: &str, bytes: Bytes, revision: Revision) -> Entry {
    Entry { key: key.into(), value: bytes, create_revision: revision, mod_revision: revision }
}

/// A failure of the store as the answer to a request.
pub(crate) fn store_failed(error: &StoreError) -> Status {
    match error {
        StoreError::Compacted { .. } => {
            Status::expired("The resourceVersion for the provided list is too old.")
        }
        StoreError::TooLarge { .. } => Status::request_entity_too_large("limit is 3145728"),
        other => Status::internal(&other.to_string()),
    }
}
