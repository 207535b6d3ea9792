//! OpenAPI documents: an index with hashes, one v3 document for each group and version, and the
//! v2 document of everything. They are made when they are asked for and kept until the kinds change.

mod custom;
mod declared;
mod gnostic;
mod model;
mod paths;

use std::collections::BTreeMap;
use std::sync::Arc;

use http::header::{CACHE_CONTROL, HeaderValue, LOCATION, VARY};
use http::{Response, StatusCode};
use ordain_meta::Status;
use ordain_registry::{Catalog, Family, ListOptions, RestConfig, Target};
use ordain_value::{Map, Text, Value, json, value};

use crate::digest;
use crate::documents::Document;
use crate::response::{self, Body};
use crate::router::Exchange;
use model::Dialect;

const GNOSTIC_V2: &str = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
/// What older clients ask for. `@` is no character of a media type, so the answer never carries it.
const GNOSTIC_V2_OLD: &str = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

/// A definition of a custom resource, for its document.
type Definitions = BTreeMap<(Text, Text), Value>;

/// Answers a path below `/openapi`.
pub(crate) async fn handle(exchange: &Exchange<'_>, segments: &[&str]) -> Response<Body> {
    let answer = match segments {
        ["openapi", "v2"] => v2(exchange).await,
        ["openapi", "v3"] => index(exchange).await,
        ["openapi", "v3", "api", version] => v3(exchange, "", version).await,
        ["openapi", "v3", "apis", group, version] => v3(exchange, group, version).await,
        _ => return response::page_not_found(),
    };
    answer.unwrap_or_else(|status| response::plain_status(&status))
}

