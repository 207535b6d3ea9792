//! Requests that are small to send and large to answer. Each comes back within the time of a few
//! ordinary ones, whatever it asks for, and `/livez` answers all the while.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ordain_testkit::Client;
use ordain_testkit::client::{Answer, Request};
use ordain_value::{Value, json, value};

use crate::server::{DEFINITIONS, Server, THINGS};

/// How long an attack may take, here where nothing is optimised and others use the machine too.
const SECONDS_MAX: u64 = 55;
/// How long `/livez` may take under an attack, here.
const LIVEZ_MAX: Duration = Duration::from_millis(1_000);
const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps";

/// Sends one request while `/livez` is asked without pause, and holds both to their times.
fn attack(server: &mut Server, method: &str, path: &str, media: &str, body: Vec<u8>) -> Answer {
    let done = Arc::new(AtomicBool::new(false));
    let asking = {
        let (done, address) = (Arc::clone(&done), server.address);
        std::thread::spawn(move || {
            let mut client = Client::new(address);
            let mut slowest = Duration::ZERO;
            while !done.load(Ordering::Relaxed) {
                let asked = Instant::now();
                assert_eq!(client.get("/livez").unwrap().code, 200);
                slowest = slowest.max(asked.elapsed());
                std::thread::sleep(Duration::from_millis(5));
            }
            slowest
        })
    };
    let sent = Instant::now();
    let answer = server.send(method, path, media, body);
    let took = sent.elapsed();
    done.store(true, Ordering::Relaxed);
    let slowest = asking.join().unwrap();
    assert!(took < Duration::from_secs(SECONDS_MAX), "{method} {path} took {took:?}");
    assert!(slowest < LIVEZ_MAX, "/livez took {slowest:?} during {method} {path}");
    answer
}

pub(crate) fn list(len: usize, item: impl Fn(usize) -> String) -> String {
    (0..len).map(item).collect::<Vec<_>>().join(",")
}

#[test]
fn aliases_are_counted_at_the_size_they_are_written_at() {
    let mut server = Server::start();
    let long = "x".repeat(1_000_000);
    let aliases = vec!["*a"; 6_000].join(",");
    let text = format!(
        "apiVersion: attack.example.com/v1\nkind: Thing\nmetadata: {{name: a}}\nspec:\n  a: &a \
         {long}\n  b: [{aliases}]\n"
    );
    let body = text.clone().into_bytes();
    let answer = attack(&mut server, "POST", THINGS, "application/yaml", body);
    assert_eq!(answer.code, 400, "{:?}", answer.body);
    let path = format!("{THINGS}/a?fieldManager=m");
    let media = "application/apply-patch+yaml";
    let answer = attack(&mut server, "PATCH", &path, media, text.into_bytes());
    assert_eq!(answer.code, 400, "{:?}", answer.body);
    // Anchors as they are meant to be used are fine.
    let text = "apiVersion: attack.example.com/v1\nkind: Thing\nmetadata: {name: b}\nspec:\n  a: &a \
                {k: v}\n  b: [*a, *a, *a]\n";
    let answer = server.send("POST", THINGS, "application/yaml", text.into());
    assert_eq!(answer.code, 201, "{:?}", answer.body);
}

#[test]
fn defaults_are_counted_at_the_size_they_are_written_at() {
    let mut server = Server::start();
    let long = "x".repeat(1_000_000);
    let spec = value!({"type": "object", "properties": {"items": {"type": "array", "items":
        {"type": "object", "properties": {"d": {"type": "string", "default": (long)}}}}}});
    assert_eq!(server.define("fats", "Fat", &spec).code, 201);
    let path = "/apis/attack.example.com/v1/namespaces/default/fats";
    let body = |len: usize| {
        let items = list(len, |_| "{}".to_owned());
        format!(
            r#"{{"apiVersion":"attack.example.com/v1","kind":"Fat","metadata":{{"name":"n{len}"}},"spec":{{"items":[{items}]}}}}"#
        )
        .into_bytes()
    };
    let answer = attack(&mut server, "POST", path, "application/json", body(1_000));
    assert_eq!(answer.code, 413, "{:?}", answer.body);
    let answer = attack(&mut server, "POST", path, "application/json", body(1));
    assert_eq!(answer.code, 201, "{:?}", answer.body);
    let grow = json::encode(&value!([{"op": "add", "path": "/spec/items/-", "value": {}}]));
    for _ in 0..20 {
        let one = format!("{path}/n1");
        let media = "application/json-patch+json";
        let answer = attack(&mut server, "PATCH", &one, media, grow.clone());
        assert!(matches!(answer.code, 200 | 413), "{:?}", answer.code);
    }
}

