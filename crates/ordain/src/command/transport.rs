//! How `ordain serve` is reached, by whom, and within which limits.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};
use ordain_registry::Registry;
use ordain_registry::rbac::Rbac;
use ordain_server::{
    Access, App, AuditLog, Guard, Health, Limits, Log, LogFormat, Tls, TlsOptions, Tokens,
};
use tokio::net::TcpListener;

use crate::command::Failure;

/// How the server is reached, and by whom.
#[derive(Debug, Clone, Args)]
pub(crate) struct Transport {
    /// Serve HTTPS on this address. Only an address given here is reachable from outside.
    #[arg(
        long,
        value_name = "ADDRESS:PORT",
        default_value = "127.0.0.1:6443",
        help_heading = "Access"
    )]
    listen: SocketAddr,
    /// Serve plain HTTP without credentials instead, on a loopback address, for local play.
    #[arg(
        long,
        value_name = "ADDRESS:PORT",
        num_args = 0..=1,
        default_missing_value = "127.0.0.1:8080",
        conflicts_with = "listen",
        help_heading = "Access"
    )]
    insecure_http: Option<SocketAddr>,
    /// Where the administrator's kubeconfig is written [default: kubeconfig in the data folder].
    #[arg(long, value_name = "FILE", help_heading = "Access")]
    kubeconfig: Option<PathBuf>,
    /// Further names and addresses of the server, for its certificate.
    #[arg(long, value_name = "NAME", value_delimiter = ',', help_heading = "Access")]
    tls_san: Vec<String>,
    /// A certificate of your own, in PEM, with the chain to its authority.
    #[arg(long, value_name = "FILE", requires = "tls_private_key_file", help_heading = "Access")]
    tls_cert_file: Option<PathBuf>,
    /// The key of that certificate.
    #[arg(long, value_name = "FILE", requires = "tls_cert_file", help_heading = "Access")]
    tls_private_key_file: Option<PathBuf>,
    /// Authorities whose client certificates are accepted besides the server's own.
    #[arg(long, value_name = "FILE", help_heading = "Access")]
    client_ca_file: Option<PathBuf>,
    /// Bearer tokens: a file with lines `token,user,uid,"group,group"`.
    #[arg(long, value_name = "FILE", help_heading = "Access")]
    token_auth_file: Option<PathBuf>,
    /// Write who did what to this file, one JSON line for each request; `-` is standard output.
    #[arg(long, value_name = "FILE", help_heading = "Logs")]
    audit_log: Option<PathBuf>,
    /// The form of log lines on standard error.
    #[arg(long, value_enum, default_value_t = Form::Text, help_heading = "Logs")]
    log_format: Form,
    /// Log each request; twice: also what happens to connections.
    #[arg(short, long, action = clap::ArgAction::Count, help_heading = "Logs")]
    verbose: u8,
    /// Reading requests at a time, watches not counted; 0 is no limit.
    #[arg(long, value_name = "COUNT", default_value_t = 400, help_heading = "Limits")]
    max_requests_inflight: usize,
    /// Writing requests at a time; 0 is no limit.
    #[arg(long, value_name = "COUNT", default_value_t = 200, help_heading = "Limits")]
    max_mutating_requests_inflight: usize,
    /// Connections at a time.
    #[arg(long, value_name = "COUNT", default_value_t = 20_000, help_heading = "Limits")]
    max_connections: usize,
    /// How long a request may take, watches not counted.
    #[arg(
        long,
        value_name = "DURATION",
        default_value = "1m",
        value_parser = Limits::parse_timeout,
        help_heading = "Limits"
    )]
    request_timeout: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    Text,
    Json,
}

impl Transport {
    /// Refuses what would let strangers in.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        match self.insecure_http {
            Some(address) if !address.ip().is_loopback() => Err(format!(
                "--insecure-http {address} would let everybody on the network do everything; give \
                 a loopback address, or use --listen {address} for HTTPS"
            )),
            _ => Ok(()),
        }
    }

    pub(crate) async fn bind(&self) -> Result<TcpListener, Failure> {
        let address = self.insecure_http.unwrap_or(self.listen);
        TcpListener::bind(address)
            .await
            .map_err(|error| format!("cannot listen on {address}: {error}"))
    }

    /// Keys and certificates in the data folder; none for plain HTTP.
    pub(crate) fn open_tls(
        &self,
        data_dir: &Path,
        address: SocketAddr,
    ) -> Result<Option<Tls>, Failure> {
        if self.insecure_http.is_some() {
            return Ok(None);
        }
        let mut names = self.tls_san.clone();
        if !address.ip().is_unspecified() {
            names.push(address.ip().to_string());
        }
        let options = TlsOptions {
            dir: data_dir.join("pki"),
            names,
            certificate: self.tls_cert_file.clone().zip(self.tls_private_key_file.clone()),
            client_authority: self.client_ca_file.clone(),
        };
        Tls::open(options).map(Some).map_err(|error| format!("cannot set up TLS: {error}"))
    }

    /// Writes the kubeconfig and returns where.
    pub(crate) fn write_kubeconfig(
        &self,
        tls: &Tls,
        data_dir: &Path,
        address: SocketAddr,
    ) -> Result<PathBuf, Failure> {
        let path = self.kubeconfig.clone().unwrap_or_else(|| data_dir.join("kubeconfig"));
        let ip = if address.ip().is_unspecified() {
            IpAddr::V4(Ipv4Addr::LOCALHOST)
        } else {
            address.ip()
        };
        let server = format!("https://{}", SocketAddr::new(ip, address.port()));
        tls.write_kubeconfig(&path, &server)
            .map_err(|error| format!("cannot write the kubeconfig: {error}"))?;
        Ok(std::path::absolute(&path).unwrap_or(path))
    }

    /// The server, guarded by roles if there are any to guard it.
    pub(crate) async fn app(
        &self,
        registry: &Arc<Registry>,
        rbac: Option<&Arc<Rbac>>,
    ) -> Result<App, Failure> {
        let mut app = App::new(Arc::clone(registry));
        app.limits = Limits {
            request_timeout: self.request_timeout,
            connections_max: self.max_connections.max(1),
            reading_max: self.max_requests_inflight,
            writing_max: self.max_mutating_requests_inflight,
            ..Limits::default()
        };
        let format = match self.log_format {
            Form::Text => LogFormat::Text,
            Form::Json => LogFormat::Json,
        };
        app.log = Log { format, verbosity: self.verbose };
        if let Some(path) = &self.audit_log {
            let log = AuditLog::open(path);
            app.audit = Some(log.map_err(|error| format!("{}: {error}", path.display()))?);
        }
        if let Some(rbac) = rbac {
            app.access = Access::Guarded(self.guard(registry, rbac).await?);
            app.health = Health { started: vec!["poststarthook/rbac/bootstrap-roles"] };
        }
        Ok(app)
    }

    async fn guard(&self, registry: &Arc<Registry>, rbac: &Arc<Rbac>) -> Result<Guard, Failure> {
        let tokens = match &self.token_auth_file {
            Some(path) => Tokens::read(path)?,
            None => Tokens::default(),
        };
        rbac.bootstrap(registry).await.map_err(|status| status.message)?;
        let (follower, registry) = (Arc::clone(rbac), Arc::clone(registry));
        tokio::spawn(async move { follower.follow(&registry).await });
        Ok(Guard { tokens, rbac: Arc::clone(rbac) })
    }
}
