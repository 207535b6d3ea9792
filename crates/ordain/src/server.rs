//! A server for kinds of your own: kinds, hooks, gates, a store and an address.

use std::fmt;
use std::io::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ordain_host::store::{Opened, Place};
use ordain_host::system::{
    Controllers, Own, SystemClock, dynamic_admission, registry, stop_signal,
};
use ordain_host::transport::{Transport, reachable};
use ordain_rbac::Rbac;
use ordain_registry::{DefaultAdmission, Registry, RestConfig, RuntimeConfig, ServiceRanges};
use ordain_schema::declared::Api;
use ordain_server::{App, Tls};
pub use ordain_server::{Limits, Log, LogFormat};
use ordain_storage::Store;
pub use ordain_webhook::Services;
use tokio::task::JoinHandle;

use crate::served::{self, Served, served_methods};

/// How long a start waits for an etcd that does not answer yet.
const ETCD_WAIT: Duration = Duration::from_secs(60);

/// A running server. It stops when this is dropped or [`Server::stop`]ped.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    url: String,
    kubeconfig: Option<PathBuf>,
    store: Opened,
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

impl From<String> for ServeError {
    fn from(why: String) -> Self {
        ServeError(why)
    }
}

impl Server {
    /// A server of nothing yet, over HTTPS on `127.0.0.1:6443`, with its objects, its keys and the
    /// administrator's kubeconfig in `ordain-data`.
    #[must_use]
    pub fn builder() -> Builder {
        Builder {
            served: Served::default(),
            transport: Transport::default(),
            data_dir: PathBuf::from("ordain-data"),
            store: None,
            services: Services::default(),
        }
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where clients on this machine find it.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The administrator's kubeconfig; none for plain HTTP, which needs none.
    #[must_use]
    pub fn kubeconfig(&self) -> Option<&Path> {
        self.kubeconfig.as_deref()
    }

    /// Stops it, and waits until open requests are answered and the store is free again.
    ///
    /// # Errors
    /// When the server had failed.
    pub async fn stop(self) -> Result<(), ServeError> {
        let _ = self.stop.send(());
        let ended = self.running.await.map_err(|error| error.to_string());
        let ended = ended.and_then(|it| it.map_err(|error| error.to_string()));
        self.store.close().await;
        ended.map_err(|why| ServeError(format!("the server failed: {why}")))
    }

    /// Waits until the server has ended by itself, which it does only when it fails.
    async fn ended(&mut self) -> ServeError {
        match (&mut self.running).await {
            Ok(Ok(())) => ServeError("the server ended".to_owned()),
            Ok(Err(error)) => ServeError(format!("the server failed: {error}")),
            Err(error) => ServeError(format!("the server failed: {error}")),
        }
    }
}

/// What is to be served, and where.
#[derive(Clone, Debug)]
pub struct Builder {
    served: Served,
    transport: Transport,
    data_dir: PathBuf,
    /// The embedded store of the data folder if none is given.
    store: Option<Place>,
    services: Services,
}

impl Builder {
    served_methods!();

    /// Where webhooks that are services of the cluster are found.
    #[must_use]
    pub fn webhook_services(mut self, services: Services) -> Self {
        self.services = services;
        self
    }

    /// Serves HTTPS here.
    #[must_use]
    pub fn address(mut self, address: impl Into<SocketAddr>) -> Self {
        self.transport.listen = address.into();
        self.transport.insecure = false;
        self
    }

    /// Serves plain HTTP without credentials here, on a loopback address, for tests and local play.
    #[must_use]
    pub fn insecure_http(mut self, address: impl Into<SocketAddr>) -> Self {
        self.transport.listen = address.into();
        self.transport.insecure = true;
        self
    }

    /// Further names and addresses of the server, for the certificate that it makes for itself.
    #[must_use]
    pub fn tls_names(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.transport.names.extend(names.into_iter().map(Into::into));
        self
    }