#[test]
fn a_definition_of_many_versions_costs_what_its_versions_cost() {
    let mut server = Server::start();
    let versions: Vec<Value> = (0..2_000)
        .map(|at| {
            value!({"name": (format!("v{}", at + 1)), "served": true, "storage": (at == 0),
                "schema": {"openAPIV3Schema": {"type": "object"}}})
        })
        .collect();
    let crd = value!({"apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition", "metadata": {"name": "many.many.example.com"},
        "spec": {"group": "many.example.com", "scope": "Cluster",
            "names": {"kind": "Many", "plural": "many"}, "versions": (Value::from(versions))}});
    let body = json::encode(&crd);
    let answer = attack(&mut server, "POST", DEFINITIONS, "application/json", body);
    assert_eq!(answer.code, 201, "{:?}", answer.body.get("message"));
    assert_eq!(server.client.get("/apis/many.example.com/v2000/many").unwrap().code, 200);
}

#[test]
fn counted_repetitions_weigh_what_they_stand_for() {
    let mut server = Server::start();
    let mut properties = Vec::new();
    for at in 0..20 {
        let pattern = format!(r"^(\pL{{1000}}|\pN{{1000}}|a{at}{{1000}}){{1,1}}$");
        properties.push((format!("p{at}"), value!({"type": "string", "pattern": (pattern)})));
    }
    let properties: ordain_value::Map = properties.into_iter().collect();
    let spec = value!({"type": "object", "properties": (Value::Map(properties))});
    let sent = Instant::now();
    let answer = server.define("rxs", "Rx", &spec);
    assert_eq!(answer.code, 422, "{:?}", answer.body);
    assert!(sent.elapsed() < Duration::from_secs(SECONDS_MAX), "{:?}", sent.elapsed());
    let spec = value!({"type": "object", "properties": {"p": {"type": "string",
        "pattern": "^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$"}}});
    assert_eq!(server.define("oks", "Ok", &spec).code, 201);
}

#[test]
fn patterns_that_come_with_the_object_are_paid_for() {
    let mut server = Server::start();
    let spec = value!({"type": "object", "properties": {
        "p": {"type": "array", "maxItems": 1000, "items": {"type": "string", "maxLength": 1000}}},
        "x-kubernetes-validations": [{"rule": "self.p.all(a, !'x'.matches(a))"}]});
    let answer = server.define("dyns", "Dyn", &spec);
    assert_eq!(answer.code, 201, "{:?}", answer.body);
    let path = "/apis/attack.example.com/v1/namespaces/default/dyns";
    let body = |name: &str, len: usize, pattern: &dyn Fn(usize) -> String| {
        let patterns = list(len, |at| format!("\"{}\"", pattern(at)));
        format!(
            r#"{{"apiVersion":"attack.example.com/v1","kind":"Dyn","metadata":{{"name":"{name}"}},"spec":{{"p":[{patterns}]}}}}"#
        )
        .into_bytes()
    };
    let hard = |at: usize| format!("y{at}(\\\\pL{{900}}|z{{900}}){}", "q".repeat(900));
    let answer = attack(&mut server, "POST", path, "application/json", body("a", 900, &hard));
    assert_eq!(answer.code, 422, "{:?}", answer.body);
    let same = |_: usize| "y[0-9]{3}".to_owned();
    let answer = attack(&mut server, "POST", path, "application/json", body("b", 900, &same));
    assert_eq!(answer.code, 201, "{:?}", answer.body);
}

#[test]
fn labels_that_are_all_wrong_are_told_within_bounds() {
    let mut server = Server::start();
    let labels = list(60_000, |at| format!(r#""l {at}":"v !""#));
    let body = format!(
        r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"l","labels":{{{labels}}}}}}}"#
    );
    let answer = attack(&mut server, "POST", CONFIG_MAPS, "application/json", body.into_bytes());
    assert_eq!(answer.code, 422);
    assert!(json::encode(&answer.body).len() < 16_000_000);
}

