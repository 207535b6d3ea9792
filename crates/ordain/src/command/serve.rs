//! `ordain serve`.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use clap::{Args, ValueEnum};
use ordain_meta::time::Time;
use ordain_registry::admission::Chain;
use ordain_registry::namespace::NamespaceLifecycle;
use ordain_registry::source::{Clock, Entropy};
use ordain_registry::{Options, Registry};
use ordain_server::App;
use ordain_storage::{MemoryStore, Store};

use crate::command::{Failure, manifest, say};

/// Serve APIs over HTTP.
#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Serve plain HTTP without credentials on this address, for local play.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8080")]
    insecure_http: SocketAddr,
    /// Where objects are kept.
    #[arg(long, value_enum, default_value_t = StoreKind::Memory)]
    store: StoreKind,
    /// Which controllers run: garbage collection and emptying of namespaces, or none.
    #[arg(long, value_enum, default_value_t = Controllers::All)]
    controllers: Controllers,
    /// Load the manifests of this file or folder at start (may be repeated).
    #[arg(short = 'f', long = "filename", value_name = "PATH")]
    filename: Vec<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum StoreKind {
    /// In memory, forgotten at exit.
    Memory,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Controllers {
    All,
    None,
}

impl Serve {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .map_err(|error| format!("cannot start: {error}"))?;
        runtime.block_on(self.serve())
    }

    async fn serve(self) -> Result<(), Failure> {
        let store: Arc<dyn Store> = match self.store {
            StoreKind::Memory => Arc::new(MemoryStore::default()),
        };
        let registry = Registry::new(
            store,
            Arc::new(SystemClock),
            Arc::new(SystemEntropy::new()),
            Chain::new(vec![Arc::new(NamespaceLifecycle)]),
            Arc::new(ordain_registry::crd::DefinitionHooks),
            Options { controllers: self.controllers == Controllers::All },
        );
        let registry = Arc::new(registry);
        registry.start().await.map_err(|status| status.message)?;
        if self.store == StoreKind::Memory {
            registry.forget_history().await.map_err(|status| status.message)?;
        }
        let loaded = manifest::load(&registry, &self.filename).await?;
        let app = Arc::new(App::new(registry));
        let listener = tokio::net::TcpListener::bind(self.insecure_http)
            .await
            .map_err(|error| format!("cannot listen on {}: {error}", self.insecure_http))?;
        let address =
            listener.local_addr().map_err(|error| format!("cannot tell the address: {error}"))?;
        greet(address, loaded);
        let shutdown = async {
            let _ = tokio::signal::ctrl_c().await;
        };
        ordain_server::serve(app, listener, shutdown)
            .await
            .map_err(|error| format!("the server failed: {error}"))
    }
}

fn greet(address: SocketAddr, loaded: usize) {
    say(&format!("ordain serves http://{address} (plain HTTP, no credentials, in memory)"));
    if loaded > 0 {
        say(&format!("{loaded} objects were loaded"));
    }
    say("");
    say("Try:");
    say(&format!("  kubectl --server http://{address} apply -f your-crd.yaml"));
    say(&format!("  curl http://{address}/apis/apiextensions.k8s.io/v1/customresourcedefinitions"));
    say("");
    say("Ctrl-C stops it; nothing is kept.");
}

#[derive(Debug)]
struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Time {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Time::from_unix(i64::try_from(since.as_secs()).unwrap_or(0), since.subsec_nanos())
    }
}

/// Chance from the operating system's seed, spread by a counter.
#[derive(Debug)]
struct SystemEntropy {
    seed: RandomState,
    counter: AtomicU64,
}

impl SystemEntropy {
    fn new() -> Self {
        Self { seed: RandomState::new(), counter: AtomicU64::new(0) }
    }
}

impl Entropy for SystemEntropy {
    fn next_u64(&self) -> u64 {
        let mut hasher = self.seed.build_hasher();
        hasher.write_u64(self.counter.fetch_add(1, Ordering::Relaxed));
        hasher.finish()
    }
}
