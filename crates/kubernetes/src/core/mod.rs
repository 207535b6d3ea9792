//! Kinds of the group `core`.

mod endpoints;
mod limit_range;
mod node;
pub(crate) mod persistent_volume;
pub(crate) mod persistent_volume_claim;
pub(crate) mod pod;
mod pod_template;
mod replication_controller;
mod resource_quota;
pub(crate) mod service;
mod volume;

use crate::native::Native;

pub(crate) fn all() -> Vec<Native> {
    vec![
        endpoints::native(),
        limit_range::native(),
        node::native(),
        persistent_volume::native(),
        persistent_volume_claim::native(),
        pod::native(),
        pod_template::native(),
        replication_controller::native(),
        resource_quota::native(),
        service::native(),
    ]
}
