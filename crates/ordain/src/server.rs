//! A server for kinds of your own: kinds, hooks, gates, a store and an address.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use ordain_registry::admission::Chain;
use ordain_registry::declared::Resource as Declared;
use ordain_registry::gates::Gates;
use ordain_registry::namespace::NamespaceLifecycle;
use ordain_registry::strategy::Config;
use ordain_registry::{Options, Registry};
use ordain_schema::declared::{Api, Kind};
use ordain_server::App;
use ordain_storage::{EmbeddedStore, MemoryStore, Store};

use crate::declare::Kinds;
use crate::hooks::{Hooks, by_version};
use crate::kind::Resource;
use crate::system::{SystemClock, SystemEntropy, control};

/// A running server. It stops when this is dropped or [`Server::stop`]ped.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    stop: tokio::sync::oneshot::Sender<()>,
    running: tokio::task::JoinHandle<std::io::Result<()>>,
}

/// Why kinds cannot be served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServeError(String);

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ServeError {}

fn failed(what: &str) -> impl Fn(&dyn fmt::Display) -> ServeError {
    let what = what.to_owned();
    move |error| ServeError(format!("{what}: {error}"))
}

impl Server {
    /// A server of nothing yet, on `127.0.0.1:8080`, with its objects in `ordain-data`.
    #[must_use]
    pub fn builder() -> Builder {
        Builder {
            kinds: Kinds::default(),
            declared: Vec::new(),
            hooks: Vec::new(),
            gates: Vec::new(),
            address: SocketAddr::from(([127, 0, 0, 1], 8080)),
            store: Place::Embedded(PathBuf::from("ordain-data")),
        }
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Stops it, and waits until open requests are answered.
    ///
    /// # Errors
    /// When the server had failed.
    pub async fn stop(self) -> Result<(), ServeError> {
        let _ = self.stop.send(());
        match self.running.await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(failed("the server failed")(&error)),
            Err(error) => Err(failed("the server failed")(&error)),
        }
    }
}

enum Place {
    Memory,
    Embedded(PathBuf),
    Other(Arc<dyn Store>),
}

/// The hooks of one version of a kind.
struct Hooked {
    group: &'static str,
    kind: &'static str,
    api_version: String,
    config: Config,
    rest: Box<dyn FnOnce(Declared) -> Declared + Send>,
}

/// What is to be served, and where.
pub struct Builder {
    kinds: Kinds,
    declared: Vec<Kind>,
    hooks: Vec<Hooked>,
    gates: Vec<String>,
    address: SocketAddr,
    store: Place,
}

impl Builder {
    /// Serves kinds that were declared elsewhere, such as in Go.
    #[must_use]
    pub fn declared(mut self, api: Api) -> Self {
        self.declared.extend(api.kinds);
        self
    }

    /// Serves a kind, or one more version of it, with its hooks.
    #[must_use]
    pub fn kind<T: Resource>(mut self, hooks: Hooks<T>) -> Self {
        self.kinds.add::<T>();
        let config = hooks.config.clone();
        let (group, kind, api_version) = (T::GROUP, T::KIND, T::api_version());
        let rest = Box::new(move |declared| hooks.apply(declared));
        self.hooks.push(Hooked { group, kind, api_version, config, rest });
        self
    }

    /// Sets feature gates, as in `WidgetPriority=true,APIUnions=false`.
    #[must_use]
    pub fn feature_gates(mut self, gates: impl Into<String>) -> Self {
        self.gates.push(gates.into());
        self
    }

    /// Listens here. Requests need no credentials, so let it be a loopback address.
    #[must_use]
    pub fn address(mut self, address: impl Into<SocketAddr>) -> Self {
        self.address = address.into();
        self
    }

