//! TLS: keys and certificates in the data folder, the server's side of the handshake, and what
//! the certificates of clients mean.

mod kubeconfig;
mod pki;
mod verify;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, RwLock};
use std::time::SystemTime;

use ordain_go::x509::Certificate;
use ordain_registry::caller::User;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{RootCertStore, ServerConfig};

use pki::{Pair, Pki, Purpose};
pub(crate) use pki::{make_private_dir, write_private};
use verify::Lenient;

use crate::digest;

/// The user of the generated kubeconfig, and the group that may do everything.
const ADMIN: &str = "ordain-admin";
const ADMIN_GROUP: &str = "system:masters";
/// Where users carry the digest of the certificate that they came with.
const CREDENTIAL_ID: &str = "authentication.kubernetes.io/credential-id";

/// Why TLS could not be set up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsError(pub String);

impl std::fmt::Display for TlsError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TlsError {}

impl TlsError {
    fn file(path: &Path, error: &dyn std::fmt::Display) -> Self {
        Self(format!("{}: {error}", path.display()))
    }
}

impl From<rcgen::Error> for TlsError {
    fn from(error: rcgen::Error) -> Self {
        Self(format!("cannot make a certificate: {error}"))
    }
}

/// How TLS is set up.
#[derive(Debug, Clone, Default)]
pub struct TlsOptions {
    /// Where keys and certificates are kept.
    pub dir: PathBuf,
    /// Names and addresses of the server besides those of this machine.
    pub names: Vec<String>,
    /// A certificate of one's own with its key, in place of a generated one.
    pub certificate: Option<(PathBuf, PathBuf)>,
    /// Authorities of clients besides the generated one.
    pub client_authority: Option<PathBuf>,
}

/// The server's side of TLS.
pub struct Tls {
    options: TlsOptions,
    state: RwLock<State>,
}

struct State {
    config: Arc<ServerConfig>,
    verifier: Arc<Lenient>,
    /// What the server's certificate is signed by, in PEM.
    authority: String,
    /// What vouches for clients, in PEM.
    clients: String,
    admin: Pair,
}

/// Who a client is by its certificate.
#[derive(Debug, Clone)]
pub(crate) enum ClientCertificate {
    None,
    /// One that no authority here vouches for, or that is not valid now.
    Unknown,
    Known {
        user: Arc<User>,
        not_after: i64,
    },
}

impl Tls {
    /// Reads keys and certificates, and makes those that are missing or about to expire.
    pub fn open(options: TlsOptions) -> Result<Self, TlsError> {
        let state = State::open(&options)?;
        Ok(Self { options, state: RwLock::new(state) })
    }

    /// Reads everything again, renewing what is about to expire. New connections use it.
    pub fn renew(&self) -> Result<(), TlsError> {
        let state = State::open(&self.options)?;
        *self.state.write().unwrap_or_else(std::sync::PoisonError::into_inner) = state;
        Ok(())
    }

    fn state(&self) -> std::sync::RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    pub(crate) fn config(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.state().config)
    }

    /// What the server's certificate is signed by, in PEM.
    pub fn authority(&self) -> String {
        self.state().authority.clone()
    }

    /// What vouches for clients, in PEM.
    pub fn client_authority(&self) -> String {
        self.state().clients.clone()
    }

    /// A kubeconfig with which one may do everything, for a server at this address.
    pub fn kubeconfig(&self, server: &str) -> String {
        let state = self.state();
        kubeconfig::encode(server, &state.authority, &state.admin)
    }

    /// Writes the kubeconfig for its owner alone; an equal one stays as it is.
    pub fn write_kubeconfig(&self, path: &Path, server: &str) -> Result<(), TlsError> {
        if let Some(dir) = path.parent().filter(|dir| !dir.as_os_str().is_empty()) {
            std::fs::create_dir_all(dir).map_err(|error| TlsError::file(dir, &error))?;
        }
        let text = self.kubeconfig(server);
        if std::fs::read_to_string(path).is_ok_and(|old| old == text) {
            return Ok(());
        }
        write_private(path, text.as_bytes()).map_err(|error| TlsError::file(path, &error))
    }

    /// What a certificate chain of a client means.
    pub(crate) fn client(&self, chain: Option<&[CertificateDer<'_>]>) -> ClientCertificate {
        let Some(chain) = chain.filter(|chain| !chain.is_empty()) else {
            return ClientCertificate::None;
        };
        let verifier = Arc::clone(&self.state().verifier);
        if !verifier.judge(chain) {
            return ClientCertificate::Unknown;
        }
        match Certificate::read(&chain[0]) {
            Some(certificate) if !certificate.common_name.is_empty() => {
                let id = format!("X509SHA256={}", digest::sha256_hex(&chain[0]));
                let user = User {
                    name: certificate.common_name.as_str().into(),
                    groups: certificate.organizations.iter().map(|it| it.as_str().into()).collect(),
                    extra: BTreeMap::from([(CREDENTIAL_ID.into(), vec![id.into()])]),
                    ..User::default()
                };
                ClientCertificate::Known {
                    user: Arc::new(user.authenticated()),
                    not_after: certificate.validity.1,
                }
            }
            _ => ClientCertificate::Unknown,
        }
    }
}

