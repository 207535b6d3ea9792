//! OpenAPI documents, version 3 and version 2, into kinds.
//!
//! A document publishes two sorts of kinds. Custom resources are written in one piece; they become
//! the definition that they were made from, as far as the document says ([`custom`]). Kinds with
//! extensions of Ordain's are read as the declarations that they are ([`declared`]). Typed kinds
//! are made of named Go types that refer to each other; they become a schema of their own
//! ([`build`]) and are read as Go reads them, by the codec of
//! native kinds ([`ordain_strategy::typed::codec`]).

mod build;
mod custom;
mod declared;
pub mod json_schema;

use std::collections::{BTreeMap, BTreeSet};

use ordain_meta::GroupVersionKind;
use ordain_schema::Schema;
use ordain_schema::declared::Kind;
use ordain_value::{Map, Text, Value, value};

/// A document and the kinds in it.
#[derive(Clone, Debug)]
pub struct Document {
    schemas: Map,
    dialect: Dialect,
    entries: Vec<Entry>,
}

/// One kind of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub gvk: GroupVersionKind,
    /// Name of its model.
    name: Text,
    /// Whether its objects live in namespaces; unknown when no path says so.
    pub namespaced: Option<bool>,
    /// Whether a path for `status` exists.
    pub has_status: bool,
    /// The name of the resource in paths, when there is one.
    plural: Option<Text>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dialect {
    V2,
    V3,
}

/// What the paths say about a kind.
#[derive(Clone, Debug, Default)]
struct Paths {
    namespaced: bool,
    has_status: bool,
    plural: Option<Text>,
}

/// A kind, in the form in which it is judged.
#[derive(Clone, Debug)]
pub enum Form {
    /// As a CustomResourceDefinition.
    Custom(Value),
    /// As a declared kind, by what only Ordain publishes.
    Declared(Box<Kind>),
    /// As a schema of Go types.
    Typed(Schema),
}

/// Whether a value looks like an OpenAPI document.
#[must_use]
pub fn is_document(value: &Value) -> bool {
    let text = |key: &str| value.text(key);
    text("openapi").starts_with("3.") || text("swagger") == "2.0"
}

/// Reads a document.
///
/// # Errors
/// When it is none, or has no models.
pub fn read(document: &Value) -> Result<Document, String> {
    let text = |key: &str| document.text(key);
    let (dialect, models) = if text("openapi").starts_with("3.") {
        (Dialect::V3, document.get_path(&["components", "schemas"]))
    } else if text("swagger") == "2.0" {
        (Dialect::V2, document.get("definitions"))
    } else {
        return Err("neither an OpenAPI 3 nor a Swagger 2.0 document".to_owned());
    };
    let schemas = models.and_then(Value::as_map).cloned().unwrap_or_default();
    let paths = read_paths(document.get("paths"));
    let mut entries = Vec::new();
    for (name, model) in schemas.iter() {
        let has_meta = model.get_path(&["properties", "metadata"]).is_some_and(is_object_meta);
        for gvk in gvks(model).filter(|_| has_meta) {
            let reported = paths.get(&gvk);
            entries.push(Entry {
                name: name.clone(),
                namespaced: reported.map(|it| it.namespaced),
                has_status: reported.is_some_and(|it| it.has_status),
                plural: reported.and_then(|it| it.plural.clone()),
                gvk,
            });
        }
    }
    Ok(Document { schemas, dialect, entries })
}

/// `metadata` of an object, and not of a list.
fn is_object_meta(metadata: &Value) -> bool {
    match target(metadata) {
        Some(name) => name.ends_with(".ObjectMeta"),
        None => metadata.get("type").and_then(Value::as_str) == Some("object"),
    }
}

/// The model that a place refers to, also through an `allOf` of one.
fn target(place: &Value) -> Option<String> {
    let direct = |it: &Value| {
        let pointer = it.get("$ref")?.as_str()?;
        let name = pointer.rsplit('/').next()?;
        Some(name.replace("~1", "/").replace("~0", "~"))
    };
    direct(place).or_else(|| match place.get("allOf")?.as_list()?.as_ref() {
        [one] => direct(one),
        _ => None,
    })
}

fn gvks(model: &Value) -> impl Iterator<Item = GroupVersionKind> {
    model.items("x-kubernetes-group-version-kind").iter().filter_map(gvk)
}

fn gvk(value: &Value) -> Option<GroupVersionKind> {
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    let kind = text("kind").filter(|it| !it.is_empty())?;
    Some(GroupVersionKind::new(text("group").unwrap_or_default(), text("version")?, kind))
}

