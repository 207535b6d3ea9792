//! Conversion webhooks in a running registry: who is asked when, what becomes of the answers, and
//! what a webhook that fails does to others.

#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

mod support;

use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ordain_admission::webhook::{ClientConfig, Reply};
use ordain_meta::status::Status;
use ordain_meta::time::Time;
use ordain_registry::admission::Chain;
use ordain_registry::dynamic::WebhookClient;
use ordain_registry::namespace::NamespaceLifecycle;
use ordain_registry::source::{FixedClock, SeededEntropy};
use ordain_registry::trace::Headers;
use ordain_registry::{EventType, ListOptions, Options, Registry, Target};
use ordain_storage::MemoryStore;
use ordain_value::{Value, json, value};

/// A webhook that splits `hostPort` of v1 into `host` and `port` of v2, and joins them again.
#[derive(Debug, Default)]
struct Hook {
    calls: AtomicUsize,
    objects: AtomicUsize,
    is_down: AtomicBool,
    /// Members of each converted object that are set to something else.
    spoiled: Mutex<Vec<(Vec<&'static str>, Value)>>,
}

impl Hook {
    fn answer(&self, body: &[u8]) -> Result<Reply, String> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        if self.is_down.load(Ordering::SeqCst) {
            return Err("Post \"https://hook.test/c?timeout=30s\": EOF".to_owned());
        }
        let review = json::decode(body).unwrap();
        let request = review.get("request").unwrap();
        let wanted = request.get("desiredAPIVersion").unwrap();
        let objects = request.get("objects").and_then(Value::as_list).unwrap();
        self.objects.fetch_add(objects.len(), Ordering::SeqCst);
        let converted: Vec<Value> =
            objects.iter().map(|object| self.convert(object, wanted)).collect();
        let answer = value!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "ConversionReview",
            "response": {
                "uid": (request.get("uid").unwrap().clone()),
                "result": {"status": "Success"},
                "convertedObjects": (Value::from(converted))
            }
        });
        Ok(Reply { status: 200, body: json::encode(&answer), ..Reply::default() })
    }

    fn convert(&self, object: &Value, wanted: &Value) -> Value {
        let mut out = object.clone();
        let text = |path: &[&str]| object.get_path(path).and_then(Value::as_str).unwrap_or("");
        if wanted.as_str() == Some("conv.test/v2") {
            let (host, port) = text(&["spec", "hostPort"]).split_once(':').unwrap_or_default();
            out.set_path(&["spec"], value!({"host": host, "port": port}));
        } else {
            let joined = format!("{}:{}", text(&["spec", "host"]), text(&["spec", "port"]));
            out.set_path(&["spec"], value!({"hostPort": (joined)}));
        }
        out.set_path(&["apiVersion"], wanted.clone());
        for (path, value) in self.spoiled.lock().unwrap().iter() {
            out.set_path(path, value.clone());
        }
        out
    }

    fn calls(&self) -> usize {
        self.calls.swap(0, Ordering::SeqCst)
    }
}

impl WebhookClient for Hook {
    fn post<'a>(
        &'a self,
        _client: &'a ClientConfig,
        body: Vec<u8>,
        _timeout: Duration,
        _headers: Headers,
    ) -> Pin<Box<dyn Future<Output = Result<Reply, String>> + Send + 'a>> {
        Box::pin(async move {
            // A webhook is never done at once.
            tokio::task::yield_now().await;
            self.answer(&body)
        })
    }
}

struct World {
    registry: Arc<Registry>,
    hook: Arc<Hook>,
}

impl World {
    async fn new() -> Self {
        let hook = Arc::new(Hook::default());
        let registry = Registry::new(
            Arc::new(MemoryStore::new()),
            Arc::new(FixedClock(Time::from_unix(1_700_000_000, 0))),
            Arc::new(SeededEntropy::new(7)),
            Chain::new(vec![Arc::new(NamespaceLifecycle)]),
            Arc::new(ordain_registry::crd::DefinitionHooks::default()),
            Options { controllers: false },
        );
        let registry = Arc::new(registry.with_webhooks(hook.clone()));
        registry.start().await.unwrap();
        let crds = "apiextensions.k8s.io/customresourcedefinitions";
        support::create(&registry, crds, &definition("v1")).await.unwrap();
        Self { registry, hook }
    }

    fn target(&self, version: &str, name: &str) -> Target {
        let target = support::target(&self.registry, "conv.test/widgets", "default", name);
        Target { version: version.into(), ..target }
    }

    async fn create(&self, name: &str) {
        let object = value!({
            "apiVersion": "conv.test/v1",
            "kind": "Widget",
            "metadata": {"name": name, "namespace": "default"},
            "spec": {"hostPort": "h:1"}
        });
        support::create(&self.registry, "conv.test/widgets", &object).await.unwrap();
    }

