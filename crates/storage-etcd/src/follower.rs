//! The task that reads the history of etcd into the log from which all watches are served.

use std::time::Duration;

use ordain_storage::{EventLog, HistoryLimits, Result, Revision, StoreError};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::client::Client;
use crate::upstream::{Missed, Upstream};

/// After so long without news it is asked whether there should have been some.
const QUIET_MAX: Duration = Duration::from_secs(5);

/// How long a caller waits for the follower to reach a revision that etcd has reached.
const REACH_TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub(crate) struct Follower {
    pub(crate) log: EventLog,
    reached: watch::Receiver<Revision>,
    task: JoinHandle<()>,
    compaction: Option<JoinHandle<()>>,
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.task.abort();
        if let Some(compaction) = &self.compaction {
            compaction.abort();
        }
        self.log.close();
    }
}

impl Follower {
    /// Begins to follow at the present revision.
    pub(crate) async fn start(
        client: Client,
        limits: HistoryLimits,
        compact_every: Option<Duration>,
    ) -> Result<Self> {
        let revision = client.current_revision().await?;
        let log = EventLog::new(limits, revision, revision);
        let (sender, reached) = watch::channel(revision);
        let upstream = Upstream::new(client.clone(), revision);
        let compaction =
            compact_every.map(|every| tokio::spawn(compact(client.clone(), log.clone(), every)));
        let task = tokio::spawn(follow(client, upstream, log.clone(), sender));
        Ok(Self { log, reached, task, compaction })
    }

    /// Waits until all changes up to a revision are in the log.
    pub(crate) async fn reach(&self, revision: Revision) -> Result<()> {
        let mut reached = self.reached.clone();
        let waiting = reached.wait_for(|reached| *reached >= revision);
        match tokio::time::timeout(REACH_TIMEOUT, waiting).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(_)) => Err(StoreError::Closed),
            Err(_) => Err(StoreError::Unavailable(format!(
                "the watch of etcd does not reach revision {revision}"
            ))),
        }
    }
}

/// Gives up what was history already one period ago. Several servers on one etcd do no harm: what
/// one has compacted is nothing new to the others.
async fn compact(client: Client, log: EventLog, every: Duration) {
    let mut before: Option<Revision> = None;
    loop {
        tokio::time::sleep(every).await;
        let Ok(current) = client.current_revision().await else { continue };
        if let Some(revision) = before.filter(|revision| *revision > 0)
            && client.compact(revision).await.is_ok()
        {
            log.compact(revision);
        }
        before = Some(current);
    }
}

async fn follow(
    client: Client,
    mut upstream: Upstream,
    log: EventLog,
    reached: watch::Sender<Revision>,
) {
    // What should have been read by the next time we look.
    let mut expected: Option<Revision> = None;
    loop {
        let Ok(next) = tokio::time::timeout(QUIET_MAX, upstream.next()).await else {
            if expected.is_some_and(|expected| expected > upstream.reached()) {
                // The connection lives, but the watch on it does not.
                upstream.reset();
            }
            expected = client.current_revision().await.ok();
            continue;
        };
        expected = None;
        match next {
            Ok(events) => {
                log.publish(&events, upstream.reached());
                if let Some(due) = log.compaction_due() {
                    log.compact(due);
                }
            }
            Err(Missed { compacted }) => {
                let revision = client.current_revision().await.unwrap_or(compacted).max(compacted);
                log.restart(revision);
                upstream = Upstream::new(client.clone(), revision);
            }
        }
        reached.send_replace(upstream.reached());
    }
}
