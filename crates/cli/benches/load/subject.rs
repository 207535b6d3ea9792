//! What is written and read: HTTPRoutes of the Gateway API where the recorded corpus is, else routes of our own.

use std::io::Read as _;

use serde_json::{Value, json};

use crate::client::{Access, Connection};

pub(crate) struct Subject {
    definition: Value,
    path: String,
    object: Value,
}

impl Subject {
    pub(crate) fn find() -> Self {
        if let Some(found) = Self::recorded() {
            println!("objects: HTTPRoute, {} bytes as sent", found.object.to_string().len());
            return found;
        }
        let found = Self {
            definition: example("routes"),
            path: "/apis/load.example.com/v1/namespaces/default/routes".into(),
            object: json!({
                "apiVersion": "load.example.com/v1", "kind": "Route", "metadata": {},
                "spec": {"hosts": ["a.example.com", "b.example.com"], "rules": [
                    {"path": "/a", "port": 80, "weight": 3}, {"path": "/b", "port": 81}]},
            }),
        };
        println!("objects: routes of an example, {} bytes as sent", found.object.to_string().len());
        found
    }

    fn recorded() -> Option<Self> {
        let shared = std::env::var_os("ORDAIN_SHARED")?;
        let file = std::path::Path::new(&shared).join(
            "transcripts/corpus/gateway-api-experimental/httproutes.gateway.networking.k8s.io.jsonl.gz",
        );
        let mut text = String::new();
        flate2::read::GzDecoder::new(std::fs::File::open(file).ok()?)
            .read_to_string(&mut text)
            .ok()?;
        let mut lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let definition = lines.next()?.get("crd")?.clone();
        let step = lines
            .flat_map(|case| case["steps"].as_array().cloned().unwrap_or_default())
            .filter(|step| step["method"] == "POST" && step["code"] == 201)
            .max_by_key(|step| step["body"].to_string().len())?;
        let path = step["path"].as_str()?.split('?').next()?.to_owned();
        Some(Self { definition, path, object: step["body"].clone() })
    }

    pub(crate) async fn define(&self, access: &Access) {
        define(access, &self.definition).await;
        let mut connection = Connection::open(access).await;
        while connection.exchange(&self.list(1)).await != 200 {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    }

    pub(crate) fn create(&self, name: &str) -> Vec<u8> {
        let mut object = self.object.clone();
        object["metadata"]["name"] = json!(name);
        post(&self.path, &object)
    }

    pub(crate) fn create_labelled(&self, name: &str, key: &str, value: &str) -> Vec<u8> {
        let mut object = self.object.clone();
        object["metadata"]["name"] = json!(name);
        object["metadata"]["labels"] = json!({ key: value });
        post(&self.path, &object)
    }

    pub(crate) fn get(&self, name: &str) -> Vec<u8> {
        get(&format!("{}/{name}", self.path))
    }

    pub(crate) fn list(&self, limit: usize) -> Vec<u8> {
        self.page(limit, None)
    }

    pub(crate) fn page(&self, limit: usize, token: Option<&str>) -> Vec<u8> {
        let token = token.map_or(String::new(), |token| format!("&continue={token}"));
        get(&format!("{}?limit={limit}{token}", self.path))
    }

    pub(crate) fn watch(&self, labels: Option<&str>) -> Vec<u8> {
        let labels = labels.map_or(String::new(), |labels| format!("&labelSelector={labels}"));
        get(&format!("{}?watch=true{labels}", self.path))
    }
}

pub(crate) async fn define_numbered(access: &Access, number: usize) {
    define(access, &example(&format!("kind{number}s"))).await;
}

async fn define(access: &Access, definition: &Value) {
    let mut connection = Connection::open(access).await;
    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    assert_eq!(connection.exchange(&post(path, definition)).await, 201);
}

fn get(path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nhost: localhost\r\naccept: application/json\r\n\r\n")
        .into_bytes()
}

fn post(path: &str, body: &Value) -> Vec<u8> {
    let body = body.to_string();
    format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// A definition with limits, defaults, a list map and rules.
fn example(plural: &str) -> Value {
    let (first, rest) = plural.trim_end_matches('s').split_at(1);
    let kind = format!("{}{rest}", first.to_uppercase());
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.load.example.com")},
        "spec": {
            "group": "load.example.com", "scope": "Namespaced",
            "names": {"plural": plural, "singular": plural.trim_end_matches('s'), "kind": kind},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                "type": "object",
                "properties": {"spec": {
                    "type": "object",
                    "properties": {
                        "hosts": {"type": "array", "maxItems": 16, "x-kubernetes-list-type": "set",
                            "items": {"type": "string", "maxLength": 253, "pattern": "^[a-z0-9.-]+$"}},
                        "rules": {"type": "array", "maxItems": 16, "x-kubernetes-list-type": "map",
                            "x-kubernetes-list-map-keys": ["path"],
                            "items": {"type": "object", "required": ["path"], "properties": {
                                "path": {"type": "string", "maxLength": 1024},
                                "port": {"type": "integer", "minimum": 1, "maximum": 65535, "default": 80},
                                "weight": {"type": "integer", "minimum": 0, "default": 1}},
                                "x-kubernetes-validations": [
                                    {"rule": "self.path.startsWith('/')", "message": "a path starts with a slash"},
                                    {"rule": "self.weight < 1000 || self.port == 80"}]}},
                    },
                    "x-kubernetes-validations": [
                        {"rule": "!has(self.rules) || self.rules.exists(r, r.weight > 0)"},
                        {"rule": "!has(self.hosts) || self.hosts.all(h, !h.endsWith('.'))"}],
                }},
            }}}],
        },
    })
}
