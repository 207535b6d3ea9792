//! The claims that fuzzing tries to break, one function for each target. A claim that does not hold
//! panics. The targets of libFuzzer call them, and `crates/server/tests/mutated.rs` does on a stable
//! compiler.

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ordain_cel::program::EvalOptions;
use ordain_cel::source::Source;
use ordain_cel::syntax;
use ordain_cel::value::tree;
use ordain_merge::patch::{Strictness, json as json_patch, json_merge, strategic};
use ordain_merge::types::Types;
use ordain_meta::selector::{FieldSelector, LabelSelector};
use ordain_passes::cel_library::Environment;
use ordain_passes::rules::probe::Probe;
use ordain_registry::access::Attributes;
use ordain_registry::typed::protobuf;
use ordain_registry::{ListOptions, Registry, Target, WriteOptions, decode, schema_of};
use ordain_schema::Schema;
use ordain_server::AuditPolicy;
use ordain_value::{Map, Value, json, value, yaml};

/// A target: its name, which is also that of its corpus, and its claim.
pub type Claim = (&'static str, fn(&[u8]));

/// All targets but those of Go files, whose functions the tests of `idl` have.
pub const TARGETS: [Claim; 11] = [
    ("parse", parse),
    ("check", check),
    ("evaluate", evaluate),
    ("json", read_json),
    ("yaml", read_yaml),
    ("yaml_aliases", yaml_aliases),
    ("protobuf", read_protobuf),
    ("selectors", selectors),
    ("patches", patches),
    ("audit_policy", audit_policy),
    ("continue_token", continue_token),
];

/// The CEL parser never panics; what it cannot read it explains.
pub fn parse(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let source = Source::new(&text);
    let (_, diagnostics) = syntax::parse(&source, Environment::declared().env.parse_options());
    let _ = diagnostics.display(&source);
}

/// Checker, cost estimator and planner never panic; estimates are ranges.
pub fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    match Probe::untyped(Environment::declared()).compile(&text, false) {
        Ok(probed) => assert!(probed.estimate.min <= probed.estimate.max),
        Err(error) => drop(error.to_string()),
    }
}

const COST_LIMIT: u64 = 10_000;

/// Evaluation ends within its budget, and a larger budget changes neither the result nor the cost.
/// The first line of the input is JSON for `self`, the rest the expression.
pub fn evaluate(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (object, expression) = text.split_once('\n').unwrap_or(("null", &text));
    let object = json::decode(object.as_bytes()).unwrap_or(Value::Null);
    let probe = Probe::untyped(Environment::declared());
    let Ok(probed) = probe.compile(expression, false) else { return };
    let run = |limit: u64| {
        let options = EvalOptions { cost_limit: Some(limit), ..EvalOptions::default() };
        probe.evaluate(&probed, Some(&object), Some(&object), options)
    };
    let outcome = run(COST_LIMIT);
    match &outcome.value {
        Ok(value) => {
            assert!(outcome.cost <= COST_LIMIT);
            let again = run(COST_LIMIT * 10);
            let value = Some(tree::to_tree(value));
            let other = again.value.ok().map(|value| tree::to_tree(&value));
            assert_eq!(outcome.cost, again.cost, "{expression}");
            assert_eq!(value, other, "{expression}");
        }
        Err(error) => assert!(error.is_cost_limit() || outcome.cost <= COST_LIMIT),
    }
}

/// What decodes encodes, and decodes to what encodes the same. (A float may be written as an integer
/// and is one from then on, which has no negative zero.)
pub fn read_json(bytes: &[u8]) {
    if let Ok(value) = json::decode(bytes) {
        let written = json::encode_string(&value);
        let again = json::decode(written.as_bytes()).expect("our own output");
        let again = json::encode_string(&again);
        let third = json::decode(again.as_bytes()).expect("our own output");
        assert_eq!(json::encode_string(&third), again);
        assert!(
            again == written || positive_zeros(&again) == positive_zeros(&written),
            "{written}"
        );
    }
}

