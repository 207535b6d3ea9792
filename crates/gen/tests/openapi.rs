//! OpenAPI documents against what openapi-gen and the builders made, and mistakes against what
//! they said.

mod support;

use std::path::Path;

use ordain_gen::openapi::{Options, Output, generate};
use ordain_idl::Universe;
use ordain_value::{Value, json};
use support::{Disk, differences, folders_with, forgive_descriptions, loader, shared, tree};

fn load(root: &Path, module: &str, name: &str) -> Universe {
    let source = Disk;
    loader(&source)
        .package_as(root.join(name).to_string_lossy(), format!("{module}/{name}"))
        .module(module, root.to_string_lossy())
        .load()
}

fn read_json(path: &Path) -> Value {
    json::decode(&std::fs::read(path).expect("a file")).expect("JSON")
}

fn errors(universe: &Universe, output: &Output) -> Vec<String> {
    let errors = output.diagnostics.iter().filter(|finding| finding.is_error());
    errors.map(|finding| universe.locate(finding).to_string()).collect()
}

/// Whether types are used whose source is not at hand.
fn needs_tree(universe: &Universe) -> bool {
    universe.diagnostics().iter().any(|finding| finding.code == "missing-package")
}

fn names(root: &Path) -> Vec<String> {
    let below = |dir: std::path::PathBuf| Some(dir.strip_prefix(root).ok()?.to_str()?.to_string());
    folders_with(root, "go").into_iter().filter_map(below).collect()
}

#[test]
fn documents_equal_those_of_openapi_gen() {
    let Some(root) = shared("idl/openapi") else { return };
    let (mut same, mut total, mut skipped) = (0, 0, 0);
    let mut wrong = Vec::new();
    for name in names(&root) {
        let universe = load(&root, "idl.example.dev/openapi", &name);
        if tree().is_none() && needs_tree(&universe) {
            skipped += 1;
            continue;
        }
        let output = generate(&universe, Options::default());
        let mut found = errors(&universe, &output);
        for (file, ours) in [
            ("openapi.v3.json", output.v3()),
            ("openapi.v2.json", output.v2()),
            ("definitions.raw.json", output.raw()),
        ] {
            let mut expected = read_json(&root.join(&name).join(file));
            if tree().is_none() {
                expected = forgive_descriptions(&expected, &ours);
            }
            differences(file, &expected, &ours, &mut found);
        }
        let violations: String =
            output.violations.iter().map(|violation| format!("{violation}\n")).collect();
        let recorded = std::fs::read_to_string(root.join(&name).join("violations.txt"));
        if recorded.expect("a file") != violations {
            found.push(format!("violations.txt:\n{violations}"));
        }
        total += 1;
        if found.is_empty() {
            same += 1;
        } else {
            found.truncate(8);
            wrong.push(format!("{name}:\n    {}", found.join("\n    ")));
        }
    }
    println!(
        "{same} of {total} packages have the same documents and the same violations, {skipped} need ORDAIN_K8S_TREE"
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What openapi-gen accepts in silence, or turns into code that does not compile, and is refused
/// here.
const STRICTER: &[&str] = &["default-ref-missing", "shadowed-inline-field"];

#[test]
fn mistakes_are_refused_as_openapi_gen_refuses_them() {
    let Some(root) = shared("idl/openapi-misuse") else { return };
    let index = std::fs::read_to_string(root.join("INDEX.tsv")).expect("an index");
    let (mut right, mut total, mut same_text, mut absent) = (0, 0, 0, 0);
    let mut wrong = Vec::new();
    let mut texts = Vec::new();
    for line in index.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [name, exit, outcome, ..] = columns[..] else { continue };
        if !root.join(name).is_dir() {
            absent += 1;
            continue;
        }
        let universe = load(&root, "idl.example.dev/openapi-misuse", name);
        let output = generate(&universe, Options::default());
        let found = errors(&universe, &output);
        let all: Vec<String> =
            output.diagnostics.iter().map(|it| universe.locate(it).to_string()).collect();
        total += 1;
        let refused = exit != "0" || STRICTER.contains(&name);
        let warned = outcome != "warns" || !all.is_empty();
        let placed = output.diagnostics.iter().all(|finding| finding.pos.is_some());
        if refused == found.is_empty() || !warned || !placed {
            wrong.push(format!("{name}: {outcome}, found {all:?}"));
            continue;
        }
        right += 1;
        let error = std::fs::read_to_string(root.join(name).join("error.txt")).unwrap_or_default();
        let said = error.lines().filter(|line| !line.starts_with("E Error when generating"));
        let said: Vec<&str> = said
            .map(|line| {
                let line = line.strip_prefix("OpenAPI code generation error: failed executing generator: some targets had errors: ").unwrap_or(line);
                line.strip_prefix("E ").or(line.strip_prefix("I ")).unwrap_or(line)
            })
            .collect();
        if said.iter().all(|line| all.iter().any(|ours| ours.contains(line))) {
            same_text += 1;
        } else {
            texts.push(format!("{name}:\n  theirs {said:?}\n  ours   {all:?}"));
        }
    }
    println!(
        "{right} of {total} verdicts equal, {same_text} with their text; {absent} cases absent"
    );
    if std::env::var_os("ORDAIN_SHOW").is_some() {
        println!("{}", texts.join("\n"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
