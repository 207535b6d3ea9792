//! Declared kinds of a running server: how they are taken up, and how a changed declaration takes
//! the place of the one before.
//!
//! A change that would break stored objects is refused unless it is forced: objects that the new
//! declaration does not accept, would lose fields of, or no longer serves at all.

use std::collections::BTreeSet;
use std::sync::Arc;

use ordain_meta::GroupResource;
use ordain_meta::status::Status;
use ordain_schema::changes::{Change as Difference, changes};
use ordain_schema::declared::Api;
use ordain_value::{Value, json};

use crate::declared::{BuildError, build};
use crate::object;
use crate::registry::{Registry, store_failed};
use crate::request::Warnings;
use crate::strategy::{Change, Known, Part};
use ordain_strategy::RestConfig;

/// What came of a new declaration.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reload {
    /// What changed.
    pub changes: Vec<Difference>,
    /// What stored objects stand in the way, as texts for people.
    pub broken: Vec<String>,
    /// Whether the declaration is in force.
    pub applied: bool,
}

/// Why a declaration cannot be served.
#[derive(Debug, Clone, PartialEq)]
pub enum ReloadError {
    Build(BuildError),
    Store(String),
}

impl std::fmt::Display for ReloadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ReloadError::Build(error) => error.fmt(f),
            ReloadError::Store(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for ReloadError {}

/// How many stored objects are named when they stand in the way.
const BROKEN_MAX: usize = 20;

impl Registry {
    /// Serves declared kinds, with hooks and all, from now on.
    pub fn serve_declared(&self, configs: Vec<RestConfig>) {
        let catalog = self.catalog();
        let names: BTreeSet<GroupResource> =
            configs.iter().map(RestConfig::group_resource).collect();
        let kept = catalog.iter().filter(|it| !names.contains(&it.group_resource())).cloned();
        let mut all: Vec<Arc<RestConfig>> = kept.collect();
        all.extend(configs.into_iter().map(Arc::new));
        self.replace_catalog(all);
    }

    /// Puts a declaration in the place of another one.
    ///
    /// # Errors
    /// When a kind cannot be built, or stored objects cannot be read.
    pub async fn reload_types(
        &self,
        old: &Api,
        new: &Api,
        force: bool,
    ) -> Result<Reload, ReloadError> {
        let mut reload = Reload { changes: changes(old, new), ..Reload::default() };
        let configs = build(new, &self.gates).map_err(ReloadError::Build)?;
        let stored = self.broken(old, &configs).await;
        reload.broken = stored.map_err(|status| ReloadError::Store(status.message))?;
        if !reload.broken.is_empty() && !force {
            return Ok(reload);
        }
        reload.applied = true;
        if reload.changes.is_empty() {
            return Ok(reload);
        }
        let gone = old.kinds.iter().filter(|it| new.kind(&it.group, &it.kind).is_none());
        let gone: BTreeSet<GroupResource> =
            gone.map(|it| GroupResource::new(it.group.clone(), it.plural.clone())).collect();
        let catalog = self.catalog();
        let changed = |config: &RestConfig| {
            let name = format!("{}.{}", config.kind, config.group);
            reload.changes.iter().any(|it| it.kind == name)
        };
        let mut all: Vec<Arc<RestConfig>> = Vec::new();
        for resource in catalog.iter() {
            let key = resource.group_resource();
            let replaced = configs.iter().any(|it| it.group_resource() == key && changed(it));
            if !gone.contains(&key) && !replaced {
                all.push(Arc::clone(resource));
            }
        }
        // A number that no configuration of the kind had before: what was decoded is stale.
        let stamp = 1 + catalog.iter().map(|it| it.generation).fold(0, u64::max) % (u64::MAX / 2);
        for mut config in configs.into_iter().filter(changed) {
            config.generation = stamp;
            all.push(Arc::new(config));
        }
        self.replace_catalog(all);
        Ok(reload)
    }

    /// The stored objects that new configurations would break.
    async fn broken(&self, old: &Api, new: &[RestConfig]) -> Result<Vec<String>, Status> {
        let mut out = Vec::new();
        for kind in &old.kinds {
            let Some(before) = self.catalog().get(&kind.group, &kind.plural).cloned() else {
                continue;
            };
            let after = new.iter().find(|it| it.group == kind.group && it.kind == kind.kind);
            if !self.broken_objects(&before, after, &mut out).await? {
                break;
            }
        }
        Ok(out)
    }

    /// The stored objects that would break when one configuration takes the place of another;
    /// false when there are so many that no more are looked for.
    pub(crate) async fn broken_objects(
        &self,
        before: &RestConfig,
        after: Option<&RestConfig>,
        out: &mut Vec<String>,
    ) -> Result<bool, Status> {
        for entry in self.stored_entries(before).await? {
            let why = match after {
                None => Some("its kind is gone".to_owned()),
                Some(after) => breaks(before, after, &entry.1),
            };
            if let Some(why) = why {
                out.push(format!("{} {}: {why}", before.plural, entry.0));
            }
            if out.len() >= BROKEN_MAX {
                out.push("there may be more".to_owned());
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The objects of a resource as they lie in the store, with their names.
    async fn stored_entries(&self, config: &RestConfig) -> Result<Vec<(String, Value)>, Status> {
        let mut out = Vec::new();
        let prefix = config.collection_prefix("");
        let range = ordain_storage::Range::prefix(&prefix);
        let page = self.store.range(range).await.map_err(|error| store_failed(&error))?;
        for entry in page.entries {
            let value = json::decode(&entry.value).map_err(|error| {
                Status::internal(&format!("unable to decode {}: {error}", entry.key))
            })?;
            let (namespace, name) = (object::namespace(&value), object::name(&value));
            let shown =
                if namespace.is_empty() { name.to_owned() } else { format!("{namespace}/{name}") };
            out.push((shown, value));
        }
        Ok(out)
    }
}

/// Why a stored object does not live on under another configuration.
fn breaks(before: &RestConfig, after: &RestConfig, stored: &Value) -> Option<String> {
    let version = object::gvk(stored).version;
    if after.version(&version).is_none() {
        return Some(format!("it is stored in version {version}, which is gone"));
    }
    if before.namespaced != after.namespaced {
        return Some("its scope changed".to_owned());
    }
    let old = before.strategy.read(stored.clone());
    let new = after.strategy.read(stored.clone());
    let change = Change {
        version: &object::gvk(&new).version,
        part: Part::Main,
        object: &new,
        old: None,
        known: Known::default(),
        caller: ordain_strategy::Caller::default(),
    };
    let errors = after.strategy.validate(&change, &mut Warnings::default());
    if let Some(error) = errors.iter().next() {
        return Some(error.to_string());
    }
    lost(&old, &new).map(|path| format!("it would lose {path}"))
}

/// The first field of an object that is not in another one.
fn lost(old: &Value, new: &Value) -> Option<String> {
    let mut pending = vec![(String::new(), old, new)];
    while let Some((path, old, new)) = pending.pop() {
        match (old, new) {
            (Value::Map(old), Value::Map(new)) => {
                for (key, value) in old.iter() {
                    let here =
                        if path.is_empty() { key.to_string() } else { format!("{path}.{key}") };
                    if here == "apiVersion" {
                        continue;
                    }
                    match new.get(key) {
                        Some(other) => pending.push((here, value, other)),
                        None => return Some(here),
                    }
                }
            }
            (Value::List(old), Value::List(new)) => {
                for (at, value) in old.iter().enumerate() {
                    match new.get(at) {
                        Some(other) => pending.push((format!("{path}[{at}]"), value, other)),
                        None => return Some(format!("{path}[{at}]")),
                    }
                }
            }
            _ => {}
        }
    }
    None
}
