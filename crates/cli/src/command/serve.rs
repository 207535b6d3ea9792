//! `ordain serve`.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};
use ordain_host::backup::Schedule;
use ordain_host::store::Place;
use ordain_host::system::{
    Controllers, Own, SystemClock, dynamic_admission, registry, stop_signal,
};
use ordain_host::test_api::{Blueprint, Means, Running, new_token};
use ordain_rbac::Rbac;
use ordain_registry::dynamic::Dynamic;
use ordain_registry::gates::Gates;
use ordain_registry::source::Clock;
use ordain_registry::{
    AdmissionConfiguration, DefaultAdmission, Registry, RuntimeConfig, SERVICE_ACCOUNT,
    ServiceRanges,
};
use ordain_server::{App, Log, Tls};
use ordain_storage::{MemoryStore, Store};
use ordain_webhook::Services;
use tokio::net::TcpListener;

use crate::command::transport::TransportArgs;
use crate::command::types::Types;
use crate::command::{Failure, manifest, say, types};

/// Serve APIs over HTTPS, with a kubeconfig to use them.
#[derive(Debug, Args)]
pub(crate) struct Serve {
    #[command(flatten)]
    transport: TransportArgs,
    /// Where objects are kept.
    #[arg(long, value_enum, default_value_t = StoreKind::Embedded)]
    store: StoreKind,
    /// Directory of the embedded store; created if it is missing.
    #[arg(long, value_name = "DIR", default_value = "ordain-data")]
    data_dir: PathBuf,
    /// Addresses of etcd for `--store etcd`, comma-separated.
    #[arg(
        long,
        value_name = "URL",
        value_delimiter = ',',
        default_value = "http://127.0.0.1:2379"
    )]
    etcd_servers: Vec<String>,
    /// How long to wait at startup for an etcd that does not answer yet.
    #[arg(
        long,
        value_name = "DURATION",
        default_value = "1m",
        value_parser = ordain_server::Limits::parse_timeout
    )]
    etcd_wait: Duration,
    /// Load the example API, `widgets.shop.example.com`, to try things out.
    #[arg(long)]
    demo: bool,
    /// Controllers to run, comma-separated: `garbage` (garbage collection and emptying of
    /// namespaces), `serviceaccount`, `rootca`, `resourcequota`, `storageprotection`, `all` or
    /// `none`; a leading minus disables one. Without `serviceaccount` the admission plugin
    /// ServiceAccount is off unless it is enabled by name. For tests without nodes there are
    /// `fake-deployment`, `fake-replicaset`, `fake-replicationcontroller`, `fake-statefulset`,
    /// `fake-daemonset`, `fake-job`, `fake-pod`, `fake-endpoints`, `fake-pvc` and `fake-all`.
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        default_value = "all",
        allow_hyphen_values = true
    )]
    controllers: Vec<String>,
    /// Outcomes that fake controllers produce, besides the annotations of objects: a YAML file.
    #[arg(long, value_name = "FILE", help_heading = "Tests")]
    fake_outcomes: Option<PathBuf>,
    /// Let tests reset, fork and disturb the server through calls below `/ordain.test/v1/` that
    /// carry the token. Never enable it on a server that anybody relies on.
    #[arg(long, env = "ORDAIN_TEST_API", help_heading = "Tests")]
    test_api: bool,
    /// Token of the test API [default: a new one, printed at startup].
    #[arg(
        long,
        value_name = "TOKEN",
        env = "ORDAIN_TEST_TOKEN",
        hide_env_values = true,
        help_heading = "Tests"
    )]
    test_api_token: Option<String>,
    /// Load the manifests of this file or directory at startup (may be repeated).
    #[arg(short = 'f', long = "filename", value_name = "PATH")]
    filename: Vec<PathBuf>,
    /// Write snapshots of the running server to this directory.
    #[arg(long, value_name = "DIR", help_heading = "Snapshots")]
    snapshot_dir: Option<PathBuf>,
    /// Interval between snapshots.
    #[arg(
        long,
        value_name = "DURATION",
        default_value = "1h",
        value_parser = ordain_server::Limits::parse_timeout,
        help_heading = "Snapshots"
    )]
    snapshot_every: Duration,
    /// Number of snapshots to keep.
    #[arg(long, value_name = "COUNT", default_value_t = 24, help_heading = "Snapshots")]
    snapshot_keep: usize,
    /// Exit when the store fails, so that a supervisor can restart the server. After a failed fsync
    /// only a restart makes the store writable again.
    #[arg(long)]
    exit_on_store_failure: bool,
    /// Address of a webhook that is configured as a service of the cluster (may be repeated).
    #[arg(long, value_name = "NAMESPACE/NAME=HOST:PORT")]
    webhook_service: Vec<String>,
    /// Admission plugins to disable, comma-separated.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    disable_admission_plugins: Vec<String>,
    /// Admission plugins to enable besides the default ones, comma-separated.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    enable_admission_plugins: Vec<String>,
    /// Configuration of admission plugins: an AdmissionConfiguration of apiserver.config.k8s.io/v1,
    /// in which PodSecurity is supported.
    #[arg(long, value_name = "FILE")]
    admission_control_config_file: Option<PathBuf>,
    /// IP ranges for cluster IPs of services; at most one for each IP family, comma-separated.
    #[arg(long, value_name = "CIDR", default_value = "10.0.0.0/24")]
    service_cluster_ip_range: String,
    /// Port range for node ports of services.
    #[arg(long, value_name = "FROM-TO", default_value = "30000-32767")]
    service_node_port_range: String,
    /// API groups, versions and resources to enable or disable: `batch/v1=false`, `v1=true`,
    /// `api/beta=false`, `apps/v1/daemonsets=false`; comma-separated.
    #[arg(long, value_name = "PAIRS", value_delimiter = ',')]
    runtime_config: Vec<String>,
    #[command(flatten)]
    types: types::TypeArgs,
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

