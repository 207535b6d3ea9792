//! OpenAPI documents: an index with hashes, one v3 document for each group and version, and the
//! v2 document of everything. They are made when they are asked for and kept until the kinds change.

mod connect;
mod custom;
mod declared;
mod gnostic;
mod model;
mod operation;
mod paths;
mod roots;

use std::sync::Arc;

use http::header::{CACHE_CONTROL, HeaderValue, LOCATION, VARY};
use http::{Response, StatusCode};
use ordain_meta::Status;
use ordain_registry::{Catalog, Family, RestConfig, Target, VersionConfig, crd, group_versions};
use ordain_value::{Map, Text, Value, json, value};

use crate::digest;
use crate::documents::{Document, Subject};
use crate::response::{self, Body};
use crate::router::Exchange;
use model::{Dialect, Scope};

const GNOSTIC_V2: &str = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
/// What older clients ask for. `@` is no character of a media type, so the answer never carries it.
const GNOSTIC_V2_OLD: &str = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

/// Answers a path below `/openapi`.
pub(crate) async fn handle(exchange: &Exchange<'_>, segments: &[&str]) -> Response<Body> {
    let answer = match segments {
        ["openapi", "v2"] => v2(exchange).await,
        ["openapi", "v3"] => index(exchange).await,
        ["openapi", "v3", "api", version] => v3(exchange, "", version).await,
        ["openapi", "v3", "apis", group] => group_document(exchange, group).await,
        ["openapi", "v3", "apis", group, version] => v3(exchange, group, version).await,
        _ => return response::page_not_found(),
    };
    answer.unwrap_or_else(|status| response::plain_status(&status))
}

/// The stored definition of a custom resource. Each is read when it is needed: all of them together
/// may be much more than the document that is made.
async fn definition(
    exchange: &Exchange<'_>,
    resource: &RestConfig,
) -> Result<Option<Value>, Status> {
    if resource.family == Family::BuiltIn {
        return Ok(None);
    }
    let registry = &exchange.app.registry;
    let found = registry.catalog().get(crd::GROUP, "customresourcedefinitions").cloned();
    let Some(definitions) = found else { return Ok(None) };
    let target = Target {
        version: "v1".into(),
        namespace: Text::default(),
        name: format!("{}.{}", resource.plural, resource.group).into(),
        resource: definitions,
    };
    match registry.get(&target, "").await {
        Ok(definition) => Ok(Some(definition)),
        Err(status) if status.http_code() == 404 => Ok(None),
        Err(status) => Err(status),
    }
}

/// The resources of a group and version.
fn members<'a>(
    catalog: &'a Catalog,
    group: &'a str,
    version: &'a str,
) -> impl Iterator<Item = &'a Arc<RestConfig>> {
    catalog.iter().filter(move |it| it.group == group && it.served(version).is_some())
}

/// What the document of a group and version is made of, as a hash.
async fn hash_of(
    exchange: &Exchange<'_>,
    catalog: &Catalog,
    group: &str,
    version: &str,
) -> Result<String, Status> {
    let mut hash = digest::Sha512::default();
    hash.update(format!("{group}/{version}/{}", env!("CARGO_PKG_VERSION")).as_bytes());
    for resource in members(catalog, group, version) {
        hash.update(resource.plural.as_bytes());
        let crd = definition(exchange, resource).await?;
        if let Some(spec) = crd.as_ref().and_then(|crd| crd.get("spec")) {
            hash.update(&json::encode(spec));
        }
    }
    Ok(hash.hex())
}

async fn index(exchange: &Exchange<'_>) -> Result<Response<Body>, Status> {
    let subject = Subject::of(&exchange.app.registry);
    let catalog = &subject.catalog;
    let index = exchange.app.documents.made(&subject, "v3 index", || async {
        let mut paths = Map::new();
        let url = |name: &str, hash: &str| {
            let url = format!("/openapi/v3/{name}?hash={hash}");
            value!({"serverRelativeURL": url})
        };
        for resource in catalog.iter() {
            let group = resource.group.as_str();
            for version in resource.versions.iter().filter(|version| version.served) {
                let version = version.name.as_str();
                let name = if group.is_empty() {
                    format!("api/{version}")
                } else {
                    format!("apis/{group}/{version}")
                };
                if subject.remote(group, version).is_none() && !paths.contains_key(&name) {
                    let hash = hash_of(exchange, catalog, group, version).await?;
                    let url = url(&name, &hash);
                    paths.insert(name, url);
                }
            }
            let name = format!("apis/{group}");
            let own = resource.family == Family::BuiltIn && !group.is_empty();
            if own && !paths.contains_key(&name) {
                let url = url(&name, &group_hash(group));
                paths.insert(name, url);
            }
        }
        // The documents of others are passed on, and have no name by content here.
        for remote in subject.remotes.iter().filter(|it| it.is_available) {
            let name = format!("apis/{}/{}", remote.group, remote.version);
            let url = format!("/openapi/v3/{name}");
            paths.insert(name, value!({"serverRelativeURL": url}));
        }
        Ok(json::encode(&value!({"paths": paths})))
    });
    let mut response = index.await?.answer(exchange, "text/plain; charset=utf-8");
    response.headers_mut().remove(VARY);
    response.headers_mut().remove(CACHE_CONTROL);
    Ok(response)
}

