//! An API server inside a test.
//!
//! ```
//! use ordain::testing::TestServer;
//!
//! let mut server = TestServer::builder()
//!     .manifests(
//!         "apiVersion: v1
//! kind: ConfigMap
//! metadata: {name: settings}
//! data: {colour: green}",
//!     )
//!     .start()?;
//!
//! // Any Kubernetes client can use `server.url()` or `server.kubeconfig()`; this one is built in.
//! let path = "/api/v1/namespaces/default/configmaps/settings";
//! let (code, body) = server.request("GET", path, "")?;
//! assert_eq!(code, 200);
//! assert!(body.contains("green"));
//!
//! // What a test changes is undone for the next one; connections and watches stay open.
//! server.request("DELETE", path, "")?;
//! assert_eq!(server.request("GET", path, "")?.0, 404);
//! server.reset()?;
//! assert_eq!(server.request("GET", path, "")?.0, 200);
//! # Ok::<(), ordain::testing::Error>(())
//! ```
//!
//! Kinds of your own are served by their types ([`Builder::kind`]). The clock stands still and uids
//! come from a seed, so the same requests get the same answers, byte for byte.
//!
//! A test may move the clock, let requests fail, wait for a condition or for quiet, and print what
//! happened:
//!
//! ```
//! use std::time::Duration;
//! use ordain::test_api::{Fault, Rule, Wait};
//! use ordain::testing::TestServer;
//!
//! let server = TestServer::start()?;
//! let maps = "/api/v1/namespaces/default/configmaps";
//! server.fault(Rule::new(Fault::error(503)).verbs(["create"]).resource("configmaps").nth(1))?;
//! assert_eq!(server.request("POST", maps, r#"{"metadata":{"name":"a"}}"#)?.0, 503);
//! assert_eq!(server.request("POST", maps, r#"{"metadata":{"name":"a"}}"#)?.0, 201);
//! server.clock().advance(Duration::from_secs(3600));
//! let found = server.wait(Wait::new("", "configmaps").name("a").until("self.metadata.name == 'a'"))?;
//! assert_eq!(found.get_path(&["metadata", "name"]).and_then(|it| it.as_str()), Some("a"));
//! assert!(server.story()?.contains("configmaps default/a created"));
//! # Ok::<(), ordain::testing::Error>(())
//! ```

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use ordain_fakes::Fakes;
use ordain_host::system::{dynamic_admission, slowed, webhooks};
use ordain_host::test_api::{Means, new_token};
use ordain_meta::time::Time;
use ordain_registry::admission::Chain;
use ordain_registry::dynamic::Dynamic;
use ordain_registry::namespace::NamespaceLifecycle;
use ordain_registry::source::{FixedClock, SeededEntropy};
use ordain_registry::{DefaultAdmission, Options, Registry, ResourceQuota};
use ordain_server::{App, ServiceAccounts, TokenOptions};
use ordain_storage::MemoryStore;
use ordain_testapi::{Forked, Host, TestApi, TestClock};
use ordain_value::Value;
use ordain_webhook::Services;
use tokio::runtime::Runtime;

use crate::served::{self, Served, served_methods};
use crate::test_api::{Quiet, Rule, Schedule, Wait};

/// The time that the clock shows unless another is given: 2026-01-01T00:00:00Z.
const TIME: i64 = 1_767_225_600;
const SEED: u64 = 1;
/// How long a request of the built-in client may take.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// Why a server could not do what it was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error(String);

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

fn failed(what: &str) -> impl FnOnce(std::io::Error) -> Error + use<'_> {
    move |error| Error(format!("{what}: {error}"))
}

/// How a server starts.
#[derive(Debug, Clone)]
pub struct Builder {
    seed: u64,
    time: Time,
    served: Served,
    fakes: Fakes,
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            seed: SEED,
            time: Time::from_unix(TIME, 0),
            served: Served::default(),
            fakes: Fakes::default(),
        }
    }
}

impl Builder {
    /// What uids and generated names are made from.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// What the clock shows, in seconds since 1970.
    #[must_use]
    pub fn time(mut self, seconds: i64) -> Self {
        self.time = Time::from_unix(seconds, 0);
        self
    }

    served_methods!();

    /// Lets things make progress without nodes: `fake-deployment`, `fake-job` and so on, or
    /// `fake-all`, with outcomes as in the file of `--fake-outcomes`; an empty text for none.
    ///
    /// # Errors
    /// A name that no controller has, or a text that cannot be read.
    pub fn fake_controllers<'a>(
        mut self,
        names: impl IntoIterator<Item = &'a str>,
        outcomes: &str,
    ) -> Result<Self, Error> {
        self.fakes = Fakes::read(names, outcomes).map_err(Error)?;
        Ok(self)
    }

    /// Starts the server on a free port of the loopback interface.
    ///
    /// # Errors
    /// When there is no port, or a manifest is refused.
    pub fn start(self) -> Result<TestServer, Error> {
        let store = Arc::new(MemoryStore::new());
        let entropy = Arc::new(SeededEntropy::new(self.seed));
        let (texts, paths) = (self.served.texts.clone(), self.served.paths.clone());
        let mut server = TestServer::over(self, store, entropy)?;
        server.load_all(texts, paths)?;
        server.mark()?;
        Ok(server)
    }
}