/// The text with each whole number `-0` as `0`. Texts within it change too, the same in all that
/// hold the same texts.
fn positive_zeros(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find("-0") {
        let (before, after) = (&rest[..at], &rest[at + 2..]);
        let begins = before.is_empty() && out.is_empty() || before.ends_with([',', ':', '[']);
        let ends = after.is_empty() || after.starts_with([',', ']', '}']);
        out.push_str(before);
        out.push_str(if begins && ends { "0" } else { "-0" });
        rest = after;
    }
    out.push_str(rest);
    out
}

/// What the YAML reader reads can be written, and is read as the same again.
pub fn read_yaml(bytes: &[u8]) {
    let Ok(documents) = yaml::decode_documents(bytes, yaml::Options::default()) else { return };
    for value in documents.into_iter().filter_map(|document| document.value.ok()) {
        let written = yaml::encode(&value);
        let again = yaml::decode_first(written.as_bytes(), yaml::Options::default());
        let again = again.expect("our own output").value.expect("our own output");
        assert_eq!(json::encode_string(&value), json::encode_string(&again), "{written}");
    }
}

/// What aliases may add to a document.
const ALIASES_MAX: usize = 8 * 1024 * 1024;

/// A document is never larger than its text and what aliases may add. Escapes count sixfold.
pub fn yaml_aliases(bytes: &[u8]) {
    let Ok(documents) = yaml::decode_documents(bytes, yaml::Options::default()) else { return };
    for value in documents.into_iter().filter_map(|document| document.value.ok()) {
        let len = json::encode(&value).len();
        let most = bytes.len().saturating_mul(8).saturating_add(ALIASES_MAX + 1024);
        assert!(len <= most, "{} bytes became {len}", bytes.len());
    }
}

/// Kinds that are read from protobuf.
const KINDS: [(&str, &str); 6] = [
    ("", "Pod"),
    ("", "ConfigMap"),
    ("apps", "Deployment"),
    ("apiextensions.k8s.io", "CustomResourceDefinition"),
    ("rbac.authorization.k8s.io", "ClusterRole"),
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy"),
];

static SCHEMAS: LazyLock<Vec<std::sync::Arc<Schema>>> = LazyLock::new(|| {
    KINDS.iter().map(|(group, kind)| schema_of(group, kind).expect("a declared kind")).collect()
});

/// Broken messages are refused; what is read can be written, and that is read as the same again. The
/// first byte chooses the kind.
pub fn read_protobuf(bytes: &[u8]) {
    let _ = protobuf::open(bytes);
    let Some((first, raw)) = bytes.split_first() else { return };
    let schema = &SCHEMAS[usize::from(*first) % KINDS.len()];
    let envelope = protobuf::Envelope {
        api_version: "v1".to_owned(),
        kind: "Kind".to_owned(),
        raw,
        content_type: String::new(),
    };
    let _ = protobuf::list_version(&envelope);
    let Ok(object) = protobuf::decode(schema, &envelope) else { return };
    let written = protobuf::encode(schema, &object);
    let envelope = protobuf::open(&written).expect("our own envelope");
    let again = protobuf::decode(schema, &envelope).expect("our own message");
    assert_eq!(written, protobuf::encode(schema, &again), "{}", json::encode_string(&object));
}

/// Selectors are read or refused, and judge any labels.
pub fn selectors(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let labels = value!({"a": "1", "app": "web", "tier": "", "n": "42"});
    if let Ok(selector) = LabelSelector::decode(&text) {
        let _ = selector.matches(labels.as_map());
        let _ = selector.matches(None);
    }
    if let Ok(selector) = FieldSelector::decode(&text) {
        let _ = selector.matches(|field| field.to_owned().into());
        let _ = selector.exact("metadata.name");
    }
}

static POD: LazyLock<Types> = LazyLock::new(|| Types::compile(&SCHEMAS[0]));

/// All kinds of patches are read or refused; a merge patch does what a few recursive lines say. The first
/// line of the input is the object, the rest the patch.
pub fn patches(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (object, patch) = text.split_once('\n').unwrap_or(("{}", &text));
    let Ok(object @ Value::Map(_)) = json::decode(object.as_bytes()) else { return };
    for strictness in [Strictness::Ignore, Strictness::Report] {
        if let Ok((patch, _)) = json_patch::JsonPatch::decode(patch.as_bytes(), strictness)
            && let Ok(patched) = patch.apply(&object)
        {
            read_json(&json::encode(&patched));
        }
        if let Ok((patch, _)) = json_merge::decode(patch.as_bytes(), strictness) {
            let patched = json_merge::apply(&object, &patch);
            assert_eq!(patched, merged(&object, &patch), "{text}");
        }
        if let Ok((patch, _)) = strategic::decode(patch.as_bytes(), strictness)
            && let Ok(patched) = strategic::apply(&POD, &object, &patch)
        {
            read_json(&json::encode(&patched));
        }
    }
}

