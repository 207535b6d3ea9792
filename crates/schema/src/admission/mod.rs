//! Admitting a `CustomResourceDefinition`: every rule of `apiextensions.k8s.io/v1` with upstream's
//! paths and words.
//!
//! Three things need more than a schema: compiling a pattern, judging a default value and judging
//! a CEL rule. The caller answers for those through [`AdmissionHooks`]; which of the answers are
//! asked for, and which errors keep others from being asked, is decided here.

mod approval;
pub mod client;
mod coerce;
mod conversion;
mod lists;
mod parts;
mod root;
mod spec;
mod update;
mod url;
mod walker;

use std::collections::BTreeSet;

use ordain_meta::name;
use ordain_meta::object_meta::{self, ObjectMeta};
use ordain_value::field::{Error, ErrorList, Path};
use ordain_value::{Text, Value};

use crate::crd::Crd;
use crate::hoist::View;
use crate::model::{NodeId, Schema};
use crate::raw::Raw;

pub use approval::{Approval, approval, is_protected_group};
pub use coerce::defaults as shape_defaults;
pub use conversion::check_ca_bundle;

/// What admission asks from the crates above this one.
pub trait AdmissionHooks {
    /// Compiles a pattern as Go's regular expressions do; the error is Go's text.
    ///
    /// # Errors
    /// When the pattern does not compile.
    fn check_pattern(&self, pattern: &str) -> Result<(), String>;

    /// About how long the program of a pattern is.
    fn pattern_weight(&self, pattern: &str) -> usize {
        pattern.len()
    }

    /// Judges all default values of a structural schema whose root is a resource. Errors carry
    /// full paths, which start at `path`. Unknown fields in defaults are errors only if
    /// `require_pruned`.
    fn validate_defaults(
        &self,
        schema: &Schema,
        path: &Path<'_>,
        require_pruned: bool,
    ) -> ErrorList;

    /// Whether some default of a structural schema holds fields that pruning would remove.
    fn has_unpruned_defaults(&self, schema: &Schema) -> bool;

    /// Whether rules may stand inside `allOf`, `anyOf`, `oneOf` and `not`. Upstream knows no such
    /// thing, so a gate has to allow it.
    fn rules_in_junctors(&self) -> bool {
        false
    }

    /// Starts judging the CEL rules of one schema.
    fn rules<'s>(
        &'s self,
        schema: &'s Schema,
        preexisting: &'s Expressions,
    ) -> Box<dyn RuleSession + 's>;
}

