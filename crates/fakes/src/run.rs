//! Reads the world, lets the controllers decide, and writes, whenever something changed.

use std::sync::Arc;
use std::time::Duration;

use ordain_meta::Status;
use ordain_registry::decode::{Body, Media};
use ordain_registry::{DeleteOptions, ListOptions, Part, Registry, Target, Warnings, WriteOptions};
use ordain_storage::Watch;
use ordain_value::{Value, json, value};

use crate::Fakes;
use crate::world::{ALL, Action, EVENTS, PODS, Resource, World, hash, name, namespace, text};

/// How soon it is looked again when time has to pass, or when something failed.
const PAUSE: Duration = Duration::from_millis(50);
/// Rounds without waiting for news, so that controllers that disagree keep no processor busy.
const ROUNDS_MAX: usize = 100;

/// Runs controllers as long as the server does.
pub async fn run(registry: Arc<Registry>, fakes: Fakes) {
    loop {
        if follow(&registry, &fakes).await.is_err() {
            tokio::time::sleep(PAUSE).await;
        }
    }
}

async fn follow(registry: &Registry, fakes: &Fakes) -> Result<(), Status> {
    let failed = |error: ordain_storage::StoreError| Status::internal(&error.to_string());
    let revision = registry.store().current_revision().await.map_err(failed)?;
    let mut changes = registry.store().watch("/registry/", revision).await.map_err(failed)?;
    loop {
        let waits = settle(registry, fakes).await?;
        heard(&mut changes, waits).await.map_err(failed)?;
    }
}

/// Waits until something was written, or for a moment if time alone may change something.
async fn heard(changes: &mut Watch, waits: bool) -> ordain_storage::Result<()> {
    let next = changes.next();
    let batch = if waits {
        match tokio::time::timeout(PAUSE, next).await {
            Ok(batch) => batch,
            Err(_) => return Ok(()),
        }
    } else {
        next.await
    };
    batch.unwrap_or(Err(ordain_storage::StoreError::Closed)).map(drop)
}

/// Writes until nothing is left to write, and says whether anything waits.
async fn settle(registry: &Registry, fakes: &Fakes) -> Result<bool, Status> {
    for _ in 0..ROUNDS_MAX {
        let world = world(registry).await?;
        let actions = fakes.actions(&world);
        let waits = actions.contains(&Action::Wait);
        let mut wrote = false;
        for action in actions {
            // What was refused is decided anew from what is stored then.
            wrote |= act(registry, action).await.unwrap_or(false);
        }
        if !wrote {
            return Ok(waits);
        }
    }
    Ok(true)
}

async fn world(registry: &Registry) -> Result<World, Status> {
    let mut world = World { now: registry.time(), ..World::default() };
    for resource in ALL {
        let Some(target) = target(registry, resource, "", "") else { continue };
        let listed = registry.list(&target, &ListOptions::default()).await?;
        world.objects.insert(resource, listed.items);
    }
    Ok(world)
}

fn target(
    registry: &Registry,
    (group, plural): Resource,
    namespace: &str,
    name: &str,
) -> Option<Target> {
    let resource = registry.catalog().get(group, plural).cloned()?;
    Some(Target::stored(&resource, namespace, name))
}

/// Makes a write; false if there is nothing to write.
async fn act(registry: &Registry, action: Action) -> Result<bool, Status> {
    let (resource, object) = match &action {
        Action::Create(resource, object)
        | Action::Update(resource, object)
        | Action::Status(resource, object)
        | Action::Delete(resource, object) => (*resource, object),
        Action::Bind(pod, _) => (PODS, pod),
        Action::Wait => return Ok(false),
    };
    let named = if matches!(action, Action::Create(..)) { "" } else { name(object) };
    let Some(target) = target(registry, resource, namespace(object), named) else {
        return Ok(false);
    };
    let bytes = json::encode(&typed(&target, object));
    let body = Body { bytes: &bytes, media: Media::Json };
    let options = WriteOptions { field_manager: "ordain-fakes".into(), ..WriteOptions::default() };
    let warnings = &mut Warnings::default();
    match &action {
        Action::Create(..) => drop(registry.create(&target, &body, &options, warnings).await?),
        Action::Update(..) => {
            drop(registry.update(&target, Part::Main, &body, &options, warnings).await?);
        }
        Action::Status(..) => {
            drop(registry.update(&target, Part::Status, &body, &options, warnings).await?);
        }
        Action::Delete(..) => {
            let options =
                DeleteOptions { grace_period_seconds: Some(0), ..DeleteOptions::default() };
            drop(registry.delete(&target, &options, warnings).await?);
        }
        Action::Bind(pod, node) => bind(registry, &target, pod, node, &options).await?,
        Action::Wait => {}
    }
    Ok(true)
}

/// Gives a pod to a node, as a scheduler does.
async fn bind(
    registry: &Registry,
    target: &Target,
    pod: &Value,
    node: &str,
    options: &WriteOptions,
) -> Result<(), Status> {
    let at = target.resource.subresources.iter().position(|it| it == "binding");
    let part = Part::Other(at.ok_or_else(Status::path_not_found)?);
    let binding = value!({
        "metadata": {"name": (name(pod)), "namespace": (namespace(pod))},
        "target": {"apiVersion": "v1", "kind": "Node", "name": node}
    });
    let warnings = &mut Warnings::default();
    registry.bind(target, part, &binding, options, warnings).await?;
    let Some(events) = self::target(registry, EVENTS, namespace(pod), "") else { return Ok(()) };
    let bytes = json::encode(&scheduled(pod, node, &registry.time().encode()));
    let body = Body { bytes: &bytes, media: Media::Json };
    // Nobody waits for the event.
    drop(registry.create(&events, &body, options, warnings).await);
    Ok(())
}

/// What a scheduler reports about a pod that it bound to a node.
fn scheduled(pod: &Value, node: &str, now: &str) -> Value {
    let (pod_name, space, uid) = (name(pod), namespace(pod), text(pod, &["metadata", "uid"]));
    value!({
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {
            "name": (format!("{pod_name}.{:016x}", hash(uid.as_bytes()))),
            "namespace": space
        },
        "involvedObject": {
            "apiVersion": "v1", "kind": "Pod", "namespace": space, "name": pod_name, "uid": uid
        },
        "type": "Normal",
        "reason": "Scheduled",
        "message": (format!("Successfully assigned {space}/{pod_name} to {node}")),
        "source": {"component": "ordain-fakes"},
        "firstTimestamp": now,
        "lastTimestamp": now,
        "count": 1
    })
}

fn typed(target: &Target, object: &Value) -> Value {
    let mut object = object.clone();
    object.set_path(&["apiVersion"], target.group_version().to_string().into());
    object.set_path(&["kind"], Value::Str(target.resource.kind.clone()));
    object
}
