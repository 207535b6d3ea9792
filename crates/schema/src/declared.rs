//! A declared API: kinds with their versions, ready to be served.
//!
//! Front ends (tagged Go types, Rust derives) produce an [`Api`]; whoever serves, generates or
//! checks takes it from here and never looks at the declaration again. Everything that a kind does
//! without code of its own is in it: the schema with its declared extensions, the program of the
//! `+k8s:` rules, columns, selectable fields, name format, storage version.

use std::sync::Arc;

use ordain_value::Text;

use crate::crd::Column;
pub use crate::crd::Scale;
use crate::model::{NodeId, Schema};
use crate::native::Program;

/// Declared kinds, by group and name.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Api {
    /// Sorted by group and name.
    pub kinds: Vec<Kind>,
}

impl Api {
    /// The kind with this group and name.
    #[must_use]
    pub fn kind(&self, group: &str, kind: &str) -> Option<&Kind> {
        self.kinds.iter().find(|it| it.group == group && it.kind == kind)
    }
}

/// A kind with all its versions.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Kind {
    /// The API group.
    pub group: Text,
    /// The name in objects.
    pub kind: Text,
    /// The name of lists of such objects.
    pub list_kind: Text,
    /// The name in URLs.
    pub plural: Text,
    /// The name on the command line.
    pub singular: Text,
    /// Abbreviations for the command line.
    pub short_names: Vec<Text>,
    /// Groups that the resource is listed with, such as `all`.
    pub categories: Vec<Text>,
    /// Whether objects are in namespaces.
    pub namespaced: bool,
    /// In order of declaration; never empty.
    pub versions: Vec<Version>,
    /// The version in which objects are stored.
    pub storage_version: Text,
    /// Where the kind is declared, for people: `types.go:12:6`.
    pub place: Text,
}

impl Kind {
    /// A version by name.
    #[must_use]
    pub fn version(&self, name: &str) -> Option<&Version> {
        self.versions.iter().find(|it| it.name == name)
    }

    /// `<plural>.<group>`
    #[must_use]
    pub fn resource_name(&self) -> String {
        format!("{}.{}", self.plural, self.group)
    }
}

/// One version of a kind.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Version {
    /// `v1`, `v1beta1`…
    pub name: Text,
    /// Whether requests may use it.
    pub served: bool,
    /// Whether clients are warned of it.
    pub deprecated: bool,
    /// The words of that warning, where they are not the usual ones.
    pub deprecation_warning: Option<Text>,
    /// What objects look like in this version.
    pub schema: Arc<Schema>,
    /// The rules of the `+k8s:` tags; none when the kind has no such tag.
    pub native: Option<Native>,
    /// What `kubectl get` shows.
    pub columns: Vec<Column>,
    /// Paths without a leading dot.
    pub selectable_fields: Vec<Text>,
    /// The status subresource, which exists exactly when the type has a status field.
    pub status: bool,
    /// The scale subresource, if there is one.
    pub scale: Option<Scale>,
    /// The format of the object's name (`+nameFormat`).
    pub name_format: Option<Text>,
    /// Where the CEL rules are written, for errors about them.
    pub rule_places: Vec<RulePlace>,
}

/// The program of a version's `+k8s:` rules and the root in it.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Native {
    /// The rules of all types of the package.
    pub program: Arc<Program>,
    /// The Go name of the root type.
    pub root: Text,
}

/// Where a rule of a node is written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RulePlace {
    /// The node that has the rule.
    pub node: NodeId,
    /// Its place among the node's rules.
    pub rule: usize,
    /// `types.go:12:6`
    pub place: Text,
}
