//! Where objects are kept.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

#[cfg(feature = "etcd")]
use ordain_storage::StoreError;
use ordain_storage::{EmbeddedStore, MemoryStore, Store};
#[cfg(feature = "etcd")]
use ordain_storage_etcd::{EtcdOptions, EtcdStore};

/// A store that is not open yet.
#[derive(Clone, Debug)]
pub enum Place {
    /// In memory, forgotten at exit.
    Memory,
    /// One file in this folder; every acknowledged write is on the disk.
    Embedded(PathBuf),
    #[cfg(feature = "etcd")]
    /// An etcd at these addresses, which several servers may share.
    Etcd(Vec<String>),
    /// A store of your own.
    Other(Arc<dyn Store>),
}

/// An open store.
#[derive(Clone, Debug)]
pub struct Opened {
    /// What the server reads and writes.
    pub store: Arc<dyn Store>,
    /// The same, if it is one that is to be closed.
    embedded: Option<Arc<EmbeddedStore>>,
}

impl Opened {
    /// Frees the folder of an embedded store; everything acknowledged is on the disk before.
    pub async fn close(&self) {
        if let Some(store) = &self.embedded {
            store.close().await;
        }
    }
}

impl Place {
    /// Waits until the store can be asked, for at most so long: an etcd may be starting too. What
    /// is waited for is reported once.
    ///
    /// # Errors
    /// When it cannot be asked in that time, in one line.
    #[cfg_attr(
        not(feature = "etcd"),
        expect(unused_variables, reason = "only an etcd is waited for")
    )]
    pub async fn wait(&self, patience: Duration, report: impl FnOnce(&str)) -> Result<(), String> {
        match self {
            #[cfg(feature = "etcd")]
            Place::Etcd(endpoints) => wait_for_etcd(endpoints, patience, report).await,
            _ => Ok(()),
        }
    }

    /// Opens the store.
    ///
    /// # Errors
    /// When it cannot be had, in one line.
    pub fn open(&self) -> Result<Opened, String> {
        let store: Arc<dyn Store> = match self {
            Place::Memory => Arc::new(MemoryStore::default()),
            Place::Embedded(dir) => {
                let store = EmbeddedStore::open(dir).map_err(|error| {
                    format!("cannot open the store in {}: {error}", dir.display())
                })?;
                let store = Arc::new(store);
                let embedded = Some(Arc::clone(&store));
                return Ok(Opened { store, embedded });
            }
            #[cfg(feature = "etcd")]
            Place::Etcd(endpoints) => Arc::new(etcd(endpoints)?),
            Place::Other(store) => Arc::clone(store),
        };
        Ok(Opened { store, embedded: None })
    }
}

/// After so long without an answer of etcd a log line says that it is waited for.
#[cfg(feature = "etcd")]
const SILENCE: Duration = Duration::from_secs(2);

#[cfg(feature = "etcd")]
async fn wait_for_etcd(
    endpoints: &[String],
    patience: Duration,
    report: impl FnOnce(&str),
) -> Result<(), String> {
    let store = etcd(endpoints)?;
    let first = patience.min(SILENCE);
    let Err(error) = store.wait(first).await else { return Ok(()) };
    let reported = |error: &StoreError| format!("no etcd at {}: {error}", endpoints.join(", "));
    if patience > first {
        report(&reported(&error));
    }
    store.wait(patience - first).await.map_err(|error| reported(&error))
}

#[cfg(feature = "etcd")]
fn etcd(endpoints: &[String]) -> Result<EtcdStore, String> {
    let options = EtcdOptions { endpoints: endpoints.to_vec(), ..EtcdOptions::default() };
    EtcdStore::new(options).map_err(|error| format!("cannot use etcd: {error}"))
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Memory => f.write_str("in memory"),
            Place::Embedded(dir) => write!(f, "kept in {}", dir.display()),
            #[cfg(feature = "etcd")]
            Place::Etcd(endpoints) => write!(f, "kept in etcd at {}", endpoints.join(", ")),
            Place::Other(_) => f.write_str("in a store of its own"),
        }
    }
}
