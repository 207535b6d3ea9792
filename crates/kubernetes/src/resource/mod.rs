//! Kinds of the group `resource.k8s.io`.

pub mod admin_access;
mod allocation;
mod capacity;
pub(crate) mod device;
mod device_class;
pub(crate) mod name;
pub(crate) mod request;
mod resource_claim;
mod resource_claim_template;
mod resource_slice;
mod selector;

use crate::native::Native;

pub(crate) fn all() -> Vec<Native> {
    vec![
        device_class::native(),
        resource_claim::native(),
        resource_claim_template::native(),
        resource_slice::native(),
    ]
}
