//! Whom a webhook is trusted by: the bundle of its configuration, else the system's authorities.

use std::sync::Arc;

use ordain_go::x509::Certificate;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{WebPkiSupportedAlgorithms, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
};

use crate::verify::{Refused, Verifier};
use crate::x509_metrics::Whose;

/// Where systems keep the authorities that they trust.
const SYSTEM_BUNDLES: [&str; 3] =
    ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"];

/// The TLS configuration for webhooks that these certificates vouch for.
pub(crate) fn trust(bundle: &[u8], whose: Whose) -> Result<Arc<ClientConfig>, String> {
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
    let verifier = Verifier::new(roots, named, whose)?;
    let mut config = builder
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

/// The TLS configuration for servers whose certificate nobody looks at.
pub(crate) fn trust_anybody() -> Result<Arc<ClientConfig>, String> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let algorithms = provider.signature_verification_algorithms;
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    let verifier = Arc::new(Anybody(algorithms));
    let builder = builder.dangerous().with_custom_certificate_verifier(verifier);
    Ok(Arc::new(builder.with_no_client_auth()))
}

/// Takes every certificate; whoever holds its key still has to show that they do.
#[derive(Debug)]
struct Anybody(WebPkiSupportedAlgorithms);

impl ServerCertVerifier for Anybody {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if let Some(certificate) = Certificate::read(certificate) {
            Whose::Extension.note(&certificate, &name.to_str());
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signature, &self.0)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signature, &self.0)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_schemes()
    }
}

/// A failed handshake in the words of Go's TLS.
pub(crate) fn words(error: &std::io::Error) -> String {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>());
    let why = match inner {
        Some(Error::InvalidCertificate(certificate)) => match certificate {
            CertificateError::UnknownIssuer | CertificateError::BadSignature => {
                "x509: certificate signed by unknown authority".to_owned()
            }
            CertificateError::Expired
            | CertificateError::ExpiredContext { .. }
            | CertificateError::NotValidYet
            | CertificateError::NotValidYetContext { .. } => {
                "x509: certificate has expired or is not yet valid".to_owned()
            }
            CertificateError::Other(other) => match other.0.downcast_ref::<Refused>() {
                Some(refused) => refused.0.clone(),
                None => format!("x509: {other}"),
            },
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
