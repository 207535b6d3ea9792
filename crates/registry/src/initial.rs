//! What every server begins with: objects that are created where they are missing, many in one
//! commit, so that a first start costs one sync of the disk and not one for each.
//!
//! They are the server's own: no admission is asked about them, and they are not validated at each
//! start, which would have to open the rules of all their kinds. A test validates them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use ordain_meta::GroupResource;
use ordain_meta::status::{Reason, Status};
use ordain_storage::{Expect, Key, Outcome, Write};
use ordain_strategy::create::{Origin, Read};
use ordain_strategy::{RestConfig, Target};
use ordain_value::Value;

use crate::create::Cause;
use crate::object;
use crate::registry::{Registry, store_failed};
use crate::request::{Warnings, WriteOptions};

/// Writes of one commit; etcd takes no more than 128.
const WRITES_MAX: usize = 100;
/// How often a commit is tried against other servers that begin on the same store.
const TRIES: usize = 16;

/// How often a server tries to create what every server begins with, beside others that start too.
const INITIAL_TRIES: usize = 100;
const INITIAL_PAUSE: Duration = Duration::from_millis(50);

/// An object that is created where it is missing.
#[derive(Debug, Clone)]
pub struct Initial {
    /// The group of its resource.
    pub group: &'static str,
    /// The name of its resource.
    pub plural: &'static str,
    /// The object itself.
    pub object: Value,
    /// Who owns its fields; no record of owners is kept if it is empty.
    pub manager: &'static str,
}

impl Initial {
    /// An object of which no record of owners is kept.
    fn plain((group, plural, object): (&'static str, &'static str, Value)) -> Self {
        Self { group, plural, object, manager: "" }
    }
}

impl Registry {
    /// Creates the namespaces that every server begins with.
    pub(crate) async fn create_namespaces(&self) -> Result<(), Status> {
        let namespaces = crate::namespace::initial().map(|object| ("", "namespaces", object));
        let all = namespaces.chain(ordain_kubernetes::bootstrap::objects());
        self.create_initial_objects(all.map(Initial::plain).collect()).await
    }

    /// Creates what a server begins with besides: flow control, and in kube-system since when
    /// tokens are looked at and by which authority clients are known, if there is one.
    pub async fn create_system_objects(&self, client_authority: &str) -> Result<(), Status> {
        let mut maps = vec![ordain_kubernetes::bootstrap::token_tracking(&self.now())];
        if !client_authority.is_empty() {
            maps.push(ordain_kubernetes::bootstrap::authentication(client_authority));
        }
        let flow_control = ordain_kubernetes::bootstrap::flow_control();
        let schemas = flow_control.iter().filter(|it| it.1 == "flowschemas");
        let schemas: Vec<_> =
            schemas.map(|it| (it.0, it.1, object::name(&it.2).to_owned())).collect();
        let maps = maps.into_iter().map(|map| ("", "configmaps", map));
        let all = flow_control.into_iter().chain(maps).map(Initial::plain);
        self.create_initial_objects(all.collect()).await?;
        for (group, plural, name) in schemas {
            let Some(resource) = self.catalog().get(group, plural).cloned() else { continue };
            self.after_commit(&Target::stored(&resource, "", name)).await?;
        }
        Ok(())
    }

    /// Creates the service that the server goes by, at the first address of its range.
    pub(crate) async fn create_own_service(&self) -> Result<(), Status> {
        let mut service = crate::own_service::kubernetes();
        if let Some(ip) = self.own_address() {
            let ip = Value::from(ip.to_string());
            service.set_path(&["spec", "clusterIPs"], vec![ip.clone()].into());
            service.set_path(&["spec", "clusterIP"], ip);
        }
        self.create_initial("", "services", service).await
    }

