//! Kinds, their versions, and the markers that speak of them.

use std::collections::{BTreeMap, BTreeSet};

use ordain_idl::graph::{NamedId, Package};
use ordain_idl::group;
use ordain_idl::plural;
use ordain_idl::tags::marker::{Marker, MarkerValue};
use ordain_idl::{Diagnostic, Pos, lower};
use ordain_schema::crd::Column;
use ordain_value::{Map, Text, Value};

use super::flatten::truncate_descriptions;
use super::known::of;
use super::{File, Generator, find};

const METAV1: &str = "k8s.io/apimachinery/pkg/apis/meta/v1";

/// What a package is as a part of the API.
#[derive(Clone, Debug)]
struct GroupVersion {
    group: Text,
    /// The package states that it is of the group without a name, and that one is wanted.
    core: bool,
    version: Text,
}

/// A CRD in the making.
struct Draft {
    plural: String,
    singular: String,
    short_names: Vec<Value>,
    categories: Vec<Value>,
    scope: Text,
    annotations: Map,
    labels: Map,
    versions: BTreeMap<Text, Version>,
}

#[derive(Default)]
struct Version {
    schema: Value,
    served: bool,
    storage: bool,
    deprecated: bool,
    warning: Option<Text>,
    columns: Vec<Value>,
    selectable: Vec<Value>,
    subresources: Option<Map>,
}

impl Generator<'_> {
    pub(super) fn run(&mut self, wanted: &dyn Fn(&Package) -> bool) -> Vec<File> {
        let universe = self.universe;
        let mut kinds: BTreeSet<(String, Text, Text)> = BTreeSet::new();
        let mut packages: Vec<(&Package, GroupVersion)> = Vec::new();
        for package in universe.requested().filter(|package| wanted(package)) {
            let Some(gv) = self.group_version(package) else { continue };
            if !self.options.core_group && self.is_core(package) {
                continue;
            }
            for (name, id) in &package.types {
                if !self.is_kind(*id) {
                    continue;
                }
                if gv.group.is_empty() && !gv.core {
                    let pos = universe.named(*id).pos;
                    let message = format!("package `{}` has kinds but no API group", package.path);
                    let help = "write `// +groupName=example.com` above its package clause";
                    self.diagnostics.push(Diagnostic::error("group", pos, message).help(help));
                    continue;
                }
                kinds.insert((format!("{name}.{}", gv.group), gv.group.clone(), name.clone()));
            }
            packages.push((package, gv));
        }
        packages.sort_by(|a, b| a.0.path.cmp(&b.0.path));
        kinds.iter().filter_map(|(_, group, kind)| self.crd(&packages, group, kind)).collect()
    }

    /// Group and version of a package; none when it is to be passed over.
    fn group_version(&mut self, package: &Package) -> Option<GroupVersion> {
        let markers = self.markers(package.id);
        if find(&markers.package, "kubebuilder:skip").is_some() {
            return None;
        }
        let stated = group::group_version(self.universe, package, &markers.package);
        let core = self.options.core_group && stated.group.as_ref().is_some_and(|it| it.is_empty());
        Some(GroupVersion {
            group: stated.group.unwrap_or_default(),
            core,
            version: stated.version,
        })
    }

    /// Whether a package states that its kinds are those of the core group, which none but
    /// Kubernetes itself can define.
    fn is_core(&mut self, package: &Package) -> bool {
        let markers = self.markers(package.id);
        let stated = group::group_version(self.universe, package, &markers.package).group;
        let kind = package.types.values().find(|id| self.is_kind(**id)).copied();
        let Some(kind) = kind.filter(|_| stated.is_some_and(|it| it.is_empty())) else {
            return false;
        };
        let message = "the core group has no CustomResourceDefinitions: its kinds are left out";
        let pos = self.universe.named(kind).pos;
        let finding = Diagnostic::warning("group", pos, message);
        self.diagnostics.push(finding.help("give the kinds a group of their own"));
        true
    }

    /// Whether a type embeds both parts that make an object.
    fn is_kind(&self, id: NamedId) -> bool {
        let named = self.universe.named(id);
        let ordain_idl::graph::Type::Struct(fields) = self.universe.ty(named.target) else {
            return false;
        };
        let embeds = |name: &str| {
            self.universe.struct_type(*fields).fields.iter().any(|field| {
                field.embedded
                    && matches!(self.universe.ty(field.ty), ordain_idl::graph::Type::Named(id)
                        if self.universe.named(*id).name == name
                            && self.universe.package_of(*id).path == METAV1)
            })
        };
        !named.alias && embeds("TypeMeta") && embeds("ObjectMeta")
    }

    fn crd(
        &mut self,
        packages: &[(&Package, GroupVersion)],
        group: &Text,
        kind: &Text,
    ) -> Option<File> {
        let mut draft = Draft {
            plural: plural::of(kind),
            singular: kind.to_lowercase(),
            short_names: Vec::new(),
            categories: Vec::new(),
            scope: Text::new_static("Namespaced"),
            annotations: Map::new(),
            labels: Map::new(),
            versions: BTreeMap::new(),
        };
        let mut place = None;
        for (package, gv) in packages.iter().filter(|(_, gv)| gv.group == *group) {
            let Some(id) = package.types.get(kind).copied() else { continue };
            let named = self.universe.named(id);
            place.get_or_insert(named.pos);
            let all = self.markers(package.id);
            let markers = all.of_type(named);
            // A skipped version has no place to apply its other markers to.
            if find(markers, "kubebuilder:skipversion").is_none() {
                let schema = self.root_schema(id);
                let version = Version { schema, served: true, ..Version::default() };
                if draft.versions.insert(gv.version.clone(), version).is_some() {
                    let message = format!(
                        "version {} of {kind}.{group} is declared by more than one package",
                        gv.version
                    );
                    self.error("version", named.pos, message);
                }
            }
            for marker in markers {
                if let Err(message) = draft.apply(marker, &gv.version) {
                    self.error("marker", named.pos, message);
                }
            }
            let paths = lower::paths_of(self.universe, id);
            self.diagnostics.extend(paths.diagnostics);
            if let Some(version) = draft.versions.get_mut(&gv.version) {
                version.columns.extend(paths.columns.iter().map(Column::encode));
                let selectable = paths.selectable.iter().map(|it| selectable(&format!(".{it}")));
                version.selectable.extend(selectable);
            }
        }
        let place = place?;
        if draft.versions.is_empty() {
            let message = format!("all versions of {kind}.{group} are skipped");
            self.diagnostics.push(Diagnostic::warning("version", place, message));
            return None;
        }
        self.check_versions(&mut draft, kind, group, place);
        let name = format!("{group}_{}.yaml", draft.plural);
        Some(File { name, crd: draft.finish(self.options, group, kind) })
    }

    fn root_schema(&mut self, id: NamedId) -> Value {
        let mut schema = self.flat(id);
        if let Some(max) = self.options.max_desc_len {
            truncate_descriptions(&mut schema, max);
        }
        if let Some(metadata) = schema.properties.as_mut().and_then(|p| p.get_mut("metadata")) {
            **metadata = of("object");
        }
        self.tags.declare_names(id, &mut schema);
        schema.encode()
    }

    fn check_versions(&mut self, draft: &mut Draft, kind: &Text, group: &Text, place: Pos) {
        if draft.versions.len() == 1 {
            draft.versions.values_mut().for_each(|version| version.storage = true);
        }
        let stored = draft.versions.values().filter(|version| version.storage).count();
        if stored == 0 {
            let message = format!("CRD for {kind}.{group} has no storage version");
            let help = "write `// +kubebuilder:storageversion` above the kind in one version";
            self.diagnostics.push(Diagnostic::error("version", place, message).help(help));
        } else if stored > 1 {
            let message = format!("CRD for {kind}.{group} has {stored} storage versions");
            let help = "keep `+kubebuilder:storageversion` in one version";
            self.diagnostics.push(Diagnostic::error("version", place, message).help(help));
        }
        if !draft.versions.values().any(|version| version.served) {
            let names: Vec<&str> = draft.versions.keys().map(Text::as_str).collect();
            let message = format!(
                "CRD for {kind}.{group} with version(s) {} does not serve any version",
                names.join(", ")
            );
            self.error("version", place, message);
        }
    }
}

