//! Kinds that types declare, and definitions with unions: the verdict offline is that of the server.
//!
//! The example API is served in this process; each object is sent there and judged here, on create
//! and as a change of what was stored before, with feature gates on and off.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use ordain_check::{Catalog, Verdict};
use ordain_idl::lower::lower;
use ordain_idl::{Loader, MemorySource};
use ordain_meta::GroupVersionKind;
use ordain_meta::status::Status;
use ordain_registry::Registry;
use ordain_registry::gates::Gates;
use ordain_schema::declared::Api;
use ordain_server::App;
use ordain_testkit::Client;
use ordain_testkit::client::{Answer, Request};
use ordain_value::{Value, json, value, yaml};

const GO: &str = include_str!("../../../examples/widgets/types.go");
const CRD: &str = include_str!("../../../examples/widgets/crd.yaml");
const WIDGETS: &str = "/apis/shop.example.com/v1/namespaces/default/widgets";
const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

fn types() -> Api {
    let mut files = MemorySource::new();
    files.insert("v1/types.go".to_owned(), GO.to_owned());
    let lowered = lower(&Loader::new(&files).package("v1").load());
    let errors: Vec<_> = lowered.diagnostics.iter().filter(|it| it.is_error()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    lowered.api
}

fn definition() -> Value {
    yaml::decode_first(CRD.as_bytes(), yaml::Options::default()).unwrap().value.unwrap()
}

struct Both {
    client: Client,
    kind: Arc<ordain_check::Kind>,
    runtime: tokio::runtime::Runtime,
    /// Objects so far: each has its name.
    count: usize,
}

impl Both {
    /// The types, or else the definition, on a server and in a catalog.
    fn new(api: Option<&Api>, set: &str) -> Both {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let mut gates = Gates::default();
        if let Some(api) = api {
            gates.register_declared(api);
        }
        gates.set_from(set).unwrap();
        let gates = Arc::new(gates);
        let address = runtime.block_on(async {
            let registry = Registry::repeatable();
            let registry = Arc::new(registry.with_gates(Arc::clone(&gates)));
            registry.start().await.unwrap();
            if let Some(api) = api {
                registry.serve_declared(ordain_registry::declared::build(api, &gates).unwrap());
            }
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap();
            let app = Arc::new(App::new(registry));
            tokio::spawn(ordain_server::serve(app, listener, std::future::pending()));
            address
        });
        let mut catalog = Catalog::new(Gates::clone(&gates));
        match api {
            Some(api) => catalog.add_declared(api),
            None => catalog.add_definition(&definition()).unwrap(),
        }
        let gvk = GroupVersionKind::new("shop.example.com", "v1", "Widget");
        let kind = catalog.find(&gvk).unwrap();
        let mut both = Both { client: Client::new(address), kind, runtime, count: 0 };
        if api.is_none() {
            assert_eq!(both.send("POST", DEFINITIONS, &definition()).code, 201);
        }
        both
    }

    fn send(&mut self, method: &str, path: &str, body: &Value) -> Answer {
        let body = Some(json::encode(body));
        let content_type = "application/json";
        self.client
            .call(&Request { method, path, body, content_type, headers: Vec::new() })
            .unwrap()
    }

    /// Sends an object and judges it; the answers must be the same.
    fn same(&mut self, name: &str, spec: &Value, old: Option<&Value>) {
        let object = widget(name, spec);
        let (answer, verdict) = match old {
            None => {
                let path = format!("{WIDGETS}?fieldValidation=Strict");
                (self.send("POST", &path, &object), self.kind.judge_create(&object))
            }
            Some(old) => {
                let path = format!("{WIDGETS}/{name}?fieldValidation=Strict");
                let mut sent = object.clone();
                let version = old.get_path(&["metadata", "resourceVersion"]).cloned().unwrap();
                sent.set_path(&["metadata", "resourceVersion"], version);
                (self.send("PUT", &path, &sent), self.kind.judge_update(&object, old))
            }
        };
        let what = format!("{} over {:?}", json::encode_string(spec), old.map(json::encode_string));
        let (code, wanted) = reported(name, &verdict);
        assert_eq!(answer.code / 100 == 2, code == 200, "{what}\n{:?}\n{wanted:?}", answer.body);
        if code == 200 {
            assert_eq!(content(&answer.body), content(&wanted), "{what}");
            let mut warnings: Vec<String> = answer
                .headers
                .iter()
                .filter(|(name, _)| name == "warning")
                .map(|(_, text)| text.trim_start_matches("299 - ").replace('"', ""))
                .collect();
            let mut ours: Vec<String> =
                verdict.warnings.iter().map(|it| it.replace('"', "")).collect();
            warnings.sort();
            ours.sort();
            // The header escapes quotes; nothing else may differ.
            let plain = |list: Vec<String>| {
                list.into_iter().map(|it| it.replace('\\', "")).collect::<Vec<_>>()
            };
            assert_eq!(plain(warnings), plain(ours), "{what}");
        } else {
            let message = |it: &Value| it.get("message").cloned();
            assert_eq!(message(&answer.body), message(&wanted), "{what}");
        }
    }

    /// Each spec on its own, and each as a change of those that are taken.
    fn play(&mut self) {
        let specs = specs();
        for spec in &specs {
            let name = self.name();
            self.same(&name, spec, None);
        }
        for first in &specs {
            let name = self.name();
            if self.send("POST", WIDGETS, &widget(&name, first)).code != 201 {
                continue;
            }
            for second in &specs {
                let old = self.client.get(&format!("{WIDGETS}/{name}")).unwrap().body;
                self.same(&name, second, Some(&old));
            }
        }
    }

    fn name(&mut self) -> String {
        self.count += 1;
        format!("w{}", self.count)
    }
}

fn widget(name: &str, spec: &Value) -> Value {
    value!({
        "apiVersion": "shop.example.com/v1",
        "kind": "Widget",
        "metadata": {"name": name, "namespace": "default", "finalizers": ["keep"]},
        "spec": spec.clone()
    })
}

fn specs() -> Vec<Value> {
    vec![
        value!({}),
        value!({"size": "", "replicas": 0}),
        value!({"size": "Huge"}),
        value!({"size": "Large", "replicas": 4}),
        value!({"replicas": 101, "owner": "ann"}),
        value!({"owner": "bob", "serial": "s1"}),
        value!({"serial": "s2", "homepage": "no address"}),
        value!({"homepage": "https://example.com/", "parts": [{"name": "a"}, {"name": "a"}]}),
        value!({"parts": [{"name": "A", "count": 0}], "tags": ["x", "x", ""]}),
        value!({"finish": {"type": "Paint", "paint": {"name": "teal"}}}),
        value!({"finish": {"type": "Plating", "paint": {"name": "teal"}, "plating": "gold"}}),
        value!({"finish": {"type": "Raw", "paint": {"rgb": [1, 2]}}}),
        value!({"finish": {"type": "Nothing"}}),
        value!({"finish": {}}),
        value!({"left": "a", "right": "b"}),
        value!({"size": "Small", "stackLimit": 3}),
        value!({"priority": 7}),
        value!({"note": null, "prices": {"eur": 1, "usd": 2}, "width": 0.0}),
        value!({"maxMissing": "30%", "extra": {"any": [1, "thing"]}}),
        value!({"nonsense": 1}),
    ]
}

fn reported(name: &str, verdict: &Verdict) -> (u16, Value) {
    let gvk = GroupVersionKind::new("shop.example.com", "v1", "Widget");
    let handled = |why: &str| {
        let text = format!("Widget in version \"v1\" cannot be handled as a Widget: {why}");
        (400, Status::bad_request(text).encode())
    };
    if let Some(why) = &verdict.unreadable {
        return handled(why);
    }
    if !verdict.unknown.is_empty() {
        let all: Vec<String> =
            verdict.unknown.iter().map(|it| format!("unknown field \"{it}\"")).collect();
        return handled(&format!("strict decoding error: {}", all.join(", ")));
    }
    if !verdict.errors.is_empty() {
        return (422, Status::invalid(&gvk.group_kind(), name, &verdict.errors).encode());
    }
    (200, verdict.object.clone().unwrap())
}

fn content(object: &Value) -> Value {
    let mut object = object.clone();
    for field in ["uid", "resourceVersion", "creationTimestamp", "managedFields", "generation"] {
        object.remove_path(&["metadata", field]);
    }
    object
}

#[test]
fn declared_kinds_are_judged_as_the_server_judges_them() {
    let api = types();
    for gates in ["", "WidgetPriority=true", "APIUnions=false", "DeclarativeDefaults=false"] {
        let mut both = Both::new(Some(&api), gates);
        both.play();
        both.runtime.shutdown_background();
    }
}

#[test]
fn unions_of_definitions_are_judged_as_the_server_judges_them() {
    let mut both = Both::new(None, "APIUnions=true");
    both.play();
    both.runtime.shutdown_background();
}

#[test]
fn what_is_dropped_is_told() {
    let api = types();
    let both = Both::new(Some(&api), "");
    let verdict = both.kind.judge_create(&widget("w", &value!({"priority": 7})));
    let dropped: Vec<&str> = verdict.dropped.iter().map(|it| it.field.as_str()).collect();
    assert_eq!(dropped, ["spec.priority"]);
    let old = widget("w", &value!({"finish": {"type": "Paint", "paint": {"name": "teal"}}}));
    let new = widget("w", &value!({"finish": {"type": "Raw", "paint": {"name": "teal"}}}));
    let verdict = both.kind.judge_update(&new, &old);
    let dropped: Vec<&str> = verdict.dropped.iter().map(|it| it.field.as_str()).collect();
    assert_eq!(dropped, ["spec.finish.paint"]);
    both.runtime.shutdown_background();
}
