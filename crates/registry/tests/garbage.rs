//! Dependents go with their owners; terminating namespaces are emptied.

#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

mod support;

use std::sync::Arc;
use std::time::Duration;

use ordain_registry::{DeleteOptions, ListOptions, Registry, Warnings, object};
use ordain_storage::MemoryStore;
use ordain_value::{Text, Value, value};
use support::{create, delete, eventually, fresh, names, patch, start, target};

const MAPS: &str = "configmaps";

fn map(name: &str) -> Value {
    value!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "default", "name": name}})
}

fn reference(owner: &Value, blocks: bool) -> Value {
    value!({
        "apiVersion": (owner.get("apiVersion").cloned()),
        "kind": (owner.get("kind").cloned()),
        "name": (object::name(owner)),
        "uid": (object::uid(owner)),
        "blockOwnerDeletion": blocks
    })
}

async fn owned(registry: &Registry, name: &str, owners: Vec<Value>) -> Value {
    let mut dependent = map(name);
    dependent.set_path(&["metadata", "ownerReferences"], owners.into());
    create(registry, MAPS, &dependent).await.unwrap()
}

async fn stays(registry: &Registry, name: &str) {
    tokio::time::sleep(Duration::from_millis(150)).await;
    assert!(names(registry, MAPS, "default").await.iter().any(|it| it == name), "{name} is gone");
}

async fn left(registry: &Registry, expected: &[&str]) {
    eventually(&format!("left {expected:?}"), || async {
        names(registry, MAPS, "default").await == expected
    })
    .await;
}

#[tokio::test]
async fn dependents_go_after_their_owner_in_the_background() {
    let registry = fresh(true).await;
    let owner = create(&registry, MAPS, &map("owner")).await.unwrap();
    let child = owned(&registry, "child", vec![reference(&owner, false)]).await;
    owned(&registry, "grandchild", vec![reference(&child, true)]).await;
    create(&registry, MAPS, &map("stranger")).await.unwrap();
    stays(&registry, "grandchild").await;
    delete(&registry, &target(&registry, MAPS, "default", "owner"), "Background").await.unwrap();
    left(&registry, &["stranger"]).await;
}

#[tokio::test]
async fn one_living_owner_keeps_a_dependent_and_gone_ones_are_dropped() {
    let registry = fresh(true).await;
    let first = create(&registry, MAPS, &map("first")).await.unwrap();
    let second = create(&registry, MAPS, &map("second")).await.unwrap();
    owned(&registry, "child", vec![reference(&first, false), reference(&second, false)]).await;
    delete(&registry, &target(&registry, MAPS, "default", "first"), "Background").await.unwrap();
    let child = target(&registry, MAPS, "default", "child");
    eventually("one owner is left", || async {
        let child = registry.get(&child, "").await.unwrap();
        let owners = child.get_path(&["metadata", "ownerReferences"]).and_then(Value::as_list);
        owners.is_some_and(|owners| owners.len() == 1)
    })
    .await;
    delete(&registry, &target(&registry, MAPS, "default", "second"), "Background").await.unwrap();
    left(&registry, &[]).await;
}

#[tokio::test]
async fn foreground_deletion_waits_for_blocking_dependents_only() {
    let registry = fresh(true).await;
    let owner = create(&registry, MAPS, &map("owner")).await.unwrap();
    owned(&registry, "blocking", vec![reference(&owner, true)]).await;
    owned(&registry, "free", vec![reference(&owner, false)]).await;
    for name in ["blocking", "free"] {
        let held = target(&registry, MAPS, "default", name);
        let finalizer = value!({"metadata": {"finalizers": ["test.example/hold"]}});
        patch(&registry, &held, &finalizer).await.unwrap();
    }
    delete(&registry, &target(&registry, MAPS, "default", "owner"), "Foreground").await.unwrap();
    let blocking = target(&registry, MAPS, "default", "blocking");
    eventually("the dependent is told to go", || async {
        object::is_deleting(&registry.get(&blocking, "").await.unwrap())
    })
    .await;
    stays(&registry, "owner").await;
    let release = value!({"metadata": {"finalizers": null}});
    patch(&registry, &blocking, &release).await.unwrap();
    left(&registry, &["free"]).await;
    patch(&registry, &target(&registry, MAPS, "default", "free"), &release).await.unwrap();
    left(&registry, &[]).await;
}

