//! Kinds of the group `certificates.k8s.io`.

mod certificate_signing_request;

use crate::native::Native;

pub(crate) fn all() -> Vec<Native> {
    vec![certificate_signing_request::native()]
}
