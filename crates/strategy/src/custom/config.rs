//! From a definition to a served resource.

use std::collections::BTreeMap;
use std::sync::Arc;

use ordain_meta::KubeVersion;
use ordain_meta::gvk::compare_versions;
use ordain_meta::status::aggregate_texts;
use ordain_passes::declared::DeclaredPlan;
use ordain_passes::{Plan, RuleOptions, RuleSet};
use ordain_schema::crd::{Crd, CrdNames, CrdVersion};
use ordain_schema::extensions::Extensions;
use ordain_schema::model::{Node, NodeId, Schema, Type};
use ordain_value::Text;
use ordain_value::field::ErrorList;

use super::declarative::{ANNOTATION, Declarative};
use super::{CustomStrategy, CustomVersion};
use crate::conversion::ConversionWebhook;
use crate::rest_config::{Column, Family, RestConfig, Verbs, VersionConfig};

/// What gates say about definitions.
#[derive(Debug, Clone, Copy, Default)]
pub struct CustomOptions {
    /// Extensions that count.
    pub extensions: Extensions,
    /// Whether rules in branches of junctors count.
    pub rules_in_junctors: bool,
    /// Whose formats are enforced.
    pub release: KubeVersion,
}

/// The resource that a definition defines under these names; `None` without names or a storage
/// version.
///
/// # Errors
/// When a schema cannot be compiled, in words: an accepted definition compiles, one that was stored
/// by a looser server may not.
pub fn config(
    definition: &Crd,
    names: &CrdNames,
    options: &CustomOptions,
) -> Result<Option<RestConfig>, String> {
    let spec = &definition.spec;
    let Some(storage) = spec.storage_version() else { return Ok(None) };
    if names.plural.is_empty() || names.kind.is_empty() {
        return Ok(None);
    }
    let namespaced = spec.scope == "Namespaced";
    let mut compiled = Vec::new();
    let mut versions = Vec::new();
    for version in spec.versions() {
        let custom = compile(version, options)?;
        versions.push(version_config(definition, version, &custom));
        compiled.push((version.name.clone(), custom));
    }
    let strategy =
        CustomStrategy::new(spec.group.clone(), names.kind.clone(), namespaced, compiled);
    let webhook = ConversionWebhook::of(definition.name(), spec.conversion.as_ref());
    let declared = match declared_conversion(definition, options) {
        // Who names a webhook is converted by it.
        Ok(declared) => declared.filter(|_| webhook.is_none()),
        Err(errors) => return Err(aggregate_texts(&texts(&errors))),
    };
    let strategy = strategy.with_webhook(webhook).with_declared(declared);
    Ok(Some(RestConfig {
        group: spec.group.clone(),
        plural: names.plural.clone(),
        singular: names.singular.clone(),
        kind: names.kind.clone(),
        list_kind: names.list_kind.clone(),
        short_names: names.short_names.clone().unwrap_or_default(),
        categories: names.categories.clone().unwrap_or_default(),
        namespaced,
        family: Family::Custom,
        verbs: Verbs::ALL,
        versions,
        storage_version: storage.name.clone(),
        key_prefix: format!("/registry/{}/{}", spec.group, names.plural),
        subresources: Vec::new(),
        terminating: definition.is_true("Terminating"),
        generation: 0,
        strategy: Arc::new(strategy),
    }))
}

/// The conversion that a definition declares, if its gate is on.
///
/// # Errors
/// What is wrong with it.
pub fn declared_conversion(
    definition: &Crd,
    options: &CustomOptions,
) -> Result<Option<Declarative>, ErrorList> {
    if !options.extensions.conversion || definition.annotation(ANNOTATION).is_none() {
        return Ok(None);
    }
    let mut schemas = BTreeMap::new();
    for version in definition.spec.versions() {
        // What is wrong with a schema is reported where it stands.
        if let Ok(schema) = schema_of(version) {
            schemas.insert(version.name.clone(), schema);
        }
    }
    let schemas = schemas.iter().map(|(name, schema)| (name.clone(), schema)).collect();
    Declarative::compile(definition, &schemas)
}

fn texts(errors: &ErrorList) -> Vec<String> {
    errors.iter().map(ToString::to_string).collect()
}

fn schema_of(version: &CrdVersion) -> Result<Schema, String> {
    let schema = version.schema.as_ref().and_then(|it| it.open_api.as_ref());
    if schema.is_some_and(|it| !it.is_readable()) {
        return Err("the schema cannot be read".to_owned());
    }
    match version.raw() {
        Some(raw) => ordain_schema::resolve(raw).map_err(|error| error.to_string()),
        None => {
            let root = Node { ty: Type::Object, ..Node::default() };
            Schema::new(vec![root], NodeId(0)).map_err(|error| error.to_string())
        }
    }
}

fn compile(version: &CrdVersion, options: &CustomOptions) -> Result<CustomVersion, String> {
    let schema = schema_of(version)?;
    let schema = Arc::new(schema);
    let plan =
        Arc::new(Plan::compile_at(&schema, options.release).map_err(|error| error.to_string())?);
    let rules = RuleOptions { junctors: options.rules_in_junctors, ..RuleOptions::crd() };
    let declared = (options.extensions != Extensions::default())
        .then(|| DeclaredPlan::compile(&schema).with_extensions(options.extensions));
    let selectable = version.selectable_fields.iter().flatten();
    Ok(CustomVersion {
        rules: Box::new(RuleSet::compile(&schema, rules, Some(Arc::clone(&plan)))),
        plan,
        declared: declared.filter(|it| !it.is_idle()),
        status: version.has_status(),
        scale: version.subresources.as_ref().and_then(|it| it.scale.clone()),
        selectable_fields: selectable
            .map(|field| Text::from(field.json_path.trim_start_matches('.')))
            .collect(),
        schema,
    })
}

fn version_config(definition: &Crd, version: &CrdVersion, custom: &CustomVersion) -> VersionConfig {
    let columns = version.columns.iter().flatten().map(|column| Column {
        name: column.name.clone(),
        ty: column.ty.clone(),
        format: column.format.clone(),
        description: column.description.clone(),
        priority: column.priority,
        json_path: column.json_path.clone(),
    });
    VersionConfig {
        name: version.name.clone(),
        served: version.served,
        deprecation_warning: version.deprecated.then(|| deprecation(definition, version)),
        status: custom.status,
        scale: custom.scale.clone(),
        columns: columns.collect(),
        selectable_fields: custom.selectable_fields.clone(),
        outline: Arc::default(),
    }
}

/// The words for a deprecated version: its own, or a hint to the best newer one.
fn deprecation(definition: &Crd, version: &CrdVersion) -> Text {
    if let Some(text) = &version.deprecation_warning {
        return text.clone();
    }
    let (group, kind) = (&definition.spec.group, &definition.spec.names.kind);
    let mut text = format!("{group}/{} {kind} is deprecated", version.name);
    let newer = definition.spec.versions().iter().filter(|other| {
        other.served && !other.deprecated && compare_versions(&other.name, &version.name).is_gt()
    });
    if let Some(best) = newer.max_by(|a, b| compare_versions(&a.name, &b.name)) {
        text.push_str(&format!("; use {group}/{} {kind}", best.name));
    }
    text.into()
}
