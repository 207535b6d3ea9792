//! Models of built-in kinds and of what all kinds share.

use std::collections::BTreeSet;

use ordain_registry::{Catalog, Family, RestConfig};
use ordain_schema::{Additional, ListType, MapType, Node, NodeId, Schema, Type};
use ordain_value::{Map, Text, Value, value};

const META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1";
pub(super) const API_VERSION: &str = "Names the versioned schema of this object.";
pub(super) const KIND: &str = "Names the kind of this object.";

/// Which OpenAPI a document is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    V2,
    V3,
}

impl Dialect {
    pub(super) fn reference(self, name: &str) -> Value {
        let prefix = match self {
            Self::V2 => "#/definitions/",
            Self::V3 => "#/components/schemas/",
        };
        value!({"$ref": (format!("{prefix}{name}"))})
    }

    /// A reference with more beside it, which v3 does not allow in one object.
    fn described(self, name: &str, description: &str) -> Value {
        let mut map = Map::new();
        match self {
            Self::V2 => {
                if let Value::Map(reference) = self.reference(name) {
                    map = reference;
                }
            }
            Self::V3 if description.is_empty() => return self.reference(name),
            Self::V3 => {
                map.insert("allOf", vec![self.reference(name)].into());
            }
        }
        if !description.is_empty() {
            map.insert("description", description.into());
        }
        Value::Map(map)
    }

    pub(super) fn object_meta(self) -> Value {
        self.described(&format!("{META}.ObjectMeta"), "Metadata of the object.")
    }
}

/// Metadata, lists, options and answers, which every document needs.
pub(super) fn add_common(catalog: &Catalog, dialect: Dialect, schemas: &mut Map) {
    let status = format!("{META}.Status");
    if schemas.contains_key(&status) {
        return;
    }
    let schema = catalog.get("", "configmaps").and_then(|it| it.strategy.schema("v1"));
    if let Some(schema) = schema
        && let Some(metadata) = schema.root_node().property("metadata")
    {
        define(schema, metadata, dialect, schemas);
    }
    let options = ordain_registry::meta_v1::delete_options();
    define(&options, options.root(), dialect, schemas);
    schemas.insert(
        format!("{META}.Patch"),
        value!({"description": "The body of a patch.", "type": "object"}),
    );
    let answer = ordain_registry::meta_v1::status();
    define(&answer, answer.root(), dialect, schemas);
    if let Some(Value::Map(model)) = schemas.get_mut(&status) {
        let kinds = value!([{"group": "", "kind": "Status", "version": "v1"}]);
        model.insert("x-kubernetes-group-version-kind", kinds);
    }
    if let Some(Value::Map(model)) = schemas.get_mut(&format!("{META}.DeleteOptions")) {
        model.insert("x-kubernetes-group-version-kind", options_kinds(catalog));
    }
}

/// The options of a delete belong to every group and version of the server's own.
fn options_kinds(catalog: &Catalog) -> Value {
    let own = catalog.iter().filter(|it| it.family == Family::BuiltIn);
    let served = own.flat_map(|it| {
        let versions = it.versions.iter().filter(|version| version.served);
        versions.map(|version| (it.group.clone(), version.name.clone()))
    });
    let served: BTreeSet<(Text, Text)> = served.collect();
    let kinds = served.into_iter().map(
        |(group, version)| value!({"group": group, "kind": "DeleteOptions", "version": version}),
    );
    kinds.collect::<Vec<_>>().into()
}

/// Adds a declared kind with everything it refers to.
pub(super) fn add_kind(
    resource: &RestConfig,
    version: &str,
    schema: &Schema,
    dialect: Dialect,
    schemas: &mut Map,
) -> Text {
    define(schema, schema.root(), dialect, schemas);
    let name = type_name(schema.root_node()).unwrap_or_default();
    if let Some(Value::Map(model)) = schemas.get_mut(&name) {
        model
            .insert("x-kubernetes-group-version-kind", gvk_list(resource, version, &resource.kind));
    }
    name
}

pub(super) fn gvk(resource: &RestConfig, version: &str, kind: &str) -> Value {
    value!({"group": (resource.group.as_str()), "kind": kind, "version": version})
}

pub(super) fn gvk_list(resource: &RestConfig, version: &str, kind: &str) -> Value {
    vec![gvk(resource, version, kind)].into()
}

/// Adds the list of a kind.
pub(super) fn add_list(
    resource: &RestConfig,
    version: &str,
    item: &str,
    dialect: Dialect,
    schemas: &mut Map,
) {
    let (kind, list_kind) = (&resource.kind, &resource.list_kind);
    let name = list_name(item, resource);
    let model = value!({
        "description": (format!("{list_kind} is a list of {kind}")),
        "type": "object",
        "required": ["items"],
        "properties": {
            "apiVersion": {"type": "string", "description": API_VERSION},
            "kind": {"type": "string", "description": KIND},
            "metadata": (dialect.described(&format!("{META}.ListMeta"), "Metadata of the list.")),
            "items": {
                "type": "array",
                "description": (format!("List of {}.", resource.plural)),
                "items": (dialect.reference(item))
            }
        },
        "x-kubernetes-group-version-kind": (gvk_list(resource, version, list_kind))
    });
    schemas.insert(name, model);
}

