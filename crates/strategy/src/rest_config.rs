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
    /// Its name.
    pub name: Text,
    /// The OpenAPI type of its cells.
    pub ty: Text,
    /// The OpenAPI format of its cells; may be empty.
    pub format: Text,
    /// What it shows.
    pub description: Text,
    /// 0 for columns that are always shown.
    pub priority: i64,
    /// Where the cell comes from.
    pub json_path: Text,
}

/// The verbs that a resource may leave out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verbs {
    /// get and list.
    pub read: bool,
    /// watch.
    pub watch: bool,
    /// create.
    pub create: bool,
    /// update and patch.
    pub update: bool,
    /// delete and deletecollection.
    pub delete: bool,
}

impl Verbs {
    /// All of them.
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
    /// Its name.
    pub name: Text,
    /// Whether requests may use it.
    pub served: bool,
    /// The warning that every use of a deprecated version gets.
    pub deprecation_warning: Option<Text>,
    /// Whether it has the status subresource.
    pub status: bool,
    /// The paths of the scale subresource, if it has one.
    pub scale: Option<Scale>,
    /// The columns of the table form.
    pub columns: Vec<Column>,
    /// Paths without their leading dot, which clients may select by.
    pub selectable_fields: Vec<Text>,
    /// What its declaration says beside the schema; nothing for kinds that are not declared.
    pub outline: Arc<Outline>,
}

/// A served resource.
#[derive(Debug, Clone)]
pub struct RestConfig {
    /// The API group; empty for the core group.
    pub group: Text,
    /// The name in paths.
    pub plural: Text,
    /// The name of one object.
    pub singular: Text,
    /// The kind.
    pub kind: Text,
    /// The kind of lists.
    pub list_kind: Text,
    /// Short names for command lines.
    pub short_names: Vec<Text>,
    /// Groups of resources, such as `all`.
    pub categories: Vec<Text>,
    /// Whether objects live in namespaces.
    pub namespaced: bool,
    /// Where the kind comes from.
    pub family: Family,
    /// The verbs that are served.
    pub verbs: Verbs,
    /// The versions, the preferred one first.
    pub versions: Vec<VersionConfig>,
    /// The version in which objects are stored.
    pub storage_version: Text,
    /// What keys begin with, without a slash at the end: `/registry/configmaps`.
    pub key_prefix: String,
    /// Other subresources than status and scale, by name: `finalize` of namespaces.
    pub subresources: Vec<Text>,
    /// No new objects: the definition is being deleted.
    pub terminating: bool,
    /// Changes whenever decoded objects of an older configuration are worth nothing any more.
    pub generation: u64,
    /// What the kind does at the steps of the verbs.
    pub strategy: Arc<dyn Strategy>,
}

impl RestConfig {
    /// Group and plural.
    pub fn group_resource(&self) -> GroupResource {
        GroupResource { group: self.group.clone(), resource: self.plural.clone() }
    }

    /// Group and kind.
    pub fn group_kind(&self) -> GroupKind {
        GroupKind { group: self.group.clone(), kind: self.kind.clone() }
    }

    /// The group with one of its versions.
    pub fn group_version(&self, version: &str) -> GroupVersion {
        GroupVersion::new(self.group.clone(), version)
    }

    /// The kind in one of its versions.
    pub fn gvk(&self, version: &str) -> GroupVersionKind {
        GroupVersionKind::new(self.group.clone(), version, self.kind.clone())
    }

    /// A version by its name, served or not.
    pub fn version(&self, name: &str) -> Option<&VersionConfig> {
        self.versions.iter().find(|version| version.name == name)
    }

    /// Whether requests may use it.
    pub fn served(&self, name: &str) -> Option<&VersionConfig> {
        self.version(name).filter(|version| version.served)
    }

    /// Whether an object that was read from the store is shown in this version as it is. Custom
    /// resources stay in the version that they were stored in, which may be any.
    pub fn is_shown_as_read(&self, version: &str) -> bool {
        self.family == Family::BuiltIn && version == self.storage_version
    }

    /// The key of an object.
    pub fn key(&self, namespace: &str, name: &str) -> String {
        if self.namespaced {
            [self.key_prefix.as_str(), "/", namespace, "/", name].concat()
        } else {
            [self.key_prefix.as_str(), "/", name].concat()
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
