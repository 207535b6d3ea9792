//! What simple controllers share: the names of what changed, gathered from a watch and worked on
//! one after the other; what fails is tried again.

use std::collections::BTreeSet;
use std::time::Duration;

use futures_util::FutureExt;
use ordain_meta::status::Status;
use ordain_storage::{Event, Revision, StoreError};
use ordain_value::Text;

use super::ROOT;
use crate::registry::{Registry, store_failed};

const RETRY: Duration = Duration::from_millis(500);

/// A controller that keeps something in each namespace as it should be.
pub(super) trait Keeper: Sync {
    /// Whether there is one thing to look at, and not one in each namespace; its name is empty.
    fn is_global(&self) -> bool {
        false
    }

    /// The namespace in which something has to be looked at because of a change.
    fn concerned<'a>(&self, event: &'a Event) -> Option<&'a str>;

    /// Brings a namespace into order.
    fn keep<'a>(
        &'a self,
        registry: &'a Registry,
        namespace: &'a str,
    ) -> impl Future<Output = Result<(), Status>> + Send + 'a;
}

impl Registry {
    /// Brings all namespaces into order, and those again in which something changes, until the
    /// store ends.
    pub(super) async fn run_keeper(&self, keeper: &impl Keeper) -> Result<(), Status> {
        let mut heard: Revision = self.revision().await?;
        self.cache.reach(heard).await?;
        let mut waiting: BTreeSet<Text> = match keeper.is_global() {
            true => BTreeSet::from([Text::default()]),
            false => self.namespace_names().await?.into_iter().collect(),
        };
        let watch = self.store.watch(ROOT, heard).await;
        let mut changes = watch.map_err(|error| store_failed(&error))?;
        loop {
            // A write is heard of before the cache has it: looking there too early would miss it.
            self.cache.reach(heard).await?;
            let mut failed = BTreeSet::new();
            while let Some(namespace) = waiting.pop_first() {
                if keeper.keep(self, &namespace).await.is_err() {
                    failed.insert(namespace);
                }
            }
            let pause = (!failed.is_empty()).then_some(RETRY);
            waiting = failed;
            let mut next = match pause {
                Some(pause) => tokio::time::timeout(pause, changes.next()).await.ok(),
                None => Some(changes.next().await),
            };
            while let Some(batch) = next {
                let batch = batch.ok_or(StoreError::Closed).and_then(|it| it);
                let batch = batch.map_err(|error| store_failed(&error))?;
                let concerned = batch.events.iter().filter_map(|event| keeper.concerned(event));
                waiting.extend(concerned.map(Text::from));
                heard = heard.max(batch.revision);
                next = changes.next().now_or_never();
            }
        }
    }

    async fn namespace_names(&self) -> Result<Vec<Text>, Status> {
        let config = self.catalog().get("", "namespaces").cloned();
        let Some(config) = config else { return Ok(Vec::new()) };
        let all = self.known(&config, "").await?;
        Ok(all.iter().map(|stored| crate::object::name(&stored.object).into()).collect())
    }
}

/// The namespace and name in the key of an object of a kind.
pub(super) fn place<'a>(key: &'a str, prefix: &str) -> Option<(&'a str, &'a str)> {
    key.strip_prefix(prefix)?.split_once('/')
}
