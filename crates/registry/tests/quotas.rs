//! The usage of quotas is counted, however late the cache hears of a write.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::{StreamExt, stream};
use ordain_storage::{
    MemoryStore, Outcome, Page, Range, Read, Result, Revision, Store, Watch, Write,
};
use ordain_value::{Value, value};
use support::{create, eventually, start, target};

/// A store whose first watch, that of the cache, is told everything a while later, and that lets
/// writers wait as long.
#[derive(Debug, Default)]
struct Late {
    store: MemoryStore,
    is_watched: AtomicBool,
}

const LATER: Duration = Duration::from_millis(50);

impl Store for Late {
    fn get<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Read>> {
        self.store.get(key)
    }

    fn range<'a>(&'a self, range: Range<'a>) -> BoxFuture<'a, Result<Page>> {
        self.store.range(range)
    }

    fn commit_all(&self, writes: Vec<Write>) -> BoxFuture<'_, Result<Outcome>> {
        Box::pin(async move {
            let outcome = self.store.commit_all(writes).await;
            tokio::time::sleep(LATER).await;
            outcome
        })
    }

    fn watch<'a>(&'a self, prefix: &'a str, after: Revision) -> BoxFuture<'a, Result<Watch>> {
        Box::pin(async move {
            let watch = self.store.watch(prefix, after).await?;
            if self.is_watched.swap(true, Ordering::Relaxed) {
                return Ok(watch);
            }
            let late = stream::unfold(watch, |mut watch| async move {
                let batch = watch.next().await?;
                tokio::time::sleep(LATER).await;
                Some((batch, watch))
            });
            Ok(Watch::new(late.boxed()))
        })
    }

    fn request_progress(&self) -> BoxFuture<'_, Result<()>> {
        self.store.request_progress()
    }

    fn current_revision(&self) -> BoxFuture<'_, Result<Revision>> {
        self.store.current_revision()
    }

    fn compact(&self, revision: Revision) -> BoxFuture<'_, Result<()>> {
        self.store.compact(revision)
    }
}

#[tokio::test(start_paused = true)]
async fn a_quota_that_the_cache_does_not_know_yet_is_counted() {
    let registry = start(Arc::new(Late::default()), false).await;
    let counting = Arc::clone(&registry);
    tokio::spawn(async move { counting.run_quotas().await });
    tokio::time::sleep(LATER * 4).await;
    let quota = value!({
        "apiVersion": "v1", "kind": "ResourceQuota",
        "metadata": {"namespace": "default", "name": "q"},
        "spec": {"hard": {"secrets": "2"}}
    });
    create(&registry, "resourcequotas", &quota).await.unwrap();
    let quota = target(&registry, "resourcequotas", "default", "q");
    eventually("it is counted", || async {
        let quota = registry.get(&quota, "").await.unwrap();
        quota.get_path(&["status", "used", "secrets"]) == Some(&Value::from("0"))
    })
    .await;
}
