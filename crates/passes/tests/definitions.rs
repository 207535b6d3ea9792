//! Definitions judged with patterns, defaults and rules, against answers that a real kube-apiserver gave.
//! What differs is listed in `fixtures/known-differences.toml`.

use std::collections::BTreeMap;

use ordain_passes::Admission;
use ordain_passes::cel_library::KubeVersion;
use ordain_schema::admission::{validate_create, validate_update};
use ordain_schema::crd::Crd;
use ordain_testkit::tally::Tally;
use ordain_testkit::transcript;
use ordain_value::Value;
use ordain_value::field::ErrorList;

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// Names of object types carry a number that means nothing.
fn without_numbers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("selfType") {
        let (before, after) = rest.split_at(at + "selfType".len());
        out.push_str(before);
        out.push('N');
        rest = after.trim_start_matches(|c: char| c.is_ascii_digit() || c == 'N');
    }
    out + rest
}

type Cause = (String, String, String);

fn recorded(response: &Value) -> Vec<Cause> {
    let causes = response.get_path(&["details", "causes"]).and_then(Value::as_list);
    let mut causes: Vec<Cause> = causes
        .into_iter()
        .flat_map(|list| list.iter())
        .map(|it| {
            let message = without_numbers(text(it, "message"));
            (text(it, "field").to_owned(), text(it, "reason").to_owned(), message)
        })
        .collect();
    causes.sort();
    causes
}

fn found(errors: &ErrorList) -> Vec<Cause> {
    let mut causes: Vec<Cause> = errors
        .iter()
        .map(|it| (it.path.clone(), it.kind.reason().to_owned(), without_numbers(&it.body())))
        .collect();
    causes.sort();
    causes
}

fn add(tally: &mut Tally, place: &str, want: Option<Vec<Cause>>, got: Option<Vec<Cause>>) {
    if want == got {
        return tally.agrees(place);
    }
    let (want, got) = (want.unwrap_or_default(), got.unwrap_or_default());
    let wanted = want.iter().filter(|it| !got.contains(it)).map(|it| format!("wanted {it:?}"));
    let found = got.iter().filter(|it| !want.contains(it)).map(|it| format!("got    {it:?}"));
    tally.differs(place, found.chain(wanted).collect::<Vec<_>>().join("\n  "));
}

/// Plays the writes of definitions of one case; what is played otherwise ends it.
fn play(place: &str, case: &Value, tally: &mut Tally) {
    let mut stored: BTreeMap<String, Crd> = BTreeMap::new();
    let steps = case.get("steps").and_then(Value::as_list);
    for (at, step) in steps.into_iter().flat_map(|list| list.iter()).enumerate() {
        let (method, path) = (text(step, "method"), text(step, "path"));
        let code = step.get("code").and_then(Value::as_int).unwrap_or_default();
        if !path.contains("/customresourcedefinitions") || method == "GET" {
            continue;
        }
        let body = step.get("body").filter(|body| body.as_map().is_some());
        let (Some(body), "POST" | "PUT", 200 | 201 | 422) = (body, method, code) else { return };
        let Ok((mut crd, _)) = Crd::decode(body) else { return };
        crd.set_defaults();
        let old = stored.get(crd.name()).cloned();
        let errors = match old.filter(|_| method == "PUT") {
            Some(mut old) => {
                crd.prepare_for_update(&old);
                crd.metadata.insert("resourceVersion", Value::str("1"));
                old.metadata.insert("resourceVersion", Value::str("1"));
                validate_update(&mut crd, &old, &Admission::default())
            }
            None if method == "PUT" => return,
            None => {
                crd.prepare_for_create();
                validate_create(&mut crd, &Admission::default())
            }
        };
        let response = step.get("response").unwrap_or(&Value::Null);
        let got = (!errors.is_empty()).then(|| found(&errors));
        add(tally, &format!("{place}#{at}"), (code == 422).then(|| recorded(response)), got);
        if errors.is_empty() && !path.contains("dryRun") {
            stored.insert(crd.name().to_owned(), crd);
        }
    }
}

/// Plays files of a set that is part of the repository.
fn play_set(set: &str, prefixes: &[&str], mut tally: Tally, at_least: usize) {
    let folder = transcript::vendored().join(set);
    for prefix in prefixes {
        for (file, case) in transcript::cases(&folder, prefix).expect("readable recordings") {
            play(&format!("{file} {}", text(&case, "id")), &case, &mut tally);
        }
    }
    tally.check(at_least);
}

