//! Keys and certificates in the data folder: made at the first start, kept, and renewed in time.
//!
//! Two authorities, because what proves a server must not prove a client: `ca` signs the server's
//! certificate, `client-ca` those of users. Keys are readable by their owner alone.

use std::path::{Path, PathBuf};
use std::time::Duration;

use ordain_go::x509::Certificate;
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa,
    Issuer, KeyPair, KeyUsagePurpose,
};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

use super::TlsError;

const DAY_SECONDS: i64 = 86_400;
const AUTHORITY_DAYS: i64 = 3650;
const LEAF_DAYS: i64 = 365;
/// A certificate with less than this left is made anew.
const RENEW_DAYS: i64 = 30;
/// Clocks of clients may be behind.
const BACKDATE_SECONDS: i64 = 300;

/// A certificate chain with its key, both in PEM.
#[derive(Clone)]
pub(crate) struct Pair {
    pub(crate) certificate: String,
    pub(crate) key: String,
}

/// Whom a certificate is for.
pub(crate) enum Purpose<'a> {
    /// A server, under these names and addresses.
    Server(&'a [String]),
    /// A user in a group.
    Client { user: &'a str, group: &'a str },
}

/// The folder with keys and certificates.
pub(crate) struct Pki {
    dir: PathBuf,
    /// Seconds since 1970.
    now: i64,
}

impl Pki {
    /// Opens the folder, or makes it for its owner alone.
    pub(crate) fn open(dir: &Path, now: i64) -> Result<Self, TlsError> {
        make_private_dir(dir).map_err(|error| TlsError::file(dir, &error))?;
        Ok(Self { dir: dir.to_owned(), now })
    }

    /// The authority of a name; a new one at the first start, or when the old one has expired.
    pub(crate) fn authority(&self, name: &str) -> Result<Pair, TlsError> {
        if let Some(pair) = self.read(name)?
            && self.left(&pair).is_some_and(|days| days > 0)
        {
            return Ok(pair);
        }
        let key = KeyPair::generate()?;
        let mut params = authority_params(name);
        self.set_validity(&mut params, AUTHORITY_DAYS);
        let certificate = params.self_signed(&key)?;
        self.write(name, Pair { certificate: certificate.pem(), key: key.serialize_pem() })
    }

    /// The certificate of a name, signed by an authority: as it is while it fits, else a new one.
    pub(crate) fn leaf(
        &self,
        name: &str,
        authority: (&str, &Pair),
        purpose: &Purpose<'_>,
    ) -> Result<Pair, TlsError> {
        if let Some(pair) = self.read(name)?
            && self.left(&pair).is_some_and(|days| days > RENEW_DAYS)
            && fits(&pair, purpose)
            && is_signed_by(&pair, authority.1)
        {
            return Ok(pair);
        }
        let (authority_name, authority) = authority;
        let authority_key = KeyPair::from_pem(&authority.key)?;
        let issuer = Issuer::new(authority_params(authority_name), authority_key);
        let key = KeyPair::generate()?;
        let mut params = leaf_params(purpose)?;
        self.set_validity(&mut params, LEAF_DAYS);
        let certificate = params.signed_by(&key, &issuer)?;
        self.write(name, Pair { certificate: certificate.pem(), key: key.serialize_pem() })
    }

    fn path(&self, name: &str, extension: &str) -> PathBuf {
        self.dir.join(format!("{name}.{extension}"))
    }

    fn read(&self, name: &str) -> Result<Option<Pair>, TlsError> {
        let read = |extension: &str| {
            let path = self.path(name, extension);
            match std::fs::read_to_string(&path) {
                Ok(text) => Ok(Some(text)),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
                Err(error) => Err(TlsError::file(&path, &error)),
            }
        };
        let (certificate, key) = (read("crt")?, read("key")?);
        Ok(certificate.zip(key).map(|(certificate, key)| Pair { certificate, key }))
    }

    fn write(&self, name: &str, pair: Pair) -> Result<Pair, TlsError> {
        let write = |extension: &str, text: &str| {
            let path = self.path(name, extension);
            write_private(&path, text.as_bytes()).map_err(|error| TlsError::file(&path, &error))
        };
        // The key goes first: a certificate without its key would stop the next start.
        write("key", &pair.key)?;
        write("crt", &pair.certificate)?;
        Ok(pair)
    }

    /// Days until the certificate expires.
    fn left(&self, pair: &Pair) -> Option<i64> {
        let certificate = decode(pair)?;
        Some((certificate.validity.1 - self.now).div_euclid(DAY_SECONDS))
    }

    fn set_validity(&self, params: &mut CertificateParams, days: i64) {
        let epoch = rcgen::date_time_ymd(1970, 1, 1);
        let seconds = |at: i64| Duration::from_secs(u64::try_from(at).unwrap_or(0));
        params.not_before = epoch + seconds(self.now - BACKDATE_SECONDS);
        params.not_after = epoch + seconds(self.now + days * DAY_SECONDS);
    }
}

fn decode(pair: &Pair) -> Option<Certificate> {
    let der = CertificateDer::from_pem_slice(pair.certificate.as_bytes()).ok()?;
    Certificate::read(&der)
}

fn fits(pair: &Pair, purpose: &Purpose<'_>) -> bool {
    let Some(certificate) = decode(pair) else { return false };
    match purpose {
        Purpose::Server(names) => {
            let addresses = certificate.addresses.iter().map(ToString::to_string);
            let mut stated: Vec<String> =
                certificate.dns_names.into_iter().chain(addresses).collect();
            let mut wanted = names.to_vec();
            stated.sort();
            wanted.sort();
            stated == wanted
        }
        Purpose::Client { user, group } => {
            certificate.common_name == *user && certificate.organizations == [*group]
        }
    }
}

fn is_signed_by(leaf: &Pair, authority: &Pair) -> bool {
    match (decode(leaf), decode(authority)) {
        (Some(leaf), Some(authority)) => {
            !authority.key.is_empty() && leaf.authority_key == authority.key
        }
        _ => false,
    }
}

fn distinguished_name(common_name: &str, organization: Option<&str>) -> DistinguishedName {
    let mut name = DistinguishedName::new();
    if let Some(organization) = organization {
        name.push(DnType::OrganizationName, organization);
    }
    name.push(DnType::CommonName, common_name);
    name
}

fn authority_params(name: &str) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name = distinguished_name(&format!("ordain-{name}"), None);
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
    params
}

fn leaf_params(purpose: &Purpose<'_>) -> Result<CertificateParams, TlsError> {
    let mut params = match purpose {
        Purpose::Server(names) => {
            let mut params = CertificateParams::new(names.to_vec())?;
            params.distinguished_name = distinguished_name("ordain", None);
            params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
            params
        }
        Purpose::Client { user, group } => {
            let mut params = CertificateParams::default();
            params.distinguished_name = distinguished_name(user, Some(group));
            params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
            params
        }
    };
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.use_authority_key_identifier_extension = true;
    Ok(params)
}

/// Makes a folder that only its owner may enter.
pub(crate) fn make_private_dir(dir: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir)
}

/// Replaces a file by one that only its owner may read. Readers see the old file or the new one.
pub(crate) fn write_private(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    use std::io::Write;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(name);
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&temporary)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    std::fs::rename(&temporary, path)
}
