//! Policies and webhooks by example: each fixture is configuration, a request and the outcome.

#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

use std::path::Path;
use std::sync::Arc;

use ordain_admission::kinds::{Kinds, Unreadable};
use ordain_admission::policy::{
    MutatingPolicy, Surroundings, ValidatingPolicy, validate_expressions,
};
use ordain_admission::state::Configuration;
use ordain_admission::webhook::{Answer, Reply, ReviewVersion};
use ordain_admission::{Addressed, Operation, Request, State};
use ordain_merge::types::Types;
use ordain_meta::gvk::{GroupVersionKind, GroupVersionResource};
use ordain_passes::cel_library::authz::{Authorizer, Check, CheckedObject, Decision};
use ordain_strategy::User;
use ordain_strategy::decode::yaml_value;
use ordain_value::{Map, Value, value};

fn fixture(name: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/admission").join(name);
    let bytes = std::fs::read(&path).unwrap();
    let (value, _) = yaml_value(&bytes).unwrap();
    value.as_list().unwrap().iter().cloned().collect()
}

fn texts(value: &Value, field: &str) -> Vec<String> {
    let list = value.get(field).and_then(Value::as_list);
    let items = list.into_iter().flat_map(|list| list.iter());
    items.map(|item| item.as_str().unwrap().to_owned()).collect()
}

/// Allows everything but secrets.
struct NoSecrets;

impl Authorizer for NoSecrets {
    fn authorize(&self, check: &Check) -> Decision {
        let allowed = match &check.object {
            CheckedObject::Resource(it) => it.resource != "secrets",
            CheckedObject::Path(_) => false,
        };
        Decision { allowed, reason: "by rule".to_owned(), error: None }
    }
}

fn addressed() -> Addressed {
    Addressed {
        resource: GroupVersionResource::new("shop.test", "v1", "widgets"),
        kind: GroupVersionKind::new("shop.test", "v1", "Widget"),
    }
}

fn create(object: Option<Value>) -> Request {
    Request {
        operation: Operation::Create,
        addressed: addressed(),
        subresource: "".into(),
        name: "a".into(),
        namespace: "here".into(),
        user: User { name: "alice".into(), ..User::default() },
        dry_run: false,
        options: None,
        object,
        old: None,
    }
}

/// Runs something in the surroundings of a request, with the parameters of a binding.
fn surrounded<T>(params: Option<&Value>, run: impl FnOnce(Surroundings<'_>) -> T) -> T {
    let authorizer: Arc<dyn Authorizer> = Arc::new(NoSecrets);
    let matched = addressed();
    run(Surroundings { matched: &matched, params, namespace: None, authorizer: &authorizer })
}

#[test]
fn validating_policies_say_what_they_are_to_say() {
    let cases = fixture("validating.yaml");
    assert!(!cases.is_empty());
    for case in cases {
        let name = case.get("name").and_then(Value::as_str).unwrap();
        let spec = case.get("spec").cloned().unwrap();
        let policy = value!({"metadata": {"name": "p"}, "spec": (spec)});
        let policy = ValidatingPolicy::compile(&policy);
        let request = create(case.get("object").cloned());
        let judged = surrounded(case.get("params"), |around| policy.judge(&request, around));
        let messages: Vec<String> = judged.violations.into_iter().map(|it| it.message).collect();
        assert_eq!(messages, texts(&case, "violations"), "{name}");
        assert_eq!(judged.failures, texts(&case, "failures"), "{name}");
        let told: Map =
            judged.annotations.into_iter().map(|(key, text)| (key, text.into())).collect();
        let wanted = case.get("annotations").and_then(Value::as_map).cloned().unwrap_or_default();
        assert_eq!(Value::Map(told), Value::Map(wanted), "{name}");
    }
}

#[test]
fn expressions_are_refused_in_the_words_of_the_server() {
    let cases = fixture("expressions.yaml");
    assert!(!cases.is_empty());
    for case in cases {
        let errors = validate_expressions(case.get("object").unwrap());
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert_eq!(errors, texts(&case, "errors"), "{:?}", case.get("name"));
    }
}

#[test]
fn patterns_that_are_refused_count_among_those_of_a_policy() {
    // Patterns of `matches` are looked at when an expression is checked, those of `find` are not.
    let text = r"object.metadata.name.find('(\\pL{1000}|\\pN{1000})') == ''";
    let validations = vec![value!({"expression": text}); 50];
    let policy = value!({"kind": "ValidatingAdmissionPolicy", "spec": {
        "validations": (Value::from(validations))
    }});
    let errors: Vec<String> =
        validate_expressions(&policy).iter().map(ToString::to_string).collect();
    // Eight of them are as much as a policy may have; the ninth is one too many, and the last that
    // is tried.
    assert_eq!(errors.len(), 10, "{errors:?}");
    assert!(errors[0].contains("expression too large"), "{errors:?}");
    assert!(errors[9].ends_with("the patterns of the policy are too large together"), "{errors:?}");
}

#[test]
fn a_chain_of_variables_that_is_too_deep_is_an_error_and_no_crash() {
    let mut variables = vec![value!({"name": "v0", "expression": "1"})];
    for at in 1..2000 {
        let expression = format!("variables.v{} + 1", at - 1);
        variables.push(value!({"name": (format!("v{at}")), "expression": (expression)}));
    }
    let policy = value!({"metadata": {"name": "p"}, "spec": {
        "variables": (Value::from(variables)),
        "validations": [{"expression": "variables.v1999 > 0"}]
    }});
    let policy = ValidatingPolicy::compile(&policy);
    let judged = surrounded(None, |around| policy.judge(&create(None), around));
    assert!(judged.violations[0].message.ends_with("is nested too deeply"), "{judged:?}");
}

#[test]
fn only_policies_of_the_resource_are_looked_at() {
    let mut state = State::default();
    for at in 0..1000 {
        let name = format!("p{at}");
        let resource = if at == 500 { "widgets".to_owned() } else { format!("others{at}") };
        let policy = value!({"metadata": {"name": (name.as_str())}, "spec": {
            "matchConstraints": {"resourceRules": [{"resources": [(resource)]}]},
            "validations": [{"expression": "true"}]
        }});
        state.set(Configuration::ValidatingPolicy, &name.as_str().into(), Some(&policy));
        for binding in 0..10 {
            let own = format!("{name}-{binding}");
            let object = value!({"metadata": {"name": (own.as_str())}, "spec": {"policyName": (name.as_str())}});
            state.set(Configuration::ValidatingBinding, &own.into(), Some(&object));
        }
    }
    let found = state.validating("widgets");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].bindings.len(), 10);
    state.set(Configuration::ValidatingPolicy, &"p500".into(), None);
    assert!(state.validating("widgets").is_empty());
}

