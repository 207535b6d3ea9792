//! What authors of definitions are told: tables, costs, defaults.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;

use ordain_check::report::{self, Format, Style};
use ordain_check::{Catalog, Gates, Source, cost, defaults, manifest, table};
use ordain_value::{Value, value, yaml};

const CRD: &str = include_str!("../../../fixtures/check/validate/crd.yaml");

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/check/table")
}

fn run(text: &str) -> Result<table::Run, String> {
    let name = folder().join("widgets.cases.yaml");
    let read = |path: &Path| std::fs::read(path).map_err(|error| error.to_string());
    let kinds = |types: Option<&Path>, gates: &[String]| match (types, gates) {
        (None, []) => Ok(table::Declared::default()),
        (None, [gate]) if gate == "APIUnions=true" => {
            let mut gates = Gates::default();
            gates.set_from(gate)?;
            Ok(table::Declared { catalog: Catalog::new(gates), definitions: Vec::new() })
        }
        _ => Err("neither types nor other gates here".to_owned()),
    };
    let files = table::Files { read: &read, kinds: &kinds };
    table::run(&Source::new(name.to_string_lossy(), text), &files)
}

fn cases() -> String {
    std::fs::read_to_string(folder().join("widgets.cases.yaml")).unwrap()
}

#[test]
fn cases_that_hold_hold() {
    let run = run(&cases()).unwrap();
    let failed: Vec<_> = run.cases.iter().filter(|case| !case.failures.is_empty()).collect();
    assert!(failed.is_empty(), "{failed:?}");
    assert_eq!(run.cases.len(), 8);
    assert_eq!(run.cases[1].line, 11);
}

#[test]
fn a_case_that_does_not_hold_fails() {
    for (from, to) in [
        ("less than or equal to 10}", "less than or equal to 11}"),
        ("mode: careful}", "mode: fast}"),
        ("FieldValueRequired", "FieldValueInvalid"),
        ("  errors: [{field: spec.colour}]\n", ""),
        ("message: serial is immutable", "message: serial may change"),
    ] {
        let text = cases();
        assert!(text.contains(from), "{from}");
        let run = run(&text.replace(from, to)).unwrap();
        assert_eq!(run.failed(), 1, "{from} to {to}");
    }
}

#[test]
fn a_table_switches_gates_on() {
    let table = |gates: &str, errors: &str| {
        format!(
            "definition: ../../../examples/widgets/crd.yaml\n{gates}cases:\n- name: both\n  object:\n    apiVersion: shop.example.com/v1\n    kind: Widget\n    metadata: {{name: w}}\n    spec: {{finish: {{type: Raw, plating: gold}}}}\n{errors}"
        )
    };
    let held = run(&table(
        "featureGates: [APIUnions=true]\n",
        "  errors: [{field: spec.finish.plating}]\n",
    ));
    let held = held.unwrap();
    assert_eq!(held.failed(), 0, "{held:?}");
    let union =
        held.coverage.iter().find(|it| it.path == "spec.finish" && it.constraint == "union type");
    assert_eq!(union.map(|it| (it.passed, it.failed)), Some((false, true)), "{held:?}");
    let off = run(&table("", "")).unwrap();
    assert_eq!(off.failed(), 0, "{off:?}");
    assert!(run(&table("featureGates: [Other=true]\n", "")).is_err());
    assert!(run(&table("featureGates: {a: b}\n", "")).is_err());
}

#[test]
fn a_table_writes_to_the_status() {
    let table = |case: &str| {
        format!(
            "definition: ../validate/crd.yaml\nbase: {{apiVersion: shop.example.com/v1, kind: Widget, metadata: {{name: w}}, spec: {{owner: ann, size: 99}}}}\ncases:\n- {case}\n"
        )
    };
    // What is wrong with the spec is nobody's fault who writes the status.
    let good = "{subresource: status, old: {}, object: {status: {ready: true}}, stored: {status: {ready: true}}}";
    let held = run(&table(good)).unwrap();
    assert_eq!(held.failed(), 0, "{held:?}");
    let bad = "{subresource: status, old: {}, object: {status: {ready: 1}}, errors: [{field: status.ready}]}";
    let held = run(&table(bad)).unwrap();
    assert_eq!(held.failed(), 0, "{held:?}");
    assert!(run(&table("{subresource: status, object: {}}")).is_err());
    assert!(run(&table("{subresource: scale, old: {}, object: {}}")).is_err());
}

