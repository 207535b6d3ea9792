//! Kinds and their versions.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ordain_meta::gvk::compare_versions;
use ordain_schema::crd::Column;
use ordain_schema::declared::{Api, Kind, Native, Scale, Version};
use ordain_schema::{Node, Type};
use ordain_value::Text;

use super::metadata;
use super::overlay::rule_of;
use super::style::{is_custom_style, is_published};
use super::{Form, Lowered, Lowering, path};
use crate::diagnostic::Diagnostic;
use crate::graph::{NamedId, Package, Universe};
use crate::group::{GroupVersion, group_version};
use crate::native;
use crate::plural;
use crate::tags::codetag;
use crate::tags::marker::{Marker, MarkerValue, PackageMarkers};
use crate::validation;

/// A package that takes part, with what its comments say.
struct Part<'u> {
    package: &'u Package,
    markers: PackageMarkers,
    stated: GroupVersion,
}

pub(super) fn lower(universe: &Universe, form: Form) -> Lowered {
    let mut out = Lowered::default();
    let mut parts = Vec::new();
    let mut kinds: BTreeSet<(Text, Text)> = BTreeSet::new();
    for package in universe.requested() {
        if is_custom_style(universe, package) {
            continue;
        }
        let Some(part) = part(universe, package, &mut out.diagnostics) else { continue };
        for (name, id) in &package.types {
            if !is_kind(universe, *id) {
                continue;
            }
            let Some(group) = &part.stated.group else {
                let message = format!("package `{}` has kinds but no API group", package.path);
                let help = "write `// +groupName=example.com` above its package clause, or declare \
                            a constant GroupName";
                let pos = universe.named(*id).pos;
                out.diagnostics.push(Diagnostic::error("group", pos, message).help(help));
                continue;
            };
            kinds.insert((group.clone(), name.clone()));
        }
        parts.push(part);
    }
    parts.sort_by(|a, b| a.package.path.cmp(&b.package.path));
    let natives = natives(universe, form, &parts, &mut out.diagnostics);
    for (group, name) in kinds {
        let mut lowering =
            Kinds { universe, form, parts: &parts, natives: &natives, diagnostics: Vec::new() };
        let kind = lowering.kind(&group, &name);
        out.diagnostics.extend(lowering.diagnostics);
        out.api.kinds.extend(kind);
    }
    unique_resources(&out.api, &mut out.diagnostics);
    out
}

/// Two kinds of a group cannot be served under one name.
fn unique_resources(api: &Api, diagnostics: &mut Vec<Diagnostic>) {
    let mut seen: BTreeMap<String, &Text> = BTreeMap::new();
    for kind in &api.kinds {
        if let Some(other) = seen.insert(kind.resource_name(), &kind.kind) {
            let message = format!(
                "{}: kinds {other} and {} have the same resource name {}",
                kind.place,
                kind.kind,
                kind.resource_name()
            );
            diagnostics.push(Diagnostic::nowhere("lower", message));
        }
    }
}

fn part<'u>(
    universe: &'u Universe,
    package: &'u Package,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Part<'u>> {
    let markers = PackageMarkers::read(universe, package);
    let find = |name: &str| markers.package.iter().find(|it| it.name == name);
    if find("kubebuilder:skip").is_some() {
        return None;
    }
    diagnostics.extend(markers.diagnostics.iter().cloned());
    let stated = group_version(universe, package, &markers.package);
    Some(Part { package, markers, stated })
}

/// Whether a type embeds both parts that make an object.
fn is_kind(universe: &Universe, id: NamedId) -> bool {
    let named = universe.named(id);
    let embeds = |name: &str| {
        universe.fields(named.target).iter().any(|field| {
            field.embedded
                && universe.as_named(field.ty).is_some_and(|id| {
                    universe.named(id).name == name
                        && universe.package_of(id).path == "k8s.io/apimachinery/pkg/apis/meta/v1"
                })
        })
    };
    !named.alias && named.params.is_empty() && embeds("TypeMeta") && embeds("ObjectMeta")
}