/// RFC 7386 with what kube-apiserver adds: nulls go from inside of lists too, unless the list takes
/// the place of an object.
fn merged(object: &Value, patch: &Value) -> Value {
    let Value::Map(patch) = patch else { return pruned(patch) };
    let mut out = object.as_map().cloned().unwrap_or_default();
    for (key, change) in patch.iter() {
        let changed = match (object.get(key), change) {
            (_, Value::Null) => {
                out.remove(key);
                continue;
            }
            (Some(before @ Value::Map(_)), Value::Map(_)) => merged(before, change),
            (Some(Value::Map(_)), _) => change.clone(),
            _ => pruned(change),
        };
        out.insert(key.clone(), changed);
    }
    Value::Map(out)
}

/// Without the null fields of objects.
fn pruned(value: &Value) -> Value {
    match value {
        Value::Map(map) => {
            let kept = map.iter().filter(|(_, value)| !value.is_null());
            Value::Map(kept.map(|(key, value)| (key.clone(), pruned(value))).collect::<Map>())
        }
        Value::List(list) => list.iter().map(pruned).collect(),
        other => other.clone(),
    }
}

/// Policies are read or refused; those that are read decide about any request.
pub fn audit_policy(bytes: &[u8]) {
    let Ok(policy) = AuditPolicy::decode(bytes) else { return };
    let request = Attributes {
        verb: "update",
        is_resource: true,
        resource: "secrets",
        subresource: "status",
        namespace: "default",
        name: "a",
        ..Attributes::default()
    };
    let decided = policy.decide(None, &request);
    assert!(decided.level <= policy.level_max());
    let plain = Attributes { verb: "get", path: "/healthz/ping", ..Attributes::default() };
    let _ = policy.decide(None, &plain);
}

struct Lists {
    runtime: tokio::runtime::Runtime,
    registry: Registry,
    target: Target,
}

static LISTS: LazyLock<Lists> = LazyLock::new(|| {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a runtime");
    let registry = Registry::repeatable();
    let target = runtime.block_on(async {
        registry.start().await.expect("a start");
        let resource = registry.catalog().get("", "configmaps").cloned().expect("a kind");
        let (version, name) = (resource.storage_version.clone(), "".into());
        let target = Target { resource, version, namespace: "default".into(), name };
        for (namespace, name) in [("default", "a"), ("default", "b"), ("kube-system", "secret")] {
            let target = Target { namespace: namespace.into(), ..target.clone() };
            let object =
                value!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}});
            let bytes = json::encode(&object);
            let body = decode::Body { bytes: &bytes, media: decode::Media::Json };
            let options = WriteOptions::default();
            let made = registry.create(&target, &body, &options, &mut Default::default()).await;
            made.expect("an object");
        }
        target
    });
    Lists { runtime, registry, target }
});

/// A forged token opens no other list, and is refused as the client's fault. The token is the input
/// itself, or the input as what a token holds.
pub fn continue_token(bytes: &[u8]) {
    let Lists { runtime, registry, target } = &*LISTS;
    for token in [String::from_utf8_lossy(bytes).into_owned(), URL_SAFE_NO_PAD.encode(bytes)] {
        let options = ListOptions {
            limit: 1,
            continue_token: token.as_str().into(),
            ..ListOptions::default()
        };
        match runtime.block_on(registry.list(target, &options)) {
            Ok(listed) => {
                for item in &listed.items {
                    let namespace = item.get_path(&["metadata", "namespace"]);
                    assert_eq!(namespace.and_then(Value::as_str), Some("default"), "{token}");
                }
            }
            Err(status) => {
                assert!(matches!(status.http_code(), 400 | 410 | 504), "{token}: {status:?}");
            }
        }
    }
}