/// Judges the CEL rules of one schema, node by node, and at the end their sum.
pub trait RuleSession {
    /// Compiles and costs the rules at one node; called only where the schema is free of errors at
    /// the node and below. The errors' paths start at `at.path`.
    fn check(&mut self, at: &RulesAt<'_>) -> ErrorList;

    /// Judges the estimated cost of all rules together. `path` is that of the schema.
    fn finish(&mut self, path: &Path<'_>) -> ErrorList;
}

/// A node with rules.
pub struct RulesAt<'a> {
    /// The node in the resolved schema.
    pub node: NodeId,
    /// The node as written; its rules are in `raw.rules()`.
    pub raw: &'a Raw,
    /// The path of the node within the definition.
    pub path: &'a Path<'a>,
    /// The first place above the node whose old and new values cannot be matched, which forbids
    /// `oldSelf` here.
    pub uncorrelatable: Option<&'a Path<'a>>,
    /// How many values the node can have in one object at most, none if that is unbounded.
    pub cardinality: Option<u64>,
    /// The schema is unchanged by this update, so the cost of single expressions is not judged.
    pub suppress_cost: bool,
}

/// CEL expressions that the stored definition already has, which compile in the permissive
/// environment.
#[derive(Clone, Debug, Default)]
pub struct Expressions {
    /// The texts of rules.
    pub rules: BTreeSet<Text>,
    /// The texts of message expressions.
    pub messages: BTreeSet<Text>,
}

/// Which rules apply: all on create, ratcheted on update.
pub(crate) struct Options {
    pub(crate) require_recognized_review_version: bool,
    pub(crate) require_immutable_names: bool,
    pub(crate) require_schema: bool,
    pub(crate) require_valid_types: bool,
    pub(crate) require_structural: bool,
    pub(crate) require_pruned_defaults: bool,
    pub(crate) require_atomic_sets: bool,
    pub(crate) require_list_map_keys: bool,
    pub(crate) allow_invalid_ca_bundle: bool,
    pub(crate) preexisting: Expressions,
    /// Versions whose schema the update leaves alone.
    pub(crate) unchanged: BTreeSet<Text>,
    /// Versions (the empty name for the hoisted list) that may keep too many selectable fields.
    pub(crate) many_selectable: BTreeSet<Text>,
}

/// Judges a new definition, defaulted and prepared for create. An accepted definition has the
/// metadata inside its default values brought into form.
#[must_use]
pub fn validate_create(crd: &mut Crd, hooks: &dyn AdmissionHooks) -> ErrorList {
    let options = Options {
        require_recognized_review_version: true,
        require_immutable_names: false,
        require_schema: true,
        require_valid_types: true,
        require_structural: true,
        require_pruned_defaults: true,
        require_atomic_sets: true,
        require_list_map_keys: true,
        allow_invalid_ca_bundle: true,
        preexisting: Expressions::default(),
        unchanged: BTreeSet::new(),
        many_selectable: BTreeSet::new(),
    };
    let mut errors = metadata_errors(crd);
    let view = View::new(&crd.spec);
    spec::validate(&view, &options, hooks, &mut errors);
    finish(crd, None, &mut errors);
    if errors.is_empty() {
        coerce::defaults(&mut crd.spec);
    }
    errors
}

/// Judges a changed definition, defaulted and prepared for update, as [`validate_create`] does.
#[must_use]
pub fn validate_update(crd: &mut Crd, old: &Crd, hooks: &dyn AdmissionHooks) -> ErrorList {
    let view = View::new(&crd.spec);
    let old_view = View::new(&old.spec);
    let options = update::options(old, &view, &old_view, hooks);
    let mut errors = metadata_update_errors(crd, old);
    spec::validate(&view, &options, hooks, &mut errors);
    update::immutable(&crd.spec, &old.spec, &options, &mut errors);
    finish(crd, Some(old), &mut errors);
    if errors.is_empty() {
        coerce::defaults(&mut crd.spec);
    }
    errors
}

/// Judges a write to the status subresource.
#[must_use]
pub fn validate_status_update(crd: &Crd, old: &Crd) -> ErrorList {
    let mut errors = metadata_update_errors(crd, old);
    let status = Path::new("status");
    parts::names(&crd.status.accepted_names, &status.child("acceptedNames"), &mut errors);
    errors
}

fn finish(crd: &Crd, old: Option<&Crd>, errors: &mut ErrorList) {
    let status = Path::new("status");
    parts::names(&crd.status.accepted_names, &status.child("acceptedNames"), errors);
    stored_versions(crd, &status.child("storedVersions"), errors);
    approval::validate(crd, old, errors);
    if crd.spec.preserve_unknown_fields && old.is_none_or(|o| !o.spec.preserve_unknown_fields) {
        let detail = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in \
                      spec.versions[*].schema instead";
        let path = Path::new("spec");
        errors.push(Error::invalid(&path.child("preserveUnknownFields"), true, detail));
    }
}

fn metadata_errors(crd: &Crd) -> ErrorList {
    let metadata = Value::Map(crd.metadata.clone());
    let meta = ObjectMeta::new(&metadata);
    let path = Path::new("metadata");
    let mut errors = object_meta::validate(meta, false, name::subdomain_rule, &path);
    let wanted = format!("{}.{}", crd.spec.names.plural, crd.spec.group);
    for (field, given) in [("generateName", meta.generate_name()), ("name", meta.name())] {
        if !given.is_empty() && given != wanted {
            let detail = r#"must be spec.names.plural+"."+spec.group"#;
            errors.push(Error::invalid(&path.child(field), given, detail));
        }
    }
    errors
}

fn metadata_update_errors(crd: &Crd, old: &Crd) -> ErrorList {
    let (new, old) = (Value::Map(crd.metadata.clone()), Value::Map(old.metadata.clone()));
    let (new, old) = (ObjectMeta::new(&new), ObjectMeta::new(&old));
    object_meta::validate_update(new, old, &Path::new("metadata"))
}

fn stored_versions(crd: &Crd, path: &Path<'_>, errors: &mut ErrorList) {
    let stored = crd.status.stored_versions.as_deref().unwrap_or_default();
    let shown = || match &crd.status.stored_versions {
        None => Value::Null,
        Some(list) => Value::from(list.iter().cloned().map(Value::from).collect::<Vec<_>>()),
    };
    if stored.is_empty() {
        errors.push(Error::invalid(path, shown(), "must have at least one stored version"));
        return;
    }
    for version in crd.spec.versions() {
        if version.storage && !stored.contains(&version.name) {
            let detail = format!("must have the storage version {}", version.name);
            errors.push(Error::invalid(path, shown(), detail));
        }
    }
    for (at, name) in stored.iter().enumerate() {
        let repeated_later = stored[at + 1..].contains(name);
        if crd.spec.version(name).is_none() && !repeated_later {
            let detail = format!(
                "missing from spec.versions; {name} was previously a storage version, and must \
                 remain in spec.versions until a storage migration ensures no data remains \
                 persisted in {name} and removes {name} from status.storedVersions"
            );
            errors.push(Error::invalid(&path.index(at), name.clone(), detail));
        }
    }
}
