//! Whether anything is going on: requests under way and events that are kept back.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use ordain_meta::Status;
use ordain_registry::Registry;
use ordain_storage::Event;
use tokio::time::Instant;

/// How often it is looked when something is under way.
const LOOK_EVERY: Duration = Duration::from_millis(2);

/// Counts what is under way.
#[derive(Debug, Default)]
pub(crate) struct Activity {
    pending: AtomicUsize,
}

impl Activity {
    pub(crate) fn begin(&self) {
        self.pending.fetch_add(1, Ordering::SeqCst);
    }

    pub(crate) fn end(&self) {
        // Never below zero, whoever ends twice.
        let _ =
            self.pending.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |it| it.checked_sub(1));
    }

    fn is_idle(&self) -> bool {
        self.pending.load(Ordering::SeqCst) == 0
    }

    /// Waits until nothing was written for a while and nothing is under way; false when that does
    /// not come to be in time.
    pub(crate) async fn quiet(&self, registry: &Registry, quiet: &Quiet) -> Result<bool, Status> {
        let end = Instant::now() + quiet.timeout;
        let failed = |error: ordain_storage::StoreError| Status::internal(&error.to_string());
        let revision = registry.store().current_revision().await.map_err(failed)?;
        let mut changes = registry.store().watch("", revision).await.map_err(failed)?;
        let mut since = Instant::now();
        loop {
            let due = since + quiet.window;
            let due = if self.is_idle() { due } else { due.max(Instant::now() + LOOK_EVERY) };
            match tokio::time::timeout_at(due.min(end), changes.next()).await {
                Ok(Some(Ok(batch))) => {
                    if batch.events.iter().any(|event| quiet.counts(event)) {
                        since = Instant::now();
                    }
                }
                Ok(Some(Err(error))) => return Err(failed(error)),
                Ok(None) => return Err(Status::internal("the store is closed")),
                Err(_) => {}
            }
            let now = Instant::now();
            if !self.is_idle() {
                since = now;
            } else if now >= since + quiet.window {
                return Ok(true);
            }
            if now >= end {
                return Ok(false);
            }
        }
    }
}

/// How quiet it has to be.
#[derive(Debug, Clone)]
pub struct Quiet {
    /// For how long nothing may be written.
    pub window: Duration,
    pub timeout: Duration,
    /// Resources whose writes do not count, such as leases of elections.
    pub ignored: Vec<String>,
}

impl Default for Quiet {
    fn default() -> Self {
        Self {
            window: Duration::from_millis(100),
            timeout: Duration::from_secs(10),
            ignored: vec!["leases".to_owned(), "events".to_owned()],
        }
    }
}

impl Quiet {
    fn counts(&self, event: &Event) -> bool {
        !self.ignored.iter().any(|it| event.key.split('/').any(|segment| segment == it))
    }
}
