//! The passes against serde_json and the jsonschema crate, on the same bytes and the same schema.
//!
//! Prints ratios of one run: both sides take turns, round by round, and each counts its best round.
//! `cargo bench -p ordain-passes`; `-- --fail` makes a missed bar an error.

use std::hint::black_box;
use std::time::{Duration, Instant};

use ordain_passes::{Context, NoRules, Plan, Unknown};
use ordain_schema::{Raw, resolve};
use ordain_value::json;
use serde_json::json as object;

/// Bars of the project: see the columns.
const DEFAULT_BAR: f64 = 0.25;
const PASSES_BAR: f64 = 1.0;
const VALIDATE_BAR: f64 = 2.0;

struct Subject {
    name: String,
    schema: serde_json::Value,
    object: serde_json::Value,
}

fn main() {
    let mut missed = Vec::new();
    println!(
        "All times are the best of many runs; ratios are ours over theirs, except the last (theirs over ours)."
    );
    println!(
        "{:<26} {:>9} | {:>9} {:>9} {:>6} | {:>9} {:>9} {:>6} | {:>9} {:>9} {:>6} {:>8}",
        "object",
        "bytes",
        "default",
        "clone",
        "ratio",
        "passes",
        "parse",
        "ratio",
        "validate",
        "jsonschema",
        "speed",
        "errors"
    );
    let mut subjects = vec![
        Subject { name: "small".into(), schema: small_schema(), object: small_object() },
        gateway("gateway", 3),
        gateway("gateway, sparse", 0),
        gateway_of("gateway 50 KB", 50 * 1024),
        gateway_of("gateway 1 MB", 1024 * 1024),
    ];
    for (label, scale) in [("growth 1x", 10), ("growth 10x", 100), ("growth 100x", 1000)] {
        subjects.push(gateway(label, scale));
    }
    subjects.push(broken("gateway, 10 errors", 30, 10));
    subjects.push(broken("gateway, 600 errors", 600, 600));
    if std::env::args().any(|it| it == "--profile") {
        return profile(&match std::env::var("SUBJECT").as_deref() {
            Ok("errors") => broken("gateway, 600 errors", 600, 600),
            Ok("sparse") => gateway("gateway, sparse", 0),
            Ok("small") => {
                Subject { name: "small".into(), schema: small_schema(), object: small_object() }
            }
            _ => gateway("gateway", 3),
        });
    }
    for subject in &subjects {
        measure(subject, &mut missed);
    }
    println!(
        "bars: default {DEFAULT_BAR}, passes {PASSES_BAR}, validation {VALIDATE_BAR} times as fast"
    );
    for miss in &missed {
        println!("MISSED {miss}");
    }
    if !missed.is_empty() && std::env::args().any(|it| it == "--fail") {
        std::process::exit(1);
    }
}

fn measure(subject: &Subject, missed: &mut Vec<String>) {
    let bytes = serde_json::to_vec(&subject.object).expect("an object");
    let schema_bytes = serde_json::to_vec(&subject.schema).expect("a schema");
    let schema = json::decode(&schema_bytes).expect("a schema");
    let (raw, _) = Raw::decode(&schema).expect("a schema");
    let plan = Plan::compile(&resolve(&raw).expect("a structural schema")).expect("a plan");
    let value = json::decode(&bytes).expect("an object");
    let mut complete = value.clone();
    plan.shape_request(&mut complete, Unknown::Tell).expect("metadata");
    plan.default(&mut complete);
    let complete_bytes = json::encode(&complete);
    let theirs: serde_json::Value = serde_json::from_slice(&complete_bytes).expect("an object");
    let validator = jsonschema::options()
        .should_validate_formats(true)
        .build(&subject.schema)
        .expect("a schema for jsonschema");

    let (default, clone) = race(
        || {
            let mut object = complete.clone();
            plan.default(&mut object);
            object
        },
        || theirs.clone(),
    );
    let ctx = Context {
        api_version: "bench.example.com/v1",
        kind: "Bench",
        namespaced: true,
        scale: None,
        rules: &NoRules,
    };
    let (passes, parse) = race(
        || {
            let mut object = value.clone();
            let unknown = plan.shape_request(&mut object, Unknown::Tell);
            plan.default(&mut object);
            let outcome = plan.validate_create(&object, &ctx);
            (object, unknown, outcome)
        },
        || serde_json::from_slice::<serde_json::Value>(&bytes).expect("an object"),
    );
    let (validate, jsonschema) = race(
        || plan.validate_schema(&complete, None),
        || validator.iter_errors(&theirs).collect::<Vec<_>>(),
    );
    let errors = plan.validate_schema(&complete, None).len();

    let ratio = |ours: Duration, theirs: Duration| ours.as_secs_f64() / theirs.as_secs_f64();
    let (default_ratio, passes_ratio) = (ratio(default, clone), ratio(passes, parse));
    let speed = ratio(jsonschema, validate);
    println!(
        "{:<26} {:>9} | {:>9} {:>9} {:>6.3} | {:>9} {:>9} {:>6.3} | {:>9} {:>9} {:>6.2} {:>8}",
        subject.name,
        bytes.len(),
        micros(default),
        micros(clone),
        default_ratio,
        micros(passes),
        micros(parse),
        passes_ratio,
        micros(validate),
        micros(jsonschema),
        speed,
        errors
    );
    if std::env::args().any(|it| it == "--detail") {
        let mut shaped = value.clone();
        let _ = plan.shape_request(&mut shaped, Unknown::Tell);
        let shape = best(|| plan.shape_request(&mut value.clone(), Unknown::Tell));
        let fill = best(|| {
            let mut object = shaped.clone();
            plan.default(&mut object);
            object
        });
        let create = best(|| plan.validate_create(&complete, &ctx));
        let lists = best(|| plan.validate_list_types(&complete));
        println!(
            "    shape {}, fill {}, validate schema {}, list types {}, whole create {}",
            micros(shape),
            micros(fill),
            micros(validate),
            micros(lists),
            micros(create)
        );
    }
    let mut check = |ok: bool, what: &str| {
        if !ok {
            missed.push(format!("{what} on {}", subject.name));
        }
    };
    check(default_ratio <= DEFAULT_BAR, "default");
    check(passes_ratio <= PASSES_BAR || errors > 0, "passes");
    check(speed >= VALIDATE_BAR, "validation");
}

