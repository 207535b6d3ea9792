//! The kinds that a kube-apiserver serves, declared.
//!
//! `api/` has the declarations: tagged Go types with defaults, rules, list types, patch keys and
//! names, compiled at build time ([`declarations`]). A module per group and a file per kind add
//! what no tag can say: rules in Rust, preparation, warnings, cells ([`native::Native`]).

pub mod admission;
pub mod bootstrap;
pub mod declarations;
pub mod group_versions;
mod native;
pub mod quota;
pub mod runtime_config;
mod shared;

mod admissionregistration;
mod apiregistration;
mod apps;
mod authentication;
mod authorization;
mod autoscaling;
mod batch;
mod certificates;
mod coordination;
mod core;
mod discovery;
mod events;
mod flowcontrol;
mod networking;
mod node;
mod policy;
mod rbac;
mod resource;
mod scheduling;
mod storage;

use std::sync::{Arc, LazyLock};

pub use admissionregistration::expressions;
use ordain_schema::Schema;
use ordain_strategy::RestConfig;
pub use shared::code::find as rule_in_code;

pub use resource::admin_access;

/// What Services are given from pools.
pub mod service {
    pub use crate::core::service::{AddressRange, addresses_of, ip_address, node_ports_of};
}

/// Every native resource, ready to be served; a declaration is opened at its first use.
pub fn all() -> Vec<RestConfig> {
    let groups = [
        admissionregistration::all(),
        apiregistration::all(),
        apps::all(),
        authentication::all(),
        authorization::all(),
        autoscaling::all(),
        batch::all(),
        certificates::all(),
        coordination::all(),
        core::all(),
        discovery::all(),
        events::all(),
        flowcontrol::all(),
        networking::all(),
        node::all(),
        policy::all(),
        rbac::all(),
        resource::all(),
        scheduling::all(),
        storage::all(),
    ];
    groups.into_iter().flatten().filter_map(native::Native::config).collect()
}

/// The kind of what is posted to a subresource of another object, and is none itself.
pub fn attached(subresource: &str) -> Option<Arc<RestConfig>> {
    static KINDS: LazyLock<Vec<(&str, Arc<RestConfig>)>> = LazyLock::new(|| {
        let kinds = [
            ("binding", "", "Binding"),
            ("eviction", "policy", "Eviction"),
            ("token", "authentication.k8s.io", "TokenRequest"),
        ];
        let configs = kinds.into_iter().filter_map(|(name, group, kind)| {
            let native = native::Native { reset: &[], ..native::Native::new(group, kind) };
            let config = RestConfig { namespaced: true, ..native.config()? };
            Some((name, Arc::new(config)))
        });
        configs.collect()
    });
    KINDS.iter().find(|it| it.0 == subresource).map(|it| Arc::clone(&it.1))
}

/// The declaration of CustomResourceDefinitions, by which they are written in protobuf; what
/// judges them is not declared.
pub fn definition_schema() -> Option<Arc<Schema>> {
    schema_of("apiextensions.k8s.io", "CustomResourceDefinition")
}

/// The declaration of a kind in its first version, for kinds that are only parts of others too.
pub fn schema_of(group: &str, kind: &str) -> Option<Arc<Schema>> {
    let kind = declarations::find(group, kind)?.open()?;
    kind.versions.into_iter().next().map(|version| version.schema)
}
