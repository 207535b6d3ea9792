//! How a server is reached, by whom, and within which limits.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ordain_rbac::Rbac;
use ordain_registry::Registry;
use ordain_server::{
    Access, App, AuditLog, AuditPolicy, Guard, Health, Limits, Log, Rotation, ServiceAccounts, Tls,
    TlsOptions, TokenOptions, Tokens, Ui,
};
use tokio::net::TcpListener;

/// How a server is reached, and by whom: HTTPS with keys of its own, a kubeconfig for the
/// administrator and roles for everybody else, unless it says otherwise.
#[derive(Debug, Clone)]
pub struct Transport {
    /// Only an address given here is reachable from outside.
    pub listen: SocketAddr,
    /// Plain HTTP without credentials, on a loopback address, for local play and tests.
    pub insecure: bool,
    /// Where the administrator's kubeconfig is written; `kubeconfig` in the data folder if not
    /// given.
    pub kubeconfig: Option<PathBuf>,
    /// Further names and addresses of the server, for its certificate.
    pub names: Vec<String>,
    /// A certificate of your own with its key, in PEM.
    pub certificate: Option<(PathBuf, PathBuf)>,
    /// Authorities whose client certificates are accepted besides the server's own.
    pub client_authority: Option<PathBuf>,
    /// Bearer tokens: a file with lines `token,user,uid,"group,group"`.
    pub token_file: Option<PathBuf>,
    /// Whether secrets of kube-system hold tokens of machines that are about to join.
    pub bootstrap_tokens: bool,
    /// The address under which members of a cluster find the server; that of this machine in its
    /// network if not given.
    pub advertise: Option<IpAddr>,
    /// How tokens of service accounts are signed and recognized.
    pub service_account_tokens: TokenOptions,
    /// Who did what, one JSON line for each request; `-` is standard output.
    pub audit_log: Option<PathBuf>,
    /// What of requests is written down; all of them without bodies if not given.
    pub audit_policy: Option<PathBuf>,
    /// When the audit log is put aside.
    pub audit_rotation: Rotation,
    /// The form and the number of log lines.
    pub log: Log,
    /// How much a client may use up.
    pub limits: Limits,
    /// What the explorer at `/ui` shows.
    pub ui: Ui,
}

impl Default for Transport {
    fn default() -> Self {
        Transport {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 6443)),
            insecure: false,
            kubeconfig: None,
            names: Vec::new(),
            certificate: None,
            client_authority: None,
            token_file: None,
            bootstrap_tokens: false,
            advertise: None,
            service_account_tokens: TokenOptions::default(),
            audit_log: None,
            audit_policy: None,
            audit_rotation: Rotation::default(),
            log: Log::default(),
            limits: Limits::default(),
            ui: Ui::Server,
        }
    }
}

impl Transport {
    /// Listens, unless that would let strangers in.
    ///
    /// # Errors
    /// When the address cannot be had, or everybody could reach it without credentials.
    pub async fn bind(&self) -> Result<TcpListener, String> {
        let address = self.listen;
        if self.insecure && !address.ip().is_loopback() {
            return Err(format!(
                "plain HTTP on {address} would let everybody on the network do everything; listen \
                 on a loopback address, or serve HTTPS"
            ));
        }
        TcpListener::bind(address)
            .await
            .map_err(|error| format!("cannot listen on {address}: {error}"))
    }

    /// Keys and certificates in the data folder; none for plain HTTP.
    ///
    /// # Errors
    /// When they cannot be read or made.
    pub fn open_tls(&self, data_dir: &Path, address: SocketAddr) -> Result<Option<Tls>, String> {
        if self.insecure {
            return Ok(None);
        }
        let mut names = self.names.clone();
        if !address.ip().is_unspecified() {
            names.push(address.ip().to_string());
        }
        let options = TlsOptions {
            dir: pki_dir(data_dir),
            names,
            certificate: self.certificate.clone(),
            client_authority: self.client_authority.clone(),
        };
        Tls::open(options).map(Some).map_err(|error| format!("cannot set up TLS: {error}"))
    }

