//! Volumes, claims and classes that are deleted go once nobody uses them: the other half of the
//! plugin StorageObjectInUseProtection, which lets them wait.

use std::sync::Arc;

use futures_util::future::try_join;
use ordain_meta::status::{Reason, Status};
use ordain_storage::Event;
use ordain_strategy::RestConfig;
use ordain_value::{Value, json};

use super::follow::{Keeper, place};
use crate::caller;
use crate::object;
use crate::registry::{Registry, Target};

const CLAIMS: &str = "/registry/persistentvolumeclaims/";
const PODS: &str = "/registry/pods/";
const VOLUMES: &str = "/registry/persistentvolumes/";
const CLASSES: &str = "/registry/volumeattributesclasses/";
const CLAIM_FINALIZER: &str = "kubernetes.io/pvc-protection";
const VOLUME_FINALIZER: &str = "kubernetes.io/pv-protection";
const CLASS_FINALIZER: &str = "kubernetes.io/vac-protection";

/// Lets claims go that no pod uses.
struct Claims;

/// Lets volumes go that are not bound, and classes that neither volumes nor claims name.
struct Volumes;

/// Whether an event leaves an object that is about to go.
fn is_going(event: &Event) -> bool {
    let object = event.value.as_ref().and_then(|bytes| json::decode(bytes).ok());
    object.is_some_and(|object| object::is_deleting(&object))
}

impl Keeper for Claims {
    fn concerned<'a>(&self, event: &'a Event) -> Option<&'a str> {
        if let Some((namespace, _)) = place(&event.key, CLAIMS) {
            return is_going(event).then_some(namespace);
        }
        // A pod that is gone, or that ends, uses nothing any more.
        place(&event.key, PODS).filter(|_| event.previous.is_some()).map(|it| it.0)
    }

    async fn keep<'a>(&'a self, registry: &'a Registry, namespace: &'a str) -> Result<(), Status> {
        let catalog = registry.catalog();
        let (Some(claims), Some(pods)) =
            (catalog.get("", "persistentvolumeclaims"), catalog.get("", "pods"))
        else {
            return Ok(());
        };
        let waiting = registry.waiting(claims, namespace, CLAIM_FINALIZER).await?;
        if waiting.is_empty() {
            return Ok(());
        }
        let pods = registry.known(pods, namespace).await?;
        let is_used = |claim: &Value| pods.iter().any(|pod| uses(&pod.object, claim));
        let free = waiting.into_iter().filter(|claim| !is_used(claim)).collect();
        registry.let_go(claims, free, CLAIM_FINALIZER).await
    }
}

impl Keeper for Volumes {
    fn is_global(&self) -> bool {
        true
    }

    fn concerned<'a>(&self, event: &'a Event) -> Option<&'a str> {
        let is_storage = [CLAIMS, VOLUMES, CLASSES].iter().any(|it| event.key.starts_with(it));
        (is_storage && (event.previous.is_some() || is_going(event))).then_some("")
    }

    async fn keep<'a>(&'a self, registry: &'a Registry, _none: &'a str) -> Result<(), Status> {
        let catalog = registry.catalog();
        let Some(volumes) = catalog.get("", "persistentvolumes") else { return Ok(()) };
        let waiting = registry.waiting(volumes, "", VOLUME_FINALIZER).await?;
        let free = waiting.into_iter().filter(|volume| !is_bound(volume)).collect();
        registry.let_go(volumes, free, VOLUME_FINALIZER).await?;
        let (Some(classes), Some(claims)) = (
            catalog.get("storage.k8s.io", "volumeattributesclasses"),
            catalog.get("", "persistentvolumeclaims"),
        ) else {
            return Ok(());
        };
        let waiting = registry.waiting(classes, "", CLASS_FINALIZER).await?;
        if waiting.is_empty() {
            return Ok(());
        }
        let mut users = registry.known(volumes, "").await?;
        users.extend(registry.known(claims, "").await?);
        let is_used =
            |class: &Value| users.iter().any(|user| names_class(&user.object, object::name(class)));
        let free = waiting.into_iter().filter(|class| !is_used(class)).collect();
        registry.let_go(classes, free, CLASS_FINALIZER).await
    }
}

impl Registry {
    /// Lets volumes, claims and classes go that were deleted and are not used any more, until the
    /// store ends.
    ///
    /// # Errors
    /// When the store fails; starting again goes on.
    pub async fn run_storage_protection(&self) -> Result<(), Status> {
        try_join(self.run_keeper(&Claims), self.run_keeper(&Volumes)).await.map(|_| ())
    }

    /// The objects that are deleted and wait for their users.
    async fn waiting(
        &self,
        resource: &RestConfig,
        namespace: &str,
        finalizer: &str,
    ) -> Result<Vec<Value>, Status> {
        let known = self.known(resource, namespace).await?.into_iter().map(|it| it.object);
        let waits = |object: &Value| {
            object::is_deleting(object)
                && object::finalizers(object).iter().any(|it| it == finalizer)
        };
        Ok(known.filter(waits).collect())
    }

    /// Lets objects go that nobody uses.
    async fn let_go(
        &self,
        resource: &Arc<RestConfig>,
        free: Vec<Value>,
        finalizer: &str,
    ) -> Result<(), Status> {
        for object in &free {
            let target = Target::of(resource, object);
            match caller::as_server(self.drop_finalizer(&target, object, finalizer)).await {
                // It went in the meantime.
                Err(status) if status.reason == Reason::NotFound => {}
                done => done?,
            }
        }
        Ok(())
    }
}

/// Whether a pod uses a claim. One that no node has yet will not be started with it.
fn uses(pod: &Value, claim: &Value) -> bool {
    let mut volumes = pod.items_at(&["spec", "volumes"]).iter();
    let name = object::name(claim);
    !pod.text_at(&["spec", "nodeName"]).is_empty()
        && volumes.any(|volume| {
            let own = || format!("{}-{}", object::name(pod), volume.text("name"));
            volume.text_at(&["persistentVolumeClaim", "claimName"]) == name
                || (volume.get("ephemeral").is_some() && !is_shut_down(pod) && own() == name)
        })
}

/// Whether the node is done with a pod, or the pod was deleted at once.
fn is_shut_down(pod: &Value) -> bool {
    object::is_deleting(pod) && object::deletion_grace_seconds(pod) == Some(0)
}

fn is_bound(volume: &Value) -> bool {
    volume.text_at(&["status", "phase"]) == "Bound"
}

/// Whether a volume or a claim names a class, or is about to.
fn names_class(user: &Value, class: &str) -> bool {
    let paths: [&[&str]; 3] = [
        &["spec", "volumeAttributesClassName"],
        &["status", "currentVolumeAttributesClassName"],
        &["status", "modifyVolumeStatus", "targetVolumeAttributesClassName"],
    ];
    paths.iter().any(|path| user.text_at(path) == class)
}
