//! A registry over a store in memory, and short words for its verbs.

#![allow(dead_code, reason = "each test uses a part")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails loudly")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use ordain_meta::status::Status;
use ordain_meta::time::Time;
use ordain_registry::admission::Chain;
use ordain_registry::decode::{Body, Media};
use ordain_registry::namespace::NamespaceLifecycle;
use ordain_registry::source::{FixedClock, SeededEntropy};
use ordain_registry::{
    DeleteOptions, Deleted, ListOptions, Options, Part, PatchType, Registry, Target, Warnings,
    WriteOptions,
};
use ordain_storage::{MemoryStore, Store};
use ordain_value::{Value, json};

/// A registry that serves the built-in kinds.
pub(crate) async fn start(store: Arc<dyn Store>, controllers: bool) -> Arc<Registry> {
    let registry = Registry::new(
        store,
        Arc::new(FixedClock(Time::from_unix(1_700_000_000, 0))),
        Arc::new(SeededEntropy::new(7)),
        Chain::new(vec![Arc::new(NamespaceLifecycle)]),
        Arc::new(ordain_registry::crd::DefinitionHooks::default()),
        Options { controllers },
    );
    let registry = Arc::new(registry);
    registry.start().await.unwrap();
    if controllers {
        let running = Arc::clone(&registry);
        tokio::spawn(async move { running.run_controllers().await });
    }
    registry
}

pub(crate) async fn fresh(controllers: bool) -> Arc<Registry> {
    start(Arc::new(MemoryStore::new()), controllers).await
}

/// `group/plural`, or the plural of a core kind.
pub(crate) fn target(registry: &Registry, resource: &str, namespace: &str, name: &str) -> Target {
    let (group, plural) = resource.rsplit_once('/').unwrap_or(("", resource));
    let resource = registry.catalog().get(group, plural).cloned().unwrap();
    Target::stored(&resource, namespace, name)
}

pub(crate) async fn create(
    registry: &Registry,
    resource: &str,
    object: &Value,
) -> Result<Value, Status> {
    let namespace = object.get_path(&["metadata", "namespace"]).and_then(Value::as_str);
    let target = target(registry, resource, namespace.unwrap_or(""), "");
    let bytes = json::encode(object);
    let body = Body { bytes: &bytes, media: Media::Json };
    registry.create(&target, &body, &WriteOptions::default(), &mut Warnings::default()).await
}

pub(crate) async fn patch(
    registry: &Registry,
    target: &Target,
    patch: &Value,
) -> Result<Value, Status> {
    let (bytes, options) = (json::encode(patch), WriteOptions::default());
    let (ty, mut warnings) = (PatchType::Merge, Warnings::default());
    let written = registry.patch(target, Part::Main, ty, &bytes, &options, &mut warnings).await?;
    Ok(written.object)
}

pub(crate) async fn delete(
    registry: &Registry,
    target: &Target,
    policy: &str,
) -> Result<Deleted, Status> {
    let options =
        DeleteOptions { propagation_policy: Some(policy.into()), ..DeleteOptions::default() };
    registry.delete(target, &options, &mut Warnings::default()).await
}

pub(crate) async fn names(registry: &Registry, resource: &str, namespace: &str) -> Vec<String> {
    let target = target(registry, resource, namespace, "");
    let listed = registry.list(&target, &ListOptions::default()).await.unwrap();
    let name = |item: &Value| ordain_registry::object::name(item).to_owned();
    listed.items.iter().map(name).collect()
}

/// Waits until something holds; it should not take long.
pub(crate) async fn eventually<F: Future<Output = bool>>(what: &str, mut holds: impl FnMut() -> F) {
    let end = Instant::now() + Duration::from_secs(20);
    while !holds().await {
        if Instant::now() > end {
            panic!("{what}: not within 20 s");
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