/// A server that takes requests.
pub(crate) struct Ready {
    pub(crate) url: String,
    pub(crate) kubeconfig: Option<PathBuf>,
    /// The token of the test API, if there is one.
    pub(crate) token: Option<String>,
    address: SocketAddr,
    loaded: usize,
}

impl Serve {
    pub(crate) fn run(self) -> Result<(), Failure> {
        self.run_with(|serve, ready| {
            serve.greet(ready);
            std::future::pending::<()>()
        })
        .map(drop)
    }

    /// Serves until the process is asked to stop, or until what `ready` begins is done; gives what
    /// that came to.
    pub(crate) fn run_with<T, F: Future<Output = T>>(
        self,
        ready: impl FnOnce(&Self, &Ready) -> F,
    ) -> Result<Option<T>, Failure> {
        let runtime = ordain_server::runtime().map_err(|error| format!("cannot start: {error}"))?;
        let result = runtime.block_on(self.serve(ready));
        // Nothing is waited for: every acknowledged write is on the disk already.
        runtime.shutdown_background();
        result
    }

    async fn serve<T, F: Future<Output = T>>(
        self,
        ready: impl FnOnce(&Self, &Ready) -> F,
    ) -> Result<Option<T>, Failure> {
        let transport = self.transport.transport()?;
        let signal = stop_signal()?;
        let listener = transport.bind().await?;
        let address =
            listener.local_addr().map_err(|error| format!("the address is unknown: {error}"))?;
        // Keys are made while the store is read.
        let (keys, data_dir) = (transport.clone(), self.data_dir.clone());
        let tls = tokio::task::spawn_blocking(move || keys.open_tls(&data_dir, address));
        let rbac = Arc::new(Rbac::default());
        let declared = self.types.load()?;
        let gates = Arc::new(self.types.gates(&declared.api)?);
        let (fakes, controllers) = self.controllers()?;
        let services = Services::read(self.webhook_service.iter().map(String::as_str))?;
        let means = self.test_api.then(Means::default);
        let dynamic = dynamic_admission(Some(&rbac));
        let own = self.own(gates, controllers, services)?;
        let memory = (self.store == StoreKind::Memory).then(|| Arc::new(MemoryStore::default()));
        let place = match &memory {
            Some(store) if self.test_api => Place::Other(Arc::clone(store) as Arc<dyn Store>),
            _ => self.place(),
        };
        place.wait(self.etcd_wait, |why| transport.log.error("waiting", &[("for", &why)])).await?;
        let (registry, opened) = registry(&place, own(means.as_ref())?, &rbac, &dynamic).await?;
        types::serve(&registry, &declared).await?;
        self.types.note(&registry, &declared).await?;
        let tls = tls.await.map_err(|error| format!("cannot set up TLS: {error}"))??.map(Arc::new);
        let mut app = transport.app(&registry, &rbac, tls.as_deref(), &self.data_dir).await?;
        transport.publish(&registry, address).await?;
        app.exit_on_store_failure = self.exit_on_store_failure;
        self.schedule(opened.store, app.log);
        follow_stored(&registry, &rbac, &dynamic);
        let loaded = self.load(&registry, declared).await?;
        let authority = tls.as_ref().map(|tls| tls.authority()).unwrap_or_default();
        tokio::spawn(controllers.run(Arc::clone(&registry), authority));
        let token = means.is_some().then(|| self.test_api_token.clone().unwrap_or_else(new_token));
        if let Some((means, token)) = means.zip(token.clone()) {
            let blueprint = Blueprint {
                transport: transport.clone(),
                tls: tls.clone(),
                data_dir: self.data_dir.clone(),
                own: Arc::new(move |means| own(Some(means))),
                fakes: fakes.clone(),
                token,
                forks: Arc::default(),
            };
            let registry = Arc::clone(&registry);
            let running = Running { blueprint, registry, rbac, dynamic, store: memory };
            running.attach(&mut app, means).await?;
        }
        if !fakes.is_empty() {
            tokio::spawn(ordain_fakes::run(Arc::clone(&registry), fakes));
        }
        let kubeconfig = match &tls {
            Some(tls) => Some(transport.write_kubeconfig(tls, &self.data_dir, address)?),
            None => None,
        };
        let scheme = if tls.is_some() { "https" } else { "http" };
        let url = format!("{scheme}://{address}");
        let work = ready(&self, &Ready { url, kubeconfig, token, address, loaded });
        answer_until(Arc::new(app), tls, listener, signal, work).await
    }

