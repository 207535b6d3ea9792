//! Addresses and node ports of Services: given once, free again when a service is gone or a write
//! fails, and known after a restart.

mod support;

use std::sync::Arc;

use ordain_storage::{MemoryStore, Store};
use ordain_value::{Value, value};
use support::{create, delete, fresh, names, start, target};

const ADDRESSES: &str = "networking.k8s.io/ipaddresses";

fn service(name: &str, ip: &str, node_port: i64) -> Value {
    value!({
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {
            "type": "NodePort",
            "clusterIP": ip,
            "ports": [{"port": 80, "nodePort": node_port}]
        }
    })
}

#[tokio::test]
async fn what_a_service_has_is_free_again_when_it_is_gone() {
    let registry = fresh(false).await;
    create(&registry, "services", &service("a", "10.0.0.9", 30_100)).await.unwrap();
    assert_eq!(names(&registry, ADDRESSES, "").await, ["10.0.0.1", "10.0.0.9"]);
    let taken = create(&registry, "services", &service("b", "10.0.0.9", 30_101)).await;
    assert!(taken.unwrap_err().message.contains("provided IP is already allocated"));
    let taken = create(&registry, "services", &service("b", "10.0.0.10", 30_100)).await;
    assert!(taken.unwrap_err().message.contains("provided port is already allocated"));
    // Neither refusal kept the half that it was given.
    assert_eq!(names(&registry, ADDRESSES, "").await, ["10.0.0.1", "10.0.0.9"]);
    create(&registry, "services", &service("c", "10.0.0.10", 30_101)).await.unwrap();

    delete(&registry, &target(&registry, "services", "default", "a"), "Background").await.unwrap();
    assert_eq!(names(&registry, ADDRESSES, "").await, ["10.0.0.1", "10.0.0.10"]);
    create(&registry, "services", &service("d", "10.0.0.9", 30_100)).await.unwrap();
}

#[tokio::test]
async fn a_restart_knows_what_is_taken() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let registry = start(Arc::clone(&store), false).await;
    create(&registry, "services", &service("a", "10.0.0.9", 30_100)).await.unwrap();
    drop(registry);
    let registry = start(store, false).await;
    let taken = create(&registry, "services", &service("b", "10.0.0.9", 30_101)).await;
    assert!(taken.unwrap_err().message.contains("provided IP is already allocated"));
    let taken = create(&registry, "services", &service("b", "10.0.0.10", 30_100)).await;
    assert!(taken.unwrap_err().message.contains("provided port is already allocated"));
}
