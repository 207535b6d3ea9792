//! Whom a webhook is trusted by: the bundle of its configuration, else the system's authorities.

use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{CertificateError, ClientConfig, Error, RootCertStore};

use crate::verify::Verifier;

/// Where systems keep the authorities that they trust.
const SYSTEM_BUNDLES: [&str; 3] =
    ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"];

/// The TLS configuration for webhooks that these certificates vouch for.
pub(crate) fn trust(bundle: &[u8]) -> Result<Arc<ClientConfig>, String> {
    let system = || SYSTEM_BUNDLES.iter().find_map(|path| std::fs::read(path).ok());
    let pem = if bundle.is_empty() { system().unwrap_or_default() } else { bundle.to_vec() };
    let mut roots = RootCertStore::empty();
    let mut named = Vec::new();
    for certificate in CertificateDer::pem_slice_iter(&pem).flatten() {
        named.extend((!bundle.is_empty()).then(|| certificate.clone()));
        // What cannot be read vouches for nobody.
        let _ = roots.add(certificate);
    }
    if roots.is_empty() && !bundle.is_empty() {
        return Err(
            "unable to load root certificates: unable to parse bytes as PEM block".to_owned()
        );
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    let verifier = Verifier::new(roots, named)?;
    let mut config = builder
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

/// A failed handshake in the words of Go's TLS.
pub(crate) fn words(error: &std::io::Error, host: &str) -> String {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>());
    let is_address = host.parse::<std::net::IpAddr>().is_ok();
    let why = match inner {
        Some(Error::InvalidCertificate(certificate)) => match certificate {
            CertificateError::UnknownIssuer | CertificateError::BadSignature => {
                "x509: certificate signed by unknown authority".to_owned()
            }
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. }
                if is_address =>
            {
                format!(
                    "x509: cannot validate certificate for {host} because it doesn't contain any IP \
                 SANs"
                )
            }
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                format!("x509: certificate is not valid for {host}")
            }
            CertificateError::Expired
            | CertificateError::ExpiredContext { .. }
            | CertificateError::NotValidYet
            | CertificateError::NotValidYetContext { .. } => {
                "x509: certificate has expired or is not yet valid".to_owned()
            }
            other => format!("x509: {other}"),
        },
        Some(Error::InvalidMessage(_)) => {
            return "tls: first record does not look like a TLS handshake".to_owned();
        }
        Some(other) => return format!("tls: {other}"),
        None if error.kind() == std::io::ErrorKind::UnexpectedEof => return "EOF".to_owned(),
        None => return error.to_string(),
    };
    format!("tls: failed to verify certificate: {why}")
}
