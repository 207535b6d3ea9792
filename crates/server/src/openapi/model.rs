//! Models of built-in kinds and of what all kinds share.

use ordain_meta::GroupVersion;
use ordain_registry::subresource::{self, Access};
use ordain_registry::{Catalog, Family, RestConfig, group_versions};
use ordain_schema::{Additional, Declared, ListType, MapType, Node, NodeId, Schema, Type, Union};
use ordain_value::{Map, Text, Value, value};

use super::paths::contents;

const META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1";
pub(super) const API_VERSION: &str = "APIVersion defines the version of the schema of this object.";
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
        let mut place = self.reference(name);
        if description.is_empty() {
            return place;
        }
        if self == Self::V3 {
            place = value!({"allOf": [place]});
        }
        place.set_path(&["description"], description.into());
        place
    }

    /// An answer of a server with a body of one of some media types.
    pub(super) fn answer(self, about: &str, types: &[&str], body: &Value) -> Value {
        match self {
            Self::V2 => value!({"description": about, "schema": body}),
            Self::V3 => value!({"description": about, "content": (contents(types, body))}),
        }
    }

    pub(super) fn object_meta(self) -> Value {
        self.described(&format!("{META}.ObjectMeta"), "Standard object's metadata.")
    }
}

/// Metadata of objects, which every document needs.
pub(super) fn add_metadata(catalog: &Catalog, dialect: Dialect, schemas: &mut Map) {
    let schema = catalog.get("", "configmaps").and_then(|it| it.strategy.schema("v1"));
    if let Some(schema) = schema
        && let Some(metadata) = schema.root_node().property("metadata")
    {
        define(schema, metadata, dialect, schemas);
    }
}

/// Lists, options and answers, for documents of what is stored.
pub(super) fn add_common(scope: &Scope<'_>, dialect: Dialect, schemas: &mut Map) {
    let status = format!("{META}.Status");
    if schemas.contains_key(&status) {
        return;
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
        model.insert("x-kubernetes-group-version-kind", scope.kinds("DeleteOptions"));
    }
}

/// The groups and versions that a document is about.
pub(super) enum Scope<'a> {
    /// One of the server's own, for which its own server documents it.
    Own(&'a str, &'a str),
    /// All: documents of custom resources and of version 2 name every version there is.
    All,
}

impl Scope<'_> {
    /// A kind that every group and version has.
    fn kinds(&self, kind: &str) -> Value {
        let all: Vec<GroupVersion> = match self {
            Self::Own("", version) => vec![GroupVersion::new("", *version)],
            Self::Own(group, version) => {
                vec![GroupVersion::new("", "v1"), GroupVersion::new(*group, *version)]
            }
            Self::All => group_versions::known().collect(),
        };
        let kinds = all.into_iter().map(
            |it| value!({"group": (it.group.as_str()), "kind": kind, "version": (it.version.as_str())}),
        );
        kinds.collect::<Vec<_>>().into()
    }
}

/// Events of watches, which the paths of built-in kinds refer to.
pub(super) fn add_events(scope: &Scope<'_>, dialect: Dialect, schemas: &mut Map) {
    let raw = "io.k8s.apimachinery.pkg.runtime.RawExtension";
    schemas.insert(raw, value!({"type": "object"}));
    let event = value!({
        "type": "object",
        "required": ["type", "object"],
        "properties": {
            "object": {"allOf": [(dialect.reference(raw))]},
            "type": {"type": "string", "default": ""}
        },
        "x-kubernetes-group-version-kind": (scope.kinds("WatchEvent"))
    });
    schemas.insert(format!("{META}.WatchEvent"), event);
}

