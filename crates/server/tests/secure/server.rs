//! A server with keys of its own in a folder that goes away with it.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use ordain_meta::time::Time;
use ordain_rbac::{NoEscalation, Rbac};
use ordain_registry::admission::{Chain, Plugin};
use ordain_registry::namespace::NamespaceLifecycle;
use ordain_registry::source::{Clock, Entropy};
use ordain_registry::{AdmissionConfiguration, DefaultAdmission, Options, Registry};
use ordain_server::{Access, App, AuditLog, Guard, Tls, TlsOptions, Tokens};
use ordain_storage::MemoryStore;
use ordain_value::{Value, json};

use crate::client::{Answer, Client, Credentials};

#[derive(Debug)]
struct WallClock;

impl Clock for WallClock {
    fn now(&self) -> Time {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        Time::from_unix(i64::try_from(since.as_secs()).unwrap(), 0)
    }
}

#[derive(Debug)]
struct Counter(AtomicU64);

impl Entropy for Counter {
    fn next_u64(&self) -> u64 {
        self.0.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed)
    }
}

/// Tokens of some users.
const TOKENS: &str = "\
bob-token,bob,1001,\"dev,qa\"
ann-token,ann,1002
eve-token,eve,1003
ops-token,ops,1004,\"system:monitoring\"
root-token,root,0,\"system:masters\"
node-token,system:node:n1,1005,\"system:nodes\"
";

/// Lines written to the audit log.
#[derive(Clone, Default)]
pub(crate) struct Lines(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) dir: tempfile::TempDir,
    pub(crate) lines: Lines,
    pub(crate) stop: Option<tokio::sync::oneshot::Sender<()>>,
    pub(crate) stopped: Option<tokio::task::JoinHandle<std::io::Result<()>>>,
    pub(crate) runtime: tokio::runtime::Runtime,
}

impl Server {
    pub(crate) fn start() -> Self {
        Self::with(|_| {})
    }

    /// A server whose settings are changed before it starts.
    pub(crate) fn with(change: impl FnOnce(&mut App)) -> Self {
        Self::launch(true, None, change)
    }

    /// A server with the default admission plugins, and further ones.
    pub(crate) fn with_plugins(enabled: &[&str]) -> Self {
        let enabled: Vec<String> = enabled.iter().map(|it| (*it).to_owned()).collect();
        let without = ["ServiceAccount".to_owned()];
        let settings = AdmissionConfiguration::default();
        let plugins = DefaultAdmission::choose(&enabled, &without, &settings).unwrap();
        Self::launch(true, Some(plugins), |_| {})
    }

    /// A server of plain HTTP.
    pub(crate) fn plain(change: impl FnOnce(&mut App)) -> Self {
        Self::launch(false, None, change)
    }

    fn launch(
        encrypted: bool,
        plugins: Option<DefaultAdmission>,
        change: impl FnOnce(&mut App),
    ) -> Self {
        let runtime = ordain_server::runtime().unwrap();
        let dir = tempfile::tempdir().unwrap();
        let options = TlsOptions { dir: dir.path().to_owned(), ..TlsOptions::default() };
        let tls = Arc::new(Tls::open(options).unwrap());
        let lines = Lines::default();
        let (stop, stopping) = tokio::sync::oneshot::channel::<()>();
        let (address, stopped) = runtime.block_on(async {
            let (registry, rbac) = registry(plugins).await;
            let mut app = App::new(registry);
            let tokens = Tokens::decode(TOKENS).unwrap();
            app.access = Access::Guarded(Guard { tokens, rbac, bootstrap_tokens: true });
            app.audit = Some(AuditLog::new(lines.clone()));
            change(&mut app);
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap();
            let stopping = async {
                let _ = stopping.await;
            };
            let app = Arc::new(app);
            let stopped = if encrypted {
                tokio::spawn(ordain_server::serve_tls(app, tls, listener, stopping))
            } else {
                tokio::spawn(ordain_server::serve(app, listener, stopping))
            };
            (address, stopped)
        });
        Self { address, dir, lines, stop: Some(stop), stopped: Some(stopped), runtime }
    }

    pub(crate) fn client(&self, credentials: Credentials) -> Client<'_> {
        Client { server: self, credentials }
    }

    /// The administrator of the generated kubeconfig.
    pub(crate) fn admin(&self) -> Client<'_> {
        let read = |name: &str| std::fs::read_to_string(self.dir.path().join(name)).unwrap();
        let (certificate, key) = (read("admin.crt"), read("admin.key"));
        self.client(Credentials::Certificate { certificate, key })
    }

    /// A user with a token, by name.
    pub(crate) fn user(&self, name: &str) -> Client<'_> {
        self.client(Credentials::Token(format!("{name}-token")))
    }

    pub(crate) fn anonymous(&self) -> Client<'_> {
        self.client(Credentials::None)
    }

    /// The events of the audit log.
    pub(crate) fn events(&self) -> Vec<Value> {
        let bytes = self.lines.0.lock().unwrap().clone();
        let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        lines.map(|line| json::decode(line).unwrap()).collect()
    }

    /// Creates an object as the administrator.
    pub(crate) fn create(&self, path: &str, object: &Value) -> Answer {
        let answer = self.admin().post(path, object);
        assert_eq!(answer.code, 201, "{:?}", answer.body);
        answer
    }
}

async fn registry(plugins: Option<DefaultAdmission>) -> (Arc<Registry>, Arc<Rbac>) {
    let rbac = Arc::new(Rbac::default());
    let mut chain: Vec<Arc<dyn Plugin>> =
        vec![Arc::new(NamespaceLifecycle), Arc::new(NoEscalation::new(Arc::clone(&rbac)))];
    chain.extend(plugins.map(|it| Arc::new(it) as Arc<dyn Plugin>));
    let registry = Registry::new(
        Arc::new(MemoryStore::default()),
        Arc::new(WallClock),
        Arc::new(Counter(AtomicU64::new(1))),
        Chain::new(chain),
        Arc::new(ordain_registry::crd::DefinitionHooks::default()),
        Options { controllers: false },
    );
    let registry = Arc::new(registry);
    registry.start().await.unwrap();
    rbac.bootstrap(&registry).await.unwrap();
    let (follower, followed) = (Arc::clone(&rbac), Arc::clone(&registry));
    tokio::spawn(async move { follower.follow(&followed).await });
    (registry, rbac)
}
