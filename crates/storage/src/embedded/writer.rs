//! The one thread that writes: it gathers the commits that are waiting, makes them durable with
//! one sync of the file, shows them to readers and watchers, and only then answers.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use redb::Database;
use tokio::sync::{mpsc, oneshot};

use super::file::{self, Obsolete};
use super::load;
use super::record;
use super::reserve::Reserve;
use crate::error::StoreError;
use crate::event_log::EventLog;
use crate::index::{self, SharedIndex};
use crate::memory::next_revision;
use crate::store::{Entry, Key, Op, Outcome, Result, Revision, Write};
use crate::watch::Event;

/// One sync serves at most so many commits.
const GROUP_LEN_MAX: usize = 1024;

/// One sync serves at most about so many bytes.
const GROUP_BYTES_MAX: usize = 16 * 1024 * 1024;

/// With each group so many obsolete records are removed, so that cleaning up after a large
/// compaction does not hold up the commits.
const CLEAN_LEN_MAX: usize = 512;

/// When so many commits were waiting, more are on their way: it is waited for them, for as long as
/// they keep coming. What a sync and its pages cost is then shared by more of them.
const MANY: usize = 4;
const PAUSE: Duration = Duration::from_micros(100);
const PAUSES_MAX: usize = 8;

/// A disk that takes longer for one write does not work.
const DISK_ANSWERS_IN: Duration = Duration::from_secs(10);

/// How long a full disk is left alone before it is tried again.
const NO_SPACE_RETRY: Duration = Duration::from_millis(250);

pub(super) enum Job {
    Commit { writes: Vec<Write>, reply: oneshot::Sender<Result<Outcome>> },
    Compact { revision: Revision, reply: oneshot::Sender<Result<()>> },
    Ready { reply: oneshot::Sender<Result<()>> },
    Stop,
}

pub(super) type Reopen = Box<dyn Fn() -> Result<Database> + Send>;

pub(super) struct Writer {
    pub(super) index: SharedIndex,
    pub(super) log: EventLog,
    pub(super) jobs: mpsc::Receiver<Job>,
    pub(super) database: Option<Database>,
    pub(super) reopen: Reopen,
    pub(super) obsolete: Vec<Obsolete>,
    pub(super) failure: Option<Failure>,
    pub(super) reserve: Option<Box<dyn Reserve>>,
    /// The reserve is given up: until it could be set aside again, which is tried then, only
    /// deletions are written.
    pub(super) tight: Option<Instant>,
    /// Something was deleted since the file was last made smaller.
    pub(super) shrinkable: bool,
    pub(super) state: Arc<State>,
}

/// How the writer is, for those who do not want to wait for it.
#[derive(Debug, Default)]
pub(super) struct State {
    unsound: AtomicBool,
    /// When the write that is under way began.
    writing: Mutex<Option<Instant>>,
}

impl State {
    pub(super) fn is_sound(&self) -> bool {
        !self.unsound.load(Ordering::Acquire)
    }

    /// Refuses if the disk has not answered for long.
    pub(super) fn check_disk(&self) -> Result<()> {
        let writing = *self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        match writing.map(|began| began.elapsed()).filter(|since| *since > DISK_ANSWERS_IN) {
            Some(since) => Err(StoreError::Unavailable(format!(
                "the disk has not answered for {} s",
                since.as_secs()
            ))),
            None => Ok(()),
        }
    }

    pub(super) fn set_unsound(&self, unsound: bool) {
        self.unsound.store(unsound, Ordering::Release);
    }

    fn set_writing(&self, began: Option<Instant>) {
        *self.writing.lock().unwrap_or_else(PoisonError::into_inner) = began;
    }
}

/// Why nothing is written at the moment.
pub(super) struct Failure {
    error: StoreError,
    /// The file may be opened again then. Never after a failed sync: what the system still shows
    /// of the file may not be on the disk, so only a new start may trust it.
    retry_at: Option<Instant>,
}

