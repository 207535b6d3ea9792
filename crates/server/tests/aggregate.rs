//! API services of other servers: found by discovery, asked in the name of the user, and refused
//! while they do not answer.

#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

mod support;

use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::StreamExt;
use ordain_registry::aggregate::{Backend, Incoming, Outgoing, Relay};
use ordain_testkit::client::{Client, Request};
use ordain_value::{Value, json, value};

/// An extension server that serves nodes as a metrics server does.
#[derive(Debug, Default)]
struct Extension {
    is_down: AtomicBool,
    asked: Mutex<Vec<Outgoing>>,
}

impl Extension {
    fn answer(&self, request: &Outgoing) -> Result<(u16, Value), String> {
        if self.is_down.load(Ordering::SeqCst) {
            return Err("dial tcp 127.0.0.1:1: connect: connection refused".to_owned());
        }
        self.asked.lock().unwrap().push(request.clone());
        let path = request.path.split('?').next().unwrap_or("");
        Ok(match path {
            "/apis/metrics.test/v1" => (
                200,
                value!({
                    "kind": "APIResourceList", "apiVersion": "v1",
                    "groupVersion": "metrics.test/v1",
                    "resources": [{
                        "name": "nodes", "singularName": "node", "namespaced": false,
                        "kind": "NodeMetrics", "verbs": ["get", "list"]
                    }]
                }),
            ),
            "/apis/metrics.test/v1/nodes" => {
                (200, value!({"kind": "NodeMetricsList", "items": []}))
            }
            "/apis/apps/v1" => (200, value!({"kind": "APIResourceList", "resources": []})),
            "/apis/apps/v1/namespaces/default/deployments" => (200, value!({"kind": "Other"})),
            "/openapi/v2" => (
                200,
                value!({
                    "swagger": "2.0",
                    "paths": {"/apis/metrics.test/v1/nodes": {"get": {"responses": {"200":
                        {"schema": {"$ref": "#/definitions/NodeMetricsList"}}}}}},
                    "definitions": {"NodeMetricsList": {"type": "object"}, "Unused": {}}
                }),
            ),
            "/apis/metrics.test/v1/elsewhere" => {
                (307, value!({"location": "https://127.0.0.1:1/"}))
            }
            "/apis/metrics.test/v1/unchanged" => (304, value!({})),
            _ => (404, value!({"kind": "Status", "code": 404})),
        })
    }
}

impl Relay for Extension {
    fn send<'a>(
        &'a self,
        _backend: &'a Backend,
        request: Outgoing,
    ) -> Pin<Box<dyn Future<Output = Result<Incoming, String>> + Send + 'a>> {
        Box::pin(async move {
            let (status, body) = self.answer(&request)?;
            let piece = Ok(Bytes::from(json::encode(&body)));
            let mut headers = vec![("content-type".to_owned(), b"application/json".to_vec())];
            if let Some(location) = body.get("location").and_then(Value::as_str) {
                headers.push(("Location".to_owned(), location.as_bytes().to_vec()));
            }
            let body = futures_util::stream::iter([piece]).boxed();
            Ok(Incoming { status, headers, body })
        })
    }
}

fn service(name: &str) -> Value {
    let (version, group) = name.split_once('.').unwrap();
    value!({
        "apiVersion": "apiregistration.k8s.io/v1",
        "kind": "APIService",
        "metadata": {"name": name},
        "spec": {
            "group": group, "version": version,
            "groupPriorityMinimum": 100, "versionPriority": 10,
            "service": {"namespace": "default", "name": "metrics"}
        }
    })
}

fn post(client: &mut Client, body: &Value) -> ordain_testkit::client::Answer {
    let request = Request {
        method: "POST",
        path: "/apis/apiregistration.k8s.io/v1/apiservices",
        body: Some(json::encode(body)),
        content_type: "application/json",
        ..Request::default()
    };
    client.call(&request).unwrap()
}

