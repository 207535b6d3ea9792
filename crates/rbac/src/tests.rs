//! Decisions by tables, and what covers what by chance.

use std::path::Path;

use ordain_value::{Text, Value, yaml};
use proptest::prelude::*;

use super::Rbac;
use ordain_admission::roles::Policy;
use ordain_admission::roles::rule::{self, Rule};
use ordain_registry::access::{Attributes, Authorizer as _};
use ordain_registry::caller::User;

fn fixture(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/rbac").join(name);
    let bytes = std::fs::read(path).unwrap();
    let mut documents = yaml::decode_documents(&bytes, yaml::Options::default()).unwrap();
    documents.remove(0).value.unwrap()
}

fn list(value: &Value, field: &str) -> Vec<Value> {
    value.get(field).and_then(Value::as_list).map(|it| it.to_vec()).unwrap_or_default()
}

fn texts(value: &Value, field: &str) -> Vec<Text> {
    list(value, field).iter().filter_map(Value::as_text).cloned().collect()
}

#[test]
fn requests_are_decided_by_roles_and_bindings() {
    let file = fixture("decisions.yaml");
    let [cluster_roles, roles, cluster_bindings, bindings] =
        ["clusterRoles", "roles", "clusterRoleBindings", "roleBindings"]
            .map(|name| list(&file, name));
    let policy = Policy::new(&cluster_roles, &roles, &cluster_bindings, &bindings);
    let rbac = Rbac::default();
    *rbac.policy.write().unwrap() = policy;
    let cases = list(&file, "cases");
    assert!(cases.len() > 30);
    for case in &cases {
        let text = |name: &str| case.get(name).and_then(Value::as_str).unwrap_or("");
        let user =
            User { name: text("user").into(), groups: texts(case, "groups"), ..User::default() };
        let request = Attributes {
            verb: text("verb"),
            is_resource: text("path").is_empty(),
            group: text("group"),
            version: "v1",
            namespace: text("namespace"),
            resource: text("resource"),
            subresource: text("subresource"),
            name: text("name"),
            path: text("path"),
        };
        let decision = rbac.authorize(&user, &request);
        let reason = case.get("reason").and_then(Value::as_str);
        assert_eq!(decision.allowed, reason.is_some(), "{case:?}: {decision:?}");
        let expected = match reason {
            None | Some("") => String::new(),
            Some(reason) => format!("RBAC: allowed by {reason}"),
        };
        assert_eq!(decision.reason, expected, "{case:?}");
    }
}

#[test]
fn what_is_missing_is_told_in_the_reference_s_words() {
    let file = fixture("covers.yaml");
    let cases = file.as_list().unwrap();
    assert!(cases.len() > 10);
    for case in cases.iter() {
        let rules = |name: &str| list(case, name).iter().map(Rule::decode).collect::<Vec<_>>();
        let missing = rule::missing(&rules("held"), &rules("wanted")).unwrap();
        let why = case.get("why").and_then(Value::as_str).unwrap();
        let expected: Vec<String> =
            texts(case, "missing").iter().map(ToString::to_string).collect();
        assert_eq!(rule::describe(missing), expected, "{why}");
    }
}

#[test]
fn a_role_of_a_billion_grants_is_refused_and_not_counted() {
    let many = |prefix: &str| (0..1000).map(|n| Text::from(format!("{prefix}{n}"))).collect();
    let rule =
        Rule { verbs: many("v"), groups: many("g"), resources: many("r"), ..Rule::default() };
    assert!(rule::missing(&[], std::slice::from_ref(&rule)).is_err());
    // Who holds everything needs no counting.
    let all = || vec!["*".into()];
    let everything = Rule { verbs: all(), groups: all(), resources: all(), ..Rule::default() };
    assert_eq!(rule::missing(&[everything], &[rule]), Ok(Vec::new()));
}

fn some(texts: &'static [&'static str]) -> impl Strategy<Value = Vec<Text>> {
    let one = proptest::sample::select(texts).prop_map(Text::from);
    proptest::collection::vec(one, 0..3)
}

fn any_rule() -> impl Strategy<Value = Rule> {
    let parts = (
        some(&["get", "list", "*"]),
        some(&["", "a", "*"]),
        some(&["r", "q", "r/s", "*/s", "*"]),
        some(&["x", "y"]),
        some(&["/p", "/p/*", "/p/q", "*"]),
    );
    parts.prop_map(|(verbs, groups, resources, names, urls)| {
        // A rule is about resources or about paths.
        if urls.is_empty() {
            Rule { verbs, groups, resources, names, urls }
        } else {
            Rule { verbs, urls, ..Rule::default() }
        }
    })
}

/// Every request of a small world.
fn requests() -> Vec<Attributes<'static>> {
    let mut all = Vec::new();
    for verb in ["get", "list", "other"] {
        for path in ["/p", "/p/q", "/z"] {
            all.push(Attributes { verb, path, ..Attributes::default() });
        }
        for group in ["", "a", "z"] {
            for (resource, subresource) in
                [("r", ""), ("q", ""), ("r", "s"), ("q", "s"), ("q", "z")]
            {
                for name in ["", "x", "y", "z"] {
                    let is_resource = true;
                    let request =
                        Attributes { verb, is_resource, group, resource, ..Attributes::default() };
                    all.push(Attributes { subresource, name, ..request });
                }
            }
        }
    }
    all
}

proptest! {
    /// If nothing is missing, whatever the wanted rules allow is allowed already.
    #[test]
    fn who_lacks_nothing_gives_nothing_new(
        held in proptest::collection::vec(any_rule(), 0..4),
        wanted in proptest::collection::vec(any_rule(), 0..3),
    ) {
        let missing = rule::missing(&held, &wanted).unwrap();
        let allowed = |rules: &[Rule], request: &Attributes<'_>| rules.iter().any(|rule| rule.allows(request));
        for request in requests() {
            let given = allowed(&wanted, &request) && !allowed(&held, &request);
            // What is newly given is among what is missing.
            prop_assert!(!given || allowed(&missing, &request), "{request:?}");
        }
    }
}
