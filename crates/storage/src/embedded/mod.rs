//! The store in one file: every answered commit is on the disk.
//!
//! The file holds the history, the memory holds an index of it. Reads and watches are served from
//! memory and never wait for the disk; commits wait for it together (see `writer`). What the
//! index shows has been synced before, so nobody ever sees a write that a power cut could undo.

mod check;
mod file;
mod load;
mod lock;
mod record;
mod reserve;
mod salvage;
mod writer;

use std::fs::{File, OpenOptions};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;

use redb::backends::FileBackend;
use tokio::sync::{mpsc, oneshot};

pub use check::{CheckReport, check};
pub use redb::StorageBackend;
pub use redb::backends::InMemoryBackend;
pub use reserve::Reserve;
pub use salvage::{Salvaged, salvage};

use crate::error::StoreError;
use crate::event_log::{EventLog, HistoryLimits};
use crate::index::{self, SharedIndex};
use crate::store::{BoxFuture, Entry, Outcome, Page, Range, Read, Result, Revision, Store, Write};
use crate::watch::Watch;
use load::Loaded;
use lock::DirectoryLock;
use reserve::ReserveFile;
use writer::{Job, Reopen, State, Writer};

/// The data file in the data directory.
pub const DATA_FILE: &str = "ordain.redb";

/// So many jobs may wait for the writer before further callers wait to hand theirs in.
const JOBS_LEN_MAX: usize = 4096;

/// How an embedded store is opened.
#[derive(Debug, Clone, Copy)]
pub struct EmbeddedOptions {
    /// How much of the history is kept.
    pub history: HistoryLimits,
    /// The most that one commit may carry.
    pub commit_bytes_max: usize,
    /// Memory for pages of the file. Reads do not need it, they are served from the index.
    pub cache_bytes: usize,
}

impl Default for EmbeddedOptions {
    fn default() -> Self {
        Self {
            history: HistoryLimits::default(),
            commit_bytes_max: crate::COMMIT_BYTES_MAX,
            cache_bytes: 4 * 1024 * 1024,
        }
    }
}