/// Asks until the answer has this status.
fn until(client: &mut Client, path: &str, status: u16) -> ordain_testkit::client::Answer {
    let end = Instant::now() + Duration::from_secs(20);
    loop {
        let answer = client.get(path).unwrap();
        if answer.code == status || Instant::now() > end {
            assert_eq!(answer.code, status, "{path}");
            return answer;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_group_of_another_server_is_served_as_long_as_it_answers() {
    let extension = Arc::new(Extension::default());
    let runtime = support::runtime();
    let address = support::start_with(&runtime, |registry| registry.with_relay(extension.clone()));
    let mut client = Client::new(address);
    assert_eq!(post(&mut client, &service("v1.metrics.test")).code, 201);
    let listed = until(&mut client, "/apis/metrics.test/v1/nodes?limit=5", 200);
    assert_eq!(listed.body.get("kind").and_then(Value::as_str), Some("NodeMetricsList"));
    {
        let asked = extension.asked.lock().unwrap();
        let request = asked.iter().find(|it| it.path.contains("nodes")).unwrap();
        assert_eq!(request.path, "/apis/metrics.test/v1/nodes?limit=5");
        let user = request.headers.iter().find(|(name, _)| name == "x-remote-user");
        assert!(user.is_some_and(|(_, name)| !name.is_empty()));
    }
    let groups = client.get("/apis").unwrap().body;
    assert!(json::encode_string(&groups).contains("\"metrics.test/v1\""));
    let status = client.get("/apis/apiregistration.k8s.io/v1/apiservices/v1.metrics.test").unwrap();
    let condition = status.body.get_path(&["status", "conditions"]).and_then(Value::as_list);
    let condition = condition.and_then(|list| list.iter().next().cloned()).unwrap();
    assert_eq!(condition.get("reason").and_then(Value::as_str), Some("Passed"));
    extension.is_down.store(true, Ordering::SeqCst);
    let refused = client.get("/apis/metrics.test/v1/nodes").unwrap();
    assert_eq!(refused.code, 503);
    // Whatever becomes of the other server, its neighbours are served.
    assert_eq!(client.get("/api/v1/namespaces").unwrap().code, 200);
}

#[test]
fn what_another_server_says_of_itself_is_in_the_document_of_all() {
    let runtime = support::runtime();
    let extension = Arc::new(Extension::default());
    let address = support::start_with(&runtime, |registry| registry.with_relay(extension.clone()));
    let mut client = Client::new(address);
    let keys = |document: &Value, part: &str| -> Vec<String> {
        let map = document.get(part).and_then(Value::as_map).unwrap();
        map.keys().map(ToString::to_string).collect()
    };
    let before = client.get("/openapi/v2").unwrap().body;
    assert_eq!(post(&mut client, &service("v1.metrics.test")).code, 201);
    until(&mut client, "/apis/metrics.test/v1/nodes", 200);
    let after = client.get("/openapi/v2").unwrap().body;
    let new = |part: &str| -> Vec<String> {
        let known = keys(&before, part);
        keys(&after, part).into_iter().filter(|it| !known.contains(it)).collect()
    };
    assert_eq!(new("paths"), ["/apis/metrics.test/v1/nodes"]);
    assert_eq!(new("definitions"), ["NodeMetricsList"]);
    let index = client.get("/openapi/v3").unwrap().body;
    assert!(index.get_path(&["paths", "apis/metrics.test/v1"]).is_some());
}

#[test]
fn another_server_takes_over_a_group_version_and_gives_it_back() {
    const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/default/deployments";
    let runtime = support::runtime();
    let extension = Arc::new(Extension::default());
    let address = support::start_with(&runtime, |registry| registry.with_relay(extension.clone()));
    let mut client = Client::new(address);
    let kind = |client: &mut Client| {
        let answer = client.get(DEPLOYMENTS).unwrap();
        (answer.code, answer.body.get("kind").and_then(Value::as_str).map(str::to_owned))
    };
    let wait = |client: &mut Client, wanted: &str| {
        let end = Instant::now() + Duration::from_secs(20);
        while kind(client) != (200, Some(wanted.to_owned())) {
            assert!(Instant::now() < end, "{wanted}: {:?}", kind(client));
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    wait(&mut client, "DeploymentList");
    assert_eq!(post(&mut client, &service("v1.apps")).code, 201);
    wait(&mut client, "Other");
    // It is listed once, as theirs.
    let groups = json::encode_string(&client.get("/apis/apps").unwrap().body);
    assert_eq!(groups.matches("\"groupVersion\":\"apps/v1\"").count(), 2, "{groups}");
    assert!(client.get("/openapi/v2").unwrap().body.get_path(&["paths", DEPLOYMENTS]).is_none());
    let path = "/apis/apiregistration.k8s.io/v1/apiservices/v1.apps";
    let request = Request { method: "DELETE", path, ..Request::default() };
    assert_eq!(client.call(&request).unwrap().code, 200);
    wait(&mut client, "DeploymentList");
    // Whoever could take these away could not be stopped any more.
    assert_eq!(post(&mut client, &service("v1.apiregistration.k8s.io")).code, 201);
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(client.get("/apis/apiregistration.k8s.io/v1/apiservices").unwrap().code, 200);
}

#[test]
fn s19_redirects_of_another_server_are_not_passed_on() {
    let extension = Arc::new(Extension::default());
    let runtime = support::runtime();
    let address = support::start_with(&runtime, |registry| registry.with_relay(extension.clone()));
    let mut client = Client::new(address);
    assert_eq!(post(&mut client, &service("v1.metrics.test")).code, 201);
    until(&mut client, "/apis/metrics.test/v1/nodes", 200);
    let answer = client.get("/apis/metrics.test/v1/elsewhere").unwrap();
    assert_eq!((answer.code, answer.header("location")), (502, ""));
    let reported = "the backend attempted to redirect this request, which is not permitted";
    assert_eq!(answer.body.as_str(), Some(reported));
    // An answer that leads nowhere is no redirect.
    assert_eq!(client.get("/apis/metrics.test/v1/unchanged").unwrap().code, 304);
}

#[test]
fn rules_of_api_services() {
    let runtime = support::runtime();
    let mut client = Client::new(support::start(&runtime));
    let mut wrong = service("v1.metrics.test");
    wrong.set_path(&["metadata", "name"], "other".into());
    let refused = post(&mut client, &wrong);
    assert_eq!(refused.code, 422);
    let message = refused.body.get("message").and_then(Value::as_str).unwrap_or("").to_owned();
    assert!(
        message.contains("must be `spec.version+\".\"+spec.group`: \"v1.metrics.test\""),
        "{message}"
    );
    let mut local = service("v1.metrics.test");
    local.remove_path(&["spec", "service"]);
    let made = post(&mut client, &local);
    assert_eq!(made.code, 201);
    let conditions = made.body.get_path(&["status", "conditions"]).and_then(Value::as_list);
    let reason = conditions.and_then(|list| list.iter().next()?.get("reason").cloned());
    assert_eq!(reason, Some("Local".into()));
}