/// A group of commits on its way to the disk.
#[derive(Default)]
struct Group {
    events: Vec<Arc<Event>>,
    /// What the events leave behind, for the commits of the group that come after them.
    staged: HashMap<Key, Option<Entry>>,
    revision: Revision,
    compact: Option<Revision>,
    replies: Vec<Reply>,
}

/// How long more commits are waited for.
#[derive(Debug, Default)]
struct Patience {
    pauses: usize,
    /// How many commits there were at the last pause.
    len: usize,
}

impl Patience {
    /// Whether it is worth to pause for more than these.
    fn waits(&mut self, len: usize) -> bool {
        let waits = len >= MANY && len > self.len && self.pauses < PAUSES_MAX;
        self.pauses += 1;
        self.len = len;
        waits
    }
}

enum Reply {
    Commit(oneshot::Sender<Result<Outcome>>, Result<Outcome>),
    Unit(oneshot::Sender<Result<()>>, Result<()>),
}

impl Writer {
    pub(super) fn run(mut self) {
        let mut stopped = false;
        while !stopped {
            let Some(first) = self.next_job() else { break };
            self.recover();
            let mut group = Group { revision: self.index.read().revision(), ..Group::default() };
            stopped = self.gather(&mut group, first);
            self.finish(group);
        }
        self.log.close();
    }

    /// Takes the commits that are waiting. True if the last job of all was among them.
    fn gather(&mut self, group: &mut Group, first: Option<Job>) -> bool {
        let mut bytes = 0_usize;
        let mut patience = Patience::default();
        let mut next = first;
        loop {
            match next {
                Some(Job::Stop) => return true,
                Some(job) => {
                    bytes = bytes.saturating_add(job_bytes(&job));
                    self.admit(group, job);
                }
                None => return false,
            }
            if group.replies.len() >= GROUP_LEN_MAX || bytes >= GROUP_BYTES_MAX {
                return false;
            }
            next = self.jobs.try_recv().ok();
            if next.is_none() && patience.waits(group.replies.len()) {
                std::thread::sleep(PAUSE);
                next = self.jobs.try_recv().ok();
            }
        }
    }

    /// Waits for work. `Some(None)` means that there is only cleaning up to do.
    fn next_job(&mut self) -> Option<Option<Job>> {
        if self.obsolete.is_empty() || self.failure.is_some() {
            return self.jobs.blocking_recv().map(Some);
        }
        match self.jobs.try_recv() {
            Ok(job) => Some(Some(job)),
            Err(mpsc::error::TryRecvError::Empty) => Some(None),
            Err(mpsc::error::TryRecvError::Disconnected) => None,
        }
    }

    fn admit(&self, group: &mut Group, job: Job) {
        let failure = self.failure.as_ref().map(|failure| failure.error.clone());
        match job {
            Job::Stop => {}
            Job::Ready { reply } => {
                let failure = failure.or_else(|| self.tight.map(|_| only_deletions()));
                group.replies.push(Reply::Unit(reply, failure.map_or(Ok(()), Err)));
            }
            Job::Compact { revision, reply } => {
                let answer = failure.map_or_else(|| self.admit_compaction(group, revision), Err);
                group.replies.push(Reply::Unit(reply, answer));
            }
            Job::Commit { writes, reply } => {
                let adds = self.tight.is_some()
                    && writes.iter().any(|write| matches!(write.op, Op::Put(_)));
                let failure = failure.or_else(|| adds.then(only_deletions));
                let answer = failure.map_or_else(|| self.admit_commit(group, writes), Err);
                group.replies.push(Reply::Commit(reply, answer));
            }
        }
    }

    fn admit_compaction(&self, group: &mut Group, revision: Revision) -> Result<()> {
        let current = self.index.read().revision();
        if revision > current {
            return Err(StoreError::FutureRevision { requested: revision, current });
        }
        group.compact = group.compact.max(Some(revision));
        Ok(())
    }

