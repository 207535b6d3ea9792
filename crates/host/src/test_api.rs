//! The test API of a server, put together: its clock, its faults, and servers forked off it.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ordain_meta::Status;
use ordain_rbac::Rbac;
use ordain_registry::dynamic::Dynamic;
use ordain_registry::source::Entropy;
use ordain_registry::{Registry, RestConfig};
use ordain_server::{App, Tls};
use ordain_storage::MemoryStore;
pub use ordain_testapi::PATH;
use ordain_testapi::{Faults, Forked, Host, TestApi, TestClock};

use crate::store::Place;
use crate::system::{Controllers, Own, SystemClock, SystemEntropy, dynamic_admission, registry};
use crate::transport::{Transport, reachable};

/// Servers forked off one, and off those.
const FORKS_MAX: usize = 64;

/// What a server with a test API has besides.
#[derive(Debug, Clone)]
pub struct Means {
    /// The clock that tests move.
    pub clock: Arc<TestClock>,
    /// What goes wrong on purpose.
    pub faults: Arc<Faults>,
}

impl Default for Means {
    fn default() -> Self {
        Self { clock: Arc::new(TestClock::new(Arc::new(SystemClock))), faults: Arc::default() }
    }
}

/// A random token that cannot be guessed.
pub fn new_token() -> String {
    let entropy = SystemEntropy::default();
    format!("{:016x}{:016x}", entropy.next_u64(), entropy.next_u64())
}

/// How servers like one are made.
#[derive(Clone)]
pub struct Blueprint {
    /// How servers are reached.
    pub transport: Transport,
    /// Keys and certificates; none for plain HTTP.
    pub tls: Option<Arc<Tls>>,
    /// Where kubeconfigs are written.
    pub data_dir: PathBuf,
    /// What the server brings itself, made anew for each.
    pub own: Arc<dyn Fn(&Means) -> Result<Own, String> + Send + Sync>,
    /// Fake controllers that run beside each.
    pub fakes: ordain_fakes::Fakes,
    /// What callers of the test API have to know.
    pub token: String,
    /// How many servers were forked off.
    pub forks: Arc<AtomicUsize>,
}

/// A running server, as far as its test API needs it.
pub struct Running {
    /// How servers like it are made.
    pub blueprint: Blueprint,
    /// What it serves.
    pub registry: Arc<Registry>,
    /// Its roles.
    pub rbac: Arc<Rbac>,
    /// Its policies and webhooks.
    pub dynamic: Arc<Dynamic>,
    /// Only what is in memory can be forked.
    pub store: Option<Arc<MemoryStore>>,
}

impl Running {
    /// Gives a server its test API, which begins with the present state.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn attach(self, app: &mut App, means: Means) -> Result<Arc<TestApi>, String> {
        let registry = Arc::clone(&self.registry);
        let token = self.blueprint.token.clone();
        let host: Arc<dyn Host> = Arc::new(self);
        let api = TestApi::new(registry, means.clock, means.faults, Some(host), token).await;
        let api = Arc::new(api.map_err(|status| status.message)?);
        app.seam = Some(Arc::clone(&api) as Arc<dyn ordain_server::seam::Seam>);
        Ok(api)
    }

    async fn fork_off(&self) -> Result<Forked, String> {
        let store =
            self.store.as_ref().ok_or("only a server with `--store memory` can be forked")?;
        let blueprint = self.blueprint.clone();
        if blueprint.forks.fetch_add(1, Ordering::Relaxed) >= FORKS_MAX {
            return Err(format!("there are {FORKS_MAX} forks already"));
        }
        let store = Arc::new(store.fork());
        let (means, rbac) = (Means::default(), Arc::new(Rbac::default()));
        let dynamic = dynamic_admission(Some(&rbac));
        let place = Place::Other(Arc::clone(&store) as Arc<dyn ordain_storage::Store>);
        let own = (blueprint.own)(&means)?;
        let controllers = own.controllers;
        let (registry, _) = registry(&place, own, &rbac, &dynamic).await?;
        registry.serve_declared(declared(&self.registry, &registry));
        let mut transport = blueprint.transport.clone();
        transport.listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let listener = transport.bind().await?;
        let address = listener.local_addr().map_err(|error| error.to_string())?;
        let kubeconfig = match &blueprint.tls {
            Some(tls) => {
                let name = format!("kubeconfig-{}", address.port());
                transport.kubeconfig = Some(blueprint.data_dir.join(name));
                Some(transport.write_kubeconfig(tls, &blueprint.data_dir, address)?)
            }
            None => None,
        };
        let data_dir = &blueprint.data_dir;
        let mut app = transport.app(&registry, &rbac, blueprint.tls.as_deref(), data_dir).await?;
        let tls = blueprint.tls.clone();
        let scheme = if tls.is_some() { "https" } else { "http" };
        let running = Running {
            blueprint,
            registry: Arc::clone(&registry),
            rbac,
            dynamic,
            store: Some(store),
        };
        running.follow();
        running.control(controllers);
        running.attach(&mut app, means).await?;
        let app = Arc::new(app);
        tokio::spawn(async move {
            // It ends with the process.
            let never = std::future::pending();
            match tls {
                Some(tls) => ordain_server::serve_tls(app, tls, listener, never).await,
                None => ordain_server::serve(app, listener, never).await,
            }
        });
        let kubeconfig = kubeconfig.map(|path| path.display().to_string());
        Ok(Forked { url: format!("{scheme}://{}", reachable(address)), kubeconfig })
    }

    /// Runs the controllers that the first server has, as long as the process runs.
    fn control(&self, controllers: Controllers) {
        let Blueprint { tls, fakes, .. } = &self.blueprint;
        let authority = tls.as_ref().map(|tls| tls.authority()).unwrap_or_default();
        tokio::spawn(controllers.run(Arc::clone(&self.registry), authority));
        if !fakes.is_empty() {
            tokio::spawn(ordain_fakes::run(Arc::clone(&self.registry), fakes.clone()));
        }
    }

    /// Keeps roles, policies and definitions up to date as long as the process runs.
    fn follow(&self) {
        let (registry, rbac) = (Arc::clone(&self.registry), Arc::clone(&self.rbac));
        let dynamic = Arc::clone(&self.dynamic);
        tokio::spawn(async move {
            tokio::join!(
                rbac.follow(&registry),
                dynamic.follow(&registry),
                registry.follow_definitions()
            )
        });
    }
}

/// The kinds that one server serves by declaration and another does not know.
fn declared(there: &Registry, here: &Registry) -> Vec<RestConfig> {
    let known = here.catalog();
    let catalog = there.catalog();
    let missing = catalog.iter().filter(|it| known.get(&it.group, &it.plural).is_none());
    missing.map(|it| RestConfig::clone(it)).collect()
}

impl Host for Running {
    fn fork(&self) -> Pin<Box<dyn Future<Output = Result<Forked, String>> + Send + '_>> {
        Box::pin(self.fork_off())
    }

    fn refresh(&self) -> Pin<Box<dyn Future<Output = Result<(), Status>> + Send + '_>> {
        Box::pin(async {
            self.rbac.refresh(&self.registry).await?;
            self.dynamic.refresh(&self.registry).await
        })
    }
}