    /// Loads the objects that the command line names and follows its types; gives how many objects
    /// there were.
    async fn load(&self, registry: &Arc<Registry>, declared: Types) -> Result<usize, Failure> {
        let mut loaded = manifest::load(registry, &self.filename).await?;
        if self.demo {
            loaded += manifest::load_text(registry, "the example API", DEMO).await?;
        }
        if !self.types.dirs.is_empty() {
            let follow = types::follow(Arc::clone(registry), self.types.clone(), declared);
            tokio::spawn(follow);
        }
        Ok(loaded)
    }

    /// The fake controllers and the others.
    fn controllers(&self) -> Result<(ordain_fakes::Fakes, Controllers), Failure> {
        let is_fake = |name: &&String| name.starts_with("fake-");
        let (fakes, others): (Vec<&String>, Vec<&String>) =
            self.controllers.iter().partition(is_fake);
        let outcomes = match &self.fake_outcomes {
            None => String::new(),
            Some(path) => std::fs::read_to_string(path)
                .map_err(|error| format!("{}: {error}", path.display()))?,
        };
        let fakes = ordain_fakes::Fakes::read(fakes.iter().map(|it| it.as_str()), &outcomes)?;
        let others = match others.as_slice() {
            [] => Controllers::all(false),
            others => Controllers::read(others)?,
        };
        Ok((fakes, others))
    }

    /// What the server brings itself; a function, since forks bring the same again.
    fn own(
        &self,
        gates: Arc<Gates>,
        controllers: Controllers,
        services: Services,
    ) -> Result<impl Fn(Option<&Means>) -> Result<Own, String> + Send + Sync + 'static, Failure>
    {
        let (enabled, disabled) = self.plugins(controllers);
        let settings = self.plugin_settings()?;
        let ranges =
            ServiceRanges::read(&self.service_cluster_ip_range, &self.service_node_port_range)?;
        let config = RuntimeConfig::read(self.runtime_config.iter().map(String::as_str))
            .map_err(|why| format!("--runtime-config: {why}"))?;
        Ok(move |means: Option<&Means>| {
            let clock: Arc<dyn Clock> = match means {
                Some(means) => Arc::clone(&means.clock) as Arc<dyn Clock>,
                None => Arc::new(SystemClock),
            };
            let plugins = DefaultAdmission::choose(&enabled, &disabled, &settings)?;
            let (gates, ranges) = (Arc::clone(&gates), ranges.clone());
            let (services, faults) = (services.clone(), means.map(|it| Arc::clone(&it.faults)));
            let runtime_config = config.clone();
            Ok(Own { gates, plugins, ranges, runtime_config, controllers, clock, services, faults })
        })
    }

    /// The admission plugins that are on and off by name. Without the controller that makes
    /// accounts every pod would be refused, so that the plugin for them is off then unless it is
    /// named.
    fn plugins(&self, controllers: Controllers) -> (Vec<String>, Vec<String>) {
        let enabled = self.enable_admission_plugins.clone();
        let mut disabled = self.disable_admission_plugins.clone();
        if !controllers.service_accounts && !enabled.iter().any(|it| it == SERVICE_ACCOUNT) {
            disabled.push(SERVICE_ACCOUNT.to_owned());
        }
        (enabled, disabled)
    }

    fn plugin_settings(&self) -> Result<AdmissionConfiguration, Failure> {
        let Some(path) = &self.admission_control_config_file else {
            return Ok(AdmissionConfiguration::default());
        };
        let read = |path: &Path| {
            let reported = |why: &dyn std::fmt::Display| format!("{}: {why}", path.display());
            let bytes = std::fs::read(path).map_err(|error| reported(&error))?;
            let read = ordain_registry::decode::yaml_value(&bytes).map_err(|why| reported(&why))?;
            Ok::<_, Failure>(read.0)
        };
        let folder = path.parent().unwrap_or(Path::new(""));
        let settings =
            AdmissionConfiguration::decode(&read(path)?, |named| read(&folder.join(named)));
        settings.map_err(|why| format!("{}: {why}", path.display()))
    }