    fn admit_commit(&self, group: &mut Group, writes: Vec<Write>) -> Result<Outcome> {
        let revision = next_revision(group.revision)?;
        let index = self.index.read();
        let staged = &group.staged;
        let current = |key: &str| match staged.get(key) {
            Some(entry) => entry.clone(),
            None => index.current(key),
        };
        let events = match index::stage(writes, revision, current) {
            Err(conflict) => return Ok(Outcome::Conflict(conflict)),
            Ok(events) => events,
        };
        for event in &events {
            group.staged.insert(event.key.clone(), event.entry());
        }
        group.events.extend(events);
        group.revision = revision;
        Ok(Outcome::Committed(revision))
    }

    fn finish(&mut self, mut group: Group) {
        let due = self.log.compaction_due();
        let compacted = self.index.read().compacted();
        if self.tight.is_some() && !group.events.is_empty() {
            // What was deleted takes room until it is no longer history either.
            group.compact = Some(group.revision);
            self.shrinkable = true;
        }
        group.compact = group.compact.max(due).filter(|revision| *revision > compacted);
        let cleaned = self.obsolete.len().min(CLEAN_LEN_MAX);
        let work = !group.events.is_empty() || group.compact.is_some() || cleaned > 0;
        if work && self.failure.is_none() {
            self.state.set_writing(Some(Instant::now()));
            let durable = self.make_durable(&group, cleaned);
            self.state.set_writing(None);
            match durable {
                Ok(()) => self.show(&group, cleaned),
                Err(error) => self.fail(&mut group, error),
            }
        }
        // Before anybody hears of a failure, so that nobody who did finds all well.
        self.state.set_unsound(self.failure.is_some() || self.tight.is_some());
        for reply in group.replies {
            // A caller that no longer waits does not want to know.
            match reply {
                Reply::Commit(sender, answer) => drop(sender.send(answer)),
                Reply::Unit(sender, answer) => drop(sender.send(answer)),
            }
        }
    }

    fn make_durable(&self, group: &Group, cleaned: usize) -> Result<()> {
        let Some(database) = &self.database else { return Err(StoreError::Closed) };
        file::guard(|| {
            write(database, group, self.obsolete.get(..cleaned).unwrap_or_default())
                .map_err(file::database_error)
        })
    }

    fn show(&mut self, group: &Group, cleaned: usize) {
        self.obsolete.drain(..cleaned);
        let mut index = self.index.write();
        index.apply(&group.events);
        if let Some(revision) = group.compact {
            // The revision was checked against the same index when it was asked for.
            self.obsolete.extend(index.compact(revision).unwrap_or_default());
        }
    }

    /// The file may or may not hold the group now. Whoever wrote is told that; nothing more is
    /// written until that is known.
    fn fail(&mut self, group: &mut Group, error: StoreError) {
        for reply in &mut group.replies {
            match reply {
                Reply::Commit(_, answer @ Ok(_)) => *answer = Err(unknown(&error)),
                Reply::Unit(_, answer @ Ok(())) => *answer = Err(error.clone()),
                _ => {}
            }
        }
        self.database = None;
        let retry_at = match error {
            StoreError::NoSpace(_) if self.tight.is_none() && self.reserve.is_some() => {
                self.give_up_reserve();
                Some(Instant::now())
            }
            StoreError::NoSpace(_) => Some(Instant::now() + NO_SPACE_RETRY),
            _ => None,
        };
        let error = match error {
            StoreError::NoSpace(_) => error,
            other => StoreError::Unavailable(format!(
                "writing failed ({other}); the store is read-only until it is opened again"
            )),
        };
        self.failure = Some(Failure { error, retry_at });
    }

    fn give_up_reserve(&mut self) {
        if let Some(reserve) = &mut self.reserve {
            reserve.release();
            self.tight = Some(Instant::now() + NO_SPACE_RETRY);
        }
    }

    /// Sets the reserve aside again once there is room, and then takes everything. What deletions
    /// left in the file is given back to the disk first.
    fn refill_reserve(&mut self) {
        let due = self.tight.is_some_and(|at| at <= Instant::now());
        if !due {
            return;
        }
        if self.shrinkable && self.obsolete.is_empty() {
            self.shrinkable = false;
            self.shrink();
        }
        if let Some(reserve) = &mut self.reserve {
            self.tight = (!reserve.hold()).then(|| Instant::now() + NO_SPACE_RETRY);
        }
    }

