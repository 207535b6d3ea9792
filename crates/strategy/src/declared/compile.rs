//! One version of a declared kind, compiled.

use std::collections::BTreeMap;
use std::sync::Arc;

use ordain_merge::set::Set;
use ordain_merge::types::Types;
use ordain_merge::{FieldManager, FieldManagerConfig, UnknownVersion};
use ordain_meta::{GroupVersion, GroupVersionKind, name};
use ordain_passes::declared::{DeclaredPlan, gate, implied, unruled};
use ordain_passes::{Plan, RuleOptions, RuleSet, Rules};
use ordain_schema::Schema;
use ordain_schema::admission::AdmissionHooks;
use ordain_schema::declared::{Kind, Native, Version};
use ordain_value::{Text, Value};

use super::conversion::Conversion;
use super::{BuildError, author};
use crate::gates::{DECLARATIVE_DEFAULTS, DECLARATIVE_VALIDATION, Gates};
use crate::hooks::Convert;
use crate::rest_config::VersionConfig;

/// A version's schema under the gates of a server: what objects are held to, and what clients are
/// shown.
struct Schemas {
    enforced: Arc<Schema>,
    shown: Arc<Schema>,
}

/// What a version needs at every request.
pub(super) struct Compiled {
    pub(super) api_version: String,
    /// The schema as it is published.
    pub(super) schema: Arc<Schema>,
    pub(super) plan: Arc<Plan>,
    pub(super) declared: DeclaredPlan,
    pub(super) rules: Box<dyn Rules + Send + Sync>,
    pub(super) native: Option<Native>,
    /// Whether a `+k8s:` rule only warns.
    pub(super) warns: bool,
    pub(super) name_rule: Option<name::Rule>,
    pub(super) name_format: Option<Text>,
    pub(super) config: VersionConfig,
    pub(super) main: FieldManager,
    pub(super) status: FieldManager,
    pub(super) has_spec: bool,
}

/// Compiles all versions of a kind.
pub(super) fn versions(
    kind: &Kind,
    configs: &[VersionConfig],
    convert: Option<Convert>,
    gates: &Gates,
) -> Result<(BTreeMap<Text, Compiled>, Arc<Conversion>), BuildError> {
    let api_version =
        |version: &str| Text::from(GroupVersion::new(kind.group.clone(), version).to_string());
    let mut types: BTreeMap<Text, Arc<Types>> = BTreeMap::new();
    let mut resets: BTreeMap<Text, (Set, Set)> = BTreeMap::new();
    for version in &kind.versions {
        let name = api_version(&version.name);
        types.insert(name.clone(), Arc::new(Types::compile(&version.schema)));
        resets.insert(name, reset_fields(version));
    }
    let mut plans = BTreeMap::new();
    let mut schemas = BTreeMap::new();
    for version in &kind.versions {
        let mut schema = gate::while_off(&version.schema, &|name| gates.is_on(name));
        if !gates.is_on(DECLARATIVE_DEFAULTS) {
            schema = implied::implied_defaults_only(&schema);
        }
        let shown = Arc::clone(&schema);
        if !gates.is_on(DECLARATIVE_VALIDATION) {
            schema = unruled::without_rules(&schema);
        }
        let plan = Plan::compile(&schema);
        schemas.insert(version.name.clone(), Schemas { enforced: schema, shown });
        let plan = plan.map_err(|error| unbuilt(kind, version, &error.to_string()))?;
        plans.insert(version.name.clone(), Arc::new(plan));
    }
    let conversion = Arc::new(Conversion::compile(kind, &plans, convert)?);
    let mut out = BTreeMap::new();
    for (version, config) in kind.versions.iter().zip(configs) {
        let gvk =
            GroupVersionKind::new(kind.group.clone(), version.name.clone(), kind.kind.clone());
        let manager = |subresource: &str, part: fn(&(Set, Set)) -> &Set| {
            let reset_fields: BTreeMap<Text, Set> =
                resets.iter().map(|(name, sets)| (name.clone(), part(sets).clone())).collect();
            let manager = FieldManager::new(FieldManagerConfig {
                gvk: gvk.clone(),
                subresource: subresource.into(),
                versions: types.clone().into(),
                reset_fields: reset_fields.into(),
                unknown_version: UnknownVersion::Refused,
            });
            if !conversion.is_more_than_names() {
                return manager;
            }
            let conversion = Arc::clone(&conversion);
            manager.with_conversion(Arc::new(move |object: &Value, api_version: &str| {
                Ok(conversion.convert_to_api_version(object, api_version))
            }))
        };
        let managers = (manager("", |it| &it.0), manager("status", |it| &it.1));
        let Some(plan) = plans.get(&version.name) else { continue };
        let Some(schemas) = schemas.remove(&version.name) else { continue };
        let compiled = compile(kind, version, config, (schemas, plan), managers)
            .map_err(|reason| unbuilt(kind, version, &reason))?;
        let compiled = Compiled {
            declared: compiled
                .declared
                .with_gates(&|name| gates.is_on(name))
                .with_release(gates.release()),
            ..compiled
        };
        out.insert(version.name.clone(), compiled);
    }
    Ok((out, conversion))
}