    /// Takes snapshots from now on, if they are wanted.
    fn schedule(&self, store: Arc<dyn Store>, log: Log) {
        let Some(directory) = self.snapshot_dir.clone() else { return };
        let schedule = Schedule { directory, every: self.snapshot_every, keep: self.snapshot_keep };
        tokio::spawn(schedule.run(store, move |taken| {
            if let Err(why) = taken {
                log.error("no snapshot was taken", &[("error", &why)]);
            }
        }));
    }

    fn place(&self) -> Place {
        match self.store {
            StoreKind::Memory => Place::Memory,
            StoreKind::Embedded => Place::Embedded(self.data_dir.clone()),
            StoreKind::Etcd => Place::Etcd(self.etcd_servers.clone()),
        }
    }

    /// Says what is served, and what to type next.
    fn greet(&self, ready: &Ready) {
        let Ready { address, loaded, .. } = *ready;
        let kubeconfig = ready.kubeconfig.as_deref();
        let kept = self.place();
        let plain = format!("kubectl --server http://{address}");
        let kubectl = match kubeconfig {
            Some(path) => {
                say(&format!("ordain serves https://{address} ({kept})"));
                say(&format!("the administrator's kubeconfig is {}", path.display()));
                "kubectl"
            }
            None => {
                say(&format!(
                    "ordain serves http://{address} (plain HTTP, no credentials, {kept})"
                ));
                plain.as_str()
            }
        };
        if let Some(token) = &ready.token {
            let path = ordain_host::test_api::PATH;
            say(&format!("tests may call {}{path}; X-Ordain-Test-Token: {token}", ready.url));
        }
        if self.transport.has_ui() {
            let scheme = if kubeconfig.is_some() { "https" } else { "http" };
            say(&format!("the explorer is {scheme}://{address}/ui"));
        }
        if loaded > 0 {
            say(&format!("{loaded} objects were loaded"));
        }
        say("");
        say("Try:");
        if let Some(path) = kubeconfig {
            say(&format!("  export KUBECONFIG={}", path.display()));
        }
        if self.demo {
            say(&format!("  {kubectl} get widgets"));
            say(&format!("  {kubectl} get widget gizmo -o yaml"));
            let patch = r#"{"spec":{"replicas":200}}"#;
            say(&format!("  {kubectl} patch widget gizmo --type merge -p '{patch}'"));
            say(&format!("  {kubectl} get widgets --watch"));
        } else {
            say(&format!("  {kubectl} apply -f your-crd.yaml"));
            say(&format!("  {kubectl} get crds"));
        }
        say("");
        say("Ctrl-C stops it.");
    }
}

/// Keeps what is derived from stored objects up to date: roles, policies and webhooks, other
/// servers' APIs, definitions.
fn follow_stored(registry: &Arc<Registry>, rbac: &Arc<Rbac>, dynamic: &Arc<Dynamic>) {
    let (stored, rbac) = (Arc::clone(registry), Arc::clone(rbac));
    tokio::spawn(async move { rbac.follow(&stored).await });
    let (stored, dynamic) = (Arc::clone(registry), Arc::clone(dynamic));
    tokio::spawn(async move { dynamic.follow(&stored).await });
    let stored = Arc::clone(registry);
    tokio::spawn(async move { stored.follow_api_services().await });
    let stored = Arc::clone(registry);
    tokio::spawn(async move { stored.follow_definitions().await });
}

/// Answers requests until the signal comes or `work` is done; gives what `work` came to.
async fn answer_until<T>(
    app: Arc<App>,
    tls: Option<Arc<Tls>>,
    listener: TcpListener,
    signal: impl Future<Output = ()>,
    work: impl Future<Output = T>,
) -> Result<Option<T>, Failure> {
    let mut came = None;
    let stop = async {
        tokio::select! {
            it = work => came = Some(it),
            () = signal => {}
        }
    };
    let served = match tls {
        Some(tls) => ordain_server::serve_tls(app, tls, listener, stop).await,
        None => ordain_server::serve(app, listener, stop).await,
    };
    served.map_err(|error| format!("the server failed: {error}"))?;
    Ok(came)
}

/// The example API and one object of it.
const DEMO: &str = concat!(
    include_str!("../../demo/crd.yaml"),
    "\n---\n",
    include_str!("../../demo/widget.yaml"),
);