async fn v3(exchange: &Exchange<'_>, group: &str, version: &str) -> Result<Response<Body>, Status> {
    let subject = Subject::of(&exchange.app.registry);
    let catalog = &subject.catalog;
    if members(catalog, group, version).next().is_none() {
        return Ok(response::page_not_found());
    }
    let name = format!("v3 {group}/{version}");
    let made = exchange.app.documents.made(&subject, &name, || async {
        Ok(line(&v3_document(exchange, catalog, group, version).await?))
    });
    let made = made.await?;
    let name = format!("{name} hash");
    let hash = exchange.app.documents.made(&subject, &name, || async {
        Ok(hash_of(exchange, catalog, group, version).await?.into_bytes())
    });
    let hash = hash.await?;
    Ok(hashed(exchange, made, &String::from_utf8_lossy(&hash.bytes)))
}

/// The document of a group of the server's own: the path that lists its versions.
async fn group_document(exchange: &Exchange<'_>, group: &str) -> Result<Response<Body>, Status> {
    let subject = Subject::of(&exchange.app.registry);
    let own = |it: &Arc<RestConfig>| it.family == Family::BuiltIn && it.group == group;
    if group.is_empty() || !subject.catalog.iter().any(own) {
        return Ok(response::page_not_found());
    }
    let name = format!("v3 {group}");
    let made = exchange.app.documents.made(&subject, &name, || async {
        let (mut paths, mut schemas) = (Map::new(), Map::new());
        roots::add_group(group, Dialect::V3, &mut paths, &mut schemas);
        Ok(line(&own_document(paths, schemas)))
    });
    Ok(hashed(exchange, made.await?, &group_hash(group)))
}

fn group_hash(group: &str) -> String {
    digest::sha512_hex(format!("{group}/{}", env!("CARGO_PKG_VERSION")).as_bytes())
}

fn line(document: &Value) -> Vec<u8> {
    let mut bytes = json::encode(document);
    bytes.push(b'\n');
    bytes
}

/// The answer with a document: who asks for another state of it is sent to this one.
fn hashed(exchange: &Exchange<'_>, mut document: Document, hash: &str) -> Response<Body> {
    document.hash = hash.into();
    let asked = exchange.query.get("hash").unwrap_or("");
    if !asked.is_empty() && asked != hash {
        let path = exchange.info.segments.join("/");
        return moved(&format!("/{path}?hash={hash}"));
    }
    let mut response = document.answer(exchange, "application/json");
    if !asked.is_empty() {
        let immutable = HeaderValue::from_static("public, immutable");
        response.headers_mut().insert(CACHE_CONTROL, immutable);
    }
    response
}

async fn v3_document(
    exchange: &Exchange<'_>,
    catalog: &Catalog,
    group: &str,
    version: &str,
) -> Result<Value, Status> {
    let mut schemas = Map::new();
    let mut routes = Map::new();
    let mut custom = false;
    for resource in members(catalog, group, version) {
        custom |= resource.family == Family::Custom;
        let scope = match resource.family {
            Family::BuiltIn => Scope::Own(group, version),
            Family::Custom => Scope::All,
        };
        let crd = definition(exchange, resource).await?;
        let crd = crd.as_ref();
        let model = add_models(catalog, &scope, resource, version, crd, Dialect::V3, &mut schemas);
        paths::add(resource, version, &model, Dialect::V3, &mut routes);
    }
    if !custom {
        roots::add_version(group, version, Dialect::V3, &mut routes, &mut schemas);
        return Ok(own_document(routes, schemas));
    }
    Ok(value!({
        "openapi": "3.0.0",
        "info": {"title": "Kubernetes CRD Swagger", "version": "v0.1.0"},
        "paths": routes,
        "components": {"schemas": schemas}
    }))
}

/// A document of the server's own kinds.
fn own_document(paths: Map, schemas: Map) -> Value {
    value!({
        "openapi": "3.0.0",
        "info": (info()),
        "paths": paths,
        "components": {"schemas": schemas, "securitySchemes": (security())}
    })
}

fn info() -> Value {
    value!({"title": "Kubernetes", "version": (group_versions::RELEASE)})
}

