//! Requests that reach for what they do not name: other kinds, other lists, what a trial should
//! leave alone.

use ordain_value::{Value, json, value};

use crate::server::{Server, THINGS};

const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps";

fn items(server: &mut Server, path: &str) -> usize {
    let answer = server.client.get(path).unwrap();
    assert_eq!(answer.code, 200, "{path}: {:?}", answer.body);
    answer.body.get("items").and_then(Value::as_list).map_or(0, |items| items.len())
}

#[test]
fn s15_a_list_holds_its_own_kind_and_namespace_only() {
    let mut server = Server::start();
    let keep = value!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    // Names that begin with the names of others.
    assert_eq!(server.define("thingsbar", "ThingBar", &keep).code, 201);
    for namespace in ["ns", "ns1"] {
        let object = value!({"apiVersion": "v1", "kind": "Namespace",
            "metadata": {"name": namespace}});
        let body = json::encode(&object);
        let made = server.send("POST", "/api/v1/namespaces", "application/json", body);
        assert_eq!(made.code, 201);
    }
    let group = "/apis/attack.example.com/v1";
    for (plural, kind, namespace) in
        [("thingsbar", "ThingBar", "ns"), ("things", "Thing", "ns1"), ("things", "Thing", "ns")]
    {
        let object = value!({"apiVersion": "attack.example.com/v1", "kind": kind,
            "metadata": {"name": "a"}});
        let path = format!("{group}/namespaces/{namespace}/{plural}");
        let made = server.send("POST", &path, "application/json", json::encode(&object));
        assert_eq!(made.code, 201, "{:?}", made.body);
    }
    assert_eq!(items(&mut server, &format!("{group}/things")), 2);
    assert_eq!(items(&mut server, &format!("{group}/namespaces/ns/things")), 1);
    assert_eq!(items(&mut server, &format!("{group}/namespaces/ns/thingsbar")), 1);
    for name in ["..", ".", "%2e%2e", "a%2fb", "%2e%2e%2fthingsbar%2fns%2fa"] {
        let path = format!("{group}/namespaces/ns/things/{name}");
        let code = server.client.get(&path).unwrap().code;
        assert!(matches!(code, 400 | 404), "{name}: {code}");
    }
}

#[test]
fn s38_forged_tokens_open_no_other_list() {
    let mut server = Server::start();
    let base64 = |text: &str| ordain_schema::base64::encode(text.as_bytes());
    for start in ["../secrets/default/x", "/../x", "..", "./a", "a/../../b"] {
        let token = format!(r#"{{"v":"meta.k8s.io/v1","rv":5,"start":"{start}"}}"#);
        let token = base64(&token).trim_end_matches('=').replace('+', "-").replace('/', "_");
        let path = format!("{CONFIG_MAPS}?limit=1&continue={token}");
        let answer = server.client.get(&path).unwrap();
        assert_eq!(answer.code, 400, "{start}: {:?}", answer.body);
    }
    let token = base64(r#"{"v":"meta.k8s.io/v1","rv":9223372036854775807,"start":"a"}"#);
    let path = format!("{CONFIG_MAPS}?limit=1&continue={}", token.trim_end_matches('='));
    assert_eq!(server.client.get(&path).unwrap().code, 504, "a revision of the future");
    for token in ["x", "%00", "e30", "bnVsbA"] {
        let path = format!("{CONFIG_MAPS}?limit=1&continue={token}");
        assert_eq!(server.client.get(&path).unwrap().code, 400, "{token}");
    }
}

#[test]
fn s40_a_trial_leaves_no_trace() {
    let mut server = Server::start();
    assert_eq!(server.create("kept", "{}").code, 201);
    let version = |server: &mut Server| {
        let list = server.client.get("/api/v1/configmaps").unwrap().body;
        list.get_path(&["metadata", "resourceVersion"]).cloned()
    };
    let before = version(&mut server);
    let thing = |name: &str| {
        json::encode(&value!({"apiVersion": "attack.example.com/v1", "kind": "Thing",
            "metadata": {"name": name}, "spec": {"x": 1}}))
    };
    let (json, merge, apply) =
        ("application/json", "application/merge-patch+json", "application/apply-patch+yaml");
    for (method, path, media, body) in [
        ("POST", THINGS.to_owned(), json, thing("new")),
        ("PATCH", format!("{THINGS}/kept"), merge, br#"{"spec":{"x":2}}"#.to_vec()),
        ("PATCH", format!("{THINGS}/new"), apply, thing("new")),
        ("DELETE", format!("{THINGS}/kept"), json, Vec::new()),
        ("DELETE", THINGS.to_owned(), json, Vec::new()),
    ] {
        let path = format!("{path}?dryRun=All&fieldManager=m");
        let answer = server.send(method, &path, media, body);
        assert!(matches!(answer.code, 200 | 201), "{method} {path}: {:?}", answer.body);
    }
    assert_eq!(version(&mut server), before, "a trial took a revision");
    assert_eq!(items(&mut server, THINGS), 1);
}

#[test]
fn s44_broken_protobuf_is_refused() {
    let mut server = Server::start();
    let media = "application/vnd.kubernetes.protobuf";
    let envelope = |raw: &[u8]| {
        let mut bytes = b"k8s\0".to_vec();
        bytes.extend_from_slice(b"\x0a\x0f\x0a\x02v1\x12\x09ConfigMap\x12");
        bytes.push(u8::try_from(raw.len()).unwrap());
        bytes.extend_from_slice(raw);
        bytes
    };
    let deep: Vec<u8> = b"\x0a\x7f".repeat(60);
    for body in [
        b"k8s\0".to_vec(),
        b"k8t\0abc".to_vec(),
        envelope(b"\x0a\xff\xff\xff\xff\x0f"),
        envelope(b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"),
        envelope(b"\x0a\x05a"),
        envelope(&deep),
        b"k8s\0\x0a\xff\xff\xff\xff\x7f".to_vec(),
        // A deletion in the year 10000, which no text of a time can say.
        envelope(b"\x0a\x0c\x0a\x01t\x4a\x07\x08\x80\x83\xd1\xff\xaf\x07"),
    ] {
        let answer = server.send("POST", CONFIG_MAPS, media, body.clone());
        assert!((400..500).contains(&answer.code), "{body:?}: {}", answer.code);
    }
    server.still_there();
}