/// A server that lives as long as this value.
pub struct TestServer {
    options: Builder,
    listener: TcpListener,
    address: SocketAddr,
    life: Option<Life>,
    baseline: (MemoryStore, SeededEntropy),
}

/// What is replaced by a reset.
struct Life {
    runtime: Runtime,
    registry: Arc<Registry>,
    store: Arc<MemoryStore>,
    entropy: Arc<SeededEntropy>,
    api: Arc<TestApi>,
}

impl TestServer {
    /// A server with the built-in kinds and nothing else.
    ///
    /// # Errors
    /// When there is no port.
    pub fn start() -> Result<Self, Error> {
        Self::builder().start()
    }

    /// A server that is described before it starts.
    pub fn builder() -> Builder {
        Builder::default()
    }

    fn over(
        options: Builder,
        store: Arc<MemoryStore>,
        entropy: Arc<SeededEntropy>,
    ) -> Result<Self, Error> {
        let listener = TcpListener::bind("127.0.0.1:0").map_err(failed("cannot listen"))?;
        listener.set_nonblocking(true).map_err(failed("cannot listen"))?;
        let address = listener.local_addr().map_err(failed("the address is unknown"))?;
        let baseline = (store.fork(), entropy.fork());
        let life = Life::begin(&options, &listener, store, entropy)?;
        Ok(Self { options, listener, address, life: Some(life), baseline })
    }

    fn life(&self) -> Result<&Life, Error> {
        self.life.as_ref().ok_or_else(|| Error("the server did not start again".to_owned()))
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where clients find the server: plain HTTP, no credentials.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The text of a kubeconfig for this server.
    pub fn kubeconfig(&self) -> String {
        let url = self.url();
        format!(
            "apiVersion: v1\nkind: Config\ncurrent-context: test\n\
             clusters:\n- name: test\n  cluster:\n    server: {url}\n\
             contexts:\n- name: test\n  context:\n    cluster: test\n    user: test\n\
             users:\n- name: test\n  user: {{}}\n"
        )
    }

    /// Creates the objects of a YAML or JSON text and returns how many are new.
    ///
    /// # Errors
    /// When one of them is refused; those before it were created.
    pub fn load(&self, text: impl Into<String>) -> Result<usize, Error> {
        self.load_all(vec![text.into()], Vec::new())
    }

    /// Creates the objects of a file or folder and returns how many are new.
    ///
    /// # Errors
    /// When it cannot be read or one of them is refused.
    pub fn load_from(&self, path: impl Into<PathBuf>) -> Result<usize, Error> {
        self.load_all(Vec::new(), vec![path.into()])
    }

    fn load_all(&self, texts: Vec<String>, paths: Vec<PathBuf>) -> Result<usize, Error> {
        let life = self.life()?;
        let registry = Arc::clone(&life.registry);
        let loaded = life.run(async move { served::load(&registry, &paths, &texts).await });
        loaded?.map_err(Error)
    }

    /// Makes the present state the one that [`TestServer::reset`] and [`TestServer::rewind`] go
    /// back to.
    ///
    /// # Errors
    /// When the server failed.
    pub fn mark(&mut self) -> Result<(), Error> {
        let life = self.life()?;
        let baseline = (life.store.fork(), life.entropy.fork());
        let api = Arc::clone(&life.api);
        life.run(async move { api.mark().await })?.map_err(refused)?;
        self.baseline = baseline;
        Ok(())
    }

    /// Goes back to the state after the start, or after the last mark. Connections stay open:
    /// watches see the undoing as events, and versions go on counting. Faults, schedule and story
    /// are empty again, and the clock shows its first time.
    ///
    /// # Errors
    /// When the server failed.
    pub fn reset(&mut self) -> Result<(), Error> {
        let life = self.life()?;
        let api = Arc::clone(&life.api);
        life.run(async move { api.reset().await })?.map(drop).map_err(refused)
    }

    /// Goes back as if nothing had ever happened since: the same versions and uids come again.
    /// Open connections end; the address stays.
    ///
    /// # Errors
    /// When the server cannot start again.
    pub fn rewind(&mut self) -> Result<(), Error> {
        if let Some(life) = self.life.take() {
            life.end();
        }
        let store = Arc::new(self.baseline.0.fork());
        let entropy = Arc::new(self.baseline.1.fork());
        self.life = Some(Life::begin(&self.options, &self.listener, store, entropy)?);
        Ok(())
    }

    /// Another server that begins with the present state of this one and goes its own way.
    ///
    /// # Errors
    /// When there is no port.
    pub fn fork(&self) -> Result<Self, Error> {
        let life = self.life()?;
        let (store, entropy) = (life.store.fork(), life.entropy.fork());
        Self::over(self.options.clone(), Arc::new(store), Arc::new(entropy))
    }

    /// The clock of the server. It stands still unless it is moved.
    pub fn clock(&self) -> Clock<'_> {
        Clock(self)
    }

