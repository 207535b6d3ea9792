//! The kinds that every server brings: each a declaration and, where it needs them, rules.

mod codec;
mod config_map;
mod declare;
mod declared;
mod event;
mod lease;
pub(crate) mod namespace;
mod object_meta;
pub mod printer;
pub mod protobuf;
mod reference;
mod review;
mod rules;
mod secret;
pub(crate) mod service;
mod service_account;

use std::sync::Arc;

use ordain_meta::GroupVersionKind;
use ordain_schema::Schema;
use ordain_value::Text;

use crate::rest_config::{Column, Family, RestConfig, Verbs, VersionConfig};
use crate::strategy::Policy;
use declared::{Declaration, DeclaredStrategy, Hooks};

/// All declared kinds.
pub fn all() -> Vec<RestConfig> {
    vec![
        namespace::config(),
        config_map::config(),
        secret::config(),
        service_account::config(),
        event::core_config(),
        event::group_config(),
        lease::config(),
        service::config(),
        review::self_subject_review(),
        review::subject_access_review(),
        review::self_subject_access_review(),
    ]
}

/// The options of a delete, which clients of built-in kinds send as protobuf too.
pub fn delete_options() -> Schema {
    let mut b = declare::Builder::default();
    let (text, long, flag) = (b.string(), b.int64(), b.boolean());
    let texts = b.list(text);
    let preconditions = b.structure(
        "v1.Preconditions",
        "io.k8s.apimachinery.pkg.apis.meta.v1.Preconditions",
        vec![
            b.field("uid", 1, text).pointer().about("The UID the object must have."),
            b.field("resourceVersion", 2, text).pointer().about("The version it must have."),
        ],
    );
    b.describe(preconditions, "What must hold for the object to be deleted.");
    let fields = vec![
        b.field("gracePeriodSeconds", 1, long).pointer().about("How long it may take to end."),
        b.field("preconditions", 2, preconditions).pointer().about("What must hold."),
        b.field("orphanDependents", 3, flag).pointer().about("Replaced by propagationPolicy."),
        b.field("propagationPolicy", 4, text)
            .pointer()
            .about("What becomes of dependents: Orphan, Background or Foreground."),
        b.field("dryRun", 5, texts).omit().atomic().about("All: nothing is stored."),
        b.field("ignoreStoreReadErrorWithClusterBreakingPotential", 6, flag)
            .pointer()
            .about("Deletes an object that cannot be read, without its usual steps."),
    ];
    b.options("v1.DeleteOptions", "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions", fields)
}

/// A kind as its module declares it; the rest follows.
struct Kind {
    group: &'static str,
    kind: &'static str,
    plural: &'static str,
    short_names: &'static [&'static str],
    categories: &'static [&'static str],
    namespaced: bool,
    verbs: Verbs,
    policy: Policy,
    columns: Vec<Column>,
    selectable_fields: &'static [&'static str],
    status: bool,
    reset: &'static [&'static [&'static str]],
    status_reset: &'static [&'static [&'static str]],
    subresources: &'static [&'static str],
    /// The prefix of its keys, if it is not `/registry/<plural>`.
    key: &'static str,
    schema: Schema,
    hooks: Hooks,
}

impl Kind {
    /// A namespaced kind of the core group with every verb.
    fn core(schema: Schema, hooks: Hooks) -> Self {
        Self {
            group: "",
            kind: "",
            plural: "",
            short_names: &[],
            categories: &[],
            namespaced: true,
            verbs: Verbs::ALL,
            policy: Policy::default(),
            columns: Vec::new(),
            selectable_fields: &[],
            status: false,
            reset: &[],
            status_reset: &[],
            subresources: &[],
            key: "",
            schema,
            hooks,
        }
    }

    fn config(self) -> RestConfig {
        let texts = |list: &[&str]| list.iter().map(|it| Text::from(*it)).collect::<Vec<_>>();
        let key_prefix = if self.key.is_empty() {
            format!("/registry/{}", self.plural)
        } else {
            self.key.to_owned()
        };
        RestConfig {
            group: self.group.into(),
            plural: self.plural.into(),
            singular: self.kind.to_lowercase().into(),
            kind: self.kind.into(),
            list_kind: format!("{}List", self.kind).into(),
            short_names: texts(self.short_names),
            categories: texts(self.categories),
            namespaced: self.namespaced,
            family: Family::BuiltIn,
            verbs: self.verbs,
            versions: vec![VersionConfig {
                name: "v1".into(),
                served: true,
                deprecation_warning: None,
                status: self.status,
                scale: None,
                columns: self.columns,
                selectable_fields: texts(self.selectable_fields),
            }],
            storage_version: "v1".into(),
            key_prefix,
            subresources: texts(self.subresources),
            terminating: false,
            generation: 0,
            strategy: Arc::new(DeclaredStrategy::new(Declaration {
                gvk: GroupVersionKind::new(self.group, "v1", self.kind),
                namespaced: self.namespaced,
                schema: self.schema,
                policy: self.policy,
                reset: self.reset,
                status_reset: self.status_reset,
                others: self.subresources,
                hooks: self.hooks,
            })),
        }
    }
}