    /// Cuts free pages off the file. A failure leaves a file that has to be opened again.
    fn shrink(&mut self) {
        let Some(database) = &mut self.database else { return };
        let shrunk = file::guard(|| {
            let shrunk = database.compact().map_err(|error| match error {
                redb::CompactionError::Storage(error) => file::database_error(error.into()),
                other => StoreError::Unavailable(format!("data file: {other}")),
            });
            shrunk.map(|_| ())
        });
        if let Err(error) = shrunk {
            self.fail(&mut Group::default(), error);
        }
    }

    /// After a full disk the file is opened again, and what had become durable without anybody
    /// having been told is shown.
    fn recover(&mut self) {
        self.refill_reserve();
        let due = |failure: &Failure| failure.retry_at.is_some_and(|at| at <= Instant::now());
        if !self.failure.as_ref().is_some_and(due) {
            return;
        }
        let reopened = (self.reopen)().and_then(|database| {
            self.catch_up(&database)?;
            Ok(database)
        });
        match reopened {
            Ok(database) => {
                self.database = Some(database);
                self.failure = None;
            }
            Err(error) => {
                let retry_at = Some(Instant::now() + NO_SPACE_RETRY);
                self.failure = Some(Failure { error, retry_at });
            }
        }
    }

    fn catch_up(&mut self, database: &Database) -> Result<()> {
        let compacted = file::read_meta(database, file::META_COMPACTED)?.unwrap_or(0);
        let mut index = self.index.write();
        let after = index.revision();
        load::load_after(database, after, &mut |revision, key, record| {
            let event = load::replay(&index, revision, key, record)?;
            index.apply(&[event]);
            Ok(())
        })?;
        if compacted > index.compacted() {
            self.obsolete.extend(index.compact(compacted)?);
        }
        Ok(())
    }
}

fn only_deletions() -> StoreError {
    StoreError::NoSpace("the disk is full; only deletions are written until there is room".into())
}

fn job_bytes(job: &Job) -> usize {
    match job {
        Job::Commit { writes, .. } => {
            writes.iter().fold(0, |sum: usize, write| sum.saturating_add(write.bytes_len()))
        }
        _ => 0,
    }
}

fn unknown(error: &StoreError) -> StoreError {
    match error {
        StoreError::NoSpace(_) => error.clone(),
        other => StoreError::Unknown(other.to_string()),
    }
}

fn write(
    database: &Database,
    group: &Group,
    obsolete: &[Obsolete],
) -> std::result::Result<(), redb::Error> {
    let transaction = database.begin_write()?;
    {
        let mut changes = transaction.open_table(file::CHANGES)?;
        let mut bytes = Vec::new();
        for event in &group.events {
            record::encode(event, &mut bytes);
            changes.insert((event.revision, &*event.key), bytes.as_slice())?;
        }
        for (revision, key) in obsolete {
            changes.remove((*revision, &**key))?;
        }
        if let Some(compacted) = group.compact {
            transaction.open_table(file::META)?.insert(file::META_COMPACTED, compacted)?;
        }
    }
    transaction.commit()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pauses(lens: &[usize]) -> Vec<bool> {
        let mut patience = Patience::default();
        lens.iter().map(|len| patience.waits(*len)).collect()
    }

    #[test]
    fn commits_are_waited_for_while_many_come() {
        assert_eq!(pauses(&[1]), [false]);
        assert_eq!(pauses(&[MANY, MANY]), [true, false]);
        assert_eq!(pauses(&[MANY, MANY + 1, MANY + 9, MANY + 9]), [true, true, true, false]);
        let growing: Vec<usize> = (MANY..MANY + 2 * PAUSES_MAX).collect();
        assert_eq!(pauses(&growing).iter().filter(|it| **it).count(), PAUSES_MAX);
    }
}
