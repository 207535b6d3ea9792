//! The options of `ordain serve` that say how it is reached, by whom, and within which limits.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use ordain_server::{Limits, Log, LogFormat, Rotation, TokenOptions, Ui};

use crate::command::Failure;

/// How the server is reached, and by whom.
#[derive(Debug, Clone, Args)]
pub(crate) struct TransportArgs {
    /// Serve HTTPS on this address. Only an address given here is reachable from outside.
    #[arg(
        long,
        value_name = "ADDRESS:PORT",
        default_value = "127.0.0.1:6443",
        help_heading = "Access"
    )]
    listen: SocketAddr,
    /// Serve plain HTTP without authentication instead, on a loopback address, for local
    /// experiments.
    #[arg(
        long,
        value_name = "ADDRESS:PORT",
        num_args = 0..=1,
        default_missing_value = "127.0.0.1:8080",
        conflicts_with = "listen",
        help_heading = "Access"
    )]
    insecure_http: Option<SocketAddr>,
    /// Where to write the administrator's kubeconfig [default: `kubeconfig` in the data directory].
    #[arg(long, value_name = "FILE", help_heading = "Access")]
    kubeconfig: Option<PathBuf>,
    /// Additional names and addresses of the server for its certificate.
    #[arg(long, value_name = "NAME", value_delimiter = ',', help_heading = "Access")]
    tls_san: Vec<String>,
    /// Serving certificate in PEM, followed by its intermediate certificates [default: one that the
    /// server issues itself].
    #[arg(long, value_name = "FILE", requires = "tls_private_key_file", help_heading = "Access")]
    tls_cert_file: Option<PathBuf>,
    /// Private key of that certificate, in PEM.
    #[arg(long, value_name = "FILE", requires = "tls_cert_file", help_heading = "Access")]
    tls_private_key_file: Option<PathBuf>,
    /// CA certificates in PEM; their client certificates are accepted besides those of the server's
    /// own CA.
    #[arg(long, value_name = "FILE", help_heading = "Access")]
    client_ca_file: Option<PathBuf>,
    /// Static bearer tokens: a file with lines `token,user,uid,"group,group"`.
    #[arg(long, value_name = "FILE", help_heading = "Access")]
    token_auth_file: Option<PathBuf>,
    /// Accept bootstrap tokens: secrets of type `bootstrap.kubernetes.io/token` in kube-system.
    #[arg(
        long,
        value_name = "BOOL",
        num_args = 0..=1,
        require_equals = true,
        default_value_t = false,
        default_missing_value = "true",
        action = clap::ArgAction::Set,
        help_heading = "Access"
    )]
    enable_bootstrap_token_auth: bool,
    /// The address at which members of a cluster reach the server, published in the endpoints of
    /// `default/kubernetes` [default: this machine's address in its network].
    #[arg(long, value_name = "ADDRESS", help_heading = "Access")]
    advertise_address: Option<IpAddr>,
    /// Private key that signs service account tokens, in PEM: RSA, P-256 or P-384 [default: one
    /// that the server generates].
    #[arg(long, value_name = "FILE", help_heading = "Service accounts")]
    service_account_signing_key_file: Option<PathBuf>,
    /// Keys or certificates that verify service account tokens (may be repeated) [default: the
    /// signing key].
    #[arg(long, value_name = "FILE", help_heading = "Service accounts")]
    service_account_key_file: Vec<PathBuf>,
    /// Issuer of service account tokens; tokens of additional issuers are accepted (may be
    /// repeated).
    #[arg(
        long,
        value_name = "URL",
        default_value = ordain_server::DEFAULT_ISSUER,
        help_heading = "Service accounts"
    )]
    service_account_issuer: Vec<String>,
    /// Audiences of service account tokens, comma-separated [default: the issuers].
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = "Service accounts")]
    api_audiences: Vec<String>,
    /// URL at which others find the keys that verify service account tokens [default: this server].
    #[arg(long, value_name = "URL", help_heading = "Service accounts")]
    service_account_jwks_uri: Option<String>,
    /// Maximum lifetime of a service account token.
    #[arg(
        long,
        value_name = "DURATION",
        value_parser = Limits::parse_timeout,
        help_heading = "Service accounts"
    )]
    service_account_max_token_expiration: Option<Duration>,
    /// Do not serve the explorer at /ui.
    #[arg(long, help_heading = "Access")]
    no_ui: bool,
    /// Write the audit log to this file, one JSON line for each request; `-` is standard output.
    #[arg(long, value_name = "FILE", visible_alias = "audit-log-path", help_heading = "Logs")]
    audit_log: Option<PathBuf>,
    /// Which requests are audited, and at which level: an audit.k8s.io/v1 Policy. Without one every
    /// request is, at level Metadata.
    #[arg(long, value_name = "FILE", help_heading = "Logs")]
    audit_policy_file: Option<PathBuf>,
    /// Size in MiB at which the audit log is rotated.
    #[arg(long, value_name = "SIZE", default_value_t = 100, help_heading = "Logs")]
    audit_log_maxsize: u64,
    /// Days after which a rotated audit log is removed; 0 is never.
    #[arg(long, value_name = "DAYS", default_value_t = 366, help_heading = "Logs")]
    audit_log_maxage: u64,
    /// Number of rotated audit logs to keep; 0 keeps all.
    #[arg(long, value_name = "COUNT", default_value_t = 100, help_heading = "Logs")]
    audit_log_maxbackup: usize,
    /// Format of log lines on standard error.
    #[arg(long, value_enum, default_value_t = Form::Text, help_heading = "Logs")]
    log_format: Form,
    /// Log each request; given twice, connection events as well.
    #[arg(short, long, action = clap::ArgAction::Count, help_heading = "Logs")]
    verbose: u8,
    /// Maximum number of concurrent read requests, watches excluded; 0 is unlimited.
    #[arg(long, value_name = "COUNT", default_value_t = 400, help_heading = "Limits")]
    max_requests_inflight: usize,
    /// Maximum number of concurrent write requests; 0 is unlimited.
    #[arg(long, value_name = "COUNT", default_value_t = 200, help_heading = "Limits")]
    max_mutating_requests_inflight: usize,
    /// Maximum number of concurrent connections.
    #[arg(long, value_name = "COUNT", default_value_t = 20_000, help_heading = "Limits")]
    max_connections: usize,
    /// How long a request may take, watches excluded.
    #[arg(
        long,
        value_name = "DURATION",
        default_value = "1m",
        value_parser = Limits::parse_timeout,
        help_heading = "Limits"
    )]
    request_timeout: Duration,
    /// How long open requests may go on after the signal to stop.
    #[arg(
        long,
        value_name = "DURATION",
        default_value = "25s",
        value_parser = Limits::parse_timeout,
        help_heading = "Limits"
    )]
    shutdown_timeout: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    Text,
    Json,
}

