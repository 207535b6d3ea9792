//! Policies of users in a running registry: in force at once, gone at once, and applied in order.

#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

use std::sync::Arc;

use ordain_meta::status::Status;
use ordain_meta::time::Time;
use ordain_registry::access::{Attributes, Authorizer, Decision};
use ordain_registry::admission::Chain;
use ordain_registry::caller::{self, Caller, User};
use ordain_registry::decode::{Body, Media};
use ordain_registry::dynamic::Dynamic;
use ordain_registry::namespace::NamespaceLifecycle;
use ordain_registry::source::{FixedClock, SeededEntropy};
use ordain_registry::{DeleteOptions, Options, Registry, Target, Warnings, WriteOptions};
use ordain_storage::MemoryStore;
use ordain_value::{Value, json, value};

/// Allows everything.
struct Everything;

impl Authorizer for Everything {
    fn authorize(&self, _: &User, _: &Attributes<'_>) -> Decision {
        Decision { allowed: true, reason: String::new() }
    }
}

struct World {
    registry: Registry,
    dynamic: Arc<Dynamic>,
}

const POLICIES: &str = "admissionregistration.k8s.io/validatingadmissionpolicies";
const BINDINGS: &str = "admissionregistration.k8s.io/validatingadmissionpolicybindings";

impl World {
    async fn new() -> Self {
        let dynamic = Arc::new(Dynamic::new(None));
        let registry = Registry::new(
            Arc::new(MemoryStore::new()),
            Arc::new(FixedClock(Time::from_unix(1_700_000_000, 0))),
            Arc::new(SeededEntropy::new(7)),
            Chain::new(vec![Arc::new(NamespaceLifecycle), dynamic.clone()]),
            Arc::new(ordain_registry::crd::DefinitionHooks::default()),
            Options { controllers: false },
        );
        registry.start().await.unwrap();
        Self { registry, dynamic }
    }

    fn target(&self, resource: &str, namespace: &str, name: &str) -> Target {
        let (group, plural) = resource.rsplit_once('/').unwrap_or(("", resource));
        let resource = self.registry.catalog().get(group, plural).cloned().unwrap();
        let version = resource.storage_version.clone();
        Target { resource, version, namespace: namespace.into(), name: name.into() }
    }

    /// Creates an object in the name of a user; gives back it and the warnings.
    async fn create(
        &self,
        resource: &str,
        namespace: &str,
        object: Value,
    ) -> Result<(Value, Vec<String>), Status> {
        let name = object.get_path(&["metadata", "name"]).and_then(Value::as_str).unwrap();
        let target = self.target(resource, namespace, name);
        let bytes = json::encode(&object);
        let body = Body { bytes: &bytes, media: Media::Json };
        let mut warnings = Warnings::default();
        let options = WriteOptions::default();
        let created = self.registry.create(&target, &body, &options, &mut warnings);
        let user = Arc::new(User::everybody());
        let caller = Caller { user, authorizer: Arc::new(Everything), deadline: None };
        let created = caller::scope(caller, created).await?;
        Ok((created, warnings.texts().to_vec()))
    }

    async fn delete(&self, resource: &str, name: &str) {
        let target = self.target(resource, "", name);
        let options = DeleteOptions::default();
        self.registry.delete(&target, &options, &mut Warnings::default()).await.unwrap();
    }

    async fn policy(&self, name: &str, validation: Value, actions: Value) {
        let policy = value!({
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "ValidatingAdmissionPolicy",
            "metadata": {"name": name},
            "spec": {
                "matchConstraints": {"resourceRules": [{
                    "apiGroups": [""], "apiVersions": ["v1"],
                    "operations": ["CREATE"], "resources": ["configmaps"]
                }]},
                "validations": [(validation)]
            }
        });
        self.create(POLICIES, "", policy).await.unwrap();
        let binding = value!({
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "ValidatingAdmissionPolicyBinding",
            "metadata": {"name": name},
            "spec": {"policyName": name, "validationActions": (actions)}
        });
        self.create(BINDINGS, "", binding).await.unwrap();
    }

    async fn config_map(&self, name: &str) -> Result<(Value, Vec<String>), Status> {
        let object = value!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}});
        self.create("configmaps", "default", object).await
    }
}

#[tokio::test]
async fn a_policy_is_in_force_for_the_next_request_and_gone_after_its_end() {
    let world = World::new().await;
    world.config_map("before").await.unwrap();
    let validation = value!({"expression": "object.metadata.name.startsWith('ok-')",
                             "message": "must be ok", "reason": "Forbidden"});
    world.policy("names", validation, value!(["Deny"])).await;
    let refused = world.config_map("after").await.unwrap_err();
    assert_eq!(refused.http_code(), 403);
    assert_eq!(
        refused.message,
        "configmaps \"after\" is forbidden: ValidatingAdmissionPolicy 'names' with binding 'names' \
         denied request: must be ok"
    );
    world.config_map("ok-after").await.unwrap();
    world.delete(BINDINGS, "names").await;
    world.config_map("unbound").await.unwrap();
}

#[tokio::test]
async fn a_binding_may_warn_instead() {
    let world = World::new().await;
    world.policy("tell", value!({"expression": "false"}), value!(["Warn"])).await;
    let (_, warnings) = world.config_map("a").await.unwrap();
    assert_eq!(
        warnings,
        ["Validation failed for ValidatingAdmissionPolicy 'tell' with binding 'tell': failed \
          expression: false"]
    );
}

#[tokio::test]
async fn what_others_took_away_is_forgotten_when_all_is_read_anew() {
    let world = World::new().await;
    world.policy("never", value!({"expression": "false"}), value!(["Deny"])).await;
    // As another server on the same store would: without a word to this one.
    let other = Dynamic::new(None);
    other.refresh(&world.registry).await.unwrap();
    world.delete(POLICIES, "never").await;
    other.refresh(&world.registry).await.unwrap();
    world.dynamic.refresh(&world.registry).await.unwrap();
    world.config_map("a").await.unwrap();
}

#[tokio::test]
async fn expressions_that_do_not_compile_are_refused_with_the_policy() {
    let world = World::new().await;
    let policy = value!({
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": "wrong"},
        "spec": {
            "matchConstraints": {"resourceRules": [{
                "apiGroups": [""], "apiVersions": ["v1"],
                "operations": ["CREATE"], "resources": ["configmaps"]
            }]},
            "validations": [{"expression": "1"}]
        }
    });
    let refused = world.create(POLICIES, "", policy).await.unwrap_err();
    assert!(refused.message.contains("must evaluate to bool but got int"), "{}", refused.message);
}
