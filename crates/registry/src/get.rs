//! The get verb.

use ordain_meta::status::Status;
use ordain_strategy::RestConfig;
use ordain_value::Value;

use crate::registry::{Registry, Target};

impl Registry {
    /// The object that the target names.
    pub async fn get(&self, target: &Target, resource_version: &str) -> Result<Value, Status> {
        self.await_version(resource_version).await?;
        let stored = self.read(&target.resource, &target.key()).await?;
        let stored = stored.ok_or_else(|| target.not_found())?;
        self.present(target, &stored).await
    }

    /// How many bytes are stored of the object that the target names, as far as that is known
    /// without asking the store.
    pub fn known_len(&self, target: &Target) -> Option<usize> {
        self.cache.len_of(&target.resource, &target.key())
    }

    /// How many bytes an object of a resource has at most, as far as that is known without asking
    /// the store.
    pub fn known_largest(&self, resource: &RestConfig) -> Option<usize> {
        self.cache.largest(resource)
    }

    /// The JSON of the object that the target names, copied from what is stored. `None` when the
    /// object is stored in another version than the target asks for.
    pub async fn get_json(
        &self,
        target: &Target,
        resource_version: &str,
    ) -> Result<Option<Vec<u8>>, Status> {
        if target.version != target.resource.storage_version {
            return Ok(None);
        }
        self.await_version(resource_version).await?;
        let record = self.cache.read(&target.resource, &target.key()).await?;
        let record = record.ok_or_else(|| target.not_found())?;
        if !record.is_in_storage_version(&target.resource)? {
            return Ok(None);
        }
        let mut out = Vec::with_capacity(record.len() + 64);
        record.write_json(&target.resource, record.revision, true, &mut out)?;
        Ok(Some(out))
    }

    /// Refuses a version that the store has not reached.
    pub(crate) async fn await_version(&self, text: &str) -> Result<(), Status> {
        if text.is_empty() {
            return Ok(());
        }
        let asked = ordain_strategy::update::parse_uint(text)
            .map_err(|why| crate::watch::invalid_version(text, &why))?;
        if asked == 0 {
            return Ok(());
        }
        let current = self.revision().await?;
        if asked > current {
            return Err(Status::resource_version_too_large(asked, current));
        }
        Ok(())
    }
}
