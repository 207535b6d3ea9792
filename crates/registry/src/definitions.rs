//! Definitions that others change: servers that share a store follow each other's definitions, and
//! no object is committed that was judged by an older definition than the stored one.
//!
//! Each custom kind knows the revision of the definition that it was compiled from. A commit of one
//! of its objects holds only if the stored definition still has that revision; if not, the catalog
//! is brought up to date and the request judged anew. So nothing rests on how quickly a change is
//! heard of, and [`Registry::follow_definitions`] only makes it quick.

use std::sync::Arc;

use ordain_meta::status::Status;
use ordain_strategy::RestConfig;

use crate::changes::follow;
use crate::crd;
use crate::registry::{Registry, Target, store_failed};
use crate::request::ListOptions;

/// How often a request is judged anew because definitions change under it.
const TRIES: usize = 16;

const REDEFINED: &str = "the definition of the kind changed while the object was written";

/// Why a commit was not made whose object was judged by another definition than the stored one.
pub(crate) fn redefined() -> Status {
    Status::internal(REDEFINED)
}

fn is_redefined(status: &Status) -> bool {
    status.http_code() == 500 && status.message.ends_with(REDEFINED)
}

/// A write on its way, with the definition it is judged by.
pub(crate) struct Judging {
    pub(crate) target: Target,
    tries: usize,
}

impl Judging {
    pub(crate) fn new(target: &Target) -> Self {
        Self { target: target.clone(), tries: 1 }
    }
}

impl Registry {
    /// What a write came to; `None` if its definition changed on the way, and it is to be judged
    /// again by the new one.
    pub(crate) async fn settled<T>(
        &self,
        judging: &mut Judging,
        outcome: Result<T, Status>,
    ) -> Result<Option<T>, Status> {
        let again = match &outcome {
            Err(status) if judging.tries < TRIES => {
                // A refusal counts only if the definition that it rests on does.
                let refusal = matches!(status.http_code(), 400 | 403 | 422);
                is_redefined(status)
                    || refusal && self.check_definition(&judging.target.resource).await.is_err()
            }
            _ => false,
        };
        if !again {
            return outcome.map(Some);
        }
        judging.tries += 1;
        self.settle_definitions().await?;
        let target = &mut judging.target;
        let found = self.catalog().get(&target.resource.group, &target.resource.plural).cloned();
        match found.filter(|resource| resource.served(&target.version).is_some()) {
            Some(resource) => target.resource = resource,
            None => return Err(target.not_found()),
        }
        Ok(None)
    }

    /// Refuses what was judged by another definition than the stored one. Commits find out by
    /// themselves; this is for writes that turn out to change nothing.
    pub(crate) async fn check_definition(&self, resource: &RestConfig) -> Result<(), Status> {
        let Some(definition) = self.definition_of(resource)? else { return Ok(()) };
        let stored = self.store.get(&definition.key).await.map_err(|error| store_failed(&error))?;
        match stored.entry {
            Some(entry) if entry.mod_revision == definition.revision => Ok(()),
            _ => Err(redefined()),
        }
    }

    /// Takes up what others defined before now. For those who look for a kind and find none.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn catch_up(&self) -> Result<(), Status> {
        let Some(target) = self.definitions() else { return Ok(()) };
        let collection = self.cache.collection(&target.resource).await?;
        self.cache.reach(self.revision().await?).await?;
        if collection.changed() > self.catalog().settled() {
            self.settle_definitions().await?;
        }
        Ok(())
    }

    /// Keeps what is served in step with the stored definitions as long as the server runs.
    pub async fn follow_definitions(self: &Arc<Self>) {
        follow(|| self.follow_once()).await;
    }

    async fn follow_once(self: &Arc<Self>) -> Result<(), Status> {
        self.catch_up().await?;
        let Some(target) = self.definitions() else { return std::future::pending().await };
        let options = ListOptions {
            resource_version: self.catalog().settled().to_string().into(),
            watch: true,
            ..ListOptions::default()
        };
        let mut watcher = self.watch(&target, &options).await?;
        watcher.next().await;
        Ok(())
    }

    /// All definitions, as a target.
    pub(crate) fn definitions(&self) -> Option<Target> {
        let resource = self.catalog().get(crd::GROUP, crd::PLURAL).cloned()?;
        Some(Target::stored(&resource, "", ""))
    }
}