    /// Writes the administrator's kubeconfig and returns its path.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write_kubeconfig(
        &self,
        tls: &Tls,
        data_dir: &Path,
        address: SocketAddr,
    ) -> Result<PathBuf, String> {
        let path = self.kubeconfig.clone().unwrap_or_else(|| data_dir.join("kubeconfig"));
        let server = format!("https://{}", reachable(address));
        tls.write_kubeconfig(&path, &server)
            .map_err(|error| format!("cannot write the kubeconfig: {error}"))?;
        Ok(std::path::absolute(&path).unwrap_or(path))
    }

    /// The server, guarded by roles if it has TLS; then the caller has to [`Rbac::follow`] them.
    ///
    /// # Errors
    /// When a file that was named cannot be used, or roles cannot be set up.
    pub async fn app(
        &self,
        registry: &Arc<Registry>,
        rbac: &Arc<Rbac>,
        tls: Option<&Tls>,
        data_dir: &Path,
    ) -> Result<App, String> {
        let mut app = App::new(Arc::clone(registry));
        let mut tokens = self.service_account_tokens.clone();
        if !self.insecure {
            tokens.dir.get_or_insert_with(|| pki_dir(data_dir));
        }
        let accounts = ServiceAccounts::open(Arc::clone(registry), tokens)?;
        app.service_accounts = Some(Arc::new(accounts));
        app.limits = self.limits.clone();
        app.log = self.log;
        app.ui = self.ui.clone();
        // A policy that cannot be used is reported whether or not there is a log.
        let policy = self.audit_policy.as_deref().map(AuditPolicy::load).transpose()?;
        if let Some(path) = &self.audit_log {
            let log = AuditLog::open(path, self.audit_rotation);
            let mut log = log.map_err(|error| format!("{}: {error}", path.display()))?;
            log.policy = policy.unwrap_or_default();
            app.audit = Some(log);
        }
        rbac.bootstrap(registry).await.map_err(|status| status.message)?;
        let authority = tls.map(Tls::client_authority).unwrap_or_default();
        let system = registry.create_system_objects(&authority).await;
        system.map_err(|status| status.message)?;
        if tls.is_some() {
            app.access = Access::Guarded(self.guard(rbac)?);
            app.health = Health { started: vec!["poststarthook/rbac/bootstrap-roles"] };
        }
        Ok(app)
    }

    /// Writes down where members of a cluster find the server, if it has an address for them.
    ///
    /// # Errors
    /// When it cannot be written down.
    pub async fn publish(&self, registry: &Registry, address: SocketAddr) -> Result<(), String> {
        let is_own = |ip: &IpAddr| !ip.is_loopback() && !ip.is_unspecified();
        let own = Some(address.ip()).filter(is_own);
        let Some(ip) = self.advertise.or(own).or_else(|| network_address().filter(is_own)) else {
            return Ok(());
        };
        let published = registry.publish_endpoints(ip, address.port()).await;
        published.map_err(|status| format!("the endpoints of the server: {}", status.message))
    }

    fn guard(&self, rbac: &Arc<Rbac>) -> Result<Guard, String> {
        let tokens = match &self.token_file {
            Some(path) => Tokens::read(path)?,
            None => Tokens::default(),
        };
        let bootstrap_tokens = self.bootstrap_tokens;
        Ok(Guard { tokens, rbac: Arc::clone(rbac), bootstrap_tokens })
    }
}

/// Where keys and certificates are kept.
fn pki_dir(data_dir: &Path) -> PathBuf {
    data_dir.join("pki")
}

/// The address of this machine in the network behind its default route. Nothing is sent: the
/// address that is connected to is one for examples.
fn network_address() -> Option<IpAddr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).ok()?;
    socket.local_addr().ok().map(|address| address.ip())
}

/// An address that a client on this machine can use.
pub fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        it if it.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        it => it,
    };
    SocketAddr::new(ip, address.port())
}
