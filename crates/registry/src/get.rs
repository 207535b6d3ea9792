//! The get verb.

use ordain_meta::status::Status;
use ordain_value::Value;

use crate::registry::{Registry, Target};

impl Registry {
    /// The object that the target names.
    pub async fn get(&self, target: &Target, resource_version: &str) -> Result<Value, Status> {
        self.await_version(resource_version).await?;
        let stored = self.read(&target.resource, &target.key()).await?;
        let stored = stored.ok_or_else(|| target.not_found())?;
        Ok(target.present(&stored))
    }

    /// Refuses a version that the store has not reached.
    pub(crate) async fn await_version(&self, text: &str) -> Result<(), Status> {
        if text.is_empty() {
            return Ok(());
        }
        let asked = crate::update::parse_uint(text)
            .map_err(|why| crate::watch::invalid_version(text, &why))?;
        if asked == 0 {
            return Ok(());
        }
        let current = self
            .store
            .current_revision()
            .await
            .map_err(|error| crate::registry::store_failed(&error))?;
        if asked > current {
            return Err(Status::resource_version_too_large(asked, current));
        }
        Ok(())
    }
}
