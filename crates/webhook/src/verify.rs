//! Whether the certificate of a webhook is to be believed: as Go decides it, for whom a certificate
//! that the bundle itself names needs no authority behind it.

use std::sync::Arc;

use ordain_go::x509::Certificate;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{
    CertificateError, DigitallySignedStruct, Error, OtherError, RootCertStore, SignatureScheme,
};

use crate::x509_metrics::Whose;

/// Believes what an authority vouches for, and what the bundle names.
#[derive(Debug)]
pub(crate) struct Verifier {
    by_authority: Arc<WebPkiServerVerifier>,
    named: Vec<CertificateDer<'static>>,
    whose: Whose,
}

/// Why a certificate is refused, in the words of Go.
#[derive(Debug)]
pub(crate) struct Refused(pub(crate) String);

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refused {}

impl Verifier {
    pub(crate) fn new(
        roots: RootCertStore,
        named: Vec<CertificateDer<'static>>,
        whose: Whose,
    ) -> Result<Self, String> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let by_authority = WebPkiServerVerifier::builder_with_provider(roots.into(), provider)
            .build()
            .map_err(|error| error.to_string())?;
        whose.show();
        Ok(Self { by_authority, named, whose })
    }

    /// A refusal in the words of Go. What will never do again is counted.
    fn refuse(&self, certificate: &[u8], name: &ServerName<'_>, error: Error) -> Error {
        let Some(read) = Certificate::read(certificate) else { return error };
        let host = name.to_str();
        match error {
            Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            ) => {
                if read.relies_on_common_name(&host) {
                    self.whose.missing_san(&host);
                }
                let why = Refused(read.names_refusal(&host));
                CertificateError::Other(OtherError(Arc::new(why))).into()
            }
            other => {
                if read.is_sha1 {
                    self.whose.sha1(&host);
                }
                other
            }
        }
    }
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let verified =
            self.by_authority.verify_server_cert(certificate, intermediates, name, ocsp, now);
        match verified {
            Ok(verified) => Ok(verified),
            // Whatever else is said of it: an authority that is its own, or one of another key that
            // merely has the same name. Its names and its time count all the same.
            Err(_) if self.named.iter().any(|it| it == certificate) => {
                let parsed = ParsedCertificate::try_from(certificate)?;
                let named = verify_server_name(&parsed, name);
                named.map_err(|error| self.refuse(certificate, name, error))?;
                check_time(certificate, now)?;
                Ok(ServerCertVerified::assertion())
            }
            Err(error) => Err(self.refuse(certificate, name, error)),
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.by_authority.verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.by_authority.verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.by_authority.supported_verify_schemes()
    }
}

fn check_time(certificate: &[u8], now: UnixTime) -> Result<(), Error> {
    let malformed = Error::InvalidCertificate(CertificateError::BadEncoding);
    let (from, to) = Certificate::read(certificate).ok_or(malformed)?.validity;
    let now = i64::try_from(now.as_secs()).unwrap_or(i64::MAX);
    let refuse = |why| Err(Error::InvalidCertificate(why));
    match now {
        now if now < from => refuse(CertificateError::NotValidYet),
        now if now > to => refuse(CertificateError::Expired),
        _ => Ok(()),
    }
}