/// The kinds of subresources, which the paths of built-in kinds refer to.
pub(super) fn add_parts(resource: &RestConfig, dialect: Dialect, schemas: &mut Map) {
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

/// Says by which fields clients may select.
pub(super) fn add_selectable(resource: &RestConfig, version: &str, model: &mut Map) {
    let fields = resource.version(version).map(|it| it.selectable_fields.as_slice());
    let fields = fields.unwrap_or_default();
    if !fields.is_empty() {
        let list = fields.iter().map(|path| value!({"fieldPath": (path.as_str())}));
        model.insert("x-kubernetes-selectable-fields", list.collect());
    }
}

/// Gives the model of a kind what the server knows of it, whoever wrote its schema.
pub(super) fn add_object_fields(model: &mut Value, dialect: Dialect) {
    model.set_path(&["properties", "metadata"], dialect.object_meta());
    for (name, about) in [("apiVersion", API_VERSION), ("kind", KIND)] {
        let field = value!({"type": "string", "description": about});
        model.set_path(&["properties", name], field);
    }
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
    let mut model = value!({
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
    if let (Family::Custom, Dialect::V2, Value::Map(model)) = (resource.family, dialect, &mut model)
    {
        add_selectable(resource, version, model);
    }
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

/// A type of definitions that says nothing about its JSON.
macro_rules! definition_type {
    ($name:literal) => {
        (concat!("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.", $name), "", "", &[])
    };
}

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
        // Either of two forms, which no JSON type covers.
        "v1.JSON" => definition_type!("JSON"),
        "v1.JSONSchemaPropsOrArray" => definition_type!("JSONSchemaPropsOrArray"),
        "v1.JSONSchemaPropsOrBool" => definition_type!("JSONSchemaPropsOrBool"),
        "v1.JSONSchemaPropsOrStringArray" => definition_type!("JSONSchemaPropsOrStringArray"),
        "v1.FieldsV1" => ("io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1", "object", "", &[]),
        _ => return None,
    })
}

/// The definition of a type with a JSON form of its own.
fn special_model((_, ty, format, choice): Special, dialect: Dialect) -> Value {
    if choice.is_empty() || dialect == Dialect::V2 {
        return value!({"type"?: ty, "format"?: format});
    }
    let types: Value = choice.iter().map(|ty| value!({"type": (*ty)})).collect();
    value!({"oneOf": types, "format"?: format})
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
        let mut model = match go_type.and_then(special) {
            Some(own) => special_model(own, dialect),
            // What a place adds to its type is not part of the type.
            None => {
                let plain = node.declared.as_ref().and_then(|it| it.type_node);
                let node = plain.map_or(node, |id| schema.node(id));
                content(schema, node, dialect, &mut pending, true)
            }
        };
        if let (Some(kind), Value::Map(model)) = (group_versions::kind_of_model(&name), &mut model)
        {
            let kind = value!([{
                "group": (kind.group.as_str()),
                "kind": (kind.kind.as_str()),
                "version": (kind.version.as_str())
            }]);
            model.insert("x-kubernetes-group-version-kind", kind);
        }
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
    let hidden = node.declared.as_ref().is_some_and(|it| it.default_hidden);
    let written = node.default.clone().filter(|_| !hidden);
    let default = written.or_else(|| zero(node, omitted));
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
        own_extensions(schema, node, map);
    }
    place
}

/// What a place says of a named type that the type itself does not.
fn own_extensions(schema: &Schema, node: &Node, map: &mut Map) {
    let Some(declared) = &node.declared else { return };
    let plain = declared.type_node.map(|id| schema.node(id));
    patch_extensions(declared, map);
    if let Some(ty) = node.map_type
        && plain.is_some_and(|it| it.map_type != Some(ty))
    {
        map.insert("x-kubernetes-map-type", map_type(ty).into());
    }
}

fn patch_extensions(declared: &Declared, map: &mut Map) {
    if !declared.patch_strategy.is_empty() {
        map.insert("x-kubernetes-patch-strategy", declared.patch_strategy.join(",").into());
    }
    if let Some(key) = &declared.patch_merge_key {
        map.insert("x-kubernetes-patch-merge-key", Value::Str(key.clone()));
    }
}

fn map_type(ty: MapType) -> &'static str {
    match ty {
        MapType::Atomic => "atomic",
        MapType::Granular => "granular",
    }
}

/// What a place holds that is not given: Go writes the zero values of what is neither a pointer
/// nor left out when empty, and of all structures.
fn zero(node: &Node, omitted: bool) -> Option<Value> {
    let declared = node.declared.as_ref()?;
    if declared.pointer || declared.go_type.as_deref().and_then(special).is_some() {
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
    let ty = if node.ty == Type::IntOrString { "string" } else { node.ty.name() };
    for (key, text) in [("description", description), ("type", ty)] {
        if !text.is_empty() {
            map.insert(key, text.into());
        }
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
    if let Some(ty) = node.map_type {
        map.insert("x-kubernetes-map-type", map_type(ty).into());
    }
    let Some(declared) = &node.declared else { return };
    let unions: Vec<Value> = declared.legacy_unions.iter().map(union).collect();
    if !unions.is_empty() {
        map.insert("x-kubernetes-unions", unions.into());
    }
    patch_extensions(declared, map);
}

/// A union as built-in types publish it.
fn union(union: &Union) -> Value {
    let members = union.members.iter().map(|it| (it.field.clone(), Value::Str(it.value.clone())));
    value!({
        "discriminator"?: (union.discriminator.as_ref()),
        "fields-to-discriminateBy": (members.collect::<Map>())
    })
}
