//! Policies of users in a running registry: in force at once, gone at once, and applied in order.

#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ordain_admission::webhook::{ClientConfig, Reply};
use ordain_meta::status::Status;
use ordain_meta::time::Time;
use ordain_registry::access::{Attributes, Authorizer, Decision};
use ordain_registry::admission::{self, Chain, Plugin, Verdict};
use ordain_registry::caller::{self, Caller, User};
use ordain_registry::decode::{Body, Media};
use ordain_registry::dynamic::{Dynamic, WebhookClient};
use ordain_registry::namespace::NamespaceLifecycle;
use ordain_registry::source::{FixedClock, SeededEntropy};
use ordain_registry::trace::{Headers, Trace};
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

/// A webhook that answers as it is told, and keeps what it was sent.
#[derive(Debug, Default)]
struct Hook {
    answers: Mutex<Vec<Result<Reply, String>>>,
    heard: Mutex<Vec<(Value, Headers)>>,
}

impl Hook {
    fn answer(&self, response: Value) -> Result<Reply, String> {
        let body = json::encode(&value!({
            "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": (response)
        }));
        Ok(Reply { status: 200, body, ..Reply::default() })
    }
}

impl WebhookClient for Hook {
    fn post<'a>(
        &'a self,
        _client: &'a ClientConfig,
        body: Vec<u8>,
        _timeout: Duration,
        headers: Headers,
    ) -> Pin<Box<dyn Future<Output = Result<Reply, String>> + Send + 'a>> {
        let review = json::decode(&body).unwrap();
        let uid = review.get_path(&["request", "uid"]).cloned().unwrap();
        self.heard.lock().unwrap().push((review, headers));
        let answer = self.answers.lock().unwrap().remove(0).map(|reply| {
            let mut review = json::decode(&reply.body).unwrap();
            review.set_path(&["response", "uid"], uid);
            Reply { body: json::encode(&review), ..reply }
        });
        Box::pin(async {
            // An answer takes its time: what is done meanwhile is done here too.
            tokio::task::yield_now().await;
            answer
        })
    }
}

/// A plugin of the server that counts how often it saw an object.
#[derive(Debug, Default)]
struct Counting(AtomicUsize);

impl Plugin for Counting {
    fn name(&self) -> &'static str {
        "Counting"
    }

    fn mutate<'a>(
        &'a self,
        _attributes: &'a admission::Attributes<'a>,
        object: Option<&'a mut Value>,
        _warnings: &'a mut Warnings,
    ) -> Verdict<'a> {
        if object.is_some_and(|it| it.get("kind").and_then(Value::as_str) == Some("ConfigMap")) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
        Box::pin(async { Ok(()) })
    }
}

struct World {
    registry: Registry,
    dynamic: Arc<Dynamic>,
    hook: Arc<Hook>,
    counting: Arc<Counting>,
    /// The warnings of the last create.
    warned: Mutex<Vec<String>>,
}

const TRACE: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const POLICIES: &str = "admissionregistration.k8s.io/validatingadmissionpolicies";
const BINDINGS: &str = "admissionregistration.k8s.io/validatingadmissionpolicybindings";

impl World {
    async fn new() -> Self {
        let dynamic = Arc::new(Dynamic::new(None));
        let counting = Arc::new(Counting::default());
        let registry = Registry::new(
            Arc::new(MemoryStore::new()),
            Arc::new(FixedClock(Time::from_unix(1_700_000_000, 0))),
            Arc::new(SeededEntropy::new(7)),
            Chain::new(vec![Arc::new(NamespaceLifecycle), counting.clone(), dynamic.clone()]),
            Arc::new(ordain_registry::crd::DefinitionHooks::default()),
            Options { controllers: false },
        );
        let hook = Arc::new(Hook::default());
        let registry = registry.with_webhooks(hook.clone());
        registry.start().await.unwrap();
        Self { registry, dynamic, hook, counting, warned: Mutex::default() }
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
        self.create_until(None, resource, namespace, object).await
    }

