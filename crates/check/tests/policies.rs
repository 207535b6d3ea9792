//! Admission policies over files: each folder of fixtures is one run, with its report.
//!
//! Files named `*.used.yaml` are policies that are used and not judged, `user.txt` is who writes
//! and their groups. `ORDAIN_BLESS=1` writes the reports that are there now.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Write;
use std::path::{Path, PathBuf};

use ordain_check::history::History;
use ordain_check::policy::User;
use ordain_check::report::{Format, Style, write};
use ordain_check::{Catalog, Options, PolicyOptions, Source, defaults, manifest, table, validate};
use ordain_value::{Value, yaml};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/check/policies")
}

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
    paths.sort();
    paths
}

fn source(path: &Path) -> Source {
    Source::new(path.file_name().unwrap().to_str().unwrap(), std::fs::read(path).unwrap())
}

fn user(folder: &Path) -> User {
    let Ok(text) = std::fs::read_to_string(folder.join("user.txt")) else {
        return User::everybody();
    };
    let mut lines = text.lines();
    let name = lines.next().unwrap().into();
    User { name, groups: lines.map(Into::into).collect(), ..User::default() }.authenticated()
}

fn report(folder: &Path) -> String {
    let (mut judged, mut used) = (Vec::new(), Vec::new());
    for path in sorted(folder) {
        let name = path.to_str().unwrap();
        if name.ends_with(".used.yaml") {
            used.push(source(&path));
        } else if name.ends_with(".yaml") && !name.ends_with(".cases.yaml") {
            judged.push(source(&path));
        }
    }
    let policies = PolicyOptions { sources: used, user: user(folder) };
    let options = Options { policies, ..Options::default() };
    let outcome = validate(&judged, &[], &options);
    let mut text = write(&outcome, Format::Text, Style { colours: false, summary: true });
    for note in &outcome.notes {
        writeln!(text, "note: {note}").unwrap();
    }
    for it in &outcome.annotations {
        writeln!(text, "audit {}: {}: {}", it.object, it.key, it.value).unwrap();
    }
    text
}

#[test]
fn reports_are_as_reviewed() {
    let mut folders = 0;
    for folder in sorted(&folder()).into_iter().filter(|it| it.is_dir()) {
        folders += 1;
        let (path, found) = (folder.join("report.out"), report(&folder));
        if std::env::var_os("ORDAIN_BLESS").is_some() {
            std::fs::write(&path, &found).unwrap();
        }
        let wanted = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(found, wanted, "{}: ORDAIN_BLESS=1 accepts it", folder.display());
    }
    assert!(folders >= 7);
}

#[test]
fn tables_name_policies() {
    let path = folder().join("replicas/replicas.cases.yaml");
    let table = Source::new(path.to_str().unwrap(), std::fs::read(&path).unwrap());
    let read = |path: &Path| std::fs::read(path).map_err(|error| error.to_string());
    let kinds = |_: Option<&Path>, _: &[String]| Ok(table::Declared::default());
    let files = table::Files { read: &read, kinds: &kinds };
    let run = table::run(&table, &files).unwrap();
    assert_eq!((run.cases.len(), run.failed()), (4, 0), "{:?}", run.cases);
    // A denial that nobody expects, and one that does not come, are failures.
    let text = String::from_utf8(table.text.clone()).unwrap();
    let wrong = text.replace("message: at most 5", "message: at most 7");
    let run = table::run(&Source::new(table.name.as_str(), wrong.as_str()), &files).unwrap();
    let failures: Vec<&String> = run.cases.iter().flat_map(|it| &it.failures).collect();
    assert_eq!(failures.len(), 2, "{failures:?}");
    assert!(failures[0].starts_with("expected a denial"), "{failures:?}");
    assert!(failures[1].starts_with("unexpected policy-denied"), "{failures:?}");
}

