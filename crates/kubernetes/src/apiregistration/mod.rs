//! Kinds of the group `apiregistration.k8s.io`.

pub(crate) mod api_service;

use crate::native::Native;

pub(crate) fn all() -> Vec<Native> {
    vec![api_service::native()]
}