    /// A certificate of your own, in PEM with the chain to its authority, and its key.
    #[must_use]
    pub fn certificate(mut self, certificate: impl Into<PathBuf>, key: impl Into<PathBuf>) -> Self {
        self.transport.certificate = Some((certificate.into(), key.into()));
        self
    }

    /// Authorities, in PEM, whose client certificates are accepted besides the server's own: the
    /// common name is the user, organizations are the groups.
    #[must_use]
    pub fn client_authority(mut self, file: impl Into<PathBuf>) -> Self {
        self.transport.client_authority = Some(file.into());
        self
    }

    /// Bearer tokens: a file with lines `token,user,uid,"group,group"`. What users may do is said
    /// by roles and bindings, which are objects ([`Builder::manifests`]).
    #[must_use]
    pub fn tokens(mut self, file: impl Into<PathBuf>) -> Self {
        self.transport.token_file = Some(file.into());
        self
    }

    /// Where the administrator's kubeconfig is written; else it is `kubeconfig` in the data folder.
    #[must_use]
    pub fn kubeconfig(mut self, file: impl Into<PathBuf>) -> Self {
        self.transport.kubeconfig = Some(file.into());
        self
    }

    /// Writes who did what to a file, one JSON line for each request.
    #[must_use]
    pub fn audit_log(mut self, file: impl Into<PathBuf>) -> Self {
        self.transport.audit_log = Some(file.into());
        self
    }

    /// What of requests the audit log has, and how much: a file with an `audit.k8s.io/v1` Policy.
    #[must_use]
    pub fn audit_policy(mut self, file: impl Into<PathBuf>) -> Self {
        self.transport.audit_policy = Some(file.into());
        self
    }

    /// The form of log lines on standard error, and how many there are.
    #[must_use]
    pub fn log(mut self, log: Log) -> Self {
        self.transport.log = log;
        self
    }

    /// How much a client may use up.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.transport.limits = limits;
        self
    }