#[test]
fn a_change_is_judged_with_the_old_object() {
    let policy = "\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: growing}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [apps], apiVersions: [v1], operations: [UPDATE], resources: [deployments]}
  validations: [{expression: object.spec.replicas >= oldObject.spec.replicas, message: it shrinks}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: growing}
spec: {policyName: growing, validationActions: [Deny]}
";
    let web = std::fs::read_to_string(folder().join("replicas/web.yaml")).unwrap();
    let old = web.replace("replicas: 9", "replicas: 10");
    let old: Value = yaml::decode_documents(old.as_bytes(), yaml::Options::default())
        .unwrap()
        .remove(0)
        .value
        .unwrap();
    let mut history = History::default();
    history.add_object(&old);
    let sources = [Source::new("policy.yaml", policy), Source::new("web.yaml", web.as_str())];
    let options = Options { history: Some(history), base: "main".into(), ..Options::default() };
    let reported = validate(&sources, &[], &options);
    let texts: Vec<String> = reported.findings.iter().map(|it| it.text()).collect();
    assert_eq!(texts.len(), 1, "{texts:?}");
    assert!(texts[0].ends_with("denied request: it shrinks"), "{texts:?}");
    // The line of replicas in the manifest, and that of the expression in the policy.
    assert_eq!(
        (reported.findings[0].location.file.as_str(), reported.findings[0].location.line),
        ("web.yaml", 6)
    );
    let by = reported.findings[0].policy.as_ref().unwrap();
    assert_eq!((by.location.file.as_str(), by.location.line), ("policy.yaml", 8));
    // Of a new object it says nothing.
    assert_eq!(validate(&sources, &[], &Options::default()).findings, []);
}

const MUTATING: &str = r#"apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: labels}
spec:
  reinvocationPolicy: Never
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}
  mutations:
  - patchType: ApplyConfiguration
    applyConfiguration:
      expression: 'Object{metadata: Object.metadata{labels: {"team": "a"}}, data: {"b": "new"}}'
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: labels}
spec: {policyName: labels}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: names}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}
  validations: [{expression: "object.metadata.name != 'bad'", message: not this one}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: names}
spec: {policyName: names, validationActions: [Deny]}
"#;

#[test]
fn what_mutating_policies_make_of_an_object_is_shown_with_their_places() {
    let text =
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: NAME\ndata: {a: kept, b: old}\n";
    let options = PolicyOptions {
        sources: vec![Source::new("policies.yaml", MUTATING)],
        ..PolicyOptions::default()
    };
    let explain = |name: &str| {
        let source = Source::new("map.yaml", text.replace("NAME", name));
        let catalog = Catalog::default();
        let explainer = defaults::Explainer::new(&catalog, std::slice::from_ref(&source), &options);
        let contents = manifest::read(0, &source);
        let kind = catalog.find(&contents.manifests[0].gvk).unwrap();
        explainer.explain(&source, &contents.manifests[0], &kind)
    };
    let good = explain("good");
    let shown = defaults::text(std::slice::from_ref(&good));
    let wanted = "\
map.yaml: ConfigMap good
  ~ data.b: \"old\" -> \"new\"
      line 5: by MutatingAdmissionPolicy 'labels', policies.yaml:9:3
  + metadata.labels: {\"team\":\"a\"}
      line 3: by MutatingAdmissionPolicy 'labels', policies.yaml:9:3
  + metadata.namespace: \"default\"
      line 3: the namespace of the request
";
    assert_eq!(shown, wanted);
    let stored = yaml::decode_first(
        defaults::objects(&[good, explain("bad")]).as_bytes(),
        yaml::Options::default(),
    );
    let stored = stored.unwrap().value.unwrap();
    assert_eq!(stored.get_path(&["data", "b"]).and_then(Value::as_str), Some("new"));
    let refused = explain("bad").refused;
    assert!(
        refused.len() == 1 && refused[0].ends_with("denied request: not this one"),
        "{refused:?}"
    );
}
