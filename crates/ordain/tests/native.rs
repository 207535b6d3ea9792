//! The Kubernetes API of a server in a test: tokens, quotas, budgets and standards of security, over
//! HTTP.

use ordain::testing::TestServer;
use ordain_value::{Value, json, value};

fn server() -> TestServer {
    TestServer::builder().start().expect("a server")
}

fn ask(server: &TestServer, method: &str, path: &str, body: &Value) -> (u16, Value) {
    let body = if body.is_null() { String::new() } else { json::encode_string(body) };
    let (code, answer) = server.request(method, path, &body).expect("an answer");
    (code, json::decode(answer.as_bytes()).unwrap_or(Value::Null))
}

fn make(server: &TestServer, path: &str, object: &Value) -> Value {
    let (code, made) = ask(server, "POST", path, object);
    assert_eq!(code, 201, "{}", json::encode_string(&made));
    made
}

fn text<'a>(value: &'a Value, path: &[&str]) -> &'a str {
    value.get_path(path).and_then(Value::as_str).unwrap_or("")
}

const CORE: &str = "/api/v1/namespaces/default";

fn pod(name: &str) -> Value {
    value!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": {"app": "web"}},
        "spec": {"serviceAccountName": "robot", "containers": [{"name": "web", "image": "web"}]}
    })
}

fn token(server: &TestServer, spec: Value) -> String {
    let request =
        value!({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": spec});
    let made = make(server, &format!("{CORE}/serviceaccounts/robot/token"), &request);
    text(&made, &["status", "token"]).to_owned()
}

fn review(server: &TestServer, token: &str, audiences: &[&str]) -> Value {
    let audiences: Vec<Value> = audiences.iter().map(|it| Value::from(*it)).collect();
    let review = value!({
        "apiVersion": "authentication.k8s.io/v1",
        "kind": "TokenReview",
        "spec": {"token": token, "audiences": audiences}
    });
    let made = make(server, "/apis/authentication.k8s.io/v1/tokenreviews", &review);
    made.get("status").cloned().unwrap_or(Value::Null)
}

#[test]
fn tokens_are_good_as_long_as_what_they_are_bound_to_lives() {
    let server = server();
    let account =
        value!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "robot"}});
    make(&server, &format!("{CORE}/serviceaccounts"), &account);
    make(&server, &format!("{CORE}/pods"), &pod("p"));
    let bound = value!({"kind": "Pod", "apiVersion": "v1", "name": "p"});
    let token = token(&server, value!({"boundObjectRef": bound, "audiences": ["vault", "api"]}));
    let status = review(&server, &token, &["vault"]);
    assert_eq!(text(&status, &["user", "username"]), "system:serviceaccount:default:robot");
    assert_eq!(status.get("audiences"), Some(&value!(["vault"])));
    let pod_name = status.get_path(&["user", "extra", "authentication.kubernetes.io/pod-name"]);
    assert_eq!(pod_name, Some(&value!(["p"])));
    let wrong = review(&server, &token, &["other"]);
    assert_eq!(wrong.get("authenticated"), None);
    let why = r#"token audiences ["vault" "api"] is invalid for the target audiences ["other"]"#;
    assert_eq!(text(&wrong, &["error"]), why);
    // The first letter of a signature: the last one has bits that say nothing.
    let (signed, signature) = token.rsplit_once('.').expect("a signature");
    let other = if signature.starts_with('A') { "B" } else { "A" };
    let forged = format!("{signed}.{other}{}", &signature[1..]);
    assert!(!text(&review(&server, &forged, &["vault"]), &["error"]).is_empty());
    let (code, _) = ask(&server, "DELETE", &format!("{CORE}/pods/p"), &Value::Null);
    assert_eq!(code, 200);
    let gone = review(&server, &token, &["vault"]);
    assert_eq!(text(&gone, &["error"]), "service account token has been invalidated");
}

#[test]
fn requests_for_tokens_are_judged() {
    let server = server();
    let account =
        value!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "robot"}});
    make(&server, &format!("{CORE}/serviceaccounts"), &account);
    let path = format!("{CORE}/serviceaccounts/robot/token");
    for (spec, code, why) in [
        (
            value!({"expirationSeconds": 60}),
            422,
            "TokenRequest.authentication.k8s.io \"\" is invalid: spec.expirationSeconds: Invalid \
             value: 60: may not specify a duration less than 10 minutes",
        ),
        (
            value!({"boundObjectRef": {"kind": "Pod", "apiVersion": "v1", "name": "nobody"}}),
            404,
            "pods \"nobody\" not found",
        ),
        (
            value!({"boundObjectRef": {"kind": "Job", "apiVersion": "batch/v1", "name": "a"}}),
            400,
            "cannot bind token to object of type batch/v1, Kind=Job",
        ),
    ] {
        let request = value!({
            "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": spec
        });
        let (answered, status) = ask(&server, "POST", &path, &request);
        assert_eq!((answered, text(&status, &["message"])), (code, why));
    }
    let (code, keys) = ask(&server, "GET", "/openid/v1/jwks", &Value::Null);
    assert_eq!(code, 200);
    assert_eq!(keys.get("keys").and_then(Value::as_list).map(|it| it.len()), Some(1));
    let (code, issuer) = ask(&server, "GET", "/.well-known/openid-configuration", &Value::Null);
    assert_eq!(code, 200);
    assert_eq!(text(&issuer, &["issuer"]), "https://kubernetes.default.svc.cluster.local");
}