#[test]
fn searches_of_many_states_are_paid_for() {
    let mut server = Server::start();
    let spec = value!({"type": "object", "properties": {
        "s": {"type": "string", "maxLength": 300000}},
        "x-kubernetes-validations": [{"rule": "!self.s.matches('^[ab]*a[ab]{900}c$')"}]});
    let answer = server.define("searches", "Search", &spec);
    assert_eq!(answer.code, 201, "{:?}", answer.body);
    let path = "/apis/attack.example.com/v1/namespaces/default/searches";
    let body = |name: &str, len: u64| {
        let text: String =
            (0..len).map(|at| if at * at / 7 % 2 == 0 { 'a' } else { 'b' }).collect();
        format!(
            r#"{{"apiVersion":"attack.example.com/v1","kind":"Search","metadata":{{"name":"{name}"}},"spec":{{"s":"{text}"}}}}"#
        )
        .into_bytes()
    };
    let answer = attack(&mut server, "POST", path, "application/json", body("a", 300_000));
    assert_eq!(answer.code, 422, "{:?}", answer.body);
    let answer = attack(&mut server, "POST", path, "application/json", body("b", 5_000));
    assert_eq!(answer.code, 201, "{:?}", answer.body);
}

#[test]
fn matches_that_look_at_all_of_the_rest_are_paid_for() {
    let mut server = Server::start();
    let spec = value!({"type": "object", "properties": {
        "s": {"type": "string", "maxLength": 300000}},
        "x-kubernetes-validations": [{"rule": "self.s.findAll('(a|b)*c|a').size() >= 0"}]});
    assert_eq!(server.define("finds", "Find", &spec).code, 201);
    let path = "/apis/attack.example.com/v1/namespaces/default/finds";
    let body = |name: &str, len: usize| {
        let text = "ab".repeat(len);
        format!(
            r#"{{"apiVersion":"attack.example.com/v1","kind":"Find","metadata":{{"name":"{name}"}},"spec":{{"s":"{text}"}}}}"#
        )
        .into_bytes()
    };
    let answer = attack(&mut server, "POST", path, "application/json", body("a", 150_000));
    assert_eq!(answer.code, 422, "{:?}", answer.body);
    let answer = attack(&mut server, "POST", path, "application/json", body("b", 1_000));
    assert_eq!(answer.code, 201, "{:?}", answer.body);
}

#[test]
fn patterns_of_rules_are_bounded_together() {
    let mut server = Server::start();
    let rules =
        (0..500).map(|at| value!({"rule": (format!("!self.s.matches('^x{at}\\\\pL{{900}}$')"))}));
    let rules: Vec<Value> = rules.collect();
    let spec = value!({"type": "object", "properties": {"s": {"type": "string", "maxLength": 10}},
        "x-kubernetes-validations": (Value::from(rules))});
    let sent = Instant::now();
    let answer = server.define("rules", "Rule", &spec);
    assert_eq!(answer.code, 422, "{:?}", answer.body);
    assert!(sent.elapsed() < Duration::from_secs(SECONDS_MAX), "{:?}", sent.elapsed());
}

#[test]
fn many_owners_take_no_longer_than_sorting_them() {
    let mut server = Server::start();
    let owner = |at: usize, controller: bool| {
        format!(
            r#"{{"apiVersion":"v1","kind":"K","name":"n{at}","uid":"u{at}","controller":{controller}}}"#
        )
    };
    for controllers in [false, true] {
        let owners = list(20_000, |at| owner(at, controllers));
        let body = format!(
            r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"o","ownerReferences":[{owners}]}}}}"#
        );
        let answer = attack(&mut server, "POST", CONFIG_MAPS, "application/json", body.into());
        assert_eq!(answer.code, if controllers { 422 } else { 201 });
    }
}

#[test]
fn many_finalizers_take_no_longer_than_sorting_them() {
    let mut server = Server::start();
    let body = |name: &str, step: usize| {
        let finalizers = list(60_000 / step, |at| format!(r#""a.b/c{}""#, at * step));
        format!(
            r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"{name}","finalizers":[{finalizers}]}}}}"#
        )
    };
    let path = format!("{CONFIG_MAPS}/f");
    let json = "application/json";
    let answer = attack(&mut server, "POST", CONFIG_MAPS, json, body("f", 1).into());
    assert_eq!(answer.code, 201, "{:?}", answer.body.get("message"));
    let answer = attack(&mut server, "PUT", &path, json, body("f", 1).into());
    assert_eq!(answer.code, 200, "{:?}", answer.body.get("message"));
    // One that is being deleted is looked through for new ones.
    assert_eq!(server.send("DELETE", &path, json, Vec::new()).code, 200);
    let answer = attack(&mut server, "PUT", &path, json, body("f", 2).into());
    assert_eq!(answer.code, 200, "{:?}", answer.body.get("message"));
}