    async fn get(&self, version: &str, name: &str) -> Result<Value, Status> {
        self.registry.get(&self.target(version, name), "").await
    }
}

fn definition(stored: &str) -> Value {
    let version = |name: &str, fields: &[&str]| {
        let mut properties = value!({});
        for field in fields {
            properties.set_path(&[field], value!({"type": "string"}));
        }
        value!({
            "name": name, "served": true, "storage": (name == stored),
            "schema": {"openAPIV3Schema": {"type": "object", "properties": {
                "spec": {"type": "object", "properties": (properties)}
            }}}
        })
    };
    value!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.conv.test"},
        "spec": {
            "group": "conv.test",
            "scope": "Namespaced",
            "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
            "conversion": {"strategy": "Webhook", "webhook": {
                "clientConfig": {"url": "https://hook.test/c"},
                "conversionReviewVersions": ["v1"]
            }},
            "versions": [(version("v1", &["hostPort"])), (version("v2", &["host", "port"]))]
        }
    })
}

fn host(object: &Value) -> &str {
    object.get_path(&["spec", "host"]).and_then(Value::as_str).unwrap_or("")
}

#[tokio::test]
async fn the_webhook_is_asked_for_other_versions_only() {
    let world = World::new().await;
    world.create("a").await;
    assert_eq!(
        world.get("v1", "a").await.unwrap().get_path(&["spec", "hostPort"]),
        Some(&"h:1".into())
    );
    assert_eq!(world.hook.calls(), 0);
    let other = world.get("v2", "a").await.unwrap();
    assert_eq!((host(&other), world.hook.calls()), ("h", 1));
    // The same question is asked again: only watches keep answers, as the webhook may change.
    world.get("v2", "a").await.unwrap();
    assert_eq!(world.hook.calls(), 1);
}

#[tokio::test]
async fn a_list_is_converted_in_one_call() {
    let world = World::new().await;
    for at in 0..40 {
        world.create(&format!("w-{at}")).await;
    }
    let listed =
        world.registry.list(&world.target("v2", ""), &ListOptions::default()).await.unwrap();
    assert_eq!(listed.items.len(), 40);
    assert!(listed.items.iter().all(|item| host(item) == "h"));
    assert_eq!(world.hook.calls(), 1);
}

#[tokio::test]
async fn owners_follow_their_fields_into_other_versions() {
    let world = World::new().await;
    world.create("a").await;
    let patch = value!({"spec": {"host": "new"}});
    let patched = support::patch(&world.registry, &world.target("v2", "a"), &patch).await.unwrap();
    assert_eq!(host(&patched), "new");
    let stored = world.get("v1", "a").await.unwrap();
    assert_eq!(stored.get_path(&["spec", "hostPort"]), Some(&"new:1".into()));
    let owners = stored.get_path(&["metadata", "managedFields"]).and_then(Value::as_list).unwrap();
    let owned = |version: &str| {
        let of = |entry: &&Value| entry.get("apiVersion") == Some(&Value::from(version));
        owners.iter().find(of).and_then(|entry| entry.get_path(&["fieldsV1", "f:spec"])).cloned()
    };
    // Who wrote the joined field in v1 owns it no longer: a part of it was changed in v2.
    assert_eq!(owned("conv.test/v1").and_then(|it| it.get("f:hostPort").cloned()), None);
    assert_eq!(owned("conv.test/v2"), Some(value!({"f:host": {}})));
}

#[tokio::test]
async fn objects_of_an_older_storage_version_are_read_as_they_are() {
    let world = World::new().await;
    world.create("old").await;
    let crds = "apiextensions.k8s.io/customresourcedefinitions";
    let target = support::target(&world.registry, crds, "", "widgets.conv.test");
    let changed = value!({"spec": (definition("v2").get("spec").unwrap().clone())});
    support::patch(&world.registry, &target, &changed).await.unwrap();
    world.hook.calls();
    // It lies in v1, which v1 shows without a question, though v2 is what is stored now.
    world.get("v1", "old").await.unwrap();
    assert_eq!(world.hook.calls(), 0);
    let listed =
        world.registry.list(&world.target("v2", ""), &ListOptions::default()).await.unwrap();
    assert_eq!((host(&listed.items[0]), world.hook.calls()), ("h", 1));
    let patch = value!({"metadata": {"labels": {"touched": "yes"}}});
    support::patch(&world.registry, &world.target("v2", "old"), &patch).await.unwrap();
    world.hook.calls();
    assert_eq!(host(&world.get("v2", "old").await.unwrap()), "h");
    assert_eq!(world.hook.calls(), 0);
}

