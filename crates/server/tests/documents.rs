//! Discovery and OpenAPI of the built-in kinds against what kube-apiserver v1.36.4 publishes,
//! descriptions aside.

#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

mod support;

use std::collections::BTreeSet;

use ordain_testkit::client::Request;
use ordain_testkit::{Client, transcript};
use ordain_value::{Map, Value, json};

/// What differs, as `document item`, and why. The list is strict: what is on it and comes to agree
/// fails the test as well. A document that is not served is named alone.
const DIFFERENCES: &[(&str, &str)] = &[
    (
        "apis/apiregistration.k8s.io/v1 io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceSpec",
        BYTES,
    ),
    (
        "apis/apiextensions.k8s.io/v1 \
         io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps",
        UNCOMMENTED,
    ),
    ("apis/networking.k8s.io/v1 io.k8s.api.networking.v1.IngressRule", UNCOMMENTED),
];
/// Bytes are a text here and never a list.
const BYTES: &str = "bytes have a list type there";
const UNCOMMENTED: &str = "fields without a comment have a bare reference there; which ones these \
                           are is no part of a declaration";

const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

fn recorded(name: &str) -> Option<Value> {
    let path = transcript::outside("native")?.join(name);
    if name.ends_with(".gz") {
        return transcript::read(&path).unwrap().into_iter().next();
    }
    Some(json::decode(&std::fs::read(path).unwrap()).unwrap())
}

fn entries(value: Option<&Value>) -> Vec<(String, Value)> {
    let map = value.and_then(Value::as_map);
    map.into_iter().flat_map(Map::iter).map(|(key, it)| (key.to_string(), it.clone())).collect()
}

/// Without the texts for people.
fn bare(value: &Value) -> Value {
    match value {
        Value::Map(map) => {
            let kept =
                map.iter().filter(|(key, it)| *key != "description" || it.as_str().is_none());
            Value::Map(Map::from_entries(kept.map(|(key, it)| (key.clone(), bare(it))).collect()))
        }
        Value::List(list) => list.iter().map(bare).collect::<Vec<_>>().into(),
        other => other.clone(),
    }
}

/// Fails for what differs and is not listed, and for what is listed and agrees.
fn check(found: &BTreeSet<String>, listed: &BTreeSet<String>) {
    let unlisted: Vec<_> = found.difference(listed).cloned().collect();
    assert!(unlisted.is_empty(), "these differ:\n{}", unlisted.join("\n"));
    let agreeing: Vec<_> = listed.difference(found).cloned().collect();
    assert!(agreeing.is_empty(), "these agree, take them off the list:\n{}", agreeing.join("\n"));
}

fn resources(document: &Value) -> Vec<(String, Value)> {
    let list = document.get("resources").and_then(Value::as_list);
    let named = list.into_iter().flat_map(|it| it.iter());
    let name = |it: &Value| it.get("name").and_then(Value::as_str).unwrap_or("").to_owned();
    named.map(|it| (name(it), it.clone())).collect()
}

#[test]
fn every_resource_is_discovered_as_recorded() {
    let Some(documents) = recorded("discovery.json") else { return };
    let runtime = support::runtime();
    let mut client = Client::new(support::start(&runtime));
    let mut differing = BTreeSet::new();
    for (path, want) in entries(Some(&documents)) {
        if !path.starts_with("/api") || path == "/apis" {
            continue;
        }
        let got = client.get(&path).unwrap().body;
        let (want, got) = (resources(&want), resources(&got));
        let missing = want.iter().filter(|it| !got.contains(it));
        let added = got.iter().filter(|it| !want.contains(it));
        differing.extend(missing.chain(added).map(|(name, _)| format!("{path} {name}")));
    }
    check(&differing, &BTreeSet::new());
}

#[test]
fn groups_are_listed_in_the_recorded_order() {
    let Some(documents) = recorded("discovery.json") else { return };
    let runtime = support::runtime();
    let mut client = Client::new(support::start(&runtime));
    let listed = |document: &Value| {
        let groups = document.get("groups").and_then(Value::as_list).cloned().unwrap_or_default();
        groups.iter().cloned().collect::<Vec<_>>()
    };
    let got = client.get("/apis").unwrap().body;
    assert_eq!(listed(&got), listed(documents.get("/apis").unwrap()));
}

