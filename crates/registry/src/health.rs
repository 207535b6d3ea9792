//! Whether the registry can do its work.

use ordain_meta::status::Status;

use crate::registry::{Registry, store_failed};

impl Registry {
    /// Asks the store for a sign of life.
    pub async fn ping(&self) -> Result<(), Status> {
        self.store.current_revision().await.map(|_| ()).map_err(|error| store_failed(&error))
    }
}