fn security() -> Value {
    value!({
        "BearerToken": {
            "description": "Bearer Token authentication",
            "type": "apiKey",
            "name": "authorization",
            "in": "header"
        }
    })
}

fn moved(location: &str) -> Response<Body> {
    let mut response = response::text(301, "");
    *response.status_mut() = StatusCode::MOVED_PERMANENTLY;
    if let Ok(location) = HeaderValue::from_str(location) {
        response.headers_mut().insert(LOCATION, location);
    }
    response
}

/// Adds the models of a resource and returns the name of its own.
fn add_models(
    catalog: &Catalog,
    scope: &Scope<'_>,
    resource: &RestConfig,
    version: &str,
    crd: Option<&Value>,
    dialect: Dialect,
    schemas: &mut Map,
) -> Text {
    model::add_metadata(catalog, dialect, schemas);
    let own = resource.family == Family::BuiltIn;
    let declared = declared::add(resource, version, dialect, schemas);
    // Definitions are judged by rules of their own and declared for documents and protobuf.
    let written = || ordain_registry::schema_of(&resource.group, &resource.kind);
    let name = match (declared, resource.strategy.schema(version)) {
        (Some(name), _) => name,
        (None, Some(schema)) => model::add_kind(resource, version, schema, dialect, schemas),
        (None, None) => match written().filter(|_| own) {
            Some(schema) => model::add_kind(resource, version, &schema, dialect, schemas),
            None => custom::add(resource, version, crd, dialect, schemas),
        },
    };
    if resource.verbs.read {
        model::add_common(scope, dialect, schemas);
        model::add_list(resource, version, &name, dialect, schemas);
    }
    if own && resource.verbs.watch {
        model::add_events(scope, dialect, schemas);
    }
    if own {
        model::add_parts(resource, dialect, schemas);
    }
    name
}

async fn v2(exchange: &Exchange<'_>) -> Result<Response<Body>, Status> {
    let accept = exchange.header(http::header::ACCEPT);
    let clauses: Vec<&str> =
        accept.split(',').map(|it| it.split(';').next().unwrap_or("").trim()).collect();
    let wants = |media: &str| clauses.contains(&media);
    let as_message = wants(GNOSTIC_V2) || wants(GNOSTIC_V2_OLD);
    let any = accept.trim().is_empty()
        || wants("application/json")
        || wants("*/*")
        || wants("application/*");
    if !any && !as_message {
        let mut response = Response::new(response::full(""));
        *response.status_mut() = StatusCode::NOT_ACCEPTABLE;
        response.headers_mut().insert(VARY, HeaderValue::from_static("Accept"));
        return Ok(response);
    }
    let subject = Subject::of(&exchange.app.registry);
    if as_message {
        let made = exchange.app.documents.made(&subject, "v2 message", || async {
            Ok(gnostic::encode(&v2_document(exchange, &subject).await?))
        });
        let mut response = made.await?.answer(exchange, GNOSTIC_V2);
        response.headers_mut().remove(CACHE_CONTROL);
        return Ok(response);
    }
    let made = exchange
        .app
        .documents
        .made(&subject, "v2", || async { Ok(line(&v2_document(exchange, &subject).await?)) });
    Ok(made.await?.answer(exchange, "application/json"))
}

async fn v2_document(exchange: &Exchange<'_>, subject: &Subject) -> Result<Value, Status> {
    let catalog = &subject.catalog;
    let (mut schemas, mut routes) = (Map::new(), Map::new());
    for resource in catalog.iter() {
        let crd = definition(exchange, resource).await?;
        let crd = crd.as_ref();
        let is_own = |version: &&VersionConfig| {
            version.served && subject.remote(&resource.group, &version.name).is_none()
        };
        for version in resource.versions.iter().filter(is_own) {
            let name = &version.name;
            let (scope, dialect) = (Scope::All, Dialect::V2);
            let model = add_models(catalog, &scope, resource, name, crd, dialect, &mut schemas);
            paths::add(resource, name, &model, dialect, &mut routes);
            if resource.family == Family::BuiltIn {
                let group = resource.group.as_str();
                roots::add_version(group, name, dialect, &mut routes, &mut schemas);
                if !group.is_empty() {
                    roots::add_group(group, dialect, &mut routes, &mut schemas);
                }
            }
        }
    }
    for other in subject.remotes.iter().filter_map(|it| it.openapi.as_ref()) {
        other.add_to(&mut routes, &mut schemas);
    }
    Ok(value!({
        "swagger": "2.0",
        "info": (info()),
        "paths": routes,
        "definitions": schemas,
        "securityDefinitions": (security()),
        "security": [{"BearerToken": []}]
    }))
}
