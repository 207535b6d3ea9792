//! The watch verb: every change of a collection, as it happens.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use ordain_meta::status::Status;
use ordain_meta::time::Time;
use ordain_storage::{Batch, Revision, StoreError, Watch};
use ordain_value::{Map, Text, Value, json};

use crate::cache::{Change, EncodingKey, End, Queue, Record, Side};
use crate::discard::discard;
use crate::list::{check_fields, is_filtered, only_name, selected};
use crate::list_options::check_list_options;
use crate::object;
use crate::registry::{Registry, Target, store_failed};
use crate::request::ListOptions;
use ordain_strategy::Family;
use ordain_strategy::update::parse_uint;

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
    source: Source,
}

#[derive(Debug, Clone)]
enum Source {
    /// An object of its own, in the version of the request.
    Value(Value),
    /// A stored object, shown at a revision.
    Record {
        record: Arc<Record>,
        revision: Revision,
        change: Option<Arc<Change>>,
        /// The object in the version of the request, if a webhook had to be asked for it.
        converted: Option<Value>,
    },
}

impl WatchEvent {
    fn new(ty: EventType, object: Value) -> Self {
        Self { ty, source: Source::Value(object) }
    }

    /// A refusal in the middle of a stream; it ends the stream.
    pub fn error(status: &Status) -> Self {
        Self::new(EventType::Error, status.encode())
    }
}

/// One line of a watch stream.
pub fn encode_line(ty: EventType, object: &Value) -> Bytes {
    let mut line = begin_line(ty, 256);
    json::encode_to(object, &mut line);
    end_line(line)
}

fn begin_line(ty: EventType, len: usize) -> Vec<u8> {
    let mut line = Vec::with_capacity(len);
    line.extend_from_slice(b"{\"type\":\"");
    line.extend_from_slice(ty.as_str().as_bytes());
    line.extend_from_slice(b"\",\"object\":");
    line
}

fn end_line(mut line: Vec<u8>) -> Bytes {
    line.extend_from_slice(b"}\n");
    Bytes::from(line)
}

/// An open watch.
pub struct Watcher {
    view: View,
    /// The state that the watch begins with, and the bookmark behind it.
    initial: std::vec::IntoIter<WatchEvent>,
    ready: VecDeque<WatchEvent>,
    /// Changes that were taken from queue or history and not looked at: to convert one may take
    /// time, and whoever waits for an event may give up and come again.
    pending: VecDeque<Arc<Change>>,
    /// Changes from before the cache's memory, up to a revision.
    history: Option<(Watch, Revision)>,
    queue: Option<Arc<Queue>>,
    /// Everything up to this revision was delivered.
    revision: Revision,
}

/// What a watch shows of changes: objects of a target, through selectors.
struct View {
    registry: Arc<Registry>,
    target: Target,
    options: ListOptions,
    /// Whether objects have to be looked at to know if they are selected.
    filtered: bool,
}

/// What a watch begins with.
#[derive(Default)]
struct Initial {
    events: Vec<WatchEvent>,
    bookmark: Option<WatchEvent>,
    revision: Revision,
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
        let collection = self.cache.collection(&target.resource).await?;
        let initial = match options.send_initial_events {
            Some(true) => self.initial_events(target, &options, asked).await?,
            _ if asked == 0 => Initial { revision: self.revision().await?, ..Initial::default() },
            _ => Initial { revision: asked, ..Initial::default() },
        };
        let after = initial.revision;
        let prefix = target.resource.collection_prefix(&target.namespace);
        let only = only_name(target, &options).filter(|_| options.labels.is_everything());
        let only = only.map(|name| format!("{prefix}{name}"));
        let view = View {
            registry: Arc::clone(self),
            target: target.clone(),
            filtered: is_filtered(&options) && only.is_none(),
            options,
        };
        let mut watcher = Watcher {
            view,
            initial: initial.events.into_iter(),
            ready: initial.bookmark.into_iter().collect(),
            pending: VecDeque::new(),
            history: None,
            queue: None,
            revision: after,
        };
        let joined = collection.join(prefix.clone(), only, after);
        watcher.queue = Some(joined.queue);
        if let Some(upto) = joined.history_to {
            match self.store.watch(&prefix, after).await {
                Ok(changes) => watcher.history = Some((changes, upto)),
                Err(error) => {
                    let status = self.too_old(&error, asked).await;
                    watcher.ready.push_back(WatchEvent::error(&status));
                    watcher.queue = None;
                }
            }
        }
        if !self.is_served(target) {
            watcher.queue = None;
        }
        Ok(watcher)
    }

    /// Whether the resource of a target is still served in the same way.
    fn is_served(&self, target: &Target) -> bool {
        let resource = &target.resource;
        let catalog = self.catalog();
        let current = catalog.get(&resource.group, &resource.plural);
        current.is_some_and(|current| current.generation == resource.generation)
    }

    pub(crate) async fn revision(&self) -> Result<Revision, Status> {
        self.store.current_revision().await.map_err(|error| store_failed(&error))
    }

    /// The state of the collection as events, and its revision.
    async fn initial_events(
        &self,
        target: &Target,
        options: &ListOptions,
        asked: Revision,
    ) -> Result<Initial, Status> {
        let current = self.revision().await?;
        if asked > current {
            return Err(Status::resource_version_too_large(asked, current));
        }
        let list = ListOptions {
            labels: options.labels.clone(),
            fields: options.fields.clone(),
            ..ListOptions::default()
        };
        let listed = self.list_records(target, &list).await?;
        let revision = listed.resource_version;
        let end = options.allow_watch_bookmarks.then(|| bookmark(target, revision, true));
        let (records, converted) = if is_converted_outside(target) {
            let records = Arc::clone(&listed.records);
            (records, self.decode_page(target, listed).await?.items)
        } else {
            (listed.records, Vec::new())
        };
        let mut converted = converted.into_iter();
        let event = |record: Arc<Record>| {
            let revision = record.revision;
            let converted = converted.next();
            let source = Source::Record { record, revision, change: None, converted };
            WatchEvent { ty: EventType::Added, source }
        };
        Ok(Initial {
            events: records.iter().cloned().map(event).collect(),
            bookmark: end,
            revision,
        })
    }

    async fn too_old(&self, error: &StoreError, asked: Revision) -> Status {
        match error {
            StoreError::Compacted { .. } => {
                let current = self.revision().await.unwrap_or(0);
                Status::expired(&format!("too old resource version: {asked} ({current})"))
            }
            other => store_failed(other),
        }
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        let initial = std::mem::take(&mut self.initial);
        let len = initial.len();
        discard(initial, len);
    }
}