impl TransportArgs {
    /// Whether there is an explorer.
    pub(crate) fn has_ui(&self) -> bool {
        !self.no_ui
    }

    /// What was asked for, unless it would let strangers in.
    pub(crate) fn transport(&self) -> Result<ordain_host::transport::Transport, Failure> {
        if let Some(address) = self.insecure_http.filter(|it| !it.ip().is_loopback()) {
            return Err(format!(
                "--insecure-http {address} would let everybody on the network do everything; give \
                 a loopback address, or use --listen {address} for HTTPS"
            ));
        }
        let format = match self.log_format {
            Form::Text => LogFormat::Text,
            Form::Json => LogFormat::Json,
        };
        Ok(ordain_host::transport::Transport {
            listen: self.insecure_http.unwrap_or(self.listen),
            insecure: self.insecure_http.is_some(),
            kubeconfig: self.kubeconfig.clone(),
            names: self.tls_san.clone(),
            certificate: self.tls_cert_file.clone().zip(self.tls_private_key_file.clone()),
            client_authority: self.client_ca_file.clone(),
            token_file: self.token_auth_file.clone(),
            bootstrap_tokens: self.enable_bootstrap_token_auth,
            advertise: self.advertise_address,
            service_account_tokens: self.tokens(),
            audit_log: self.audit_log.clone(),
            audit_policy: self.audit_policy_file.clone(),
            audit_rotation: Rotation {
                size_max: self.audit_log_maxsize,
                age_max: self.audit_log_maxage,
                backups_max: self.audit_log_maxbackup,
            },
            log: Log { format, verbosity: self.verbose },
            ui: if self.no_ui { Ui::Off } else { Ui::Server },
            limits: Limits {
                request_timeout: self.request_timeout,
                shutdown_timeout: self.shutdown_timeout,
                connections_max: self.max_connections.max(1),
                reading_max: self.max_requests_inflight,
                writing_max: self.max_mutating_requests_inflight,
                ..Limits::default()
            },
        })
    }

    fn tokens(&self) -> TokenOptions {
        let longest = self.service_account_max_token_expiration;
        TokenOptions {
            dir: None,
            signing_key: self.service_account_signing_key_file.clone(),
            keys: self.service_account_key_file.clone(),
            issuers: self.service_account_issuer.clone(),
            audiences: self.api_audiences.clone(),
            jwks_uri: self.service_account_jwks_uri.clone(),
            max_expiration_seconds: longest.and_then(|it| i64::try_from(it.as_secs()).ok()),
        }
    }
}
