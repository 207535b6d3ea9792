//! Creates the roles and bindings that every server begins with
//! ([`ordain_kubernetes::bootstrap::roles`]).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures_util::future::try_join_all;
use ordain_meta::status::{Reason, Status};
use ordain_value::{Text, Value, json};

use super::GROUP;
use ordain_registry::decode::{Body, Media};
use ordain_registry::object;
use ordain_registry::request::{ListOptions, Warnings, WriteOptions};
use ordain_registry::{Registry, Target};

/// Creates what is missing; what is there stays as it is.
pub(super) async fn create_missing(registry: &Registry) -> Result<(), Status> {
    let mut by_plural: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for (plural, object) in ordain_kubernetes::bootstrap::roles() {
        by_plural.entry(plural).or_default().push(object);
    }
    // All at once, so that one sync of the disk serves many.
    let kinds = by_plural.into_iter();
    let kinds = kinds.map(|(plural, objects)| create_kind(registry, plural, objects));
    try_join_all(kinds).await.map(|_| ())
}

async fn create_kind(registry: &Registry, plural: &str, objects: Vec<Value>) -> Result<(), Status> {
    let Some(config) = registry.catalog().get(GROUP, plural).cloned() else {
        return Err(Status::internal(&format!("{plural} are not served")));
    };
    let target = Target {
        version: config.storage_version.clone(),
        resource: Arc::clone(&config),
        namespace: Text::default(),
        name: Text::default(),
    };
    let known = registry.list(&target, &ListOptions::default()).await?.items;
    let place =
        |object: &Value| (object::namespace(object).to_owned(), object::name(object).to_owned());
    let known: BTreeSet<(String, String)> = known.iter().map(place).collect();
    let missing = objects.into_iter().filter(|object| !known.contains(&place(object)));
    let creating = missing.map(|object| {
        let namespace = object::namespace(&object).into();
        create(registry, Target { namespace, ..target.clone() }, object)
    });
    try_join_all(creating).await.map(|_| ())
}

async fn create(registry: &Registry, target: Target, object: Value) -> Result<(), Status> {
    let bytes = json::encode(&object);
    let body = Body { bytes: &bytes, media: Media::Json };
    let options =
        WriteOptions { field_manager: "kube-apiserver".into(), ..WriteOptions::default() };
    match registry.create(&target, &body, &options, &mut Warnings::default()).await {
        // Another server on the same store was faster.
        Err(status) if status.reason == Reason::AlreadyExists => Ok(()),
        result => result.map(|_| ()),
    }
}