#[test]
fn aggregated_discovery_is_as_recorded() {
    let Some(documents) = recorded("discovery.json") else { return };
    let runtime = support::runtime();
    let mut client = Client::new(support::start(&runtime));
    let mut differing = BTreeSet::new();
    for (path, want) in entries(documents.get("aggregated")) {
        let headers = vec![("Accept".to_owned(), AGGREGATED.to_owned())];
        let request = Request { method: "GET", path: &path, headers, ..Request::default() };
        let got = client.call(&request).unwrap().body;
        let items =
            |it: &Value| it.get("items").and_then(Value::as_list).cloned().unwrap_or_default();
        for group in items(&want).iter() {
            let name = group.get_path(&["metadata", "name"]).and_then(Value::as_str).unwrap_or("");
            if !items(&got).contains(group) {
                differing.insert(format!("{path} {name}"));
            }
        }
    }
    check(&differing, &BTreeSet::new());
}

#[test]
fn openapi_is_as_recorded() {
    let Some(documents) = recorded("openapi-v3.json.gz") else { return };
    let runtime = support::runtime();
    let mut client = Client::new(support::start(&runtime));
    let (mut differing, mut same) = (BTreeSet::new(), 0);
    for (path, want) in entries(Some(&documents)) {
        let got = client.get(&format!("/openapi/v3/{path}")).unwrap().body;
        if got.get("openapi").is_none() {
            differing.insert(path);
            continue;
        }
        for part in ["info", "openapi"] {
            assert_eq!(got.get(part), want.get(part), "{path} {part}");
        }
        let (paths, models): (&[&str], &[&str]) = (&["paths"], &["components", "schemas"]);
        for part in [paths, models, &["components", "securitySchemes"]] {
            let (want, got) = (entries(want.get_path(part)), entries(got.get_path(part)));
            let of = |list: &[(String, Value)], name: &str| {
                list.iter().find(|it| it.0 == name).map(|it| bare(&it.1))
            };
            let names: BTreeSet<_> = want.iter().chain(&got).map(|it| it.0.clone()).collect();
            for name in names {
                match of(&want, &name) == of(&got, &name) {
                    true => same += 1,
                    false => drop(differing.insert(format!("{path} {name}"))),
                }
            }
        }
    }
    println!("{same} paths and models are the same, {} differ", differing.len());
    check(&differing, &DIFFERENCES.iter().map(|it| it.0.to_owned()).collect());
}

/// Every model that a document refers to is in it, in both versions of OpenAPI.
#[test]
fn references_lead_to_models() {
    let runtime = support::runtime();
    let mut client = Client::new(support::start(&runtime));
    let v2 = client.get("/openapi/v2").unwrap().body;
    dangling("/openapi/v2", &v2, "#/definitions/", &["definitions"]);
    let index = client.get("/openapi/v3").unwrap().body;
    let documents = entries(index.get("paths"));
    assert!(documents.len() >= 40, "{} documents", documents.len());
    for (name, _) in documents {
        let document = client.get(&format!("/openapi/v3/{name}")).unwrap().body;
        dangling(&name, &document, "#/components/schemas/", &["components", "schemas"]);
    }
}

/// What every object has is explained, whatever its kind (`kubectl explain`).
#[test]
fn metadata_is_described() {
    let runtime = support::runtime();
    let mut client = Client::new(support::start(&runtime));
    let core = client.get("/openapi/v3/api/v1").unwrap().body;
    for name in ["ObjectMeta", "ListMeta", "OwnerReference", "ManagedFieldsEntry"] {
        let model = format!("io.k8s.apimachinery.pkg.apis.meta.v1.{name}");
        let fields = entries(core.get_path(&["components", "schemas", &model, "properties"]));
        assert!(!fields.is_empty(), "{name}");
        for (field, shape) in fields.iter().filter(|it| it.0 != "shardInfo") {
            assert!(shape.get("description").is_some(), "{name}.{field} has no description");
        }
    }
}

fn dangling(name: &str, document: &Value, prefix: &str, models: &[&str]) {
    let text = json::encode_string(document);
    let models = document.get_path(models).unwrap();
    for reference in text.split("\"$ref\":\"").skip(1) {
        let target = reference.split('"').next().unwrap_or("");
        let Some(model) = target.strip_prefix(prefix) else { continue };
        assert!(models.get(model).is_some(), "{name} refers to {model}, which it lacks");
    }
}
