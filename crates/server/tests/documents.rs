//! Discovery and OpenAPI of the built-in kinds against what kube-apiserver v1.36.4 publishes,
//! descriptions aside.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a test tells and fails loudly")]

mod support;

use ordain_testkit::{Client, transcript};
use ordain_value::{Map, Value, json};

/// Resources of the reference that are not served here, or not with all its verbs, as
/// `path name`. Take off what comes to agree.
const NOT_SERVED: [&str; 8] = [
    "/api/v1 bindings",
    "/api/v1 componentstatuses",
    "/api/v1 pods/ephemeralcontainers",
    "/api/v1 pods/resize",
    "/api/v1 replicationcontrollers/scale",
    "/api/v1 serviceaccounts/token",
    "/apis/authentication.k8s.io/v1 tokenreviews",
    "/apis/certificates.k8s.io/v1 certificatesigningrequests/approval",
];

/// Of every hundred paths and models, how many are the same at least: a floor to be raised. What is
/// missing is mostly the documents of groups, and defaults that are declared here and coded there.
const SAME_MIN: usize = 76;

fn recorded(name: &str) -> Option<Value> {
    let folder = transcript::shared()?.parent()?.join("native");
    let path = folder.join(name);
    if !path.exists() {
        println!("skipped: no recorded documents beside the repository and no ORDAIN_SHARED");
        return None;
    }
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

#[test]
fn every_resource_is_discovered_as_recorded() {
    let Some(documents) = recorded("discovery.json") else { return };
    let runtime = support::runtime();
    let mut client = Client::new(support::start(&runtime));
    let mut differing = Vec::new();
    for (path, want) in entries(Some(&documents)) {
        if !path.starts_with("/api") || path == "/apis" || path.contains("apiregistration") {
            continue;
        }
        let got = client.get(&path).unwrap().body;
        let list = |it: &Value| it.get("resources").and_then(Value::as_list).cloned();
        let got = list(&got).unwrap_or_default();
        for resource in list(&want).unwrap_or_default().iter() {
            let name = resource.get("name").and_then(Value::as_str).unwrap_or("");
            let place = format!("{path} {name}");
            if !got.contains(resource) && !NOT_SERVED.contains(&place.as_str()) {
                differing.push(place);
            }
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

#[test]
fn most_of_openapi_is_as_recorded() {
    let Some(documents) = recorded("openapi-v3.json.gz") else { return };
    let runtime = support::runtime();
    let mut client = Client::new(support::start(&runtime));
    let (mut same, mut all) = (0, 0);
    for (path, want) in entries(Some(&documents)) {
        let got = client.get(&format!("/openapi/v3/{path}")).unwrap().body;
        for part in [&["paths"] as &[&str], &["components", "schemas"]] {
            let there = got.get_path(part);
            for (name, model) in entries(want.get_path(part)) {
                all += 1;
                let found = there.and_then(|it| it.get(&name));
                same += usize::from(found.is_some_and(|it| bare(it) == bare(&model)));
            }
        }
    }
    println!("{same} of {all} paths and models are the same");
    assert!(same * 100 >= all * SAME_MIN, "{same} of {all} are the same");
}