#[test]
fn writes_at_the_same_time_never_use_the_same_room_of_a_quota() {
    let server = server();
    let quota = value!({
        "apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q"},
        "spec": {"hard": {"configmaps": "5"}}
    });
    let mut quota = make(&server, &format!("{CORE}/resourcequotas"), &quota);
    quota.set_path(&["status"], value!({"hard": {"configmaps": "5"}, "used": {"configmaps": "0"}}));
    let (code, _) = ask(&server, "PUT", &format!("{CORE}/resourcequotas/q/status"), &quota);
    assert_eq!(code, 200);
    let create = |number: usize| {
        let name = format!("c{number}");
        let map = value!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}});
        ask(&server, "POST", &format!("{CORE}/configmaps"), &map)
    };
    let answers: Vec<(u16, Value)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..16).map(|number| scope.spawn(move || create(number))).collect();
        threads.into_iter().map(|thread| thread.join().expect("an answer")).collect()
    });
    assert_eq!(answers.iter().filter(|it| it.0 == 201).count(), 5);
    let refused = answers.iter().find(|it| it.0 == 403).expect("a refusal");
    let why = "is forbidden: exceeded quota: q, requested: configmaps=1, used: configmaps=5, \
               limited: configmaps=5";
    assert!(text(&refused.1, &["message"]).ends_with(why), "{:?}", refused.1);
    let (_, quota) = ask(&server, "GET", &format!("{CORE}/resourcequotas/q"), &Value::Null);
    assert_eq!(text(&quota, &["status", "used", "configmaps"]), "5");
}

#[test]
fn evictions_ask_the_budget() {
    let server = server();
    for name in ["a", "b"] {
        let mut made = make(&server, &format!("{CORE}/pods"), &pod(name));
        made.set_path(&["status"], value!({"phase": "Running"}));
        let path = format!("{CORE}/pods/{name}/status");
        assert_eq!(ask(&server, "PUT", &path, &made).0, 200);
    }
    let budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
    let budget = value!({
        "apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "keep"},
        "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "web"}}}
    });
    let mut budget = make(&server, budgets, &budget);
    let evict = |name: &str| {
        let eviction =
            value!({"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name}});
        ask(&server, "POST", &format!("{CORE}/pods/{name}/eviction"), &eviction)
    };
    let (code, early) = evict("a");
    assert_eq!(code, 429);
    assert_eq!(early.get_path(&["details", "retryAfterSeconds"]), Some(&Value::Int(10)));
    budget.set_path(
        &["status"],
        value!({
            "observedGeneration": 1, "disruptionsAllowed": 1, "currentHealthy": 2,
            "desiredHealthy": 1, "expectedPods": 2
        }),
    );
    // Pods that are not ready are in nobody's way while enough others are.
    budget.set_path(&["status", "desiredHealthy"], Value::Int(3));
    assert_eq!(ask(&server, "PUT", &format!("{budgets}/keep/status"), &budget).0, 200);
    assert_eq!(evict("a").0, 201);
    let (code, refused) = evict("b");
    assert_eq!(code, 429);
    let causes = refused.get_path(&["details", "causes"]).and_then(Value::as_list);
    let why = text(&causes.expect("causes")[0], &["message"]);
    assert_eq!(why, "The disruption budget keep needs 3 healthy pods and has 2 currently");
    let (_, budget) = ask(&server, "GET", &format!("{budgets}/keep"), &Value::Null);
    assert!(budget.get_path(&["status", "disruptedPods", "a"]).is_some());
}

#[test]
fn a_namespace_gets_stricter_with_warnings_and_refusals() {
    let server = server();
    let mut plain = pod("plain");
    plain.set_path(&["spec", "hostNetwork"], true.into());
    make(&server, &format!("{CORE}/pods"), &plain);
    let patch = |labels: &str| {
        let path = "/api/v1/namespaces/default";
        let (_, mut namespace) = ask(&server, "GET", path, &Value::Null);
        let key = "pod-security.kubernetes.io/enforce";
        namespace.set_path(&["metadata", "labels", key], labels.into());
        ask(&server, "PUT", path, &namespace)
    };
    assert_eq!(patch("baseline").0, 200);
    let mut other = plain.clone();
    other.set_path(&["metadata", "name"], "other".into());
    let (code, refused) = ask(&server, "POST", &format!("{CORE}/pods"), &other);
    assert_eq!(code, 403);
    assert_eq!(
        text(&refused, &["message"]),
        "pods \"other\" is forbidden: violates PodSecurity \"baseline:latest\": host namespaces \
         (hostNetwork=true)"
    );
    assert_eq!(patch("high").0, 422);
}
