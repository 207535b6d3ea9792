//! What every server begins with: objects that are created where they are missing, many in one
//! commit, so that a first start costs one sync of the disk and not one for each.
//!
//! They are the same on every server but for their uid, their time and a few values. So they are
//! kept in the form in which they are stored, and a start decodes, defaults and records owners for
//! none of them. Tests compare them with what the write path makes of the declared objects
//! ([`ordain_kubernetes::bootstrap`]).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use ordain_kubernetes::bootstrap;
use ordain_meta::status::{Reason, Status};
use ordain_storage::{Expect, Outcome, Write};
use ordain_strategy::create::{Origin, Read};
use ordain_strategy::{RestConfig, Target};
use ordain_value::{Value, json};

use crate::create::Cause;
use crate::flow_schemas;
use crate::registry::{Registry, store_failed};
use crate::request::{Warnings, WriteOptions};

/// Namespaces, priority classes and the addresses of services.
const FIRST: &str = include_str!("initial/first.txt");
/// Flow control, and what kube-system says about the server.
const SYSTEM: &str = include_str!("initial/system.txt");
/// The service that the server goes by, and its address.
const OWN: &str = include_str!("initial/own.txt");

/// Writes of one commit; etcd takes no more than 128.
const WRITES_MAX: usize = 100;
/// How often a commit is tried against other servers that begin on the same store.
const TRIES: usize = 16;

/// How often a server tries to create what every server begins with, beside others that start too.
const INITIAL_TRIES: usize = 100;
const INITIAL_PAUSE: Duration = Duration::from_millis(50);

/// An object in the form in which it is stored: a line with its group and plural, its namespace and
/// name (`-` where there is none) and its JSON, which has the names of values between dollar signs.
struct Prepared<'a> {
    group: &'a str,
    plural: &'a str,
    namespace: &'a str,
    name: &'a str,
    json: &'a str,
}

impl<'a> Prepared<'a> {
    fn read(line: &'a str) -> Option<Self> {
        let mut words = line.splitn(5, ' ').map(|word| if word == "-" { "" } else { word });
        let mut next = || words.next();
        let (group, plural, namespace, name) = (next()?, next()?, next()?, next()?);
        Some(Self { group, plural, namespace, name, json: next()? })
    }

    fn target(&self, config: &Arc<RestConfig>, values: &[(&str, &str)]) -> Result<Target, Status> {
        Ok(Target::stored(config, self.namespace, fill(self.name, values)?))
    }
}

/// The lines of prepared objects.
pub(crate) fn lines(text: &str) -> Vec<&str> {
    text.lines().collect()
}

/// A text with the values of a server in place of their names.
fn fill(text: &str, values: &[(&str, &str)]) -> Result<String, Status> {
    let mut filled = String::with_capacity(text.len() + 64);
    for (at, part) in text.split('$').enumerate() {
        if at % 2 == 0 {
            filled.push_str(part);
            continue;
        }
        let Some((_, value)) = values.iter().find(|it| it.0 == part) else {
            return Err(Status::internal(&format!("no value {part} for an initial object")));
        };
        filled.push_str(value);
    }
    Ok(filled)
}

impl Registry {
    /// Creates the namespaces that every server begins with, and what has to be there besides.
    pub(crate) async fn create_namespaces(&self) -> Result<(), Status> {
        let cidrs = json::encode_string(&Value::from(self.service_cidrs()));
        self.create_prepared(&lines(FIRST), &[("cidrs", &cidrs)]).await.map(drop)
    }

    /// Creates what a server begins with besides: flow control, and in kube-system since when
    /// tokens are looked at and by which authority clients are known, if there is one.
    pub async fn create_system_objects(&self, client_authority: &str) -> Result<(), Status> {
        let now = self.now();
        let today = now.split('T').next().unwrap_or("");
        let authority = json::encode_string(&client_authority.into());
        let values = [("date", today), ("authority", authority.as_str())];
        let mut system = lines(SYSTEM);
        system.retain(|line| !client_authority.is_empty() || !line.contains("$authority$"));
        let known = self.create_prepared(&system, &values).await?;
        // Those that are new say already that their level is there.
        for target in known.iter().filter(|it| flow_schemas::is_schema(&it.resource)) {
            self.after_commit(target).await?;
        }
        self.flows.note_change();
        Ok(())
    }

    /// Creates the service that the server goes by, at the first address of its range.
    pub(crate) async fn create_own_service(&self) -> Result<(), Status> {
        let Some(ip) = self.own_address() else { return Ok(()) };
        if ip.is_ipv4() && self.is_unclaimed(ip).await? {
            self.create_prepared(&lines(OWN), &[("ip", &ip.to_string())]).await?;
            self.note_taken(ip);
            return Ok(());
        }
        self.create_initial("", "services", bootstrap::service(ip)).await
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

    /// Creates those prepared objects that are missing, with the values that their lines name besides
    /// `uid` and `now`; what is there stays as it is, and is given back.
    ///
    /// # Errors
    /// When the store fails, or a line names a value that is not given.
    pub async fn create_prepared(
        &self,
        lines: &[&str],
        values: &[(&str, &str)],
    ) -> Result<Vec<Target>, Status> {
        let mut by_kind: BTreeMap<(&str, &str), Vec<Prepared<'_>>> = BTreeMap::new();
        for object in lines.iter().filter_map(|line| Prepared::read(line)) {
            by_kind.entry((object.group, object.plural)).or_default().push(object);
        }
        for _ in 0..TRIES {
            let (mut missing, mut known) = (Vec::new(), Vec::new());
            for ((group, plural), objects) in &by_kind {
                let catalog = self.catalog();
                let Some(config) = catalog.get(group, plural) else { continue };
                missing.extend(self.missing(config, objects, values, &mut known).await?);
            }
            if self.insert_initial(missing).await? {
                return Ok(known);
            }
        }
        Err(Status::internal("other servers begin on the same store without end"))
    }

    /// The writes that create what is missing of one kind; what is there goes to `known`.
    async fn missing(
        &self,
        config: &Arc<RestConfig>,
        objects: &[Prepared<'_>],
        values: &[(&str, &str)],
        known: &mut Vec<Target>,
    ) -> Result<Vec<Write>, Status> {
        let collection = self.cache.collection(config).await?;
        self.cache.reach(self.revision().await?).await?;
        let now = self.now();
        let mut writes = Vec::new();
        for object in objects {
            let target = object.target(config, values)?;
            let key = target.key();
            let found = collection.page(&key, 1, self.cache.reached());
            if found.records.first().is_some_and(|it| *it.key == *key) {
                known.push(target);
                continue;
            }
            let uid = self.new_uid();
            let own = [("uid", uid.as_str()), ("now", now.as_str())];
            let all: Vec<(&str, &str)> = own.into_iter().chain(values.iter().copied()).collect();
            writes.push(Write::put(
                key.as_str(),
                Expect::Absent,
                Bytes::from(fill(object.json, &all)?),
            ));
        }
        Ok(writes)
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