#[test]
fn rules_compile_with_the_recorded_verdicts() {
    play_set("cel", &["compile-"], Tally::new("definitions-compile"), 500);
}

#[test]
fn definitions_of_evaluated_rules_are_accepted_as_recorded() {
    play_set("cel", &["value-", "runtime-"], Tally::new("definitions-evaluated"), 400);
}

#[test]
fn rules_of_definitions_are_judged_as_recorded() {
    play_set("crd", &["crd-cel"], Tally::new("definitions-rules"), 10);
}

#[test]
fn defaults_of_definitions_are_judged_as_recorded() {
    play_set("crd", &["crd-defaults"], Tally::new("definitions-defaults"), 10);
}

#[test]
fn other_definitions_are_judged_as_recorded() {
    play_set("crd", &["crd-structural", "crd-names"], Tally::new("definitions-others"), 10);
}

#[test]
fn definitions_of_real_projects_are_accepted() {
    let Some(folder) = transcript::set("corpus") else { return };
    let mut tally = Tally::new("definitions-corpus");
    for file in transcript::files(&folder).expect("a folder of projects") {
        let lines = transcript::read(&file).expect("a readable recording");
        let Some(line) = lines.first() else { continue };
        let Some((mut crd, _)) = line.get("crd").and_then(|body| Crd::decode(body).ok()) else {
            continue;
        };
        crd.set_defaults();
        crd.prepare_for_create();
        let errors = validate_create(&mut crd, &Admission::default());
        let code = line.get("code").and_then(Value::as_int).unwrap_or_default();
        let got = (!errors.is_empty()).then(|| found(&errors));
        let place = file.strip_prefix(&folder).unwrap_or(&file).to_string_lossy();
        add(&mut tally, &place, (code != 201).then(Vec::new), got);
    }
    tally.check(500);
}

/// A definition whose spec has this schema.
fn with_spec(spec: Value) -> Crd {
    let body = ordain_value::value!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.example.com"},
        "spec": {"group": "example.com", "scope": "Namespaced",
            "names": {"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList"},
            "versions": [{"name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}}]}
    });
    let (mut crd, _) = Crd::decode(&body).expect("a definition");
    crd.set_defaults();
    crd.prepare_for_create();
    crd
}

/// A definition with a rule in a branch of a junctor.
fn with_branch(rule: &str) -> Crd {
    with_spec(ordain_value::value!({"type": "object", "properties": {"n": {"type": "integer",
        "anyOf": [{"x-kubernetes-validations": [{"rule": rule}]}, {"maximum": 3}]}}}))
}

#[test]
fn rules_in_branches_are_refused_unless_a_gate_allows_them() {
    let closed = validate_create(&mut with_branch("self > 1"), &Admission::default());
    assert_eq!(closed.len(), 1);
    assert!(closed.iter().all(|error| error.path.ends_with("anyOf[0].x-kubernetes-validations")));
    let open = Admission { rules_in_junctors: true, ..Admission::default() };
    assert!(validate_create(&mut with_branch("self > 1"), &open).is_empty());
    let wrong = validate_create(&mut with_branch("self + 1"), &open);
    assert!(wrong.iter().any(|error| error.detail() == "cel expression must evaluate to a bool"));
}

/// A definition with one rule.
fn with_rule(rule: &str) -> Crd {
    with_spec(ordain_value::value!({"type": "object",
        "x-kubernetes-validations": [{"rule": rule}], "properties": {"n": {"type": "integer"}}}))
}

#[test]
fn new_rules_keep_to_the_compatibility_version_and_stored_ones_need_not() {
    let old = Admission { release: KubeVersion::new(1, 32), ..Admission::default() };
    let rule = "semver('1.2.3').major() == 1 && self.n > 0";
    assert!(validate_create(&mut with_rule(rule), &Admission::default()).is_empty());
    let refused = validate_create(&mut with_rule(rule), &old);
    assert!(
        refused.iter().any(|error| error.detail().contains("undeclared reference to 'semver'")),
        "{refused:?}"
    );
    // A server that was rolled back keeps what a newer one accepted.
    let stored = with_rule(rule);
    let of_rules = |errors: ErrorList| {
        errors.iter().filter(|error| error.path.contains("x-kubernetes-validations")).count()
    };
    assert_eq!(of_rules(validate_update(&mut with_rule(rule), &stored, &old)), 0);
    let changed = "semver('1.2.4').major() == 1 && self.n > 0";
    assert_ne!(of_rules(validate_update(&mut with_rule(changed), &stored, &old)), 0);
}
