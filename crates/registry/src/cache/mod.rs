//! The watch cache: what the store holds, kept ready to be listed, read and watched.
//!
//! One watch of the store feeds all resources. Each resource has a [`Collection`] with the bytes
//! of its objects and its recent changes; trees and encodings are made when they are first asked
//! for and then shared. A consistent read asks the store for its revision and waits until the feed
//! has reached it; whoever waits drives the feed himself, so that a read after a write costs no
//! change of task.

mod bell;
mod change;
mod collection;
mod decoded;
mod feed;
mod filling;
mod page;
mod queue;
mod record;
mod seams;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use ordain_meta::GroupResource;
use ordain_meta::status::Status;
use ordain_schema::Schema;
use ordain_storage::{Entry, Revision, Store};
use ordain_value::Value;
use tokio::sync::OnceCell;
use tokio::task::JoinHandle;

pub(crate) use change::{Change, EncodingKey, Side};
pub(crate) use collection::{CachedPage, Collection};
use decoded::KeptPool;
use feed::Feed;
pub use page::RecordList;
pub(crate) use queue::{End, Queue};
pub use record::Record;
pub(crate) use seams::Showing;

use crate::registry::{Catalog, Encoded, store_failed};
use ordain_strategy::RestConfig;
use ordain_strategy::typed::protobuf;

/// How long a read waits for the feed to reach the revision of the store.
const REACH_TIMEOUT: Duration = Duration::from_secs(10);

/// Trees that are kept, in bytes of their JSON; a tree takes some times as much.
const TREES_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Protobuf messages that are kept.
const MESSAGES_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Larger objects are decoded and encoded anew each time.
const OBJECT_BYTES_MAX: usize = 64 * 1024;
/// Pages that are kept as they are written, and how large one may be.
const PAGES_BYTES_MAX: usize = 8 * 1024 * 1024;
const PAGE_BYTES_MAX: usize = 1024 * 1024;

/// All collections, and the task that feeds them.
pub(crate) struct WatchCache {
    feed: Arc<Feed>,
    task: OnceCell<Task>,
    trees: KeptPool<Record>,
    messages: KeptPool<Record>,
    pages: KeptPool<RecordList>,
    collections: Mutex<BTreeMap<(GroupResource, u64), Arc<Collection>>>,
}

