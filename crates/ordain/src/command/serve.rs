//! `ordain serve`.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};
use ordain::backup::Schedule;
use ordain::store::Place;
use ordain::system::{Controllers, Own, dynamic_admission, registry, stop_signal};
use ordain_registry::rbac::Rbac;
use ordain_registry::{DefaultAdmission, RuntimeConfig, SERVICE_ACCOUNT, ServiceRanges};
use ordain_server::Log;
use ordain_storage::Store;
use ordain_webhook::Services;

use crate::command::transport::TransportArgs;
use crate::command::{Failure, manifest, say, types};

/// Serve APIs over HTTPS, with a kubeconfig to use them.
#[derive(Debug, Args)]
pub(crate) struct Serve {
    #[command(flatten)]
    transport: TransportArgs,
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
    /// Which controllers run, separated by commas: `garbage` (garbage collection and emptying of
    /// namespaces), `serviceaccount`, `rootca`, `resourcequota`, `all` or `none`; a minus leaves
    /// one out. Without `serviceaccount` the admission plugin ServiceAccount is off unless it is
    /// enabled by name.
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        default_value = "all",
        allow_hyphen_values = true
    )]
    controllers: Vec<String>,
    /// Load the manifests of this file or folder at start (may be repeated).
    #[arg(short = 'f', long = "filename", value_name = "PATH")]
    filename: Vec<PathBuf>,
    /// Take snapshots of the running server into this folder.
    #[arg(long, value_name = "DIR", help_heading = "Snapshots")]
    snapshot_dir: Option<PathBuf>,
    /// How often.
    #[arg(
        long,
        value_name = "DURATION",
        default_value = "1h",
        value_parser = ordain_server::Limits::parse_timeout,
        help_heading = "Snapshots"
    )]
    snapshot_every: Duration,
    /// How many are kept.
    #[arg(long, value_name = "COUNT", default_value_t = 24, help_heading = "Snapshots")]
    snapshot_keep: usize,
    /// End when the store fails, so that whoever started the server starts it anew. After a failed
    /// sync of the disk only a new start writes again.
    #[arg(long)]
    exit_on_store_failure: bool,
    /// Where a webhook that is a service of the cluster is found (may be repeated).
    #[arg(long, value_name = "NAMESPACE/NAME=HOST:PORT")]
    webhook_service: Vec<String>,
    /// Admission plugins to leave out, separated by commas.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    disable_admission_plugins: Vec<String>,
    /// Admission plugins to run besides the default ones, separated by commas.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    enable_admission_plugins: Vec<String>,
    /// The addresses that services get; one range of each family at most, separated by a comma.
    #[arg(long, value_name = "CIDR", default_value = "10.0.0.0/24")]
    service_cluster_ip_range: String,
    /// The ports that services get on nodes.
    #[arg(long, value_name = "FROM-TO", default_value = "30000-32767")]
    service_node_port_range: String,
    /// Groups and versions to switch on or off: `batch/v1=false`, `v1=true`, `api/beta=false`,
    /// `apps/v1/daemonsets=false`; separated by commas.
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

impl Serve {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .map_err(|error| format!("cannot start: {error}"))?;
        let result = runtime.block_on(self.serve());
        // Nothing is waited for: every acknowledged write is on the disk already.
        runtime.shutdown_background();
        result
    }

    async fn serve(self) -> Result<(), Failure> {
        let transport = self.transport.transport()?;
        let stop = stop_signal()?;
        let listener = transport.bind().await?;
        let address =
            listener.local_addr().map_err(|error| format!("cannot tell the address: {error}"))?;
        // Keys are made while the store is read.
        let (keys, data_dir) = (transport.clone(), self.data_dir.clone());
        let tls = tokio::task::spawn_blocking(move || keys.open_tls(&data_dir, address));
        let rbac = Arc::new(Rbac::default());
        let declared = self.types.load()?;
        let gates = Arc::new(self.types.gates(&declared.api)?);
        let controllers = Controllers::read(&self.controllers)?;
        let services = Services::read(self.webhook_service.iter().map(String::as_str))?;
        let dynamic = dynamic_admission(Some(&rbac));
        let plugins = self.plugins(controllers)?;
        let ranges =
            ServiceRanges::read(&self.service_cluster_ip_range, &self.service_node_port_range)?;
        let runtime_config = RuntimeConfig::read(self.runtime_config.iter().map(String::as_str))
            .map_err(|why| format!("--runtime-config: {why}"))?;
        let own = Own { gates, plugins, ranges, runtime_config, controllers, services };
        let (registry, opened) = registry(&self.place(), own, &rbac, &dynamic).await?;
        types::serve(&registry, &declared).await?;
        self.types.note(&registry, &declared).await?;
        let tls = tls.await.map_err(|error| format!("cannot set up TLS: {error}"))??;
        let mut app = transport.app(&registry, &rbac, tls.as_ref(), &self.data_dir).await?;
        app.exit_on_store_failure = self.exit_on_store_failure;
        self.schedule(opened.store, app.log);
        let roles = Arc::clone(&registry);
        tokio::spawn(async move { rbac.follow(&roles).await });
        let following = Arc::clone(&registry);
        tokio::spawn(async move { dynamic.follow(&following).await });
        let others = Arc::clone(&registry);
        tokio::spawn(async move { others.follow_api_services().await });
        let followed = Arc::clone(&registry);
        tokio::spawn(async move { followed.follow_definitions().await });
        let mut loaded = manifest::load(&registry, &self.filename).await?;
        if self.demo {
            loaded += manifest::load_text(&registry, "the example API", DEMO).await?;
        }
        if !self.types.dirs.is_empty() {
            let follow = types::follow(Arc::clone(&registry), self.types.clone(), declared);
            tokio::spawn(follow);
        }
        let authority = tls.as_ref().map(ordain_server::Tls::authority).unwrap_or_default();
        tokio::spawn(controllers.run(Arc::clone(&registry), authority));
        let kubeconfig = match &tls {
            Some(tls) => Some(transport.write_kubeconfig(tls, &self.data_dir, address)?),
            None => None,
        };
        self.greet(address, kubeconfig.as_deref(), loaded);
        let app = Arc::new(app);
        let served = match tls {
            Some(tls) => ordain_server::serve_tls(app, Arc::new(tls), listener, stop).await,
            None => ordain_server::serve(app, listener, stop).await,
        };
        served.map_err(|error| format!("the server failed: {error}"))
    }

    /// The admission plugins that are on. Without the controller that makes accounts every pod
    /// would be refused, so that the plugin for them is off then unless it is named.
    fn plugins(&self, controllers: Controllers) -> Result<DefaultAdmission, String> {
        let enabled = &self.enable_admission_plugins;
        let mut disabled = self.disable_admission_plugins.clone();
        if !controllers.service_accounts && !enabled.iter().any(|it| it == SERVICE_ACCOUNT) {
            disabled.push(SERVICE_ACCOUNT.to_owned());
        }
        DefaultAdmission::choose(enabled, &disabled)
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
    fn greet(&self, address: SocketAddr, kubeconfig: Option<&Path>, loaded: usize) {
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

/// The example API and one object of it.
const DEMO: &str = concat!(
    include_str!("../../../../examples/widgets/crd.yaml"),
    "\n---\n",
    include_str!("../../../../examples/widgets/widget.yaml"),
);
