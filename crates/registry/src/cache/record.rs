//! One object at one revision.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use bytes::Bytes;
use ordain_meta::status::Status;
use ordain_storage::{Entry, Key, Revision};
use ordain_value::{Value, json};

use super::seams::Seams;
use crate::object;
use ordain_strategy::{Family, RestConfig};

/// An object as it is stored, with what was made of it so far.
#[derive(Debug)]
pub struct Record {
    pub(crate) key: Key,
    pub(crate) bytes: Bytes,
    pub(crate) revision: Revision,
    // Most records of a large collection are never looked at, so what is made of them is elsewhere.
    shown: OnceLock<Box<Shown>>,
    kept: Mutex<Option<Box<Kept>>>,
}

/// What pools keep of a record, as long as they do.
#[derive(Debug, Default)]
struct Kept {
    object: Option<Value>,
    message: Option<Bytes>,
}

/// What defaults may add to a small object.
const SHOWN_EXTRA_BYTES: usize = 4 * 1024;

/// The bytes of an object in the version that it is stored in as a read shows them.
#[derive(Debug, Clone)]
struct Shown {
    /// The stored bytes themselves, unless reading changes them.
    bytes: Bytes,
    seams: Seams,
    /// Whether the kind is stored in this version now; objects of old versions are converted.
    is_in_storage_version: bool,
}

impl Record {
    pub(crate) fn new(key: Key, bytes: Bytes, revision: Revision) -> Self {
        Self { key, bytes, revision, shown: OnceLock::new(), kept: Mutex::default() }
    }

    pub(crate) fn of(entry: &Entry) -> Self {
        Self::new(entry.key.clone(), entry.value.clone(), entry.mod_revision)
    }

    pub(crate) fn decode(&self, resource: &RestConfig) -> Result<Value, Status> {
        self.usable(resource.strategy.read(self.stored()?))
    }

    /// The tree of the bytes.
    pub(crate) fn stored(&self) -> Result<Value, Status> {
        json::decode(&self.bytes)
            .map_err(|error| Status::internal(&format!("unable to decode {}: {error}", self.key)))
    }

    /// An object that was read from the store, with its version.
    pub(crate) fn usable(&self, mut object: Value) -> Result<Value, Status> {
        object::remove(&mut object, "resourceVersion");
        // A default that was declared later may make any object large.
        object::check_size(&object).map_err(|_| {
            let why = format!("{} is too large to be read with its defaults", self.key);
            Status::internal(&why)
        })?;
        object::set(&mut object, "resourceVersion", self.revision.to_string().into());
        Ok(object)
    }

    fn kept_parts(&self) -> MutexGuard<'_, Option<Box<Kept>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change_kept(&self, change: impl FnOnce(&mut Kept)) {
        let mut kept = self.kept_parts();
        change(kept.get_or_insert_default());
        if kept.as_ref().is_some_and(|kept| kept.object.is_none() && kept.message.is_none()) {
            *kept = None;
        }
    }

    /// The tree, if it was kept.
    pub(super) fn kept(&self) -> Option<Value> {
        self.kept_parts().as_ref().and_then(|kept| kept.object.clone())
    }

    pub(super) fn set_kept(&self, object: Option<Value>) {
        self.change_kept(|kept| kept.object = object);
    }

    /// The protobuf message, if it was kept.
    pub(super) fn message(&self) -> Option<Bytes> {
        self.kept_parts().as_ref().and_then(|kept| kept.message.clone())
    }

    pub(super) fn set_message(&self, message: Option<Bytes>) {
        self.change_kept(|kept| kept.message = message);
    }

    fn shown(&self, resource: &RestConfig) -> Result<Cow<'_, Shown>, Status> {
        if let Some(shown) = self.shown.get() {
            return Ok(Cow::Borrowed(shown));
        }
        let mut object = match self.kept() {
            Some(object) => object,
            None => self.decode(resource)?,
        };
        object::remove(&mut object, "resourceVersion");
        let canonical = json::encode(&object);
        let bytes =
            if canonical == self.bytes { self.bytes.clone() } else { Bytes::from(canonical) };
        let seams = Seams::find(&bytes).ok_or_else(|| {
            Status::internal(&format!("unable to decode {}: it has no metadata", self.key))
        })?;
        let is_in_storage_version = resource.family == Family::BuiltIn
            || object::gvk(&object).version == resource.storage_version;
        let shown = Shown { bytes, seams, is_in_storage_version };
        // What defaults made much larger is made again each time: memory holds what was stored.
        if shown.bytes.len() <= 2 * self.bytes.len() + SHOWN_EXTRA_BYTES {
            return Ok(Cow::Borrowed(self.shown.get_or_init(|| Box::new(shown))));
        }
        Ok(Cow::Owned(shown))
    }

    /// Writes an object that is in the storage version as JSON. `typed` objects say their type.
    pub(crate) fn write_json(
        &self,
        resource: &RestConfig,
        revision: Revision,
        typed: bool,
        out: &mut Vec<u8>,
    ) -> Result<(), Status> {
        let shown = self.shown(resource)?;
        shown.seams.write(&shown.bytes, revision, typed, out);
        Ok(())
    }

    /// The same in pieces that share the stored bytes.
    pub(crate) fn cut_json(
        &self,
        resource: &RestConfig,
        typed: bool,
    ) -> Result<Vec<Bytes>, Status> {
        let shown = self.shown(resource)?;
        Ok(shown.seams.cut(&shown.bytes, self.revision, typed))
    }

    /// Whether the object can be written as it is stored; not if that is in an old version.
    pub(crate) fn is_in_storage_version(&self, resource: &RestConfig) -> Result<bool, Status> {
        self.shown(resource).map(|shown| shown.is_in_storage_version)
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }
}

/// Two records of one object at one revision.
pub(super) fn same(left: &Arc<Record>, revision: Revision) -> bool {
    left.revision == revision
}
