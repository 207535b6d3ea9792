//! Kinds of the group `networking.k8s.io`.

mod ingress;
pub(crate) mod ingress_class;
mod ip_address;
pub(crate) mod network_policy;
mod service_cidr;

use crate::native::Native;

pub(crate) fn all() -> Vec<Native> {
    vec![
        ingress::native(),
        ingress_class::native(),
        ip_address::native(),
        network_policy::native(),
        service_cidr::native(),
    ]
}
