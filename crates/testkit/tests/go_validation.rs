//! Verdicts of tagged Go types against what upstream's generated validation said: kind, field,
//! value, detail, origin, level and order.
//!
//! Our own packages and, when they are there, the recordings beside the repository.

use std::fs;
use std::path::{Path, PathBuf};

use ordain_idl::{Loader, MemorySource, Universe, defaulting, native, validation};
use ordain_passes::declared::native::{Finding, Operation, validate};
use ordain_schema::native::{Level, Program};
use ordain_testkit::transcript;
use ordain_value::field::BadValue;
use ordain_value::{Text, Value, json, value};

/// Folders of packages with what upstream made of them: the recordings, and our own.
fn folders(kind: &str) -> Vec<PathBuf> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/idl").join(kind);
    let recorded = transcript::outside("idl").map(|it| it.join(kind));
    std::iter::once(own).chain(recorded).collect()
}

fn packages(dir: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        fs::read_dir(dir).unwrap().map(|it| it.unwrap().path()).filter(|it| it.is_dir()).collect();
    found.sort();
    found
}

/// The package in a folder, with the packages below it for its imports.
fn load(dir: &Path, import: &str) -> Universe {
    let name = dir.file_name().unwrap().to_str().unwrap();
    let mut source = MemorySource::new();
    insert_files(&mut source, dir, name);
    let path = format!("{import}/{name}");
    Loader::new(&source).module(&*path, name).package_as(name, &*path).load()
}

fn insert_files(source: &mut MemorySource, dir: &Path, name: &str) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let file = format!("{name}/{}", path.file_name().unwrap().to_str().unwrap());
        if path.is_dir() {
            insert_files(source, &path, &file);
        } else if path.extension().is_some_and(|it| it == "go") {
            source.insert(file, fs::read_to_string(&path).unwrap());
        }
    }
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
    // Go prints the float 2.0 as 2.
    out = json::decode(&json::encode(&out)).unwrap();
    match finding.level {
        Some(Level::Alpha) => out.set_path(&["level"], "alpha".into()),
        Some(Level::Beta) => out.set_path(&["level"], "beta".into()),
        None => {}
    }
    out
}

/// The object after Go's decoding and, where it ran, defaulting.
type Read<'a> = &'a dyn Fn(&Value, bool) -> Value;

fn run_case(program: &Program, case: &Value, read: Read<'_>) -> Vec<Value> {
    let text = |key: &str| case.get(key).and_then(Value::as_str).unwrap_or("");
    let options: Vec<Text> = (case.get("options").and_then(Value::as_list).into_iter().flatten())
        .filter_map(|it| it.as_text().cloned())
        .collect();
    let subresource = match text("subresource") {
        "" => "/",
        path => path,
    };
    let defaulted = case.get("applyDefaults") == Some(&Value::Bool(true));
    let object = |key: &str| read(case.get(key).unwrap_or(&Value::Null), defaulted);
    let old = (text("op") == "update").then(|| object("old"));
    let operation = Operation { old: old.as_ref(), subresource, options: &options };
    let found = validate(program, text("type"), &object("new"), operation);
    found.iter().map(recorded_form).collect()
}

/// The number of cases of a package, and those in which we differ.
fn play(package: &Path) -> (usize, Vec<String>) {
    let universe = load(package, "example.com/idl");
    let (program, mut wrong) = lower(&universe);
    let roots: Vec<Value> = program.roots.iter().map(|it| Value::from(&it.name)).collect();
    let recorded = json::decode(&fs::read(package.join("roots.json")).unwrap()).unwrap();
    if Value::from(roots.clone()) != recorded {
        wrong.push(format!("roots {roots:?}, recorded {recorded:?}"));
    }
    let (defaults, diagnostics) = defaulting::declare(&universe, &defaulting::Options::default());
    wrong.extend(diagnostics.iter().map(|it| universe.locate(it).to_string()));
    let import = format!("example.com/idl/{}", package.file_name().unwrap().to_str().unwrap());
    let mut cases = 0;
    for line in fs::read_to_string(package.join("cases.jsonl")).unwrap().lines() {
        let case = json::decode(line.as_bytes()).unwrap();
        if case.get("panic").is_some() {
            continue;
        }
        cases += 1;
        let ty = case.get("type").and_then(Value::as_str).unwrap();
        let named = universe.lookup(&import, ty).unwrap();
        let read = |object: &Value, defaulted: bool| match defaulted {
            true => defaults.apply(named, object).unwrap(),
            false => object.clone(),
        };
        let mut found = run_case(&program, &case, &read);
        let mut expected: Vec<Value> = case.get("errors").unwrap().as_list().unwrap().to_vec();
        if case.get("unordered") == Some(&Value::Bool(true)) {
            found.sort_by_key(json::encode);
            expected.sort_by_key(json::encode);
        }
        if found != expected {
            wrong.push(format!("{line}\n  expected {expected:?}\n  found    {found:?}"));
        }
    }
    (cases, wrong)
}

#[test]
fn verdicts_agree_with_the_recordings() {
    let (mut total, mut differ) = (0, 0);
    for package in folders("validation").iter().flat_map(|dir| packages(dir)) {
        let (cases, wrong) = play(&package);
        for it in wrong.iter().take(3) {
            println!("{}: {it}", package.display());
        }
        if !wrong.is_empty() {
            println!("{}: {} of {cases} differ", package.display(), wrong.len());
        }
        total += cases;
        differ += wrong.len();
    }
    println!("validation verdicts: {differ} of {total} differ");
    assert!(total > 0, "no cases");
    assert_eq!(differ, 0, "of {total}");
}