fn texts(value: Option<&MarkerValue>) -> Vec<Value> {
    value.map(MarkerValue::as_strings).unwrap_or_default().into_iter().map(Value::from).collect()
}

fn map<const N: usize>(entries: [(&'static str, Option<Value>); N]) -> Map {
    entries
        .into_iter()
        .filter_map(|(key, value)| value.map(|value| (Text::new_static(key), value)))
        .collect()
}

fn selectable(path: &str) -> Value {
    Value::Map(map([("jsonPath", Some(Value::from(path)))]))
}

fn text(value: &str) -> Option<Value> {
    (!value.is_empty()).then(|| Value::from(value))
}

fn list(values: Vec<Value>) -> Option<Value> {
    (!values.is_empty()).then(|| Value::from(values))
}

impl Draft {
    /// Applies a marker of a version's kind.
    fn apply(&mut self, marker: &Marker, version: &Text) -> Result<(), String> {
        let arg = |name| marker.arg(name).and_then(MarkerValue::as_str).unwrap_or("");
        match marker.name {
            "kubebuilder:resource" => return self.names(marker),
            "kubebuilder:metadata" => return self.metadata(marker),
            name => {
                let Some(version) = self.versions.get_mut(version) else { return Ok(()) };
                match name {
                    "kubebuilder:subresource:status" => {
                        let subresources = version.subresources.get_or_insert_default();
                        subresources.insert(Text::new_static("status"), Value::Map(Map::new()));
                    }
                    "kubebuilder:subresource:scale" => {
                        let selector = marker.arg("selectorpath").and_then(MarkerValue::as_str);
                        let scale = map([
                            ("labelSelectorPath", selector.map(Value::from)),
                            ("specReplicasPath", Some(Value::from(arg("specpath")))),
                            ("statusReplicasPath", Some(Value::from(arg("statuspath")))),
                        ]);
                        let subresources = version.subresources.get_or_insert_default();
                        subresources.insert(Text::new_static("scale"), Value::Map(scale));
                    }
                    "kubebuilder:printcolumn" => version.column(marker),
                    "kubebuilder:selectablefield" => {
                        version.selectable.push(selectable(arg("JSONPath")));
                    }
                    "kubebuilder:storageversion" => version.storage = true,
                    "kubebuilder:unservedversion" => version.served = false,
                    "kubebuilder:deprecatedversion" => {
                        version.deprecated = true;
                        version.warning =
                            marker.arg("warning").and_then(MarkerValue::as_str).map(Text::from);
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn names(&mut self, marker: &Marker) -> Result<(), String> {
        let arg = |name| marker.arg(name).and_then(MarkerValue::as_str).unwrap_or("");
        if !matches!(arg("scope"), "" | "Namespaced" | "Cluster") {
            return Err(format!("scope {} is neither Namespaced nor Cluster", arg("scope")));
        }
        if !arg("path").is_empty() {
            self.plural = arg("path").to_string();
        }
        if !arg("singular").is_empty() {
            self.singular = arg("singular").to_string();
        }
        self.short_names = texts(marker.arg("shortName"));
        self.categories = texts(marker.arg("categories"));
        self.scope = Text::from(if arg("scope").is_empty() { "Namespaced" } else { arg("scope") });
        Ok(())
    }

    fn metadata(&mut self, marker: &Marker) -> Result<(), String> {
        for (argument, word, into) in [
            ("annotations", "annotation", &mut self.annotations),
            ("labels", "label", &mut self.labels),
        ] {
            let pairs = marker.arg(argument).map(MarkerValue::as_strings).unwrap_or_default();
            for pair in pairs {
                let Some((key, value)) = pair.split_once('=') else {
                    return Err(format!("{word} {pair} is not in 'xxx=xxx' format"));
                };
                into.insert(Text::from(key), Value::from(value));
            }
        }
        Ok(())
    }

    fn finish(self, options: &super::Options, group: &Text, kind: &Text) -> Value {
        let mut annotations = self.annotations;
        if let Some(version) = &options.controller_gen_version {
            let key = Text::new_static("controller-gen.kubebuilder.io/version");
            annotations.insert(key, Value::from(version.clone()));
        }
        let some = |map: Map| (!map.is_empty()).then_some(Value::Map(map));
        let metadata = map([
            ("annotations", some(annotations)),
            ("labels", some(self.labels)),
            ("name", Some(Value::from(format!("{}.{group}", self.plural)))),
        ]);
        let names = map([
            ("categories", list(self.categories)),
            ("kind", Some(Value::from(kind.clone()))),
            ("listKind", Some(Value::from(format!("{kind}List")))),
            ("plural", Some(Value::from(self.plural))),
            ("shortNames", list(self.short_names)),
            ("singular", Some(Value::from(self.singular))),
        ]);
        let versions: Vec<Value> =
            self.versions.into_iter().map(|(name, version)| version.finish(name)).collect();
        let spec = map([
            ("group", Some(Value::from(group.clone()))),
            ("names", Some(Value::Map(names))),
            ("preserveUnknownFields", options.preserve_unknown_fields.map(Value::from)),
            ("scope", Some(Value::from(self.scope))),
            ("versions", Some(Value::from(versions))),
        ]);
        Value::Map(map([
            ("apiVersion", Some(Value::from("apiextensions.k8s.io/v1"))),
            ("kind", Some(Value::from("CustomResourceDefinition"))),
            ("metadata", Some(Value::Map(metadata))),
            ("spec", Some(Value::Map(spec))),
        ]))
    }
}

impl Version {
    fn column(&mut self, marker: &Marker) {
        let arg = |name| marker.arg(name).and_then(MarkerValue::as_str).unwrap_or("");
        let priority = marker.arg("priority").and_then(MarkerValue::as_int).unwrap_or(0);
        self.subresources.get_or_insert_default();
        self.columns.push(Value::Map(map([
            ("description", text(arg("description"))),
            ("format", text(arg("format"))),
            ("jsonPath", Some(Value::from(arg("JSONPath")))),
            ("name", Some(Value::from(arg("name")))),
            ("priority", (priority != 0).then_some(Value::Int(priority))),
            ("type", Some(Value::from(arg("type")))),
        ])));
    }

    fn finish(self, name: Text) -> Value {
        let schema = map([("openAPIV3Schema", Some(self.schema))]);
        Value::Map(map([
            ("additionalPrinterColumns", list(self.columns)),
            ("deprecated", self.deprecated.then_some(Value::Bool(true))),
            ("deprecationWarning", self.warning.map(Value::from)),
            ("name", Some(Value::from(name))),
            ("schema", Some(Value::Map(schema))),
            ("selectableFields", list(self.selectable)),
            ("served", Some(Value::Bool(self.served))),
            ("storage", Some(Value::Bool(self.storage))),
            ("subresources", self.subresources.map(Value::Map)),
        ]))
    }
}
