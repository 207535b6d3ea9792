//! Declared kinds: from a declaration to a served resource.
//!
//! [`Resource`] takes a declared kind and needs nothing else; hooks, columns, selectable fields, a
//! name generator, a delete strategy or a whole hand-written strategy may replace any part of what
//! follows from the declaration. [`Resource::build`] compiles it, once, and fails with the kind's
//! name and the reason when its validator cannot be built or its versions would lose fields to each
//! other.

mod author;
mod compile;
mod conversion;
mod outline;
mod strategy;

use std::fmt;
use std::sync::Arc;

use ordain_schema::declared::{Api, Kind, Version};
use ordain_value::Text;

pub use outline::{GatedField, Outline, PlacedRule};
pub(crate) use strategy::DeclaredStrategy;

use crate::gates::Gates;
use crate::hooks::{Config, DeleteStrategy};
use crate::rest_config::{Column, Family, RestConfig, Verbs, VersionConfig};
use crate::rollout::{Exception, Rollout};
use crate::strategy::Strategy;

/// Why a kind cannot be served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildError {
    /// `<kind>.<group>/<version>`
    pub kind: String,
    /// Why not.
    pub reason: String,
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} cannot be served: {}", self.kind, self.reason)
    }
}

impl std::error::Error for BuildError {}

/// A declared kind on its way to being served.
#[derive(Debug, Clone)]
pub struct Resource {
    kind: Arc<Kind>,
    config: Config,
    columns: Option<Vec<Column>>,
    selectable_fields: Option<Vec<Text>>,
    delete: Option<Arc<dyn DeleteStrategy>>,
    strategy: Option<Arc<dyn Strategy>>,
    rollout: Rollout,
}

impl Resource {
    /// A kind that follows the conventions: its declaration is enough.
    #[must_use]
    pub fn new(kind: impl Into<Arc<Kind>>) -> Self {
        let authority = crate::rollout::Authority::Declarative;
        Resource {
            kind: kind.into(),
            config: Config::default(),
            columns: None,
            selectable_fields: None,
            delete: None,
            strategy: None,
            rollout: Rollout { authority, ..Rollout::default() },
        }
    }

    /// Adds hooks.
    #[must_use]
    pub fn config(mut self, config: Config) -> Self {
        self.config = config;
        self
    }

    /// Replaces the columns of the table form, in every version.
    #[must_use]
    pub fn columns(mut self, columns: Vec<Column>) -> Self {
        self.columns = Some(columns);
        self
    }

    /// Replaces the fields that may be selected by, in every version.
    #[must_use]
    pub fn selectable_fields(mut self, fields: Vec<Text>) -> Self {
        self.selectable_fields = Some(fields);
        self
    }

    /// Replaces how objects are deleted.
    #[must_use]
    pub fn delete_strategy(mut self, delete: Arc<dyn DeleteStrategy>) -> Self {
        self.delete = Some(delete);
        self
    }

    /// Replaces everything that the declaration would do by a strategy written by hand.
    #[must_use]
    pub fn strategy(mut self, strategy: Arc<dyn Strategy>) -> Self {
        self.strategy = Some(strategy);
        self
    }

    /// Says who decides between hand-written and declared validation.
    #[must_use]
    pub fn rollout(mut self, rollout: Rollout) -> Self {
        self.rollout = rollout;
        self
    }

    /// Adds known differences between hand-written and declared validation.
    #[must_use]
    pub fn exceptions(mut self, known: &[Exception]) -> Self {
        let mut all = self.rollout.exceptions.to_vec();
        all.extend(known.iter().cloned());
        self.rollout.exceptions = Arc::new(all);
        self
    }

    /// Compiles the kind.
    ///
    /// # Errors
    /// When a plan or a rule of a version cannot be compiled, or versions would lose fields.
    pub fn build(self, gates: &Arc<Gates>) -> Result<RestConfig, BuildError> {
        crate::rollout::Metrics::register();
        let kind = Arc::clone(&self.kind);
        let mut versions = Vec::new();
        for version in &kind.versions {
            versions.push(self.version_config(version));
        }
        let strategy: Arc<dyn Strategy> = match &self.strategy {
            Some(strategy) => Arc::clone(strategy),
            None => Arc::new(DeclaredStrategy::compile(
                &kind,
                self.config,
                self.delete,
                self.rollout,
                &versions,
                gates,
            )?),
        };
        Ok(RestConfig {
            group: kind.group.clone(),
            plural: kind.plural.clone(),
            singular: kind.singular.clone(),
            kind: kind.kind.clone(),
            list_kind: kind.list_kind.clone(),
            short_names: kind.short_names.clone(),
            categories: kind.categories.clone(),
            namespaced: kind.namespaced,
            family: Family::Custom,
            verbs: Verbs::ALL,
            versions,
            storage_version: kind.storage_version.clone(),
            key_prefix: format!("/registry/{}/{}", kind.group, kind.plural),
            subresources: Vec::new(),
            terminating: false,
            generation: 0,
            strategy,
        })
    }

    fn version_config(&self, version: &Version) -> VersionConfig {
        let declared = version.columns.iter().map(|column| Column {
            name: column.name.clone(),
            ty: column.ty.clone(),
            format: column.format.clone(),
            description: column.description.clone(),
            priority: column.priority,
            json_path: column.json_path.clone(),
        });
        let selectable = self.selectable_fields.as_ref().unwrap_or(&version.selectable_fields);
        VersionConfig {
            name: version.name.clone(),
            served: version.served,
            deprecation_warning: version.deprecated.then(|| self.deprecation(version)),
            status: version.status,
            scale: version.scale.clone(),
            columns: self.columns.clone().unwrap_or_else(|| declared.collect()),
            selectable_fields: selectable.clone(),
            outline: Arc::new(Outline::of(version)),
        }
    }

    fn deprecation(&self, version: &Version) -> Text {
        let (group, kind) = (&self.kind.group, &self.kind.kind);
        let words = format!("{group}/{} {kind} is deprecated", version.name);
        version.deprecation_warning.clone().unwrap_or_else(|| words.into())
    }
}

/// Compiles all kinds of an API by their declarations alone.
///
/// # Errors
/// The first kind whose validator cannot be built.
pub fn build(api: &Api, gates: &Arc<Gates>) -> Result<Vec<RestConfig>, BuildError> {
    api.kinds.iter().map(|kind| Resource::new(kind.clone()).build(gates)).collect()
}
