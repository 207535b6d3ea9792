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
use ordain_storage::{EmbeddedStore, MemoryStore, Store};
use ordain_storage_etcd::{EtcdOptions, EtcdStore};

use crate::command::{Failure, manifest, say};

/// Serve APIs over HTTP.
#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Serve plain HTTP without credentials on this address, for local play.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8080")]
    insecure_http: SocketAddr,
    /// Where objects are kept.
    #[arg(long, value_enum, default_value_t = StoreKind::Embedded)]
    store: StoreKind,
    /// Folder of the embedded store; it is made if it is not there.
    #[arg(long, value_name = "DIR", default_value = "ordain-data")]
    data_dir: PathBuf,
    /// Addresses of etcd for `--store etcd`, separated by commas.
    #[arg(
        long,
        value_name = "URL",
        value_delimiter = ',',
        default_value = "http://127.0.0.1:2379"
    )]
    etcd_servers: Vec<String>,
    /// Load the example API, `widgets.shop.example.com`, to play with.
    #[arg(long)]
    demo: bool,
    /// Which controllers run: garbage collection and emptying of namespaces, or none.
    #[arg(long, value_enum, default_value_t = Controllers::All)]
    controllers: Controllers,
    /// Load the manifests of this file or folder at start (may be repeated).
    #[arg(short = 'f', long = "filename", value_name = "PATH")]
    filename: Vec<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum StoreKind {
    /// One file in the data folder; every acknowledged write is on the disk.
    Embedded,
    /// In memory, forgotten at exit.
    Memory,
    /// An etcd that several servers may share.
    Etcd,
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
        let store = self.open_store()?;
        let registry = Registry::new(
            store,
            Arc::new(SystemClock),
            Arc::new(SystemEntropy::new()),
            Chain::new(vec![Arc::new(NamespaceLifecycle)]),
            Arc::new(ordain_registry::crd::DefinitionHooks::default()),
            Options { controllers: self.controllers == Controllers::All },
        );
        let registry = Arc::new(registry);
        registry.start().await.map_err(|status| status.message)?;
        if self.store == StoreKind::Memory {
            registry.forget_history().await.map_err(|status| status.message)?;
        }
        let mut loaded = manifest::load(&registry, &self.filename).await?;
        if self.demo {
            loaded += manifest::load_text(&registry, "the example API", DEMO).await?;
        }
        if self.controllers == Controllers::All {
            tokio::spawn(control(Arc::clone(&registry)));
        }
        let app = Arc::new(App::new(registry));
        let listener = tokio::net::TcpListener::bind(self.insecure_http)
            .await
            .map_err(|error| format!("cannot listen on {}: {error}", self.insecure_http))?;
        let address =
            listener.local_addr().map_err(|error| format!("cannot tell the address: {error}"))?;
        self.greet(address, loaded);
        let shutdown = async {
            let _ = tokio::signal::ctrl_c().await;
        };
        ordain_server::serve(app, listener, shutdown)
            .await
            .map_err(|error| format!("the server failed: {error}"))
    }

    fn open_store(&self) -> Result<Arc<dyn Store>, Failure> {
        Ok(match self.store {
            StoreKind::Memory => Arc::new(MemoryStore::default()),
            StoreKind::Embedded => {
                let store = EmbeddedStore::open(&self.data_dir).map_err(|error| {
                    format!("cannot open the store in {}: {error}", self.data_dir.display())
                })?;
                Arc::new(store)
            }
            StoreKind::Etcd => {
                let endpoints = self.etcd_servers.clone();
                let options = EtcdOptions { endpoints, ..EtcdOptions::default() };
                let store =
                    EtcdStore::new(options).map_err(|error| format!("cannot use etcd: {error}"))?;
                Arc::new(store)
            }
        })
    }

    /// Says what is served, and what to type next.
    fn greet(&self, address: SocketAddr, loaded: usize) {
        let kept = match self.store {
            StoreKind::Embedded => format!("kept in {}", self.data_dir.display()),
            StoreKind::Memory => "in memory".to_owned(),
            StoreKind::Etcd => format!("kept in etcd at {}", self.etcd_servers.join(", ")),
        };
        say(&format!("ordain serves http://{address} (plain HTTP, no credentials, {kept})"));
        if loaded > 0 {
            say(&format!("{loaded} objects were loaded"));
        }
        say("");
        say("Try:");
        if self.demo {
            say(&format!("  kubectl --server http://{address} get widgets"));
            say(&format!("  kubectl --server http://{address} get widget gizmo -o yaml"));
            say(&format!(
                "  kubectl --server http://{address} patch widget gizmo --type merge -p '{{\"spec\":{{\"replicas\":200}}}}'"
            ));
            let path = "apis/shop.example.com/v1/namespaces/default/widgets";
            say(&format!("  curl http://{address}/{path}/gizmo"));
            say(&format!("  curl 'http://{address}/{path}?watch=true'"));
        } else {
            say(&format!("  kubectl --server http://{address} apply -f your-crd.yaml"));
            let path = "apis/apiextensions.k8s.io/v1/customresourcedefinitions";
            say(&format!("  curl http://{address}/{path}"));
        }
        say("");
        say("Ctrl-C stops it.");
    }
}

/// The example API and one object of it.
const DEMO: &str = concat!(
    include_str!("../../../../examples/widgets/crd.yaml"),
    "\n---\n",
    include_str!("../../../../examples/widgets/widget.yaml"),
);

/// Runs the controllers as long as the server does. A failed round is tried again.
async fn control(registry: Arc<Registry>) {
    loop {
        tokio::time::sleep(std::time::Duration::from_millis(500)).await;
        let _ = registry.run_controllers().await;
    }
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