#[test]
fn answers_of_webhooks_are_read_strictly() {
    let read = |text: &str, mutating| {
        Answer::read(text.as_bytes(), ReviewVersion::V1, "u", mutating).map(|it| it.allowed)
    };
    let whole = |response: &str| {
        format!(
            r#"{{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{response}}}"#
        )
    };
    assert_eq!(read(&whole(r#"{"uid":"u","allowed":true}"#), false), Ok(true));
    for (text, mutating, why) in [
        (whole("null"), false, "webhook response was absent"),
        (whole(r#"{"uid":"x"}"#), false, "expected response.uid=\"u\", got \"x\""),
        (whole(r#"{"uid":"u","patch":"W10="}"#), false, "may not return response.patch"),
        (whole(r#"{"uid":"u","patch":"W10="}"#), true, "but not response.patchType"),
        (whole(r#"{"uid":"u","allowed":"yes"}"#), false, "response.allowed of type bool"),
        ("garbage".to_owned(), false, "cannot unmarshal string"),
        ("{".to_owned(), false, "json parse error"),
    ] {
        let error = read(&text, mutating).unwrap_err();
        assert!(error.contains(why), "{text}: {error}");
    }
    let refused = |status: u16, body: &str| {
        Reply {
            status,
            content_type: "text/plain".to_owned(),
            body: body.into(),
            ..Reply::default()
        }
        .accepted()
        .map(<[u8]>::len)
    };
    assert_eq!(refused(200, "{}"), Ok(2));
    assert!(refused(200, "").unwrap_err().starts_with("0-length response"));
    assert_eq!(refused(403, "go away"), Err("go away".to_owned()));
}

/// Takes every object as it is.
struct AnyKind;

impl Kinds for AnyKind {
    fn equivalents(&self, _: &GroupVersionResource, _: &str) -> Vec<Addressed> {
        Vec::new()
    }

    fn is_served(&self, _: &GroupVersionKind) -> bool {
        true
    }

    fn is_native(&self, _: &GroupVersionKind) -> bool {
        false
    }

    fn types(&self, _: &GroupVersionKind) -> Option<Arc<Types>> {
        None
    }

    fn reread(&self, _: &GroupVersionKind, object: Value, _: bool) -> Result<Value, Unreadable> {
        Ok(object)
    }
}

#[test]
fn a_patch_that_is_larger_than_an_object_is_an_error() {
    let outcome = |doubled: usize| {
        let value = format!("[[1, 2]]{}", ".map(it, [it, it])".repeat(doubled));
        let expression = format!("[JSONPatch{{op: 'add', path: '/spec', value: {value}}}]");
        let policy = value!({"metadata": {"name": "p"}, "spec": {"mutations": [
            {"patchType": "JSONPatch", "jsonPatch": {"expression": (expression)}}
        ]}});
        let mut request = create(Some(value!({"metadata": {"name": "a"}})));
        let policy = MutatingPolicy::compile(&policy);
        let mutate = |around: Surroundings<'_>| policy.mutate(&mut request, around, &AnyKind, true);
        let mutated = surrounded(None, mutate).unwrap();
        (mutated.patched, mutated.errors)
    };
    assert_eq!(outcome(3), (true, vec![]));
    // Each level is written twice, so that there would be more than there is memory.
    let too_large = "the value of the expression is larger than an object may be".to_owned();
    assert_eq!(outcome(60), (false, vec![too_large]));
}
