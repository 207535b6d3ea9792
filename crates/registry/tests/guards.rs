//! What admission is shown, and what it keeps people from.

#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

mod support;

use std::sync::{Arc, Mutex};

use ordain_meta::time::Time;
use ordain_registry::access::{Attributes as Asked, Authorizer, Decision};
use ordain_registry::admission::{Attributes, Chain, Plugin, Verdict};
use ordain_registry::caller::{self, Caller, User};
use ordain_registry::source::{FixedClock, SeededEntropy};
use ordain_registry::{AdmissionConfiguration, DefaultAdmission, Options, Registry, Warnings};
use ordain_storage::MemoryStore;
use ordain_value::{Value, value};
use support::{create, delete, fresh, patch, target};

const MAPS: &str = "configmaps";
const CRDS: &str = "apiextensions.k8s.io/customresourcedefinitions";
const THINGS: &str = "guard.example.com/things";

async fn with(plugin: Arc<dyn Plugin>) -> Registry {
    let registry = Registry::new(
        Arc::new(MemoryStore::new()),
        Arc::new(FixedClock(Time::from_unix(1_700_000_000, 0))),
        Arc::new(SeededEntropy::new(7)),
        Chain::new(vec![plugin]),
        Arc::new(ordain_registry::crd::DefinitionHooks::default()),
        Options { controllers: false },
    );
    registry.start().await.unwrap();
    registry
}

/// Remembers the old objects it was shown.
#[derive(Debug, Default)]
struct Witness(Mutex<Vec<Value>>);

impl Plugin for Witness {
    fn name(&self) -> &'static str {
        "Witness"
    }

    fn validate<'a>(
        &'a self,
        attributes: &'a Attributes<'a>,
        _object: Option<&'a Value>,
        _warnings: &'a mut Warnings,
    ) -> Verdict<'a> {
        if attributes.target.resource.group == "guard.example.com" {
            self.0.lock().unwrap().extend(attributes.old.cloned());
        }
        Box::pin(async { Ok(()) })
    }
}

#[tokio::test]
async fn s17_admission_is_shown_the_whole_stored_object_in_the_version_of_the_request() {
    let witness = Arc::new(Witness::default());
    let registry = with(witness.clone()).await;
    let schema = value!({"openAPIV3Schema": {"type": "object", "properties": {"spec":
        {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}});
    let version = |name: &str, stored: bool| value!({"name": name, "served": true, "storage": stored, "schema": (schema.clone())});
    let crd = value!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.guard.example.com"},
        "spec": {"group": "guard.example.com", "scope": "Cluster",
            "names": {"plural": "things", "kind": "Thing"},
            "versions": [(version("v1", true)), (version("v2", false))]}});
    create(&registry, CRDS, &crd).await.unwrap();
    let spec = value!({"secret": "kept", "deep": {"list": [1, {"a": null}], "text": "x"}});
    let thing = value!({"apiVersion": "guard.example.com/v1", "kind": "Thing",
        "metadata": {"name": "t", "labels": {"a": "b"}}, "spec": (spec.clone())});
    let stored = create(&registry, THINGS, &thing).await.unwrap();
    // A change that takes away what a rule might look at.
    let mut place = target(&registry, THINGS, "", "t");
    place.version = "v2".into();
    patch(&registry, &place, &value!({"spec": {"secret": null}})).await.unwrap();
    let shown = witness.0.lock().unwrap().pop().unwrap();
    assert_eq!(shown.get("apiVersion").and_then(Value::as_str), Some("guard.example.com/v2"));
    for part in ["metadata", "spec"] {
        let without_owners = |object: &Value| {
            let mut object = object.clone();
            object.remove_path(&["metadata", "managedFields"]);
            object.get(part).cloned()
        };
        assert_eq!(without_owners(&shown), without_owners(&stored), "{part}");
    }
    delete(&registry, &place, "Background").await.unwrap();
    let shown = witness.0.lock().unwrap().pop().unwrap();
    assert_eq!(shown.get_path(&["spec", "deep"]), spec.get("deep"));
}

#[tokio::test]
async fn s25_nothing_is_created_in_a_namespace_that_goes() {
    let registry = fresh(false).await;
    let space = value!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "going"}});
    create(&registry, "namespaces", &space).await.unwrap();
    let map = |name: &str| {
        value!({"apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": name, "namespace": "going"}})
    };
    create(&registry, MAPS, &map("before")).await.unwrap();
    let place = target(&registry, "namespaces", "", "going");
    delete(&registry, &place, "Background").await.unwrap();
    let refused = create(&registry, MAPS, &map("after")).await.unwrap_err();
    assert_eq!(refused.http_code(), 403);
    let reported = ordain_value::json::encode_string(&refused.encode());
    assert!(reported.contains("NamespaceTerminating"), "{reported}");
    // What is there may still be changed, or nothing could let go of it.
    let held = target(&registry, MAPS, "going", "before");
    patch(&registry, &held, &value!({"metadata": {"labels": {"a": "b"}}})).await.unwrap();
}

/// Allows everything but one verb.
struct AllBut(&'static str);

impl Authorizer for AllBut {
    fn authorize(&self, _user: &User, request: &Asked<'_>) -> Decision {
        Decision { allowed: request.verb != self.0, reason: String::new() }
    }
}

#[tokio::test]
async fn s26_owners_are_named_by_those_who_may_delete() {
    const NAME: &str = "OwnerReferencesPermissionEnforcement";
    let settings = AdmissionConfiguration::default();
    let plugins = DefaultAdmission::choose(&[NAME.to_owned()], &[], &settings).unwrap();
    let registry = with(Arc::new(plugins)).await;
    let map = |name: &str| {
        value!({"apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": name, "namespace": "default"}})
    };
    let owner = create(&registry, MAPS, &map("owner")).await.unwrap();
    create(&registry, MAPS, &map("owned")).await.unwrap();
    let uid = owner.get_path(&["metadata", "uid"]).cloned().unwrap();
    let named = |blocking: bool| {
        value!({"metadata": {"ownerReferences": [{"apiVersion": "v1", "kind": "ConfigMap",
            "name": "owner", "uid": (uid.clone()), "blockOwnerDeletion": blocking}]}})
    };
    let place = target(&registry, MAPS, "default", "owned");
    let write = async |without: &'static str, blocking: bool| {
        let caller = Caller {
            user: Arc::new(User { name: "eve".into(), ..User::default() }),
            authorizer: Arc::new(AllBut(without)),
            deadline: None,
            trace: None,
        };
        let written = caller::scope(caller, patch(&registry, &place, &named(blocking))).await;
        written.map(drop).map_err(|status| (status.http_code(), status.message.to_string()))
    };
    let (code, why) = write("delete", false).await.unwrap_err();
    assert_eq!(code, 403);
    assert!(why.contains("cannot set an ownerRef on a resource you can't delete"), "{why}");
    let (code, why) = write("update", true).await.unwrap_err();
    assert_eq!(code, 403);
    assert!(why.contains("you can't set finalizers on"), "{why}");
    write("nothing", true).await.unwrap();
}
