//! The declaration of a served resource: its names, scope, versions and behaviour.
//!
//! A [`RestConfig`] is all the server needs to serve a kind with every verb. Custom resources get
//! theirs from a CRD; built-in kinds declare theirs as data plus a strategy.

use std::sync::Arc;

use ordain_meta::{GroupKind, GroupResource, GroupVersion, GroupVersionKind};
use ordain_value::Text;

pub use ordain_schema::crd::Scale;

use crate::declared::Outline;

use crate::strategy::Strategy;

/// Where a kind comes from. A few answers differ between the two, as they do in Kubernetes,
/// where two servers stand behind one address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Part of the server.
    BuiltIn,
    /// Defined by a CustomResourceDefinition.
    Custom,
}

/// A column of the table form.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    pub name: Text,
    pub ty: Text,
    pub format: Text,
    pub description: Text,
    pub priority: i64,
    pub json_path: Text,
}

/// The verbs that a resource may leave out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verbs {
    pub read: bool,
    pub watch: bool,
    pub create: bool,
    pub update: bool,
    pub delete: bool,
}

impl Verbs {
    pub const ALL: Self =
        Self { read: true, watch: true, create: true, update: true, delete: true };
    /// Requests that are answered and not stored, such as reviews.
    pub const CREATE_ONLY: Self = Self { create: true, ..Self::NONE };
    /// What is worked out when it is asked for.
    pub const READ_ONLY: Self = Self { read: true, ..Self::NONE };
    const NONE: Self =
        Self { read: false, watch: false, create: false, update: false, delete: false };
}

/// One version of a resource.
#[derive(Debug, Clone)]
pub struct VersionConfig {
    pub name: Text,
    pub served: bool,
    /// The warning that every use of a deprecated version gets.
    pub deprecation_warning: Option<Text>,
    pub status: bool,
    pub scale: Option<Scale>,
    pub columns: Vec<Column>,
    /// Paths without their leading dot, which clients may select by.
    pub selectable_fields: Vec<Text>,
    /// What its declaration says beside the schema; nothing for kinds that are not declared.
    pub outline: Arc<Outline>,
}

/// A served resource.
#[derive(Debug, Clone)]
pub struct RestConfig {
    pub group: Text,
    pub plural: Text,
    pub singular: Text,
    pub kind: Text,
    pub list_kind: Text,
    pub short_names: Vec<Text>,
    pub categories: Vec<Text>,
    pub namespaced: bool,
    pub family: Family,
    pub verbs: Verbs,
    pub versions: Vec<VersionConfig>,
    pub storage_version: Text,
    /// What keys begin with, without a slash at the end: `/registry/configmaps`.
    pub key_prefix: String,
    /// Other subresources than status and scale, by name: `finalize` of namespaces.
    pub subresources: Vec<Text>,
    /// No new objects: the definition is being deleted.
    pub terminating: bool,
    /// Changes whenever decoded objects of an older configuration are worth nothing any more.
    pub generation: u64,
    pub strategy: Arc<dyn Strategy>,
}

impl RestConfig {
    pub fn group_resource(&self) -> GroupResource {
        GroupResource { group: self.group.clone(), resource: self.plural.clone() }
    }

    pub fn group_kind(&self) -> GroupKind {
        GroupKind { group: self.group.clone(), kind: self.kind.clone() }
    }

    pub fn group_version(&self, version: &str) -> GroupVersion {
        GroupVersion::new(self.group.clone(), version)
    }

    pub fn gvk(&self, version: &str) -> GroupVersionKind {
        GroupVersionKind::new(self.group.clone(), version, self.kind.clone())
    }

    pub fn version(&self, name: &str) -> Option<&VersionConfig> {
        self.versions.iter().find(|version| version.name == name)
    }

    pub fn served(&self, name: &str) -> Option<&VersionConfig> {
        self.version(name).filter(|version| version.served)
    }

    /// The key of an object.
    pub fn key(&self, namespace: &str, name: &str) -> String {
        if self.namespaced {
            format!("{}/{namespace}/{name}", self.key_prefix)
        } else {
            format!("{}/{name}", self.key_prefix)
        }
    }

    /// What the keys of all objects, or those of one namespace, begin with.
    pub fn collection_prefix(&self, namespace: &str) -> String {
        if self.namespaced && !namespace.is_empty() {
            format!("{}/{namespace}/", self.key_prefix)
        } else {
            format!("{}/", self.key_prefix)
        }
    }
}
