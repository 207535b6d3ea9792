//! What a real API server cannot do for tests: go back to a state, fork, move its clock, fail on
//! demand, arrive late, report what happened, and say when all is quiet.
//!
//! [`TestApi`] is the [`Seam`](ordain_server::seam::Seam) of a server. Tests in the same process call its methods; others call
//! its endpoint below [`PATH`], with its token. Its parts are small and mostly pure: [`Rule`] says
//! which requests go wrong, [`Schedule`] when things arrive, `journal` keeps what happened, `story`
//! and `transcript` show it.
//!
//! Nothing here changes how an object is judged: all of it could happen to a client of a real
//! server.

mod activity;
mod chance;
mod changes;
mod clock;
mod decode;
mod endpoint;
mod faults;
mod journal;
mod rule;
mod schedule;
mod seam;
mod story;
mod transcript;
mod wait;

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ordain_meta::Status;
use ordain_registry::{Registry, Snapshot};
use ordain_storage::{Event, Revision, StoreError};
use ordain_value::Value;

pub use activity::Quiet;
pub use clock::TestClock;
pub use faults::{Faults, SlowWebhooks};
pub use rule::{Fault, Rule};
pub use schedule::Schedule;
pub use wait::Wait;

use activity::Activity;
use journal::Journal;
use story::Place;

/// Where the endpoint is.
pub const PATH: &str = "/ordain.test/v1/";
/// Snapshots at a time.
const SNAPSHOTS_MAX: usize = 100;

/// What the program around a server does for its tests.
pub trait Host: Send + Sync + 'static {
    /// Starts another server with the same state, and returns its address.
    fn fork(&self) -> Pin<Box<dyn Future<Output = Result<Forked, String>> + Send + '_>>;

    /// Takes up roles, policies and webhooks as they are stored now.
    fn refresh(&self) -> Pin<Box<dyn Future<Output = Result<(), Status>> + Send + '_>>;
}

/// A server that was forked off.
#[derive(Debug, Clone)]
pub struct Forked {
    pub url: String,
    /// The file with the administrator's credentials; none for plain HTTP.
    pub kubeconfig: Option<String>,
}

/// The test API of one server.
pub struct TestApi {
    registry: Arc<Registry>,
    clock: Arc<TestClock>,
    faults: Arc<Faults>,
    host: Option<Arc<dyn Host>>,
    token: String,
    journal: Journal,
    activity: Arc<Activity>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// What a reset goes back to.
    baseline: Arc<Snapshot>,
    snapshots: BTreeMap<String, Arc<Snapshot>>,
    /// What was struck at the entry of watches that have not begun.
    watches: BTreeMap<u64, Vec<faults::Struck>>,
    /// The story begins after this.
    begin: Revision,
}

impl fmt::Debug for TestApi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TestApi").finish_non_exhaustive()
    }
}

