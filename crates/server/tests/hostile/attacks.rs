//! Hostile requests get a clean answer, and the server goes on: bodies that explode, nest or never
//! end, patches without bound, patterns and schemas made to hurt.
//!
//! Each test ends by asking the server something ordinary. Nothing here measures time: a request
//! that is not linear does not come back within the client's timeout.

use ordain_testkit::client::Request;
use ordain_value::{Value, json, value};

use crate::server::{Server, THINGS};

#[test]
fn s01_yaml_alias_bombs_are_refused() {
    let mut server = Server::start();
    let mut text = "apiVersion: attack.example.com/v1\nkind: Thing\nmetadata: {name: a}\nspec:\n  a0: &a0 [x,x,x,x,x,x,x,x,x]\n".to_owned();
    for level in 1..9 {
        let before = level - 1;
        let items = vec![format!("*a{before}"); 9].join(",");
        text.push_str(&format!("  a{level}: &a{level} [{items}]\n"));
    }
    let answer = server.send("POST", THINGS, "application/yaml", text.clone().into_bytes());
    assert_eq!(answer.code, 400, "{:?}", answer.body);
    let path = format!("{THINGS}/a?fieldManager=m");
    let answer = server.send("PATCH", &path, "application/apply-patch+yaml", text.into_bytes());
    assert!((400..500).contains(&answer.code), "{:?}", answer.body);
    server.still_there();
}

#[test]
fn s02_yaml_that_is_hard_to_scan_comes_back() {
    let mut server = Server::start();
    for unit in ["- ", "? ", "{", "&a ", "a: b: ", "---\n"] {
        let text = unit.repeat(200_000 / unit.len());
        let answer = server.send("POST", THINGS, "application/yaml", text.into_bytes());
        assert!((400..500).contains(&answer.code), "{unit:?}: {}", answer.code);
    }
    server.still_there();
}

