//! What a request addresses.

use std::sync::Arc;

use ordain_meta::status::Status;
use ordain_meta::{GroupResource, GroupVersion, GroupVersionKind};
use ordain_value::Text;

use crate::rest_config::{RestConfig, VersionConfig};

/// A resource in a version, and perhaps one object of it.
#[derive(Debug, Clone)]
pub struct Target {
    /// The resource.
    pub resource: Arc<RestConfig>,
    /// The version that is asked for.
    pub version: Text,
    /// Empty for cluster-scoped resources and for all namespaces.
    pub namespace: Text,
    /// Empty for collections.
    pub name: Text,
}

impl Target {
    /// Group and plural.
    pub fn group_resource(&self) -> GroupResource {
        self.resource.group_resource()
    }

    /// Group and version.
    pub fn group_version(&self) -> GroupVersion {
        self.resource.group_version(&self.version)
    }

    /// Group, version and kind.
    pub fn gvk(&self) -> GroupVersionKind {
        self.resource.gvk(&self.version)
    }

    /// The configuration of the requested version.
    pub fn version_config(&self) -> Option<&VersionConfig> {
        self.resource.version(&self.version)
    }

    /// The key of the object in the store.
    pub fn key(&self) -> String {
        self.resource.key(&self.namespace, &self.name)
    }

    /// The answer when the object is not there.
    pub fn not_found(&self) -> Status {
        Status::not_found(&self.group_resource(), &self.name)
    }
}
