//! Native kinds offline: what the first use of a kind costs, a Deployment against its own parsing,
//! and a thousand Deployments against a thousand custom resources.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark tells and fails loudly")]

mod timing;

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

use ordain_check::{Catalog, Input, Options, validate_inputs};
use ordain_meta::GroupVersionKind;
use ordain_value::{Value, json, value, yaml};
use timing::{in_turns, ratio};

const MANIFESTS: usize = 1000;
const ROUNDS: usize = 31;
const CONTAINERS: usize = 3;
/// So often that the clock of processors, which moves in steps, tells something.
const TIMES: usize = 1000;

fn container(number: usize) -> Value {
    value!({
        "name": (format!("part-{number}")),
        "image": (format!("registry.example.com/shop/part-{number}:1.4.2")),
        "args": ["--listen=0.0.0.0:8080", "--log-format=json", "--shutdown-grace=20s"],
        "ports": [{"name": (format!("http-{number}")), "containerPort": (8080 + number as i64)}],
        "env": [
            {"name": "REGION", "value": "eu-central"},
            {"name": "SEED", "valueFrom": {"secretKeyRef": {"name": "shop", "key": "seed"}}},
            {"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "shop", "key": "token"}}}
        ],
        "resources": {
            "requests": {"cpu": "100m", "memory": "128Mi"},
            "limits": {"memory": "256Mi"}
        },
        "readinessProbe": {"httpGet": {"path": "/ready", "port": (8080 + number as i64)}},
        "livenessProbe": {"httpGet": {"path": "/live", "port": (8080 + number as i64)}},
        "securityContext": {"readOnlyRootFilesystem": true, "runAsNonRoot": true},
        "volumeMounts": [
            {"name": "config", "mountPath": "/etc/shop", "readOnly": true},
            {"name": "cache", "mountPath": "/var/cache/shop"}
        ]
    })
}

fn spec() -> Value {
    let containers: Vec<Value> = (0..CONTAINERS).map(container).collect();
    value!({
        "replicas": 3,
        "selector": {"matchLabels": {"app": "shop"}},
        "strategy": {"rollingUpdate": {"maxSurge": "25%", "maxUnavailable": 0}},
        "template": {
            "metadata": {"labels": {"app": "shop", "tier": "front"}},
            "spec": {
                "containers": containers,
                "volumes": [
                    {"name": "config", "configMap": {"name": "shop"}},
                    {"name": "cache", "emptyDir": {"sizeLimit": "1Gi"}}
                ],
                "tolerations": [{"key": "spot", "operator": "Exists", "effect": "NoSchedule"}]
            }
        }
    })
}

fn object(api_version: &str, kind: &str, name: &str) -> Value {
    value!({
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {"name": name, "namespace": "shop", "labels": {"app": "shop"}},
        "spec": (spec())
    })
}

/// A definition whose objects have the shape of the same spec, told by its schema.
fn definition() -> Value {
    value!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "rollouts.shop.example.com"},
        "spec": {
            "group": "shop.example.com",
            "scope": "Namespaced",
            "names": {"plural": "rollouts", "kind": "Rollout"},
            "versions": [{
                "name": "v1",
                "served": true,
                "storage": true,
                "schema": {"openAPIV3Schema": {
                    "type": "object", "properties": {"spec": (shape(&spec()))}
                }}
            }]
        }
    })
}

fn shape(value: &Value) -> Value {
    match value {
        Value::Map(map) => {
            let fields = map.iter().map(|(key, it)| (key.clone(), shape(it)));
            value!({"type": "object", "properties": (Value::Map(fields.collect()))})
        }
        Value::List(list) => {
            let items = list.iter().max_by_key(|it| json::encode(it).len()).map(shape);
            let mut items = items.unwrap_or_default();
            items.set_path(&["x-kubernetes-preserve-unknown-fields"], Value::Bool(true));
            value!({"type": "array", "items": items})
        }
        Value::Int(_) => value!({"type": "integer", "minimum": 0}),
        Value::Bool(_) => value!({"type": "boolean"}),
        _ => value!({"type": "string", "maxLength": 256}),
    }
}

fn write(folder: &Path, api_version: &str, kind: &str) -> Vec<Input> {
    std::fs::create_dir_all(folder).unwrap();
    let file = |number: usize| -> PathBuf {
        let file = folder.join(format!("{number:05}.yaml"));
        let object = object(api_version, kind, &format!("shop-{number}"));
        std::fs::write(&file, yaml::encode(&object)).unwrap();
        file
    };
    (0..MANIFESTS).map(|number| Input::file(file(number))).collect()
}

fn first_uses() {
    for (group, kind) in [("", "Pod"), ("apps", "Deployment"), ("", "ConfigMap")] {
        let catalog = Catalog::default();
        let start = Instant::now();
        let found = catalog.find(&GroupVersionKind::new(group, "v1", kind)).unwrap();
        let empty = value!({"metadata": {"name": "a"}});
        black_box(found.judge_create(&empty));
        let first = start.elapsed();
        let start = Instant::now();
        black_box(found.judge_create(&empty));
        println!("first use of {kind}: {first:.2?}, then {:.2?}", start.elapsed());
    }
}

fn one_deployment() {
    let object = object("apps/v1", "Deployment", "shop");
    let text = json::encode(&object);
    let catalog = Catalog::default();
    let kind = catalog.find(&GroupVersionKind::new("apps", "v1", "Deployment")).unwrap();
    assert!(kind.judge_create(&object).is_accepted(), "{:?}", kind.judge_create(&object).errors);
    let manifest = yaml::encode(&object);
    let read = || yaml::decode_first(manifest.as_bytes(), yaml::Options::default()).unwrap();
    let [parsed, read, judged] = in_turns(
        ROUNDS,
        [
            &mut || (0..TIMES).for_each(|_| drop(black_box(json::decode(&text).unwrap()))),
            &mut || (0..TIMES).for_each(|_| drop(black_box(read()))),
            &mut || (0..TIMES).for_each(|_| drop(black_box(kind.judge_create(&object)))),
        ],
    );
    println!(
        "a Deployment of {} bytes, {TIMES} times: parsed in {parsed} from JSON and in {read} from \
         YAML, judged in {judged}: {:.2} and {:.2} times",
        text.len(),
        ratio(judged.cpu, parsed.cpu),
        ratio(judged.cpu, read.cpu)
    );
}

fn a_thousand() {
    let folder = tempfile::tempdir().unwrap();
    let natives = write(&folder.path().join("native"), "apps/v1", "Deployment");
    let customs = write(&folder.path().join("custom"), "shop.example.com/v1", "Rollout");
    let mut catalog = Catalog::default();
    catalog.add_definition(&definition()).unwrap();
    let judge = |inputs: &[Input]| {
        let (outcome, failed) = validate_inputs(inputs, catalog.clone(), &Options::default());
        assert!(failed.is_empty() && outcome.findings.is_empty(), "{:?}", outcome.findings);
    };
    let [native, custom] = in_turns(ROUNDS, [&mut || judge(&natives), &mut || judge(&customs)]);
    println!(
        "{MANIFESTS} Deployments in {native}, {MANIFESTS} custom resources in {custom}: {:.2} times",
        ratio(native.cpu, custom.cpu)
    );
}

fn main() {
    first_uses();
    one_deployment();
    a_thousand();
}
