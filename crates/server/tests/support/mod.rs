//! A server in this process.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ordain_meta::time::Time;
use ordain_rbac::Rbac;
use ordain_registry::admission::{Chain, Plugin};
use ordain_registry::namespace::NamespaceLifecycle;
use ordain_registry::source::{Clock, SeededEntropy};
use ordain_registry::{AdmissionConfiguration, DefaultAdmission, Options, Registry};
use ordain_server::App;
use ordain_storage::{Expect, MemoryStore, Store, Write};

#[derive(Debug)]
struct WallClock;

impl Clock for WallClock {
    fn now(&self) -> Time {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        Time::from_unix(i64::try_from(since.as_secs()).unwrap(), since.subsec_nanos())
    }
}

/// What a server runs on.
pub(crate) fn runtime() -> tokio::runtime::Runtime {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    builder.worker_threads(2).enable_all().build().unwrap()
}

/// Starts a fresh server; it stops with the runtime.
#[allow(dead_code, reason = "some tests need a whole server")]
pub(crate) fn start(runtime: &tokio::runtime::Runtime) -> SocketAddr {
    start_with(runtime, |registry| registry)
}

/// The same with a registry that was given something more.
#[allow(dead_code, reason = "some tests need nothing more")]
pub(crate) fn start_with(
    runtime: &tokio::runtime::Runtime,
    given: impl FnOnce(Registry) -> Registry,
) -> SocketAddr {
    launch(runtime, vec![Arc::new(NamespaceLifecycle)], given, false)
}

/// A server with the plugins that native kinds were recorded with, and the roles of a first start.
#[allow(dead_code, reason = "some tests need no whole server")]
pub(crate) fn start_whole(runtime: &tokio::runtime::Runtime) -> SocketAddr {
    let without = ["ServiceAccount".to_owned()];
    let settings = AdmissionConfiguration::default();
    let plugins = DefaultAdmission::choose(&[], &without, &settings).unwrap();
    let plugins: Vec<Arc<dyn Plugin>> = vec![Arc::new(NamespaceLifecycle), Arc::new(plugins)];
    launch(runtime, plugins, |registry| registry, true)
}

fn launch(
    runtime: &tokio::runtime::Runtime,
    plugins: Vec<Arc<dyn Plugin>>,
    given: impl FnOnce(Registry) -> Registry,
    roles: bool,
) -> SocketAddr {
    runtime.block_on(async {
        let store = Arc::new(MemoryStore::default());
        // Recorded versions have three digits and more; shorter ones are not told from numbers.
        for number in 0_u32..200 {
            let write = Write::put("/before", Expect::Any, number.to_string());
            store.commit(write).await.unwrap();
        }
        let registry = Registry::new(
            store,
            Arc::new(WallClock),
            Arc::new(SeededEntropy::new(1)),
            Chain::new(plugins),
            Arc::new(ordain_registry::crd::DefinitionHooks::default()),
            Options { controllers: false },
        );
        let registry = Arc::new(given(registry));
        registry.start().await.unwrap();
        if roles {
            Rbac::default().bootstrap(&registry).await.unwrap();
        }
        registry.forget_history().await.unwrap();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let others = Arc::clone(&registry);
        tokio::spawn(async move { others.follow_api_services().await });
        let mut app = App::new(registry);
        // What a debug build on a busy machine takes for a recorded case is no timeout.
        app.limits.request_timeout = Duration::from_secs(600);
        let app = Arc::new(app);
        tokio::spawn(ordain_server::serve(app, listener, std::future::pending()));
        address
    })
}
