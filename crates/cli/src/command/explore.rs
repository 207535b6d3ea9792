//! `ordain explore`: the explorer for files or for a cluster.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use clap::Args;
use ordain_host::store::Place;
use ordain_host::system::{
    Controllers, Own, SystemClock, dynamic_admission, registry, stop_signal,
};
use ordain_rbac::Rbac;
use ordain_registry::{DefaultAdmission, Registry, RuntimeConfig, ServiceRanges};
use ordain_server::{App, Ui};
use ordain_webhook::Services;
use tokio::net::TcpListener;

use super::gates::GateArgs;
use super::kinds::Tags;
use super::{Failure, manifest, note, say, types};
use crate::cluster::Cluster;

const EXAMPLES: &str = "\
Examples:
  # Definitions and objects in files
  ordain explore config/crd/ samples/widget.yaml

  # Go types, with objects to try
  ordain explore ./api/v1 samples/

  # The cluster of the current context, with its own credentials
  ordain explore --kubeconfig ~/.kube/config";

/// Explore an API in the browser: its schemas, objects and rules.
///
/// Files (definitions, Go types, manifests) are served by a server in memory, which forgets
/// everything at exit. Without files the explorer shows the cluster of a kubeconfig and acts with
/// its credentials. Either way it listens on this machine alone.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Explore {
    /// Manifests, CRDs or directories of them, and directories of Go types
    #[arg(value_name = "PATH", conflicts_with_all = ["kubeconfig", "context"])]
    paths: Vec<PathBuf>,
    /// The kubeconfig of a cluster
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
    /// The context of the kubeconfig
    #[arg(long, value_name = "NAME")]
    context: Option<String>,
    /// The loopback address to listen on
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// Do not open a browser
    #[arg(long)]
    no_open: bool,
    #[command(flatten)]
    gates: GateArgs,
    #[command(flatten)]
    tags: Tags,
}

impl Explore {
    pub(crate) fn run(self) -> Result<(), Failure> {
        if !self.listen.ip().is_loopback() {
            return Err(format!(
                "--listen {} is not an address of this machine alone",
                self.listen
            ));
        }
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .map_err(|error| format!("cannot start: {error}"))?;
        let result = runtime.block_on(self.explore());
        runtime.shutdown_background();
        result
    }

    async fn explore(self) -> Result<(), Failure> {
        let listener = TcpListener::bind(self.listen)
            .await
            .map_err(|error| format!("cannot listen on {}: {error}", self.listen))?;
        let address =
            listener.local_addr().map_err(|error| format!("the address is unknown: {error}"))?;
        let stop = stop_signal()?;
        let served = if self.paths.is_empty() {
            let cluster = Cluster::follow(self.kubeconfig.as_deref(), self.context.as_deref())?;
            self.greet(address);
            ordain_server::serve_proxy(Arc::new(cluster), listener, stop).await
        } else {
            let app = self.files().await?;
            self.greet(address);
            ordain_server::serve(Arc::new(app), listener, stop).await
        };
        served.map_err(|error| format!("the server failed: {error}"))
    }

    /// A server in memory with what the files hold.
    async fn files(&self) -> Result<App, Failure> {
        let folders = self.paths.iter().filter(|it| holds_types(it));
        let dirs: Vec<String> = folders.map(|it| it.display().to_string()).collect();
        let args = types::TypeArgs {
            dirs,
            tags: self.tags,
            gates: self.gates.clone(),
            ..types::TypeArgs::default()
        };
        let declared = args.load()?;
        let rbac = Arc::new(Rbac::default());
        let dynamic = dynamic_admission(Some(&rbac));
        let own = Own {
            gates: Arc::new(args.gates(&declared.api)?),
            plugins: DefaultAdmission::default(),
            ranges: ServiceRanges::default(),
            runtime_config: RuntimeConfig::default(),
            controllers: Controllers::quiet(true),
            clock: Arc::new(SystemClock),
            services: Services::default(),
            faults: None,
        };
        let (registry, _) = registry(&Place::Memory, own, &rbac, &dynamic).await?;
        types::serve(&registry, &declared).await?;
        let roles = Arc::clone(&registry);
        tokio::spawn(async move { rbac.follow(&roles).await });
        let following = Arc::clone(&registry);
        tokio::spawn(async move { dynamic.follow(&following).await });
        let followed = Arc::clone(&registry);
        tokio::spawn(async move { followed.follow_definitions().await });
        self.load(&registry).await?;
        if !args.dirs.is_empty() {
            tokio::spawn(types::follow(Arc::clone(&registry), args, declared));
        }
        let controllers = Controllers::quiet(true);
        tokio::spawn(controllers.run(Arc::clone(&registry), String::new()));
        let mut app = App::new(registry);
        app.ui = Ui::Files(self.paths.iter().map(|it| it.display().to_string()).collect());
        Ok(app)
    }

    async fn load(&self, registry: &Registry) -> Result<(), Failure> {
        let loaded = manifest::load_accepted(registry, manifest::read_all(&self.paths)?).await;
        for why in &loaded.refused {
            note(&format!("left out: {why}"));
        }
        say(&format!("{} objects were loaded", loaded.created));
        Ok(())
    }

    fn greet(&self, address: SocketAddr) {
        let url = format!("http://{address}/ui");
        say(&format!("the explorer is {url}"));
        say("Ctrl-C stops it.");
        if !self.no_open {
            open(&url);
        }
    }
}

/// Whether a folder has Go types in it.
fn holds_types(path: &Path) -> bool {
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    entries.map(|it| it.path()).any(|it| it.extension().is_some_and(|it| it == "go"))
}

/// Opens the browser, if there is one; who has none knows the address.
fn open(url: &str) {
    let program = match std::env::consts::OS {
        "macos" => "open",
        "windows" => "explorer",
        _ => "xdg-open",
    };
    let mut command = Command::new(program);
    command.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if command.spawn().is_err() {
        note("no browser could be opened");
    }
}