    /// Keeps objects, keys and the kubeconfig in this folder; every acknowledged write is on the
    /// disk.
    #[must_use]
    pub fn data_dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.data_dir = dir.into();
        self
    }

    /// Keeps objects in memory, for tests.
    #[must_use]
    pub fn in_memory(mut self) -> Self {
        self.store = Some(Place::Memory);
        self
    }

    /// Keeps objects in an etcd at these addresses, which several servers may share.
    #[cfg(feature = "etcd")]
    #[must_use]
    pub fn etcd(mut self, endpoints: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.store = Some(Place::Etcd(endpoints.into_iter().map(Into::into).collect()));
        self
    }

    /// Keeps objects in a store of your choice.
    #[must_use]
    pub fn store(mut self, store: Arc<dyn Store>) -> Self {
        self.store = Some(Place::Other(store));
        self
    }

    /// The declared kinds, for those who look at schemas.
    ///
    /// # Errors
    /// What is wrong with the declarations.
    pub fn api(&self) -> Result<Api, ServeError> {
        self.served.api().map_err(ServeError)
    }

    fn place(&self) -> Place {
        self.store.clone().unwrap_or_else(|| Place::Embedded(self.data_dir.clone()))
    }

    /// Serves until the process is asked to stop (SIGINT, SIGTERM), and does not return before.
    /// Says on standard error where, and where the kubeconfig is.
    ///
    /// # Errors
    /// When a declaration cannot be served, the store not be opened, the address not be had.
    pub fn serve(self) -> Result<(), ServeError> {
        let runtime = ordain_server::runtime()
            .map_err(|error| ServeError(format!("cannot start: {error}")))?;
        let ended = runtime.block_on(async {
            let stop = stop_signal()?;
            let kept = self.place();
            let mut server = self.start().await?;
            let mut reported = format!("serves {} ({kept})\n", server.url);
            if let Some(path) = &server.kubeconfig {
                reported += &format!("the administrator's kubeconfig is {}\n", path.display());
            }
            let _ = std::io::stderr().lock().write_all(reported.as_bytes());
            tokio::select! {
                () = stop => server.stop().await,
                why = server.ended() => Err(why),
            }
        });
        // Nothing is waited for: every acknowledged write is on the disk already.
        runtime.shutdown_background();
        ended
    }

    /// Starts serving and returns, with the server listening.
    ///
    /// # Errors
    /// When a declaration cannot be served, the store not be opened, the address not be had.
    pub async fn start(self) -> Result<Server, ServeError> {
        let (gates, configs) = self.served.build()?;
        let listener = self.transport.bind().await?;
        let address =
            listener.local_addr().map_err(|error| format!("the address is unknown: {error}"))?;
        // Keys are made while the store is read.
        let (keys, data_dir) = (self.transport.clone(), self.data_dir.clone());
        let tls = tokio::task::spawn_blocking(move || keys.open_tls(&data_dir, address));
        let rbac = Arc::new(Rbac::default());
        let controllers = self.served.controllers;
        let dynamic = dynamic_admission(Some(&rbac));
        let own = Own {
            gates,
            plugins: DefaultAdmission::default(),
            ranges: ServiceRanges::default(),
            runtime_config: RuntimeConfig::default(),
            controllers: Controllers::quiet(controllers),
            clock: Arc::new(SystemClock),
            services: self.services.clone(),
            faults: None,
        };
        let own_controllers = own.controllers;
        let place = self.place();
        let log = self.transport.log;
        place.wait(ETCD_WAIT, |why| log.error("waiting", &[("for", &why)])).await?;
        let (registry, store) = registry(&place, own, &rbac, &dynamic).await?;
        let prepared = self.prepare(&registry, &rbac, configs, tls, address).await;
        let (app, tls, kubeconfig) = match prepared {
            Ok(prepared) => prepared,
            Err(error) => {
                // Tasks of the registry may hold the store for a moment; the folder is free at once.
                store.close().await;
                return Err(error);
            }
        };
        let scheme = if tls.is_some() { "https" } else { "http" };
        let url = format!("{scheme}://{}", reachable(address));
        let authority = tls.as_ref().map(ordain_server::Tls::authority).unwrap_or_default();
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let running = tokio::spawn(async move {
            let shutdown = async {
                let _ = stopped.await;
            };
            let app = Arc::new(app);
            let serving = async {
                match tls {
                    Some(tls) => {
                        ordain_server::serve_tls(app, Arc::new(tls), listener, shutdown).await
                    }
                    None => ordain_server::serve(app, listener, shutdown).await,
                }
            };
            // All of it ends with the server, so that the store is free again.
            tokio::select! {
                result = serving => result,
                () = rbac.follow(&registry) => Ok(()),
                () = dynamic.follow(&registry) => Ok(()),
                () = registry.follow_definitions() => Ok(()),
                () = registry.follow_api_services() => Ok(()),
                () = own_controllers.run(Arc::clone(&registry), authority), if controllers => {
                    Ok(())
                }
            }
        });
        Ok(Server { address, url, kubeconfig, store, stop, running })
    }

    /// Everything between an open store and the first request.
    async fn prepare(
        &self,
        registry: &Arc<Registry>,
        rbac: &Arc<Rbac>,
        configs: Vec<RestConfig>,
        tls: JoinHandle<Result<Option<Tls>, String>>,
        address: SocketAddr,
    ) -> Result<(App, Option<Tls>, Option<PathBuf>), ServeError> {
        for field in self.served.review_fields(registry).await? {
            let _ = writeln!(std::io::stderr().lock(), "warning: {field}");
        }
        registry.serve_declared(configs);
        let tls = tls.await.map_err(|error| format!("cannot set up TLS: {error}"))??;
        let app = self.transport.app(registry, rbac, tls.as_ref(), &self.data_dir).await?;
        self.transport.publish(registry, address).await?;
        served::load(registry, &self.served.paths, &self.served.texts).await?;
        let kubeconfig = match &tls {
            Some(tls) => Some(self.transport.write_kubeconfig(tls, &self.data_dir, address)?),
            None => None,
        };
        Ok((app, tls, kubeconfig))
    }
}