/// The stored definitions of custom resources by group and plural.
async fn definitions(exchange: &Exchange<'_>) -> Result<Definitions, Status> {
    let registry = &exchange.app.registry;
    let found =
        registry.catalog().get("apiextensions.k8s.io", "customresourcedefinitions").cloned();
    let Some(resource) = found else { return Ok(BTreeMap::new()) };
    let target = Target {
        version: "v1".into(),
        namespace: Text::default(),
        name: Text::default(),
        resource,
    };
    let listed = registry.list(&target, &ListOptions::default()).await?;
    let text = |crd: &Value, path: &[&str]| {
        crd.get_path(path).and_then(Value::as_text).cloned().unwrap_or_default()
    };
    let entries = listed.items.into_iter().map(|crd| {
        let key = (text(&crd, &["spec", "group"]), text(&crd, &["spec", "names", "plural"]));
        (key, crd)
    });
    Ok(entries.collect())
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
fn hash_of(catalog: &Catalog, definitions: &Definitions, group: &str, version: &str) -> String {
    let mut text = format!("{group}/{version}/{}", env!("CARGO_PKG_VERSION"));
    for resource in members(catalog, group, version) {
        text.push_str(&resource.plural);
        let key = (resource.group.clone(), resource.plural.clone());
        if let Some(spec) = definitions.get(&key).and_then(|crd| crd.get("spec")) {
            text.push_str(&json::encode_string(spec));
        }
    }
    digest::sha512_hex(text.as_bytes())
}

/// A document that is made when it is first asked for.
async fn document<F: Future<Output = Result<Vec<u8>, Status>>>(
    exchange: &Exchange<'_>,
    catalog: &Arc<Catalog>,
    name: &str,
    make: impl FnOnce() -> F,
) -> Result<Document, Status> {
    let documents = &exchange.app.documents;
    if let Some(document) = documents.get(catalog, name) {
        return Ok(document);
    }
    let document = Document::new(make().await?);
    documents.keep(catalog, name, &document);
    Ok(document)
}

async fn index(exchange: &Exchange<'_>) -> Result<Response<Body>, Status> {
    let catalog = exchange.app.registry.catalog();
    let index = document(exchange, &catalog, "v3 index", || async {
        let definitions = definitions(exchange).await?;
        let mut paths = Map::new();
        for resource in catalog.iter() {
            for version in resource.versions.iter().filter(|version| version.served) {
                let (group, version) = (resource.group.as_str(), version.name.as_str());
                let name = if group.is_empty() {
                    format!("api/{version}")
                } else {
                    format!("apis/{group}/{version}")
                };
                if paths.contains_key(&name) {
                    continue;
                }
                let hash = hash_of(&catalog, &definitions, group, version);
                let url = format!("/openapi/v3/{name}?hash={hash}");
                paths.insert(name, value!({"serverRelativeURL": url}));
            }
        }
        Ok(json::encode(&value!({"paths": paths})))
    });
    let mut response = index.await?.answer(exchange, "text/plain; charset=utf-8");
    response.headers_mut().remove(VARY);
    response.headers_mut().remove(CACHE_CONTROL);
    Ok(response)
}

async fn v3(exchange: &Exchange<'_>, group: &str, version: &str) -> Result<Response<Body>, Status> {
    let catalog = exchange.app.registry.catalog();
    if members(&catalog, group, version).next().is_none() {
        return Ok(response::page_not_found());
    }
    let name = format!("v3 {group}/{version}");
    let made = document(exchange, &catalog, &name, || async {
        let definitions = definitions(exchange).await?;
        let mut bytes = json::encode(&v3_document(&catalog, &definitions, group, version));
        bytes.push(b'\n');
        Ok(bytes)
    });
    let mut made = made.await?;
    let name = format!("{name} hash");
    let hash = document(exchange, &catalog, &name, || async {
        Ok(hash_of(&catalog, &definitions(exchange).await?, group, version).into_bytes())
    });
    let hash = hash.await?;
    made.hash = String::from_utf8_lossy(&hash.bytes).into();
    let asked = exchange.query.get("hash").unwrap_or("");
    if !asked.is_empty() && *asked != *made.hash {
        let path = exchange.info.segments.join("/");
        return Ok(moved(&format!("/{path}?hash={}", made.hash)));
    }
    let mut response = made.answer(exchange, "application/json");
    if !asked.is_empty() {
        let immutable = HeaderValue::from_static("public, immutable");
        response.headers_mut().insert(CACHE_CONTROL, immutable);
    }
    Ok(response)
}

fn v3_document(catalog: &Catalog, definitions: &Definitions, group: &str, version: &str) -> Value {
    let mut schemas = Map::new();
    let mut routes = Map::new();
    let mut custom = false;
    for resource in members(catalog, group, version) {
        custom |= resource.family == Family::Custom;
        let key = (resource.group.clone(), resource.plural.clone());
        let crd = definitions.get(&key);
        let model = add_models(catalog, resource, version, crd, Dialect::V3, &mut schemas);
        paths::add(resource, version, &model, Dialect::V3, &mut routes);
    }
    let info = if custom {
        value!({"title": "Kubernetes CRD Swagger", "version": "v0.1.0"})
    } else {
        value!({"title": "Kubernetes", "version": "v1.36.4"})
    };
    let mut map = Map::new();
    map.insert("openapi", "3.0.0".into());
    map.insert("info", info);
    map.insert("paths", Value::Map(routes));
    map.insert("components", value!({"schemas": schemas}));
    Value::Map(map)
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
    resource: &RestConfig,
    version: &str,
    crd: Option<&Value>,
    dialect: Dialect,
    schemas: &mut Map,
) -> Text {
    model::add_common(catalog, dialect, schemas);
    let declared = declared::add(resource, version, dialect, schemas);
    let name = match (declared, resource.strategy.schema(version)) {
        (Some(name), _) => name,
        (None, Some(schema)) => model::add_kind(resource, version, schema, dialect, schemas),
        (None, None) => custom::add(resource, version, crd, dialect, schemas),
    };
    if resource.verbs.read {
        model::add_list(resource, version, &name, dialect, schemas);
    }
    if resource.family == Family::BuiltIn {
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
    let catalog = exchange.app.registry.catalog();
    if as_message {
        let made = document(exchange, &catalog, "v2 message", || async {
            Ok(gnostic::encode(&v2_document(exchange).await?))
        });
        let mut response = made.await?.answer(exchange, GNOSTIC_V2);
        response.headers_mut().remove(CACHE_CONTROL);
        return Ok(response);
    }
    let made = document(exchange, &catalog, "v2", || async {
        let mut bytes = json::encode(&v2_document(exchange).await?);
        bytes.push(b'\n');
        Ok(bytes)
    });
    Ok(made.await?.answer(exchange, "application/json"))
}

async fn v2_document(exchange: &Exchange<'_>) -> Result<Value, Status> {
    let catalog = exchange.app.registry.catalog();
    let definitions = definitions(exchange).await?;
    let (mut schemas, mut routes) = (Map::new(), Map::new());
    for resource in catalog.iter() {
        let key = (resource.group.clone(), resource.plural.clone());
        let crd = definitions.get(&key);
        for version in resource.versions.iter().filter(|version| version.served) {
            let name = &version.name;
            let model = add_models(&catalog, resource, name, crd, Dialect::V2, &mut schemas);
            paths::add(resource, name, &model, Dialect::V2, &mut routes);
        }
    }
    Ok(value!({
        "swagger": "2.0",
        "info": {"title": "Kubernetes", "version": "1.36"},
        "paths": routes,
        "definitions": schemas,
        "securityDefinitions": {
            "BearerToken": {
                "description": "Bearer Token authentication",
                "type": "apiKey",
                "name": "authorization",
                "in": "header"
            }
        },
        "security": [{"BearerToken": []}]
    }))
}
