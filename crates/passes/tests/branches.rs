//! Rules inside `allOf`, `anyOf`, `oneOf` and `not`, which declared kinds may have.

use std::sync::Arc;

use ordain_passes::{Plan, RuleOptions, RuleSet, Rules};
use ordain_schema::{Raw, resolve};
use ordain_value::{Value, value};

/// The errors of schema and rules on a value of `spec.n`, an integer with these junctors.
fn errors(junctors: &Value, number: i64, old: Option<i64>) -> Vec<String> {
    let mut node = value!({"type": "integer"});
    if let (Value::Map(node), Some(junctors)) = (&mut node, junctors.as_map()) {
        for (key, value) in junctors.iter() {
            node.insert(key.clone(), value.clone());
        }
    }
    let schema = value!({"type": "object", "properties": {"spec": {"type": "object", "properties": {"n": node}}}});
    let (raw, _) = Raw::decode(&schema).expect("a schema");
    let schema = resolve(&raw).expect("resolved");
    let plan = Arc::new(Plan::compile(&schema).expect("a plan"));
    let rules = RuleSet::compile(&schema, RuleOptions::declared(), Some(Arc::clone(&plan)));
    let object = |number: i64| value!({"spec": {"n": number}});
    let (new, old) = (object(number), old.map(object));
    let found = plan.validate_schema(&new, old.as_ref());
    let outcome = rules.evaluate(&new, old.as_ref());
    found.iter().chain(outcome.errors.iter()).map(ToString::to_string).collect()
}

fn rule(text: &str, message: &str) -> Value {
    value!({"x-kubernetes-validations": [{"rule": text, "message": message}]})
}

#[test]
fn every_branch_of_all_of_holds() {
    let junctors = value!({"allOf": [(rule("self > 1", "small")), (rule("self < 9", "large"))]});
    assert!(errors(&junctors, 5, None).is_empty());
    assert_eq!(errors(&junctors, 1, None), ["spec.n: Invalid value: 1: small"]);
    assert_eq!(errors(&junctors, 9, None), ["spec.n: Invalid value: 9: large"]);
}

#[test]
fn one_branch_of_any_of_is_enough() {
    let junctors =
        value!({"anyOf": [(rule("self > 7", "not above")), (rule("self < 3", "not below"))]});
    assert!(errors(&junctors, 8, None).is_empty());
    assert!(errors(&junctors, 2, None).is_empty());
    assert_eq!(
        errors(&junctors, 5, None),
        [
            "spec.n: Invalid value: 5: must validate at least one schema (anyOf)",
            "spec.n: Invalid value: 5: not above"
        ]
    );
}

#[test]
fn exactly_one_branch_of_one_of_holds_with_its_keywords_and_rules() {
    let junctors = value!({"oneOf": [
        {"minimum": 5, "x-kubernetes-validations": [{"rule": "self % 2 == 0"}]},
        {"maximum": 6}
    ]});
    assert!(errors(&junctors, 3, None).is_empty(), "only the second");
    assert!(errors(&junctors, 5, None).is_empty(), "the rule refuses the first");
    assert!(errors(&junctors, 8, None).is_empty(), "only the first");
    assert_eq!(
        errors(&junctors, 6, None),
        [
            "spec.n: Invalid value: 6: must validate one and only one schema (oneOf). Found 2 valid alternatives"
        ]
    );
    assert!(errors(&junctors, 7, None)[0].ends_with("(oneOf). Found none valid"));
}

#[test]
fn what_not_forbids_includes_its_rules() {
    let junctors =
        value!({"not": {"minimum": 5, "x-kubernetes-validations": [{"rule": "self % 2 == 0"}]}});
    assert!(errors(&junctors, 4, None).is_empty());
    assert!(errors(&junctors, 7, None).is_empty());
    assert_eq!(
        errors(&junctors, 6, None),
        ["spec.n: Invalid value: 6: must not validate the schema (not)"]
    );
}

#[test]
fn unchanged_values_are_forgiven_and_transitions_are_not() {
    let junctors = value!({"anyOf": [(rule("self > 7", "not above"))]});
    assert!(!errors(&junctors, 5, Some(4)).is_empty());
    let transition = value!({"allOf": [(rule("self >= oldSelf", "shrinks"))]});
    assert!(errors(&transition, 5, None).is_empty());
    assert_eq!(errors(&transition, 5, Some(6)), ["spec.n: Invalid value: 5: shrinks"]);
}