    /// Keeps objects in this folder; every acknowledged write is on the disk.
    #[must_use]
    pub fn data_dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.store = Place::Embedded(dir.into());
        self
    }

    /// Keeps objects in memory, for tests.
    #[must_use]
    pub fn in_memory(mut self) -> Self {
        self.store = Place::Memory;
        self
    }

    /// Keeps objects in a store of your choice.
    #[must_use]
    pub fn store(mut self, store: Arc<dyn Store>) -> Self {
        self.store = Place::Other(store);
        self
    }

    /// The declared kinds, for those who look at schemas.
    ///
    /// # Errors
    /// What is wrong with the declarations.
    pub fn api(&self) -> Result<Api, ServeError> {
        let mut api = self.kinds.lower().map_err(|error| ServeError(error.to_string()))?;
        api.kinds.extend(self.declared.iter().cloned());
        Ok(api)
    }

    /// Serves until the process is asked to stop, and does not return before.
    ///
    /// # Errors
    /// When a declaration cannot be served, the store not be opened, the address not be had.
    pub fn serve(self) -> Result<(), ServeError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .map_err(|error| failed("cannot start")(&error))?;
        runtime.block_on(async {
            let server = self.start().await?;
            let _ = tokio::signal::ctrl_c().await;
            server.stop().await
        })
    }

    /// Starts serving and returns, with the server listening.
    ///
    /// # Errors
    /// When a declaration cannot be served, the store not be opened, the address not be had.
    pub async fn start(self) -> Result<Server, ServeError> {
        let api = self.api()?;
        let mut gates = Gates::default();
        gates.register_declared(&api);
        for text in &self.gates {
            gates.set_from(text).map_err(ServeError)?;
        }
        let gates = Arc::new(gates);
        let mut hooks = self.hooks;
        let mut configs = Vec::new();
        for kind in api.kinds {
            let (own, others) = hooks
                .into_iter()
                .partition::<Vec<Hooked>, _>(|it| kind.group == it.group && kind.kind == it.kind);
            hooks = others;
            let config = hooked(kind, own).build(&gates);
            configs.push(config.map_err(|error| ServeError(error.to_string()))?);
        }
        let store = open(self.store)?;
        let registry = Registry::new(
            store,
            Arc::new(SystemClock),
            Arc::new(SystemEntropy::default()),
            Chain::new(vec![Arc::new(NamespaceLifecycle)]),
            Arc::new(ordain_registry::crd::DefinitionHooks::default()),
            Options { controllers: true },
        );
        let registry = Arc::new(registry.with_gates(gates));
        registry.start().await.map_err(|status| ServeError(status.message))?;
        registry.serve_declared(configs);
        let control = control(Arc::clone(&registry));
        let listener = tokio::net::TcpListener::bind(self.address)
            .await
            .map_err(|error| failed(&format!("cannot listen on {}", self.address))(&error))?;
        let address =
            listener.local_addr().map_err(|error| failed("cannot tell the address")(&error))?;
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let app = Arc::new(App::new(registry));
        let running = tokio::spawn(async move {
            let shutdown = async {
                let _ = stopped.await;
            };
            tokio::select! {
                result = ordain_server::serve(app, listener, shutdown) => result,
                () = control => Ok(()),
            }
        });
        Ok(Server { address, stop, running })
    }
}

/// A declared kind with the hooks of its versions.
fn hooked(kind: Kind, hooks: Vec<Hooked>) -> Declared {
    let mut declared = Declared::new(kind);
    let mut configs = Vec::new();
    for it in hooks {
        configs.push((it.api_version, it.config));
        declared = (it.rest)(declared);
    }
    declared.config(by_version(configs))
}

fn open(place: Place) -> Result<Arc<dyn Store>, ServeError> {
    Ok(match place {
        Place::Memory => Arc::new(MemoryStore::default()),
        Place::Other(store) => store,
        Place::Embedded(dir) => {
            let what = format!("cannot open the store in {}", dir.display());
            Arc::new(EmbeddedStore::open(&dir).map_err(|error| failed(&what)(&error))?)
        }
    })
}