#[test]
fn failed_cases_and_gaps_are_findings_for_other_tools() {
    let run = run(&cases().replace("mode: careful}", "mode: fast}")).unwrap();
    let outcome = table::outcome(&[run], true);
    assert_eq!((outcome.judged, outcome.errors()), (8, 1));
    assert!(outcome.warnings() > 3);
    let junit = report::write(&outcome, Format::Junit, Style::default());
    assert!(junit.contains("case-failed") && junit.contains("failures=\"1\""), "{junit}");
    let sarif = report::write(&outcome, Format::Sarif, Style::default());
    assert!(sarif.contains("\"ruleId\": \"uncovered\""), "{sarif}");
}

#[test]
fn a_table_with_a_misspelt_key_is_refused() {
    let error = run(&cases().replace("stored:", "store:")).unwrap_err();
    assert!(error.contains("unknown key \"store\""), "{error}");
}

#[test]
fn coverage_tells_what_no_case_saw() {
    let run = run(&cases()).unwrap();
    let line = |path: &str, constraint: &str| {
        let found =
            run.coverage.iter().find(|line| line.path == path && line.constraint == constraint);
        found.map(|line| (line.passed, line.failed))
    };
    assert_eq!(line("spec.size", "maximum"), Some((true, true)));
    assert_eq!(line("spec.size", "minimum"), Some((true, false)));
    assert_eq!(line("spec", "required owner"), Some((true, true)));
    assert_eq!(line("spec.code", "pattern"), Some((true, false)));
    assert_eq!(
        line("spec.serial", "rule self == oldSelf => serial is immutable"),
        Some((true, true))
    );
    assert_eq!(line("spec.ports[].port", "maximum"), Some((true, false)));
}

fn definition(schema: Value) -> Value {
    value!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "hosts.shop.example.com"},
        "spec": {
            "group": "shop.example.com",
            "scope": "Namespaced",
            "names": {"kind": "Host", "plural": "hosts", "singular": "host", "listKind": "HostList"},
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": schema}
            }]
        }
    })
}

#[test]
fn an_expensive_rule_comes_with_a_bound_that_was_tried() {
    let schema = value!({
        "type": "object",
        "properties": {"spec": {"type": "object", "properties": {"names": {
            "type": "array",
            "items": {"type": "string", "maxLength": 64},
            "x-kubernetes-validations": [
                {"rule": "self.all(a, self.exists_one(b, a == b))", "message": "unique"}
            ]
        }}}}
    });
    let report = cost::price(&definition(schema.clone())).unwrap().remove(0);
    assert!(report.exceeds());
    let advice = report.rules[0].advice.first().expect("a bound helps");
    assert_eq!((advice.path.as_str(), advice.keyword), ("spec.names", "maxItems"));
    let mut bounded = schema;
    let place = ["properties", "spec", "properties", "names", "maxItems"];
    bounded.set_path(&place, Value::Int(advice.bound));
    let again = cost::price(&definition(bounded)).unwrap().remove(0);
    assert!(!again.exceeds());
    assert_eq!(again.rules[0].cost, advice.cost);
    assert!(cost::text(&report).contains("help: add maxItems"));
}

#[test]
fn a_cheap_rule_needs_no_advice() {
    let crd = yaml::decode_first(CRD.as_bytes(), yaml::Options::default()).unwrap().value.unwrap();
    let report = cost::price(&crd).unwrap().remove(0);
    assert_eq!(report.rules.len(), 2);
    assert!(!report.exceeds());
}

#[test]
fn rules_of_declared_kinds_are_priced_too() {
    let text = "// +groupName=shop.example.com\npackage v1\n\n\
        import metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n\
        type Widget struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\
        \tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\
        \t// +optional\n\t// +listType=atomic\n\
        \t// +validationRule=\"self.all(x, self.all(y, x != y))\",message=\"unlike\"\n\
        \tNames []string `json:\"names,omitempty\"`\n}\n";
    let source = ordain_idl::MemorySource::new().with("v1/types.go", text);
    let loader = ordain_idl::Loader::new(&source).package_as("v1", "example.com/v1");
    let lowered = ordain_idl::lower::lower(&loader.load());
    let reports = cost::price_declared(&lowered.api);
    assert_eq!(reports.len(), 1);
    assert_eq!(reports[0].name, "widgets.shop.example.com");
    assert!(reports[0].exceeds() && reports[0].rules.len() == 1, "{reports:?}");
}