impl Watcher {
    /// The next event; none when the watch is over.
    pub async fn next(&mut self) -> Option<WatchEvent> {
        loop {
            if let Some(event) = self.initial.next() {
                return Some(event);
            }
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            if let Some(change) = self.pending.front().cloned() {
                let seen = self.view.seen(&change).await;
                self.pending.pop_front();
                self.revision = self.revision.max(change.revision);
                match seen {
                    Ok(Some(event)) => return Some(event),
                    Ok(None) => continue,
                    Err(status) => return Some(self.fail(&status)),
                }
            }
            if let Some((changes, upto)) = &mut self.history {
                let upto = *upto;
                match changes.next().await {
                    Some(Ok(batch)) => self.take_history(&batch, upto),
                    Some(Err(error)) => {
                        let status = self.view.registry.too_old(&error, self.revision).await;
                        return Some(self.fail(&status));
                    }
                    None => return None,
                }
                continue;
            }
            match self.queue.as_ref()?.next().await {
                Ok(change) => self.pending.push_back(change),
                Err(End::TooSlow | End::Retired) => return None,
                Err(End::Lost) => {
                    let compacted = StoreError::Compacted { requested: 0, compacted: 0 };
                    let status = self.view.registry.too_old(&compacted, self.revision).await;
                    return Some(self.fail(&status));
                }
            }
        }
    }

    fn fail(&mut self, status: &Status) -> WatchEvent {
        self.queue = None;
        self.history = None;
        self.pending.clear();
        WatchEvent::error(status)
    }

    /// A bookmark for everything delivered so far.
    pub fn bookmark(&mut self) -> WatchEvent {
        // What is reached was offered to the queue before; if that is empty, it was delivered.
        let reached = self.view.registry.cache.reached();
        let idle = self.initial.len() == 0
            && self.ready.is_empty()
            && self.pending.is_empty()
            && self.history.is_none();
        if idle && self.queue.as_ref().is_some_and(|queue| queue.is_empty()) {
            self.revision = self.revision.max(reached);
        }
        bookmark(&self.view.target, self.revision, false)
    }

    /// The present time, by the server's clock.
    pub fn time(&self) -> Time {
        self.view.registry.time()
    }

    pub fn target(&self) -> &Target {
        &self.view.target
    }

    /// The object of an event in the version of the request.
    pub fn object(&self, event: &WatchEvent) -> Result<Value, Status> {
        let (record, revision, converted) = match &event.source {
            Source::Value(object) => return Ok(object.clone()),
            Source::Record { record, revision, converted, .. } => (record, *revision, converted),
        };
        let mut object = match converted {
            Some(object) => object.clone(),
            None => self.view.object_of(record)?,
        };
        if revision != record.revision {
            object::set(&mut object, "resourceVersion", revision.to_string().into());
        }
        Ok(object)
    }