    /// Lets some requests go wrong from now on.
    ///
    /// # Errors
    /// When there are too many rules.
    pub fn fault(&self, rule: Rule) -> Result<(), Error> {
        self.life()?.api.faults().add(rule).map_err(Error)
    }

    /// Delays, drops and reorders what arrives from now on, by a seed, within what a real server
    /// may do; none lets things go their way again.
    ///
    /// # Errors
    /// When the server failed.
    pub fn schedule(&self, schedule: impl Into<Option<Schedule>>) -> Result<(), Error> {
        self.life()?.api.faults().set_schedule(schedule.into());
        Ok(())
    }

    /// Waits for a condition, without polling, and gives the object that fulfils it.
    ///
    /// # Errors
    /// When it does not come true in time, with what was seen last.
    pub fn wait(&self, wait: Wait) -> Result<Value, Error> {
        let life = self.life()?;
        let api = Arc::clone(&life.api);
        life.run(async move { api.wait(&wait).await })?.map_err(refused)
    }

    /// Waits until nothing was written for a while and nothing is under way; false when that does
    /// not come to be in time.
    ///
    /// # Errors
    /// When the server failed.
    pub fn quiet(&self, quiet: Quiet) -> Result<bool, Error> {
        let life = self.life()?;
        let api = Arc::clone(&life.api);
        life.run(async move { api.quiet(&quiet).await })?.map_err(refused)
    }

    /// Keeps the present state under a name.
    ///
    /// # Errors
    /// When there are too many.
    pub fn snapshot(&self, name: &str) -> Result<(), Error> {
        let life = self.life()?;
        let (api, name) = (Arc::clone(&life.api), name.to_owned());
        life.run(async move { api.snapshot(name).await })?.map_err(refused)
    }

    /// Goes back to a state that was kept.
    ///
    /// # Errors
    /// When there is none of this name.
    pub fn restore(&self, name: &str) -> Result<(), Error> {
        let life = self.life()?;
        let (api, name) = (Arc::clone(&life.api), name.to_owned());
        life.run(async move { api.restore(&name).await })?.map(drop).map_err(refused)
    }

    /// Who wrote what since the last reset, with what changed: for the message of a failed test.
    ///
    /// # Errors
    /// When the server failed.
    pub fn story(&self) -> Result<String, Error> {
        let life = self.life()?;
        let api = Arc::clone(&life.api);
        life.run(async move { api.story().await })?.map_err(refused)
    }

    /// Every request since the last reset as a transcript, for `ordain replay`.
    ///
    /// # Errors
    /// When the server failed.
    pub fn transcript(&self) -> Result<String, Error> {
        Ok(self.life()?.api.transcript())
    }

    /// Makes one request with a JSON body, or none if it is empty, and answers with code and body.
    ///
    /// # Errors
    /// When the server cannot be reached.
    pub fn request(&self, method: &str, path: &str, body: &str) -> Result<(u16, String), Error> {
        let text = exchange(self.address, method, path, body).map_err(failed("no answer"))?;
        let malformed = || Error(format!("a malformed answer: {text}"));
        let (head, body) = text.split_once("\r\n\r\n").ok_or_else(malformed)?;
        let code = head.split(' ').nth(1).and_then(|code| code.parse().ok());
        Ok((code.ok_or_else(malformed)?, body.to_owned()))
    }
}

/// The clock of a server, which tests move.
#[derive(Debug, Clone, Copy)]
pub struct Clock<'a>(&'a TestServer);

impl Clock<'_> {
    /// Moves it on.
    pub fn advance(&self, by: Duration) {
        if let Some(life) = &self.0.life {
            life.api.clock().advance(by);
        }
    }

    /// Makes it show this time, in seconds since 1970.
    pub fn set(&self, seconds: i64) {
        if let Some(life) = &self.0.life {
            life.api.clock().set(Time::from_unix(seconds, 0));
        }
    }
}

fn refused(status: ordain_meta::Status) -> Error {
    Error(status.message)
}