    /// The same with a time until which the request may work.
    async fn create_until(
        &self,
        deadline: Option<tokio::time::Instant>,
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
        let created = self.registry.create_shown(&target, &body, &options, &mut warnings);
        let user = Arc::new(User::everybody());
        let trace = Trace::read(TRACE, "vendor=1").map(Arc::new);
        let caller = Caller { user, authorizer: Arc::new(Everything), deadline, trace };
        let created = caller::scope(caller, created).await;
        *self.warned.lock().unwrap() = warnings.texts().to_vec();
        let created = created?;
        assert_eq!(created.json(), Some(json::encode(&created.object)), "copied as written anew");
        Ok((created.object, warnings.texts().to_vec()))
    }

    /// Lets a mutating webhook judge config maps.
    async fn webhook(&self, name: &str, failure: &str) {
        self.webhook_of("Mutating", name, failure).await;
    }

    async fn webhook_of(&self, ty: &str, name: &str, failure: &str) {
        let mut webhook = value!({
            "name": (format!("{name}.example.com")),
            "clientConfig": {"url": "https://hook.test/m"},
            "admissionReviewVersions": ["v1"], "sideEffects": "None",
            "failurePolicy": failure,
            "matchConditions": [
                {"name": "not-skipped",
                 "expression": "object == null || object.metadata.name != 'skipped'"}
            ],
            "rules": [{"apiGroups": [""], "apiVersions": ["v1"],
                       "operations": ["CREATE", "DELETE"], "resources": ["configmaps", "pods"]}]
        });
        if ty == "Mutating" {
            webhook.set_path(&["reinvocationPolicy"], "IfNeeded".into());
        }
        let configuration = value!({
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": (format!("{ty}WebhookConfiguration")),
            "metadata": {"name": name},
            "webhooks": [(webhook)]
        });
        let plural = format!("{}webhookconfigurations", ty.to_lowercase());
        let resource = format!("admissionregistration.k8s.io/{plural}");
        self.create(&resource, "", configuration).await.unwrap();
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
async fn a_chain_of_policies_ends_at_the_deadline() {
    let world = World::new().await;
    for name in ["a", "b", "c"] {
        world.policy(name, value!({"expression": "false"}), value!(["Deny"])).await;
    }
    let object = value!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "late"}});
    let create = |deadline| world.create_until(deadline, "configmaps", "default", object.clone());
    assert_eq!(create(None).await.unwrap_err().http_code(), 422);
    // What the policies would have said is no longer of interest.
    let over = Some(tokio::time::Instant::now());
    assert_eq!(create(over).await.unwrap_err().http_code(), 504);
}

