//! The page's questions, asked as it asks them.

use std::sync::Arc;

use ordain_explorer::{Question, Served};
use ordain_strategy::declared;
use ordain_strategy::gates::Gates;
use ordain_value::{Value, json};

fn ask(name: &str, posted: &str) -> Result<Value, String> {
    let question = Question::named(name).expect("a question");
    question.answer(posted.as_bytes(), &|_, _| None).map_err(|why| why.to_string())
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or("")
}

#[test]
fn an_expression_has_a_value_a_type_a_cost_and_parts() {
    let posted = r#"{
        "expression": "self.count + 1 > 3",
        "at": "spec",
        "self": {"spec": {"count": 3}},
        "schema": {"type": "object", "properties": {"spec": {"type": "object", "properties":
            {"count": {"type": "integer"}}}}}
    }"#;
    let answer = ask("cel", posted).expect("an answer");
    assert_eq!((text(&answer, "value"), text(&answer, "type")), ("true", "bool"));
    assert!(answer.get("cost").is_some() && answer.get("estimate").is_some());
    let parts = answer.get("parts").and_then(Value::as_list).expect("parts");
    let sum = parts.iter().find(|it| text(it, "text") == "self.count + 1").expect("the sum");
    assert_eq!((text(sum, "value"), text(sum, "type")), ("4", "int"));
}

#[test]
fn fields_that_are_lists_are_values_and_no_types() {
    let posted = r#"{
        "expression": "self.parts.exists(p, p.count > 3)",
        "self": {"parts": [{"count": 4}]},
        "schema": {"type": "object", "properties": {"parts": {"type": "array", "items":
            {"type": "object", "properties": {"count": {"type": "integer"}}}}}}
    }"#;
    let answer = ask("cel", posted).expect("an answer");
    assert_eq!(text(&answer, "value"), "true", "{answer:?}");
}

#[test]
fn what_does_not_compile_is_told_in_the_compilers_words() {
    let posted =
        r#"{"expression": "self.nothing", "schema": {"type": "object", "properties": {}}}"#;
    let answer = ask("cel", posted).expect("an answer");
    assert!(text(&answer, "compile").contains("undefined field 'nothing'"), "{answer:?}");
}

#[test]
fn an_object_that_is_not_there_is_missed() {
    let answer = ask("cel", r#"{"expression": "self.a == 1"}"#).expect("an answer");
    assert_eq!(text(&answer, "missing"), "self");
}

#[test]
fn work_and_answer_are_bounded() {
    let all: Vec<String> = (0..2000).map(|it| it.to_string()).collect();
    let list = all.join(",");
    let nested = "self.all(a, self.all(b, self.all(c, a + b + c >= 0)))";
    let posted = format!(r#"{{"expression": "{nested}", "self": [{list}]}}"#);
    let answer = ask("cel", &posted).expect("an answer");
    assert!(text(&answer, "error").contains("cost"), "{answer:?}");
    let long = format!(r#"{{"expression": "self", "self": "{}"}}"#, "x".repeat(1_000_000));
    let answer = ask("cel", &long).expect("an answer");
    assert!(json::encode(&answer).len() < 300_000);
}

#[test]
fn rules_have_costs_and_budgets() {
    let posted = r#"{"schema": {"type": "object", "properties": {"list": {
        "type": "array", "items": {"type": "string"},
        "x-kubernetes-validations": [{"rule": "self.all(i, i.startsWith('a'))"}]
    }}}}"#;
    let answer = ask("rules", posted).expect("an answer");
    let rules = answer.get("rules").and_then(Value::as_list).expect("rules");
    let rule = &rules.as_slice()[0];
    assert_eq!(text(rule, "expression"), "self.all(i, i.startsWith('a'))");
    assert!(rule.get("cost").is_some());
    assert!(answer.get("totalLimit").is_some());
}

