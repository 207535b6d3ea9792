//! Writes: a write that creates needs the right to create, and what is committed is followed up and
//! written down whatever its client does.

use std::time::{Duration, Instant};

use ordain_value::{Value, value};

use crate::roles::{RBAC, grant};
use crate::server::Server;

const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps";
const APPLY: &[(&str, &str)] = &[("content-type", "application/apply-patch+yaml")];

/// Kinds that a write may create, each with an object.
fn creatable() -> Vec<(&'static str, &'static str, &'static str, Value)> {
    let lease = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
    vec![
        (
            "",
            "namespaces",
            "/api/v1/namespaces",
            value!({"apiVersion": "v1", "kind": "Namespace",
            "metadata": {"name": "n"}}),
        ),
        (
            "",
            "secrets",
            "/api/v1/namespaces/default/secrets",
            value!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "n"}}),
        ),
        (
            "coordination.k8s.io",
            "leases",
            lease,
            value!({"apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease", "metadata": {"name": "n"}, "spec": {}}),
        ),
        ("apiextensions.k8s.io", "customresourcedefinitions", CRDS, definition("n")),
    ]
}

fn definition(group: &str) -> Value {
    value!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": (format!("things.{group}.example.com"))},
        "spec": {"group": (format!("{group}.example.com")), "scope": "Cluster",
            "names": {"plural": "things", "kind": "Thing"},
            "versions": [{"name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object"}}}]}})
}

#[test]
fn a_write_creates_only_for_those_who_may_create() {
    for (group, resource, path, object) in creatable() {
        let server = Server::start();
        let bob = server.user("bob");
        let rules = value!([{"apiGroups": [group], "resources": [resource],
            "verbs": ["get", "update", "patch"]}]);
        grant(&server, "change", rules, "bob");
        let name = object.get_path(&["metadata", "name"]).and_then(Value::as_str).unwrap();
        let one = format!("{path}/{name}");
        let writes = [
            ("PATCH", format!("{one}?fieldManager=m"), APPLY),
            ("PATCH", format!("{one}?fieldManager=m&dryRun=All"), APPLY),
            ("PUT", one.clone(), &[][..]),
        ];
        for (method, path, headers) in &writes {
            let answer = bob.call(method, path, headers, Some(&object));
            // Some kinds are not made by PUT at all.
            let expected = if answer.code == 404 { 404 } else { 403 };
            assert_eq!(answer.code, expected, "{method} {path}: {:?}", answer.body);
            if expected == 403 {
                let cannot = format!("User \"bob\" cannot create resource \"{resource}\"");
                assert!(answer.message().contains(&cannot), "{}", answer.message());
            } else {
                assert_eq!(*method, "PUT");
            }
        }
        assert_eq!(server.admin().get(&one).code, 404, "{one}");
        // can-i says what the write said, before and after the right is given.
        let may = || {
            let review = value!({"apiVersion": "authorization.k8s.io/v1",
                "kind": "SelfSubjectAccessReview", "spec": {"resourceAttributes":
                    {"verb": "create", "group": group, "resource": resource, "name": name,
                        "namespace": "default"}}});
            let path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
            bob.post(path, &review).body.get_path(&["status", "allowed"]).cloned()
        };
        assert_eq!(may(), Some(Value::Bool(false)));
        let rules = value!([{"apiGroups": [group], "resources": [resource], "verbs": ["create"]}]);
        grant(&server, "create", rules, "bob");
        assert_eq!(may(), Some(Value::Bool(true)));
        let (method, path, headers) = &writes[0];
        assert_eq!(bob.call(method, path, headers, Some(&object)).code, 201, "{path}");
    }
}

#[test]
fn deleting_a_collection_is_not_deleting_one_by_name() {
    let server = Server::start();
    let rules = value!([{"apiGroups": [""], "resources": ["configmaps"], "resourceNames": ["a"],
        "verbs": ["list", "deletecollection"]}]);
    grant(&server, "one", rules, "bob");
    let bob = server.user("bob");
    let selected = format!("{CONFIG_MAPS}?fieldSelector=metadata.name%3Da");
    assert_eq!(bob.get(&selected).code, 200);
    assert_eq!(bob.delete(&selected).code, 403);
    assert_eq!(bob.delete(CONFIG_MAPS).code, 403);
}

