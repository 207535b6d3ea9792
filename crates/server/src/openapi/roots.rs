//! The paths that list what is served, `/apis/apps/` and `/apis/apps/v1/`, with the models of what
//! they answer with.

use ordain_value::{Map, Text, Value, value};

use super::model::Dialect;
use super::paths::{capital, group_name, texts};

const META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1";
pub(super) const TYPES: [&str; 3] =
    ["application/json", "application/vnd.kubernetes.protobuf", "application/yaml"];

/// The path of a group, which lists its versions.
pub(super) fn add_group(group: &str, dialect: Dialect, paths: &mut Map, schemas: &mut Map) {
    let tag = group_name(group);
    let id = format!("get{}APIGroup", capital(&tag));
    let path = path(&id, tag, "what versions a group has", "APIGroup", dialect);
    paths.insert(format!("/apis/{group}/"), path);
    group_models(dialect, schemas);
}

/// The path of a version, which lists its resources.
pub(super) fn add_version(
    group: &str,
    version: &str,
    dialect: Dialect,
    paths: &mut Map,
    schemas: &mut Map,
) {
    let tag = group_name(group);
    let id = format!("get{}{}APIResources", capital(&tag), capital(version));
    let tag = format!("{tag}_{version}");
    let path = path(&id, tag, "what resources a version has", "APIResourceList", dialect);
    let place = match group {
        "" => format!("/api/{version}/"),
        group => format!("/apis/{group}/{version}/"),
    };
    paths.insert(place, path);
    version_models(dialect, schemas);
}

fn path(id: &str, tag: String, about: &str, model: &str, dialect: Dialect) -> Value {
    let reference = dialect.reference(&format!("{META}.{model}"));
    let is_v2 = dialect == Dialect::V2;
    value!({"get": {
        "description": about,
        "operationId": id,
        "responses": {
            "200": (dialect.answer("OK", &TYPES, &reference)), "401": {"description": "Unauthorized"}
        },
        "tags": [tag],
        "consumes"?: (is_v2.then(|| texts(&TYPES))),
        "produces"?: (is_v2.then(|| texts(&TYPES))),
        "schemes"?: (is_v2.then(|| texts(&["https"])))
    }})
}

/// Writes a model of discovery. Fields that Go always writes show their zero value, in v3 only.
struct Writer {
    dialect: Dialect,
}

impl Writer {
    fn with_zero(&self, mut schema: Value, zero: Value) -> Value {
        if let (Dialect::V3, Value::Map(map)) = (self.dialect, &mut schema) {
            map.insert("default", zero);
        }
        schema
    }

    fn text(&self) -> Value {
        self.with_zero(value!({"type": "string"}), "".into())
    }

    fn model(&self, name: &str) -> Value {
        let reference = self.dialect.reference(&format!("{META}.{name}"));
        match self.dialect {
            Dialect::V2 => reference,
            Dialect::V3 => value!({"allOf": [reference], "default": {}}),
        }
    }
}

fn atomic(items: Value) -> Value {
    value!({"type": "array", "items": items, "x-kubernetes-list-type": "atomic"})
}

fn kind(name: &str) -> Value {
    value!([{"group": "", "kind": name, "version": "v1"}])
}

fn add(name: &str, model: Value, schemas: &mut Map) {
    schemas.insert(Text::from(format!("{META}.{name}")), model);
}

fn group_models(dialect: Dialect, schemas: &mut Map) {
    let writer = Writer { dialect };
    let group = value!({
        "type": "object",
        "description": "A group and its versions.",
        "required": ["name", "versions"],
        "properties": {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "name": (writer.text()),
            "preferredVersion": (writer.model("GroupVersionForDiscovery")),
            "serverAddressByClientCIDRs": (atomic(writer.model("ServerAddressByClientCIDR"))),
            "versions": (atomic(writer.model("GroupVersionForDiscovery")))
        },
        "x-kubernetes-group-version-kind": (kind("APIGroup"))
    });
    add("APIGroup", group, schemas);
    let version = value!({
        "type": "object",
        "description": "A version of a group.",
        "required": ["groupVersion", "version"],
        "properties": {"groupVersion": (writer.text()), "version": (writer.text())}
    });
    add("GroupVersionForDiscovery", version, schemas);
    let address = value!({
        "type": "object",
        "description": "Where clients of a network find the server.",
        "required": ["clientCIDR", "serverAddress"],
        "properties": {"clientCIDR": (writer.text()), "serverAddress": (writer.text())}
    });
    add("ServerAddressByClientCIDR", address, schemas);
}

fn version_models(dialect: Dialect, schemas: &mut Map) {
    let writer = Writer { dialect };
    let list = value!({
        "type": "object",
        "description": "The resources of a version.",
        "required": ["groupVersion", "resources"],
        "properties": {
            "apiVersion": {"type": "string"},
            "groupVersion": (writer.text()),
            "kind": {"type": "string"},
            "resources": (atomic(writer.model("APIResource")))
        },
        "x-kubernetes-group-version-kind": (kind("APIResourceList"))
    });
    add("APIResourceList", list, schemas);
    let resource = value!({
        "type": "object",
        "description": "A resource: its names, scope and verbs.",
        "required": ["name", "singularName", "namespaced", "kind", "verbs"],
        "properties": {
            "categories": (atomic(writer.text())),
            "group": {"type": "string"},
            "kind": (writer.text()),
            "name": (writer.text()),
            "namespaced": (writer.with_zero(value!({"type": "boolean"}), false.into())),
            "shortNames": (atomic(writer.text())),
            "singularName": (writer.text()),
            "storageVersionHash": {"type": "string"},
            "verbs": {"type": "array", "items": (writer.text())},
            "version": {"type": "string"}
        }
    });
    add("APIResource", resource, schemas);
}
