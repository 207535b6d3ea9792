//! Kinds of the group `core`.

mod component_status;
pub(crate) mod config_map;
mod endpoints;
pub(crate) mod event;
pub(crate) mod limit_range;
mod namespace;
pub(crate) mod node;
pub(crate) mod persistent_volume;
pub(crate) mod persistent_volume_claim;
pub(crate) mod pod;
mod pod_template;
mod replication_controller;
mod resource_quota;
pub(crate) mod secret;
pub(crate) mod service;
mod service_account;
pub(crate) mod volume;

use ordain_strategy::Verbs;

use crate::native::Native;

pub(crate) fn all() -> Vec<Native> {
    vec![
        // Bindings are asked for; what they ask is done to a pod.
        Native { verbs: Verbs::CREATE_ONLY, reset: &[], ..Native::new("", "Binding") },
        component_status::native(),
        config_map::native(),
        endpoints::native(),
        event::core(),
        limit_range::native(),
        namespace::native(),
        node::native(),
        persistent_volume::native(),
        persistent_volume_claim::native(),
        pod::native(),
        pod_template::native(),
        replication_controller::native(),
        resource_quota::native(),
        secret::native(),
        service::native(),
        service_account::native(),
    ]
}