    /// The line of an event as JSON.
    pub fn line(&self, event: &WatchEvent) -> Result<Bytes, Status> {
        let resource = &self.view.target.resource;
        if self.view.target.version != resource.storage_version {
            return self.encoded(event, 0, encode_line);
        }
        let Source::Record { record, revision, change, .. } = &event.source else {
            return self.encoded(event, 0, encode_line);
        };
        if !record.is_in_storage_version(resource)? {
            return self.encoded(event, 0, encode_line);
        }
        let make = || {
            let mut line = begin_line(event.ty, record.len() + 128);
            record.write_json(resource, *revision, true, &mut line)?;
            Ok(end_line(line))
        };
        match change {
            Some(change) => change.encoded(self.encoding_key(event.ty, 0), make),
            None => make(),
        }
    }

    /// The bytes of an event in a form of the caller's, numbered from 1; made once for all
    /// watchers that see the event in this way.
    pub fn encoded(
        &self,
        event: &WatchEvent,
        form: u8,
        make: impl FnOnce(EventType, &Value) -> Bytes,
    ) -> Result<Bytes, Status> {
        let make = || Ok(make(event.ty, &self.object(event)?));
        match &event.source {
            Source::Record { change: Some(change), .. } => {
                change.encoded(self.encoding_key(event.ty, form), make)
            }
            _ => make(),
        }
    }

    fn encoding_key(&self, ty: EventType, form: u8) -> EncodingKey {
        EncodingKey { ty: ty.as_str(), version: self.view.target.version.clone(), form }
    }

    fn take_history(&mut self, batch: &Batch, upto: Revision) {
        for event in batch.events.iter().filter(|event| event.revision <= upto) {
            let new = event.entry().map(|entry| Arc::new(Record::of(&entry)));
            let old = event.previous.as_ref().map(|entry| Arc::new(Record::of(entry)));
            let change = Arc::new(Change::new(new, old, event.revision));
            if self.queue.as_ref().is_some_and(|queue| queue.is_wanted(&change)) {
                self.pending.push_back(change);
            }
        }
        if batch.revision >= upto {
            self.history = None;
        }
        if self.pending.is_empty() {
            self.revision = self.revision.max(batch.revision.min(upto));
        }
    }
}

impl View {
    /// The object of a record in the version of the request, of a kind that converts by itself.
    fn object_of(&self, record: &Arc<Record>) -> Result<Value, Status> {
        let resource = &self.target.resource;
        let object = self.registry.cache.decoded(resource, record)?;
        if resource.family == Family::BuiltIn && self.target.version == resource.storage_version {
            return Ok(object);
        }
        resource.strategy.convert(&object, &self.target.version).map_err(Status::unclassified)
    }

    /// What a change looks like through the selectors.
    async fn seen(&self, change: &Arc<Change>) -> Result<Option<WatchEvent>, Status> {
        let new = self.selected(change, Side::New).await?;
        let old = self.selected(change, Side::Old).await?;
        let (ty, record, side) = match (new, old) {
            (Some(new), Some(_)) => (EventType::Modified, new, Side::New),
            (Some(new), None) => (EventType::Added, new, Side::New),
            (None, Some(old)) => (EventType::Deleted, old, Side::Old),
            (None, None) => return Ok(None),
        };
        let converted = match is_converted_outside(&self.target) {
            true => Some(self.converted(change, side, record).await?),
            false => None,
        };
        let revision = if side == Side::New { record.revision } else { change.revision };
        let (record, change) = (Arc::clone(record), Some(Arc::clone(change)));
        let source = Source::Record { record, revision, change, converted };
        Ok(Some(WatchEvent { ty, source }))
    }

    /// The object before or after a change, if the selectors select it.
    async fn selected<'a>(
        &self,
        change: &'a Change,
        side: Side,
    ) -> Result<Option<&'a Arc<Record>>, Status> {
        let record = change.record(side);
        let Some(record) = record.filter(|_| self.filtered) else { return Ok(record) };
        let object = match is_converted_outside(&self.target) {
            true => self.converted(change, side, record).await?,
            false => self.object_of(record)?,
        };
        Ok(selected(&self.target, &self.options, &object).then_some(record))
    }

    /// The object of a change in the version of the request; the webhook is asked by the first
    /// watcher that needs it.
    async fn converted(
        &self,
        change: &Change,
        side: Side,
        record: &Arc<Record>,
    ) -> Result<Value, Status> {
        let convert = async {
            let records = std::slice::from_ref(record);
            let mut objects = self.registry.present_records(&self.target, records).await?;
            objects.pop().ok_or_else(|| Status::internal("an object was lost in conversion"))
        };
        change.converted(side, &self.target.version, convert).await
    }
}

/// Whether a webhook has to be asked for the objects of a watch.
fn is_converted_outside(target: &Target) -> bool {
    target.resource.strategy.conversion_webhook().is_some()
}

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
