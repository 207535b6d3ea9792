//! 1,000 manifests of 20 kinds against the ways in which people check them today.
//!
//! The manifests are the accepted creates of recorded conversations, written as YAML files. Ours is
//! all of `ordain validate`: reading, YAML with positions, defaults, schema, list types, metadata and
//! CEL. The peers check the schema only: the `jsonschema` crate behind the same YAML reader, and
//! Python's `jsonschema` with PyYAML's C loader (`ORDAIN_PYTHON` names an interpreter that has both).
//! A peer that is not there is left out, and said so.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark tells and fails loudly")]

mod timing;

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use ordain_check::{Catalog, Input, Options, Outcome, manifest, validate_inputs};
use ordain_value::{Value, json, yaml};
use rayon::prelude::*;
use timing::{Time, cpu, in_turns, ratio};

const KINDS: usize = 20;
const MANIFESTS: usize = 1000;
const MANY: usize = 10_000;
const ROUNDS: usize = 51;

fn lines(file: &Path) -> Vec<Value> {
    let mut text = String::new();
    let packed = std::fs::File::open(file).unwrap();
    flate2::read::GzDecoder::new(packed).read_to_string(&mut text).unwrap();
    text.lines().map(|line| json::decode(line.as_bytes()).unwrap()).collect()
}

/// One kind: its definition and objects that the API server took.
struct Subject {
    crd: Value,
    objects: Vec<Value>,
}

fn accepted(line: &Value) -> Option<Value> {
    let steps = line.get("steps")?.as_list()?;
    let first = steps.first()?;
    let is_post = first.get("method").and_then(Value::as_str) == Some("POST");
    let took = first.get("code").and_then(Value::as_int) == Some(201);
    let body = first.get("body").filter(|it| matches!(it, Value::Map(_)))?;
    // Objects with unknown fields are taken with a warning; a strict check refuses them.
    let warned = first.get("warnings").and_then(Value::as_list).is_some_and(|it| !it.is_empty());
    (is_post && took && !warned).then(|| body.clone())
}

/// Kinds with rules and without, spread over all projects.
fn subjects(corpus: &Path) -> Vec<Subject> {
    let mut files = Vec::new();
    for project in std::fs::read_dir(corpus).unwrap() {
        for file in std::fs::read_dir(project.unwrap().path()).unwrap() {
            files.push(file.unwrap().path());
        }
    }
    files.sort();
    let step = files.len() / KINDS;
    let mut subjects = Vec::new();
    for start in 0..KINDS {
        for file in &files[start * step..(start + 1) * step] {
            let lines = lines(file);
            let Some(crd) = lines.first().and_then(|it| it.get("crd")).cloned() else { continue };
            let objects: Vec<Value> = lines.iter().filter_map(accepted).collect();
            if objects.len() >= 5 {
                subjects.push(Subject { crd, objects });
                break;
            }
        }
    }
    assert_eq!(subjects.len(), KINDS);
    subjects
}

/// Writes so many manifests, each kind in its turn.
fn write(folder: &Path, subjects: &[Subject], count: usize) -> Vec<PathBuf> {
    std::fs::create_dir_all(folder).unwrap();
    let mut files = Vec::with_capacity(count);
    for number in 0..count {
        let subject = &subjects[number % subjects.len()];
        let mut object = subject.objects[number / subjects.len() % subject.objects.len()].clone();
        object.set_path(&["metadata", "name"], format!("object-{number}").into());
        let file = folder.join(format!("{number:05}.yaml"));
        std::fs::write(&file, yaml::encode(&object)).unwrap();
        files.push(file);
    }
    files
}

fn best(times: usize, mut run: impl FnMut()) -> Time {
    let mut best = Time { wall: Duration::MAX, cpu: Duration::MAX };
    for _ in 0..times {
        let (start, used) = (Instant::now(), cpu());
        run();
        best.wall = best.wall.min(start.elapsed());
        best.cpu = best.cpu.min(cpu().saturating_sub(used));
    }
    best
}

/// The most memory that was ever used, in KiB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|it| it.starts_with("VmHWM:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|it| it.parse().ok()).unwrap_or(0)
}

fn inputs(files: &[PathBuf]) -> Vec<Input> {
    files.iter().cloned().map(Input::file).collect()
}

