//! One change of one object, encoded once however many watchers hear of it.

use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use ordain_meta::status::Status;
use ordain_storage::Revision;
use ordain_value::{Text, Value};

use super::record::Record;

/// A change of one object.
#[derive(Debug)]
pub(crate) struct Change {
    /// The object after the change; none when it was deleted.
    pub(crate) new: Option<Arc<Record>>,
    /// The object before the change.
    pub(crate) old: Option<Arc<Record>>,
    pub(crate) revision: Revision,
    encodings: Mutex<Vec<(EncodingKey, Bytes)>>,
    /// Objects in versions that a webhook was asked for. Held while it is asked, so that it is
    /// asked once however many watchers wait.
    conversions: tokio::sync::Mutex<Vec<(Side, Text, Value)>>,
}

/// The object of a change before it, or after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Old,
    New,
}

/// What makes two encodings of one change the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EncodingKey {
    pub(crate) ty: &'static str,
    pub(crate) version: Text,
    /// The media type and form, as the caller numbers them.
    pub(crate) form: u8,
}

impl Change {
    pub(crate) fn new(
        new: Option<Arc<Record>>,
        old: Option<Arc<Record>>,
        revision: Revision,
    ) -> Self {
        let (encodings, conversions) = (Mutex::default(), tokio::sync::Mutex::default());
        Self { new, old, revision, encodings, conversions }
    }

    pub(crate) fn key(&self) -> &str {
        let record = self.new.as_ref().or(self.old.as_ref());
        record.map_or("", |record| record.key.as_ref())
    }

    pub(crate) fn record(&self, side: Side) -> Option<&Arc<Record>> {
        match side {
            Side::Old => self.old.as_ref(),
            Side::New => self.new.as_ref(),
        }
    }

    /// The object of one side in a version, converted by the first who asks. Failures are not kept.
    pub(crate) async fn converted(
        &self,
        side: Side,
        version: &Text,
        convert: impl Future<Output = Result<Value, Status>>,
    ) -> Result<Value, Status> {
        let mut conversions = self.conversions.lock().await;
        let known = conversions.iter().find(|(at, of, _)| *at == side && of == version);
        if let Some((_, _, object)) = known {
            return Ok(object.clone());
        }
        let object = convert.await?;
        conversions.push((side, version.clone(), object.clone()));
        Ok(object)
    }

    /// What the change keeps alive, about.
    pub(crate) fn len(&self) -> usize {
        self.new.as_ref().or(self.old.as_ref()).map_or(0, |record| record.len())
    }

    /// The bytes of this change in one form, made by the first who asks.
    pub(crate) fn encoded(
        &self,
        key: EncodingKey,
        make: impl FnOnce() -> Result<Bytes, Status>,
    ) -> Result<Bytes, Status> {
        let mut encodings = self.encodings.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, bytes)) = encodings.iter().find(|(known, _)| *known == key) {
            return Ok(bytes.clone());
        }
        let bytes = make()?;
        encodings.push((key, bytes.clone()));
        Ok(bytes)
    }
}
