//! Every example of the proposals that can be run, with the result its text gives: types (or a
//! schema) in; schema, defaulting, normalization, dropped fields and verdicts out.
//!
//! `fixtures/proposals/<kep>/<example>/`: `types.go` and `case.json`; `schema.json` is what is
//! published (`ORDAIN_WRITE=1` writes it). Where an example contradicts the rules of its own text
//! the rule stands, and docs/differences.md says so.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ordain_idl::lower::lower_type;
use ordain_idl::{Loader, MemorySource, Universe, native, validation};
use ordain_passes::declared::{
    DeclaredPlan, format, gate, native as rules, strip_zero, text, union,
};
use ordain_passes::{Plan, RuleOptions, RuleSet, Rules};
use ordain_schema::publish::{Options, publish};
use ordain_schema::raw::Raw;
use ordain_schema::{Schema, resolve};
use ordain_value::field::ErrorList;
use ordain_value::{Value, json};

const PACKAGE: &str = "example.com/v1";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/proposals")
}

/// All examples, by proposal and name.
fn examples() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let list = |dir: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(dir).expect("a folder");
        entries.map(|it| it.expect("an entry").path()).filter(|it| it.is_dir()).collect()
    };
    for proposal in list(&root()) {
        found.extend(list(&proposal));
    }
    found.sort();
    found
}

fn read(path: &Path) -> Value {
    let text = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    json::decode(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn list<'a>(case: &'a Value, name: &str) -> &'a [Value] {
    case.get(name).and_then(Value::as_list).map(|it| it.as_slice()).unwrap_or_default()
}

/// An example, compiled.
struct Example {
    schema: Arc<Schema>,
    plan: Arc<Plan>,
    declared: DeclaredPlan,
    rules: RuleSet,
    native: Option<(ordain_schema::native::Program, String)>,
}

impl Example {
    fn new(schema: Schema, native: Option<(ordain_schema::native::Program, String)>) -> Self {
        let schema = Arc::new(schema);
        let plan = Arc::new(Plan::compile(&schema).expect("a plan"));
        let rules = RuleSet::compile(&schema, RuleOptions::declared(), Some(Arc::clone(&plan)));
        assert_eq!(rules.compile_errors(), [], "all rules compile");
        let declared = DeclaredPlan::compile(&schema);
        Example { schema, plan, declared, rules, native }
    }

    fn default(&self, semantics: &str, object: &mut Value) {
        self.plan.drop_nulls(object);
        if semantics == "native" {
            strip_zero::strip_zero(&self.declared, object);
        }
        self.plan.default(object);
    }

    fn validate(&self, object: &Value, old: Option<&Value>) -> ErrorList {
        let mut errors = self.plan.validate_schema(object, old);
        errors.extend(self.plan.validate_list_types(object));
        if ordain_passes::spine::blocks_rules(&errors).is_none() {
            errors.extend(self.rules.evaluate(object, old).errors);
        }
        errors.extend(format::validate(&self.declared, object, old));
        errors.extend(union::validate(&self.declared, object, old));
        if let Some((program, root)) = &self.native {
            let operation = rules::Operation { old, subresource: "/", options: &[] };
            let found = rules::validate(program, root, object, operation);
            errors.extend(found.into_iter().map(|it| it.error));
        }
        text::customize(&self.declared, object, errors)
    }
}

fn load(dir: &Path) -> Universe {
    let text = std::fs::read_to_string(dir.join("types.go")).expect("types.go");
    let source = MemorySource::new().with("v1/types.go", text);
    Loader::new(&source).package_as("v1", PACKAGE).load()
}

/// Everything that is wrong with the types, in words with places.
fn findings(universe: &Universe, type_name: &str) -> Vec<String> {
    let mut found = ordain_idl::lower::lower(universe).diagnostics;
    let named = universe.lookup(PACKAGE, type_name).expect("the type is declared");
    found.extend(lower_type(universe, named).1);
    found.retain(ordain_idl::Diagnostic::is_error);
    let mut shown: Vec<String> = found.iter().map(|it| universe.locate(it).to_string()).collect();
    shown.sort();
    shown.dedup();
    shown
}

