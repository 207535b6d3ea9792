//! A missed delete: the reconciler keeps something outside of the cluster for each ConfigMap, and
//! clears it away when it hears of a deletion. A watch that begins anew with a list tells of no
//! deletion, and what was made stays forever.
//!
//! To mend it, use a finalizer, or compare with the list each time one begins.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, DeleteParams, PostParams};
use kube::runtime::watcher;
use kube::{Client, ResourceExt};

use super::race::{Error, PAUSE, ensure};

/// What there is outside: a bucket for each ConfigMap.
type Buckets = Arc<Mutex<BTreeSet<String>>>;

fn change(buckets: &Buckets, change: impl FnOnce(&mut BTreeSet<String>)) {
    change(&mut buckets.lock().unwrap_or_else(PoisonError::into_inner));
}

async fn reconcile(maps: Api<ConfigMap>, buckets: Buckets) {
    let config = watcher::Config::default().labels("app=bucket");
    let mut events = watcher(maps, config).boxed();
    while let Some(event) = events.next().await {
        match event {
            Ok(watcher::Event::Apply(map) | watcher::Event::InitApply(map)) => {
                change(&buckets, |it| it.extend([map.name_any()]));
            }
            Ok(watcher::Event::Delete(map)) => {
                change(&buckets, |it| it.retain(|name| *name != map.name_any()));
            }
            // The mistake: a list that begins is not compared with what is there.
            Ok(watcher::Event::Init | watcher::Event::InitDone) | Err(_) => {}
        }
    }
}

/// The test of its author.
pub(crate) async fn test(client: Client) -> Result<(), Error> {
    let maps: Api<ConfigMap> = Api::namespaced(client, "default");
    let buckets = Buckets::default();
    let reconciler = tokio::spawn(reconcile(maps.clone(), Arc::clone(&buckets)));
    for name in ["a", "b", "c"] {
        let mut map = ConfigMap::default();
        map.metadata.name = Some(name.to_owned());
        map.metadata.labels = Some(BTreeMap::from([("app".to_owned(), "bucket".to_owned())]));
        maps.create(&PostParams::default(), &map).await?;
    }
    tokio::time::sleep(PAUSE * 4).await;
    for name in ["a", "b"] {
        maps.delete(name, &DeleteParams::default()).await?;
        tokio::time::sleep(PAUSE).await;
    }
    tokio::time::sleep(PAUSE * 8).await;
    reconciler.abort();
    let left = buckets.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let expected = BTreeSet::from(["c".to_owned()]);
    ensure(left == expected, || format!("only the bucket c should be left, there is {left:?}"))
}
