//! What the generators make of our own packages, file by file.
//!
//! `ORDAIN_WRITE=1` writes what is generated now.

mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ordain_gen::jsonschema as schemas;
use ordain_gen::{crd, docs, kinds, openapi, rust};
use ordain_idl::{Loader, Universe};
use ordain_schema::publish::{Options as PublishOptions, publish_with};
use ordain_value::{Value, json, yaml};
use support::{Disk, folders_with};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/gen")
}

/// The packages of a case, without any source of Kubernetes at hand.
fn load(case: &str) -> Universe {
    let root = fixtures().join(case);
    let source = Disk;
    let mut loader = Loader::new(&source);
    for dir in folders_with(&root, "go") {
        let version = dir.strip_prefix(&root).expect("below").to_string_lossy().into_owned();
        loader = loader.package_as(dir.to_string_lossy(), format!("example.com/{case}/{version}"));
    }
    loader.load()
}

fn kinds(case: &str) -> Vec<ordain_schema::declared::Kind> {
    let universe = load(case);
    let found = kinds::of_types(&universe);
    let errors: Vec<String> = found
        .diagnostics
        .iter()
        .filter(|finding| finding.is_error())
        .map(|finding| universe.locate(finding).to_string())
        .collect();
    assert!(errors.is_empty(), "{case}: {}", errors.join("\n"));
    found.kinds
}

fn lowered(universe: &Universe) -> ordain_schema::declared::Api {
    ordain_idl::lower::lower(universe).api
}

/// All files of a case by name.
fn generated(case: &str) -> BTreeMap<String, String> {
    let mut out = BTreeMap::new();
    let kinds = kinds(case);
    for (folder, format) in [("markdown", docs::Format::Markdown), ("html", docs::Format::Html)] {
        for file in docs::generate(&kinds, format) {
            out.insert(format!("{folder}/{}", file.name), file.text);
        }
    }
    for file in schemas::generate(&kinds, schemas::Options { strict: true }) {
        out.insert(format!("jsonschema/{}", file.name), schemas::encode(&file.schema));
    }
    for file in rust::generate(&kinds) {
        out.insert(format!("rust/{}", file.name), file.text);
    }
    let universe = load(case);
    let made =
        openapi::generate(&universe, openapi::Options { untagged: true, ..Default::default() });
    if case == "rules" {
        for kind in &lowered(&universe).kinds {
            for version in &kind.versions {
                let native = version.native.as_ref();
                let shown = publish_with(&version.schema, native, PublishOptions::V3);
                let definitions = Value::Map(shown.definitions.into_iter().collect());
                let name = format!("published/{}.json", kind.kind.to_lowercase());
                out.insert(name, json::encode_pretty(&definitions) + "\n");
            }
        }
    }
    if case != "kubebuilder" {
        assert!(!made.has_errors(), "{:?}", made.diagnostics);
        out.insert("openapi.v3.json".into(), json::encode_pretty(&made.v3()) + "\n");
    } else {
        let made = crd::generate(&universe, &crd::Options::default());
        assert!(!made.has_errors(), "{:?}", made.diagnostics);
        for file in made.files {
            out.insert(format!("crd/{}", file.name), format!("---\n{}", yaml::encode(&file.crd)));
        }
    }
    out
}