/// One pass many times, for a profiler.
fn profile(subject: &Subject) {
    let bytes = serde_json::to_vec(&subject.object).expect("an object");
    let schema_bytes = serde_json::to_vec(&subject.schema).expect("a schema");
    let (raw, _) = Raw::decode(&json::decode(&schema_bytes).expect("JSON")).expect("a schema");
    let plan = Plan::compile(&resolve(&raw).expect("a structural schema")).expect("a plan");
    let value = json::decode(&bytes).expect("an object");
    let runs = std::env::var("RUNS").ok().and_then(|it| it.parse().ok()).unwrap_or(100_000);
    for _ in 0..runs {
        black_box(plan.validate_schema(black_box(&value), None));
    }
}

fn micros(time: Duration) -> String {
    format!("{:.2}us", time.as_secs_f64() * 1e6)
}

/// Rounds of each measurement. The machine may be busy: what counts is the best of them.
const ROUNDS: usize = 51;

/// The best rounds of two rivals that take turns, so that both meet the same machine.
fn race<A, B>(mut ours: impl FnMut() -> A, mut theirs: impl FnMut() -> B) -> (Duration, Duration) {
    let (our_runs, their_runs) = (runs(&mut ours), runs(&mut theirs));
    let mut best = (Duration::MAX, Duration::MAX);
    for _ in 0..ROUNDS {
        best.0 = best.0.min(round(our_runs, &mut ours));
        best.1 = best.1.min(round(their_runs, &mut theirs));
    }
    best
}

/// The best mean of several rounds, each long enough for the clock.
fn best<T>(mut work: impl FnMut() -> T) -> Duration {
    let runs = runs(&mut work);
    (0..ROUNDS).map(|_| round(runs, &mut work)).min().expect("several rounds")
}

/// How often the work fits into a round.
fn runs<T>(work: &mut impl FnMut() -> T) -> u32 {
    let started = Instant::now();
    black_box(work());
    let once = started.elapsed().max(Duration::from_nanos(50));
    (Duration::from_millis(3).as_nanos() / once.as_nanos()).clamp(1, 200_000) as u32
}

fn round<T>(runs: u32, work: &mut impl FnMut() -> T) -> Duration {
    let started = Instant::now();
    for _ in 0..runs {
        black_box(work());
    }
    started.elapsed() / runs
}

fn small_schema() -> serde_json::Value {
    object!({"type": "object", "properties": {"spec": {"type": "object", "required": ["image"], "properties": {
        "image": {"type": "string", "minLength": 1, "maxLength": 256},
        "replicas": {"type": "integer", "minimum": 0, "maximum": 100, "default": 1},
        "paused": {"type": "boolean", "default": false},
        "host": {"type": "string", "format": "hostname"},
        "env": {"type": "object", "additionalProperties": {"type": "string"}}
    }}}})
}

fn small_object() -> serde_json::Value {
    object!({"apiVersion": "bench.example.com/v1", "kind": "Bench",
        "metadata": {"name": "small", "namespace": "default", "labels": {"app": "small"}},
        "spec": {"image": "example.com/small:1", "replicas": 3, "paused": false, "host": "small.example.com",
            "env": {"A": "1", "B": "2"}}})
}