fn read_paths(paths: Option<&Value>) -> BTreeMap<GroupVersionKind, Paths> {
    let mut reported: BTreeMap<GroupVersionKind, Paths> = BTreeMap::new();
    for (path, item) in paths.and_then(Value::as_map).into_iter().flat_map(Map::iter) {
        for (_, operation) in item.as_map().into_iter().flat_map(Map::iter) {
            let Some(gvk) = operation.get("x-kubernetes-group-version-kind").and_then(gvk) else {
                continue;
            };
            let entry = reported.entry(gvk).or_default();
            entry.namespaced |= path.contains("/namespaces/{namespace}/");
            entry.has_status |= path.ends_with("/status");
            let action = operation.get("x-kubernetes-action").and_then(Value::as_str);
            if action == Some("post") && !path.contains("{name}") {
                entry.plural = path.rsplit('/').next().map(Text::from);
            }
        }
    }
    reported
}

impl Document {
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The entry of a kind.
    #[must_use]
    pub fn entry(&self, gvk: &GroupVersionKind) -> Option<&Entry> {
        self.entries.iter().find(|it| it.gvk == *gvk)
    }

    /// A kind in the form in which it is judged.
    ///
    /// # Errors
    /// When its model says something that is not understood.
    pub fn form(&self, entry: &Entry) -> Result<Form, String> {
        let model = self.schemas.get(&entry.name).ok_or("the document lost a model")?;
        if self.is_custom(entry) && !declared::is_declared(model) {
            return custom::definition(entry, model).map(Form::Custom);
        }
        if self.is_declared(entry) {
            return declared::kind(entry, &self.schemas).map(|it| Form::Declared(Box::new(it)));
        }
        build::schema(&self.schemas, &entry.name).map(Form::Typed)
    }

    /// Whether a kind is one that Ordain serves as declared.
    fn is_declared(&self, entry: &Entry) -> bool {
        let own = |name: &Text| !name.starts_with("io.k8s.");
        let models = self.closure(&entry.name).into_iter().filter(own);
        let mut models = models.filter_map(|it| self.schemas.get(&it));
        own(&entry.name) && models.any(declared::is_declared)
    }

    /// Whether a kind is a custom resource: one piece, without references to types of its own.
    fn is_custom(&self, entry: &Entry) -> bool {
        const META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.";
        !entry.name.starts_with("io.k8s.")
            && self.closure(&entry.name).iter().all(|it| *it == entry.name || it.starts_with(META))
    }

    /// All models that one is made of.
    fn closure(&self, name: &Text) -> BTreeSet<Text> {
        let mut closed = BTreeSet::from([name.clone()]);
        let mut pending = vec![name.clone()];
        while let Some(name) = pending.pop() {
            let mut values: Vec<&Value> = self.schemas.get(&name).into_iter().collect();
            while let Some(value) = values.pop() {
                if let Some(name) = target(value).map(Text::from)
                    && closed.insert(name.clone())
                {
                    pending.push(name);
                }
                match value {
                    Value::Map(map) => values.extend(map.values()),
                    Value::List(list) => values.extend(list.iter()),
                    _ => {}
                }
            }
        }
        closed
    }

    /// A document that holds one kind and what it is made of.
    #[must_use]
    pub fn alone(&self, entry: &Entry) -> Value {
        let closure = self.closure(&entry.name);
        let models: Map = closure
            .into_iter()
            .filter_map(|name| Some((name.clone(), self.schemas.get(&name)?.clone())))
            .collect();
        let gvk = &entry.gvk;
        let about = value!({
            "group": (gvk.group.as_str()), "version": (gvk.version.as_str()), "kind": (gvk.kind.as_str())
        });
        let mut paths = Map::new();
        if let Some(namespaced) = entry.namespaced {
            let plural = entry.plural.clone().unwrap_or_else(|| gvk.kind.to_lowercase().into());
            let root = if gvk.group.is_empty() { "/api" } else { "/apis/" };
            let space = if namespaced { "/namespaces/{namespace}" } else { "" };
            let path = format!("{root}{}/{}{space}/{plural}", gvk.group, gvk.version);
            let post = value!({"post": {
                "x-kubernetes-action": "post", "x-kubernetes-group-version-kind": about.clone()
            }});
            paths.insert(path.as_str(), post);
            if entry.has_status {
                let put = value!({"put": {
                    "x-kubernetes-action": "put", "x-kubernetes-group-version-kind": about
                }});
                paths.insert(format!("{path}/{{name}}/status"), put);
            }
        }
        let (models, paths) = (Value::Map(models), Value::Map(paths));
        match self.dialect {
            Dialect::V3 => value!({
                "openapi": "3.0.0", "paths": paths, "components": {"schemas": models}
            }),
            Dialect::V2 => value!({"swagger": "2.0", "paths": paths, "definitions": models}),
        }
    }
}