#[test]
fn objects_of_built_in_kinds_have_so_many_values() {
    let mut server = Server::start();
    let empty = list(500_000, |_| "{}".to_owned());
    let pod = format!(
        r#"{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"p"}},"spec":{{"containers":[{empty}]}}}}"#
    );
    let pods = "/api/v1/namespaces/default/pods";
    let answer = attack(&mut server, "POST", pods, "application/json", pod.into());
    assert_eq!(answer.code, 400);
    let message = answer.body.get("message").and_then(Value::as_str).unwrap();
    assert!(message.contains("more than 400000 values"), "{message}");
    let map = r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m"}}"#;
    assert_eq!(server.send("POST", CONFIG_MAPS, "application/json", map.into()).code, 201);
    let names = list(500_000, |_| r#""""#.to_owned());
    let patch = format!(r#"{{"metadata":{{"finalizers":[{names}]}}}}"#);
    let path = format!("{CONFIG_MAPS}/m");
    let media = "application/merge-patch+json";
    let answer = attack(&mut server, "PATCH", &path, media, patch.into());
    assert_eq!(answer.code, 422);
    let message = answer.body.get("message").and_then(Value::as_str).unwrap();
    assert!(message.ends_with("more than 400000 values"), "{}", message.len());
}

#[test]
fn cells_of_a_row_are_bounded_together() {
    let mut server = Server::start();
    let table = "application/json;as=Table;v=v1;g=meta.k8s.io";
    let columns = |path: &str| {
        list(1000, |at| format!(r#"{{"name":"c{at}","type":"string","jsonPath":"{path}"}}"#))
    };
    // Lists in lists of which the last item is looked for, once for each column; and one large part
    // that each column shows.
    let nested = |last: &str| {
        (0..6).fold((r#""x""#.to_owned(), last.to_owned()), |(inner, last), _| {
            let others = [inner.as_str(); 4].join(",");
            (format!("[{others}]"), format!("[{},{last}]", [inner.as_str(); 3].join(",")))
        })
    };
    let long = "x".repeat(100_000);
    for (plural, kind, path, value) in [
        ("nests", "Nest", ".spec.v[*][*][*][*][*][*].it", nested(r#"{"it":1}"#).1),
        ("longs", "Long", ".spec", format!("\"{long}\"")),
    ] {
        let definition = format!(
            r#"{{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{{"name":"{plural}.attack.example.com"}},"spec":{{"group":"attack.example.com","scope":"Namespaced","names":{{"plural":"{plural}","kind":"{kind}"}},"versions":[{{"name":"v1","served":true,"storage":true,"additionalPrinterColumns":[{}],"schema":{{"openAPIV3Schema":{{"type":"object","properties":{{"spec":{{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}}}}}}}]}}}}"#,
            columns(path)
        );
        let json = "application/json";
        assert_eq!(server.send("POST", DEFINITIONS, json, definition.into()).code, 201);
        let path = THINGS.replace("things", plural);
        let object = format!(
            r#"{{"apiVersion":"attack.example.com/v1","kind":"{kind}","metadata":{{"name":"a"}},"spec":{{"v":{value}}}}}"#
        );
        assert_eq!(server.send("POST", &path, json, object.into()).code, 201);
        let headers = vec![("accept".to_owned(), table.to_owned())];
        let request = Request { method: "GET", path: &path, headers, ..Request::default() };
        let answer = server.client.call(&request).unwrap();
        assert_eq!(answer.code, 200, "{:?}", answer.body.get("message"));
        let rows = answer.body.get("rows").and_then(Value::as_list).unwrap();
        let cells = rows[0].get("cells").and_then(Value::as_list).unwrap();
        assert_eq!(cells.len(), 1001);
        assert!(!cells[1].is_null() && cells[1000].is_null(), "{plural}");
    }
}

#[test]
fn merge_patches_take_no_longer_than_reading_both() {
    let mut server = Server::start();
    let keys = list(120_000, |at| format!(r#""k{at}":"""#));
    let body = format!(
        r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"m"}},"data":{{{keys}}}}}"#
    );
    let answer = attack(&mut server, "POST", CONFIG_MAPS, "application/json", body.into());
    assert_eq!(answer.code, 201, "{:?}", answer.body.get("message"));
    let nulls = list(120_000, |at| format!(r#""k{at}":null"#));
    let patch = format!(r#"{{"data":{{{nulls}}}}}"#);
    let path = format!("{CONFIG_MAPS}/m");
    for media in ["application/strategic-merge-patch+json", "application/merge-patch+json"] {
        let dry = format!("{path}?dryRun=All");
        let answer = attack(&mut server, "PATCH", &dry, media, patch.clone().into());
        assert_eq!(answer.code, 200, "{:?}", answer.body.get("message"));
    }
}

#[test]
fn selectors_take_no_longer_than_reading_them() {
    let mut server = Server::start();
    let path = format!("{CONFIG_MAPS}?labelSelector={}", "(".repeat(50_000));
    let answer = attack(&mut server, "GET", &path, "application/json", Vec::new());
    assert_eq!(answer.code, 400);
}

/// A message with a length before it.
fn field(number: u8, bytes: &[u8], out: &mut Vec<u8>) {
    out.push(number << 3 | 2);
    let mut len = bytes.len();
    while len > 0x7f {
        out.push(len as u8 | 0x80);
        len >>= 7;
    }
    out.push(len as u8);
    out.extend_from_slice(bytes);
}

#[test]
fn messages_of_many_keys_take_no_longer_than_reading_them() {
    let mut server = Server::start();
    let mut map = Vec::new();
    let mut metadata = Vec::new();
    field(1, b"p", &mut metadata);
    field(1, &metadata, &mut map);
    for at in 0..250_000 {
        let mut entry = Vec::new();
        // Against the order in which they are kept.
        field(1, format!("{:05x}", 250_000 - at).as_bytes(), &mut entry);
        field(2, &entry, &mut map);
    }
    let mut ty = Vec::new();
    field(1, b"v1", &mut ty);
    field(2, b"ConfigMap", &mut ty);
    let mut body = b"k8s\0".to_vec();
    field(1, &ty, &mut body);
    field(2, &map, &mut body);
    assert!(body.len() < 3 * 1024 * 1024, "{}", body.len());
    let media = "application/vnd.kubernetes.protobuf";
    let answer = attack(&mut server, "POST", CONFIG_MAPS, media, body);
    // Whether it fits in what an object may have is another matter.
    assert!(
        matches!(answer.code, 201 | 413 | 422),
        "{} {:?}",
        answer.code,
        answer.body.get("message")
    );
}

#[test]
fn fields_that_nobody_knows_take_no_longer_than_reading_them() {
    let mut server = Server::start();
    let unknown = list(60_000, |at| format!("\"unknown{at:06}\":0"));
    let map =
        format!(r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"u"}},{unknown}}}"#);
    let closed = value!({"type": "object"});
    assert_eq!(server.define("closeds", "Closed", &closed).code, 201);
    let closed = format!(
        r#"{{"apiVersion":"attack.example.com/v1","kind":"Closed","metadata":{{"name":"u"}},"spec":{{{unknown}}}}}"#
    );
    for (path, body) in [(CONFIG_MAPS, map), (&*THINGS.replace("things", "closeds"), closed)] {
        for (validation, code) in [("Warn", 201), ("Strict", 400)] {
            let path = format!("{path}?fieldValidation={validation}");
            let body = body.clone().into_bytes();
            let answer = attack(&mut server, "POST", &path, "application/json", body);
            assert_eq!(answer.code, code, "{path}");
            let reported: usize = answer.warnings().iter().map(String::len).sum();
            assert!(reported < 20_000, "{reported}");
        }
    }
}

#[test]
fn what_is_wrong_is_told_within_bounds() {
    let mut server = Server::start();
    // A name and a list of values that every message repeats.
    let name = "n".repeat(100_000);
    let values: Vec<Value> = (0..20_000).map(|at| format!("value-{at:06}").into()).collect();
    let spec = value!({"type": "object", "properties": {(name.as_str()): {"type": "array",
        "items": {"type": "string", "enum": (Value::from(values))}}}});
    assert_eq!(server.define("longs", "Long", &spec).code, 201);
    let wrong = list(30_000, |_| "\"x\"".to_owned());
    let body = format!(
        r#"{{"apiVersion":"attack.example.com/v1","kind":"Long","metadata":{{"name":"l"}},"spec":{{"{name}":[{wrong}]}}}}"#
    );
    let path = THINGS.replace("things", "longs");
    let answer = attack(&mut server, "POST", &path, "application/json", body.into_bytes());
    assert_eq!(answer.code, 422);
    let reported = answer.body.get("message").and_then(Value::as_str).unwrap_or_default();
    assert!(reported.len() < 16 * 1024 * 1024, "{}", reported.len());
    assert!(reported.contains("there are more errors than are listed"));
}

#[test]
fn json_patches_move_only_so_much() {
    let mut server = Server::start();
    let many = list(300_000, |_| "0".to_owned());
    assert_eq!(server.create("long", &format!(r#"{{"l":[{many}]}}"#)).code, 201);
    let first = list(10_000, |_| r#"{"op":"add","path":"/spec/l/0","value":0}"#.to_owned());
    let path = format!("{THINGS}/long");
    let body = format!("[{first}]").into_bytes();
    let answer = attack(&mut server, "PATCH", &path, "application/json-patch+json", body);
    assert_eq!(answer.code, 422, "{:?}", answer.body.get("message"));
}

/// A kind whose items are held against something large.
fn refused_for_its_steps(server: &mut Server, plural: &str, kind: &str, items: &Value, l: &str) {
    let spec = value!({"type": "object", "properties": {"l": {"type": "array", "items": (items.clone())}}});
    assert_eq!(server.define(plural, kind, &spec).code, 201);
    let body = format!(
        r#"{{"apiVersion":"attack.example.com/v1","kind":"{kind}","metadata":{{"name":"l"}},"spec":{{"l":[{l}]}}}}"#
    );
    let path = THINGS.replace("things", plural);
    let answer = attack(server, "POST", &path, "application/json", body.into_bytes());
    assert_eq!(answer.code, 422);
    let reported = answer.body.get("message").and_then(Value::as_str).unwrap_or_default();
    // Whichever bound is reached first.
    let bounded = ["steps to be validated", "there are more errors than are listed"];
    let is_bounded = bounded.iter().any(|it| reported.contains(it));
    assert!(is_bounded, "{}", &reported[..reported.len().min(500)]);
}

#[test]
fn validation_takes_only_so_many_steps() {
    let mut server = Server::start();
    let names = |len: usize| (0..len).map(|at| Value::from(format!("x{at}")));
    let branches: Vec<Value> = names(10_000).map(|name| value!({"required": [name]})).collect();
    let any = value!({"type": "object", "x-kubernetes-preserve-unknown-fields": true,
        "anyOf": (Value::from(branches))});
    refused_for_its_steps(&mut server, "anys", "Any", &any, &list(50_000, |_| "{}".to_owned()));
    let needs = value!({"type": "object", "x-kubernetes-preserve-unknown-fields": true,
        "required": (names(10_000).collect::<Value>())});
    refused_for_its_steps(&mut server, "needs", "Need", &needs, &list(50_000, |_| "{}".to_owned()));
    let pattern = value!({"type": "string", "pattern": "^[ab]*a[ab]{900}c$"});
    let long: String =
        (0..300_000_u64).map(|at| if at * at / 7 % 2 == 0 { 'a' } else { 'b' }).collect();
    refused_for_its_steps(&mut server, "pats", "Pat", &pattern, &format!("\"{long}\""));
}

#[test]
fn owners_of_fields_take_no_longer_than_reading_them() {
    let mut server = Server::start();
    let managers = list(8_000, |at| {
        format!(
            r#"{{"manager":"m{at}","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","time":"2024-01-01T00:00:00Z","fieldsV1":{{"f:data":{{"f:a{at}":{{}}}}}}}}"#
        )
    });
    let body = format!(
        r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"owned","managedFields":[{managers}]}},"data":{{"a":""}}}}"#
    );
    let answer = attack(&mut server, "POST", CONFIG_MAPS, "application/json", body.into_bytes());
    assert_eq!(answer.code, 201, "{:?}", answer.body.get("message"));
}