fn unbuilt(kind: &Kind, version: &Version, reason: &str) -> BuildError {
    let kind = format!("{}.{}/{}", kind.kind, kind.group, version.name);
    BuildError { kind, reason: format!("its validator cannot be built: {reason}") }
}

/// Fields whose owners a write to the object, or to its status, does not become.
fn reset_fields(version: &Version) -> (Set, Set) {
    if !version.status {
        return (Set::new(), Set::new());
    }
    let others = version.schema.root_node().properties.iter().map(|(name, _)| name.as_str());
    let wiped: Vec<Vec<&str>> = others
        .filter(|name| !matches!(*name, "status" | "apiVersion" | "kind"))
        .map(|name| vec![name])
        .collect();
    let wiped: Vec<&[&str]> = wiped.iter().map(Vec::as_slice).collect();
    (Set::of_fields(&[&["status"]]), Set::of_fields(&wiped))
}

fn compile(
    kind: &Kind,
    version: &Version,
    config: &VersionConfig,
    (schemas, plan): (Schemas, &Arc<Plan>),
    (main, status): (FieldManager, FieldManager),
) -> Result<Compiled, String> {
    let Schemas { enforced: schema, shown } = schemas;
    check_patterns(&schema)?;
    let rules = RuleSet::compile(&schema, RuleOptions::declared(), Some(Arc::clone(plan)));
    if let Some(error) = rules.compile_errors().first() {
        let at =
            version.rule_places.iter().find(|it| it.node == error.node && it.rule == error.rule);
        let place = at.map_or(String::new(), |it| format!("{}: ", it.place));
        return Err(format!("{place}rule `{}`: {}", error.text, error.message));
    }
    author::check(version, &schema)?;
    let name_rule = version.name_format.as_deref().map(name_rule).transpose()?;
    Ok(Compiled {
        api_version: GroupVersion::new(kind.group.clone(), version.name.clone()).to_string(),
        declared: DeclaredPlan::compile(&schema),
        rules: Box::new(rules),
        warns: version.native.as_ref().is_some_and(|it| it.program.warns()),
        native: version.native.clone(),
        name_rule,
        name_format: version.name_format.clone(),
        config: config.clone(),
        main,
        status,
        has_spec: schema.root_node().property("spec").is_some(),
        schema: shown,
        plan: Arc::clone(plan),
    })
}

/// A pattern that does not compile would let everything pass.
fn check_patterns(schema: &Schema) -> Result<(), String> {
    let admission = ordain_passes::Admission::default();
    for node in schema.nodes() {
        let Some(validation) = node.validation.as_ref() else { continue };
        if !validation.pattern.is_empty()
            && let Err(error) = admission.check_pattern(&validation.pattern)
        {
            return Err(format!("pattern `{}`: {error}", validation.pattern));
        }
    }
    Ok(())
}

/// The rule for names with a format.
fn name_rule(format: &str) -> Result<name::Rule, String> {
    name::rule_of_format(format).ok_or_else(|| format!("name format `{format}` is not known"))
}
