//! Definitions judged with patterns, defaults and rules, against answers that a real kube-apiserver gave.
//!
//! Finds the recordings in `$ORDAIN_SHARED` or in the folder `shared` beside the repository, and says so when
//! they are not there. `ORDAIN_SHOW=n` prints the first differences.

#![expect(clippy::print_stdout, reason = "tests say what they skip and show")]

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use ordain_passes::Admission;
use ordain_passes::cel_library::KubeVersion;
use ordain_schema::admission::{validate_create, validate_update};
use ordain_schema::crd::Crd;
use ordain_value::field::ErrorList;
use ordain_value::{Value, json};

fn shared() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder =
        std::env::var_os("ORDAIN_SHARED").map_or_else(|| root.join("../shared"), PathBuf::from);
    let found = folder.join("transcripts");
    if !found.is_dir() {
        println!("skipped: no recordings in {}", folder.display());
        return None;
    }
    Some(found)
}

fn lines(path: &Path) -> Vec<Value> {
    let bytes = std::fs::read(path).expect("a readable recording");
    let mut text = String::new();
    flate2::read::MultiGzDecoder::new(bytes.as_slice())
        .read_to_string(&mut text)
        .expect("gzipped text");
    text.lines()
        .filter(|it| !it.trim().is_empty())
        .map(|it| json::decode(it.as_bytes()).expect("a JSON line"))
        .collect()
}

fn files(folder: &Path, prefix: &str) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("a folder of recordings")
        .map(|file| file.expect("an entry").path())
        .filter(|path| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            name.starts_with(prefix) && name.ends_with(".gz")
        })
        .collect();
    found.sort();
    found
}

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

#[derive(Default)]
struct Score {
    total: usize,
    code: usize,
    exact: usize,
    shown: usize,
}

impl Score {
    fn add(&mut self, label: &str, want: Option<Vec<Cause>>, got: Option<Vec<Cause>>) {
        self.total += 1;
        self.code += usize::from(want.is_some() == got.is_some());
        self.exact += usize::from(want == got);
        let limit = std::env::var("ORDAIN_SHOW").ok().and_then(|it| it.parse().ok()).unwrap_or(0);
        if want != got && self.shown < limit {
            self.shown += 1;
            let (want, got) = (want.unwrap_or_default(), got.unwrap_or_default());
            println!("--- {label}");
            want.iter().filter(|it| !got.contains(it)).for_each(|it| println!(" want {it:?}"));
            got.iter().filter(|it| !want.contains(it)).for_each(|it| println!(" got  {it:?}"));
        }
    }

    fn check(&self, name: &str, code: f64, exact: f64) {
        let percent = |part: usize| 100.0 * part as f64 / self.total.max(1) as f64;
        println!(
            "{name}: {} definitions, code {:.2}%, exact {:.2}%",
            self.total,
            percent(self.code),
            percent(self.exact)
        );
        assert!(self.total > 0, "nothing was played");
        assert!(percent(self.code) >= code, "code below {code}");
        assert!(percent(self.exact) >= exact, "exact below {exact}");
    }
}

/// Plays the writes of definitions of one case; what is played otherwise ends it.
fn play(case: &Value, score: &mut Score) {
    let mut stored: BTreeMap<String, Crd> = BTreeMap::new();
    let steps = case.get("steps").and_then(Value::as_list);
    for step in steps.into_iter().flat_map(|list| list.iter()) {
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
        let label = format!("{} {method}", text(case, "id"));
        let got = (!errors.is_empty()).then(|| found(&errors));
        score.add(&label, (code == 422).then(|| recorded(response)), got);
        if errors.is_empty() && !path.contains("dryRun") {
            stored.insert(crd.name().to_owned(), crd);
        }
    }
}

fn play_set(set: &str, prefix: &str) -> Option<Score> {
    let folder = shared()?.join(set);
    let mut score = Score::default();
    for file in files(&folder, prefix) {
        for case in lines(&file) {
            play(&case, &mut score);
        }
    }
    Some(score)
}

#[test]
fn rules_compile_with_the_recorded_verdicts() {
    if let Some(score) = play_set("cel", "compile-") {
        score.check("compile", 99.9, 99.5);
    }
}

#[test]
fn definitions_of_evaluated_rules_are_accepted_as_recorded() {
    for prefix in ["value-", "runtime-"] {
        if let Some(score) = play_set("cel", prefix) {
            score.check(prefix, 99.0, 99.0);
        }
    }
}

#[test]
fn rules_of_definitions_are_judged_as_recorded() {
    if let Some(score) = play_set("crd", "crd-cel") {
        score.check("crd-cel", 99.9, 99.9);
    }
}

#[test]
fn defaults_of_definitions_are_judged_as_recorded() {
    if let Some(score) = play_set("crd", "crd-defaults") {
        score.check("crd-defaults", 99.9, 99.9);
    }
}

#[test]
fn other_definitions_are_judged_as_recorded() {
    for prefix in ["crd-structural", "crd-names"] {
        if let Some(score) = play_set("crd", prefix) {
            score.check(prefix, 99.9, 99.9);
        }
    }
}

#[test]
fn definitions_of_real_projects_are_accepted() {
    let Some(folder) = shared() else { return };
    let mut score = Score::default();
    for project in std::fs::read_dir(folder.join("corpus")).expect("a folder of projects") {
        for file in files(&project.expect("an entry").path(), "") {
            let Some(line) = lines(&file).into_iter().next() else { continue };
            let Some((mut crd, _)) = line.get("crd").and_then(|body| Crd::decode(body).ok()) else {
                continue;
            };
            crd.set_defaults();
            crd.prepare_for_create();
            let errors = validate_create(&mut crd, &Admission::default());
            let code = line.get("code").and_then(Value::as_int).unwrap_or_default();
            let got = (!errors.is_empty()).then(|| found(&errors));
            score.add(&file.display().to_string(), (code != 201).then(Vec::new), got);
        }
    }
    score.check("corpus", 99.9, 99.9);
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