fn exchange(address: SocketAddr, method: &str, path: &str, body: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(REQUEST_TIMEOUT))?;
    let len = body.len();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {len}\r\n\r\n"
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())?;
    let mut text = Vec::new();
    stream.read_to_end(&mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

impl Drop for TestServer {
    fn drop(&mut self) {
        if let Some(life) = self.life.take() {
            life.end();
        }
    }
}

impl std::fmt::Debug for TestServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TestServer").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Life {
    fn begin(
        options: &Builder,
        listener: &TcpListener,
        store: Arc<MemoryStore>,
        entropy: Arc<SeededEntropy>,
    ) -> Result<Self, Error> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("ordain-test-server")
            .enable_all()
            .build()
            .map_err(failed("cannot start"))?;
        let (gates, configs) = options.served.build().map_err(Error)?;
        let means = Means {
            clock: Arc::new(TestClock::new(Arc::new(FixedClock(options.time)))),
            faults: Arc::default(),
        };
        let dynamic = dynamic_admission(None);
        let registry = Registry::new(
            Arc::clone(&store) as Arc<dyn ordain_storage::Store>,
            Arc::clone(&means.clock) as Arc<dyn ordain_registry::source::Clock>,
            Arc::clone(&entropy) as Arc<dyn ordain_registry::source::Entropy>,
            Chain::new(vec![
                Arc::new(NamespaceLifecycle),
                Arc::new(DefaultAdmission::default()),
                dynamic.clone(),
                Arc::new(ResourceQuota::default()),
            ]),
            Arc::new(ordain_registry::crd::DefinitionHooks::default()),
            Options { controllers: options.served.controllers },
        );
        let webhooks = slowed(webhooks(Services::default()), Some(&means.faults));
        let registry = Arc::new(registry.with_gates(gates).with_webhooks(webhooks));
        let listener = listener.try_clone().map_err(failed("cannot listen"))?;
        let (controllers, fakes) = (options.served.controllers, options.fakes.clone());
        let begun = Arc::clone(&registry);
        let started = run(&runtime, async move {
            let registry = begun;
            registry.start().await.map_err(|status| status.message)?;
            dynamic.refresh(&registry).await.map_err(|status| status.message)?;
            registry.serve_declared(configs);
            if controllers {
                let registry = Arc::clone(&registry);
                tokio::spawn(async move { registry.run_controllers().await });
            }
            let listener = tokio::net::TcpListener::from_std(listener);
            let listener = listener.map_err(|error| format!("cannot listen: {error}"))?;
            if !fakes.is_empty() {
                tokio::spawn(ordain_fakes::run(Arc::clone(&registry), fakes));
            }
            let mut app = App::new(Arc::clone(&registry));
            let accounts = ServiceAccounts::open(Arc::clone(&registry), TokenOptions::default())?;
            app.service_accounts = Some(Arc::new(accounts));
            let host: Arc<dyn Host> =
                Arc::new(Refreshing { registry: Arc::clone(&registry), dynamic });
            let api = TestApi::new(registry, means.clock, means.faults, Some(host), new_token());
            let api = Arc::new(api.await.map_err(|status| status.message)?);
            app.seam = Some(Arc::clone(&api) as Arc<dyn ordain_server::seam::Seam>);
            tokio::spawn(ordain_server::serve(Arc::new(app), listener, std::future::pending()));
            Ok::<_, String>(api)
        });
        let api = started?.map_err(Error)?;
        Ok(Self { runtime, registry, store, entropy, api })
    }

    /// Runs something on the server's threads and waits for it, from wherever.
    fn run<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, Error> {
        run(&self.runtime, work)
    }

    /// Ends everything that runs, connections included, and waits for it.
    fn end(self) {
        // A runtime may not be waited for on a thread that belongs to another one.
        let runtime = self.runtime;
        let ending = std::thread::spawn(move || runtime.shutdown_timeout(Duration::from_secs(1)));
        let _ = ending.join();
    }
}

fn run<T: Send + 'static>(
    runtime: &Runtime,
    work: impl Future<Output = T> + Send + 'static,
) -> Result<T, Error> {
    let (sender, receiver) = mpsc::channel();
    runtime.spawn(async move {
        let _ = sender.send(work.await);
    });
    receiver.recv().map_err(|_| Error("the server failed".to_owned()))
}

/// Takes up what a reset changed of the admission of users. Forks are made by
/// [`TestServer::fork`].
struct Refreshing {
    registry: Arc<Registry>,
    dynamic: Arc<Dynamic>,
}

impl Host for Refreshing {
    fn fork(&self) -> Pin<Box<dyn Future<Output = Result<Forked, String>> + Send + '_>> {
        Box::pin(async { Err("a server inside of a test is forked by its own method".to_owned()) })
    }

    fn refresh(
        &self,
    ) -> Pin<Box<dyn Future<Output = Result<(), ordain_meta::Status>> + Send + '_>> {
        Box::pin(self.dynamic.refresh(&self.registry))
    }
}
