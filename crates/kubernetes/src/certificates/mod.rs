//! Kinds of the group `certificates.k8s.io`.

pub(crate) mod certificate_signing_request;
pub(crate) mod condition;
mod pem;
mod request;

use crate::native::Native;
pub(crate) use request::{common_names, organizations};

pub(crate) fn all() -> Vec<Native> {
    vec![certificate_signing_request::native()]
}