#[tokio::test]
async fn a_binding_may_warn_instead() {
    let world = World::new().await;
    world.policy("report", value!({"expression": "false"}), value!(["Warn"])).await;
    let (_, warnings) = world.config_map("a").await.unwrap();
    assert_eq!(
        warnings,
        ["Validation failed for ValidatingAdmissionPolicy 'report' with binding 'report': failed \
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

#[tokio::test]
async fn calls_of_webhooks_are_spans_of_their_requests_trace() {
    let world = World::new().await;
    world.webhook("traced", "Fail").await;
    let answer = world.hook.answer(value!({"allowed": true}));
    world.hook.answers.lock().unwrap().push(answer);
    world.config_map("a").await.unwrap();
    let heard = world.hook.heard.lock().unwrap();
    let (_, headers) = &heard[0];
    let parent = &headers.iter().find(|(name, _)| *name == "traceparent").unwrap().1;
    let parts: Vec<&str> = parent.split('-').collect();
    assert_eq!((parts[0], parts[1], parts[3]), ("00", "4bf92f3577b34da6a3ce929d0e0e4736", "01"));
    assert!(parts[2].len() == 16 && parts[2] != "00f067aa0ba902b7", "{parent}");
    assert!(headers.contains(&("tracestate", "vendor=1".to_owned())));
}

/// The figures of a webhook by its name, without their names' common part.
fn figures(webhook: &str) -> Vec<String> {
    let all = ordain_metrics::encode();
    let own = all.lines().filter(|it| it.contains(&format!("name=\"{webhook}\"")));
    let own = own.filter(|it| !it.contains("_seconds"));
    own.map(|it| it.trim_start_matches("apiserver_admission_").to_owned()).collect()
}

#[tokio::test]
async fn calls_are_counted_by_how_they_end_and_told_in_the_audit_log() {
    let world = World::new().await;
    world.webhook("counted", "Ignore").await;
    let name = "counted.example.com";
    let patch = r#"[{"op":"add","path":"/data","value":{"k":"v"}}]"#;
    let encoded = "W3sib3AiOiJhZGQiLCJwYXRoIjoiL2RhdGEiLCJ2YWx1ZSI6eyJrIjoidiJ9fV0=";
    let patched = value!({"allowed": true, "patchType": "JSONPatch", "patch": encoded});
    let denied = value!({"allowed": false, "status": {"code": 418, "message": "no"}});
    {
        let mut answers = world.hook.answers.lock().unwrap();
        answers.push(world.hook.answer(patched));
        answers.push(world.hook.answer(denied));
        answers.push(Err("Post \"https://hook.test/m\": EOF".to_owned()));
    }
    let annotations = caller::Annotations::default();
    let reported = |annotations: &caller::Annotations| annotations.lock().unwrap().clone();
    caller::annotated(Arc::clone(&annotations), world.config_map("a")).await.unwrap();
    let annotated = reported(&annotations);
    let place = "admission.k8s.io/round_0_index_0";
    assert_eq!(
        annotated.get(&format!("mutation.webhook.{place}")).map(String::as_str),
        Some(r#"{"configuration":"counted","mutated":true,"webhook":"counted.example.com"}"#)
    );
    let shown = annotated.get(&format!("patch.webhook.{place}")).unwrap();
    assert!(shown.contains(&format!("\"patch\":{patch}")), "{shown}");
    assert_eq!(world.config_map("b").await.unwrap_err().http_code(), 418);
    let annotations = caller::Annotations::default();
    caller::annotated(Arc::clone(&annotations), world.config_map("c")).await.unwrap();
    let open =
        reported(&annotations).get(&format!("failed-open.mutation.webhook.{place}")).cloned();
    assert_eq!(open.as_deref(), Some(name));
    world.config_map("skipped").await.unwrap();
    let labels = format!("name=\"{name}\"");
    let count = format!("name=\"{name}\",type=\"admit\",operation=\"CREATE\"");
    let wanted = [
        format!(
            "match_condition_exclusions_total{{{labels},kind=\"webhook\",type=\"admit\",operation=\"CREATE\"}} 1"
        ),
        format!("webhook_fail_open_count{{{labels},type=\"admit\"}} 1"),
        format!(
            "webhook_rejection_count{{{count},error_type=\"no_error\",rejection_code=\"418\"}} 1"
        ),
        format!("webhook_request_total{{{count},code=\"200\",rejected=\"false\"}} 1"),
        format!("webhook_request_total{{{count},code=\"418\",rejected=\"true\"}} 1"),
        format!("webhook_request_total{{{count},code=\"503\",rejected=\"false\"}} 1"),
    ];
    assert_eq!(figures(name), wanted);
}

impl World {
    /// The answers of the webhook, one after the other.
    fn answers(&self, responses: impl IntoIterator<Item = Value>) {
        let answers = responses.into_iter().map(|it| self.hook.answer(it));
        self.hook.answers.lock().unwrap().extend(answers);
    }

    /// The requests that the webhook was asked about.
    fn heard(&self) -> Vec<Value> {
        let heard = std::mem::take(&mut *self.hook.heard.lock().unwrap());
        heard.into_iter().filter_map(|(review, _)| review.get("request").cloned()).collect()
    }
}

fn allowed() -> Value {
    value!({"allowed": true})
}

/// Allowed with `[{"op":"add","path":"/data","value":{"k":"v"}}]`.
fn with_data() -> Value {
    let patch = "W3sib3AiOiJhZGQiLCJwYXRoIjoiL2RhdGEiLCJ2YWx1ZSI6eyJrIjoidiJ9fV0=";
    value!({"allowed": true, "patchType": "JSONPatch", "patch": patch})
}

#[tokio::test]
async fn what_a_webhook_changed_is_seen_by_the_servers_plugins_once_more() {
    let world = World::new().await;
    let seen = |world: &World| world.counting.0.swap(0, Ordering::SeqCst);
    world.config_map("before").await.unwrap();
    assert_eq!(seen(&world), 1);
    world.webhook("changes", "Fail").await;
    world.answers([allowed()]);
    world.config_map("unchanged").await.unwrap();
    assert_eq!(seen(&world), 1);
    world.answers([with_data()]);
    world.config_map("changed").await.unwrap();
    assert_eq!(seen(&world), 2);
}

/// Upstream takes the first patch of a native object for a change, whatever it does: times in the
/// record of owners lose their fractions by it.
#[tokio::test]
async fn a_patch_without_effect_asks_earlier_webhooks_again() {
    let world = World::new().await;
    world.webhook("a-first", "Fail").await;
    world.webhook("b-second", "Fail").await;
    world.answers([allowed(), with_data(), allowed()]);
    let object = value!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"},
                         "data": {"k": "v"}});
    world.create("configmaps", "default", object).await.unwrap();
    assert_eq!(world.heard().len(), 3);
}

/// A pod that was given no time to end is marked first and then removed, and both are judged.
#[tokio::test]
async fn the_end_of_a_pod_is_judged_twice_with_the_time_that_it_was_given() {
    let world = World::new().await;
    let pod = value!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
                      "spec": {"containers": [{"name": "c", "image": "i"}]}});
    world.create("pods", "default", pod).await.unwrap();
    world.webhook("ends", "Fail").await;
    world.answers([allowed(), allowed()]);
    let target = world.target("pods", "default", "p");
    let (options, mut warnings) = (DeleteOptions::default(), Warnings::default());
    let deleted = world.registry.delete(&target, &options, &mut warnings);
    let user = Arc::new(User::everybody());
    let caller = Caller { user, authorizer: Arc::new(Everything), deadline: None, trace: None };
    caller::scope(caller, deleted).await.unwrap();
    let heard = world.heard();
    assert_eq!(heard.len(), 2);
    for (request, is_marked) in heard.iter().zip([false, true]) {
        let seconds = request.get_path(&["options", "gracePeriodSeconds"]);
        assert_eq!(seconds, Some(&Value::Int(0)));
        let mark = request.get_path(&["oldObject", "metadata", "deletionTimestamp"]);
        assert_eq!(mark.is_some(), is_marked, "{request:?}");
    }
}