impl TestApi {
    /// The test API of a server whose registry has this clock. Its present state is the one that
    /// [`TestApi::reset`] goes back to.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn new(
        registry: Arc<Registry>,
        clock: Arc<TestClock>,
        faults: Arc<Faults>,
        host: Option<Arc<dyn Host>>,
        token: String,
    ) -> Result<Self, Status> {
        let api = Self {
            registry,
            clock,
            faults,
            host,
            token,
            journal: Journal::default(),
            activity: Arc::default(),
            state: Mutex::default(),
        };
        api.mark().await?;
        Ok(api)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The clock of the server.
    pub fn clock(&self) -> &TestClock {
        &self.clock
    }

    /// The faults in force.
    pub fn faults(&self) -> &Faults {
        &self.faults
    }

    /// Makes the present state the one that [`TestApi::reset`] goes back to.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn mark(&self) -> Result<(), Status> {
        let snapshot = self.registry.take_snapshot().await?;
        let mut state = self.state();
        state.begin = snapshot.revision();
        state.baseline = Arc::new(snapshot);
        Ok(())
    }

    /// Goes back to the state of the last mark, and returns how many objects differed. Faults,
    /// schedule and journal are empty after it and the clock goes right; connections stay open, and
    /// watches see the undoing as events.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn reset(&self) -> Result<usize, Status> {
        self.faults.clear();
        self.clock.reset();
        let baseline = Arc::clone(&self.state().baseline);
        let changed = self.go_to(&baseline).await?;
        self.journal.clear();
        Ok(changed)
    }

    /// Keeps the present state under a name.
    ///
    /// # Errors
    /// When the store cannot be read, or there are too many.
    pub async fn snapshot(&self, name: impl Into<String>) -> Result<(), Status> {
        let (name, snapshot) = (name.into(), self.registry.take_snapshot().await?);
        let mut state = self.state();
        if state.snapshots.len() >= SNAPSHOTS_MAX && !state.snapshots.contains_key(&name) {
            let why = format!("there are {SNAPSHOTS_MAX} snapshots already");
            return Err(Status::bad_request(why));
        }
        state.snapshots.insert(name, Arc::new(snapshot));
        Ok(())
    }

    /// Goes back to a state that was kept, and returns how many objects differed.
    ///
    /// # Errors
    /// When there is no such state, or the store fails.
    pub async fn restore(&self, name: &str) -> Result<usize, Status> {
        let snapshot = self.state().snapshots.get(name).cloned();
        let none = || Status::bad_request(format!("there is no snapshot {name:?}"));
        let snapshot = snapshot.ok_or_else(none)?;
        self.go_to(&snapshot).await
    }

    async fn go_to(&self, snapshot: &Snapshot) -> Result<usize, Status> {
        let changed = self.registry.restore(snapshot).await?;
        if let Some(host) = self.host.as_ref().filter(|_| changed > 0) {
            host.refresh().await?;
        }
        let revision = self.revision().await?;
        self.state().begin = revision;
        Ok(changed)
    }

    /// Starts another server with the present state.
    ///
    /// # Errors
    /// When this server cannot be forked.
    pub async fn fork(&self) -> Result<Forked, Status> {
        let none = || Status::bad_request("this server cannot be forked");
        let host = self.host.as_ref().ok_or_else(none)?;
        host.fork().await.map_err(Status::bad_request)
    }

    /// Waits for a condition, and gives the object that fulfils it.
    ///
    /// # Errors
    /// When the condition cannot be understood or does not come true in time; the message says what
    /// was seen last.
    pub async fn wait(&self, wait: &Wait) -> Result<Value, Status> {
        wait::wait(&self.registry, wait).await
    }

    /// Waits until nothing is going on; false when that does not come to be in time.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn quiet(&self, quiet: &Quiet) -> Result<bool, Status> {
        self.activity.quiet(&self.registry, quiet).await
    }

    /// Every request since the last reset, as a transcript.
    pub fn transcript(&self) -> String {
        transcript::lines(&self.journal.all().0)
    }

    /// Who wrote what since the last reset, for people.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn story(&self) -> Result<String, Status> {
        let begin = self.state().begin;
        let catalog = self.registry.catalog();
        let events = self.history(begin).await?.into_iter().filter_map(|event| {
            let place = Place::of(&catalog, &event.key)?;
            Some((place, event))
        });
        let events: Vec<(Place, Event)> = events.collect();
        let (exchanges, forgotten) = self.journal.all();
        Ok(story::report(&exchanges, forgotten, &events))
    }

    async fn revision(&self) -> Result<Revision, Status> {
        let revision = self.registry.store().current_revision().await;
        revision.map_err(|error| Status::internal(&error.to_string()))
    }

    /// What was written after a revision, as far as the store remembers.
    async fn history(&self, mut after: Revision) -> Result<Vec<Event>, Status> {
        let failed = |error: &StoreError| Status::internal(&error.to_string());
        let upto = self.revision().await?;
        'begin: loop {
            if after >= upto {
                return Ok(Vec::new());
            }
            let mut events = Vec::new();
            let mut changes = match self.registry.store().watch("", after).await {
                Ok(changes) => changes,
                Err(StoreError::Compacted { compacted, .. }) if compacted > after => {
                    after = compacted;
                    continue;
                }
                Err(error) => return Err(failed(&error)),
            };
            loop {
                match changes.next().await {
                    Some(Ok(batch)) => {
                        events.extend(batch.events.iter().map(|event| Event::clone(event)));
                        if batch.revision >= upto {
                            return Ok(events);
                        }
                    }
                    Some(Err(StoreError::Compacted { compacted, .. })) if compacted > after => {
                        after = compacted;
                        continue 'begin;
                    }
                    Some(Err(error)) => return Err(failed(&error)),
                    None => return Ok(events),
                }
            }
        }
    }
}