#[tokio::test]
async fn an_object_that_comes_back_is_the_one_that_was_sent() {
    let cases: [(&[&'static str], Value, &str); 4] = [
        (&["metadata", "name"], "other".into(), "must have the same name: a != other"),
        (&["kind"], "Gadget".into(), "invalid kind (expected Widget, received Gadget)"),
        (&["apiVersion"], "conv.test/v9".into(), "invalid groupVersion (expected conv.test/v2"),
        (&["metadata", "labels"], value!({"a": 1}), "metadata.labels[a] must be a string"),
    ];
    let world = World::new().await;
    world.create("a").await;
    for (path, value, words) in cases {
        *world.hook.spoiled.lock().unwrap() = vec![(path.to_vec(), value)];
        let refused = world.get("v2", "a").await.unwrap_err();
        assert_eq!(refused.http_code(), 500);
        assert!(refused.message.contains(words), "{}", refused.message);
    }
    let generation = vec![(vec!["metadata", "generation"], Value::Int(99))];
    *world.hook.spoiled.lock().unwrap() = generation;
    let object = world.get("v2", "a").await.unwrap();
    assert_eq!(object.get_path(&["metadata", "generation"]), Some(&Value::Int(1)));
}

#[tokio::test]
async fn a_webhook_that_dies_under_load_concerns_its_kind_alone() {
    let world = Arc::new(World::new().await);
    for at in 0..20 {
        world.create(&format!("w-{at}")).await;
    }
    world.hook.is_down.store(true, Ordering::SeqCst);
    let reads = (0..200).map(|at| {
        let world = Arc::clone(&world);
        tokio::spawn(async move { world.get("v2", &format!("w-{}", at % 20)).await })
    });
    for read in reads.collect::<Vec<_>>() {
        let refused = read.await.unwrap().unwrap_err();
        assert_eq!(refused.http_code(), 500);
        assert_eq!(
            refused.message,
            "conversion webhook for conv.test/v1, Kind=Widget failed: Post \
             \"https://hook.test/c?timeout=30s\": EOF"
        );
    }
    // Its own storage version, and every other kind, go on.
    world.get("v1", "w-0").await.unwrap();
    world.create("late").await;
    let other = value!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "c", "namespace": "default"}
    });
    support::create(&world.registry, "configmaps", &other).await.unwrap();
    world.hook.is_down.store(false, Ordering::SeqCst);
    assert_eq!(host(&world.get("v2", "late").await.unwrap()), "h");
}

#[tokio::test]
async fn watchers_in_another_version_share_one_conversion() {
    let world = World::new().await;
    let options = ListOptions { watch: true, ..ListOptions::default() };
    let mut watchers = Vec::new();
    for _ in 0..5 {
        watchers.push(world.registry.watch(&world.target("v2", ""), &options).await.unwrap());
    }
    world.create("a").await;
    for watcher in &mut watchers {
        let event = watcher.next().await.unwrap();
        assert_eq!(event.ty, EventType::Added);
        assert_eq!(host(&watcher.object(&event).unwrap()), "h");
    }
    assert_eq!(world.hook.calls(), 1);
    world.hook.is_down.store(true, Ordering::SeqCst);
    world.create("b").await;
    let event = watchers[0].next().await.unwrap();
    assert_eq!(event.ty, EventType::Error);
    assert!(watchers[0].next().await.is_none(), "a failed watch is over");
}

#[tokio::test]
async fn a_definition_whose_webhook_is_gone_keeps_no_other_from_being_served() {
    let world = World::new().await;
    world.create("old").await;
    let crds = "apiextensions.k8s.io/customresourcedefinitions";
    let target = support::target(&world.registry, crds, "", "widgets.conv.test");
    let changed = value!({"spec": (definition("v2").get("spec").unwrap().clone())});
    support::patch(&world.registry, &target, &changed).await.unwrap();
    world.hook.is_down.store(true, Ordering::SeqCst);
    // Its object lies in an old version, and nobody can read it in the new one.
    support::delete(&world.registry, &target, "Background").await.unwrap();
    let kept = world.registry.get(&target, "").await.unwrap();
    let conditions = kept.get_path(&["status", "conditions"]).and_then(Value::as_list).unwrap();
    let failed = |it: &Value| it.get("reason") == Some(&"InstanceDeletionFailed".into());
    assert!(conditions.iter().any(failed), "{conditions:?}");
    let mut other = definition("v1");
    other.set_path(&["metadata", "name"], "gadgets.conv.test".into());
    other.set_path(
        &["spec", "names"],
        value!({"plural": "gadgets", "singular": "gadget", "kind": "Gadget", "listKind": "GadgetList"}),
    );
    support::create(&world.registry, crds, &other).await.unwrap();
    assert!(world.registry.catalog().get("conv.test", "gadgets").is_some());
}
