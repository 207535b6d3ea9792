//! Kinds of the group `certificates.k8s.io`.

mod certificate_signing_request;
mod condition;
mod der;
mod pem;
mod request;
mod signer;

use crate::native::Native;
pub(crate) use request::{common_names, organizations};

pub(crate) fn all() -> Vec<Native> {
    vec![certificate_signing_request::native()]
}
