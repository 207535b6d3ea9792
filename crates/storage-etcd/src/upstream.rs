//! One watch of the whole key space that goes on over lost connections.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use ordain_storage::{Entry, Event, Key, Revision, StoreError};
use tonic::Streaming;

use crate::client::{Client, to_wire};
use crate::message::{self, EVENT_DELETE, KeyValue, WatchCreateRequest, WatchResponse};

const RETRY_FIRST: Duration = Duration::from_millis(20);
const RETRY_MAX: Duration = Duration::from_secs(1);

pub(crate) struct Upstream {
    client: Client,
    /// Everything up to here has been handed out.
    reached: Revision,
    answers: Option<Streaming<WatchResponse>>,
    retry: Duration,
}

/// Changes were missed: history up to this revision has been given up.
#[derive(Debug)]
pub(crate) struct Missed {
    pub(crate) compacted: Revision,
}

impl Upstream {
    pub(crate) fn new(client: Client, after: Revision) -> Self {
        Self { client, reached: after, answers: None, retry: RETRY_FIRST }
    }

    pub(crate) fn reached(&self) -> Revision {
        self.reached
    }

    /// Opens the watch anew before the next answer.
    pub(crate) fn reset(&mut self) {
        self.answers = None;
    }

    /// The next changes, whole commits in order. Waits as long as it takes, also for etcd to come
    /// back. May be abandoned at any time.
    pub(crate) async fn next(&mut self) -> Result<Vec<Arc<Event>>, Missed> {
        loop {
            let Some(answers) = &mut self.answers else {
                self.open().await;
                continue;
            };
            let Ok(Some(answer)) = answers.message().await else {
                self.answers = None;
                self.wait().await;
                continue;
            };
            if answer.compact_revision > 0 {
                self.answers = None;
                return Err(Missed { compacted: from_wire(answer.compact_revision) });
            }
            if answer.canceled {
                self.answers = None;
                self.wait().await;
                continue;
            }
            self.retry = RETRY_FIRST;
            if let Some(events) = self.take(answer.events)? {
                return Ok(events);
            }
        }
    }

    async fn open(&mut self) {
        // etcd lets a watch start at its compaction revision although it may have dropped changes
        // made there. Starting one revision early, and skipping that, makes sure it notices.
        let create = WatchCreateRequest {
            key: Bytes::from_static(b"\0"),
            range_end: Bytes::from_static(b"\0"),
            start_revision: to_wire(self.reached.max(1)),
            prev_kv: true,
        };
        match self.client.watch(create).await {
            Ok(answers) => self.answers = Some(answers),
            Err(_) => self.wait().await,
        }
    }

    async fn wait(&mut self) {
        let retry = self.retry;
        self.retry = (retry * 2).min(RETRY_MAX);
        tokio::time::sleep(retry).await;
    }

    fn take(&mut self, events: Vec<message::Event>) -> Result<Option<Vec<Arc<Event>>>, Missed> {
        let mut taken = Vec::with_capacity(events.len());
        let mut reached = self.reached;
        for event in events {
            let Some(kv) = event.kv else { continue };
            let revision = from_wire(kv.mod_revision);
            if revision <= self.reached {
                continue;
            }
            reached = reached.max(revision);
            let deleted = event.kind == EVENT_DELETE;
            let Ok(previous) = event.prev_kv.map(entry).transpose() else { continue };
            if deleted && previous.is_none() {
                // What was deleted is only unknown if its history is already gone.
                return Err(Missed { compacted: revision });
            }
            // Keys that are not text are not ours.
            let Ok(key) = std::str::from_utf8(&kv.key).map(Key::from) else { continue };
            let create_revision = match &previous {
                Some(previous) => previous.create_revision,
                None => from_wire(kv.create_revision),
            };
            let value = (!deleted).then_some(kv.value);
            taken.push(Arc::new(Event { key, revision, value, create_revision, previous }));
        }
        if reached == self.reached {
            return Ok(None);
        }
        taken.sort_by(|left, right| (left.revision, &left.key).cmp(&(right.revision, &right.key)));
        self.reached = reached;
        Ok(Some(taken))
    }
}

pub(crate) fn from_wire(revision: i64) -> Revision {
    u64::try_from(revision).unwrap_or(0)
}

pub(crate) fn entry(kv: KeyValue) -> Result<Entry, StoreError> {
    let key = std::str::from_utf8(&kv.key)
        .map_err(|_| StoreError::Corrupt(format!("a key is not UTF-8: {:?}", kv.key)))?;
    Ok(Entry {
        key: Key::from(key),
        value: kv.value,
        create_revision: from_wire(kv.create_revision),
        mod_revision: from_wire(kv.mod_revision),
    })
}