fn ours(inputs: &[Input], catalog: &Catalog) -> Outcome {
    let (outcome, failed) = validate_inputs(inputs, catalog.clone(), &Options::default());
    assert!(failed.is_empty());
    outcome
}

fn schema(crd: &Value) -> Value {
    let versions = crd.get_path(&["spec", "versions"]).and_then(Value::as_list).unwrap();
    let stored =
        versions.iter().find(|it| it.get("storage").and_then(Value::as_bool) == Some(true));
    stored.unwrap().get_path(&["schema", "openAPIV3Schema"]).unwrap().clone()
}

fn kind_of(crd: &Value) -> String {
    crd.get_path(&["spec", "names", "kind"]).and_then(Value::as_str).unwrap().to_owned()
}

fn as_serde(value: &Value) -> serde_json::Value {
    match value {
        Value::Null => serde_json::Value::Null,
        Value::Bool(flag) => (*flag).into(),
        Value::Int(number) => (*number).into(),
        Value::Float(number) => (*number).into(),
        Value::Str(text) => text.as_str().into(),
        Value::List(list) => list.iter().map(as_serde).collect(),
        Value::Map(map) => serde_json::Value::Object(
            map.iter().map(|(k, v)| (k.to_string(), as_serde(v))).collect(),
        ),
    }
}

/// The `jsonschema` crate behind our YAML reader, schema only.
fn crate_peer(files: &[PathBuf], validators: &BTreeMap<String, jsonschema::Validator>) -> usize {
    let judged: Vec<usize> = files
        .par_iter()
        .map(|file| {
            let text = std::fs::read(file).unwrap();
            let documents = yaml::decode_documents(&text, yaml::Options::default()).unwrap();
            let mut errors = 0;
            for document in documents {
                let object = document.value.unwrap();
                let kind = object.get("kind").and_then(Value::as_str).unwrap();
                errors += validators[kind].iter_errors(&as_serde(&object)).count();
            }
            errors
        })
        .collect();
    judged.iter().sum()
}

const SCRIPT: &str = r#"
import json, os, sys, time
import yaml, jsonschema
folder, schemas = sys.argv[1], json.load(open(sys.argv[2]))
start, used = time.perf_counter(), time.process_time()
validators = {kind: jsonschema.Draft4Validator(schema) for kind, schema in schemas.items()}
errors = 0
for name in sorted(os.listdir(folder)):
    with open(os.path.join(folder, name), "rb") as file:
        for document in yaml.load_all(file, Loader=yaml.CSafeLoader):
            errors += sum(1 for _ in validators[document["kind"]].iter_errors(document))
print(time.perf_counter() - start, time.process_time() - used, errors)
"#;

/// The medians of Python and of ours, in turns.
fn python_peer(folder: &Path, schemas: &Path, mut ours: impl FnMut()) -> Option<[Time; 2]> {
    let (mut theirs, mut mine) = (Vec::new(), Vec::new());
    for _ in 0..7 {
        theirs.push(python_run(folder, schemas)?);
        let [it] = in_turns(7, [&mut ours]);
        mine.push(it);
    }
    Some([theirs, mine].map(|mut times| {
        times.sort_by_key(|it| it.wall);
        times[times.len() / 2]
    }))
}