/// The native programs by package.
fn natives(
    universe: &Universe,
    form: Form,
    parts: &[Part<'_>],
    diagnostics: &mut Vec<Diagnostic>,
) -> BTreeMap<Text, Arc<ordain_schema::native::Program>> {
    let options = validation::Options { all_types: true, no_lint: true, newer_tags_pass: true };
    let (declared, found) = validation::declare(universe, &options);
    diagnostics.extend(found);
    // Packages that ask for validation-gen are held to its lint rules as well.
    let lints = validation::Options { newer_tags_pass: true, ..validation::Options::default() };
    diagnostics.extend(validation::declare(universe, &lints).1);
    let mut out = BTreeMap::new();
    for part in parts {
        let types = part.package.types.iter();
        let ruled: Vec<(Text, NamedId)> = types
            .filter(|(_, id)| form == Form::Typed && is_kind(universe, **id))
            .map(|(name, id)| (name.clone(), *id))
            .collect();
        if form == Form::Declared {
            diagnostics.extend(native::refuse_rules(universe, part.package));
        }
        let (program, found) = native::lower_package(universe, &declared, part.package.id, &ruled);
        diagnostics.extend(found);
        if !program.roots.is_empty() || !program.written.roots.is_empty() {
            out.insert(part.package.path.clone(), Arc::new(program));
        }
    }
    out
}

struct Kinds<'a, 'u> {
    universe: &'u Universe,
    form: Form,
    parts: &'a [Part<'u>],
    natives: &'a BTreeMap<Text, Arc<ordain_schema::native::Program>>,
    diagnostics: Vec<Diagnostic>,
}

impl Kinds<'_, '_> {
    fn kind(&mut self, group: &Text, name: &Text) -> Option<Kind> {
        let universe = self.universe;
        let mut kind = Kind {
            group: group.clone(),
            kind: name.clone(),
            list_kind: format!("{name}List").into(),
            plural: plural::of(name).into(),
            singular: name.to_lowercase().into(),
            namespaced: true,
            ..Kind::default()
        };
        let mut stored = Vec::new();
        let mut pos = None;
        for part in self.parts.iter().filter(|part| part.stated.group.as_ref() == Some(group)) {
            let Some(id) = part.package.types.get(name).copied() else { continue };
            if !is_kind(universe, id) {
                continue;
            }
            let named = universe.named(id);
            pos.get_or_insert(named.pos);
            let markers = part.markers.of_type(named);
            if markers.iter().any(|it| it.name == "kubebuilder:skipversion") {
                continue;
            }
            if kind.version(&part.stated.version).is_some() {
                let message = format!(
                    "version {} of {name}.{group} is declared by more than one package",
                    part.stated.version
                );
                self.diagnostics.push(Diagnostic::error("version", named.pos, message));
                continue;
            }
            let lines = universe.comment_lines(&named.docs);
            for line in codetag::extract("+", &lines) {
                match line.name {
                    "genclient:nonNamespaced" => kind.namespaced = false,
                    "resourceName" => {
                        let value = line.text.split_once('=').map_or("", |(_, value)| value);
                        kind.plural = value.trim().into();
                    }
                    _ => {}
                }
            }
            let mut version = self.version(part, id)?;
            for marker in markers {
                apply(marker, &mut kind, &mut version, &mut stored);
            }
            kind.versions.push(version);
        }
        let pos = pos?;
        kind.place = universe.position(pos).to_string().into();
        self.storage_version(&mut kind, &stored, pos);
        (!kind.versions.is_empty()).then_some(kind)
    }

    fn storage_version(&mut self, kind: &mut Kind, stored: &[Text], pos: crate::source::Pos) {
        let only = (kind.versions.len() == 1).then(|| kind.versions[0].name.clone());
        let stored_version = stored.first().cloned().or(only);
        kind.storage_version = stored_version.or_else(|| self.preferred(kind)).unwrap_or_default();
        let (name, group) = (&kind.kind, &kind.group);
        let help = "write `// +kubebuilder:storageversion` above the kind in one version";
        if kind.storage_version.is_empty() {
            let message = format!("{name}.{group} has several versions and no storage version");
            self.diagnostics.push(Diagnostic::error("version", pos, message).help(help));
        } else if stored.len() > 1 {
            let message = format!("{name}.{group} has {} storage versions", stored.len());
            self.diagnostics.push(Diagnostic::error("version", pos, message).help(help));
        }
        if !kind.versions.iter().any(|it| it.served) {
            let message = format!("{name}.{group} does not serve any version");
            self.diagnostics.push(Diagnostic::error("version", pos, message));
        }
    }