fn compare(case: &str) {
    let root = fixtures().join(case).join("expected");
    let ours = generated(case);
    if std::env::var_os("ORDAIN_WRITE").is_some() {
        let _ = std::fs::remove_dir_all(&root);
        for (name, text) in &ours {
            let path = root.join(name);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, text).expect("a file");
        }
    }
    let mut wrong = Vec::new();
    for (name, text) in &ours {
        let found = std::fs::read_to_string(root.join(name)).unwrap_or_default();
        if found != *text {
            let line = found.lines().zip(text.lines()).take_while(|(a, b)| a == b).count();
            wrong.push(format!("{case}/{name} differs from line {} on", line + 1));
        }
    }
    for folder in ["crd", "html", "jsonschema", "markdown", "published", "rust"] {
        for dir in ["md", "html", "json", "rs", "yaml"]
            .into_iter()
            .flat_map(|it| folders_with(&root.join(folder), it))
        {
            for entry in std::fs::read_dir(&dir).expect("a folder").filter_map(Result::ok) {
                let path = entry.path();
                let name = path.strip_prefix(&root).expect("below").to_string_lossy().into_owned();
                if path.is_file() && !ours.contains_key(&name) {
                    wrong.push(format!("{case}/{name} is not generated any more"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}\nrun with ORDAIN_WRITE=1", wrong.join("\n"));
}

#[test]
fn files_of_a_kubebuilder_project_are_as_expected() {
    compare("kubebuilder");
}

#[test]
fn files_of_declared_types_are_as_expected() {
    compare("declared");
}

#[test]
fn files_of_types_with_rules_are_as_expected() {
    compare("rules");
}

/// What the JSON Schema of a parcel says of a spec.
fn parcel_fits(spec: serde_json::Value) -> bool {
    let kinds = kinds("rules");
    let files = schemas::generate(&kinds, schemas::Options { strict: true });
    let validator = jsonschema::validator_for(&plain(&files[0].schema)).expect("a schema");
    let mut spec = spec;
    spec["title"] = "a-title".into();
    validator.is_valid(&serde_json::json!({
        "apiVersion": "rules.example.com/v1", "kind": "Parcel",
        "metadata": {"name": "a"}, "spec": spec,
    }))
}

#[test]
fn unions_are_one_of_their_members_for_tools_that_know_no_unions() {
    use serde_json::json;
    for (fits, spec) in [
        (true, json!({"choice": {"a": "x"}})),
        (true, json!({"choice": {"b": {"x": 1}}})),
        (false, json!({"choice": {}})),
        (false, json!({"choice": {"a": "x", "b": {"x": 1}}})),
        (true, json!({"either": {}})),
        (true, json!({"either": {"up": 1}})),
        (false, json!({"either": {"up": 1, "down": 1}})),
        (true, json!({"carrier": {"means": "Bike", "bike": {"x": 1}}})),
        (true, json!({"carrier": {"means": "Bike", "bike": {"x": 1}, "truck": ""}})),
        (false, json!({"carrier": {"means": "Bike"}})),
        (false, json!({"carrier": {"means": "Bike", "bike": {"x": 1}, "truck": "t"}})),
        (true, json!({"carrier": {"means": "Truck", "truck": "t"}})),
        (true, json!({"carrier": {"means": "Truck"}})),
        (false, json!({"carrier": {"means": "Truck", "bike": {"x": 1}}})),
        (true, json!({"carrier": {"means": "OnFoot"}})),
        (false, json!({"carrier": {"means": "OnFoot", "truck": "t"}})),
        (false, json!({"carrier": {"bike": {"x": 1}}})),
    ] {
        assert_eq!(parcel_fits(spec.clone()), fits, "{spec}");
    }
}

#[test]
fn rules_of_one_place_do_not_reach_others_of_the_same_type() {
    use serde_json::json;
    for (fits, spec) in [
        (false, json!({"words": ["longer"]})),
        (true, json!({"plain": ["longer"]})),
        (false, json!({"origin": {"x": 11}})),
        (true, json!({"target": {"x": 11}})),
        (false, json!({"target": {"x": -1}})),
        (false, json!({"level": 4})),
        (true, json!({"level": 5})),
        (false, json!({"named": "much too long"})),
        (true, json!({"early": "x"})),
    ] {
        assert_eq!(parcel_fits(spec.clone()), fits, "{spec}");
    }
}

fn plain(value: &Value) -> serde_json::Value {
    serde_json::from_slice(&json::encode(value)).expect("JSON")
}

#[test]
fn json_schemas_are_schemas_and_examples_of_the_documentation_keep_them() {
    for case in ["kubebuilder", "declared", "rules"] {
        for kind in kinds(case) {
            for file in
                schemas::generate(std::slice::from_ref(&kind), schemas::Options { strict: true })
            {
                let schema = plain(&file.schema);
                assert!(jsonschema::meta::is_valid(&schema), "{} is no schema", file.name);
                let validator = jsonschema::validator_for(&schema).expect("a schema");
                let version = kind
                    .versions
                    .iter()
                    .find(|version| file.name.ends_with(&format!("_{}.json", version.name)))
                    .expect("a version");
                let example = plain(&docs::example(&kind, version));
                let errors: Vec<String> =
                    validator.iter_errors(&example).map(|error| error.to_string()).collect();
                assert!(errors.is_empty(), "{}: {errors:?}\n{example:#}", file.name);
            }
        }
    }
}

/// An object, and whether it is valid.
const VERDICTS: &[(&str, &str, bool)] = &[
    ("kubebuilder", r#"{"route":["a","b"],"minCrew":2}"#, true),
    (
        "kubebuilder",
        r#"{"route":["a","b"],"minCrew":2,"engine":"Electric","callSign":"OXYZ"}"#,
        true,
    ),
    ("kubebuilder", r#"{"route":["a","b"],"minCrew":2,"cargo":"10Gi","berth":"east"}"#, true),
    ("kubebuilder", r#"{"route":["a","b"],"minCrew":2,"cargo":10,"berth":4}"#, true),
    ("kubebuilder", r#"{"route":["a","b"],"minCrew":2,"decks":{"sun":{"height":3}}}"#, true),
    ("kubebuilder", r#"{"route":["a"],"minCrew":2}"#, false),
    ("kubebuilder", r#"{"route":["a","a"],"minCrew":2}"#, false),
    ("kubebuilder", r#"{"minCrew":2}"#, false),
    ("kubebuilder", r#"{"route":["a","b"],"minCrew":0}"#, false),
    ("kubebuilder", r#"{"route":["a","b"],"minCrew":"2"}"#, false),
    ("kubebuilder", r#"{"route":["a","b"],"minCrew":2,"engine":"Steam"}"#, false),
    ("kubebuilder", r#"{"route":["a","b"],"minCrew":2,"callSign":"oxyz"}"#, false),
    ("kubebuilder", r#"{"route":["a","b"],"minCrew":2,"decks":{"sun":{"height":0}}}"#, false),
    (
        "kubebuilder",
        r#"{"route":["a","b"],"minCrew":2,"lifeboats":[{"name":"x","seats":3}]}"#,
        false,
    ),
    ("kubebuilder", r#"{"route":["a","b"],"minCrew":2,"berth":{}}"#, false),
    ("declared", r#"{"weight":10}"#, true),
    (
        "declared",
        r#"{"weight":10,"power":"Battery","spare":{"weight":3,"blades":[{"teeth":2}]}}"#,
        true,
    ),
    ("declared", r#"{"weight":0}"#, false),
    ("declared", r#"{"weight":10,"power":"Steam"}"#, false),
    ("declared", r#"{"weight":10,"spare":{"weight":3,"spare":{"weight":0}}}"#, false),
    ("declared", r#"{"weight":10,"blades":[{},{}]}"#, false),
];

#[test]
fn json_schemas_agree_with_the_validation_of_the_server() {
    for (case, spec, valid) in VERDICTS {
        let kind = kinds(case).into_iter().next().expect("a kind");
        let version = kind.version("v1").expect("v1");
        let spec = json::decode(spec.as_bytes()).expect("JSON");
        let mut object = docs::example(&kind, version);
        object.as_map_mut().expect("an object").insert("spec", spec.clone());
        let file = schemas::generate(std::slice::from_ref(&kind), schemas::Options::default())
            .into_iter()
            .find(|file| file.name.ends_with("_v1.json"))
            .expect("a schema");
        let validator = jsonschema::validator_for(&plain(&file.schema)).expect("a schema");
        assert_eq!(validator.is_valid(&plain(&object)), *valid, "{case}: {spec:?}");
        let plan = ordain_passes::Plan::compile(&version.schema).expect("a plan");
        let errors = plan.validate_schema(&object, None);
        let lists = plan.validate_list_types(&object);
        let found = errors.is_empty() && lists.is_empty();
        assert_eq!(found, *valid, "{case}: {spec:?}: {errors:?} {lists:?}");
    }
}

/// Compiles the generated Rust against the kube crate; that takes minutes and the network, so it
/// has to be asked for.
#[test]
fn generated_rust_compiles_against_kube() {
    let Some(folder) = ordain_testkit::Need::CompiledRust.named_by("ORDAIN_COMPILE_RUST") else {
        return;
    };
    let source = folder.join("src");
    std::fs::create_dir_all(&source).expect("a folder");
    let manifest = "[package]\nname = \"generated\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
        [dependencies]\nkube = { version = \"5\", default-features = false, features = [\"derive\"] }\n\
        k8s-openapi = { version = \"0.29\", features = [\"latest\"] }\n\
        serde = { version = \"1\", features = [\"derive\"] }\nserde_json = \"1\"\n\n[workspace]\n";
    std::fs::write(folder.join("Cargo.toml"), manifest).expect("a manifest");
    let mut library = String::new();
    for case in ["kubebuilder", "declared", "rules"] {
        library.push_str(&format!("pub mod {case};\n"));
        std::fs::create_dir_all(source.join(case)).expect("a folder");
        for file in rust::generate(&kinds(case)) {
            std::fs::write(source.join(case).join(file.name), file.text).expect("a file");
        }
    }
    std::fs::write(source.join("lib.rs"), library).expect("a file");
    let status = std::process::Command::new(env!("CARGO"))
        .args(["check", "--quiet"])
        .env_remove("CARGO_TARGET_DIR")
        .current_dir(&folder)
        .status()
        .expect("cargo runs");
    assert!(status.success());
}