pub(super) fn list_name(item: &str, resource: &RestConfig) -> String {
    let package = item.rsplit_once('.').map_or("", |(package, _)| package);
    format!("{package}.{}", resource.list_kind)
}

fn type_name(node: &Node) -> Option<Text> {
    node.declared.as_ref().and_then(|declared| declared.type_name.clone())
}

/// Adds the definition of a named type, and of all it refers to.
fn define(schema: &Schema, id: NodeId, dialect: Dialect, schemas: &mut Map) {
    let mut pending = vec![id];
    while let Some(id) = pending.pop() {
        let node = schema.node(id);
        let Some(name) = type_name(node) else { continue };
        if schemas.contains_key(&name) {
            continue;
        }
        schemas.insert(name, content(schema, node, dialect, &mut pending, true));
    }
}

/// A place of the schema: a reference when its type has a name.
fn place(
    schema: &Schema,
    id: NodeId,
    dialect: Dialect,
    omitted: bool,
    pending: &mut Vec<NodeId>,
) -> Value {
    let node = schema.node(id);
    let default = zero(node, omitted).filter(|_| dialect == Dialect::V3);
    let Some(name) = type_name(node) else {
        let mut place = content(schema, node, dialect, pending, false);
        if let (Some(default), Value::Map(map)) = (default, &mut place) {
            map.insert("default", default);
        }
        return place;
    };
    pending.push(id);
    let description = node.docs.as_ref().map_or("", |docs| docs.description.as_str());
    let mut place = dialect.described(&name, description);
    if let (Some(default), Value::Map(map)) = (default, &mut place) {
        if let Some(reference) = map.remove("$ref") {
            map.insert("allOf", value!([{"$ref": reference}]));
        }
        map.insert("default", default);
    }
    place
}

/// What a place holds that is not given: Go writes the zero values of what is neither a pointer
/// nor left out when empty, and of all structures.
fn zero(node: &Node, omitted: bool) -> Option<Value> {
    let declared = node.declared.as_ref()?;
    if declared.pointer {
        return None;
    }
    let formatted = node.validation.as_ref().is_some_and(|it| !it.format.is_empty());
    match node.ty {
        Type::Object if !node.properties.is_empty() => Some(Value::Map(Map::new())),
        Type::String if !omitted && !formatted => Some("".into()),
        Type::Boolean if !omitted => Some(Value::Bool(false)),
        Type::Integer if !omitted => Some(Value::Int(0)),
        _ => None,
    }
}

fn content(
    schema: &Schema,
    node: &Node,
    dialect: Dialect,
    pending: &mut Vec<NodeId>,
    is_definition: bool,
) -> Value {
    let mut map = Map::new();
    let description = node.docs.as_ref().map_or("", |docs| docs.description.as_str());
    if !description.is_empty() {
        map.insert("description", description.into());
    }
    let ty = if node.ty == Type::IntOrString { "string" } else { node.ty.name() };
    if !ty.is_empty() {
        map.insert("type", ty.into());
    }
    if let Some(validation) = &node.validation {
        if !validation.format.is_empty() {
            map.insert("format", Value::Str(validation.format.clone()));
        }
        if !validation.required.is_empty() && is_definition {
            let required = validation.required.iter().cloned().map(Value::Str);
            map.insert("required", required.collect::<Vec<_>>().into());
        }
    }
    if !node.properties.is_empty() {
        let mut properties = Map::new();
        for (name, id) in &node.properties {
            let field = schema.node(*id);
            let omitted = field.declared.as_ref().is_some_and(|it| it.strip_zero);
            properties.insert(name.clone(), place(schema, *id, dialect, omitted, pending));
        }
        map.insert("properties", Value::Map(properties));
    }
    if let Additional::Node(id) = node.additional {
        map.insert("additionalProperties", place(schema, id, dialect, false, pending));
    }
    if let Some(id) = node.items {
        map.insert("items", place(schema, id, dialect, false, pending));
    }
    extensions(node, &mut map);
    Value::Map(map)
}

fn extensions(node: &Node, map: &mut Map) {
    let list_type = node.list_type.map(|ty| match ty {
        ListType::Atomic => "atomic",
        ListType::Set => "set",
        ListType::Map => "map",
    });
    if let Some(ty) = list_type {
        map.insert("x-kubernetes-list-type", ty.into());
    }
    if !node.list_map_keys.is_empty() {
        let keys = node.list_map_keys.iter().cloned().map(Value::Str);
        map.insert("x-kubernetes-list-map-keys", keys.collect::<Vec<_>>().into());
    }
    if node.map_type == Some(MapType::Atomic) {
        map.insert("x-kubernetes-map-type", "atomic".into());
    }
    let Some(declared) = &node.declared else { return };
    if !declared.patch_strategy.is_empty() {
        map.insert("x-kubernetes-patch-strategy", declared.patch_strategy.join(",").into());
    }
    if let Some(key) = &declared.patch_merge_key {
        map.insert("x-kubernetes-patch-merge-key", Value::Str(key.clone()));
    }
}
