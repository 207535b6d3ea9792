//! The kinds that documentation, JSON Schemas and Rust types are made of, wherever they are
//! declared: Go types with the tags of the proposals, Go types with kubebuilder's markers, or
//! `CustomResourceDefinition`s.

use std::sync::Arc;

use ordain_idl::graph::Package;
use ordain_idl::lower::{self, is_custom_style};
use ordain_idl::{Diagnostic, Universe};
use ordain_schema::crd::{Crd, CrdVersion};
use ordain_schema::declared::{Kind, Scale, Version};
use ordain_schema::folding::fold;
use ordain_schema::{Node, NodeId, Schema, Type, resolve};
use ordain_value::{Text, Value};

use crate::crd;

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Kinds {
    /// By group and name.
    pub kinds: Vec<Kind>,
    /// What is wrong, by place. With an error in it the kinds are not to be used.
    pub diagnostics: Vec<Diagnostic>,
}

impl Kinds {
    /// Whether any finding is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// The kinds that the requested packages declare.
#[must_use]
pub fn of_types(universe: &Universe) -> Kinds {
    let mut out = Kinds::default();
    let custom = |package: &Package| is_custom_style(universe, package);
    let any_custom = universe.requested().any(custom);
    if any_custom {
        // What a CRD may not have is no concern of these generators.
        let options = crd::Options {
            allow_dangerous_types: true,
            ignore_unexported_fields: true,
            allow_loss: true,
            ..crd::Options::default()
        };
        let made = crd::generate_for(universe, &options, &custom);
        out.diagnostics.extend(made.diagnostics);
        for file in &made.files {
            match of_definition(&file.crd) {
                Ok(kind) => out.kinds.push(kind),
                Err(error) => {
                    let message = format!("{}: {error}", file.name);
                    out.diagnostics.push(Diagnostic::nowhere("definition", message));
                }
            }
        }
    }
    if !any_custom || universe.requested().any(|package| !custom(package)) {
        let lowered = lower::lower(universe);
        out.diagnostics.extend(lowered.diagnostics);
        let known: Vec<(Text, Text)> =
            out.kinds.iter().map(|kind| (kind.group.clone(), kind.kind.clone())).collect();
        let kinds = lowered.api.kinds.into_iter();
        out.kinds.extend(kinds.filter(|it| !known.contains(&(it.group.clone(), it.kind.clone()))));
    }
    if out.kinds.is_empty() && !out.has_errors() {
        let message = "no kind is declared";
        let help = "a kind is a struct that embeds metav1.TypeMeta and metav1.ObjectMeta";
        out.diagnostics.push(Diagnostic::nowhere("kind", message).help(help));
    }
    out.kinds.iter_mut().for_each(native_rules);
    out.kinds.sort_by(|a, b| (&a.group, &a.kind).cmp(&(&b.group, &b.kind)));
    out.diagnostics.sort_by(|a, b| (a.pos, &a.message).cmp(&(b.pos, &b.message)));
    out.diagnostics.dedup();
    out
}

/// Puts the rules of the `+k8s:` tags into the schemas.
fn native_rules(kind: &mut Kind) {
    for version in &mut kind.versions {
        if let Some(native) = &version.native {
            version.schema = Arc::new(fold(&version.schema, native));
        }
    }
}

/// The kind that a `CustomResourceDefinition` defines.
///
/// # Errors
/// When the object is none, or one of its schemas cannot be resolved; in words.
pub fn of_definition(object: &Value) -> Result<Kind, String> {
    let (mut crd, _) = Crd::decode(object).map_err(|error| error.0)?;
    crd.set_defaults();
    let spec = crd.spec;
    let mut versions = Vec::new();
    for version in spec.versions() {
        versions.push(version_of(version)?);
    }
    if versions.is_empty() {
        return Err("the definition has no versions".into());
    }
    let storage_version = spec.storage_version().map(|it| it.name.clone()).unwrap_or_default();
    Ok(Kind {
        group: spec.group,
        kind: spec.names.kind,
        list_kind: spec.names.list_kind,
        plural: spec.names.plural,
        singular: spec.names.singular,
        short_names: spec.names.short_names.unwrap_or_default(),
        categories: spec.names.categories.unwrap_or_default(),
        namespaced: spec.scope != "Cluster",
        versions,
        storage_version,
        place: Text::default(),
    })
}

fn version_of(version: &CrdVersion) -> Result<Version, String> {
    let schema = match version.raw() {
        Some(raw) => resolve(raw).map_err(|error| error.to_string())?,
        None => {
            let root = Node { ty: Type::Object, preserve_unknown: true, ..Node::default() };
            Schema::new(vec![root], NodeId(0)).map_err(|error| error.to_string())?
        }
    };
    let scale = version.subresources.as_ref().and_then(|it| it.scale.as_ref());
    let selectable = version.selectable_fields.iter().flatten();
    Ok(Version {
        name: version.name.clone(),
        served: version.served,
        deprecated: version.deprecated,
        deprecation_warning: version.deprecation_warning.clone(),
        schema: Arc::new(schema),
        native: None,
        columns: version.columns.clone().unwrap_or_default(),
        selectable_fields: selectable
            .map(|field| Text::from(field.json_path.trim_start_matches('.')))
            .collect(),
        status: version.has_status(),
        scale: scale.map(|scale| Scale {
            spec_replicas_path: scale.spec_replicas_path.clone(),
            status_replicas_path: scale.status_replicas_path.clone(),
            label_selector_path: scale.label_selector_path.clone(),
        }),
        name_format: None,
        rule_places: Vec::new(),
    })
}