#[tokio::test]
async fn a_mutating_policy_of_another_version_of_a_native_kind_fails_as_upstream() {
    let world = World::new().await;
    let policy = value!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingAdmissionPolicy",
        "metadata": {"name": "old"},
        "spec": {
            "reinvocationPolicy": "Never",
            "matchConstraints": {"resourceRules": [{
                "apiGroups": ["autoscaling"], "apiVersions": ["v1"],
                "operations": ["CREATE"], "resources": ["horizontalpodautoscalers"]
            }]},
            "mutations": [{"patchType": "ApplyConfiguration", "applyConfiguration": {
                "expression": "Object{metadata: Object.metadata{labels: {'a': 'b'}}}"
            }}]
        }
    });
    let group = "admissionregistration.k8s.io";
    world.create(&format!("{group}/mutatingadmissionpolicies"), "", policy).await.unwrap();
    let binding = value!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingAdmissionPolicyBinding",
        "metadata": {"name": "old"}, "spec": {"policyName": "old"}
    });
    world.create(&format!("{group}/mutatingadmissionpolicybindings"), "", binding).await.unwrap();
    let scaler = value!({
        "apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "h"},
        "spec": {"maxReplicas": 3, "scaleTargetRef": {
            "apiVersion": "apps/v1", "kind": "Deployment", "name": "d"
        }}
    });
    let resource = "autoscaling/horizontalpodautoscalers";
    let refused = world.create(resource, "default", scaler).await.unwrap_err();
    assert_eq!(refused.http_code(), 403);
    let words = "converting (v1.HorizontalPodAutoscaler) to (v2.HorizontalPodAutoscaler): unknown \
                 conversion";
    assert!(refused.message.ends_with(words), "{}", refused.message);
}

