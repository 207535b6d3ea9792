//! What is written down: who, as whom, what, from where, and whether it was allowed.

use ordain_server::AuditPolicy;
use ordain_value::{Value, json, value};

use crate::server::Server;

const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps";

fn text<'a>(event: &'a Value, path: &[&str]) -> &'a str {
    event.get_path(path).and_then(Value::as_str).unwrap_or("")
}

fn last(server: &Server) -> Value {
    server.events().last().cloned().unwrap()
}

#[test]
fn a_write_is_told_with_its_object_and_the_binding_that_allowed_it() {
    let server = Server::start();
    let map = value!({"apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"generateName": "m-"}, "data": {"k": "canary-value"}});
    let answer = server.admin().post(CONFIG_MAPS, &map);
    let name = text(&answer.body, &["metadata", "name"]).to_owned();
    let event = last(&server);
    assert_eq!(text(&event, &["apiVersion"]), "audit.k8s.io/v1");
    assert_eq!(text(&event, &["level"]), "Metadata");
    assert_eq!(text(&event, &["stage"]), "ResponseComplete");
    assert_eq!(text(&event, &["verb"]), "create");
    assert_eq!(text(&event, &["requestURI"]), CONFIG_MAPS);
    assert_eq!(text(&event, &["user", "username"]), "ordain-admin");
    assert_eq!(text(&event, &["objectRef", "resource"]), "configmaps");
    assert_eq!(text(&event, &["objectRef", "name"]), name);
    assert_eq!(text(&event, &["annotations", "authorization.k8s.io/decision"]), "allow");
    assert_eq!(event.get_path(&["responseStatus", "code"]), Some(&Value::Int(201)));
    let sources = event.get("sourceIPs").and_then(Value::as_list).unwrap();
    assert_eq!(sources[0].as_str(), Some("127.0.0.1"));
    assert_eq!(text(&event, &["auditID"]), answer.headers["audit-id"].to_str().unwrap());
    let received = text(&event, &["requestReceivedTimestamp"]);
    assert!(received.len() == 27 && received <= text(&event, &["stageTimestamp"]), "{received}");
    // The group of the certificate makes it allowed, before any binding is looked at.
    assert_eq!(text(&event, &["annotations", "authorization.k8s.io/reason"]), "");
    server.user("ops").get("/metrics");
    assert_eq!(
        text(&last(&server), &["annotations", "authorization.k8s.io/reason"]),
        "RBAC: allowed by ClusterRoleBinding \"system:monitoring\" of ClusterRole \
         \"system:monitoring\" to Group \"system:monitoring\""
    );
}

#[test]
fn refusals_and_both_identities_are_told() {
    let server = Server::start();
    server.admin().get_as(CONFIG_MAPS, &[("impersonate-user", "bob")]);
    let event = last(&server);
    assert_eq!(text(&event, &["user", "username"]), "ordain-admin");
    assert_eq!(text(&event, &["impersonatedUser", "username"]), "bob");
    assert_eq!(text(&event, &["annotations", "authorization.k8s.io/decision"]), "forbid");
    assert_eq!(text(&event, &["responseStatus", "reason"]), "Forbidden");
    assert_eq!(event.get_path(&["responseStatus", "code"]), Some(&Value::Int(403)));
    let constraint = text(&event, &["authenticationMetadata", "impersonationConstraint"]);
    assert_eq!(constraint, "impersonate:user-info");
    // One who may not is written down, too.
    server.user("eve").get_as(CONFIG_MAPS, &[("impersonate-user", "bob")]);
    let event = last(&server);
    assert_eq!(text(&event, &["user", "username"]), "eve");
    assert_eq!(event.get("impersonatedUser"), None);
    server.anonymous().get(CONFIG_MAPS);
    let event = last(&server);
    assert_eq!(event.get("user"), Some(&value!({})));
    assert_eq!(event.get_path(&["responseStatus", "code"]), Some(&Value::Int(401)));
}

#[test]
fn a_watch_is_told_when_it_starts_and_when_it_ends() {
    let server = Server::start();
    let path = format!("{CONFIG_MAPS}?watch=true&timeoutSeconds=1");
    assert_eq!(server.admin().get(&path).code, 200);
    let events = server.events();
    let stages: Vec<&str> = events.iter().map(|event| text(event, &["stage"])).collect();
    assert_eq!(stages, ["RequestReceived", "ResponseStarted", "ResponseComplete"]);
    assert_eq!(text(&events[0], &["auditID"]), text(&events[1], &["auditID"]));
    assert_eq!(text(&events[0], &["verb"]), "watch");
}

const POLICY: &str = "
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- {level: None, resources: [{resources: [secrets]}]}
- {level: Request, verbs: [update], resources: [{resources: [configmaps]}]}
- {level: RequestResponse, omitManagedFields: true, resources: [{resources: [configmaps]}]}
- {level: Metadata, omitStages: [ResponseComplete], resources: [{resources: [services]}]}
";

#[test]
fn a_policy_says_what_is_written_down_and_how_much() {
    let server = Server::with(|app| {
        let policy = AuditPolicy::decode(POLICY.as_bytes()).unwrap();
        app.audit.as_mut().unwrap().policy = policy;
    });
    let map = value!({"apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "m"}, "data": {"k": "v"}});
    server.create(CONFIG_MAPS, &map);
    let event = last(&server);
    assert_eq!(server.events().len(), 1, "the first stage is omitted");
    assert_eq!(text(&event, &["level"]), "RequestResponse");
    assert_eq!(text(&event, &["requestObject", "data", "k"]), "v");
    assert_eq!(text(&event, &["responseObject", "metadata", "name"]), "m");
    assert_eq!(event.get_path(&["responseObject", "metadata", "managedFields"]), None);
    server.admin().get(CONFIG_MAPS);
    let event = last(&server);
    assert_eq!(event.get("requestObject"), None);
    let items = event.get_path(&["responseObject", "items"]).and_then(Value::as_list).unwrap();
    assert!(items.iter().any(|it| text(it, &["metadata", "name"]) == "m"));
    assert!(items.iter().all(|it| it.get_path(&["metadata", "managedFields"]).is_none()));
    let mut changed = map;
    changed.set_path(&["data", "k"], "w".into());
    server.admin().put(&format!("{CONFIG_MAPS}/m"), &changed);
    let event = last(&server);
    assert_eq!(text(&event, &["level"]), "Request");
    assert_eq!(event.get("requestObject"), Some(&changed));
    assert_eq!(event.get("responseObject"), None);
    let before = server.events().len();
    server.admin().get("/api/v1/namespaces/default/secrets");
    server.admin().get("/api/v1/namespaces/default/services");
    server.admin().get("/version");
    assert_eq!(server.events().len(), before, "nothing else is meant");
}

#[test]
fn s24_neither_tokens_nor_secrets_are_written_down() {
    let server = Server::start();
    let secret = value!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"},
        "stringData": {"password": "canary-value"}});
    server.create("/api/v1/namespaces/default/secrets", &secret);
    server.user("bob").get("/api/v1/namespaces/default/secrets/s");
    server.admin().get("/api/v1/namespaces/default/secrets/s");
    let all: String = server.events().iter().map(json::encode_string).collect();
    assert!(all.contains("\"secrets\""));
    for canary in ["canary-value", "bob-token", "Y2FuYXJ5LXZhbHVl"] {
        assert!(!all.contains(canary), "{canary}");
    }
}