    /// The version that is stored where no tag says it: in packages of Kubernetes' own, whose
    /// servers decide that elsewhere, the most stable one.
    fn preferred(&self, kind: &Kind) -> Option<Text> {
        let holds = |part: &&Part<'_>| {
            part.stated.group.as_ref() == Some(&kind.group)
                && part.package.types.contains_key(&kind.kind)
        };
        let published = |part: &Part<'_>| is_published(self.universe, part.package);
        let names = kind.versions.iter().map(|it| it.name.clone());
        let own = self.parts.iter().filter(holds).all(published);
        names.filter(|_| own).max_by(|a, b| compare_versions(a, b))
    }

    fn version(&mut self, part: &Part<'_>, id: NamedId) -> Option<Version> {
        let universe = self.universe;
        let mut lowering = Lowering::new(universe, self.form);
        let root = lowering.type_node(universe.type_of(id));
        lowering.lower_structs();
        // Metadata has a shape of its own, whatever the declaration of its type says.
        let metadata = universe.json_fields(universe.type_of(id));
        let has_metadata = metadata.iter().any(|it| it.key == "metadata");
        if has_metadata && self.form == Form::Declared {
            lowering.object_metadata(id);
        }
        let named = universe.named(id);
        let type_format = {
            let (found, _) = crate::proposals::constraints(universe, &named.docs, named.ty);
            found.name_format
        };
        let mut finished = lowering.finish(root);
        self.diagnostics.append(&mut finished.diagnostics);
        let schema = Arc::new(finished.schema?);
        let paths = path::collect(universe, id);
        self.diagnostics.extend(paths.diagnostics);
        let native = self.natives.get(&part.package.path).and_then(|program| {
            program.root_type(&named.name)?;
            Some(Native { program: Arc::clone(program), root: named.name.clone() })
        });
        Some(Version {
            name: part.stated.version.clone(),
            served: true,
            deprecated: false,
            deprecation_warning: None,
            status: schema.root_node().property("status").is_some(),
            native,
            columns: paths.columns,
            selectable_fields: paths.selectable,
            scale: None,
            name_format: finished.name_format.or(type_format).map(Text::from),
            rule_places: finished.rule_places,
            schema,
        })
    }
}

impl Lowering<'_> {
    /// Replaces the metadata of a kind by what every object has there.
    fn object_metadata(&mut self, kind: NamedId) {
        let struct_type = self.universe.underlying(self.universe.type_of(kind));
        let Some(root) = self.types.get(&struct_type).copied() else { return };
        let Some(metadata) = self.nodes[root.index()].property("metadata") else { return };
        let tagged = self.pending.remove(&metadata).and_then(|it| it.overlay);
        for rule in tagged.iter().flat_map(|it| &it.constraints.rules) {
            let pos = rule.pos.unwrap_or(self.universe.named(kind).pos);
            self.rule(root, pos, metadata::lifted(&rule_of(rule)));
        }
        self.nodes[metadata.index()] = Node { ty: Type::Object, ..Node::default() };
        self.nodes[root.index()].validation_mut().required.retain(|it| it != "metadata");
    }
}

fn apply(marker: &Marker, kind: &mut Kind, version: &mut Version, stored: &mut Vec<Text>) {
    let arg = |name: &str| marker.arg(name).and_then(MarkerValue::as_str).unwrap_or("");
    let texts = |name: &str| -> Vec<Text> {
        let found = marker.arg(name).map(MarkerValue::as_strings).unwrap_or_default();
        found.into_iter().map(Text::from).collect()
    };
    match marker.name {
        "kubebuilder:resource" => {
            if !arg("path").is_empty() {
                kind.plural = arg("path").into();
            }
            if !arg("singular").is_empty() {
                kind.singular = arg("singular").into();
            }
            kind.short_names = texts("shortName");
            kind.categories = texts("categories");
            kind.namespaced = arg("scope") != "Cluster";
        }
        "kubebuilder:storageversion" => stored.push(version.name.clone()),
        "kubebuilder:unservedversion" => version.served = false,
        "kubebuilder:deprecatedversion" => {
            version.deprecated = true;
            version.deprecation_warning =
                marker.arg("warning").and_then(MarkerValue::as_str).map(Text::from);
        }
        "kubebuilder:printcolumn" => version.columns.push(Column {
            name: arg("name").into(),
            ty: arg("type").into(),
            format: arg("format").into(),
            description: arg("description").into(),
            priority: marker.arg("priority").and_then(MarkerValue::as_int).unwrap_or(0),
            json_path: arg("JSONPath").into(),
        }),
        "kubebuilder:selectablefield" => {
            let path = arg("JSONPath").trim_start_matches('.');
            version.selectable_fields.push(path.into());
        }
        "kubebuilder:subresource:scale" => {
            let selector = marker.arg("selectorpath").and_then(MarkerValue::as_str);
            version.scale = Some(Scale {
                spec_replicas_path: arg("specpath").into(),
                status_replicas_path: arg("statuspath").into(),
                label_selector_path: selector.map(Text::from),
            });
        }
        _ => {}
    }
}
