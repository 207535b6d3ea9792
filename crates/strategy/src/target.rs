//! What a request addresses.

use std::sync::Arc;

use ordain_meta::status::Status;
use ordain_meta::{GroupResource, GroupVersion, GroupVersionKind};
use ordain_value::{Text, Value};

use crate::object;
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
    /// An object in the version that it is stored in; without a name, all objects of a namespace or
    /// of the resource.
    pub fn stored(
        resource: &Arc<RestConfig>,
        namespace: impl Into<Text>,
        name: impl Into<Text>,
    ) -> Self {
        Target {
            version: resource.storage_version.clone(),
            resource: Arc::clone(resource),
            namespace: namespace.into(),
            name: name.into(),
        }
    }

    /// Where an object is, in the version that it is stored in.
    pub fn of(resource: &Arc<RestConfig>, object: &Value) -> Self {
        Self::stored(resource, object::namespace(object), object::name(object))
    }

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
