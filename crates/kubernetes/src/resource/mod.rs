//! Kinds of the group `resource.k8s.io`.

pub mod admin_access;
mod allocation;
mod capacity;
mod device;
mod device_class;
mod name;
mod request;
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