/// Ends with the cache.
struct Task(JoinHandle<()>);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl WatchCache {
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        Self {
            feed: Arc::new(Feed::new(store)),
            task: OnceCell::new(),
            trees: KeptPool::new(TREES_BYTES_MAX, OBJECT_BYTES_MAX, |it| it.set_kept(None)),
            messages: KeptPool::new(MESSAGES_BYTES_MAX, OBJECT_BYTES_MAX, |it| {
                it.set_message(None);
            }),
            pages: KeptPool::new(PAGES_BYTES_MAX, PAGE_BYTES_MAX, |it| it.set_written(None)),
            collections: Mutex::default(),
        }
    }

    async fn start(&self) -> Result<(), Status> {
        let start = || async {
            self.feed.open().await.map_err(|error| store_failed(&error))?;
            Ok::<_, Status>(Task(tokio::spawn(Arc::clone(&self.feed).follow())))
        };
        self.task.get_or_try_init(start).await.map(|_| ())
    }

    /// The collection of a resource, read from the store the first time.
    pub(crate) async fn collection(
        &self,
        resource: &RestConfig,
    ) -> Result<Arc<Collection>, Status> {
        self.start().await?;
        let collection = self.registered(resource);
        if let Err(error) = collection.fill(self.feed.store()).await {
            self.forget(resource);
            return Err(store_failed(&error));
        }
        if collection.is_lost() {
            // The feed missed changes; the next caller reads the store again.
            self.forget(resource);
        }
        Ok(collection)
    }

    /// The collection of a resource for those who ask the store themselves while it is being read,
    /// which is begun.
    pub(crate) async fn begun(&self, resource: &RestConfig) -> Result<Arc<Collection>, Status> {
        self.start().await?;
        let collection = self.registered(resource);
        if !collection.is_filled() && collection.begin() {
            let (feed, filled) = (Arc::clone(&self.feed), Arc::clone(&collection));
            tokio::spawn(async move {
                if filled.fill(feed.store()).await.is_err() {
                    // Whoever asks next tries again.
                    filled.give_up();
                }
            });
        }
        Ok(collection)
    }

    /// How many bytes are stored for a key, as far as that is known without asking the store.
    pub(crate) fn len_of(&self, resource: &RestConfig, key: &str) -> Option<usize> {
        self.known(resource)?.len_of(key)
    }

    /// How many bytes an object has at most, as far as that is known without asking the store.
    pub(crate) fn largest(&self, resource: &RestConfig) -> Option<usize> {
        self.known(resource)?.largest()
    }

    fn known(&self, resource: &RestConfig) -> Option<Arc<Collection>> {
        let collections = self.collections.lock().unwrap_or_else(PoisonError::into_inner);
        collections.get(&(resource.group_resource(), resource.generation)).map(Arc::clone)
    }

    fn registered(&self, resource: &RestConfig) -> Arc<Collection> {
        let mut collections = self.collections.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (resource.group_resource(), resource.generation);
        if let Some(collection) = collections.get(&key).filter(|it| !it.is_lost()) {
            return Arc::clone(collection);
        }
        let collection = Arc::new(Collection::new(resource));
        self.feed.add(&collection);
        collections.insert(key, Arc::clone(&collection));
        collection
    }

    fn forget(&self, resource: &RestConfig) {
        let mut collections = self.collections.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(gone) = collections.remove(&(resource.group_resource(), resource.generation)) {
            self.feed.remove(&gone);
        }
    }

    /// Drops collections of kinds that are no longer served as they were, and ends their watches.
    pub(crate) fn retire(&self, catalog: &Catalog) {
        let mut collections = self.collections.lock().unwrap_or_else(PoisonError::into_inner);
        collections.retain(|(name, generation), collection| {
            let served = catalog.get(&name.group, &name.resource);
            let kept = served.is_some_and(|it| it.generation == *generation);
            if !kept {
                self.feed.remove(collection);
                collection.end(End::Retired);
            }
            kept
        });
    }

    /// Waits until everything up to a revision is in the cache.
    pub(crate) async fn reach(&self, revision: Revision) -> Result<(), Status> {
        self.start().await?;
        if self.feed.reached() >= revision || self.feed.drive() >= revision {
            return Ok(());
        }
        let waiting = self.feed.wait_for(revision);
        let progress = self.feed.store().request_progress();
        progress.await.map_err(|error| store_failed(&error))?;
        match tokio::time::timeout(REACH_TIMEOUT, waiting).await {
            Ok(()) => Ok(()),
            Err(_) => Err(Status::timeout("the watch cache does not reach the store", 1)),
        }
    }

    /// Makes a change of the store, and takes it up at once if the store is done at once.
    pub(crate) async fn changed<F: Future>(&self, change: F) -> F::Output {
        self.feed.changed(change).await
    }

    /// Everything up to here is in the cache.
    pub(crate) fn reached(&self) -> Revision {
        self.feed.reached()
    }

    /// The record of a key as it is in the store now.
    pub(crate) async fn read(
        &self,
        resource: &RestConfig,
        key: &str,
    ) -> Result<Option<Arc<Record>>, Status> {
        let collection = self.begun(resource).await?;
        let read = self.feed.store().get(key).await.map_err(|error| store_failed(&error))?;
        Ok(read.entry.map(|entry| self.shared(&collection, &entry)))
    }

    /// The record of an entry that was just read or written.
    pub(crate) async fn record(
        &self,
        resource: &RestConfig,
        entry: &Entry,
    ) -> Result<Arc<Record>, Status> {
        let collection = self.begun(resource).await?;
        Ok(self.shared(&collection, entry))
    }

    fn shared(&self, collection: &Collection, entry: &Entry) -> Arc<Record> {
        if self.feed.reached() < entry.mod_revision {
            self.feed.drive();
        }
        let known = collection.find(&entry.key, entry.mod_revision);
        known.unwrap_or_else(|| Arc::new(Record::of(entry)))
    }

    /// The tree of a record: decoded, pruned, defaulted, with its resourceVersion, in the version
    /// that it is stored in.
    pub(crate) fn decoded(
        &self,
        resource: &RestConfig,
        record: &Arc<Record>,
    ) -> Result<Value, Status> {
        if let Some(object) = record.kept() {
            return Ok(object);
        }
        let object = record.decode(resource)?;
        self.trees.keep(record, record.len(), |it| it.set_kept(Some(object.clone())));
        Ok(object)
    }

    /// The tree of a record whose bytes were just made from a tree, which is not read from them again,
    /// and whether the bytes show it.
    pub(crate) fn written(
        &self,
        resource: &RestConfig,
        record: &Arc<Record>,
        encoded: &Encoded,
    ) -> Result<(Value, Showing), Status> {
        let (None, Some(tree)) = (record.kept(), encoded.tree.clone()) else {
            return self.decoded(resource, record).map(|object| (object, Showing::Unknown));
        };
        let (tree, showing) = tree.usable(resource);
        let object = record.usable(tree)?;
        self.trees.keep(record, record.len(), |it| it.set_kept(Some(object.clone())));
        Ok((object, showing))
    }

    /// Keeps a page as it was written, if it is not too large.
    pub(crate) fn keep_page(&self, page: &Arc<RecordList>, pieces: &[Bytes]) {
        let len = pieces.iter().map(Bytes::len).sum();
        self.pages.keep(page, len, |it| it.set_written(Some(pieces.to_vec())));
    }

    /// Whether a page of so many bytes may be kept.
    pub(crate) fn is_kept_page(page: &RecordList, bytes: usize) -> bool {
        page.is_kept() && bytes <= PAGE_BYTES_MAX
    }

    /// The protobuf message of a record, in the version that it is stored in.
    pub(crate) fn message(
        &self,
        resource: &RestConfig,
        schema: &Schema,
        record: &Arc<Record>,
    ) -> Result<Bytes, Status> {
        if let Some(message) = record.message() {
            return Ok(message);
        }
        let object = self.decoded(resource, record)?;
        let message = Bytes::from(protobuf::encode_message(schema, &object));
        let len = message.len();
        self.messages.keep(record, len, |it| it.set_message(Some(message.clone())));
        Ok(message)
    }
}
