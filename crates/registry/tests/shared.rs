//! Servers that share a store: each follows what the others define, and no object is written by a
//! definition that was replaced.

#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

mod support;

use std::sync::Arc;

use ordain_registry::Registry;
use ordain_storage::{MemoryStore, Store};
use ordain_value::{Value, value};

fn definition(fields: &[&str]) -> Value {
    let text = |field: &&str| ((*field).to_owned(), value!({"type": "string"}));
    let fields: ordain_value::Map = fields.iter().map(text).collect();
    value!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.shared.example.com"},
        "spec": {"group": "shared.example.com", "scope": "Cluster",
            "names": {"plural": "things", "kind": "Thing"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema":
                {"openAPIV3Schema": {"type": "object", "properties":
                    {"spec": {"type": "object", "properties": (Value::Map(fields))}}}}}]}})
}

const CRDS: &str = "apiextensions.k8s.io/customresourcedefinitions";
const THINGS: &str = "shared.example.com/things";

fn thing(spec: Value) -> Value {
    value!({"apiVersion": "shared.example.com/v1", "kind": "Thing", "metadata": {"name": "t"},
        "spec": (spec)})
}

async fn pair() -> (Arc<Registry>, Arc<Registry>) {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    // Both find an empty store.
    let (a, b) = tokio::join!(
        support::start(Arc::clone(&store), false),
        support::start(Arc::clone(&store), false)
    );
    (a, b)
}

async fn redefine(registry: &Registry, fields: &[&str]) {
    let target = support::target(registry, CRDS, "", "things.shared.example.com");
    let spec = definition(fields).get("spec").cloned().unwrap();
    support::patch(registry, &target, &value!({"spec": (spec)})).await.unwrap();
}

#[tokio::test]
async fn servers_that_start_together_both_come_up() {
    for _ in 0..20 {
        pair().await;
    }
}

#[tokio::test]
async fn a_kind_that_another_server_defined_is_served() {
    let (a, b) = pair().await;
    support::create(&a, CRDS, &definition(&["x"])).await.unwrap();
    assert!(b.catalog().get("shared.example.com", "things").is_none());
    b.catch_up().await.unwrap();
    support::create(&b, THINGS, &thing(value!({"x": "1"}))).await.unwrap();
    // Who follows need not ask.
    let follower = Arc::clone(&b);
    let task = tokio::spawn(async move { follower.follow_definitions().await });
    let crd = support::target(&a, CRDS, "", "things.shared.example.com");
    support::delete(&a, &crd, "Background").await.unwrap();
    support::eventually("the kind is gone", || async {
        b.catalog().get("shared.example.com", "things").is_none()
    })
    .await;
    support::create(&a, CRDS, &definition(&["x"])).await.unwrap();
    support::eventually("the kind is back", || async {
        b.catalog().get("shared.example.com", "things").is_some()
    })
    .await;
    task.abort();
}

#[tokio::test]
async fn a_field_that_another_server_added_is_kept() {
    let (a, b) = pair().await;
    support::create(&a, CRDS, &definition(&["x"])).await.unwrap();
    b.catch_up().await.unwrap();
    // Server b looks the kind up, and is held up for a while.
    let stale = support::target(&b, THINGS, "", "t");
    redefine(&a, &["x", "y"]).await;
    support::create(&a, THINGS, &thing(value!({"x": "1", "y": "2"}))).await.unwrap();
    let patched = support::patch(&b, &stale, &value!({"spec": {"x": "3"}})).await.unwrap();
    assert_eq!(patched.get("spec"), Some(&value!({"x": "3", "y": "2"})));
    // A new object is judged by the new definition as well.
    redefine(&a, &["x", "y", "z"]).await;
    let stale = support::target(&b, THINGS, "", "t");
    let patched = support::patch(&b, &stale, &value!({"spec": {"z": "4"}})).await.unwrap();
    assert_eq!(patched.get("spec"), Some(&value!({"x": "3", "y": "2", "z": "4"})));
}

#[tokio::test]
async fn nothing_is_written_to_a_kind_that_another_server_removed() {
    let (a, b) = pair().await;
    support::create(&a, CRDS, &definition(&["x"])).await.unwrap();
    b.catch_up().await.unwrap();
    let stale = support::target(&b, THINGS, "", "");
    let crd = support::target(&a, CRDS, "", "things.shared.example.com");
    support::delete(&a, &crd, "Background").await.unwrap();
    let body = ordain_value::json::encode(&thing(value!({})));
    let body =
        ordain_registry::decode::Body { bytes: &body, media: ordain_registry::decode::Media::Json };
    let refused = b.create(&stale, &body, &Default::default(), &mut Default::default()).await;
    assert_eq!(refused.unwrap_err().http_code(), 404);
}