/// The store in one file. Dropping it waits for the commits under way.
#[derive(Debug)]
pub struct EmbeddedStore {
    index: SharedIndex,
    log: EventLog,
    options: EmbeddedOptions,
    jobs: mpsc::Sender<Job>,
    state: Arc<State>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl EmbeddedStore {
    /// Opens the store in a data directory, which is made if it is not there. Only one process
    /// at a time can have it open.
    pub fn open(directory: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(directory, EmbeddedOptions::default())
    }

    /// Opens the store of a folder, or makes one, with options.
    pub fn open_with(directory: impl AsRef<Path>, options: EmbeddedOptions) -> Result<Self> {
        let directory = directory.as_ref().to_owned();
        let lock = Arc::new(DirectoryLock::take(&directory)?);
        let reserve = ReserveFile::new(&directory);
        let reopen = move || {
            let _held = &lock;
            file::open(open_file(&directory)?, options.cache_bytes)
        };
        Self::start(Box::new(reopen), Some(Box::new(reserve)), options)
    }

    /// Opens the store on something else than a file; `backend` is called again if the store has
    /// to be opened anew after the space had run out.
    pub fn open_on<B: StorageBackend>(
        backend: impl Fn() -> B + Send + 'static,
        options: EmbeddedOptions,
    ) -> Result<Self> {
        Self::start(Box::new(move || file::open(backend(), options.cache_bytes)), None, options)
    }

    /// The same with room that is given up when there is none left.
    pub fn open_on_with_reserve<B: StorageBackend>(
        backend: impl Fn() -> B + Send + 'static,
        reserve: impl Reserve + 'static,
        options: EmbeddedOptions,
    ) -> Result<Self> {
        let reopen = Box::new(move || file::open(backend(), options.cache_bytes));
        Self::start(reopen, Some(Box::new(reserve)), options)
    }

    fn start(
        reopen: Reopen,
        mut reserve: Option<Box<dyn Reserve>>,
        options: EmbeddedOptions,
    ) -> Result<Self> {
        let database = reopen()?;
        let tight = reserve.as_mut().is_some_and(|reserve| !reserve.hold());
        let Loaded { index, obsolete } = load::load(&database, options.history)?;
        let log = index.log().clone();
        let index = SharedIndex::new(index);
        let (jobs, receiver) = mpsc::channel(JOBS_LEN_MAX);
        let state = Arc::new(State::default());
        state.set_unsound(tight);
        let writer = Writer {
            index: index.clone(),
            log: log.clone(),
            jobs: receiver,
            database: Some(database),
            reopen,
            obsolete,
            failure: None,
            reserve,
            tight: tight.then(Instant::now),
            shrinkable: true,
            state: Arc::clone(&state),
        };
        let thread = std::thread::Builder::new()
            .name("ordain-store".to_owned())
            .spawn(move || writer.run())
            .map_err(|error| StoreError::Unavailable(format!("no thread to write: {error}")))?;
        Ok(Self { index, log, options, jobs, state, thread: Mutex::new(Some(thread)) })
    }

    /// Makes the commits under way durable, ends all watches and closes the file.
    pub async fn close(&self) {
        // A writer that is gone already has closed everything.
        let _ = self.jobs.send(Job::Stop).await;
        if let Some(thread) = self.take_thread() {
            let _ = tokio::task::spawn_blocking(move || thread.join()).await;
        }
    }

    fn take_thread(&self) -> Option<JoinHandle<()>> {
        self.thread.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    async fn ask<T>(&self, job: impl FnOnce(oneshot::Sender<Result<T>>) -> Job) -> Result<T> {
        let (reply, answer) = oneshot::channel();
        self.jobs.send(job(reply)).await.map_err(|_| StoreError::Closed)?;
        answer.await.unwrap_or(Err(StoreError::Closed))
    }
}

impl Drop for EmbeddedStore {
    fn drop(&mut self) {
        let Some(thread) = self.take_thread() else { return };
        // Dropping the last sender ends the writer after what it already has; the queue may be
        // full, so do not count on handing in a job.
        let (closed, _) = mpsc::channel(1);
        drop(std::mem::replace(&mut self.jobs, closed));
        // A panic of the writer has been reported where it happened.
        let _ = thread.join();
    }
}

/// Opens the data file, which is there as a whole or not at all: a new one gets its name when it
/// is complete, so whatever is wrong with it later is damage and not an interrupted start.
fn open_file(directory: &Path) -> Result<FileBackend> {
    let path = directory.join(DATA_FILE);
    if !path.try_exists().map_err(|error| unusable(&path, &error))? {
        create(directory, 0, &mut std::iter::empty())?;
    }
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .open(&path)
        .map_err(|error| unusable(&path, &error))?;
    if file.metadata().map_err(|error| unusable(&path, &error))?.len() == 0 {
        return Err(StoreError::Corrupt(format!("the data file {} is empty", path.display())));
    }
    FileBackend::new(file).map_err(|error| unusable(&path, &error))
}

fn unusable(path: &Path, error: &dyn std::fmt::Display) -> StoreError {
    StoreError::Unavailable(format!("data file {}: {error}", path.display()))
}

/// Stored bytes may be secrets.
fn private_file(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

impl Store for EmbeddedStore {
    fn get<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Read>> {
        Box::pin(async move { Ok(self.index.read().read(key)) })
    }

    fn range<'a>(&'a self, range: Range<'a>) -> BoxFuture<'a, Result<Page>> {
        Box::pin(async move { self.index.read().range(&range) })
    }

    fn commit_all(&self, writes: Vec<Write>) -> BoxFuture<'_, Result<Outcome>> {
        Box::pin(async move {
            index::check_writes(&writes, self.options.commit_bytes_max)?;
            self.ask(|reply| Job::Commit { writes, reply }).await
        })
    }

    fn watch<'a>(&'a self, prefix: &'a str, after: Revision) -> BoxFuture<'a, Result<Watch>> {
        Box::pin(async move { self.log.watch(prefix, after) })
    }

    fn request_progress(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            self.log.want_progress();
            Ok(())
        })
    }

    fn current_revision(&self) -> BoxFuture<'_, Result<Revision>> {
        Box::pin(async move { Ok(self.index.read().revision()) })
    }

    fn compact(&self, revision: Revision) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move { self.ask(|reply| Job::Compact { revision, reply }).await })
    }

    fn ready(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            self.state.check_disk()?;
            if self.state.is_sound() {
                return Ok(());
            }
            // What failed may have come to an end, which the writer finds out.
            self.ask(|reply| Job::Ready { reply }).await
        })
    }
}

/// Makes a data directory whose store holds these entries at `revision`, with no history before.
pub(crate) fn restore(
    directory: &Path,
    revision: Revision,
    entries: &mut dyn Iterator<Item = Result<Entry>>,
) -> Result<()> {
    let _lock = DirectoryLock::take(directory)?;
    let path = directory.join(DATA_FILE);
    if path.try_exists().map_err(|error| unusable(&path, &error))? {
        return Err(StoreError::Invalid(format!("there is a store already: {}", path.display())));
    }
    create(directory, revision, entries)
}

fn create(
    directory: &Path,
    revision: Revision,
    entries: &mut dyn Iterator<Item = Result<Entry>>,
) -> Result<()> {
    let path = directory.join(DATA_FILE);
    let partial = directory.join(format!("{DATA_FILE}.partial"));
    let file = private_file(OpenOptions::new().read(true).write(true).create(true).truncate(true))
        .open(&partial)
        .map_err(|error| unusable(&partial, &error))?;
    let backend = FileBackend::new(file).map_err(|error| unusable(&partial, &error))?;
    check::fill(backend, revision, entries)?;
    std::fs::rename(&partial, &path).map_err(|error| unusable(&partial, &error))?;
    // The name is only durable when its directory is.
    File::open(directory)
        .and_then(|directory| directory.sync_all())
        .map_err(|error| unusable(directory, &error))
}