fn python_run(folder: &Path, schemas: &Path) -> Option<Time> {
    let python = std::env::var("ORDAIN_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let run = Command::new(&python).args(["-c", SCRIPT]).arg(folder).arg(schemas).output().ok()?;
    if !run.status.success() {
        return None;
    }
    let text = String::from_utf8_lossy(&run.stdout).into_owned();
    let mut numbers = text.split_whitespace().map_while(|it| it.parse::<f64>().ok());
    let mut next = || numbers.next().map(Duration::from_secs_f64);
    Some(Time { wall: next()?, cpu: next()? })
}

fn main() {
    let Some(corpus) = ordain_testkit::transcript::set("corpus") else { return };
    let place = tempfile::tempdir().unwrap();
    let subjects = subjects(&corpus);
    let few = write(&place.path().join("few"), &subjects, MANIFESTS);
    let many = write(&place.path().join("many"), &subjects, MANY);
    let bytes: u64 = few.iter().map(|it| std::fs::metadata(it).unwrap().len()).sum();
    let rules: usize =
        subjects.iter().map(|it| json::encode_string(&it.crd).matches("\"rule\":").count()).sum();
    println!(
        "{MANIFESTS} manifests of {KINDS} kinds, {bytes} bytes, {rules} rules in their definitions"
    );
    println!("{} threads", rayon::current_num_threads());
    let mut catalog = Catalog::default();
    for subject in &subjects {
        catalog.add_definition(&subject.crd).unwrap();
    }

    let given = inputs(&few);
    let fresh = Instant::now();
    let outcome = ours(&given, &catalog);
    println!(
        "ours, first run with compiling the kinds: {:?}, {} findings",
        fresh.elapsed(),
        outcome.findings.len()
    );
    assert_eq!(outcome.judged, MANIFESTS);

    let mut validators = BTreeMap::new();
    let mut schemas = serde_json::Map::new();
    for subject in &subjects {
        let schema = as_serde(&schema(&subject.crd));
        schemas.insert(kind_of(&subject.crd), schema.clone());
        match jsonschema::draft4::options().build(&schema) {
            Ok(validator) => drop(validators.insert(kind_of(&subject.crd), validator)),
            Err(error) => println!("jsonschema crate: {}: {error}", kind_of(&subject.crd)),
        }
    }
    assert_eq!(validators.len(), KINDS, "the jsonschema crate compiles every schema");
    let errors = crate_peer(&few, &validators);
    let texts: Vec<Input> =
        given.iter().map(|it| Input::text(it.read().unwrap().into_owned())).collect();
    let [mine, theirs, marked, yaml, files, memory] = in_turns(
        ROUNDS,
        [
            &mut || drop(ours(&given, &catalog)),
            &mut || assert_eq!(crate_peer(&few, &validators), errors),
            &mut || {
                given.par_iter().for_each(|it| drop(manifest::read(0, &it.read().unwrap())));
            },
            &mut || {
                few.par_iter().for_each(|it| {
                    let text = std::fs::read(it).unwrap();
                    drop(yaml::decode_documents(&text, yaml::Options::default()).unwrap());
                });
            },
            &mut || few.par_iter().for_each(|it| drop(std::fs::read(it).unwrap())),
            &mut || drop(ours(&texts, &catalog)),
        ],
    );
    println!("medians of {ROUNDS} rounds, in turns:");
    println!("ours, all of validate: {mine}");
    println!("  reading YAML with positions, which only files with findings need: {marked}");
    println!("  reading YAML alone: {yaml}");
    println!("  reading the files alone: {files}");
    println!("  all of validate without reading files: {memory}");
    println!(
        "jsonschema crate, schema only: {theirs}, {errors} errors; ours takes {:.2} of its time, {:.2} of its processor time",
        ratio(mine.wall, theirs.wall),
        ratio(mine.cpu, theirs.cpu),
    );

    let list = place.path().join("schemas.json");
    std::fs::write(&list, serde_json::Value::Object(schemas).to_string()).unwrap();
    match python_peer(&place.path().join("few"), &list, || drop(ours(&given, &catalog))) {
        Some([theirs, mine]) => println!(
            "Python jsonschema with PyYAML's C loader, schema only: {theirs}; ours, in turns with it: {mine}, {:.1} times as fast by wall time",
            ratio(theirs.wall, mine.wall),
        ),
        None => {
            println!("Python: left out, no interpreter with jsonschema and PyYAML (ORDAIN_PYTHON)")
        }
    }

    // The same with every fourth object refused, so that positions are looked up for it.
    let mixed = write(&place.path().join("mixed"), &subjects, MANIFESTS);
    for file in mixed.iter().step_by(4) {
        let mut text = std::fs::read_to_string(file).unwrap();
        text.push_str("notAField: 1\n");
        std::fs::write(file, text).unwrap();
    }
    let mixed = inputs(&mixed);
    let outcome = ours(&mixed, &catalog);
    let took = best(5, || drop(ours(&mixed, &catalog)));
    println!(
        "a quarter of them refused: {took}, {} findings with positions",
        outcome.findings.len()
    );

    let many = inputs(&many);
    let before = peak();
    let start = Instant::now();
    let outcome = ours(&many, &catalog);
    let took = start.elapsed();
    assert_eq!(outcome.judged, MANY);
    println!("{MANY} manifests: {took:?}; peak memory {before} KiB before, {} KiB after", peak());
}