#[test]
fn s03_json_patches_have_bounds() {
    let mut server = Server::start();
    assert_eq!(server.create("a", r#"{"v":"x"}"#).code, 201);
    let path = format!("{THINGS}/a");
    let many = vec![r#"{"op":"test","path":"/spec/v","value":"x"}"#; 10_001].join(",");
    let answer = server.send(
        "PATCH",
        &path,
        "application/json-patch+json",
        format!("[{many}]").into_bytes(),
    );
    assert_eq!(answer.code, 413, "{:?}", answer.body);
    let mut doubling =
        vec![format!(r#"{{"op":"add","path":"/spec/l","value":["{}"]}}"#, "y".repeat(100_000))];
    for _ in 0..20 {
        doubling.push(r#"{"op":"copy","from":"/spec/l","path":"/spec/l/-"}"#.to_owned());
    }
    let body = format!("[{}]", doubling.join(","));
    let answer = server.send("PATCH", &path, "application/json-patch+json", body.into_bytes());
    assert!((400..500).contains(&answer.code), "{}", answer.code);
    let body = br#"[{"op":"move","from":"/spec","path":"/spec/v/inside"}]"#.to_vec();
    let answer = server.send("PATCH", &path, "application/json-patch+json", body);
    assert!((400..500).contains(&answer.code), "{:?}", answer.body);
    server.still_there();
}

#[test]
fn s04_bodies_beyond_the_limit_and_endless_nesting_are_refused() {
    let mut server = Server::start();
    let big = vec![b' '; 3 * 1024 * 1024 + 1];
    assert_eq!(server.send("POST", THINGS, "application/json", big).code, 413);
    let mut padded =
        br#"{"apiVersion":"attack.example.com/v1","kind":"Thing","metadata":{"name":"padded"}}"#
            .to_vec();
    padded.resize(3 * 1024 * 1024 - 100, b' ');
    assert_eq!(server.send("POST", THINGS, "application/json", padded).code, 201);
    let nested = "[".repeat(1_500_000).into_bytes();
    assert_eq!(server.send("POST", THINGS, "application/json", nested.clone()).code, 400);
    assert_eq!(server.send("POST", THINGS, "application/yaml", nested.clone()).code, 400);
    for patch in ["json-patch+json", "merge-patch+json", "apply-patch+yaml"] {
        let path = format!("{THINGS}/padded?fieldManager=m");
        let answer = server.send("PATCH", &path, &format!("application/{patch}"), nested.clone());
        assert!((400..500).contains(&answer.code), "{patch}: {}", answer.code);
    }
    server.still_there();
}

#[test]
fn s05_objects_nested_to_the_limit_live_and_deeper_ones_are_refused() {
    let mut server = Server::start();
    let deep = |depth: usize| format!("{{\"a\":{}1{}}}", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(server.create("deep", &deep(9_990)).code, 201);
    assert_eq!(server.create("deeper", &deep(10_001)).code, 400);
    let path = format!("{THINGS}/deep");
    assert_eq!(server.client.get(&path).unwrap().code, 200);
    assert_eq!(server.client.get(THINGS).unwrap().code, 200);
    let answer = server.send(
        "PATCH",
        &path,
        "application/merge-patch+json",
        br#"{"metadata":{"labels":{"a":"b"}}}"#.to_vec(),
    );
    assert_eq!(answer.code, 200, "{}", answer.code);
    let request = Request { method: "DELETE", path: &path, ..Request::default() };
    assert_eq!(server.client.call(&request).unwrap().code, 200);
    server.still_there();
}

#[test]
fn s06_nested_empty_maps_cost_no_exponential_ownership() {
    let mut server = Server::start();
    for depth in [50, 500] {
        let spec = format!("{}{{}}{}", r#"{"a":"#.repeat(depth), "}".repeat(depth));
        assert_eq!(server.create(&format!("maps-{depth}"), &spec).code, 201);
    }
    server.still_there();
}

#[test]
fn s07_compressed_requests_are_not_expanded() {
    let mut server = Server::start();
    let request = Request {
        method: "POST",
        path: THINGS,
        body: Some(vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0]),
        content_type: "application/json",
        headers: vec![("content-encoding".into(), "gzip".into())],
    };
    let code = server.client.call(&request).unwrap().code;
    assert!(matches!(code, 400 | 413 | 415), "{code}");
    server.still_there();
}

#[test]
fn s08_patterns_run_in_linear_time_or_are_refused() {
    let mut server = Server::start();
    let schema = |pattern: &str| value!({"type": "object", "properties": {"s": {"type": "string", "pattern": pattern}}});
    assert_eq!(server.define("loops", "Loop", &schema("(a+)+$")).code, 201);
    let subject = format!("{}b", "a".repeat(1_000_000));
    let body = format!(
        r#"{{"apiVersion":"attack.example.com/v1","kind":"Loop","metadata":{{"name":"x"}},"spec":{{"s":"{subject}"}}}}"#
    );
    let path = "/apis/attack.example.com/v1/namespaces/default/loops";
    assert_eq!(server.send("POST", path, "application/json", body.into_bytes()).code, 422);
    assert_eq!(server.define("bombs", "Bomb", &schema("(x{1000}){1000}")).code, 422);
    assert_eq!(server.define("opens", "Open", &schema("(")).code, 422);
    server.still_there();
}

#[test]
fn s09_schemas_made_to_hurt_are_judged() {
    let mut server = Server::start();
    let wide = (0..10_000).map(|at| (format!("p{at}"), value!({"type": "string"})));
    let wide = value!({"type": "object", "properties": Value::Map(wide.collect())});
    assert_eq!(server.define("wides", "Wide", &wide).code, 201);
    let mut nested = value!({});
    for _ in 0..1_000 {
        nested = value!({"allOf": [nested]});
    }
    let nested = value!({"type": "object", "allOf": [nested]});
    let code = server.define("nesteds", "Nested", &nested).code;
    assert!((400..500).contains(&code), "{code}");
    let reference = value!({"$ref": "#/definitions/x"});
    assert_eq!(server.define("refs", "Ref", &reference).code, 422);
    server.still_there();
}

#[test]
fn s35_numbers_text_and_keys_keep_their_meaning() {
    let mut server = Server::start();
    let kept = |server: &mut Server, name: &str, spec: &str| {
        let answer = server.create(name, spec);
        assert_eq!(answer.code, 201, "{spec}: {:?}", answer.body);
        json::encode_string(answer.body.get("spec").unwrap())
    };
    assert_eq!(kept(&mut server, "big", r#"{"i":9007199254740993}"#), r#"{"i":9007199254740993}"#);
    assert_eq!(kept(&mut server, "zero", r#"{"i":-0,"n":"\u0000"}"#), r#"{"i":0,"n":"\u0000"}"#);
    assert_eq!(kept(&mut server, "dup", r#"{"a":1,"\u0061":2}"#), r#"{"a":2}"#);
    assert_eq!(server.create("nan", r#"{"i":NaN}"#).code, 400);
    assert_eq!(server.create("huge", r#"{"i":1e400}"#).code, 400);
    let path = format!("{THINGS}?fieldValidation=Strict");
    let body = br#"{"apiVersion":"attack.example.com/v1","kind":"Thing","metadata":{"name":"d"},"spec":{"a":1,"a":2}}"#;
    let answer = server.send("POST", &path, "application/json", body.to_vec());
    assert_eq!(answer.code, 400);
    let message = answer.body.get("message").and_then(Value::as_str).unwrap_or("").to_owned();
    assert!(message.contains(r#"duplicate field "spec.a""#), "{message}");
    let invalid = b"{\"apiVersion\":\"attack.example.com/v1\",\"kind\":\"Thing\",\"metadata\":{\"name\":\"u\"},\"spec\":{\"a\":\"\xff\"}}";
    assert_eq!(server.send("POST", THINGS, "application/json", invalid.to_vec()).code, 400);
    server.still_there();
}

#[test]
fn s36_field_validation_says_what_is_unknown_or_double() {
    let mut server = Server::start();
    let closed = value!({"type": "object", "properties": {"y": {"type": "integer"}}});
    assert_eq!(server.define("closeds", "Closed", &closed).code, 201);
    let path = "/apis/attack.example.com/v1/namespaces/default/closeds";
    let body = |name: &str| {
        format!(r#"{{"apiVersion":"attack.example.com/v1","kind":"Closed","metadata":{{"name":"{name}"}},"spec":{{"x":1,"y":1,"y":2}}}}"#).into_bytes()
    };
    let strict = format!("{path}?fieldValidation=Strict");
    let answer = server.send("POST", &strict, "application/json", body("a"));
    assert_eq!(answer.code, 400);
    let message = answer.body.get("message").and_then(Value::as_str).unwrap_or("").to_owned();
    let expected = r#"strict decoding error: duplicate field "spec.y", unknown field "spec.x""#;
    assert!(message.contains(expected), "{message}");
    let answer = server.send("POST", path, "application/json", body("b"));
    assert_eq!((answer.code, answer.warnings().len()), (201, 2));
    let ignore = format!("{path}?fieldValidation=Ignore");
    let answer = server.send("POST", &ignore, "application/json", body("c"));
    assert_eq!((answer.code, answer.warnings().len()), (201, 0));
    server.still_there();
}

#[test]
fn s45_large_objects_are_stored_whole_or_not_at_all() {
    let mut server = Server::start();
    for (name, len) in [("below", 1_400_000), ("above", 1_600_000)] {
        let answer = server.create(name, &format!(r#"{{"s":"{}"}}"#, "z".repeat(len)));
        let read = server.client.get(&format!("{THINGS}/{name}")).unwrap();
        match answer.code {
            201 => {
                let stored =
                    read.body.get_path(&["spec", "s"]).and_then(Value::as_str).unwrap_or("");
                assert_eq!(stored.len(), len);
            }
            code => {
                assert!(matches!(code, 400 | 413), "{name}: {code}");
                assert_eq!(read.code, 404, "{name} is half there");
            }
        }
    }
    server.still_there();
}

#[test]
fn an_apply_of_a_wrong_scalar_is_refused_where_merging_takes_any() {
    let mut server = Server::start();
    let path = "/apis/coordination.k8s.io/v1/namespaces/default/leases/a?fieldManager=x";
    let lease = |spec: &str| {
        format!(
            r#"{{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{{"name":"a","namespace":"default"}},"spec":{spec}}}"#
        )
    };
    let mut apply = |spec: &str| {
        server.send("PATCH", path, "application/apply-patch+yaml", lease(spec).into_bytes())
    };
    let answer = apply(r#"{"acquireTime":false}"#);
    assert_eq!(answer.code, 500, "{:?}", answer.body);
    let reported = answer.body.get("message").and_then(Value::as_str).unwrap_or_default();
    let wanted = "failed to convert new object (default/a; coordination.k8s.io/v1, Kind=Lease) to \
                  proper version: unable to convert unstructured object to \
                  coordination.k8s.io/v1, Kind=Lease: ";
    assert!(reported.starts_with(wanted) && reported.contains("bool"), "{reported}");
    assert_eq!(apply(r#"{"acquireTime":"2026-01-01T00:00:00.000000Z"}"#).code, 201);
}