    /// Creates an object that is given something from pools, unless it is there.
    pub(crate) async fn create_initial(
        &self,
        group: &str,
        plural: &str,
        object: Value,
    ) -> Result<(), Status> {
        let Some(config) = self.catalog().get(group, plural).cloned() else { return Ok(()) };
        let target = Target::of(&config, &object);
        let mut tries = INITIAL_TRIES;
        loop {
            if self.read(&config, &target.key()).await?.is_some() {
                return Ok(());
            }
            let mut warnings = Warnings::default();
            let context = self.context(None, None);
            let read = Read::object(context, &target, object.clone(), Origin::Posted)?;
            let options = WriteOptions::default();
            match self.create_object(&target, Cause::Create, read, &options, &mut warnings).await {
                // Another server on the same store was faster.
                Err(status) if status.reason == Reason::AlreadyExists => return Ok(()),
                // Or is about to be: it has taken the address of the object already.
                Err(status) if tries > 0 && status.http_code() == 422 => tries -= 1,
                result => return result.map(|_| ()),
            }
            tokio::time::sleep(INITIAL_PAUSE).await;
        }
    }

    /// Creates those objects that are missing; what is there stays as it is.
    ///
    /// # Errors
    /// When the store fails, or an object is not one of its kind.
    pub async fn create_initial_objects(&self, objects: Vec<Initial>) -> Result<(), Status> {
        let mut by_kind: BTreeMap<GroupResource, Vec<Initial>> = BTreeMap::new();
        for object in objects {
            let kind = GroupResource::new(object.group, object.plural);
            by_kind.entry(kind).or_default().push(object);
        }
        for _ in 0..TRIES {
            let mut missing = Vec::new();
            for (kind, objects) in &by_kind {
                let catalog = self.catalog();
                let Some(config) = catalog.get(&kind.group, &kind.resource) else { continue };
                missing.extend(self.missing(config, objects).await?);
            }
            if self.insert_initial(missing).await? {
                return Ok(());
            }
        }
        Err(Status::internal("other servers begin on the same store without end"))
    }

    /// The writes that create what is missing of one kind.
    async fn missing(
        &self,
        config: &Arc<RestConfig>,
        objects: &[Initial],
    ) -> Result<Vec<Write>, Status> {
        let collection = self.cache.collection(config).await?;
        self.cache.reach(self.revision().await?).await?;
        let page = collection.page(&config.collection_prefix(""), 0, self.cache.reached());
        let known: BTreeSet<&Key> = page.records.iter().map(|it| &it.key).collect();
        let mut writes = Vec::new();
        for Initial { object, manager, .. } in objects {
            let target = Target::of(config, object);
            let key = Key::from(target.key());
            if !known.contains(&key) {
                let candidate = self.initial_candidate(&target, object.clone(), manager)?;
                let encoded = self.encode(config, &target.version, &candidate).await?;
                writes.push(Write::put(key, Expect::Absent, encoded.bytes));
            }
        }
        Ok(writes)
    }

    /// An object as it is stored.
    fn initial_candidate(
        &self,
        target: &Target,
        object: Value,
        manager: &'static str,
    ) -> Result<Value, Status> {
        let (context, mut warnings) = (self.context(None, None), Warnings::default());
        let read = if manager.is_empty() {
            Read::object(context, target, object, Origin::Posted)?
        } else {
            let options = WriteOptions { field_manager: manager.into(), ..WriteOptions::default() };
            Read::value(context, target, object, &options, &mut warnings)?
        };
        read.admitted(&mut warnings).trusted()
    }

    /// Commits the writes; false when another server was faster with one of them.
    async fn insert_initial(&self, writes: Vec<Write>) -> Result<bool, Status> {
        for part in writes.chunks(WRITES_MAX) {
            let outcome = self.store.commit_all(part.to_vec()).await;
            match outcome.map_err(|error| store_failed(&error))? {
                Outcome::Committed(revision) => self.cache.reach(revision).await?,
                Outcome::Conflict(_) => return Ok(false),
            }
        }
        Ok(true)
    }
}
