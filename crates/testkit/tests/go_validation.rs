//! Verdicts of tagged Go types against what upstream's generated validation said: kind, field,
//! value, detail, origin, level and order.
//!
//! The recordings lie in a folder beside the repository (or in `ORDAIN_SHARED`); without them the
//! tests say so and pass.

use std::fs;
use std::path::{Path, PathBuf};

use ordain_idl::{Loader, MemorySource, Universe, native, validation};
use ordain_passes::declared::native::{Finding, Operation, validate};
use ordain_schema::native::{Level, Program};
use ordain_value::field::BadValue;
use ordain_value::{Text, Value, json, value};

fn shared(folder: &str) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let root = std::env::var_os("ORDAIN_SHARED").map_or(beside, PathBuf::from);
    let dir = root.join("idl").join(folder);
    if !dir.is_dir() {
        println!("skipped: no recordings at {}", dir.display());
        return None;
    }
    Some(dir)
}

fn packages(dir: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        fs::read_dir(dir).unwrap().map(|it| it.unwrap().path()).filter(|it| it.is_dir()).collect();
    found.sort();
    found
}

fn load(dir: &Path, import: &str) -> Universe {
    let name = dir.file_name().unwrap().to_str().unwrap();
    let mut source = MemorySource::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|it| it == "go") {
            let file = path.file_name().unwrap().to_str().unwrap();
            source.insert(format!("{name}/{file}"), fs::read_to_string(&path).unwrap());
        }
    }
    Loader::new(&source).package_as(name, format!("{import}/{name}")).load()
}

fn lower(universe: &Universe) -> (Program, Vec<String>) {
    let (declared, diagnostics) = validation::declare(universe, &validation::Options::default());
    let program = native::lower(universe, &declared);
    let shown = (universe.diagnostics().iter().chain(&diagnostics))
        .filter(|it| it.is_error())
        .map(|it| universe.locate(it).to_string());
    (program, shown.collect())
}

/// A finding in the form of the recordings.
fn recorded_form(finding: &Finding) -> Value {
    let error = &finding.error;
    let mut out = value!({
        "type": error.kind.reason(), "field": error.path.as_str(), "detail": &*error.detail()
    });
    match &error.bad_value {
        BadValue::Omitted => {}
        BadValue::Value(value) => out.set_path(&["badValue"], value.clone()),
        BadValue::Json(text) => out.set_path(&["badValue"], json::decode(text.as_bytes()).unwrap()),
    }
    if !error.origin.is_empty() {
        out.set_path(&["origin"], error.origin.into());
    }
    match finding.level {
        Some(Level::Alpha) => out.set_path(&["level"], "alpha".into()),
        Some(Level::Beta) => out.set_path(&["level"], "beta".into()),
        None => {}
    }
    out
}

fn run_case(program: &Program, case: &Value) -> Vec<Value> {
    let text = |key: &str| case.get(key).and_then(Value::as_str).unwrap_or("");
    let options: Vec<Text> = (case.get("options").and_then(Value::as_list).into_iter().flatten())
        .filter_map(|it| it.as_text().cloned())
        .collect();
    let subresource = match text("subresource") {
        "" => "/",
        path => path,
    };
    // Where defaulting ran, its recorded outcome is what was validated.
    let defaulted = case.get("applyDefaults") == Some(&Value::Bool(true));
    let new = if defaulted { case.get("defaulted") } else { case.get("new") };
    let old = (text("op") == "update").then(|| case.get("old").cloned().unwrap_or_default());
    let operation = Operation { old: old.as_ref(), subresource, options: &options };
    let found = validate(program, text("type"), new.unwrap_or(&Value::Null), operation);
    found.iter().map(recorded_form).collect()
}

#[test]
fn verdicts_agree_with_the_recordings() {
    let Some(dir) = shared("validation") else { return };
    let (mut total, mut agreed) = (0, 0);
    for package in packages(&dir) {
        let name = package.file_name().unwrap().to_str().unwrap().to_owned();
        let universe = load(&package, "example.com/idl");
        let (program, errors) = lower(&universe);
        assert!(errors.is_empty(), "{name}: {errors:#?}");
        let roots: Vec<Value> = program.roots.iter().map(|it| Value::from(&it.name)).collect();
        let recorded = json::decode(&fs::read(package.join("roots.json")).unwrap()).unwrap();
        assert_eq!(Value::from(roots), recorded, "{name}: roots");
        let (mut cases, mut right, mut shown) = (0, 0, 0);
        for line in fs::read_to_string(package.join("cases.jsonl")).unwrap().lines() {
            let case = json::decode(line.as_bytes()).unwrap();
            if case.get("panic").is_some() {
                continue;
            }
            cases += 1;
            let mut found = run_case(&program, &case);
            let mut expected: Vec<Value> = case.get("errors").unwrap().as_list().unwrap().to_vec();
            if case.get("unordered") == Some(&Value::Bool(true)) {
                found.sort_by_key(json::encode);
                expected.sort_by_key(json::encode);
            }
            if found == expected {
                right += 1;
            } else if shown < 3 {
                shown += 1;
                println!("{name}: {line}\n  expected {expected:?}\n  found    {found:?}");
            }
        }
        if right < cases {
            println!("{name}: {right} of {cases}");
        }
        total += cases;
        agreed += right;
    }
    println!("validation verdicts: {agreed} of {total} agree");
    assert!(agreed == total, "{agreed} of {total}");
}
