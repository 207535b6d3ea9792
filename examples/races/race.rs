//! One trial of a reconciler: a server, the reconciler, and a test as its author wrote it.

use std::time::Duration;

use kube::{Client, Config};
use ordain::test_api::Schedule;
use ordain::testing::TestServer;

use super::{lost_update, missed_delete, stale_cache};

pub(crate) type Error = Box<dyn std::error::Error + Send + Sync>;

/// How many seeds are tried.
pub(crate) const SEEDS: u64 = 20;
/// What the authors of the tests took for long enough.
pub(crate) const PAUSE: Duration = Duration::from_millis(250);

/// Which mistake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Race {
    LostUpdate,
    MissedDelete,
    StaleCache,
}

impl Race {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Race::LostUpdate => "lost-update",
            Race::MissedDelete => "missed-delete",
            Race::StaleCache => "stale-cache",
        }
    }
}

/// What came of a trial.
#[derive(Debug)]
pub(crate) struct Trial {
    /// Why the test failed, if it did.
    pub(crate) outcome: Result<(), String>,
    pub(crate) story: String,
}

/// A busy cluster: slow streams, and watches that end and have to begin anew.
fn schedule(seed: u64) -> Schedule {
    Schedule {
        event_delay: Duration::from_millis(900),
        drop: 0.4,
        expire: 0.8,
        ..Schedule::new(seed)
    }
}

/// Runs a test of a reconciler, on a plain server or with the schedule of a seed.
pub(crate) async fn trial(race: Race, seed: Option<u64>) -> Result<Trial, Error> {
    let server = TestServer::builder().seed(seed.unwrap_or(0)).start()?;
    let client = Client::try_from(Config::new(server.url().parse()?))?;
    server.schedule(seed.map(schedule))?;
    let outcome = match race {
        Race::LostUpdate => lost_update::test(client).await,
        Race::MissedDelete => missed_delete::test(client).await,
        Race::StaleCache => stale_cache::test(client).await,
    };
    let outcome = outcome.map_err(|error| error.to_string());
    Ok(Trial { outcome, story: server.story()? })
}

/// Fails unless something is as it should be.
pub(crate) fn ensure(holds: bool, why: impl FnOnce() -> String) -> Result<(), Error> {
    if holds { Ok(()) } else { Err(why().into()) }
}
