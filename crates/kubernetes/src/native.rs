//! A native kind: its declaration by name, and what its module adds.

use std::sync::Arc;

use ordain_strategy::typed::{Fields, Hooks, TypedKind, TypedStrategy, TypedVersion};
use ordain_strategy::{Family, Policy, RestConfig, Scale, Verbs, VersionConfig};
use ordain_value::{Text, Value};

use crate::declarations;
use crate::shared::code;
use crate::shared::table::{self, AGE, Described, NAME};

/// What a module says about its kind. The declaration says the rest.
pub(crate) struct Native {
    pub(crate) group: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) verbs: Verbs,
    pub(crate) policy: Policy,
    pub(crate) hooks: Hooks,
    /// Columns of the table form, the name first.
    pub(crate) columns: &'static [Described],
    /// The cells of a row, for kinds that make them together.
    pub(crate) row: Option<fn(&Value, i64) -> Vec<Value>>,
    /// Fields that may be selected by, besides name and namespace.
    pub(crate) selectable_fields: &'static [&'static str],
    /// Fields that the main endpoint does not take from requests.
    pub(crate) reset: Fields,
    /// Fields that the status endpoint does not take from requests.
    pub(crate) status_reset: Fields,
    /// Other subresources than status and scale, each with the fields it does not take.
    pub(crate) subresources: &'static [(&'static str, Fields)],
    pub(crate) scale: Option<Scale>,
    /// The warning that every use of a deprecated version gets.
    pub(crate) deprecation_warning: Option<&'static str>,
    /// What keys begin with, where it is not `/registry/<plural>`.
    pub(crate) key: &'static str,
    /// The form that is stored, where it is none of the declared versions.
    pub(crate) storage_version: &'static str,
}

impl Native {
    /// A kind that follows the conventions.
    pub(crate) fn new(group: &'static str, kind: &'static str) -> Self {
        Self {
            group,
            kind,
            verbs: Verbs::ALL,
            policy: Policy { unconditional_update: true, ..Policy::default() },
            hooks: Hooks::default(),
            columns: &[NAME, AGE],
            row: None,
            selectable_fields: &[],
            reset: &[&["status"]],
            status_reset: &[&["spec"]],
            subresources: &[],
            scale: None,
            deprecation_warning: None,
            key: "",
            storage_version: "",
        }
    }

    /// The resource to serve; `None` when nothing of that name is declared, which a test forbids.
    pub(crate) fn config(self) -> Option<RestConfig> {
        let entry = declarations::find(self.group, self.kind)?;
        let texts = |list: &[&str]| list.iter().map(|it| Text::from(*it)).collect::<Vec<_>>();
        let versions = entry.versions.iter().map(|(name, status)| VersionConfig {
            name: Text::from(*name),
            served: true,
            deprecation_warning: self.deprecation_warning.map(Text::from),
            // What is not stored is answered whole.
            status: *status && self.verbs.update,
            scale: self.scale.clone(),
            columns: table::columns(self.columns),
            selectable_fields: texts(self.selectable_fields),
            outline: Arc::default(),
        });
        let key = match self.key {
            "" => format!("/registry/{}", entry.plural),
            key => key.to_owned(),
        };
        Some(RestConfig {
            group: entry.group.into(),
            plural: entry.plural.into(),
            singular: entry.kind.to_lowercase().into(),
            kind: entry.kind.into(),
            list_kind: format!("{}List", entry.kind).into(),
            short_names: texts(entry.short_names),
            categories: texts(entry.categories),
            namespaced: entry.namespaced,
            family: Family::BuiltIn,
            verbs: self.verbs,
            versions: versions.collect(),
            storage_version: match self.storage_version {
                "" => entry.storage_version.into(),
                version => version.into(),
            },
            key_prefix: key,
            subresources: self
                .subresources
                .iter()
                .map(|it| it.0)
                .chain(connected(entry))
                .map(Text::from)
                .collect(),
            terminating: false,
            generation: 0,
            strategy: Arc::new(TypedStrategy::new(TypedKind {
                group: entry.group.into(),
                kind: entry.kind.into(),
                namespaced: entry.namespaced,
                storage_version: entry.storage_version.into(),
                policy: self.policy,
                reset: self.reset,
                status_reset: self.status_reset,
                subresources: self.subresources,
                hooks: self.hooks,
                cells: match self.row {
                    Some(row) => Box::new(row),
                    None => Box::new(|object, now| {
                        self.columns.iter().map(|it| it.4.show(object, now)).collect()
                    }),
                },
                code: code::find,
                open: Box::new(move || open(entry)),
            })),
        })
    }
}

/// The subresources that act on an object, or lead to what runs behind it.
fn connected(entry: &declarations::Entry) -> impl Iterator<Item = &'static str> + use<> {
    let names: &[&str] = match (entry.group, entry.kind) {
        ("", "Pod") => &["attach", "exec", "log", "portforward", "proxy"],
        ("", "Node" | "Service") => &["proxy"],
        ("", "ServiceAccount") => &["token"],
        _ => &[],
    };
    names.iter().copied()
}

fn open(entry: &declarations::Entry) -> Vec<TypedVersion> {
    let versions = entry.open().map(|kind| kind.versions).unwrap_or_default();
    let typed = versions.into_iter().map(|version| TypedVersion {
        name: version.name,
        schema: version.schema,
        native: version.native,
    });
    typed.collect()
}
