//! A lost update: the reconciler writes back the whole object that its watch brought, and takes its
//! version away so that the write is never refused. When the event was old, what others wrote since
//! then is gone.
//!
//! To mend it, keep the version and try again on a conflict, or apply the one field alone.

use std::collections::BTreeMap;

use futures_util::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, Patch, PatchParams, PostParams};
use kube::runtime::watcher;
use kube::{Client, ResourceExt};
use serde_json::json;

use super::race::{Error, PAUSE, ensure};

const OBSERVED: &str = "example.com/observed-size";

/// Notes the size of each ConfigMap in an annotation.
async fn reconcile(maps: Api<ConfigMap>) -> Result<(), Error> {
    let config = watcher::Config::default().labels("app=sized");
    let mut events = watcher(maps.clone(), config).boxed();
    while let Some(event) = events.next().await {
        let (Ok(watcher::Event::Apply(mut map)) | Ok(watcher::Event::InitApply(mut map))) = event
        else {
            continue;
        };
        let size = map.data.get_or_insert_default().get("size").cloned().unwrap_or_default();
        if map.annotations().get(OBSERVED) == Some(&size) {
            continue;
        }
        map.annotations_mut().insert(OBSERVED.to_owned(), size);
        // The mistake: without a version the write always wins.
        map.metadata.resource_version = None;
        map.metadata.managed_fields = None;
        let _ = maps.replace(&map.name_any(), &PostParams::default(), &map).await;
    }
    Ok(())
}

/// The test of its author.
pub(crate) async fn test(client: Client) -> Result<(), Error> {
    let maps: Api<ConfigMap> = Api::namespaced(client, "default");
    let reconciler = tokio::spawn(reconcile(maps.clone()));
    let mut map = ConfigMap::default();
    map.metadata.name = Some("one".to_owned());
    map.metadata.labels = Some(BTreeMap::from([("app".to_owned(), "sized".to_owned())]));
    map.data = Some(BTreeMap::from([("size".to_owned(), "1".to_owned())]));
    maps.create(&PostParams::default(), &map).await?;
    for size in ["2", "3", "4"] {
        tokio::time::sleep(PAUSE).await;
        let patch = Patch::Merge(json!({"data": {"size": size}}));
        maps.patch("one", &PatchParams::default(), &patch).await?;
    }
    tokio::time::sleep(PAUSE * 8).await;
    let map = maps.get("one").await?;
    reconciler.abort();
    let size = map.data.as_ref().and_then(|it| it.get("size")).cloned().unwrap_or_default();
    ensure(size == "4", || format!("the size was set to 4 and is {size}"))
}
