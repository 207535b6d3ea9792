//! CRDs against what controller-gen wrote, and mistakes against what it said.

mod support;

use std::collections::BTreeMap;
use std::path::Path;

use ordain_gen::crd::{Options, Output, generate};
use ordain_idl::Universe;
use ordain_value::{Value, yaml};
use support::{Disk, differences, folders_with, forgive_descriptions, loader, shared, tree};

fn options(set: &str) -> Options {
    let mut options =
        Options { controller_gen_version: Some("(devel)".into()), ..Options::default() };
    match set {
        "default" => {}
        "maxDescLen0" => {
            options.max_desc_len = Some(0);
            options.allow_dangerous_types = true;
            options.ignore_unexported_fields = true;
        }
        "allowDangerousTypes" => options.allow_dangerous_types = true,
        "ignoreUnexportedFields" => options.ignore_unexported_fields = true,
        "generateEmbeddedObjectMeta" => options.generate_embedded_object_meta = true,
        "maxDescLen40" => options.max_desc_len = Some(40),
        "maxDescLen80" => options.max_desc_len = Some(80),
        "preserveUnknownFieldsFalse" => options.preserve_unknown_fields = Some(false),
        "combined" => {
            options.max_desc_len = Some(20);
            options.generate_embedded_object_meta = true;
        }
        other => panic!("option set {other} is not known"),
    }
    options
}

fn load(root: &Path, module: &str) -> Universe {
    let source = Disk;
    let mut loader = loader(&source);
    for dir in folders_with(root, "go") {
        let inner = dir.strip_prefix(root).expect("below").to_string_lossy().into_owned();
        let path = if inner.is_empty() { module.to_string() } else { format!("{module}/{inner}") };
        loader = loader.package_as(dir.to_string_lossy(), path);
    }
    let crds = root.parent().expect("a parent").to_string_lossy().into_owned();
    loader.module(module.rsplit_once('/').expect("a path").0, crds).load()
}

fn read_yaml(path: &Path) -> Value {
    let text = std::fs::read(path).expect("a file");
    let documents = yaml::decode_documents(&text, yaml::Options::default()).expect("YAML");
    documents.into_iter().next().expect("a document").value.expect("a value")
}

/// What differs between a recorded folder and our output.
fn compare(folder: &Path, output: &Output) -> Vec<String> {
    let mut recorded: BTreeMap<String, Value> = BTreeMap::new();
    for entry in std::fs::read_dir(folder).expect("a folder").filter_map(Result::ok) {
        recorded.insert(entry.file_name().to_string_lossy().into_owned(), read_yaml(&entry.path()));
    }
    let mut out = Vec::new();
    for file in &output.files {
        match recorded.remove(&file.name) {
            None => out.push(format!("{} was not recorded", file.name)),
            Some(expected) => {
                let expected = match tree() {
                    Some(_) => expected,
                    None => forgive_descriptions(&expected, &file.crd),
                };
                differences(&file.name, &expected, &file.crd, &mut out);
            }
        }
    }
    out.retain(|found| !DIFFERENT.iter().any(|known| found.starts_with(known)));
    out.extend(recorded.into_keys().map(|name| format!("{name} is missing")));
    out
}

/// Where ours differs on purpose: `Enum=a ; b` loses its first value in controller-gen, because of
/// the blank behind it.
const DIFFERENT: &[&str] = &[
    "signs.example.dev_signposts.yaml.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.enumSpaces.enum[0]: ",
];

#[test]
fn crds_equal_those_of_controller_gen() {
    let Some(root) = shared("idl/crd") else { return };
    let (mut same, mut total, mut skipped) = (0, 0, 0);
    let mut wrong = Vec::new();
    let mut packages: Vec<_> =
        std::fs::read_dir(&root).expect("a folder").filter_map(Result::ok).collect();
    packages.sort_by_key(std::fs::DirEntry::file_name);
    for package in packages {
        let name = package.file_name().to_string_lossy().into_owned();
        let universe = load(&package.path(), &format!("idl.example.dev/crd/{name}"));
        let without_source =
            universe.diagnostics().iter().any(|finding| finding.code == "missing-package");
        for folder in folders_with(&package.path(), "yaml") {
            let set = folder.file_name().expect("a name").to_string_lossy().into_owned();
            if without_source && tree().is_none() {
                skipped += 1;
                continue;
            }
            total += 1;
            let output = generate(&universe, &options(&set));
            let mut found: Vec<String> = output
                .diagnostics
                .iter()
                .filter(|finding| finding.is_error())
                .map(|finding| universe.locate(finding).to_string())
                .collect();
            found.extend(compare(&folder, &output));
            if found.is_empty() {
                same += 1;
            } else {
                found.truncate(6);
                wrong.push(format!("{name}/{set}:\n    {}", found.join("\n    ")));
            }
        }
    }
    println!("{same} of {total} sets of CRDs equal, {skipped} need ORDAIN_K8S_TREE");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What controller-gen accepts in silence and is refused here.
const STRICTER: &[&str] = &[
    "field-marker-on-type",
    "max-length-negative",
    "misspelt-case-marker",
    "no-group-name",
    "one-of-unknown-member",
    "printcolumn-duplicate-argument",
    "resource-bad-scope",
    "two-storage-versions",
    "type-marker-on-field",
    "unknown-kubebuilder-marker",
];

#[test]
fn mistakes_are_refused_as_controller_gen_refuses_them() {
    let Some(root) = shared("idl/crd-misuse") else { return };
    let index = std::fs::read_to_string(root.join("INDEX.tsv")).expect("an index");
    let (mut right, mut total, mut same_text, mut absent) = (0, 0, 0, 0);
    let mut wrong = Vec::new();
    let mut texts = Vec::new();
    for line in index.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [name, exit, ..] = columns[..] else { continue };
        let dir = root.join(name);
        if !dir.is_dir() {
            absent += 1;
            continue;
        }
        let universe = load(&dir, &format!("idl.example.dev/crd-misuse/{name}"));
        let output = generate(&universe, &options("default"));
        let found: Vec<String> = output
            .diagnostics
            .iter()
            .filter(|finding| finding.is_error())
            .map(|finding| {
                let place = universe.locate(finding).position;
                let place = place.map_or_else(
                    || "-".to_string(),
                    |place| format!("{}:{}:{}", place.path, place.line, place.column),
                );
                let prefix = format!("{}/", dir.display());
                format!("{}: {}", place.replace(&prefix, ""), finding.message)
            })
            .collect();
        let refused = exit != "0" || STRICTER.contains(&name);
        total += 1;
        if refused == found.is_empty() {
            wrong.push(format!("{name}: exit {exit}, found {found:?}"));
            continue;
        }
        right += 1;
        let error = std::fs::read_to_string(dir.join("error.txt")).unwrap_or_default();
        if error.lines().all(|line| found.iter().any(|ours| ours == line)) {
            same_text += 1;
        } else {
            texts.push(format!("{name}:\n  theirs {}\n  ours   {found:?}", error.trim_end()));
        }
    }
    println!(
        "{right} of {total} verdicts equal, {same_text} with place and text; {absent} cases absent"
    );
    if std::env::var_os("ORDAIN_SHOW").is_some() {
        println!("{}", texts.join("\n"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