impl State {
    fn open(options: &TlsOptions) -> Result<Self, TlsError> {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let pki = Pki::open(&options.dir, i64::try_from(now.as_secs()).unwrap_or(0))?;
        let client_authority = pki.authority("client-ca")?;
        let purpose = Purpose::Client { user: ADMIN, group: ADMIN_GROUP };
        let admin = pki.leaf("admin", ("client-ca", &client_authority), &purpose)?;
        let (authority, server) = match &options.certificate {
            Some((certificate, key)) => {
                let pair = Pair { certificate: read(certificate)?, key: read(key)? };
                // Clients trust the last of the chain: the authority, or the certificate itself.
                (last_certificate(&pair.certificate), pair)
            }
            None => {
                let authority = pki.authority("ca")?;
                let names = server_names(&options.names);
                let purpose = Purpose::Server(&names);
                let server = pki.leaf("server", ("ca", &authority), &purpose)?;
                (authority.certificate, server)
            }
        };
        let mut roots = RootCertStore::empty();
        let mut clients = client_authority.certificate;
        add_roots(&mut roots, &clients, "the client authority")?;
        if let Some(path) = &options.client_authority {
            let given = read(path)?;
            add_roots(&mut roots, &given, &path.display().to_string())?;
            clients.push_str(&given);
        }
        let verifier = Arc::new(Lenient::new(roots)?);
        let config = Arc::new(server_config(&server, Arc::clone(&verifier))?);
        Ok(Self { config, verifier, authority, clients, admin })
    }
}

fn read(path: &Path) -> Result<String, TlsError> {
    std::fs::read_to_string(path).map_err(|error| TlsError::file(path, &error))
}

fn last_certificate(chain: &str) -> String {
    const BEGIN: &str = "-----BEGIN CERTIFICATE-----";
    chain.rfind(BEGIN).map_or(chain, |at| &chain[at..]).to_owned()
}

fn add_roots(roots: &mut RootCertStore, pem: &str, place: &str) -> Result<(), TlsError> {
    let mut count = 0;
    for certificate in CertificateDer::pem_slice_iter(pem.as_bytes()) {
        let certificate = certificate.map_err(|error| TlsError(format!("{place}: {error}")))?;
        roots.add(certificate).map_err(|error| TlsError(format!("{place}: {error}")))?;
        count += 1;
    }
    if count == 0 {
        return Err(TlsError(format!("{place}: there is no certificate in it")));
    }
    Ok(())
}

fn server_config(server: &Pair, verifier: Arc<Lenient>) -> Result<ServerConfig, TlsError> {
    let failed =
        |error: &dyn std::fmt::Display| TlsError(format!("the server's certificate: {error}"));
    let chain: Vec<CertificateDer<'static>> =
        CertificateDer::pem_slice_iter(server.certificate.as_bytes())
            .collect::<Result<_, _>>()
            .map_err(|error| failed(&error))?;
    let key = PrivateKeyDer::from_pem_slice(server.key.as_bytes())
        .map_err(|error| TlsError(format!("the server's key: {error}")))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| failed(&error))?
        .with_client_cert_verifier(verifier)
        .with_single_cert(chain, key)
        .map_err(|error| failed(&error))?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

/// The names and addresses that this machine goes by, and those that were given.
fn server_names(given: &[String]) -> Vec<String> {
    let mut names = vec![
        "localhost".to_owned(),
        "127.0.0.1".to_owned(),
        "::1".to_owned(),
        "kubernetes".to_owned(),
        "kubernetes.default".to_owned(),
        "kubernetes.default.svc".to_owned(),
    ];
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let fits = |name: &str| {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.');
        !name.is_empty() && name.bytes().all(allowed)
    };
    names.extend(Some(host.trim().to_owned()).filter(|host| fits(host)));
    names.extend(given.iter().cloned());
    names.sort();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(dir: &Path) -> TlsOptions {
        TlsOptions { dir: dir.to_owned(), ..TlsOptions::default() }
    }

    #[test]
    fn a_second_start_keeps_everything_and_new_names_renew_the_server_alone() {
        let dir = tempfile::tempdir().unwrap();
        let first = Tls::open(options(dir.path())).unwrap().kubeconfig("https://a");
        let server = std::fs::read(dir.path().join("server.crt")).unwrap();
        let second = Tls::open(options(dir.path())).unwrap().kubeconfig("https://a");
        assert_eq!(first, second);
        assert_eq!(server, std::fs::read(dir.path().join("server.crt")).unwrap());
        let named = TlsOptions { names: vec!["api.example.com".into()], ..options(dir.path()) };
        let third = Tls::open(named).unwrap().kubeconfig("https://a");
        assert_eq!(first, third);
        assert_ne!(server, std::fs::read(dir.path().join("server.crt")).unwrap());
    }

    #[test]
    fn certificates_near_their_end_are_renewed_and_the_authority_stays() {
        let dir = tempfile::tempdir().unwrap();
        let now = 1_800_000_000;
        let leaf = |now: i64| {
            let pki = Pki::open(dir.path(), now).unwrap();
            let authority = pki.authority("ca").unwrap();
            let names = ["localhost".to_owned()];
            let pair = pki.leaf("server", ("ca", &authority), &Purpose::Server(&names)).unwrap();
            (authority.certificate, pair.certificate)
        };
        let first = leaf(now);
        assert_eq!(first, leaf(now + 300 * 86_400));
        let renewed = leaf(now + 340 * 86_400);
        assert_eq!(first.0, renewed.0);
        assert_ne!(first.1, renewed.1);
        let expired = leaf(now + 4000 * 86_400);
        assert_ne!(first.0, expired.0);
    }

    #[cfg(unix)]
    #[test]
    fn keys_are_for_their_owner_alone() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let inner = dir.path().join("pki");
        let tls = Tls::open(options(&inner)).unwrap();
        let kubeconfig = dir.path().join("kubeconfig");
        tls.write_kubeconfig(&kubeconfig, "https://127.0.0.1:6443").unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&inner), 0o700);
        for name in ["ca.key", "client-ca.key", "server.key", "admin.key"] {
            assert_eq!(mode(&inner.join(name)), 0o600, "{name}");
        }
        assert_eq!(mode(&kubeconfig), 0o600);
    }
}
