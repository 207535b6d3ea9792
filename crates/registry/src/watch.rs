//! The watch verb: every change of a collection, as it happens.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use ordain_meta::status::Status;
use ordain_storage::{Batch, StoreError, Watch};
use ordain_value::{Map, Text, Value, json};

use crate::event_memo::{Change, EncodingKey};
use crate::list::{check_fields, selected};
use crate::list_options::check_list_options;
use crate::object;
use crate::registry::{Registry, Stored, Target, store_failed};
use crate::request::ListOptions;
use crate::update::parse_uint;

const INITIAL_EVENTS_END: &str = "k8s.io/initial-events-end";

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventType {
    Added,
    Modified,
    Deleted,
    Bookmark,
    Error,
}

impl EventType {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Added => "ADDED",
            Self::Modified => "MODIFIED",
            Self::Deleted => "DELETED",
            Self::Bookmark => "BOOKMARK",
            Self::Error => "ERROR",
        }
    }
}

/// One event of a watch.
#[derive(Debug, Clone)]
pub struct WatchEvent {
    pub ty: EventType,
    /// In the version of the request.
    pub object: Value,
    /// Shared by all watchers of the same version that see the event in this way.
    shared: Option<(Arc<Change>, EncodingKey)>,
}

impl WatchEvent {
    fn new(ty: EventType, object: Value) -> Self {
        Self { ty, object, shared: None }
    }

    /// A refusal in the middle of a stream; it ends the stream.
    pub fn error(status: &Status) -> Self {
        Self::new(EventType::Error, status.encode())
    }

    /// The line of the stream for the object as it is.
    pub fn encode(&self) -> Bytes {
        match &self.shared {
            Some((change, key)) => {
                change.encoded(key.clone(), || encode_line(self.ty, &self.object))
            }
            None => encode_line(self.ty, &self.object),
        }
    }
}

/// One line of a watch stream.
pub fn encode_line(ty: EventType, object: &Value) -> Bytes {
    let mut line = Vec::with_capacity(256);
    line.extend_from_slice(b"{\"type\":\"");
    line.extend_from_slice(ty.as_str().as_bytes());
    line.extend_from_slice(b"\",\"object\":");
    json::encode_to(object, &mut line);
    line.extend_from_slice(b"}\n");
    Bytes::from(line)
}

/// An open watch.
pub struct Watcher {
    registry: Arc<Registry>,
    target: Target,
    options: ListOptions,
    changes: Option<Watch>,
    catalog_changed: tokio::sync::watch::Receiver<u64>,
    ready: VecDeque<WatchEvent>,
    /// Everything up to this revision was delivered.
    revision: u64,
    /// The definition changed; what was committed before is still delivered.
    closing_at: Option<u64>,
}

impl Registry {
    /// Opens a watch on a collection.
    pub async fn watch(
        self: &Arc<Self>,
        target: &Target,
        options: &ListOptions,
    ) -> Result<Watcher, Status> {
        let mut options = options.clone();
        set_defaults(&mut options);
        check_list_options(&options)?;
        check_fields(target, &options)?;
        let asked = watch_version(&options.resource_version)?;
        let catalog_changed = self.catalog_changes();
        let mut ready = VecDeque::new();
        let after = match options.send_initial_events {
            Some(true) => self.initial_events(target, &options, asked, &mut ready).await?,
            Some(false) if asked == 0 => self.revision().await?,
            _ if asked == 0 => self.revision().await?,
            _ => asked,
        };
        let prefix = target.resource.collection_prefix(&target.namespace);
        let changes = match self.store.watch(&prefix, after).await {
            Ok(changes) => Some(changes),
            Err(error) => {
                ready.push_back(WatchEvent::error(&self.too_old(&error, asked).await));
                None
            }
        };
        Ok(Watcher {
            registry: Arc::clone(self),
            target: target.clone(),
            options,
            changes,
            catalog_changed,
            ready,
            revision: after,
            closing_at: None,
        })
    }

    pub(crate) async fn revision(&self) -> Result<u64, Status> {
        self.store.current_revision().await.map_err(|error| store_failed(&error))
    }

    /// The state of the collection as events, and its revision.
    async fn initial_events(
        &self,
        target: &Target,
        options: &ListOptions,
        asked: u64,
        ready: &mut VecDeque<WatchEvent>,
    ) -> Result<u64, Status> {
        let current = self.revision().await?;
        if asked > current {
            return Err(Status::resource_version_too_large(asked, current));
        }
        let list = ListOptions {
            labels: options.labels.clone(),
            fields: options.fields.clone(),
            ..ListOptions::default()
        };
        let listed = self.list(target, &list).await?;
        for item in listed.items {
            ready.push_back(WatchEvent::new(EventType::Added, item));
        }
        if options.allow_watch_bookmarks {
            ready.push_back(bookmark(target, listed.resource_version, true));
        }
        Ok(listed.resource_version)
    }