fn gateway_schema() -> serde_json::Value {
    let reference = object!({"type": "object", "required": ["name"], "properties": {
        "group": {"type": "string", "maxLength": 253, "default": "", "pattern": "^$|^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"},
        "kind": {"type": "string", "minLength": 1, "maxLength": 63, "default": "Secret"},
        "name": {"type": "string", "minLength": 1, "maxLength": 253},
        "namespace": {"type": "string", "minLength": 1, "maxLength": 63, "format": "hostname"}
    }});
    let listener = object!({"type": "object", "required": ["name", "port", "protocol"], "properties": {
        "name": {"type": "string", "minLength": 1, "maxLength": 253},
        "hostname": {"type": "string", "minLength": 1, "maxLength": 253, "format": "hostname"},
        "port": {"type": "integer", "format": "int32", "minimum": 1, "maximum": 65535},
        "protocol": {"type": "string", "minLength": 1, "maxLength": 255, "enum": ["HTTP", "HTTPS", "TLS", "TCP"]},
        "since": {"type": "string", "format": "date-time"},
        "address": {"type": "string", "format": "ipv4"},
        "allowedRoutes": {"type": "object", "default": {"namespaces": {"from": "Same"}}, "properties": {
            "kinds": {"type": "array", "maxItems": 8, "items": {"type": "object", "required": ["kind"], "properties": {
                "group": {"type": "string", "default": "gateway.networking.k8s.io", "maxLength": 253},
                "kind": {"type": "string", "minLength": 1, "maxLength": 63}}}},
            "namespaces": {"type": "object", "default": {"from": "Same"}, "properties": {
                "from": {"type": "string", "default": "Same", "enum": ["All", "Selector", "Same"]}}}}},
        "tls": {"type": "object", "properties": {
            "mode": {"type": "string", "default": "Terminate", "enum": ["Terminate", "Passthrough"]},
            "options": {"type": "object", "additionalProperties": {"type": "string", "maxLength": 4096}, "maxProperties": 16},
            "certificateRefs": {"type": "array", "maxItems": 64, "items": reference}}}
    }});
    object!({"type": "object", "required": ["spec"], "properties": {
        "apiVersion": {"type": "string"}, "kind": {"type": "string"}, "metadata": {"type": "object"},
        "spec": {"type": "object", "required": ["gatewayClassName", "listeners"], "properties": {
            "gatewayClassName": {"type": "string", "minLength": 1, "maxLength": 253},
            "addresses": {"type": "array", "maxItems": 16, "items": {"type": "object", "properties": {
                "type": {"type": "string", "default": "IPAddress"}, "value": {"type": "string", "maxLength": 253}}}},
            "listeners": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"], "items": listener}}}
    }})
}

/// `scale` full listeners; 0 stands for three that lack everything that has a default.
fn gateway(name: &str, scale: usize) -> Subject {
    let listeners: Vec<serde_json::Value> = (0..if scale == 0 { 3 } else { scale })
        .map(|i| if scale == 0 { sparse_listener(i) } else { full_listener(i) })
        .collect();
    Subject { name: name.to_owned(), schema: gateway_schema(), object: gateway_object(listeners) }
}

/// A Gateway of at least so many bytes of JSON, and less than a listener more.
fn gateway_of(name: &str, bytes: usize) -> Subject {
    let len = |it: &serde_json::Value| serde_json::to_vec(it).expect("JSON").len();
    let mut size = len(&gateway_object(Vec::new()));
    let mut listeners = Vec::new();
    while size < bytes {
        let listener = full_listener(listeners.len());
        size += len(&listener) + usize::from(!listeners.is_empty());
        listeners.push(listener);
    }
    Subject { name: name.to_owned(), schema: gateway_schema(), object: gateway_object(listeners) }
}

fn broken(name: &str, listeners: usize, errors: usize) -> Subject {
    let listeners: Vec<serde_json::Value> = (0..listeners)
        .map(|i| {
            let mut listener = full_listener(i);
            if i < errors {
                listener["port"] = object!(70_000 + i);
            }
            listener
        })
        .collect();
    Subject { name: name.to_owned(), schema: gateway_schema(), object: gateway_object(listeners) }
}

fn gateway_object(listeners: Vec<serde_json::Value>) -> serde_json::Value {
    object!({"apiVersion": "bench.example.com/v1", "kind": "Bench",
        "metadata": {"name": "gateway", "namespace": "default", "labels": {"app": "gateway"}},
        "spec": {"gatewayClassName": "example", "addresses": [{"type": "IPAddress", "value": "10.0.0.1"}], "listeners": listeners}})
}

fn full_listener(i: usize) -> serde_json::Value {
    object!({
        "name": format!("listener-{i}"), "hostname": format!("host-{i}.example.com"), "port": 1 + i % 65535, "protocol": "HTTPS",
        "since": "2024-01-02T03:04:05Z", "address": "10.1.2.3",
        "allowedRoutes": {"kinds": [{"group": "gateway.networking.k8s.io", "kind": "HTTPRoute"}, {"group": "gateway.networking.k8s.io", "kind": "GRPCRoute"}],
            "namespaces": {"from": "All"}},
        "tls": {"mode": "Terminate", "options": {"example.com/a": "b", "example.com/c": "d"},
            "certificateRefs": [{"group": "", "kind": "Secret", "name": format!("certificate-{i}"), "namespace": "default"}]}
    })
}

fn sparse_listener(i: usize) -> serde_json::Value {
    object!({"name": format!("listener-{i}"), "port": 80, "protocol": "HTTP", "tls": {"certificateRefs": [{"name": "a"}]}})
}