fn example(dir: &Path, case: &Value, wrong: &mut Vec<String>) -> Option<Example> {
    let name = dir.strip_prefix(root()).expect("below the fixtures").display().to_string();
    if let Some(openapi) = case.get("openapi") {
        let (raw, _) = Raw::decode(openapi).expect("a schema");
        return Some(Example::new(resolve(&raw).expect("structural"), None));
    }
    let type_name = case.get("type").and_then(Value::as_str).expect("a type");
    let universe = load(dir);
    let found = findings(&universe, type_name);
    let refused = list(case, "refused");
    if !refused.is_empty() {
        for words in refused.iter().filter_map(Value::as_str) {
            if !found.iter().any(|it| it.contains(words) && it.contains("types.go:")) {
                wrong.push(format!("{name}: is not refused with {words:?} but with {found:?}"));
            }
        }
        return None;
    }
    if !found.is_empty() {
        wrong.push(format!("{name}: {found:?}"));
        return None;
    }
    let named = universe.lookup(PACKAGE, type_name).expect("the type is declared");
    let schema = lower_type(&universe, named).0.expect("a schema");
    let options = validation::Options { all_types: true, ..Default::default() };
    let (declared, _) = validation::declare(&universe, &options);
    let program = native::lower(&universe, &declared);
    let native = program.root(type_name).is_some().then(|| (program, type_name.to_owned()));
    Some(Example::new(schema, native))
}

fn check_schema(dir: &Path, name: &str, schema: &Schema, wrong: &mut Vec<String>) {
    let published = publish(schema, Options::V3);
    let definitions = Value::Map(published.definitions.into_iter().collect());
    let text = json::encode_pretty(&definitions) + "\n";
    let path = dir.join("schema.json");
    if std::env::var_os("ORDAIN_WRITE").is_some() {
        std::fs::write(&path, &text).expect("the schema is written");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    if expected != text {
        wrong.push(format!("{name}: other schema:\n{text}"));
    }
}

fn check_defaulting(name: &str, example: &Example, case: &Value, wrong: &mut Vec<String>) {
    for row in list(case, "defaulting") {
        let semantics = row.get("semantics").and_then(Value::as_str).unwrap_or("both");
        for way in ["native", "crd"] {
            if semantics != "both" && semantics != way {
                continue;
            }
            let mut object = row.get("in").cloned().expect("an object");
            example.default(way, &mut object);
            if Some(&object) != row.get("out") {
                let (given, came) = (row.get("in").expect("in"), json::encode_string(&object));
                let given = json::encode_string(given);
                wrong.push(format!("{name}: {way} default({given}) is {came}"));
            }
        }
    }
}

fn check_verdicts(name: &str, example: &Example, case: &Value, wrong: &mut Vec<String>) {
    for row in list(case, "validation") {
        let shape = |object: &Value| {
            let mut object = object.clone();
            example.default("native", &mut object);
            object
        };
        let old = row.get("old").map(shape);
        let object = shape(row.get("in").expect("an object"));
        let errors = example.validate(&object, old.as_ref());
        let said: Vec<String> = errors.iter().map(ToString::to_string).collect();
        let expected: Vec<&str> = list(row, "errors").iter().filter_map(Value::as_str).collect();
        let all = expected.iter().all(|it| said.iter().any(|said| said.contains(it)));
        if !all || said.is_empty() != expected.is_empty() {
            let given = json::encode_string(row.get("in").expect("in"));
            wrong.push(format!("{name}: {given} gives {said:?}, not {expected:?}"));
        }
    }
}

fn check_changes(name: &str, example: &Example, case: &Value, wrong: &mut Vec<String>) {
    for row in list(case, "normalization") {
        let mut object = row.get("in").cloned().expect("an object");
        union::infer(&example.declared, &mut object, row.get("old"));
        if let Some(old) = row.get("old") {
            union::normalize(&example.declared, &mut object, old);
        }
        if Some(&object) != row.get("out") {
            wrong.push(format!("{name}: normalized to {}", json::encode_string(&object)));
        }
    }
    for row in list(case, "dropping") {
        let on: Vec<&str> = list(row, "gates").iter().filter_map(Value::as_str).collect();
        let mut object = row.get("in").cloned().expect("an object");
        let is_on = |name: &str| on.contains(&name);
        gate::drop_disabled(&example.declared, &is_on, &mut object, row.get("old"));
        if Some(&object) != row.get("out") {
            wrong.push(format!("{name}: dropped to {}", json::encode_string(&object)));
        }
    }
}

#[test]
fn every_example_of_the_proposals_comes_out_as_its_text_says() {
    let mut wrong = Vec::new();
    let examples = examples();
    assert!(examples.len() >= 30, "{} examples", examples.len());
    for dir in &examples {
        let case = read(&dir.join("case.json"));
        let name = dir.strip_prefix(root()).expect("below").display().to_string();
        let Some(example) = example(dir, &case, &mut wrong) else { continue };
        if case.get("openapi").is_none() {
            check_schema(dir, &name, &example.schema, &mut wrong);
        }
        check_defaulting(&name, &example, &case, &mut wrong);
        check_verdicts(&name, &example, &case, &mut wrong);
        check_changes(&name, &example, &case, &mut wrong);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
