//! Empties namespaces that are going, and lets them go when they are empty.

use std::sync::Arc;

use ordain_meta::status::Status;
use ordain_storage::Expect;
use ordain_value::{Text, Value};

use crate::object;
use crate::registry::{Registry, Target};
use crate::request::{DeleteOptions, ListOptions, Warnings};
use crate::rest_config::RestConfig;

impl Registry {
    /// One round of the controllers. Does nothing when they are switched off.
    ///
    /// # Errors
    /// When the store fails; the next round tries again.
    pub async fn run_controllers(&self) -> Result<(), Status> {
        if !self.options().controllers {
            return Ok(());
        }
        let Some(namespaces) = self.catalog().get("", "namespaces").cloned() else {
            return Ok(());
        };
        let all = place(&namespaces, "", "");
        for namespace in self.list(&all, &ListOptions::default()).await?.items {
            if object::is_deleting(&namespace) {
                self.finalize(&namespaces, object::name(&namespace)).await?;
            }
        }
        Ok(())
    }

    async fn finalize(&self, namespaces: &Arc<RestConfig>, name: &str) -> Result<(), Status> {
        let mut left = 0;
        for resource in self.catalog().iter() {
            // Kinds that only show what another one stores are emptied with it.
            let stored = resource.version(&resource.storage_version).is_some();
            if resource.namespaced && resource.verbs.delete && stored {
                left += self.empty(resource, name).await?;
            }
        }
        if left > 0 {
            return Ok(());
        }
        let key = namespaces.key("", name);
        let Some(current) = self.read(namespaces, &key).await? else { return Ok(()) };
        let expect = Expect::Exact(current.revision);
        if object::finalizers(&current.object).is_empty() {
            self.remove(&key, expect).await?;
            return Ok(());
        }
        let mut freed = current.object.clone();
        if freed.remove_path(&["spec", "finalizers"]).is_some() {
            let bytes = self.encode(namespaces, &namespaces.storage_version, &freed);
            self.commit(namespaces, &key, expect, bytes).await?;
        }
        Ok(())
    }

    /// Deletes the objects of a kind in a namespace and tells how many are still there.
    async fn empty(&self, resource: &Arc<RestConfig>, namespace: &str) -> Result<usize, Status> {
        let all = place(resource, namespace, "");
        let found = self.list(&all, &ListOptions::default()).await?.items;
        if found.is_empty() {
            return Ok(0);
        }
        for item in found.iter().filter(|item| !object::is_deleting(item)) {
            let target = place(resource, namespace, object::name(item));
            let mut warnings = Warnings::default();
            match self.delete(&target, &DeleteOptions::default(), &mut warnings).await {
                Ok(_) => {}
                Err(status) if status.http_code() == 404 => {}
                Err(status) => return Err(status),
            }
        }
        let left: Vec<Value> = self.list(&all, &ListOptions::default()).await?.items;
        Ok(left.len())
    }
}

fn place(resource: &Arc<RestConfig>, namespace: &str, name: &str) -> Target {
    Target {
        version: resource.storage_version.clone(),
        resource: Arc::clone(resource),
        namespace: Text::from(namespace),
        name: Text::from(name),
    }
}