#[test]
fn cases_run_against_the_posted_definition() {
    let definition = r#"{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.example.com"}, "spec": {"group": "example.com",
        "scope": "Cluster", "names": {"kind": "Thing", "plural": "things"}, "versions": [{
        "name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
        "type": "object", "properties": {"size": {"type": "integer", "maximum": 3}}}}}]}}"#;
    let table = "base: {apiVersion: example.com/v1, kind: Thing, metadata: {name: a}}\\n\
        cases:\\n- {name: small, object: {size: 3}}\\n- {name: large, object: {size: 4}}\\n";
    let posted = format!(r#"{{"definition": {definition}, "cases": "{table}"}}"#);
    let answer = ask("cases", &posted).expect("an answer");
    let cases = answer.get("cases").and_then(Value::as_list).expect("cases").clone();
    let failures = |at: usize| cases.as_slice()[at].get("failures").and_then(Value::as_list);
    assert!(failures(0).is_some_and(|it| it.as_slice().is_empty()));
    assert_eq!(failures(1).map(|it| it.as_slice().len()), Some(1), "{answer:?}");
    assert_eq!(cases.as_slice()[1].get("line"), Some(&Value::Int(4)));
    let why = ask("cases", r#"{"definition": {}, "cases": "types: ."}"#).expect_err("types");
    assert!(why.contains("ordain test"), "{why}");
}

/// A kind of Go types, as a server has it.
fn declared_widgets() -> Served {
    let text = "// +groupName=shop.example.com\npackage v1\n\n\
        import metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n\
        type Widget struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\
        \tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\
        \t// +optional\n\t// +k8s:optional\n\t// +k8s:minimum=3\n\
        \tSize *int32 `json:\"size,omitempty\"`\n\
        \t// +optional\n\t// +k8s:featureGate=WidgetColors\n\
        \tColor string `json:\"color,omitempty\"`\n}\n";
    let source = ordain_idl::MemorySource::new().with("v1/types.go", text);
    let loader = ordain_idl::Loader::new(&source).package_as("v1", "example.com/v1");
    let api = ordain_idl::lower::lower(&loader.load()).api;
    let mut gates = Gates::default();
    gates.register_declared(&api);
    let gates = Arc::new(gates);
    let mut built = declared::build(&api, &gates).expect("served");
    Served { resource: Arc::new(built.remove(0)), gates }
}

/// The failures of each case of a table about a kind that is served.
fn served_failures(table: &str) -> (Vec<usize>, Value) {
    let widgets = declared_widgets();
    let find = |group: &str, resource: &str| {
        (group == "shop.example.com" && resource == "widgets").then(|| widgets.clone())
    };
    let posted = ordain_value::value!({
        "group": "shop.example.com", "resource": "widgets", "cases": table
    });
    let question = Question::named("cases").expect("a question");
    let answer = question.answer(&json::encode(&posted), &find).expect("an answer");
    let cases = answer.get("cases").and_then(Value::as_list).expect("cases");
    let count =
        |case: &Value| case.get("failures").and_then(Value::as_list).map_or(9, |it| it.len());
    (cases.iter().map(count).collect(), answer)
}

const WIDGET: &str = "base: {apiVersion: shop.example.com/v1, kind: Widget, metadata: {name: a}}\n";

#[test]
fn cases_run_against_kinds_of_go_types_with_their_own_rules() {
    let table = format!(
        "{WIDGET}cases:\n- {{object: {{size: 3}}}}\n- {{object: {{size: 2}}}}\n\
         - {{object: {{size: 2}}, errors: [{{field: size}}]}}\n"
    );
    let (failures, answer) = served_failures(&table);
    assert_eq!(failures, [0, 1, 0], "{answer:?}");
    let coverage = answer.get("coverage").and_then(Value::as_list).expect("coverage");
    let size = coverage.iter().find(|it| text(it, "path") == "size").expect("the minimum");
    assert_eq!(size.get("passed"), Some(&Value::Bool(true)), "{answer:?}");
    assert_eq!(size.get("failed"), Some(&Value::Bool(true)), "{answer:?}");
}

/// A table says which gates it means, whatever the server has.
#[test]
fn gates_of_a_table_count_for_kinds_of_go_types() {
    let case = "cases:\n- {object: {color: red}, stored: {color: red}}\n";
    let (failures, answer) = served_failures(&format!("types: v1\n{WIDGET}{case}"));
    assert_eq!(failures, [1], "the field is there without its gate: {answer:?}");
    let gated = format!("featureGates: [WidgetColors=true]\n{WIDGET}{case}");
    let (failures, answer) = served_failures(&gated);
    assert_eq!(failures, [0], "{answer:?}");
}

#[test]
fn cases_run_against_built_in_kinds() {
    let posted = r#"{"group": "", "resource": "configmaps", "cases":
        "base: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\ncases:\n- {object: {data: {A: b}}}\n- {object: {data: {'a/b': c}}}\n"}"#;
    let answer = ask("cases", posted).expect("an answer");
    let cases = answer.get("cases").and_then(Value::as_list).expect("cases").clone();
    let failures = |at: usize| cases.as_slice()[at].get("failures").and_then(Value::as_list);
    assert!(failures(0).is_some_and(|it| it.as_slice().is_empty()), "{answer:?}");
    assert_eq!(failures(1).map(|it| it.as_slice().len()), Some(1), "{answer:?}");
    let why = ask("cases", r#"{"group": "no.example.com", "resource": "ones", "cases": ""}"#);
    assert_eq!(why.expect_err("no kind"), "there is no definition of the kind");
}

#[test]
fn what_cannot_be_read_is_refused_in_words() {
    for (name, posted) in [
        ("cel", "{"),
        ("cel", "{}"),
        ("cel", r#"{"expression": "1", "schema": {"type": 3}}"#),
        ("cel", r#"{"expression": "1", "at": "a["}"#),
        ("rules", "{}"),
        ("rules", "[]"),
    ] {
        let why = ask(name, posted).expect_err(posted);
        assert!(!why.is_empty());
    }
    assert_eq!(Question::named("objects"), None);
}
