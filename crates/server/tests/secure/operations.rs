//! Health, figures, and stopping.

use std::time::{Duration, Instant};

use http_body_util::BodyExt;
use ordain_value::{Value, value};

use crate::client::Answer;
use crate::server::Server;

const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps";

#[test]
fn health_has_named_checks() {
    let server = Server::start();
    let admin = server.admin();
    assert_eq!(admin.get("/livez").text(), "ok");
    assert_eq!(admin.get("/livez/ping").text(), "ok");
    assert_eq!(admin.get("/readyz/shutdown").text(), "ok");
    assert_eq!(admin.get("/livez/shutdown").code, 404);
    assert_eq!(admin.get("/readyz/zork").code, 404);
    let verbose = admin.get("/readyz?verbose&exclude=etcd&exclude=zork");
    let text = verbose.text();
    assert!(text.contains("[+]ping ok\n") && text.contains("[+]etcd excluded: ok\n"), "{text}");
    assert!(text.contains("cannot be excluded: no matches for \"zork\"\n"), "{text}");
    assert!(text.ends_with("readyz check passed\n"), "{text}");
    let figures = admin.get("/metrics/slis");
    let line = "\nkubernetes_healthcheck{name=\"etcd\",type=\"livez\"} 1\n";
    assert!(figures.text().contains(line), "{}", figures.text());
}

#[test]
fn answers_name_the_flow_of_their_request() {
    let server = Server::start();
    let group = "/apis/flowcontrol.apiserver.k8s.io/v1";
    let level = value!({
        "apiVersion": "flowcontrol.apiserver.k8s.io/v1",
        "kind": "PriorityLevelConfiguration",
        "metadata": {"name": "slow"},
        "spec": {"type": "Limited", "limited": {"limitResponse": {"type": "Reject"}}}
    });
    let level = server.create(&format!("{group}/prioritylevelconfigurations"), &level);
    let everything = value!({
        "verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "namespaces": ["*"]
    });
    let schema = value!({
        "apiVersion": "flowcontrol.apiserver.k8s.io/v1",
        "kind": "FlowSchema",
        "metadata": {"name": "of-bob"},
        "spec": {
            "priorityLevelConfiguration": {"name": "slow"},
            "matchingPrecedence": 1000,
            "rules": [{
                "subjects": [{"kind": "User", "user": {"name": "bob"}}],
                "resourceRules": [everything]
            }]
        }
    });
    let schema = server.create(&format!("{group}/flowschemas"), &schema);
    let headers = |name: &str| {
        let answer = server.user(name).get(CONFIG_MAPS);
        let text = |header: &str| {
            let value = answer.headers.get(header)?.to_str().ok()?;
            Some(Value::from(value))
        };
        let level = text("x-kubernetes-pf-prioritylevel-uid");
        text("x-kubernetes-pf-flowschema-uid").zip(level)
    };
    let uid = |answer: &Answer| answer.body.get_path(&["metadata", "uid"]).cloned();
    // Whether or not it is allowed.
    assert_eq!(headers("bob"), uid(&schema).zip(uid(&level)));
    assert_eq!(headers("eve"), None);
    assert_eq!(server.admin().delete(&format!("{group}/flowschemas/of-bob")).code, 200);
    assert_eq!(headers("bob"), None);
}

/// The value of a line in the figures that begins like this; the labels must be complete.
fn figure(text: &str, line: &str) -> Option<f64> {
    let found = text.lines().find_map(|it| it.strip_prefix(line)?.strip_prefix(' '));
    found.and_then(|value| value.parse().ok())
}

#[test]
fn figures_have_the_reference_s_names() {
    let server = Server::start();
    let admin = server.admin();
    let map = value!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "figures"}});
    let line = "apiserver_request_total{verb=\"POST\",dry_run=\"\",group=\"\",version=\"v1\",\
        resource=\"configmaps\",subresource=\"\",scope=\"resource\",component=\"apiserver\",\
        code=\"201\"}";
    let before = figure(admin.get("/metrics").text(), line).unwrap_or(0.0);
    server.create(CONFIG_MAPS, &map);
    admin.get(&format!("{CONFIG_MAPS}?watch=true&timeoutSeconds=1"));
    let answer = admin.get("/metrics");
    let text = answer.text();
    assert_eq!(answer.headers["content-type"], "text/plain; version=0.0.4; charset=utf-8");
    assert!(figure(text, line).unwrap() >= before + 1.0);
    let stored = figure(text, "apiserver_storage_objects{resource=\"configmaps\"}");
    assert_eq!(stored, Some(1.0));
    let events = "apiserver_watch_events_total{group=\"\",version=\"v1\",resource=\"configmaps\"}";
    assert!(figure(text, events).unwrap() >= 1.0);
    for name in [
        "apiserver_request_duration_seconds_bucket",
        "apiserver_response_sizes_sum",
        "apiserver_current_inflight_requests{request_kind=\"readOnly\"}",
        "apiserver_longrunning_requests",
        "process_resident_memory_bytes",
        "process_cpu_seconds_total",
    ] {
        assert!(text.contains(name), "{name}");
    }
}

#[test]
fn s23_what_clients_make_up_is_no_label() {
    let server = Server::start();
    let admin = server.admin();
    for number in 0..50 {
        admin.get(&format!("/apis/made-up-{number}.example.com/v1/things"));
        admin.get(&format!("/made-up-path-{number}"));
        admin.call(&format!("VERB{number}"), "/api/v1/configmaps", &[], None);
        admin.get(&format!("/api/v1/namespaces/default/configmaps/x/made-up-{number}"));
    }
    let answer = admin.get("/metrics");
    for text in ["made-up", "VERB1"] {
        assert!(!answer.text().contains(text), "{text}");
    }
}

#[test]
fn the_server_stops_within_100_ms_with_watches_open() {
    let mut server = Server::start();
    let (stop, stopped) = (server.stop.take().unwrap(), server.stopped.take().unwrap());
    let took = server.runtime.block_on(async {
        let admin = server.admin();
        let mut bodies = Vec::new();
        for _ in 0..20 {
            let path = format!("{CONFIG_MAPS}?watch=true");
            let response = admin.send("GET", &path, &[], None).await.unwrap();
            assert_eq!(response.status(), 200);
            bodies.push(response.into_body());
        }
        let began = Instant::now();
        stop.send(()).unwrap();
        stopped.await.unwrap().unwrap();
        let took = began.elapsed();
        for body in bodies {
            // The stream ends like one that timed out: no error, no half line.
            let ended = tokio::time::timeout(Duration::from_secs(5), body.collect()).await;
            ended.unwrap().expect("the stream of a watch was cut off");
        }
        took
    });
    assert!(took < Duration::from_millis(100), "{took:?}");
    // All watches have ended.
    let ended = server.events();
    let ended = ended.iter().filter(|event| {
        event.get("stage").and_then(ordain_value::Value::as_str) == Some("ResponseComplete")
    });
    assert_eq!(ended.count(), 20);
}