/// Waits until something is so.
fn eventually(what: &str, mut so: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !so() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Each definition that is stored is served, and none is that is not.
fn all_served(server: &Server, groups: &[String]) -> bool {
    groups.iter().all(|group| {
        let stored = server.admin().get(&format!("{CRDS}/things.{group}.example.com")).code;
        let served = server.admin().get(&format!("/apis/{group}.example.com/v1/things")).code;
        stored == served
    })
}

#[test]
fn what_is_committed_is_finished_without_its_client() {
    let server = Server::start();
    let mut groups = Vec::new();
    for at in 0..12 {
        let group = format!("g{at}");
        let path = format!("{CRDS}?timeout={}ms", at % 4 + 1);
        let code = server.admin().post(&path, &definition(&group)).code;
        assert!(matches!(code, 201 | 504), "{code}");
        groups.push(group);
    }
    for at in 0..12 {
        let group = format!("h{at}");
        let body = ordain_value::json::encode(&definition(&group));
        server.runtime.block_on(async {
            use tokio::io::AsyncWriteExt;
            let mut stream = server.anonymous().connect(&[b"http/1.1"]).await.unwrap();
            let head = format!(
                "POST {CRDS} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer root-token\r\n\
                 content-type: application/json\r\ncontent-length: {}\r\n\r\n",
                body.len()
            );
            stream.write_all(head.as_bytes()).await.unwrap();
            stream.write_all(&body).await.unwrap();
            stream.flush().await.unwrap();
            tokio::time::sleep(Duration::from_micros(300 * at)).await;
        });
        groups.push(group);
    }
    eventually("a stored definition is not served", || all_served(&server, &groups));
}

#[test]
fn a_write_is_written_down_before_and_after_even_if_its_client_left() {
    let server = Server::start();
    let secrets = "/api/v1/namespaces/default/secrets";
    for at in 0..20 {
        let secret = value!({"apiVersion": "v1", "kind": "Secret",
            "metadata": {"name": (format!("s{at}"))}});
        let body = ordain_value::json::encode(&secret);
        server.runtime.block_on(async {
            use tokio::io::AsyncWriteExt;
            let mut stream = server.anonymous().connect(&[b"http/1.1"]).await.unwrap();
            let head = format!(
                "POST {secrets} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer root-token\r\n\
                 content-type: application/json\r\ncontent-length: {}\r\n\r\n",
                body.len()
            );
            stream.write_all(head.as_bytes()).await.unwrap();
            stream.write_all(&body).await.unwrap();
            stream.flush().await.unwrap();
            tokio::time::sleep(Duration::from_micros(500 * at)).await;
        });
    }
    let text = |event: &Value, path: &[&str]| {
        event.get_path(path).and_then(Value::as_str).unwrap_or("").to_owned()
    };
    eventually("a secret has no line", || {
        let events = server.events();
        let stored = server.admin().get(secrets);
        let stored = stored.body.get("items").and_then(Value::as_list).unwrap().len();
        let lines = |stage: &str, code: i64| {
            let wanted = |event: &&Value| {
                text(event, &["objectRef", "resource"]) == "secrets"
                    && text(event, &["verb"]) == "create"
                    && text(event, &["stage"]) == stage
                    && (code == 0
                        || event.get_path(&["responseStatus", "code"]) == Some(&Value::Int(code)))
            };
            events.iter().filter(wanted).count()
        };
        // Some may have left before their body was there.
        let (before, after) = (lines("RequestReceived", 0), lines("ResponseComplete", 0));
        before == after && lines("ResponseComplete", 201) == stored && stored > 0
    });
}

#[test]
fn values_of_a_refused_object_stay_out_of_the_audit_log() {
    let server = Server::start();
    let map = value!({"apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "m", "labels": {"l": "canary value!"}}});
    let answer = server.admin().post(CONFIG_MAPS, &map);
    assert_eq!(answer.code, 422);
    assert!(answer.message().contains("canary"));
    let events = server.events();
    let texts: Vec<u8> = events.iter().flat_map(ordain_value::json::encode).collect();
    assert!(!String::from_utf8_lossy(&texts).contains("canary"));
    let reason = events.last().unwrap().get_path(&["responseStatus", "reason"]).cloned();
    assert_eq!(reason, Some("Invalid".into()));
    // Why somebody may not is said, as it is nobody's secret.
    server.user("eve").get(&format!("{RBAC}/clusterroles"));
    let event = server.events().last().cloned().unwrap();
    let message = event.get_path(&["responseStatus", "message"]).and_then(Value::as_str).unwrap();
    assert!(message.contains("cannot list"), "{message}");
}