    async fn too_old(&self, error: &StoreError, asked: u64) -> Status {
        match error {
            StoreError::Compacted { .. } => {
                let current = self.revision().await.unwrap_or(0);
                Status::expired(&format!("too old resource version: {asked} ({current})"))
            }
            other => store_failed(other),
        }
    }
}

impl Watcher {
    /// The next event; none when the watch is over.
    pub async fn next(&mut self) -> Option<WatchEvent> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            if self.closing_at.is_some_and(|at| self.revision >= at) {
                return None;
            }
            let changes = self.changes.as_mut()?;
            let closing = self.closing_at.is_some();
            tokio::select! {
                biased;
                batch = changes.next() => match batch {
                    Some(Ok(batch)) => self.take(&batch),
                    Some(Err(error)) => {
                        let status = self.registry.too_old(&error, self.revision).await;
                        self.changes = None;
                        return Some(WatchEvent::error(&status));
                    }
                    None => return None,
                },
                changed = self.catalog_changed.changed(), if !closing => {
                    if changed.is_err() {
                        return None;
                    }
                    self.check_served().await;
                }
                () = tokio::time::sleep(CLOSING_WAIT), if closing => return None,
            }
        }
    }

    /// A bookmark for everything delivered so far.
    pub fn bookmark(&self) -> WatchEvent {
        bookmark(&self.target, self.revision, false)
    }

    pub fn target(&self) -> &Target {
        &self.target
    }

    /// A resource whose definition changed is served anew; its watches end.
    async fn check_served(&mut self) {
        let resource = &self.target.resource;
        let catalog = self.registry.catalog();
        let current = catalog.get(&resource.group, &resource.plural);
        if current.is_some_and(|current| current.generation == resource.generation) {
            return;
        }
        self.closing_at = Some(self.registry.revision().await.unwrap_or(self.revision));
    }

    fn take(&mut self, batch: &Batch) {
        for event in &batch.events {
            let memo = &self.registry.event_memo;
            match memo.change(&self.registry, &self.target.resource, event) {
                Ok(change) => self.ready.extend(self.seen(&change)),
                Err(status) => self.ready.push_back(WatchEvent::error(&status)),
            }
        }
        self.revision = self.revision.max(batch.revision);
    }

    /// What a change looks like through the selectors.
    fn seen(&self, change: &Arc<Change>) -> Option<WatchEvent> {
        let is_seen = |stored: &Stored| selected(&self.target, &self.options, stored);
        let new = change.new.as_ref().filter(|stored| is_seen(stored));
        let old = change.old.as_ref().filter(|stored| is_seen(stored));
        let (ty, stored) = match (new, old) {
            (Some(new), Some(_)) => (EventType::Modified, new),
            (Some(new), None) => (EventType::Added, new),
            (None, Some(old)) => (EventType::Deleted, old),
            (None, None) => return None,
        };
        let mut object = self.target.present(stored);
        if ty == EventType::Deleted {
            object::set(&mut object, "resourceVersion", change.revision.to_string().into());
        }
        let key = EncodingKey { ty: ty.as_str(), version: self.target.version.clone() };
        Some(WatchEvent { ty, object, shared: Some((Arc::clone(change), key)) })
    }
}

/// How long a closing watch waits for what was committed before.
const CLOSING_WAIT: std::time::Duration = std::time::Duration::from_millis(200);

/// A watch from nowhere begins with the state, as it always did.
fn set_defaults(options: &mut ListOptions) {
    let from_nowhere = options.resource_version.is_empty() || options.resource_version == "0";
    if options.send_initial_events.is_none()
        && options.resource_version_match.is_empty()
        && from_nowhere
    {
        options.send_initial_events = Some(true);
        options.resource_version_match = "NotOlderThan".into();
    }
}

fn watch_version(text: &Text) -> Result<u64, Status> {
    if text.is_empty() {
        return Ok(0);
    }
    parse_uint(text).map_err(|why| invalid_version(text, &why))
}

/// The refusal of a resourceVersion that is no number, outside of lists.
pub(crate) fn invalid_version(text: &str, why: &str) -> Status {
    let quoted = ordain_value::go_quote(text);
    Status::unclassified(format!("resourceVersion: Invalid value: {quoted}: {why}"))
}

fn bookmark(target: &Target, revision: u64, initial_end: bool) -> WatchEvent {
    let mut metadata = Map::new();
    metadata.insert("resourceVersion", revision.to_string().into());
    if initial_end {
        let annotation: Map =
            [(Text::from(INITIAL_EVENTS_END), Value::from("true"))].into_iter().collect();
        metadata.insert("annotations", Value::Map(annotation));
    }
    let mut map = Map::new();
    map.insert("apiVersion", target.group_version().to_string().into());
    map.insert("kind", Value::Str(target.resource.kind.clone()));
    map.insert("metadata", Value::Map(metadata));
    WatchEvent::new(EventType::Bookmark, Value::Map(map))
}