#[tokio::test]
async fn orphans_stay_without_their_owner() {
    let registry = fresh(true).await;
    let owner = create(&registry, MAPS, &map("owner")).await.unwrap();
    for name in ["a", "b"] {
        owned(&registry, name, vec![reference(&owner, true)]).await;
    }
    delete(&registry, &target(&registry, MAPS, "default", "owner"), "Orphan").await.unwrap();
    left(&registry, &["a", "b"]).await;
    for name in ["a", "b"] {
        let kept = registry.get(&target(&registry, MAPS, "default", name), "").await.unwrap();
        assert_eq!(kept.get_path(&["metadata", "ownerReferences"]), None);
    }
}

#[tokio::test]
async fn owners_that_never_were_or_are_others_now_do_not_keep_a_dependent() {
    let registry = fresh(true).await;
    let owner = create(&registry, MAPS, &map("owner")).await.unwrap();
    let mut absent = reference(&owner, false);
    absent.set_path(&["name"], "nobody".into());
    owned(&registry, "of-nobody", vec![absent]).await;
    let mut other = reference(&owner, false);
    other.set_path(&["uid"], "00000000-0000-4000-8000-000000000000".into());
    owned(&registry, "of-another", vec![other]).await;
    left(&registry, &["owner"]).await;
}

#[tokio::test]
async fn owners_outside_of_namespaces_own_and_unknown_kinds_are_left_alone() {
    let registry = fresh(true).await;
    let space = value!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "owner"}});
    let space = create(&registry, "namespaces", &space).await.unwrap();
    owned(&registry, "of-namespace", vec![reference(&space, false)]).await;
    let mut unknown = reference(&space, false);
    unknown.set_path(&["kind"], "Unheard".into());
    unknown.set_path(&["uid"], "00000000-0000-4000-8000-000000000000".into());
    owned(&registry, "of-unknown", vec![unknown]).await;
    stays(&registry, "of-namespace").await;
    delete(&registry, &target(&registry, "namespaces", "", "owner"), "Background").await.unwrap();
    left(&registry, &["of-unknown"]).await;
    stays(&registry, "of-unknown").await;
}

#[tokio::test]
async fn circles_of_owners_do_not_wait_for_themselves() {
    let registry = fresh(true).await;
    let first = create(&registry, MAPS, &map("first")).await.unwrap();
    let second = owned(&registry, "second", vec![reference(&first, true)]).await;
    let third = owned(&registry, "third", vec![reference(&second, true)]).await;
    let close = value!({"metadata": {"ownerReferences": [(reference(&third, true))]}});
    let place = target(&registry, MAPS, "default", "first");
    patch(&registry, &place, &close).await.unwrap();
    stays(&registry, "first").await;
    delete(&registry, &place, "Foreground").await.unwrap();
    left(&registry, &[]).await;
}

#[tokio::test]
async fn thousands_of_dependents_go() {
    let registry = fresh(true).await;
    let owner = create(&registry, MAPS, &map("owner")).await.unwrap();
    for number in 0..3000 {
        owned(&registry, &format!("d{number}"), vec![reference(&owner, number % 2 == 0)]).await;
    }
    delete(&registry, &target(&registry, MAPS, "default", "owner"), "Foreground").await.unwrap();
    left(&registry, &[]).await;
}

#[tokio::test]
async fn what_was_left_undone_is_done_after_a_restart() {
    let store = Arc::new(MemoryStore::new());
    let registry = start(store.clone(), false).await;
    let owner = create(&registry, MAPS, &map("owner")).await.unwrap();
    let waiting = create(&registry, MAPS, &map("waiting")).await.unwrap();
    owned(&registry, "child", vec![reference(&owner, false)]).await;
    owned(&registry, "held", vec![reference(&waiting, true)]).await;
    delete(&registry, &target(&registry, MAPS, "default", "owner"), "Background").await.unwrap();
    delete(&registry, &target(&registry, MAPS, "default", "waiting"), "Foreground").await.unwrap();
    assert_eq!(names(&registry, MAPS, "default").await, ["child", "held", "waiting"]);
    drop(registry);
    let registry = start(store, true).await;
    left(&registry, &[]).await;
}

