//! Whether the registry can do its work.

use ordain_meta::status::Status;

use crate::registry::{Registry, store_failed};

impl Registry {
    /// Whether the store takes writes, or why not.
    pub async fn ping(&self) -> Result<(), Status> {
        self.store.ready().await.map_err(|error| store_failed(&error))
    }
}