/// Allowed with `[{"op":"add","path":"/metadata/managedFields","value":[{"operation":"Bad"}]}]`.
fn with_bad_owners() -> Value {
    let patch = "W3sib3AiOiJhZGQiLCJwYXRoIjoiL21ldGFkYXRhL21hbmFnZWRGaWVsZHMiLCJ2YWx1ZSI6W3sib3Bl\
                 cmF0aW9uIjoiQmFkIn1dfV0=";
    value!({"allowed": true, "patchType": "JSONPatch", "patch": patch})
}

#[tokio::test]
async fn owners_that_a_webhook_broke_are_put_back_with_a_warning() {
    let world = World::new().await;
    world.webhook("breaks", "Fail").await;
    world.answers([with_bad_owners(), allowed()]);
    let (created, warnings) = world.config_map("a").await.unwrap();
    assert_eq!(
        warnings,
        [
            ".metadata.managedFields was in an invalid state after admission; this could be caused by \
          an outdated mutating admission controller; please fix your requests: operation must be \
          `Apply` or `Update`"
        ]
    );
    assert_ne!(
        created.get_path(&["metadata", "managedFields"]),
        Some(&value!([{"operation": "Bad"}]))
    );
}

#[tokio::test]
async fn warnings_of_a_webhook_count_when_the_next_one_refuses() {
    let world = World::new().await;
    world.webhook("a-warns", "Fail").await;
    world.webhook("b-refuses", "Fail").await;
    world.answers([value!({"allowed": true, "warnings": ["w1"]}), value!({"allowed": false})]);
    world.config_map("a").await.unwrap_err();
    assert_eq!(*world.warned.lock().unwrap(), ["w1"]);
}

/// The write is prepared while the webhook is waited for, and made only if it allows it.
#[tokio::test]
async fn what_a_webhook_allows_late_is_stored_as_without_it() {
    for ty in ["Validating", "Mutating"] {
        allowed_late(ty).await;
    }
}

async fn allowed_late(ty: &str) {
    let world = World::new().await;
    let (mut without, _) = world.config_map("a").await.unwrap();
    world.webhook_of(ty, "waits", "Fail").await;
    world.answers([allowed(), value!({"allowed": false})]);
    let (mut with, _) = world.config_map("b").await.unwrap();
    for object in [&mut without, &mut with] {
        for field in ["name", "uid", "resourceVersion"] {
            object.remove_path(&["metadata", field]);
        }
    }
    assert_eq!(with, without);
    world.config_map("c").await.unwrap_err();
    let read = world.registry.get(&world.target("configmaps", "default", "c"), "").await;
    assert_eq!(read.unwrap_err().http_code(), 404);
}

#[tokio::test]
async fn what_was_prepared_for_an_object_says_nothing_of_another_one() {
    let world = World::new().await;
    world.webhook("mends", "Fail").await;
    let broken = value!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"},
                         "data": {"no key": "v"}});
    world.answers([allowed(), with_data(), allowed()]);
    let refused = world.create("configmaps", "default", broken.clone()).await.unwrap_err();
    assert_eq!(refused.http_code(), 422);
    let (mended, _) = world.create("configmaps", "default", broken).await.unwrap();
    assert_eq!(mended.get("data"), Some(&value!({"k": "v"})));
}

/// An empty map that was sent is kept until the object is stored, but Go writes none into a review.
#[tokio::test]
async fn reviews_leave_out_what_go_does_not_write() {
    let world = World::new().await;
    world.webhook("mutates", "Fail").await;
    world.webhook_of("Validating", "validates", "Fail").await;
    world.answers([allowed(), allowed()]);
    let object = value!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"},
                         "data": {}});
    world.create("configmaps", "default", object).await.unwrap();
    let heard = world.heard();
    assert_eq!(heard.len(), 2);
    for request in heard {
        assert_eq!(request.get_path(&["object", "data"]), None);
    }
}