#[tokio::test]
async fn pods_leave_a_terminating_namespace_before_all_else() {
    let registry = fresh(true).await;
    let space = value!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "going"}});
    create(&registry, "namespaces", &space).await.unwrap();
    let mut map = map("needed");
    object::set(&mut map, "namespace", "going".into());
    create(&registry, MAPS, &map).await.unwrap();
    let pod = value!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"namespace": "going", "name": "p", "finalizers": ["test.example/hold"]},
        "spec": {"containers": [{"name": "c", "image": "i"}]}
    });
    create(&registry, "pods", &pod).await.unwrap();
    let place = target(&registry, "namespaces", "", "going");
    delete(&registry, &place, "Background").await.unwrap();
    let held = target(&registry, "pods", "going", "p");
    eventually("the pod is told to go", || async {
        registry.get(&held, "").await.is_ok_and(|pod| object::is_deleting(&pod))
    })
    .await;
    tokio::time::sleep(Duration::from_millis(150)).await;
    assert!(names(&registry, MAPS, "going").await.iter().any(|it| it == "needed"));
    patch(&registry, &held, &value!({"metadata": {"finalizers": null}})).await.unwrap();
    eventually("the namespace is gone", || async { registry.get(&place, "").await.is_err() }).await;
}

#[tokio::test]
async fn a_terminating_namespace_says_what_holds_it_and_goes_when_it_is_empty() {
    let registry = fresh(true).await;
    let space = value!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "going"}});
    create(&registry, "namespaces", &space).await.unwrap();
    let mut held = map("held");
    object::set(&mut held, "namespace", "going".into());
    object::set_finalizers(&mut held, vec![Text::from("test.example/hold")]);
    create(&registry, MAPS, &held).await.unwrap();
    let mut free = map("free");
    object::set(&mut free, "namespace", "going".into());
    create(&registry, MAPS, &free).await.unwrap();
    let place = target(&registry, "namespaces", "", "going");
    delete(&registry, &place, "Background").await.unwrap();
    let message = |object: &Value, ty: &str| {
        let list = object.get_path(&["status", "conditions"]).and_then(Value::as_list);
        let of_type = |it: &&Value| it.get("type").and_then(Value::as_str) == Some(ty);
        let found = list.and_then(|list| list.iter().find(of_type).cloned());
        found.and_then(|it| it.get("message").and_then(Value::as_str).map(str::to_owned))
    };
    eventually("the conditions tell", || async {
        let object = registry.get(&place, "").await.unwrap();
        message(&object, "NamespaceContentRemaining").as_deref()
            == Some("Some resources are remaining: configmaps. has 1 resource instances")
            && message(&object, "NamespaceFinalizersRemaining").as_deref()
                == Some(
                    "Some content in the namespace has finalizers remaining: test.example/hold \
                     in 1 resource instances",
                )
    })
    .await;
    let release = value!({"metadata": {"finalizers": null}});
    patch(&registry, &target(&registry, MAPS, "going", "held"), &release).await.unwrap();
    eventually("the namespace is gone", || async { registry.get(&place, "").await.is_err() }).await;
}

#[tokio::test]
async fn who_deletes_a_job_without_saying_more_is_told_that_its_pods_stay() {
    let registry = fresh(false).await;
    let job = |name: &str| {
        value!({
            "apiVersion": "batch/v1", "kind": "Job",
            "metadata": {"namespace": "default", "name": name},
            "spec": {"template": {"spec": {
                "restartPolicy": "Never", "containers": [{"name": "a", "image": "a"}]
            }}}
        })
    };
    let warned = |policy: Option<&str>| {
        let policy = policy.map(Text::from);
        let registry = Arc::clone(&registry);
        let job = job("once");
        async move {
            create(&registry, "batch/jobs", &job).await.unwrap();
            let options = DeleteOptions { propagation_policy: policy, ..DeleteOptions::default() };
            let all = target(&registry, "batch/jobs", "default", "");
            let mut warnings = Warnings::default();
            let list = ListOptions::default();
            registry.delete_collection(&all, &list, &options, &mut warnings).await.unwrap();
            create(&registry, "batch/jobs", &job).await.ok();
            let one = target(&registry, "batch/jobs", "default", "once");
            let mut again = Warnings::default();
            registry.delete(&one, &options, &mut again).await.unwrap();
            assert_eq!(warnings.texts(), again.texts());
            warnings.texts().len()
        }
    };
    assert_eq!(warned(Some("Background")).await, 0);
    assert_eq!(warned(None).await, 1);
}
