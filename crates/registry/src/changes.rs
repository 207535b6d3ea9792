//! What changed among the objects of a resource, for those who follow it one object at a time.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use ordain_meta::status::Status;
use ordain_storage::Revision;
use ordain_value::{Text, Value};

use crate::cache::Record;
use crate::registry::{Registry, Target};

/// The objects of a resource that changed, each as it is now.
#[derive(Debug, Clone, PartialEq)]
pub struct Changes {
    /// In the order of their places.
    pub objects: Vec<Changed>,
    /// All changes up to here are among them.
    pub revision: Revision,
}

/// An object that changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Changed {
    /// Its namespace, if it has one.
    pub namespace: Text,
    /// Its name.
    pub name: Text,
    /// In the version that it is stored in; `None` if it is gone.
    pub object: Option<Value>,
}

/// How long to wait after a failure: a store that does not answer is not asked without end.
const PAUSE: Duration = Duration::from_millis(200);

/// Calls `once` as long as the server runs; it takes up what is stored and waits for a change.
pub async fn follow<F: Future<Output = Result<(), Status>>>(mut once: impl FnMut() -> F) {
    loop {
        if once().await.is_err() {
            tokio::time::sleep(PAUSE).await;
        }
    }
}

impl Registry {
    /// All objects of a resource as they are stored, and the revision of this moment. Defaults are
    /// not filled in, so that the kind need not be opened: for those who look at few fields.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn stored_objects(&self, target: &Target) -> Result<(Vec<Value>, Revision), Status> {
        let collection = self.cache.collection(&target.resource).await?;
        self.cache.reach(self.revision().await?).await?;
        let prefix = target.resource.collection_prefix("");
        let page = collection.page(&prefix, 0, self.cache.reached());
        let objects =
            page.records.iter().map(|record| record.stored()).collect::<Result<_, _>>()?;
        Ok((objects, page.revision))
    }

    /// What changed after a revision, up to now. None if that is longer ago than is remembered: then
    /// everything has to be read.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn changes_since(
        &self,
        target: &Target,
        after: Revision,
    ) -> Result<Option<Changes>, Status> {
        let resource = &target.resource;
        let collection = self.cache.collection(resource).await?;
        self.cache.reach(self.revision().await?).await?;
        let Some((changes, revision)) = collection.since(after) else { return Ok(None) };
        let mut latest: BTreeMap<&str, Option<&Arc<Record>>> = BTreeMap::new();
        for change in &changes {
            latest.insert(change.key(), change.new.as_ref());
        }
        let prefix = resource.collection_prefix("");
        let mut objects = Vec::new();
        for (key, record) in latest {
            let stored = record.map(|record| self.stored_record(resource, record)).transpose()?;
            let place = key.strip_prefix(prefix.as_str()).unwrap_or(key);
            let (namespace, name) = match place.split_once('/') {
                Some((namespace, name)) if resource.namespaced => (namespace, name),
                _ => ("", place),
            };
            objects.push(Changed {
                namespace: namespace.into(),
                name: name.into(),
                object: stored.map(|stored| stored.object),
            });
        }
        Ok(Some(Changes { objects, revision }))
    }
}
