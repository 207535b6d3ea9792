//! Definitions generated from a Kubernetes source tree against those that Kubernetes publishes.
//!
//! The tree is named by `ORDAIN_K8S_TREE` (kubernetes/kubernetes, tag v1.36.4).

mod support;

use std::collections::BTreeMap;
use std::path::Path;

use ordain_gen::openapi::{Options, generate};
use ordain_idl::Universe;
use ordain_testkit::Need;
use ordain_value::{Text, Value, json};
use support::{Disk, differences, loader, shared, tree};

/// What the server adds to a definition: the kinds it is registered as.
const ADDED: &str = "x-kubernetes-group-version-kind";

fn published(tree: &str) -> BTreeMap<Text, Value> {
    let mut out = BTreeMap::new();
    let folder = Path::new(tree).join("api/openapi-spec/v3");
    for entry in std::fs::read_dir(&folder).expect("the documents").filter_map(Result::ok) {
        let document = json::decode(&std::fs::read(entry.path()).expect("a file")).expect("JSON");
        let Some(Value::Map(schemas)) = document.get_path(&["components", "schemas"]) else {
            continue;
        };
        for (name, schema) in schemas.iter() {
            let mut schema = schema.clone();
            schema.as_map_mut().expect("a schema").remove(ADDED);
            out.insert(name.clone(), schema);
        }
    }
    out
}

/// Definitions that differ, with reasons: `name<TAB>reason`.
fn known() -> BTreeMap<String, String> {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/gen/published-differences.tsv");
    let text = std::fs::read_to_string(path).expect("the list of differences");
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lines
        .filter_map(|line| line.split_once('\t'))
        .map(|(name, reason)| (name.to_string(), reason.to_string()))
        .collect()
}

/// All packages that published definitions come from.
fn load(tree: &str) -> Universe {
    let staging = format!("{tree}/staging/src/k8s.io");
    let source = Disk;
    let mut loader = loader(&source).packages_below(&format!("{staging}/api"));
    for package in [
        "apimachinery/pkg/apis/meta/v1",
        "apimachinery/pkg/api/resource",
        "apimachinery/pkg/runtime",
        "apimachinery/pkg/util/intstr",
        "apimachinery/pkg/version",
        "apiextensions-apiserver/pkg/apis/apiextensions/v1",
        "kube-aggregator/pkg/apis/apiregistration/v1",
    ] {
        loader = loader.package(format!("{staging}/{package}"));
    }
    loader.load()
}

/// What differs between definitions and ours, by name.
fn compare(expected: &BTreeMap<Text, Value>, ours: &Value) -> BTreeMap<String, Vec<String>> {
    let mut out = BTreeMap::new();
    for (name, expected) in expected {
        let mut found = Vec::new();
        match ours.get(name) {
            None => found.push("is not generated".to_string()),
            Some(ours) => differences("", expected, ours, &mut found),
        }
        if !found.is_empty() {
            found.truncate(4);
            out.insert(name.to_string(), found);
        }
    }
    out
}

#[test]
fn definitions_of_kubernetes_equal_the_published_ones() {
    let Some(tree) = tree() else {
        return Need::KubernetesSource.missing("ORDAIN_K8S_TREE is not set");
    };
    let universe = load(&tree);
    // The documents in the tree are written with the feature OpenAPIEnums off.
    let output = generate(&universe, Options { without_enums: true, ..Options::default() });
    let errors = output.diagnostics.iter().filter(|finding| finding.is_error());
    let mut wrong: Vec<String> =
        errors.map(|finding| universe.locate(finding).to_string()).collect();
    let document = output.v3();
    let ours = document.get_path(&["components", "schemas"]).expect("schemas");
    let published = published(&tree);
    let different = compare(&published, ours);
    let same = published.len() - different.len();
    let share = 100.0 * same as f64 / published.len() as f64;
    println!("{same} of {} published definitions are identical: {share:.2} %", published.len());
    let mut known = known();
    for (name, found) in different {
        if known.remove(&name).is_none() {
            wrong.push(format!("{name}:\n    {}", found.join("\n    ")));
        }
    }
    wrong.extend(known.into_keys().map(|name| format!("{name} is listed, but does not differ")));
    wrong.truncate(40);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The same definitions with enumerations, as upstream's generators made them (descriptions were
/// not recorded).
#[test]
fn definitions_of_kubernetes_equal_the_recorded_ones() {
    let Some(folder) = shared("idl/openapi/_external") else { return };
    let Some(tree) = tree() else {
        return Need::KubernetesSource.missing("ORDAIN_K8S_TREE is not set");
    };
    let universe = load(&tree);
    let output = generate(&universe, Options { dependencies: true, ..Options::default() });
    for (file, path, ours) in [
        ("openapi.v3.json", ["components", "schemas"].as_slice(), output.v3()),
        ("openapi.v2.json", ["definitions"].as_slice(), output.v2()),
    ] {
        let recorded =
            json::decode(&std::fs::read(folder.join(file)).expect("a file")).expect("JSON");
        let Some(Value::Map(recorded)) = recorded.get_path(path) else { panic!("no definitions") };
        let recorded: BTreeMap<Text, Value> =
            recorded.iter().map(|(name, schema)| (name.clone(), schema.clone())).collect();
        let ours = without_descriptions(ours.get_path(path).expect("definitions"));
        let different = compare(&recorded, &ours);
        println!(
            "{} of {} recorded definitions are identical in {file}",
            recorded.len() - different.len(),
            recorded.len()
        );
        assert!(different.is_empty(), "{different:#?}");
    }
}

/// Schemas without `description`; a property of that name stays.
fn without_descriptions(value: &Value) -> Value {
    match value {
        Value::Map(map) => Value::Map(
            map.iter()
                .filter(|(key, value)| *key != "description" || value.as_str().is_none())
                .map(|(key, value)| (key.clone(), without_descriptions(value)))
                .collect(),
        ),
        Value::List(list) => Value::List(list.iter().map(without_descriptions).collect()),
        other => other.clone(),
    }
}
