//! Deleted claims, volumes and classes wait for their users and then go.

mod support;

use std::sync::Arc;
use std::time::Duration;

use ordain_registry::Registry;
use ordain_value::{Value, value};
use support::{create, delete, eventually, fresh, names, target};

const CLAIMS: &str = "persistentvolumeclaims";
const VOLUMES: &str = "persistentvolumes";
const CLASSES: &str = "storage.k8s.io/volumeattributesclasses";

async fn started() -> Arc<Registry> {
    let registry = fresh(false).await;
    let running = Arc::clone(&registry);
    tokio::spawn(async move { running.run_storage_protection().await });
    registry
}

fn claim(name: &str) -> Value {
    value!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {
            "namespace": "default", "name": name, "finalizers": ["kubernetes.io/pvc-protection"]
        },
        "spec": {
            "accessModes": ["ReadWriteOnce"], "volumeAttributesClassName": "gold",
            "resources": {"requests": {"storage": "1Gi"}}
        }
    })
}

async fn gone(registry: &Registry, resource: &str, namespace: &str) {
    eventually(&format!("{resource} are gone"), || async {
        names(registry, resource, namespace).await.is_empty()
    })
    .await;
}

#[tokio::test]
async fn a_claim_waits_for_the_pod_that_uses_it() {
    let registry = started().await;
    create(&registry, CLAIMS, &claim("data")).await.unwrap();
    let pod = value!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"namespace": "default", "name": "p"},
        "spec": {
            "nodeName": "n",
            "containers": [{"name": "a", "image": "a"}],
            "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]
        }
    });
    create(&registry, "pods", &pod).await.unwrap();
    delete(&registry, &target(&registry, CLAIMS, "default", "data"), "Background").await.unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(names(&registry, CLAIMS, "default").await, ["data"]);
    let pod = target(&registry, "pods", "default", "p");
    let at_once = ordain_registry::DeleteOptions {
        grace_period_seconds: Some(0),
        ..ordain_registry::DeleteOptions::default()
    };
    registry.delete(&pod, &at_once, &mut ordain_registry::Warnings::default()).await.unwrap();
    gone(&registry, CLAIMS, "default").await;
}

#[tokio::test]
async fn a_class_waits_for_the_claims_that_name_it_and_a_free_volume_for_nobody() {
    let registry = started().await;
    let class = value!({
        "apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttributesClass",
        "metadata": {"name": "gold", "finalizers": ["kubernetes.io/vac-protection"]},
        "driverName": "driver.example.com", "parameters": {"speed": "high"}
    });
    create(&registry, CLASSES, &class).await.unwrap();
    create(&registry, CLAIMS, &claim("data")).await.unwrap();
    delete(&registry, &target(&registry, CLASSES, "", "gold"), "Background").await.unwrap();
    let volume = value!({
        "apiVersion": "v1", "kind": "PersistentVolume",
        "metadata": {"name": "free", "finalizers": ["kubernetes.io/pv-protection"]},
        "spec": {
            "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"},
            "hostPath": {"path": "/tmp"}
        }
    });
    create(&registry, VOLUMES, &volume).await.unwrap();
    delete(&registry, &target(&registry, VOLUMES, "", "free"), "Background").await.unwrap();
    gone(&registry, VOLUMES, "").await;
    assert_eq!(names(&registry, CLASSES, "").await, ["gold"]);
    delete(&registry, &target(&registry, CLAIMS, "default", "data"), "Background").await.unwrap();
    gone(&registry, CLAIMS, "default").await;
    gone(&registry, CLASSES, "").await;
}
