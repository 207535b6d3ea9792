//! Recent events, decoded once and encoded once, however many watchers hear of them.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use ordain_meta::status::Status;
use ordain_storage::{Event, Revision};
use ordain_value::Text;

use crate::registry::{Registry, Stored};
use crate::rest_config::RestConfig;

/// How many events are remembered in each shard.
const SHARD_LEN_MAX: usize = 256;
const SHARDS: usize = 16;

/// A change of one object, decoded.
#[derive(Debug)]
pub(crate) struct Change {
    /// The object after the change; none when it was deleted.
    pub(crate) new: Option<Stored>,
    /// The object before the change.
    pub(crate) old: Option<Stored>,
    pub(crate) revision: Revision,
    encodings: Mutex<Vec<(EncodingKey, Bytes)>>,
}

/// What makes two encodings of one change the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EncodingKey {
    pub(crate) ty: &'static str,
    pub(crate) version: Text,
}

impl Change {
    /// The bytes of this change in one form, made by the first who asks.
    pub(crate) fn encoded(&self, key: EncodingKey, make: impl FnOnce() -> Bytes) -> Bytes {
        let mut encodings = self.encodings.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, bytes)) = encodings.iter().find(|(known, _)| *known == key) {
            return bytes.clone();
        }
        let bytes = make();
        encodings.push((key, bytes.clone()));
        bytes
    }
}

#[derive(Debug)]
struct Remembered {
    key: Arc<str>,
    revision: Revision,
    generation: u64,
    change: Arc<Change>,
}

/// The memory.
#[derive(Debug)]
pub(crate) struct EventMemo {
    shards: Vec<Mutex<VecDeque<Remembered>>>,
}

impl Default for EventMemo {
    fn default() -> Self {
        Self { shards: (0..SHARDS).map(|_| Mutex::default()).collect() }
    }
}

impl EventMemo {
    /// The change that an event of the store means for a resource.
    pub(crate) fn change(
        &self,
        registry: &Registry,
        resource: &RestConfig,
        event: &Event,
    ) -> Result<Arc<Change>, Status> {
        let shard = usize::try_from(event.revision).unwrap_or(0) % SHARDS;
        let mut shard = self.shards[shard].lock().unwrap_or_else(PoisonError::into_inner);
        let known = shard.iter().rev().find(|it| {
            it.revision == event.revision
                && it.generation == resource.generation
                && it.key == event.key
        });
        if let Some(known) = known {
            return Ok(Arc::clone(&known.change));
        }
        let decode = |entry| registry.decode_entry(resource, &entry);
        let change = Arc::new(Change {
            new: event.entry().map(decode).transpose()?,
            old: event.previous.clone().map(decode).transpose()?,
            revision: event.revision,
            encodings: Mutex::default(),
        });
        if shard.len() >= SHARD_LEN_MAX {
            shard.pop_front();
        }
        shard.push_back(Remembered {
            key: Arc::clone(&event.key),
            revision: event.revision,
            generation: resource.generation,
            change: Arc::clone(&change),
        });
        Ok(change)
    }
}
