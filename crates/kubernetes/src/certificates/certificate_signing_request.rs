//! CertificateSigningRequest.

use crate::native::Native;

pub(crate) fn native() -> Native {
    Native::new("certificates.k8s.io", "CertificateSigningRequest")
}