#[test]
fn each_added_and_dropped_field_has_its_reason() {
    let mut catalog = Catalog::default();
    let crd = manifest::read(0, &Source::new("crd.yaml", CRD));
    catalog.add_definition(&crd.manifests[0].value).unwrap();
    let text = "apiVersion: shop.example.com/v1\nkind: Widget\nmetadata:\n  name: w\n  uid: x\nspec:\n  owner: ann\n  mode: null\n  min: null\n  colour: red\nstatus:\n  ready: true\n";
    let source = Source::new("w.yaml", text);
    let contents = manifest::read(0, &source);
    let kind = catalog.find(&contents.manifests[0].gvk).unwrap();
    let explained = defaults::explain(&source, &contents.manifests[0], &kind);
    let shown = defaults::text(&[explained]);
    let wanted = "\
w.yaml: Widget w
  - metadata.uid: \"x\"
      line 5: only the server sets it
  + metadata.generation: 1
      line 3: counted by the server
  + metadata.namespace: \"default\"
      line 3: the namespace of the request
  - spec.colour: \"red\"
      line 10: the schema does not know the field (strict validation refuses it)
  - spec.min: null
      line 9: null is not allowed here and there is no default
  ~ spec.mode: null -> \"careful\"
      line 8: null is not allowed here: the default takes its place
  + spec.size: 3
      line 6: default of spec.size in the schema
  - status: {\"ready\":true}
      line 11: status is written through its own endpoint
";
    assert_eq!(shown, wanted);
}

const WIDGETS: &str = r#"// +groupName=shop.example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty,omitzero"`

	Spec WidgetSpec `json:"spec"`
}

// +validationRule="self.low <= self.high",messageExpression="'low is above ' + string(self.high)"
// +validationRule="self.high < 100",messageExpression="string(self.high) + ' is too high'"
type WidgetSpec struct {
	// +k8s:required
	// +k8s:maxLength=5
	Name string `json:"name"`
	// +k8s:optional
	// +k8s:minimum=1
	Size *int32 `json:"size,omitempty"`
	// +default=0
	Low int32 `json:"low"`
	// +default=10
	// +optional
	High int32 `json:"high,omitempty"`
	// +k8s:listType=set
	// +k8s:eachVal=+k8s:format=k8s-short-name
	// +optional
	Names []string `json:"names,omitempty"`
}
"#;

#[test]
fn rules_of_k8s_tags_and_computed_messages_are_covered_by_passing_and_failing() {
    let text = "types: types\nbase: {apiVersion: shop.example.com/v1, kind: Widget, metadata: {name: w}}\ncases:\n- object: {spec: {name: a, size: 1, names: [a, b]}}\n- object: {spec: {name: abcdef}}\n  errors: [{field: spec.name}]\n- object: {spec: {name: a, names: [A]}}\n  errors: [{field: \"spec.names[0]\"}]\n- object: {spec: {name: a, low: 20}}\n  errors: [{field: spec, message: low is above 10}]\n";
    let api = {
        let mut source = ordain_idl::MemorySource::new();
        source.insert("v1/types.go".to_owned(), WIDGETS.to_owned());
        let loader = ordain_idl::Loader::new(&source);
        let universe = loader.package_as("v1", "example.com/shop/v1").load();
        let lowered = ordain_idl::lower::lower(&universe);
        assert!(!lowered.has_errors(), "{:?}", lowered.diagnostics);
        lowered.api
    };
    let read = |path: &Path| std::fs::read(path).map_err(|error| error.to_string());
    let kinds = |_: Option<&Path>, _: &[String]| {
        let mut catalog = Catalog::default();
        catalog.add_declared(&api);
        Ok(table::Declared { catalog, definitions: Vec::new() })
    };
    let files = table::Files { read: &read, kinds: &kinds };
    let run = table::run(&Source::new("widgets.cases.yaml", text), &files).unwrap();
    assert_eq!(run.failed(), 0, "{run:#?}");
    let seen = |path: &str, words: &str| {
        let mut found =
            run.coverage.iter().filter(|it| it.path == path && it.constraint.contains(words));
        let line = found.next().unwrap_or_else(|| panic!("{path} {words}: {:#?}", run.coverage));
        (line.passed, line.failed)
    };
    assert_eq!(seen("spec.name", "+k8s:maxLength"), (true, true));
    assert_eq!(seen("spec.name", "+k8s:required"), (true, false));
    assert_eq!(seen("spec.size", "+k8s:minimum"), (true, false));
    assert_eq!(seen("spec.names[]", "+k8s:format"), (true, true));
    assert_eq!(seen("spec", "low is above"), (true, true));
    assert_eq!(seen("spec", "is too high"), (true, false));
    let share = table::coverage_percent(&[run]);
    assert!(share > 0.0 && share < 100.0, "{share}");
}
