//! Models of built-in kinds and of what all kinds share.

use std::collections::BTreeSet;

use ordain_registry::subresource::{self, Access};
use ordain_registry::{Catalog, Family, RestConfig};
use ordain_schema::{Additional, ListType, MapType, Node, NodeId, Schema, Type, Union};
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

/// What the paths of built-in kinds refer to besides the kind: events of watches, and the kinds of
/// subresources.
pub(super) fn add_parts(resource: &RestConfig, dialect: Dialect, schemas: &mut Map) {
    let raw = "io.k8s.apimachinery.pkg.runtime.RawExtension";
    schemas.insert(raw, value!({"type": "object"}));
    let event = value!({
        "type": "object",
        "required": ["type", "object"],
        "properties": {
            "object": {"allOf": [(dialect.reference(raw))]},
            "type": {"type": "string", "default": ""}
        }
    });
    let name = format!("{META}.WatchEvent");
    if !schemas.contains_key(&name) {
        schemas.insert(name, event);
    }
    let scaled = resource.versions.iter().any(|it| it.scale.is_some());
    let others = resource.subresources.iter().map(Text::as_str);
    for part in others.chain(scaled.then_some("scale")) {
        let mut kind = subresource::kind(resource, part);
        if kind.kind == resource.kind || Access::of(part) == Access::Connect {
            continue;
        }
        if kind.version.is_empty() {
            kind.group = resource.group.clone();
        }
        if let Some(schema) = ordain_registry::schema_of(&kind.group, &kind.kind) {
            define(&schema, schema.root(), dialect, schemas);
        }
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
    let mut list_meta = dialect.described(&format!("{META}.ListMeta"), "Metadata of the list.");
    let mut items = dialect.reference(item);
    if resource.family == Family::BuiltIn && dialect == Dialect::V3 {
        items = value!({"allOf": [items], "default": {}});
        list_meta.set_path(&["default"], Value::Map(Map::new()));
    }
    let model = value!({
        "description": (format!("{list_kind} is a list of {kind}")),
        "type": "object",
        "required": ["items"],
        "properties": {
            "apiVersion": {"type": "string", "description": API_VERSION},
            "kind": {"type": "string", "description": KIND},
            "metadata": (list_meta),
            "items": {
                "type": "array",
                "description": (format!("List of {}.", resource.plural)),
                "items": (items)
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

/// The published name of a place's type; types with a JSON form of their own have one by their Go
/// name.
fn type_name(node: &Node) -> Option<Text> {
    let declared = node.declared.as_ref()?;
    let own = declared.go_type.as_deref().and_then(special).map(|it| Text::new_static(it.0));
    own.or_else(|| declared.type_name.clone())
}

/// Go types whose JSON is not their shape: published name, JSON type in version 2, format, and the
/// types that version 3 lets clients choose from.
type Special = (&'static str, &'static str, &'static str, &'static [&'static str]);

fn special(go_type: &str) -> Option<Special> {
    Some(match go_type {
        "v1.Time" => ("io.k8s.apimachinery.pkg.apis.meta.v1.Time", "string", "date-time", &[]),
        "v1.MicroTime" => {
            ("io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime", "string", "date-time", &[])
        }
        "resource.Quantity" => {
            ("io.k8s.apimachinery.pkg.api.resource.Quantity", "string", "", &["string", "number"])
        }
        "intstr.IntOrString" => (
            "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
            "string",
            "int-or-string",
            &["integer", "string"],
        ),
        "runtime.RawExtension" => {
            ("io.k8s.apimachinery.pkg.runtime.RawExtension", "object", "", &[])
        }
        _ => return None,
    })
}

/// The definition of a type with a JSON form of its own.
fn special_model((_, ty, format, choice): Special, dialect: Dialect) -> Value {
    let mut map = Map::new();
    if choice.is_empty() || dialect == Dialect::V2 {
        map.insert("type", ty.into());
    } else {
        let types = choice.iter().map(|ty| value!({"type": (*ty)}));
        map.insert("oneOf", types.collect::<Vec<_>>().into());
    }
    if !format.is_empty() {
        map.insert("format", format.into());
    }
    Value::Map(map)
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
        let go_type = node.declared.as_ref().and_then(|it| it.go_type.as_deref());
        let model = match go_type.and_then(special) {
            Some(own) => special_model(own, dialect),
            // What a place adds to its type is not part of the type.
            None => {
                let plain = node.declared.as_ref().and_then(|it| it.type_node);
                let node = plain.map_or(node, |id| schema.node(id));
                content(schema, node, dialect, &mut pending, true)
            }
        };
        schemas.insert(name, model);
    }
}

/// A place of the schema: a reference when its type has a name. Fields are described, so that a
/// reference from one always has something beside it.
fn place(
    schema: &Schema,
    id: NodeId,
    dialect: Dialect,
    field: Option<&Node>,
    pending: &mut Vec<NodeId>,
) -> Value {
    let node = schema.node(id);
    let omitted = field.is_some_and(|it| it.declared.as_ref().is_some_and(|it| it.strip_zero));
    let default = node.default.clone().or_else(|| zero(node, omitted));
    let default = default.filter(|_| dialect == Dialect::V3);
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
    let typed = node.declared.as_ref().is_some_and(|it| it.go_type.is_some());
    let beside = default.is_some() || (field.is_some() && typed && dialect == Dialect::V3);
    if let Value::Map(map) = &mut place {
        if beside && let Some(reference) = map.remove("$ref") {
            map.insert("allOf", value!([{"$ref": reference}]));
        }
        if let Some(default) = default {
            map.insert("default", default);
        }
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
        if !validation.enumeration.is_empty() && node.ty == Type::String {
            let mut values = validation.enumeration.clone();
            values.sort_by(|a, b| a.as_str().cmp(&b.as_str()));
            map.insert("enum", values.into());
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
            properties.insert(name.clone(), place(schema, *id, dialect, Some(field), pending));
        }
        map.insert("properties", Value::Map(properties));
    }
    if let Additional::Node(id) = node.additional {
        map.insert("additionalProperties", place(schema, id, dialect, None, pending));
    }
    if let Some(id) = node.items {
        map.insert("items", place(schema, id, dialect, None, pending));
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
    let unions = declared.unions.iter().filter(|it| it.legacy).map(union);
    let unions: Vec<Value> = unions.collect();
    if !unions.is_empty() {
        map.insert("x-kubernetes-unions", unions.into());
    }
    if !declared.patch_strategy.is_empty() {
        map.insert("x-kubernetes-patch-strategy", declared.patch_strategy.join(",").into());
    }
    if let Some(key) = &declared.patch_merge_key {
        map.insert("x-kubernetes-patch-merge-key", Value::Str(key.clone()));
    }
}

/// A union as built-in types publish it.
fn union(union: &Union) -> Value {
    let mut map = Map::new();
    if let Some(discriminator) = &union.discriminator {
        map.insert("discriminator", Value::Str(discriminator.clone()));
    }
    let members = union.members.iter().map(|it| (it.field.clone(), Value::Str(it.value.clone())));
    map.insert("fields-to-discriminateBy", Value::Map(Map::from_entries(members.collect())));
    Value::Map(map)
}
