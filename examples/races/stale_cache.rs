//! A stale cache read: the reconciler makes a child for each parent that has none in its cache. The
//! cache is filled by another watch, and when that lags behind, the child that was just made is not
//! in it yet: a second one is made.
//!
//! To mend it, give the child a name that follows from its parent, so that the second create is
//! refused.

use std::collections::BTreeMap;

use futures_util::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, ListParams, Patch, PatchParams, PostParams};
use kube::runtime::reflector::{self, Store};
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Client, ResourceExt};
use serde_json::json;

use super::race::{Error, PAUSE, ensure};

const PARENT: &str = "example.com/parent";

fn labels(pairs: &[(&str, &str)]) -> Option<BTreeMap<String, String>> {
    Some(pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect())
}

async fn reconcile(maps: Api<ConfigMap>, children: Store<ConfigMap>) -> Result<(), Error> {
    children.wait_until_ready().await?;
    let config = watcher::Config::default().labels("role=parent");
    let mut events = watcher(maps.clone(), config).boxed();
    while let Some(event) = events.next().await {
        let (Ok(watcher::Event::Apply(parent)) | Ok(watcher::Event::InitApply(parent))) = event
        else {
            continue;
        };
        let name = parent.name_any();
        // The mistake: what is not in the cache need not be missing.
        if children.state().iter().any(|it| it.labels().get(PARENT) == Some(&name)) {
            continue;
        }
        let mut child = ConfigMap::default();
        child.metadata.generate_name = Some(format!("{name}-"));
        child.metadata.labels = labels(&[("role", "child"), (PARENT, &name)]);
        let _ = maps.create(&PostParams::default(), &child).await;
    }
    Ok(())
}

/// The test of its author.
pub(crate) async fn test(client: Client) -> Result<(), Error> {
    let maps: Api<ConfigMap> = Api::namespaced(client, "default");
    let (store, writer) = reflector::store();
    let config = watcher::Config::default().labels("role=child");
    let filling =
        watcher(maps.clone(), config).reflect(writer).for_each(|_| std::future::ready(()));
    let cache = tokio::spawn(filling);
    let reconciler = tokio::spawn(reconcile(maps.clone(), store));
    let mut parent = ConfigMap::default();
    parent.metadata.name = Some("one".to_owned());
    parent.metadata.labels = labels(&[("role", "parent")]);
    maps.create(&PostParams::default(), &parent).await?;
    for turn in ["1", "2"] {
        tokio::time::sleep(PAUSE).await;
        let patch = Patch::Merge(json!({"data": {"turn": turn}}));
        maps.patch("one", &PatchParams::default(), &patch).await?;
    }
    tokio::time::sleep(PAUSE * 8).await;
    let children = maps.list(&ListParams::default().labels("role=child")).await?;
    reconciler.abort();
    cache.abort();
    let count = children.items.len();
    ensure(count == 1, || format!("there should be one child, there are {count}"))
}
